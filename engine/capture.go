package engine

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
// valuable than m. Where captures may be chosen freely all values are 0.
func (c *Captures) Add(m Move, value int) {
	if value < c.best {
		return
	}
	if value > c.best {
		c.best, c.Moves = value, c.Moves[:c.base]
	}
	for i := len(c.Moves) - 1; i >= c.base && c.Moves[i].From() == m.From(); i-- {
		if c.Moves[i].Captured == m.Captured && c.Moves[i].To() == m.To() {
			return
		}
	}
	c.Moves = append(c.Moves, m)
}
