package engine

import "math/bits"

// Rays holds the lines of a board for one set of directions. For direction d
// and square s, Line[d][s] are the squares met on the way to the edge.
type Rays struct {
	Line [8][64]uint64
	// Step[d][s] is the adjacent square, Jump[d][s] the one right behind it,
	// each 0 where the board ends.
	Step, Jump [8][64]uint64
	// N is the number of directions in use. Directions below Up run towards
	// higher squares, the others towards lower ones.
	N, Up int
}

// NewRays makes the rays of a board. Each direction is a step in files and
// ranks; on boards that use every other square an
// orthogonal step is two files or ranks.
func NewRays(b *Board, dirs [][2]int) *Rays {
	r := &Rays{N: len(dirs)}
	add := func(d [2]int, i int) {
		for _, s := range b.Squares() {
			x, y := b.XY(s)
			for n := 1; ; n++ {
				t, ok := b.At(x+n*d[0], y+n*d[1])
				if !ok {
					break
				}
				r.Line[i][s] |= t.Bit()
				switch n {
				case 1:
					r.Step[i][s] = t.Bit()
				case 2:
					r.Jump[i][s] = t.Bit()
				}
			}
		}
	}
	rising := func(d [2]int) bool {
		for _, s := range b.Squares() {
			x, y := b.XY(s)
			if t, ok := b.At(x+d[0], y+d[1]); ok {
				return t > s
			}
		}
		return false
	}
	i := 0
	for _, d := range dirs {
		if rising(d) {
			add(d, i)
			i++
		}
	}
	r.Up = i
	for _, d := range dirs {
		if !rising(d) {
			add(d, i)
			i++
		}
	}
	return r
}

// KingCaptures reports whether one of the kings could capture a piece of opp: the
// first piece on a line of it, with an empty square right behind.
func (r *Rays) KingCaptures(kings, opp, empty uint64) bool {
	for ; kings != 0; kings &= kings - 1 {
		at := bits.TrailingZeros64(kings)
		for d := range r.N {
			line := r.Line[d&7][at&63]
			if line&opp == 0 {
				continue
			}
			first := r.First(d, line&^empty)
			if opp&first.Bit() != 0 && r.Step[d&7][first&63]&empty != 0 {
				return true
			}
		}
	}
	return false
}

// First returns the nearest square of set, which must not be empty and lie on
// a ray of direction d.
func (r *Rays) First(d int, set uint64) Square {
	if d < r.Up {
		return Square(bits.TrailingZeros64(set))
	}
	return Square(63 - bits.LeadingZeros64(set))
}

// Until returns the empty squares of direction d from s up to the first
// occupied one.
func (r *Rays) Until(d int, s Square, occupied uint64) uint64 {
	line := r.Line[d&7][s&63]
	hit := line & occupied
	if hit == 0 {
		return line
	}
	first := r.First(d, hit)
	return line &^ r.Line[d&7][first&63] &^ first.Bit()
}
