package endgame

import (
	"math/bits"

	"draughtlab/engine"
)

// slice is the index of one material with one side to move: a number for every
// state. A placement's number is the sum of what its pieces add, each group of
// like pieces being a combination of the squares where such a piece may stand
// (combinatorial number system); groups that overlap leave holes. A state's
// number is that of its placement, then of the runs, then of the clock.
type slice struct {
	ending *ending
	offset int // of the first state in the ending's codes

	count  [groups]int // pieces
	size   [groups]int // combinations
	stride [groups]int
	place  [groups][][64]int // what the j-th piece of a group adds on a square

	// lead is the group that decides which of two mirror images is kept, or
	// -1. It has an odd number of pieces, so more of them stand in one half of
	// the board, which must be the left one: no position is its own mirror
	// image. dense numbers its combinations without those left out.
	lead  int
	dense []int

	placements int
	runs       [2]int // of the side to move, of its opponent; 1 where none count
	clocks     int    // 1, or one more than the article's limit
}

// newSlice makes the index of the material m with White to move.
func newSlice(g *geometry, m Material, runs bool, limit int) *slice {
	s := &slice{count: [groups]int{m.White.Men, m.White.Kings, m.Black.Men, m.Black.Kings}, lead: -1, clocks: limit + 1, runs: [2]int{1, 1}}
	for i, f := range []Force{m.White, m.Black} {
		if runs && f.Men > 0 && f.Kings > 0 {
			s.runs[i] = 1 + 3*f.Kings
		}
	}
	if g.mirrored {
		for i, n := range s.count {
			if n%2 == 1 && (s.lead < 0 || n < s.count[s.lead]) {
				s.lead = i
			}
		}
	}
	s.placements = 1
	for i, n := range s.count {
		s.size[i], s.stride[i] = binomial(bits.OnesCount64(squares(g.board, i)), n), s.placements
		s.place[i] = places(squares(g.board, i), n)
		if i == s.lead {
			s.thin(g.board)
		} else {
			scale(s.place[i], s.stride[i])
		}
		s.placements *= s.size[i]
	}
	return s
}

// squares returns where a piece of a group may stand: no man on its crowning
// rank.
func squares(b *engine.Board, group int) uint64 {
	switch group {
	case ownMen:
		return b.All &^ b.Crown[engine.White]
	case oppMen:
		return b.All &^ b.Crown[engine.Black]
	}
	return b.All
}

// binomial returns n over k.
func binomial(n, k int) int {
	out := 1
	for i := range k {
		out = out * (n - i) / (i + 1)
	}
	return out
}

// places returns what each of n like pieces, in the order of squares, adds to
// the number of their combination.
func places(allowed uint64, n int) [][64]int {
	out := make([][64]int, n)
	for j := range out {
		k := 0
		for set := allowed; set != 0; set &= set - 1 {
			out[j][bits.TrailingZeros64(set)] = binomial(k, j+1)
			k++
		}
	}
	return out
}

// scale multiplies every entry.
func scale(place [][64]int, by int) {
	for j := range place {
		for i := range place[j] {
			place[j][i] *= by
		}
	}
}

// thin numbers the combinations of the lead group that are kept.
func (s *slice) thin(b *engine.Board) {
	s.dense = make([]int, s.size[s.lead])
	n := 0
	eachCombination(squares(b, s.lead), s.count[s.lead], func(rank int, set uint64) {
		if !rightHeavy(set) {
			s.dense[rank] = n * s.stride[s.lead]
			n++
		}
	})
	s.size[s.lead] = n
}

// rightHeavy reports whether most squares of an odd set are in the right half.
func rightHeavy(set uint64) bool {
	return 2*bits.OnesCount64(set&leftHalf) < bits.OnesCount64(set)
}

// eachCombination calls do with every set of n of the allowed squares, in the
// order of their numbers: by the highest square, then by the next.
func eachCombination(allowed uint64, n int, do func(rank int, set uint64)) {
	var square []uint64
	for set := allowed; set != 0; set &= set - 1 {
		square = append(square, set&-set)
	}
	rank := 0
	var below func(top, n int, set uint64)
	below = func(top, n int, set uint64) {
		if n == 0 {
			do(rank, set)
			rank++
			return
		}
		for i := n - 1; i < top; i++ {
			below(i, n-1, set|square[i])
		}
	}
	below(len(square), n, 0)
}

// combinations lists the sets of a group by number; of the lead group those
// that are kept.
func (s *slice) combinations(b *engine.Board, group int) []uint64 {
	var out []uint64
	eachCombination(squares(b, group), s.count[group], func(_ int, set uint64) {
		if group != s.lead || !rightHeavy(set) {
			out = append(out, set)
		}
	})
	return out
}

// extras is the number of states of a placement.
func (s *slice) extras() int { return s.runs[0] * s.runs[1] * s.clocks }

// states is the number of states.
func (s *slice) states() int { return s.placements * s.extras() }

// orient mirrors w if that is the image that is kept.
func (s *slice) orient(w *view) {
	if s.lead >= 0 && rightHeavy(w.set[s.lead]) {
		for i := range w.set {
			w.set[i] = mirror(w.set[i])
		}
	}
}

// placement numbers a placement; w must be oriented.
func (s *slice) placement(w *view) int {
	n := 0
	for i, set := range w.set {
		sum := 0
		for j := 0; set != 0; set, j = set&(set-1), j+1 {
			sum += s.place[i][j][bits.TrailingZeros64(set)]
		}
		if i == s.lead {
			sum = s.dense[sum]
		}
		n += sum
	}
	return n
}

// state numbers a state, orienting w.
func (s *slice) state(w *view) int {
	s.orient(w)
	n := s.placement(w)
	if s.runs != [2]int{1, 1} {
		own, opp := 0, 0
		if s.runs[0] > 1 {
			own = w.run[0].number(w.set[ownKings])
		}
		if s.runs[1] > 1 {
			opp = w.run[1].number(w.set[oppKings])
		}
		n = (n*s.runs[0]+own)*s.runs[1] + opp
	}
	if s.clocks > 1 {
		n = n*s.clocks + min(int(w.clock), s.clocks-1)
	}
	return n
}

// reader turns numbers of a slice into views.
type reader struct {
	*slice
	sets [groups][]uint64
}

// reader returns a reader; it costs the lists of combinations.
func (s *slice) reader(b *engine.Board) *reader {
	r := &reader{slice: s}
	for i := range r.sets {
		r.sets[i] = s.combinations(b, i)
	}
	return r
}

// view returns the state of that number, which may be a hole.
func (r *reader) view(state int) view {
	var w view
	n := state
	clock := n % r.clocks
	n /= r.clocks
	opp := n % r.runs[1]
	n /= r.runs[1]
	own := n % r.runs[0]
	n /= r.runs[0]
	for i := range w.set {
		w.set[i] = r.sets[i][n%r.size[i]]
		n /= r.size[i]
	}
	w.run = [2]run{runOf(w.set[ownKings], own), runOf(w.set[oppKings], opp)}
	w.clock = uint8(clock)
	return w
}
