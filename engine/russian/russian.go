// Package russian is Russian draughts (shashki): its facts, its move generator
// and its draw articles. Articles R1 to R11 are in engine/RULES.md.
package russian

import (
	"math/bits"

	"draughtlab/engine"
)

// R1: the 32 dark squares. Two ranks take nine bits, four squares each and one
// ghost, so that a diagonal step is a shift by 4 or 5 wherever it begins:
//
//	rank 2    5   6   7   8
//	rank 1  0   1   2   3   (4)
var board = engine.NewBoard(8, false, func(x, y int) (engine.Square, bool) {
	return engine.Square(9*(y/2) + 5*(y%2) + x/2), (x+y)%2 == 0
})

// R3, R5: captures run along diagonals.
var rays = engine.NewRays(board, [][2]int{{-1, 1}, {1, 1}, {1, -1}, {-1, -1}})

const (
	startWhite = 0x1fff &^ (1 << 4) // ranks 1-3
	rank1      = 0xf
	rank8      = rank1 << 32
)

var variant = engine.Variant{
	Name:              "russian",
	Board:             board,
	Capture:           rays,
	PromotesInPassing: true, // R8
	Start:             engine.Position{Pieces: [2]uint64{startWhite, board.Rotate(startWhite)}},
	Generate:          Generate,
	Count:             Count,
	CanCapture:        CanCapture,
	CanMove:           CanMove,
	Ending:            ending,
	RepetitionIsArticle: func(p engine.Profile) bool {
		return p == engine.Federation // R10; in basic it is the program's means (G6)
	},
}

// Variant returns the game.
func Variant() *engine.Variant { return &variant }

// road is the main road, the diagonal a1-h8 (R10).
var road = func() (set uint64) {
	for i := range 8 {
		s, _ := board.At(i, i)
		set |= s.Bit()
	}
	return set
}()

// fifteenMoves of both sides, in plies (R9).
const fifteenMoves = 30

// ending judges R9 (basic) or R10 (federation).
func ending(p *engine.Position, profile engine.Profile) engine.Ending {
	if p.Kings == 0 {
		return engine.Ending{}
	}
	strong, lone := loneKing(p)
	if profile == engine.Basic {
		switch {
		case threeKings(p):
			return engine.Count(engine.Kings3v1, p.SinceChange(), fifteenMoves)
		case lone && p.CountFilled(fifteenMoves):
			return engine.Ending{Draw: engine.Kings3v1}
		}
		return engine.Ending{}
	}
	return federation(p, strong, lone)
}

// threeKings reports whether three kings stand against one, and nothing else.
func threeKings(p *engine.Position) bool {
	_, lone := loneKing(p)
	return lone && p.Count() == 4 && p.Kings == p.Occupied()
}

// loneKing reports whether one side has a lone king, and which is the other.
func loneKing(p *engine.Position) (strong engine.Color, lone bool) {
	for _, c := range []engine.Color{engine.White, engine.Black} {
		if own := p.Pieces[c]; own&(own-1) == 0 && own&p.Kings != 0 {
			return c.Other(), true
		}
	}
	return 0, false
}

// federation judges the articles of R10. Several may count at once; the clock
// is that of all of them, and where two come to their end together the special
// one is named before that of kings only.
func federation(p *engine.Position, strong engine.Color, lone bool) engine.Ending {
	var out engine.Ending
	count := func(t engine.Termination, clock, limit uint8) {
		e := engine.Count(t, clock, limit)
		if out.Draw == engine.Ongoing {
			out.Draw = e.Draw
		}
		out.Clock = out.Clock<<8 | e.Clock
	}
	if p.Kings&p.Pieces[0] != 0 && p.Kings&p.Pieces[1] != 0 {
		n := bits.OnesCount64(p.Pieces[strong])
		switch total := p.Count(); {
		case lone && n >= 3 && p.Men(strong) == 0, lone && p.CountFilled(fifteenMoves):
			count(engine.Kings3v1, p.SinceChange(), fifteenMoves)
		case lone && n <= 2:
			count(engine.LoneKing5, p.SinceChange(), 10)
		case total == 4 || total == 5:
			count(engine.Balance30, p.SinceChange(), 60)
		case total == 6 || total == 7:
			count(engine.Balance60, p.SinceChange(), 120)
		}
		if onRoad(p) {
			count(engine.MainRoad5, p.Road(), 10)
		}
	}
	count(engine.KingsOnly15, p.SinceMan(), 30)
	return out
}

// onRoad reports whether three pieces, at least one a king, stand against a
// lone king that holds the main road (R10).
func onRoad(p *engine.Position) bool {
	strong, lone := loneKing(p)
	return lone && bits.OnesCount64(p.Pieces[strong]) == 3 && p.Kings&p.Pieces[strong] != 0 &&
		p.Pieces[strong.Other()]&road != 0
}
