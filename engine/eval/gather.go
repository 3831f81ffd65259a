package eval

import (
	"math/bits"

	"draughtlab/engine"
)

// Limits that the arrays of a sample must hold; For panics beyond them.
const (
	maxScalars = 48
	maxStrips  = 4
	maxTables  = 1 << 16 / tableSize // an entry of any table has a number of 16 bits
)

// scalars are the values of the scalar features.
type scalars [maxScalars]int16

// sample is what the evaluation sees of the men of one position, but for the
// additive features.
type sample struct {
	phase int
	// What White has more than Black: the features freeStep to openBase.
	free, blocked, past, uneven, open int
	// pattern holds by colour and strip the entries of the pattern tables,
	// counted from the first entry of the first table, in lanes of 16 bits.
	pattern [2][maxStrips]uint64
}

// gather sets all of s.
func (f *Features) gather(p *engine.Position, s *sample) {
	white, black := p.Pieces[engine.White], p.Pieces[engine.Black]
	whiteMen, blackMen := white&^p.Kings, black&^p.Kings
	empty := f.board.All &^ (white | black)
	s.phase = min(bits.OnesCount64(white|black)*f.perMan, MaxPhase)
	free, blocked, past, uneven, open := f.men(engine.White, whiteMen, empty, black)
	free2, blocked2, past2, uneven2, open2 := f.men(engine.Black, blackMen, empty, white)
	s.free, s.blocked, s.past, s.uneven, s.open = free-free2, blocked-blocked2, past-past2, uneven-uneven2, open-open2
	f.read(whiteMen, blackMen, &s.pattern)
}

// gatherMen sets the additive features, to which each man of a side, as it
// sees them, adds its share whatever else is on the board.
func (f *Features) gatherMen(white, black uint64, all *scalars) {
	all[man] = more(white, black)
	out, advance := all[firstRank:], 0
	for y, rank := range f.ranks {
		n := more(white&rank, black&rank)
		advance += int(n) * y
		out[y] = n
	}
	all[tempo] = int16(advance)
	out = out[len(f.ranks):]
	for x, file := range f.files {
		out[x] = more(white&file, black&file)
	}
}

// gatherKings sets the features of kings.
func (f *Features) gatherKings(p *engine.Position, all *scalars) {
	white, black := p.Pieces[engine.White]&p.Kings, f.board.Rotate(p.Pieces[engine.Black]&p.Kings)
	all[king] = more(white, black)
	all[firstKing] = int16(min(bits.OnesCount64(white), 1) - min(bits.OnesCount64(black), 1))
	out := all[f.firstRing:]
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
// where each stands; opp are all pieces of the other side.
func (f *Features) men(c engine.Color, men, empty, opp uint64) (free, blocked, past, uneven, open int) {
	t := &f.steps[c&1]
	left, right := men&t[0].into(empty), men&t[1].into(empty)
	free, stuck := bits.OnesCount64(left)+bits.OnesCount64(right), men&^(left|right)
	if f.straight {
		able := men & t[2].into(empty)
		free, stuck = free+bits.OnesCount64(able), stuck&^able
	}
	if far := men & f.far[c&1]; far != 0 {
		past = bits.OnesCount64(far &^ f.below(t, opp))
	}
	uneven = bits.OnesCount64(men&f.left) - bits.OnesCount64(men&f.right)
	if men&f.base[c&1] == 0 {
		open = 1
	}
	return free, bits.OnesCount64(stuck), past, max(uneven, -uneven), open
}

// below returns the squares of the far half from which the steps of a man may
// lead to set, and set.
func (f *Features) below(t *[3]step, set uint64) uint64 {
	left, right, straight := t[0], t[1], t[2]
	if !f.straight {
		for range f.near - 1 {
			set |= left.into(set) | right.into(set)
		}
		return set
	}
	for range f.near - 1 {
		set |= left.into(set) | right.into(set) | straight.into(set)
	}
	return set
}
