// Package frisian is Frisian draughts: its facts, its move generator and its
// draw articles. Articles F1 to F13 are in engine/RULES.md.
package frisian

import (
	"math/bits"

	"draughtlab/engine"
)

// F1: the 50 dark squares. A row takes six bits and a half: five squares and
// ghosts between the rows, so that a diagonal step is a shift by 6 or 7, one
// along a row (two files) a shift by 1 and one along a file (two rows) a shift
// by 13, wherever it begins. Square 1 is bit 0, square 50 bit 62:
//
//	row 1    0   1   2   3   4  (5)
//	row 2  6   7   8   9  10 (11) (12)
//
// (The same distances serve Scan, by Fabien Letouzey.)
var board = engine.NewBoard(10, true, func(x, y int) (engine.Square, bool) {
	row := 9 - y
	return engine.Square(13*(row/2) + 6*(row%2) + x/2), (x+y)%2 == 0
})

// F3, F5: captures run in eight directions, over dark squares.
var rays = engine.NewRays(board, [][2]int{
	{-1, 1}, {1, 1}, {1, -1}, {-1, -1}, {-2, 0}, {2, 0}, {0, 2}, {0, -2},
})

// F4: quiet king moves are diagonal.
var diagonals = engine.NewRays(board, [][2]int{{-1, 1}, {1, 1}, {1, -1}, {-1, -1}})

var startBlack = func() (set uint64) {
	for _, s := range board.Squares()[:20] {
		set |= s.Bit()
	}
	return set
}()

var variant = engine.Variant{
	Name:                "frisian",
	Board:               board,
	Capture:             rays,
	Start:               engine.Position{Pieces: [2]uint64{board.Rotate(startBlack), startBlack}},
	Generate:            Generate,
	Count:               Count,
	CanCapture:          CanCapture,
	CanMove:             CanMove,
	Ending:              ending,
	RepetitionIsArticle: func(engine.Profile) bool { return false }, // F11
}

// Variant returns the game.
func Variant() *engine.Variant { return &variant }

// ending judges F10; F11 says the same of one king against one in other words
// (a test compares them over all positions).
func ending(p *engine.Position, _ engine.Profile) engine.Ending {
	own, opp := p.Own(), p.Opp()
	if (own|opp)&^p.Kings != 0 || p.Count() > 3 || own == 0 || opp == 0 {
		return engine.Ending{}
	}
	if p.Count() == 3 {
		return engine.Count(engine.Kings2v1, p.SinceChange(), sevenMoves)
	}
	if p.CountFilled(sevenMoves) {
		return engine.Ending{Draw: engine.Kings2v1}
	}
	if own|opp == corners || CanCapture(p, p.Side()) {
		return engine.Ending{}
	}
	return engine.Ending{Draw: engine.Lone1v1}
}

// sevenMoves of both sides, in plies (F10).
const sevenMoves = 14

// corners are squares 5 and 46: with a king on each the player to move loses.
var corners = func() uint64 {
	a, _ := board.At(9, 9)
	b, _ := board.At(0, 0)
	return a.Bit() | b.Bit()
}()

// value is the worth of captured pieces (F6): two a king and one a man; at
// equal sums the capture with fewer kings is worth more; at equal worth a king
// must capture (F7).
func value(captured, kings uint64, king bool) int {
	k, n := bits.OnesCount64(captured&kings), bits.OnesCount64(captured)
	v := (n+k)<<7 | (63-k)<<1
	if king {
		v++
	}
	return v
}
