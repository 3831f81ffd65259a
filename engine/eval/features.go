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
	near        int        // the number of ranks in half of the board
	far         [2]uint64  // by colour: the half of the board that is nearer to the enemy
	base        [2]uint64  // by colour: its base rank
	steps       [2][3]step // by colour: of men, forward; the last one straight
	straight    bool       // the last one of them exists

	shift   []uint8            // by rank: its lowest square
	byPair  [2][maxPair]uint64 // by colour and set of men on a pair of ranks, where a rank has fewer than eight squares
	byRank  [2][256]rankDigits // by colour and set of men on a rank, where it has eight squares
	offset  [maxStrips]uint64  // by strip, in its lanes: the first entries of their tables
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
			f.far[engine.White] |= s.Bit()
		}
		if x == y && !all64 {
			f.road |= s.Bit()
		}
	}
	for _, rank := range f.ranks {
		f.shift = append(f.shift, uint8(bits.TrailingZeros64(rank)))
	}
	f.near = half
	f.far[engine.Black] = b.Rotate(f.far[engine.White])
	f.base = [2]uint64{f.ranks[0], b.Rotate(f.ranks[0])}
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
	if len(f.names) > maxScalars || len(f.strips) > maxStrips || f.tables > maxTables {
		panic(fmt.Sprintf("eval: %d scalar features, %d strips and %d tables in %s", len(f.names), len(f.strips), f.tables, v.Name))
	}
	return f
}

// findSteps sets the forward steps of men: diagonal, in Croda straight too.
// Black's are White's turned.
func (f *Features) findSteps(straight bool) {
	f.straight = straight
	for i, dx := range []int{-1, 1, 0} {
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
		f.steps[engine.White][i] = s
		f.steps[engine.Black][i] = step{from: f.board.Rotate(s.from), back: -s.back}
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
	var all scalars
	f.gather(p, &s)
	all[sideToMove] = 1 - 2*int16(p.Side())
	all[freeStep], all[blockedMan], all[runaway] = int16(s.free), int16(s.blocked), int16(s.past)
	all[imbalance], all[openBase] = int16(s.uneven), int16(s.open)
	f.gatherKings(p, &all)
	f.gatherMen(p.Men(engine.White), f.board.Rotate(p.Men(engine.Black)), &all)
	for i, v := range all[:len(f.names)] {
		if v != 0 {
			buf = append(buf, Term{Index: uint32(i), Value: v})
		}
	}
	for i, t := range f.strips {
		own, opp := s.pattern[engine.White][i], s.pattern[engine.Black][i]
		for _, l := range t.lanes {
			table := t.table + l.table
			a, b := int(uint16(own))-table*tableSize, int(uint16(opp))-table*tableSize
			own, opp = own>>16, opp>>16
			if a != b && a != 0 {
				buf = append(buf, Term{Index: f.patternIndex(table, a), Value: 1})
			}
			if a != b && b != 0 {
				buf = append(buf, Term{Index: f.patternIndex(table, b), Value: -1})
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
