package engine

import (
	"math/bits"
	"sync"
)

// ManySteps is the number of jumps after which a generator gives a piece to
// Sweep. Positions from games stay far below.
const ManySteps = 500

// Sweep finds the captures of one piece that can go round in very many ways.
// It does not follow routes: for each set of captured pieces it keeps the
// squares on which the piece may then stand, and goes from the sets of n
// pieces to those of n+1. So all orders of the same jumps cost as much as one.
// That is possible because captured pieces stay on the board (G2): what can
// be jumped from where does not change while the piece is under way.
type Sweep struct {
	Capture *Rays
	From    Square
	King    bool
	// Opp are the pieces to capture, Empty the empty squares of the board, From
	// among them (G1).
	Opp, Empty uint64
	// Crown is where a man becomes a king in passing (R8), 0 where it does not.
	Crown uint64
	// Choice: of the landing squares behind a piece those from which the
	// capture goes on are the only ones, if there are any (R7).
	Choice bool
}

// Each calls end for each capture that cannot go on, more pieces first; king
// tells whether the piece is a king there. Each square and set of captured
// pieces occurs once, with Choice sometimes more than once.
func (s *Sweep) Each(end func(to Square, captured uint64, king bool)) {
	m := sweepMemory.Get().(*sweepTables)
	defer sweepMemory.Put(m)
	s.crossings(&m.man, false)
	s.crossings(&m.king, true)
	m.ends = m.ends[:0]
	now, next := &m.layers[0], &m.layers[1]
	now.clear()
	now.add(0, s.From.Bit(), s.King)
	for len(now.sets) > 0 {
		next.clear()
		for _, set := range now.sets {
			stop := set.squares &^ s.step(m, set, next)
			if stop != 0 && set.captured != 0 {
				m.ends = append(m.ends, capturedSet{set.captured, stop, set.king})
			}
		}
		now, next = next, now
	}
	for i := len(m.ends) - 1; i >= 0; i-- {
		set := m.ends[i]
		for to := set.squares; to != 0; to &= to - 1 {
			end(Square(bits.TrailingZeros64(to)), set.captured, set.king)
		}
	}
}

// step adds to next what one more jump makes of set, and returns the squares
// of set from which there is one. With Choice it adds the jumps that are the
// last to the ends.
func (s *Sweep) step(m *sweepTables, set capturedSet, next *layer) (on uint64) {
	ways := m.ways(set.king)
	able := ways.from(set.squares)
	for w, word := range able {
		for ; word != 0; word &= word - 1 {
			c := &ways.all[64*w+bits.TrailingZeros64(word)]
			if c.over&set.captured != 0 {
				continue
			}
			on |= c.from & set.squares
			captured, king, to := set.captured|c.over, set.king || c.to&s.Crown != 0, c.to
			if s.Choice {
				if to = m.ways(king).on(to, captured); to == 0 {
					m.ends = append(m.ends, capturedSet{captured, c.to, king})
					continue
				}
			}
			next.add(captured, to, king)
		}
	}
	return on
}

// crossing is a piece that can be jumped in one direction, the squares from
// which it can and those on which the jump may end.
type crossing struct{ over, from, to uint64 }

// crossings are all ways of jumping a piece, as a man or as a king.
type crossings struct {
	all []crossing
	at  [64]crossingSet // by square, those from it
}

// crossingSet is a set of positions in crossings.all: at most one for each
// direction and piece.
type crossingSet [8]uint64

// from returns the crossings from any of the squares.
func (c *crossings) from(squares uint64) (set crossingSet) {
	for ; squares != 0; squares &= squares - 1 {
		at := &c.at[bits.TrailingZeros64(squares)]
		for w := range (len(c.all) + 63) / 64 {
			set[w&7] |= at[w&7]
		}
	}
	return set
}

// on returns those of the squares from which a piece can be jumped that is not
// yet captured.
func (c *crossings) on(squares, captured uint64) (on uint64) {
	for w, word := range c.from(squares) {
		for ; word != 0; word &= word - 1 {
			if way := &c.all[64*w+bits.TrailingZeros64(word)]; way.over&captured == 0 {
				on |= way.from & squares
			}
		}
	}
	return on
}

// crossings finds all ways of jumping a piece.
func (s *Sweep) crossings(out *crossings, king bool) {
	var from [8][64]uint64
	for empty := s.Empty; empty != 0; empty &= empty - 1 {
		at := Square(bits.TrailingZeros64(empty))
		for d := range s.Capture.N {
			hit := s.Capture.Step[d][at] &^ s.Empty
			if king {
				hit = s.Capture.Line[d][at] &^ s.Empty
			}
			if hit != 0 {
				from[d][s.Capture.First(d, hit)] |= at.Bit()
			}
		}
	}
	out.all, out.at = out.all[:0], [64]crossingSet{}
	for d := range s.Capture.N {
		for opp := s.Opp; opp != 0; opp &= opp - 1 {
			over := Square(bits.TrailingZeros64(opp))
			to := s.Capture.Step[d][over] & s.Empty
			if king {
				to = s.Capture.Until(d, over, ^s.Empty)
			}
			if to == 0 {
				continue
			}
			n := len(out.all)
			for set := from[d][over]; set != 0; set &= set - 1 {
				out.at[bits.TrailingZeros64(set)][n/64] |= 1 << (n % 64)
			}
			out.all = append(out.all, crossing{over.Bit(), from[d][over], to})
		}
	}
}

// capturedSet is a set of captured pieces with the squares on which the moving
// piece may stand then.
type capturedSet struct {
	captured, squares uint64
	king              bool
}

// layer holds sets of equally many captured pieces, in the order in which they
// were found, and an index to find them by.
type layer struct {
	sets  []capturedSet
	index []int32 // position in sets plus 1, 0 where free; a power of two long
}

func (l *layer) clear() {
	l.sets, l.index = l.sets[:0], l.index[:0]
}

// add adds squares to the set of captured. That a man has become a king on the
// way (R8) is the same for all routes to it: a piece on the last rank but one
// can be captured by way of the base only.
func (l *layer) add(captured, squares uint64, king bool) {
	if 2*len(l.sets) >= len(l.index) {
		l.grow()
	}
	i := l.find(captured)
	if n := l.index[i]; n != 0 {
		l.sets[n-1].squares |= squares
		return
	}
	l.sets = append(l.sets, capturedSet{captured, squares, king})
	l.index[i] = int32(len(l.sets))
}

// find returns where in the index the set is, or belongs.
func (l *layer) find(captured uint64) uint64 {
	mask := uint64(len(l.index) - 1)
	for i := mix(captured, 1); ; i++ {
		if n := l.index[i&mask]; n == 0 || l.sets[n-1].captured == captured {
			return i & mask
		}
	}
}

// grow doubles the index.
func (l *layer) grow() {
	n := max(1024, 2*len(l.index))
	if cap(l.index) < n {
		l.index = make([]int32, n)
	} else {
		l.index = l.index[:n]
		clear(l.index)
	}
	for i, set := range l.sets {
		l.index[l.find(set.captured)] = int32(i) + 1
	}
}

// sweepTables are the tables of a Sweep, kept for the next one.
type sweepTables struct {
	layers    [2]layer
	ends      []capturedSet
	man, king crossings
}

func (m *sweepTables) ways(king bool) *crossings {
	if king {
		return &m.king
	}
	return &m.man
}

// sweepMemory saves allocating anew; nothing of its contents is ever read.
var sweepMemory = sync.Pool{New: func() any { return new(sweepTables) }}
