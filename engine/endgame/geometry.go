package endgame

import (
	"math/bits"

	"draughtlab/engine"
)

// geometry is what the analysis must know of a game to take moves back. It is
// asked of the game's generator, with one piece on an empty board.
type geometry struct {
	board *engine.Board
	// kings are the lines of quiet king moves.
	kings *engine.Rays
	// manFrom holds, by square, the squares from which a man of the side to
	// move may have stepped there.
	manFrom [64]uint64
	// mirrored: the board is its own left-right mirror image.
	mirrored bool
	// runs: king runs count (F9).
	runs bool
}

// newGeometry asks the generator of v.
func newGeometry(v *engine.Variant) *geometry {
	g := &geometry{board: v.Board, mirrored: mirrored(v.Board)}
	var buf []engine.Move
	var dirs [][2]int
	known := map[[2]int]bool{}
	man := v.Board.Squares()[len(v.Board.Squares())/2]
	for _, s := range v.Board.Squares() {
		p := engine.Position{Pieces: [2]uint64{s.Bit()}, Kings: s.Bit()}
		for _, m := range v.Generate(&p, buf[:0]) {
			if d := direction(v.Board, m); !known[d] {
				known[d], dirs = true, append(dirs, d)
			}
		}
		if s != man {
			p.Pieces[engine.White] |= man.Bit()
			for _, m := range v.Generate(&p, buf[:0]) {
				g.runs = g.runs || m.Run() != 0
			}
		}
		if s.Bit()&v.Board.Crown[engine.White] == 0 {
			p = engine.Position{Pieces: [2]uint64{s.Bit()}}
			for _, m := range v.Generate(&p, buf[:0]) {
				if !m.Promotes() {
					g.manFrom[m.To()] |= s.Bit()
				}
			}
		}
	}
	g.kings = engine.NewRays(v.Board, dirs)
	return g
}

// direction returns the direction of a move along a line, in files and ranks.
func direction(b *engine.Board, m engine.Move) [2]int {
	x, y := b.XY(m.From())
	tx, ty := b.XY(m.To())
	n := max(tx-x, x-tx, ty-y, y-ty)
	return [2]int{(tx - x) / n, (ty - y) / n}
}

// mirrored reports whether all 64 squares of an 8x8 board are used, square 8*y+x
// being file x and rank y: then mirror is a symmetry of the game.
func mirrored(b *engine.Board) bool {
	for i := range 64 {
		if s, ok := b.At(i%8, i/8); !ok || int(s) != i {
			return false
		}
	}
	return b.Size == 8
}

// leftHalf holds files a to d of a mirrored board.
const leftHalf = 0x0f0f0f0f0f0f0f0f

// mirror swaps left and right on a mirrored board.
func mirror(set uint64) uint64 { return bits.ReverseBytes64(bits.Reverse64(set)) }
