package engine

import "math/bits"

// Captures gathers the captures of one position for a generator: it keeps the
// most valuable ones, each once (G4).
type Captures struct {
	// Moves is the caller's buffer followed by the captures kept.
	Moves []Move
	base  int
	best  int
}

// NewCaptures starts gathering behind the moves already in buf.
func NewCaptures(buf []Move) Captures { return Captures{Moves: buf, base: len(buf), best: -1} }

// Any reports whether a capture was found.
func (c *Captures) Any() bool { return len(c.Moves) > c.base }

// Add keeps m unless a more valuable capture is known, and drops what is less
// valuable than m. Where captures may be chosen freely all values are 0. The
// captures of one piece are added one after the other.
func (c *Captures) Add(m Move, value int) {
	if !c.worth(value) {
		return
	}
	for i := len(c.Moves) - 1; i >= c.base && c.Moves[i].From() == m.From(); i-- {
		if c.Moves[i].Captured == m.Captured && c.Moves[i].To() == m.To() {
			return
		}
	}
	c.Moves = append(c.Moves, m)
}

// Hops adds the captures, with effect e, of men that take one adjacent piece and
// end their move right behind it, on one of the squares of land; over is the
// step to that square, negative if it leads down.
func (c *Captures) Hops(land uint64, over int, e Effect, value int) {
	if land == 0 || !c.worth(value) {
		return
	}
	e -= Effect(2*over) << fromShift
	for ; land != 0; land &= land - 1 {
		to := bits.TrailingZeros64(land)
		c.Moves = append(c.Moves, Move{Square(to - over).Bit(), e + Effect(to)*(1<<fromShift+1)})
	}
}

// worth reports whether no more valuable capture is known, and drops those of
// less value.
func (c *Captures) worth(value int) bool {
	if value > c.best {
		c.best, c.Moves = value, c.Moves[:c.base]
	}
	return value == c.best
}
