package russian

import (
	"math/bits"

	"draughtlab/engine"
)

// Generate appends the legal moves of p to buf: captures, any of them that is
// carried to its end (R6, R7), or, where there is none, quiet moves (R2, R4).
func Generate(p *engine.Position, buf []engine.Move) []engine.Move {
	own, opp := p.Own(), p.Opp()
	empty := board.All &^ (own | opp)
	men, kings := own&^p.Kings, own&p.Kings
	base := len(buf)
	if able := able(opp, empty); men&able|kings != 0 {
		if buf = captures(p, able, buf); len(buf) > base {
			if p.SinceChange() == fifteenMoves-1 && threeKings(p) {
				engine.KeepCount(buf[base:])
			}
			return buf
		}
	}
	by4, by5 := targets(p.Side(), men, empty)
	back := 2*int(p.Side()) - 1 // White moves to higher squares
	buf = steps(buf, by4, 4*back)
	buf = steps(buf, by5, 5*back)
	for ; kings != 0; kings &= kings - 1 {
		from := engine.Square(bits.TrailingZeros64(kings))
		var to uint64
		for d := range rays.N {
			to |= rays.Until(d, from, own|opp)
		}
		buf = engine.Slides(buf, from, to, engine.QuietKing)
	}
	if bits.OnesCount64(own|opp) == 4 && onRoad(p) {
		markRoad(p, buf[base:])
	}
	return buf
}

// able returns the squares from which a man can capture: those with an enemy
// beside them and an empty square right behind it (R3).
func able(opp, empty uint64) uint64 {
	return opp>>4&(empty>>8) | opp<<4&(empty<<8) | opp>>5&(empty>>10) | opp<<5&(empty<<10)
}

// going returns the men whose capture may go on: those of which a first capture
// ends on an able square or on a base rank (R8). (None can turn back over the
// piece just captured: it comes from there.)
func going(men, opp, empty, able uint64) uint64 {
	empty &= able | rank1 | rank8
	return men & (opp>>4&(empty>>8) | opp<<4&(empty<<8) | opp>>5&(empty>>10) | opp<<5&(empty<<10))
}

// targets returns the squares to which men can step, one square diagonally
// forward (R2), by 4 and 5 squares.
func targets(side engine.Color, men, empty uint64) (by4, by5 uint64) {
	if side == engine.White {
		return men << 4 & empty, men << 5 & empty
	}
	return men >> 4 & empty, men >> 5 & empty
}

// Count returns the number of legal moves of p. It needs no list without
// kings, if no capture goes on; otherwise buf is room for one.
func Count(p *engine.Position, buf []engine.Move) int {
	own, opp := p.Own(), p.Opp()
	empty := board.All &^ (own | opp)
	able := able(opp, empty)
	if own&p.Kings != 0 || going(own, opp, empty, able) != 0 {
		return len(Generate(p, buf)) - len(buf)
	}
	if own&able != 0 {
		return bits.OnesCount64(own<<8&(opp<<4)&empty) + bits.OnesCount64(own>>8&(opp>>4)&empty) +
			bits.OnesCount64(own<<10&(opp<<5)&empty) + bits.OnesCount64(own>>10&(opp>>5)&empty)
	}
	by4, by5 := targets(p.Side(), own, empty)
	return bits.OnesCount64(by4) + bits.OnesCount64(by5)
}

// CanCapture reports whether the given side could capture if it were to move.
func CanCapture(p *engine.Position, side engine.Color) bool {
	own, opp := p.Pieces[side&1], p.Pieces[side&1^1]
	empty := board.All &^ (own | opp)
	return own&^p.Kings&able(opp, empty) != 0 || rays.KingCaptures(own&p.Kings, opp, empty)
}

// CanMove reports whether p has a legal move. Seldom it needs room for a list.
func CanMove(p *engine.Position, buf []engine.Move) bool {
	own := p.Own()
	by4, by5 := targets(p.Side(), own&^p.Kings, board.All&^(own|p.Opp()))
	return by4|by5 != 0 || len(Generate(p, buf)) > len(buf)
}

// captures appends all captures; able is what able returns.
func captures(p *engine.Position, able uint64, buf []engine.Move) []engine.Move {
	own, opp := p.Own(), p.Opp()
	c := capturer{out: engine.NewCaptures(buf), opp: opp, crown: board.Crown[p.Side()]}
	all := board.All &^ (own | opp)
	men := own &^ p.Kings & able
	going := going(men, opp, all, able)
	for kings := own & p.Kings; kings != 0; kings &= kings - 1 {
		at := kings & -kings
		c.begin(at, all|at, false)
		c.king(engine.Square(bits.TrailingZeros64(at)), 0)
		c.finish()
	}
	for men := going; men != 0; men &= men - 1 {
		at := men & -men
		c.begin(at, all|at, true)
		c.man(at, 0)
		c.finish()
	}
	men &^= going
	c.out.Hops(men<<8&(opp<<4)&all, 4, engine.ManCaptures, 0)
	c.out.Hops(men>>8&(opp>>4)&all, -4, engine.ManCaptures, 0)
	c.out.Hops(men<<10&(opp<<5)&all, 5, engine.ManCaptures, 0)
	c.out.Hops(men>>10&(opp>>5)&all, -5, engine.ManCaptures, 0)
	return c.out.Moves
}

