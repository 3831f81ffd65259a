package engine

import (
	"math/bits"
	"slices"
)

// Route returns one way of making a move, as the squares it stands on from
// first to last: of all ways the first in the order of the square names (of
// the numbers on a numbered board). A quiet move has two squares. Notation
// needs it to tell apart captures with the same ends (G4).
func (v *Variant) Route(p *Position, m Move) []Square {
	var first []Square
	v.Routes(p, m, func(route []Square) bool {
		first = slices.Clone(route)
		return false
	})
	return first
}

// Routes calls yield with every way of making the legal move m in p, in the
// order of the square names, until yield returns false. The slice is reused
// between calls.
func (v *Variant) Routes(p *Position, m Move, yield func([]Square) bool) {
	if m.Captured == 0 {
		yield([]Square{m.From(), m.To()})
		return
	}
	r := router{
		v: v, m: m, opp: p.Opp(), occupied: p.Occupied() &^ m.From().Bit(),
		crown: v.Board.Crown[p.Side()], yield: yield, dead: map[routeState]bool{},
	}
	r.route = append(r.route, m.From())
	r.follow(m.From(), 0, p.Kings&m.From().Bit() != 0)
}

// before is the order of the square names: files and then ranks, or numbers.
func (b *Board) before(s, t Square) bool {
	if b.Numeric {
		return b.Index(s) < b.Index(t)
	}
	return b.Name(s) < b.Name(t)
}

type routeState struct {
	at       Square
	captured uint64
}

type router struct {
	v        *Variant
	m        Move
	opp      uint64
	occupied uint64 // without the moving piece (G1), with captured ones (G2)
	crown    uint64
	route    []Square
	yield    func([]Square) bool
	dead     map[routeState]bool // states from which the move cannot be completed
}

// follow returns found, whether the move can be completed from at, and
// stop, whether yield wants no more.
func (r *router) follow(at Square, captured uint64, king bool) (found, stop bool) {
	if captured == r.m.Captured {
		if at != r.m.To() {
			return false, false
		}
		return true, !r.yield(r.route)
	}
	state := routeState{at, captured}
	if r.dead[state] {
		return false, false
	}
	for _, j := range r.jumps(at, captured, king) {
		crowned := king || r.v.PromotesInPassing && j.to.Bit()&r.crown != 0
		r.route = append(r.route, j.to)
		ok, enough := r.follow(j.to, captured|j.over, crowned)
		r.route = r.route[:len(r.route)-1]
		if found = found || ok; enough {
			return found, true
		}
	}
	if !found {
		r.dead[state] = true
	}
	return found, false
}

// jump is a landing square and the piece captured on the way.
type jump struct {
	to   Square
	over uint64
}

// jumps returns, in the order of the square names, the jumps from at over
// pieces that the move captures.
func (r *router) jumps(at Square, captured uint64, king bool) []jump {
	var out []jump
	rays := r.v.Capture
	for d := range rays.N {
		over, landings := rays.Step[d][at], rays.Jump[d][at]&^r.occupied
		if king {
			over, landings = r.overKing(d, at)
		}
		if over&r.m.Captured&^captured == 0 {
			continue
		}
		// The last jump may not end behind a piece where another landing square
		// would let the capture go on (R7; elsewhere such a capture is worth
		// more, so that the move would not be legal).
		if king && captured|over == r.m.Captured && r.goesOn(landings, captured|over) {
			continue
		}
		for ; landings != 0; landings &= landings - 1 {
			out = append(out, jump{Square(bits.TrailingZeros64(landings)), over})
		}
	}
	slices.SortFunc(out, func(a, b jump) int {
		if r.v.Board.before(a.to, b.to) {
			return -1
		}
		return 1
	})
	return out
}

// overKing returns the piece a king on at meets in direction d and the empty
// squares behind it.
func (r *router) overKing(d int, at Square) (over, landings uint64) {
	hit := r.v.Capture.Line[d][at] & r.occupied
	if hit == 0 {
		return 0, 0
	}
	first := r.v.Capture.First(d, hit)
	return first.Bit(), r.v.Capture.Until(d, first, r.occupied)
}

// goesOn reports whether a king can capture on from any of the squares.
func (r *router) goesOn(squares, captured uint64) bool {
	for ; squares != 0; squares &= squares - 1 {
		at := Square(bits.TrailingZeros64(squares))
		for d := range r.v.Capture.N {
			if over, landings := r.overKing(d, at); over&r.opp&^captured != 0 && landings != 0 {
				return true
			}
		}
	}
	return false
}
