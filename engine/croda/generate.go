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
	// C3: men with an enemy beside them and an empty square right behind it.
	able := men & (opp>>8&(empty>>16) | opp<<8&(empty<<16) |
		(opp&^fileA)>>1&((empty&^(fileA|fileA<<1))>>2) | (opp&^fileH)<<1&((empty&^(fileH|fileH>>1))<<2))
	if able|kings != 0 {
		c := capturer{out: engine.NewCaptures(buf), own: own, opp: opp, crown: board.Crown[p.Side&1]}
		for ; able != 0; able &= able - 1 {
			c.begin(engine.Square(bits.TrailingZeros64(able)), false)
		}
		for set := kings; set != 0; set &= set - 1 {
			c.begin(engine.Square(bits.TrailingZeros64(set)), true)
		}
		if c.out.Any() {
			return c.out.Moves
		}
	}
	buf = menMoves(p.Side, men, empty, buf)
	for ; kings != 0; kings &= kings - 1 {
		from := engine.Square(bits.TrailingZeros64(kings))
		for d := range rays.N {
			for to := rays.Until(d, from, ^empty); to != 0; to &= to - 1 {
				buf = append(buf, engine.Move{From: from, To: engine.Square(bits.TrailingZeros64(to)), Flags: engine.FlagKing})
			}
		}
	}
	return buf
}

// menMoves appends the steps of men: straight or diagonally forward (C2).
func menMoves(side engine.Color, men, empty uint64, buf []engine.Move) []engine.Move {
	if side == engine.White {
		buf = steps(men<<7&^fileH&empty, -7, buf)
		buf = steps(men<<8&empty, -8, buf)
		return steps(men<<9&^fileA&empty, -9, buf)
	}
	buf = steps(men>>7&^fileA&empty, 7, buf)
	buf = steps(men>>8&empty, 8, buf)
	return steps(men>>9&^fileH&empty, 9, buf)
}

// steps appends one man's move to each of the given squares, from the square
// that lies back away from it; on a base rank the man becomes a king (C7).
func steps(to uint64, back int, buf []engine.Move) []engine.Move {
	for ; to != 0; to &= to - 1 {
		t := bits.TrailingZeros64(to)
		m := engine.Move{From: engine.Square(t + back), To: engine.Square(t), Flags: engine.FlagMan}
		if to&-to&(rank1|rank8) != 0 {
			m.Flags |= engine.FlagKing | engine.FlagPromotes
		}
		buf = append(buf, m)
	}
	return buf
}

// capturer follows the captures of one position.
type capturer struct {
	out      engine.Captures
	own, opp uint64
	crown    uint64
	from     engine.Square
	occupied uint64 // without the moving piece (G1), with captured ones (G2)
	steps    int
}

// begin follows all captures of one piece.
func (c *capturer) begin(from engine.Square, king bool) {
	c.from, c.occupied, c.steps = from, (c.own|c.opp)&^from.Bit(), 0
	if king {
		c.king(from, 0)
	} else {
		c.man(from, 0)
	}
	if c.steps > engine.ManySteps {
		sweep := engine.Sweep{Capture: rays, From: from, King: king, Opp: c.opp, Empty: board.All &^ c.occupied}
		sweep.Each(c.end)
	}
}

// man goes on capturing from at (C3); if it cannot, the capture ends there
// and the man becomes a king if that is the enemy base (C7).
func (c *capturer) man(at engine.Square, captured uint64) {
	more := false
	for d := range rays.N {
		over, land := rays.Step[d][at&63], rays.Jump[d][at&63]
		if over&c.opp&^captured != 0 && land&^c.occupied != 0 {
			if !more && c.stop() {
				return
			}
			more = true
			c.man(engine.Square(bits.TrailingZeros64(land)), captured|over)
		}
	}
	if !more && captured != 0 {
		c.end(at, captured, false)
	}
}

// king goes on capturing from at (C5); if it cannot, the capture ends there.
func (c *capturer) king(at engine.Square, captured uint64) {
	more := false
	for d := range rays.N {
		hit := rays.Line[d][at&63] & c.occupied
		if hit == 0 {
			continue
		}
		over := rays.First(d, hit)
		if over.Bit()&c.opp&^captured == 0 {
			continue
		}
		for land := rays.Until(d, over, c.occupied); land != 0; land &= land - 1 {
			if !more && c.stop() {
				return
			}
			more = true
			c.king(engine.Square(bits.TrailingZeros64(land)), captured|over.Bit())
		}
	}
	if !more && captured != 0 {
		c.end(at, captured, true)
	}
}

// end records a capture that ends at to, by a man or by a king. A man becomes
// a king there if that is the enemy base (C7).
func (c *capturer) end(to engine.Square, captured uint64, king bool) {
	m := engine.Move{From: c.from, To: to, Captured: captured, Flags: engine.FlagMan}
	switch {
	case king:
		m.Flags = engine.FlagKing
	case to.Bit()&c.crown != 0:
		m.Flags |= engine.FlagKing | engine.FlagPromotes
	}
	c.out.Add(m, bits.OnesCount64(captured))
}

// stop reports whether the captures of the piece have become so many that they
// must be found another way.
func (c *capturer) stop() bool {
	c.steps++
	return c.steps > engine.ManySteps
}
