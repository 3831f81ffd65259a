package croda

import (
	"math/bits"

	"draughtlab/engine"
)

// Generate appends the legal moves of p to buf: captures that take the most
// pieces (C6) or, where there is none, quiet moves (C2, C4).
func Generate(p *engine.Position, buf []engine.Move) []engine.Move {
	own, opp := p.Own(), p.Opp()
	empty := ^(own | opp)
	men, kings := own&^p.Kings, own&p.Kings
	if able := able(opp, empty); men&able|kings != 0 {
		base := len(buf)
		if buf = captures(p, able, buf); len(buf) > base {
			return buf
		}
	}
	by7, by8, by9 := targets(p.Side(), men, empty)
	back := 2*int(p.Side()) - 1 // White moves up
	buf = steps(buf, by7, 7*back)
	buf = steps(buf, by8, 8*back)
	buf = steps(buf, by9, 9*back)
	for ; kings != 0; kings &= kings - 1 {
		from := engine.Square(bits.TrailingZeros64(kings))
		var to uint64
		for d := range rays.N {
			to |= rays.Until(d, from, ^empty)
		}
		buf = engine.Slides(buf, from, to, engine.QuietKing)
	}
	return buf
}

// able returns the squares from which a man can capture: those with an enemy
// beside them and an empty square right behind it (C3).
func able(opp, empty uint64) uint64 {
	return opp>>8&(empty>>16) | opp<<8&(empty<<16) | opp>>1&(empty&^filesAB>>2) | opp<<1&(empty&^filesGH<<2)
}

// going returns the men whose capture may go on: those of which a first capture
// ends on an able square. (None can turn back over the piece just captured: it
// comes from there.)
func going(men, opp, empty, able uint64) uint64 {
	empty &= able
	return men & (opp>>8&(empty>>16) | opp<<8&(empty<<16) | opp>>1&(empty&^filesAB>>2) | opp<<1&(empty&^filesGH<<2))
}

// targets returns the squares to which men can step: straight or diagonally
// forward (C2), by 7, 8 and 9 squares.
func targets(side engine.Color, men, empty uint64) (by7, by8, by9 uint64) {
	if side == engine.White {
		return men << 7 &^ fileH & empty, men << 8 & empty, men << 9 &^ fileA & empty
	}
	return men >> 7 &^ fileA & empty, men >> 8 & empty, men >> 9 &^ fileH & empty
}

// Count returns the number of legal moves of p. It needs no list without kings,
// if no capture goes on; otherwise buf is room for one.
func Count(p *engine.Position, buf []engine.Move) int {
	own, opp := p.Own(), p.Opp()
	empty := ^(own | opp)
	able := able(opp, empty)
	if own&p.Kings != 0 || going(own, opp, empty, able) != 0 {
		return len(Generate(p, buf)) - len(buf)
	}
	if own&able != 0 {
		return bits.OnesCount64(own<<16&(opp<<8)&empty) + bits.OnesCount64(own>>16&(opp>>8)&empty) +
			bits.OnesCount64(own&^filesGH<<2&(opp<<1)&empty) + bits.OnesCount64(own&^filesAB>>2&(opp>>1)&empty)
	}
	by7, by8, by9 := targets(p.Side(), own, empty)
	return bits.OnesCount64(by7) + bits.OnesCount64(by8) + bits.OnesCount64(by9)
}

// steps appends a man's move to each of the given squares, from the square that
// lies back beyond it; on a base rank the man becomes a king (C7).
func steps(buf []engine.Move, to uint64, back int) []engine.Move {
	if last := to & (rank1 | rank8); last != 0 {
		buf = engine.Steps(buf, last, back, engine.ManPromotes)
	}
	return engine.Steps(buf, to&^(rank1|rank8), back, engine.QuietMan)
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
	by7, by8, by9 := targets(p.Side(), own&^p.Kings, board.All&^(own|p.Opp()))
	return by7|by8|by9 != 0 || len(Generate(p, buf)) > len(buf)
}

