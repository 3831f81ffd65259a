package engine

import (
	"fmt"
	"math/bits"
	"strconv"
)

// Board is the geometry of a variant: which bits of a bitboard are squares,
// what they are called, and in which directions they touch.
type Board struct {
	// Size is the number of files and of ranks, 8 or 10.
	Size int
	// All holds every playable square.
	All uint64
	// Crown holds, by colour, the rank on which that side's men become kings:
	// the base rank of the opponent (C7, R8, F8).
	Crown [2]uint64
	// Numeric is true where squares are named by numbers (Frisian).
	Numeric bool

	top    Square     // highest square; 180 degrees' rotation is top-s
	index  [64]uint8  // square -> dataset bit
	square [64]Square // dataset bit -> square
	name   [64]string // square -> name
	byName map[string]Square
	xy     [64][2]int8
	at     map[[2]int8]Square
}

// NewBoard makes a board of size x size. square gives for each file x (0 is
// the left) and rank y (0 is White's base) the Square, or false where no piece
// may stand. With numeric, squares are numbered row by row from the top left,
// else they have chess names.
func NewBoard(size int, numeric bool, square func(x, y int) (Square, bool)) *Board {
	b := &Board{Size: size, Numeric: numeric, byName: map[string]Square{}, at: map[[2]int8]Square{}}
	number := 0
	for y := size - 1; y >= 0; y-- {
		for x := range size {
			s, ok := square(x, y)
			if !ok {
				continue
			}
			number++
			name, index := string(rune('a'+x))+strconv.Itoa(y+1), 8*y+x
			if numeric {
				name, index = strconv.Itoa(number), number-1
			}
			b.All |= s.Bit()
			b.name[s], b.byName[name] = name, s
			b.index[s], b.square[index] = uint8(index), s
			b.xy[s], b.at[[2]int8{int8(x), int8(y)}] = [2]int8{int8(x), int8(y)}, s
			b.top = max(b.top, s)
			if y == size-1 {
				b.Crown[White] |= s.Bit()
			}
			if y == 0 {
				b.Crown[Black] |= s.Bit()
			}
		}
	}
	return b
}

// Name returns the name of a square: "c3", or "28" on a numbered board.
func (b *Board) Name(s Square) string { return b.name[s&63] }

// Parse returns the square of that exact name.
func (b *Board) Parse(name string) (Square, error) {
	if s, ok := b.byName[name]; ok {
		return s, nil
	}
	return 0, fmt.Errorf("no square %q on this board", name)
}

// XY returns file and rank of a square, both from 0, a1 or the lower left
// corner being 0, 0.
func (b *Board) XY(s Square) (x, y int) { return int(b.xy[s&63][0]), int(b.xy[s&63][1]) }

// At returns the square at file x and rank y, if a piece may stand there.
func (b *Board) At(x, y int) (Square, bool) {
	s, ok := b.at[[2]int8{int8(x), int8(y)}]
	return s, ok
}

// Index returns the bit of a square in the bitboards of a dataset: 8*rank+file
// where squares have chess names (a1 is 0, h8 is 63), number-1 on a numbered
// board.
func (b *Board) Index(s Square) int { return int(b.index[s&63]) }

// Pack turns a bitboard of a Position into one of a dataset (see Index).
func (b *Board) Pack(bb uint64) uint64 {
	var out uint64
	for ; bb != 0; bb &= bb - 1 {
		out |= 1 << b.index[bits.TrailingZeros64(bb)]
	}
	return out
}

// Unpack is the inverse of Pack; it fails if a bit is not a square.
func (b *Board) Unpack(bb uint64) (uint64, error) {
	var out uint64
	for rest := bb; rest != 0; rest &= rest - 1 {
		out |= b.square[bits.TrailingZeros64(rest)].Bit()
	}
	if b.Pack(out) != bb {
		return 0, fmt.Errorf("bitboard %#x has a bit that is not a square", bb)
	}
	return out, nil
}

// Rotate turns a bitboard by 180 degrees: what White sees becomes what Black
// sees.
func (b *Board) Rotate(bb uint64) uint64 { return bits.Reverse64(bb) >> (63 - b.top) }

// RotateSquare turns one square by 180 degrees.
func (b *Board) RotateSquare(s Square) Square { return b.top - s }

// Squares lists the playable squares in dataset order.
func (b *Board) Squares() []Square {
	var out []Square
	for i := range 64 {
		if s := b.square[i]; b.All&s.Bit() != 0 && int(b.index[s]) == i {
			out = append(out, s)
		}
	}
	return out
}