// steps appends a man's move to each of the given squares, from the square that
// lies back beyond it; on a base rank the man becomes a king (R8).
func steps(buf []engine.Move, to uint64, back int) []engine.Move {
	if last := to & (rank1 | rank8); last != 0 {
		buf = engine.Steps(buf, last, back, engine.ManPromotes)
	}
	return engine.Steps(buf, to&^(rank1|rank8), back, engine.QuietMan)
}

// markRoad tells moves after which the main road is still held (R10).
func markRoad(p *engine.Position, moves []engine.Move) {
	for i := range moves {
		if q := p.Make(moves[i]); onRoad(&q) {
			moves[i].Effect |= engine.KeepsRoad
		}
	}
}

// capturer follows the captures of one piece after the other.
type capturer struct {
	out   engine.Captures
	opp   uint64
	crown uint64
	empty uint64 // with the square the piece comes from (G1)
	from  engine.Square
	isMan bool
	steps int
}

// begin prepares for the captures of one piece.
func (c *capturer) begin(from, empty uint64, isMan bool) {
	c.from, c.empty, c.isMan, c.steps = engine.Square(bits.TrailingZeros64(from)), empty, isMan, 0
}

// finish does the work another way if it was given up.
func (c *capturer) finish() {
	if c.steps > engine.ManySteps {
		sweep := engine.Sweep{Capture: rays, From: c.from, King: !c.isMan, Opp: c.opp, Empty: c.empty, Crown: c.crown, Choice: true}
		sweep.Each(c.end)
	}
}

// man goes on capturing from at, one square (R3). A man that lands on the enemy
// base goes on as a king (R8). A capture that cannot go on ends at at. Captured
// pieces stay on the board (G2), but cannot be captured again.
func (c *capturer) man(at, captured uint64) {
	opp, more := c.opp&^captured, false
	hop := func(over, land uint64) {
		if over&opp != 0 && land&c.empty != 0 {
			more = true
			c.jump(land, captured|over)
		}
	}
	hop(at<<4, at<<8)
	hop(at>>4, at>>8)
	hop(at<<5, at<<10)
	hop(at>>5, at>>10)
	if !more && captured != 0 {
		c.end(engine.Square(bits.TrailingZeros64(at)), captured, false)
	}
}

// jump goes on with a man that has landed.
func (c *capturer) jump(land, captured uint64) {
	if c.stop() {
		return
	}
	if land&c.crown == 0 {
		c.man(land, captured)
		return
	}
	if to := engine.Square(bits.TrailingZeros64(land)); !c.king(to, captured) {
		c.end(to, captured, true)
	}
}

// king goes on capturing from at (R5) and reports whether it could. Of the
// landing squares behind a piece those from which the capture goes on are the
// only ones, if there are any (R7).
func (c *capturer) king(at engine.Square, captured uint64) bool {
	more := false
	for d := range rays.N {
		hit := rays.Line[d][at&63] &^ c.empty
		if hit == 0 {
			continue
		}
		over := rays.First(d, hit)
		if over.Bit()&c.opp&^captured == 0 {
			continue
		}
		landings := rays.Until(d, over, ^c.empty)
		if landings == 0 {
			continue
		}
		if !more && c.stop() {
			return true
		}
		more = true
		taken, last := captured|over.Bit(), true
		for set := landings; set != 0; set &= set - 1 {
			if c.king(engine.Square(bits.TrailingZeros64(set)), taken) {
				last = false
			}
		}
		for ; last && landings != 0; landings &= landings - 1 {
			c.end(engine.Square(bits.TrailingZeros64(landings)), taken, true)
		}
	}
	return more
}

// end records a capture that ends at to, as a king or as a man.
func (c *capturer) end(to engine.Square, captured uint64, king bool) {
	effect := engine.ManCaptures
	switch {
	case king && c.isMan:
		effect = engine.CapturePromotes
	case king:
		effect = engine.KingCaptures
	}
	c.out.Add(engine.NewMove(c.from, to, captured, effect), 0)
}

// stop reports whether the captures of the piece have become so many that they
// must be found another way.
func (c *capturer) stop() bool {
	c.steps++
	return c.steps > engine.ManySteps
}
