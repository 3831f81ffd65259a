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
	for i := len(c.Moves) - 1; i >= c.base && c.Moves[i].From == m.From; i-- {
		if c.Moves[i].Captured == m.Captured && c.Moves[i].To == m.To {
			return
		}
	}
	c.Moves = append(c.Moves, m)
}

// ManySteps is the number of jumps after which a generator begins the captures
// of a piece again with a Visited table. Positions from games stay far below.
const ManySteps = 2000

// Visited remembers at which square and with which captured pieces a capture
// has been before, so that circular routes are followed once and not once for
// every order of their jumps. A full table only forgets. The nil table
// remembers nothing.
type Visited struct {
	n     int
	table [4096]struct {
		captured uint64
		square   Square
	}
}

// Seen reports whether the state was seen before, and remembers it. captured
// must not be empty.
func (v *Visited) Seen(s Square, captured uint64) bool {
	if v == nil {
		return false
	}
	for i := mix(captured, uint64(s)+1); ; i++ {
		e := &v.table[i%uint64(len(v.table))]
		switch {
		case e.captured == captured && e.square == s:
			return true
		case e.captured == 0:
			if v.n < len(v.table)*3/4 {
				v.n++
				e.captured, e.square = captured, s
			}
			return false
		}
	}
}
