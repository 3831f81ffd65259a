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
	able := able(men, opp, empty)
	if able|kings != 0 {
		base := len(buf)
		if buf = captures(p, able, kings, buf); len(buf) > base {
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

// able returns the men that can capture: those with an enemy beside them and an
// empty square right behind it (C3).
func able(men, opp, empty uint64) uint64 {
	return men & (opp>>8&(empty>>16) | opp<<8&(empty<<16) |
		(opp&^fileA)>>1&((empty&^(fileA|fileA<<1))>>2) | (opp&^fileH)<<1&((empty&^(fileH|fileH>>1))<<2))
}

// targets returns the squares to which men can step: straight or diagonally
// forward (C2), by 7, 8 and 9 squares.
func targets(side engine.Color, men, empty uint64) (by7, by8, by9 uint64) {
	if side == engine.White {
		return men << 7 &^ fileH & empty, men << 8 & empty, men << 9 &^ fileA & empty
	}
	return men >> 7 &^ fileA & empty, men >> 8 & empty, men >> 9 &^ fileH & empty
}

// Count returns the number of legal moves of p. Without kings and captures it
// needs no list; otherwise buf is room for one.
func Count(p *engine.Position, buf []engine.Move) int {
	own, opp := p.Own(), p.Opp()
	empty := ^(own | opp)
	if own&p.Kings != 0 || able(own, opp, empty) != 0 {
		return len(Generate(p, buf)) - len(buf)
	}
	by7, by8, by9 := targets(p.Side(), own, empty)
	return bits.OnesCount64(by7) + bits.OnesCount64(by8) + bits.OnesCount64(by9)
}

// steps appends a man's move to each of the given squares, from the square that
// lies back beyond it; on a base rank the man becomes a king (C7).
func steps(buf []engine.Move, to uint64, back int) []engine.Move {
	if last := to & (rank1|rank8); last != 0 {
		buf = engine.Steps(buf, last, back, engine.ManPromotes)
	}
	return engine.Steps(buf, to&^(rank1|rank8), back, engine.QuietMan)
}

// captures appends the captures of the given men and kings that are worth most.
func captures(p *engine.Position, men, kings uint64, buf []engine.Move) []engine.Move {
	own, opp := p.Own(), p.Opp()
	c := capturer{out: engine.NewCaptures(buf), opp: opp, crown: board.Crown[p.Side()]}
	all := board.All &^ (own | opp)
	for ; men != 0; men &= men - 1 {
		at := men & -men
		c.begin(at, all|at, false)
		c.man(at, 0)
		c.finish()
	}
	for ; kings != 0; kings &= kings - 1 {
		at := kings & -kings
		c.begin(at, all|at, true)
		c.kingFrom(c.from, 0)
		c.finish()
	}
	return c.out.Moves
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
	jump := func(over, land uint64) {
		if over&opp != 0 && land&c.empty != 0 {
			more = true
			c.jump(land, captured|over)
		}
	}
	jump(at<<8, at<<16)
	jump(at>>8, at>>16)
	jump(at<<1, at&^(fileH|fileH>>1)<<2) // a file must be left on either side
	jump(at>>1, at&^(fileA|fileA<<1)>>2)
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
