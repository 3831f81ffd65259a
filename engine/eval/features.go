package eval

import (
	"fmt"
	"math/bits"
	"strings"

	"draughtlab/engine"
)

// MaxPhase is the phase of a full board; an empty one has phase 0. It is a
// multiple of the number of pieces all three games begin with (24, 40, 48).
const MaxPhase = 240

// Term is one feature of a position with its coefficient: what White has minus
// what Black has. The side to move is +1 for White, -1 for Black.
type Term struct {
	Index uint32
	Value int16
}

// Features describes what the evaluation of one game looks at. Its value never
// changes after For and may be shared by any number of goroutines.
type Features struct {
	board  *engine.Board
	names  []string // of the scalar features
	perMan int      // phase of one piece

	firstRing int // the first feature of kings by ring

	ranks       []uint64 // without the last one, where no man stands
	files       []uint64 // by distance from the left or right edge
	rings       []uint64 // by distance from the nearest edge
	road        uint64   // the long diagonal from the lower left, in games played on diagonals
	left, right uint64
	far         uint64     // the half of the board that is nearer to the enemy
	steps       []step     // of men, forward
	ahead       [64]uint64 // by square: those that the steps of a man may lead to

	shift   []uint8  // by rank: its lowest square
	pairs   [3]uint8 // by pair of ranks: its lowest square
	code    []code   // by set of men on a pair of ranks, shifted down
	mask    uint64   // of the squares of such sets
	single  bool     // ranks have eight squares: sets are of one rank
	used    uint64   // the bits of the lanes of the second strip
	strips  []strip
	regions []string // names, by table
	tables  int
}

// step is a man's quiet step in one forward direction.
type step struct {
	from uint64 // squares from which it stays on the board
	back int    // bits to the left (to the right if negative) that undo it
}

// into returns the squares from which the step leads into set.
func (s step) into(set uint64) uint64 { return bits.RotateLeft64(set, s.back) & s.from }

// The scalar features that come first, in all games.
const (
	man = iota
	king
	firstKing
	sideToMove
	tempo
	freeStep
	blockedMan
	runaway
	imbalance
	openBase
	firstRank // men by rank, file class, kings by ring and road follow
)

// For returns the features of a game, in an order that depends on the game
// only. Make it once and share it: it takes up to a millisecond.
func For(v *engine.Variant) *Features {
	b := v.Board
	f := &Features{board: b, perMan: MaxPhase / v.Start.Count()}
	f.names = []string{
		"man", "king", "first king", "side to move", "tempo", "free step", "blocked man", "runaway man", "imbalance", "open base rank",
	}
	all64 := bits.OnesCount64(b.All) == b.Size*b.Size // else every other square
	half := b.Size / 2
	f.ranks, f.files, f.rings = make([]uint64, b.Size), make([]uint64, half), make([]uint64, half)
	for _, s := range b.Squares() {
		x, y := b.XY(s)
		f.ranks[y] |= s.Bit()
		f.files[min(x, b.Size-1-x)] |= s.Bit()
		f.rings[min(x, y, b.Size-1-x, b.Size-1-y)] |= s.Bit()
		if x < half {
			f.left |= s.Bit()
		} else {
			f.right |= s.Bit()
		}
		if y >= half {
			f.far |= s.Bit()
		}
		if x == y && !all64 {
			f.road |= s.Bit()
		}
	}
	for _, rank := range f.ranks {
		f.shift = append(f.shift, uint8(bits.TrailingZeros64(rank)))
	}
	for i := range f.pairs {
		f.pairs[i] = min(f.shift[2*i], f.shift[2*i+1])
	}
	f.ranks = f.ranks[:b.Size-1]
	for i := range f.ranks {
		f.names = append(f.names, fmt.Sprintf("man on rank %d", i+1))
	}
	for i := range f.files {
		f.names = append(f.names, fmt.Sprintf("man on file %c or %c", 'a'+i, 'a'+b.Size-1-i))
	}
	f.firstRing = len(f.names)
	for i := range f.rings {
		f.names = append(f.names, fmt.Sprintf("king at distance %d from the edge", i))
	}
	if f.road != 0 {
		f.names = append(f.names, "king on the long diagonal")
	}
	f.findSteps(all64)
	f.addPatterns(v.Name)
	f.addCodes()
	if len(f.names) > maxScalars || len(f.strips) > maxStrips {
		panic(fmt.Sprintf("eval: %d scalar features and %d strips in %s", len(f.names), len(f.strips), v.Name))
	}
	return f
}

// findSteps sets the forward steps of men: diagonal, in Croda straight too.
func (f *Features) findSteps(straight bool) {
	for dx := -1; dx <= 1; dx++ {
		if dx == 0 && !straight {
			continue
		}
		var s step
		for _, from := range f.board.Squares() {
			x, y := f.board.XY(from)
			to, ok := f.board.At(x+dx, y+1)
			if !ok {
				continue
			}
			s.from |= from.Bit()
			s.back = int(from) - int(to)
		}
		f.steps = append(f.steps, s)
	}
	for _, from := range f.board.Squares() {
		x0, y0 := f.board.XY(from)
		for _, to := range f.board.Squares() {
			x, y := f.board.XY(to)
			if y > y0 && max(x-x0, x0-x) <= y-y0 {
				f.ahead[from] |= to.Bit()
			}
		}
	}
}

// Len returns the number of features.
func (f *Features) Len() int { return len(f.names) + f.tables*(tableSize-1) }

// Name returns the name of feature i, which is stable. Names speak of White;
// for Black the board is turned. In a pattern, squares are listed from the
// lower left to the upper right, o an own man, x an enemy man, - neither.
func (f *Features) Name(i int) string {
	if i < len(f.names) {
		return f.names[i]
	}
	i -= len(f.names)
	return "pattern " + f.regions[i/(tableSize-1)] + " " + patternText(i%(tableSize-1)+1)
}

func patternText(index int) string {
	var sb strings.Builder
	for range patternSquares {
		sb.WriteByte("-ox"[index%3])
		index /= 3
	}
	return sb.String()
}

// Trace appends the features of p that are not zero to buf, in ascending order
// of their index within the scalar ones and then pattern by pattern, and
// returns the phase, 0 to MaxPhase. An index may occur twice; its coefficients
// then add up.
func (f *Features) Trace(p *engine.Position, buf []Term) (terms []Term, phase int) {
	var s sample
	f.gather(p, &s)
	f.gatherMen(p.Men(engine.White), f.board.Rotate(p.Men(engine.Black)), &s)
	for i, v := range s.scalar[:len(f.names)] {
		if v != 0 {
			buf = append(buf, Term{Index: uint32(i), Value: v})
		}
	}
	for i, t := range f.strips {
		own, opp := s.pattern[engine.White][i], s.pattern[engine.Black][i]
		for _, l := range t.lanes {
			a, b, table := uint16(own), uint16(opp), t.table+l.table
			own, opp = own>>16, opp>>16
			if a != b && a != 0 {
				buf = append(buf, Term{Index: f.patternIndex(table, int(a)), Value: 1})
			}
			if a != b && b != 0 {
				buf = append(buf, Term{Index: f.patternIndex(table, int(b)), Value: -1})
			}
		}
	}
	return buf, s.phase
}

// patternIndex returns the feature of an entry of a table, which has one for
// the empty region too, entry 0, that is no feature.
func (f *Features) patternIndex(table, entry int) uint32 {
	return uint32(len(f.names) + table*(tableSize-1) + entry - 1)
}
