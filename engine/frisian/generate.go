package frisian

import (
	"math/bits"

	"draughtlab/engine"
)

// Generate appends the legal moves of p to buf: the most valuable captures
// (F6, F7) or, where there is none, quiet moves (F2, F4, F9).
func Generate(p *engine.Position, buf []engine.Move) []engine.Move {
	own, opp := p.Own(), p.Opp()
	empty := board.All &^ (own | opp)
	men, kings := own&^p.Kings, own&p.Kings
	if able := able(opp, empty); men&able|kings != 0 {
		base := len(buf)
		if buf = captures(p, able, buf); len(buf) > base {
			if p.SinceChange() == sevenMoves-1 && p.Count() == 3 && p.Kings == own|opp {
				engine.KeepCount(buf[base:])
			}
			return buf
		}
	}
	by6, by7 := targets(p.Side(), men, empty)
	back := 1 - 2*int(p.Side()) // White moves to lower squares
	buf = steps(buf, by6, 6*back)
	buf = steps(buf, by7, 7*back)
	return kingMoves(p, men, kings, buf)
}

// able returns the squares from which a man can capture: those with an enemy
// beside them and an empty square right behind it (F3).
func able(opp, empty uint64) uint64 {
	return opp>>1&(empty>>2) | opp<<1&(empty<<2) | opp>>6&(empty>>12) | opp<<6&(empty<<12) |
		opp>>7&(empty>>14) | opp<<7&(empty<<14) | opp>>13&(empty>>26) | opp<<13&(empty<<26)
}

// going returns the men whose capture may go on: those of which a first capture
// ends on an able square. (None can turn back over the piece just captured: it
// comes from there.)
func going(men, opp, empty, able uint64) uint64 {
	empty &= able
	return men & (opp>>1&(empty>>2) | opp<<1&(empty<<2) | opp>>6&(empty>>12) | opp<<6&(empty<<12) |
		opp>>7&(empty>>14) | opp<<7&(empty<<14) | opp>>13&(empty>>26) | opp<<13&(empty<<26))
}

// targets returns the squares to which men can step, one square diagonally
// forward (F2), by 6 and 7 squares.
func targets(side engine.Color, men, empty uint64) (by6, by7 uint64) {
	if side == engine.White {
		return men >> 6 & empty, men >> 7 & empty
	}
	return men << 6 & empty, men << 7 & empty
}

// Count returns the number of legal moves of p. It needs no list without
// kings, if no capture goes on; otherwise buf is room for one.
func Count(p *engine.Position, buf []engine.Move) int {
	own, opp := p.Own(), p.Opp()
	empty := board.All &^ (own | opp)
	able := able(opp, empty)
	if own&p.Kings != 0 || own&able != 0 && (p.Kings != 0 || going(own, opp, empty, able) != 0) {
		return len(Generate(p, buf)) - len(buf)
	}
	if own&able != 0 {
		return bits.OnesCount64(own<<2&(opp<<1)&empty) + bits.OnesCount64(own>>2&(opp>>1)&empty) +
			bits.OnesCount64(own<<12&(opp<<6)&empty) + bits.OnesCount64(own>>12&(opp>>6)&empty) +
			bits.OnesCount64(own<<14&(opp<<7)&empty) + bits.OnesCount64(own>>14&(opp>>7)&empty) +
			bits.OnesCount64(own<<26&(opp<<13)&empty) + bits.OnesCount64(own>>26&(opp>>13)&empty)
	}
	by6, by7 := targets(p.Side(), own, empty)
	return bits.OnesCount64(by6) + bits.OnesCount64(by7)
}

// kingMoves appends the quiet moves of kings (F4), but for a king that has
// made three in a row while its side has men (F9).
func kingMoves(p *engine.Position, men, kings uint64, buf []engine.Move) []engine.Move {
	length, square := p.Run(p.Side())
	if men == 0 {
		length = 0
	} else if length == 3 {
		kings &^= square.Bit()
	}
	for ; kings != 0; kings &= kings - 1 {
		from := engine.Square(bits.TrailingZeros64(kings))
		effect := engine.QuietKing
		if men != 0 && from == square {
			effect |= engine.Run(length + 1)
		} else if men != 0 {
			effect |= engine.Run(1)
		}
		var to uint64
		for d := range diagonals.N {
			to |= diagonals.Until(d, from, p.Occupied())
		}
		buf = engine.Slides(buf, from, to, effect)
	}
	return buf
}

