// Package croda is Croda (Ljuban Dedić, 1995): its facts and its move
// generator. Articles C1 to C10 are in engine/RULES.md.
package croda

import "draughtlab/engine"

// C1: all 64 squares are used; square 0 is a1, 63 is h8.
var board = engine.NewBoard(8, false, func(x, y int) (engine.Square, bool) {
	return engine.Square(8*y + x), true
})

// C3, C5: captures run along ranks and files.
var rays = engine.NewRays(board, [][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}})

const (
	rank1 = 0xff
	rank8 = rank1 << 56
	fileA = 0x0101010101010101
	fileH = fileA << 7
	// A capture along a rank needs two files on that side.
	filesAB = fileA | fileA<<1
	filesGH = fileH | fileH>>1
)

var variant = engine.Variant{
	Name:       "croda",
	Board:      board,
	Capture:    rays,
	Start:      engine.Position{Pieces: [2]uint64{0x0000000000ffffff, 0xffffff0000000000}}, // C1
	Generate:   Generate,
	Count:      Count,
	CanCapture: CanCapture,
	CanMove:    CanMove,
	// C8, C9: no draw article counts or looks at the material.
	Ending:              func(*engine.Position, engine.Profile) engine.Ending { return engine.Ending{} },
	RepetitionIsArticle: func(engine.Profile) bool { return true }, // C8
}

// Variant returns the game.
func Variant() *engine.Variant { return &variant }
