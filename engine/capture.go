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
// every order of their jumps. The nil table remembers nothing. It grows on the
// heap only behind tens of thousands of states, which takes a position composed
// for it, and from maxVisited on it forgets.
type Visited struct {
	n     int
	grown []visit // in use instead of first, once that is full
	first [1 << 16]visit
}

// visit is an entry of the table, free while captured is empty.
type visit struct {
	captured uint64
	square   Square
}

// maxVisited is the greatest number of entries: 64 MiB.
const maxVisited = 1 << 22

// Seen reports whether the state was seen before, and remembers it. captured
// must not be empty.
func (v *Visited) Seen(s Square, captured uint64) bool {
	if v == nil {
		return false
	}
	table := v.grown
	if table == nil {
		table = v.first[:]
	}
	e := find(table, visit{captured, s})
	if e.captured != 0 {
		return true
	}
	if v.n < len(table)/4*3 {
		*e = visit{captured, s}
		v.n++
	} else if len(table) < maxVisited {
		v.grown = make([]visit, 4*len(table))
		for _, old := range table {
			if old.captured != 0 {
				*find(v.grown, old) = old
			}
		}
		*find(v.grown, visit{captured, s}) = visit{captured, s}
		v.n++
	}
	return false
}

// find returns the entry of a table that holds want, or the free one where it
// belongs. The length of a table is a power of two.
func find(table []visit, want visit) *visit {
	mask := uint64(len(table) - 1)
	for i := mix(want.captured, uint64(want.square)+1); ; i++ {
		if e := &table[i&mask]; *e == want || e.captured == 0 {
			return e
		}
	}
}
