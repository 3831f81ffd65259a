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
	// R3: men with an enemy beside them and an empty square right behind it.
	able := men & (opp>>4&(empty>>8) | opp>>5&(empty>>10) | opp<<4&(empty<<8) | opp<<5&(empty<<10))
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
	base := len(buf)
	if p.Side == engine.White {
		buf = steps(men<<4&empty, -4, buf)
		buf = steps(men<<5&empty, -5, buf)
	} else {
		buf = steps(men>>4&empty, 4, buf)
		buf = steps(men>>5&empty, 5, buf)
	}
	if kings == 0 {
		return buf
	}
	for ; kings != 0; kings &= kings - 1 {
		from := engine.Square(bits.TrailingZeros64(kings))
		for d := range rays.N {
			for to := rays.Until(d, from, own|opp); to != 0; to &= to - 1 {
				buf = append(buf, engine.Move{From: from, To: engine.Square(bits.TrailingZeros64(to)), Flags: engine.FlagKing})
			}
		}
	}
	if bits.OnesCount64(own|opp) == 4 && onRoad(p) {
		markRoad(p, buf[base:])
	}
	return buf
}

// steps appends one man's move to each of the given squares, from the square
// that lies back away from it; on a base rank the man becomes a king (R8).
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

// markRoad tells moves after which the main road is still held (R10).
func markRoad(p *engine.Position, moves []engine.Move) {
	for i := range moves {
		if q := p.Make(moves[i]); onRoad(&q) {
			moves[i].Flags |= engine.FlagRoad
		}
	}
}

// capturer follows the captures of one position.
type capturer struct {
	out      engine.Captures
	own, opp uint64
	crown    uint64
	from     engine.Square
	occupied uint64 // without the moving piece (G1), with captured ones (G2)
	flags    uint8  // FlagMan for a man
	steps    int
}

// begin follows all captures of one piece.
func (c *capturer) begin(from engine.Square, king bool) {
	c.from, c.occupied, c.steps = from, (c.own|c.opp)&^from.Bit(), 0
	if c.flags = engine.FlagMan; king {
		c.flags = 0
	}
	if king {
		c.king(from, 0)
	} else {
		c.man(from, 0)
	}
	if c.steps > engine.ManySteps {
		sweep := engine.Sweep{Capture: rays, From: from, King: king, Opp: c.opp, Empty: board.All &^ c.occupied, Crown: c.crown, Choice: true}
		sweep.Each(c.end)
	}
}

// man goes on capturing from at (R3). A man that lands on the enemy base goes
// on as a king (R8). A capture that cannot go on ends at at.
func (c *capturer) man(at engine.Square, captured uint64) {
	more := false
	for d := range rays.N {
		over, land := rays.Step[d][at&63], rays.Jump[d][at&63]
		if over&c.opp&^captured == 0 || land == 0 || land&c.occupied != 0 {
			continue
		}
		if !more && c.stop() {
			return
		}
		more = true
		to := engine.Square(bits.TrailingZeros64(land))
		if land&c.crown == 0 {
			c.man(to, captured|over)
		} else if !c.king(to, captured|over) {
			c.end(to, captured|over, true)
		}
	}
	if !more && captured != 0 {
		c.end(at, captured, false)
	}
}

// king goes on capturing from at (R5) and reports whether it could. Of the
// landing squares behind a piece those from which the capture goes on are the
// only ones, if there are any (R7).
func (c *capturer) king(at engine.Square, captured uint64) bool {
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
		landings := rays.Until(d, over, c.occupied)
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
	m := engine.Move{From: c.from, To: to, Captured: captured, Flags: c.flags}
	if king {
		m.Flags |= engine.FlagKing
		if c.flags&engine.FlagMan != 0 {
			m.Flags |= engine.FlagPromotes
		}
	}
	c.out.Add(m, 0)
}

// stop reports whether the captures of the piece have become so many that they
// must be found another way.
func (c *capturer) stop() bool {
	c.steps++
	return c.steps > engine.ManySteps
}