// captures appends the captures that take the most pieces (C6); able is what
// able returns.
func captures(p *engine.Position, able uint64, buf []engine.Move) []engine.Move {
	own, opp := p.Own(), p.Opp()
	c := capturer{out: engine.NewCaptures(buf), opp: opp, crown: board.Crown[p.Side()]}
	all := ^(own | opp)
	men := own &^ p.Kings & able
	going := going(men, opp, all, able)
	for kings := own & p.Kings; kings != 0; kings &= kings - 1 {
		at := kings & -kings
		c.begin(at, all|at, true)
		c.kingFrom(c.from, 0)
		c.finish()
	}
	for men := going; men != 0; men &= men - 1 {
		at := men & -men
		c.begin(at, all|at, false)
		c.man(at, 0)
		c.finish()
	}
	men &^= going
	c.hops(men<<16&(opp<<8)&all, 8)
	c.hops(men>>16&(opp>>8)&all, -8)
	c.hops(men&^filesGH<<2&(opp<<1)&all, 1)
	c.hops(men&^filesAB>>2&(opp>>1)&all, -1)
	return c.out.Moves
}

// hops adds captures of one piece by men that come to the given squares.
func (c *capturer) hops(land uint64, over int) {
	c.out.Hops(land&^c.crown, over, engine.ManCaptures, 1)
	c.out.Hops(land&c.crown, over, engine.CapturePromotes, 1)
}

// capturer follows the captures of one piece after the other.
type capturer struct {
	out   engine.Captures
	opp   uint64
	crown uint64
	empty uint64 // with the square the piece comes from (G1)
	from  engine.Square
	king  bool
	steps int
}

// begin prepares for the captures of one piece.
func (c *capturer) begin(from, empty uint64, king bool) {
	c.from, c.empty, c.king, c.steps = engine.Square(bits.TrailingZeros64(from)), empty, king, 0
}

// finish does the work another way if it was given up.
func (c *capturer) finish() {
	if c.steps > engine.ManySteps {
		sweep := engine.Sweep{Capture: rays, From: c.from, King: c.king, Opp: c.opp, Empty: c.empty}
		sweep.Each(c.end)
	}
}

// man goes on capturing from at, one square (C3); if it cannot, the capture
// ends there and the man becomes a king if that is the enemy base (C7).
// Captured pieces stay on the board (G2), but cannot be captured again.
func (c *capturer) man(at, captured uint64) {
	opp, more := c.opp&^captured, false
	hop := func(over, land uint64) {
		if over&opp != 0 && land&c.empty != 0 {
			more = true
			c.jump(land, captured|over)
		}
	}
	hop(at<<8, at<<16)
	hop(at>>8, at>>16)
	hop(at<<1, at&^filesGH<<2)
	hop(at>>1, at&^filesAB>>2)
	if !more && captured != 0 {
		c.end(engine.Square(bits.TrailingZeros64(at)), captured, false)
	}
}

// jump goes on with a man that has landed.
func (c *capturer) jump(land, captured uint64) {
	if !c.stop() {
		c.man(land, captured)
	}
}

// kingFrom goes on capturing from at (C5); if it cannot, the capture ends there.
func (c *capturer) kingFrom(at engine.Square, captured uint64) {
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
		for land := rays.Until(d, over, ^c.empty); land != 0; land &= land - 1 {
			if !more && c.stop() {
				return
			}
			more = true
			c.kingFrom(engine.Square(bits.TrailingZeros64(land)), captured|over.Bit())
		}
	}
	if !more && captured != 0 {
		c.end(at, captured, true)
	}
}

// end records a capture that ends at to, by a man or by a king. A man becomes
// a king there if that is the enemy base (C7).
func (c *capturer) end(to engine.Square, captured uint64, king bool) {
	effect := engine.ManCaptures
	switch {
	case king:
		effect = engine.KingCaptures
	case to.Bit()&c.crown != 0:
		effect = engine.CapturePromotes
	}
	c.out.Add(engine.NewMove(c.from, to, captured, effect), bits.OnesCount64(captured))
}

// stop reports whether the captures of the piece have become so many that they
// must be found another way.
func (c *capturer) stop() bool {
	c.steps++
	return c.steps > engine.ManySteps
}
