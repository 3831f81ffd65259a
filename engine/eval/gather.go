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
	b, white, black := f.board, &s.view[engine.White], &s.view[engine.Black]
	white.men, white.kings = p.Men(engine.White), p.Pieces[engine.White]&p.Kings
	white.oppMen, white.oppKings = p.Men(engine.Black), p.Pieces[engine.Black]&p.Kings
	black.men, black.kings = b.Rotate(white.oppMen), b.Rotate(white.oppKings)
	black.oppMen, black.oppKings = b.Rotate(white.men), b.Rotate(white.kings)
	s.phase = min(p.Count()*f.perMan, MaxPhase)
	s.scalar[sideToMove] = 1 - 2*int16(p.Side)
	f.addMen(white, 1, s)
	f.addMen(black, -1, s)
	if p.Kings != 0 {
		f.addKings(white, 1, s)
		f.addKings(black, -1, s)
	}
}

// count returns the number of squares in set.
func count(set uint64) int { return bits.OnesCount64(set) }

// addMen adds the scalar features of the men of one side, times sign.
func (f *Features) addMen(w *view, sign int, s *sample) {
	advance := 0
	out := s.scalar[firstRank:]
	for y, rank := range f.ranks {
		n := count(w.men&rank) * sign
		advance += n * y
		out[y] += int16(n)
	}
	out = out[len(f.ranks):]
	for x, file := range f.files {
		out[x] += int16(count(w.men&file) * sign)
	}
	opp := w.oppMen | w.oppKings
	empty := f.board.All &^ (w.men | w.kings | opp)
	free, mobile := 0, uint64(0)
	for _, t := range f.steps {
		able := w.men & t.back(empty)
		mobile |= able
		free += count(able)
	}
	s.scalar[man] += int16(count(w.men) * sign)
	s.scalar[tempo] += int16(advance)
	s.scalar[freeStep] += int16(free * sign)
	s.scalar[blockedMan] += int16(count(w.men&^mobile) * sign)
	if far := w.men & f.far; far != 0 {
		s.scalar[runaway] += int16(count(far&^f.guarded(opp)) * sign)
	}
	lr := count(w.men&f.left) - count(w.men&f.right)
	s.scalar[imbalance] += int16(max(lr, -lr) * sign)
	if w.men&f.ranks[0] == 0 {
		s.scalar[openBase] += int16(sign)
	}
}

// addKings adds the scalar features of the kings of one side, times sign.
func (f *Features) addKings(w *view, sign int, s *sample) {
	if w.kings == 0 {
		return
	}
	s.scalar[king] += int16(count(w.kings) * sign)
	s.scalar[firstKing] += int16(sign)
	out := s.scalar[firstRank+len(f.ranks)+len(f.files):]
	for i, ring := range f.rings {
		out[i] += int16(count(w.kings&ring) * sign)
	}
	if f.road != 0 {
		out[len(f.rings)] += int16(count(w.kings&f.road) * sign)
	}
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
