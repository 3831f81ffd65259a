package eval

import (
	"math/bits"

	"draughtlab/engine"
)

// Limits that the arrays of a sample must hold; For panics beyond them.
const (
	maxScalars = 48
	maxStrips  = 4
)

// sample is what the evaluation sees of one position.
type sample struct {
	phase  int
	scalar [maxScalars]int16
	// pattern holds by colour and strip the entries of the pattern tables, in
	// lanes of 16 bits.
	pattern [2][maxStrips]uint64
}

// gather sets all of s, which must be zero, but the additive features.
func (f *Features) gather(p *engine.Position, s *sample) {
	s.phase = min(p.Count()*f.perMan, MaxPhase)
	s.scalar[sideToMove] = 1 - 2*int16(p.Side())
	white, black, kings := p.Pieces[engine.White], p.Pieces[engine.Black], p.Kings
	// Black's view: each side has its own base rank below.
	turnedWhite, turnedBlack, turnedKings := f.board.Rotate(white), f.board.Rotate(black), f.board.Rotate(kings)
	if kings != 0 {
		f.gatherKings(white&kings, turnedBlack&turnedKings, s)
	}
	free, stuck, past, uneven, open := f.men(white&^kings, white, black)
	free2, stuck2, past2, uneven2, open2 := f.men(turnedBlack&^turnedKings, turnedBlack, turnedWhite)
	s.scalar[freeStep], s.scalar[blockedMan] = int16(free-free2), int16(stuck-stuck2)
	s.scalar[runaway], s.scalar[imbalance] = int16(past-past2), int16(uneven-uneven2)
	s.scalar[openBase] = int16(open - open2)
	f.read(white&^kings, black&^kings, &s.pattern[engine.White])
	f.read(turnedBlack&^turnedKings, turnedWhite&^turnedKings, &s.pattern[engine.Black])
}

// gatherMen sets the additive features, to which each man of a side, as it
// sees them, adds its share whatever else is on the board.
func (f *Features) gatherMen(white, black uint64, s *sample) {
	s.scalar[man] = more(white, black)
	out, advance := s.scalar[firstRank:], 0
	for y, rank := range f.ranks {
		n := more(white&rank, black&rank)
		advance += int(n) * y
		out[y] = n
	}
	s.scalar[tempo] = int16(advance)
	out = out[len(f.ranks):]
	for x, file := range f.files {
		out[x] = more(white&file, black&file)
	}
}

// gatherKings sets the features of kings, each side's as it sees them.
func (f *Features) gatherKings(white, black uint64, s *sample) {
	s.scalar[king] = more(white, black)
	s.scalar[firstKing] = int16(min(bits.OnesCount64(white), 1) - min(bits.OnesCount64(black), 1))
	out := s.scalar[f.firstRing:]
	for i, ring := range f.rings {
		out[i] = more(white&ring, black&ring)
	}
	if f.road != 0 {
		out[len(f.rings)] = more(white&f.road, black&f.road)
	}
}

// more returns how many more squares a holds than b.
func more(a, b uint64) int16 { return int16(bits.OnesCount64(a) - bits.OnesCount64(b)) }

// men counts the features of the men of one side that depend on more than
// where each stands; own and opp are the pieces of both sides.
func (f *Features) men(men, own, opp uint64) (free, blocked, past, uneven, open int) {
	empty := f.board.All &^ (own | opp)
	stuck := men
	for _, t := range f.steps {
		able := men & t.into(empty)
		stuck &^= able
		free += bits.OnesCount64(able)
	}
	for far := men & f.far; far != 0; far &= far - 1 {
		if f.ahead[bits.TrailingZeros64(far)]&opp == 0 {
			past++
		}
	}
	uneven = bits.OnesCount64(men&f.left) - bits.OnesCount64(men&f.right)
	if men&f.ranks[0] == 0 {
		open = 1
	}
	return free, bits.OnesCount64(stuck), past, max(uneven, -uneven), open
}