// steps appends a man's move to each of the given squares, from the square that
// lies back beyond it; on a base rank the man becomes a king (F8).
func steps(buf []engine.Move, to uint64, back int) []engine.Move {
	if last := to & (topRow | bottomRow); last != 0 {
		buf = engine.Steps(buf, last, back, engine.ManPromotes)
	}
	return engine.Steps(buf, to&^(topRow|bottomRow), back, engine.QuietMan)
}

const (
	topRow    = 0x1f         // squares 1-5
	bottomRow = topRow << 58 // squares 46-50
)

// CanCapture reports whether the given side could capture if it were to move.
func CanCapture(p *engine.Position, side engine.Color) bool {
	own, opp := p.Pieces[side&1], p.Pieces[side&1^1]
	empty := board.All &^ (own | opp)
	return own&^p.Kings&able(opp, empty) != 0 || rays.KingCaptures(own&p.Kings, opp, empty)
}

// CanMove reports whether p has a legal move. Seldom it needs room for a list.
func CanMove(p *engine.Position, buf []engine.Move) bool {
	own := p.Own()
	by6, by7 := targets(p.Side(), own&^p.Kings, board.All&^(own|p.Opp()))
	return by6|by7 != 0 || len(Generate(p, buf)) > len(buf)
}

// captures appends the captures of the highest value (F6, F7); able is what able
// returns.
func captures(p *engine.Position, able uint64, buf []engine.Move) []engine.Move {
	own, opp := p.Own(), p.Opp()
	c := capturer{out: engine.NewCaptures(buf), opp: opp, kings: p.Kings, crown: board.Crown[p.Side()]}
	all := board.All &^ (own | opp)
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
	c.hops(men<<2&(opp<<1)&all, 1)
	c.hops(men>>2&(opp>>1)&all, -1)
	c.hops(men<<12&(opp<<6)&all, 6)
	c.hops(men>>12&(opp>>6)&all, -6)
	c.hops(men<<14&(opp<<7)&all, 7)
	c.hops(men>>14&(opp>>7)&all, -7)
	c.hops(men<<26&(opp<<13)&all, 13)
	c.hops(men>>26&(opp>>13)&all, -13)
	return c.out.Moves
}

// hops adds captures of one piece by men that come to the given squares.
func (c *capturer) hops(land uint64, over int) {
	if land == 0 {
		return
	}
	kings := c.kings
	if over > 0 {
		kings <<= over & 63
	} else {
		kings >>= -over & 63
	}
	king, man := value(1, 1, false), value(1, 0, false)
	c.out.Hops(land&kings&^c.crown, over, engine.ManCaptures, king)
	c.out.Hops(land&kings&c.crown, over, engine.CapturePromotes, king)
	c.out.Hops(land&^kings&^c.crown, over, engine.ManCaptures, man)
	c.out.Hops(land&^kings&c.crown, over, engine.CapturePromotes, man)
}

// capturer follows the captures of one piece after the other.
type capturer struct {
	out   engine.Captures
	opp   uint64
	kings uint64
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

// man goes on capturing from at, one square (F3); if it cannot, the capture
// ends there and the man becomes a king if that is the enemy base (F8).
// Captured pieces stay on the board (G2), but cannot be captured again.
func (c *capturer) man(at, captured uint64) {
	opp, more := c.opp&^captured, false
	hop := func(over, land uint64) {
		if over&opp != 0 && land&c.empty != 0 {
			more = true
			c.jump(land, captured|over)
		}
	}
	hop(at<<1, at<<2)
	hop(at>>1, at>>2)
	hop(at<<6, at<<12)
	hop(at>>6, at>>12)
	hop(at<<7, at<<14)
	hop(at>>7, at>>14)
	hop(at<<13, at<<26)
	hop(at>>13, at>>26)
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

// kingFrom goes on capturing from at (F5); if it cannot, the capture ends there.
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
// a king there if that is the enemy base (F8).
func (c *capturer) end(to engine.Square, captured uint64, king bool) {
	effect := engine.ManCaptures
	switch {
	case king:
		effect = engine.KingCaptures
	case to.Bit()&c.crown != 0:
		effect = engine.CapturePromotes
	}
	c.out.Add(engine.NewMove(c.from, to, captured, effect), value(captured, c.kings, king))
}

// stop reports whether the captures of the piece have become so many that they
// must be found another way.
func (c *capturer) stop() bool {
	c.steps++
	return c.steps > engine.ManySteps
}
