package eval

import (
	"math/bits"

	"draughtlab/engine"
)

// Limits that the arrays of a sample must hold; For panics beyond them.
const (
	maxScalars  = 48
	maxReadings = 16
	maxRanks    = 10
)

// sample is what the evaluation sees of one position.
type sample struct {
	view   [2]view // by colour
	phase  int
	scalar [maxScalars]int16
	// pattern holds entries of the pattern tables, by colour.
	pattern [2][maxReadings]uint32
}

// view is the board as one side sees it, with its own base rank below.
type view struct{ men, kings, oppMen, oppKings uint64 }

// gather sets the views, phase and scalar features of s, which must be zero.
func (f *Features) gather(p *engine.Position, s *sample) {
	board, w, b := f.board, &s.view[engine.White], &s.view[engine.Black]
	w.men, w.kings = p.Men(engine.White), p.Pieces[engine.White]&p.Kings
	w.oppMen, w.oppKings = p.Men(engine.Black), p.Pieces[engine.Black]&p.Kings
	b.men, b.kings = board.Rotate(w.oppMen), board.Rotate(w.oppKings)
	b.oppMen, b.oppKings = board.Rotate(w.men), board.Rotate(w.kings)
	s.phase = min(p.Count()*f.perMan, MaxPhase)
	s.scalar[man] = more(w.men, b.men)
	s.scalar[sideToMove] = 1 - 2*int16(p.Side)
	out, advance := s.scalar[firstRank:], 0
	for y, rank := range f.ranks {
		n := more(w.men&rank, b.men&rank)
		advance += int(n) * y
		out[y] = n
	}
	s.scalar[tempo] = int16(advance)
	out = out[len(f.ranks):]
	for x, file := range f.files {
		out[x] = more(w.men&file, b.men&file)
	}
	white, black := f.men(w), f.men(b)
	s.scalar[freeStep] = int16(white.free - black.free)
	s.scalar[blockedMan] = int16(white.blocked - black.blocked)
	s.scalar[runaway] = int16(white.runaway - black.runaway)
	s.scalar[imbalance] = int16(white.imbalance - black.imbalance)
	s.scalar[openBase] = int16(white.openBase - black.openBase)
	if p.Kings != 0 {
		f.gatherKings(w.kings, b.kings, s)
	}
}

// gatherKings sets the features of kings, each side's as it sees them.
func (f *Features) gatherKings(white, black uint64, s *sample) {
	s.scalar[king] = more(white, black)
	s.scalar[firstKing] = int16(min(bits.OnesCount64(white), 1) - min(bits.OnesCount64(black), 1))
	out := s.scalar[firstRank+len(f.ranks)+len(f.files):]
	for i, ring := range f.rings {
		out[i] = more(white&ring, black&ring)
	}
	if f.road != 0 {
		out[len(f.rings)] = more(white&f.road, black&f.road)
	}
}

// more returns how many more squares a holds than b.
func more(a, b uint64) int16 { return int16(bits.OnesCount64(a) - bits.OnesCount64(b)) }

// menCounts are features of the men of one side.
type menCounts struct{ free, blocked, runaway, imbalance, openBase int }

// men counts the features of the men of one side that depend on more than
// where they stand.
func (f *Features) men(w *view) (c menCounts) {
	opp := w.oppMen | w.oppKings
	empty := f.board.All &^ (w.men | w.kings | opp)
	var mobile uint64
	for _, t := range f.steps {
		able := w.men & t.back(empty)
		mobile |= able
		c.free += bits.OnesCount64(able)
	}
	c.blocked = bits.OnesCount64(w.men &^ mobile)
	if far := w.men & f.far; far != 0 {
		c.runaway = bits.OnesCount64(far &^ f.guarded(opp))
	}
	c.imbalance = bits.OnesCount64(w.men&f.left) - bits.OnesCount64(w.men&f.right)
	c.imbalance = max(c.imbalance, -c.imbalance)
	if w.men&f.ranks[0] == 0 {
		c.openBase = 1
	}
	return c
}

// guarded returns the squares of the far half from which a man that steps
// forward may yet meet a piece of set.
func (f *Features) guarded(set uint64) uint64 {
	set &= f.far
	for range len(f.rings) - 1 {
		next := set
		for _, t := range f.steps {
			next |= t.back(set)
		}
		set = next
	}
	return set
}
