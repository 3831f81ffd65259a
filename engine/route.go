package engine

import "math/bits"

// Route returns one way of making a move, as the squares it stands on from
// first to last: of all ways the first in the order of the square names. A
// quiet move has two squares. Notation needs it to tell apart captures with
// the same ends (G4).
func (v *Variant) Route(p *Position, m Move) []Square {
	var first []Square
	v.Routes(p, m, func(route []Square) bool {
		if first == nil || v.before(route, first) {
			first = append(first[:0], route...)
		}
		return true
	})
	return first
}

func (v *Variant) before(a, b []Square) bool {
	for i := range a {
		if i == len(b) {
			return false
		}
		if a[i] != b[i] {
			return v.Board.Name(a[i]) < v.Board.Name(b[i])
		}
	}
	return false
}

// Routes calls yield with every way of making the legal move m in p until
// yield returns false. The slice is reused between calls.
func (v *Variant) Routes(p *Position, m Move, yield func([]Square) bool) {
	if m.Captured == 0 {
		yield([]Square{m.From, m.To})
		return
	}
	r := router{v: v, m: m, occupied: p.Occupied() &^ m.From.Bit(), yield: yield, dead: map[routeState]bool{}}
	r.crown = v.Board.Crown[p.Side&1]
	r.route = append(r.route, m.From)
	r.follow(m.From, 0, p.Kings&m.From.Bit() != 0)
}

type routeState struct {
	at       Square
	captured uint64
}

type router struct {
	v        *Variant
	m        Move
	occupied uint64
	crown    uint64
	route    []Square
	yield    func([]Square) bool
	dead     map[routeState]bool // states from which the move cannot be completed
}

// follow returns found, whether the move can be completed from at, and
// stop, whether yield wants no more.
func (r *router) follow(at Square, captured uint64, king bool) (found, stop bool) {
	if captured == r.m.Captured {
		if at != r.m.To {
			return false, false
		}
		return true, !r.yield(r.route)
	}
	state := routeState{at, captured}
	if r.dead[state] {
		return false, false
	}
	rays := r.v.Capture
	for d := range rays.N {
		var over Square
		var landings uint64
		if king {
			hit := rays.Line[d][at] & r.occupied
			if hit == 0 {
				continue
			}
			over = rays.First(d, hit)
			landings = rays.Until(d, over, r.occupied)
		} else {
			step := rays.Step[d][at]
			if step == 0 {
				continue
			}
			over = Square(bits.TrailingZeros64(step))
			landings = rays.Jump[d][at] &^ r.occupied
		}
		if over.Bit()&r.m.Captured&^captured == 0 {
			continue
		}
		for ; landings != 0; landings &= landings - 1 {
			to := Square(bits.TrailingZeros64(landings))
			crowned := king || r.v.PromotesInPassing && to.Bit()&r.crown != 0
			r.route = append(r.route, to)
			ok, enough := r.follow(to, captured|over.Bit(), crowned)
			r.route = r.route[:len(r.route)-1]
			if found = found || ok; enough {
				return found, true
			}
		}
	}
	if !found {
		r.dead[state] = true
	}
	return found, false
}
