package croda_test

import (
	"math/bits"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/croda"
	"draughtlab/engine/notation"
)

// The tests are named after the articles of engine/RULES.md; each protects its
// article.

func TestC1(t *testing.T) {
	v := croda.Variant()
	if len(v.Board.Squares()) != 64 || v.Board.All != ^uint64(0) {
		t.Error("the board must have 64 squares")
	}
	start := parse(t, "W:Wa1,b1,c1,d1,e1,f1,g1,h1,a2,b2,c2,d2,e2,f2,g2,h2,a3,b3,c3,d3,e3,f3,g3,h3"+
		":Ba8,b8,c8,d8,e8,f8,g8,h8,a7,b7,c7,d7,e7,f7,g7,h7,a6,b6,c6,d6,e6,f6,g6,h6")
	if v.Start != start {
		t.Errorf("start %s", notation.FormatFEN(v, &v.Start))
	}
	if v.Start.Side() != engine.White || v.Start.Kings != 0 || bits.OnesCount64(v.Start.Pieces[engine.Black]) != 24 {
		t.Error("White must begin, with 24 men a side")
	}
}

func TestC2(t *testing.T) {
	wantMoves(t, "W:Wd4:Bh8", "d4-c5", "d4-d5", "d4-e5")
	wantMoves(t, "B:Wa1:Bd4", "d4-c3", "d4-d3", "d4-e3")
	// On the edge, and where squares are taken; never sideways or backward.
	wantMoves(t, "W:Wa4:Bh8", "a4-a5", "a4-b5")
	wantMoves(t, "W:Wh4:Ba8", "h4-g5", "h4-h5")
	wantMoves(t, "B:Wh1:Ba4", "a4-a3", "a4-b3")
	wantMoves(t, "W:Wd4,d5:Bc6,e6", "d4-c5", "d4-e5", "d5-d6")
}

func TestC3(t *testing.T) {
	wantMoves(t, "W:Wd4:Bd5", "d4xd6")     // forward
	wantMoves(t, "W:Wd4:Bc4", "d4xb4")     // sideways
	wantMoves(t, "W:Wd4:Be4", "d4xf4")     // sideways
	wantMoves(t, "W:Wd4:Bd3", "d4xd2")     // backward
	wantMoves(t, "B:Wd5:Bd4", "d4xd6")     // the same for Black
	wantMoves(t, "B:Wc4:BKd8,d4", "d4xb4") // the man, as the king cannot
	wantMoves(t, "W:Wd4:BKd5", "d4xd6")    // men capture kings
	wantMoves(t, "W:Wd4:Bd5,d6,c5,e5")     // not two in a row, never diagonally
}

func TestC4(t *testing.T) {
	wantMoves(t, "W:WKd4:Bh8", "d4-a4", "d4-b4", "d4-c4", "d4-d1", "d4-d2", "d4-d3", "d4-d5",
		"d4-d6", "d4-d7", "d4-d8", "d4-e4", "d4-f4", "d4-g4", "d4-h4")
	wantMoves(t, "W:WKa1,a3,b1:Bh8", "a1-a2", "a3-a4", "a3-b4", "b1-a2", "b1-b2", "b1-c2")
}

func TestC5(t *testing.T) {
	wantMoves(t, "W:WKa1:Ba4", "a1xa5", "a1xa6", "a1xa7", "a1xa8")
	wantMoves(t, "W:WKa1:Ba4,a7", "a1xa5xa8") // by way of a6 it is the same move (G4)
	// Two pieces one behind the other, or one on the edge, cannot be captured;
	// diagonals do not count.
	wantMoves(t, "W:WKa1:Ba4,a5,Kh1", "a1-a2", "a1-a3", "a1-b1", "a1-c1", "a1-d1", "a1-e1", "a1-f1", "a1-g1")
	wantMoves(t, "W:WKa1,a3:Ba4,a5,Kc3", "a3-b4", "a1-a2", "a1-b1", "a1-c1", "a1-d1", "a1-e1", "a1-f1", "a1-g1", "a1-h1")
}

func TestC6(t *testing.T) {
	// Two men rather than one king; what captures does not matter.
	wantMoves(t, "W:WKa1,h1:Ba3,a5,Kg1", "a1xa4xa6", "a1xa4xa7", "a1xa4xa8")
	// Among equals the choice is free.
	wantMoves(t, "W:WKa1,h1:Ba5,Kg1", "a1xa6", "a1xa7", "a1xa8", "h1xf1")
}

func TestC7(t *testing.T) {
	wantMoves(t, "W:Wd7:Bh7", "d7-c8 =K", "d7-d8 =K", "d7-e8 =K")
	wantMoves(t, "B:Wh2:Bd2", "d2-c1 =K", "d2-d1 =K", "d2-e1 =K")
	wantMoves(t, "W:Wd6:Bd7,h8", "d6xd8 =K")
	// Through the base: it goes on as a man and stays one.
	wantMoves(t, "W:Wd6:Bd7,e8,f7,h3", "d6xd8xf8xf6")
	// A king made by a capture does not go on as a king.
	wantMoves(t, "W:Wd6:Bd7,Kg8", "d6xd8 =K")
	// A man that goes on and ends on the base becomes a king.
	wantMoves(t, "W:Wd6:Bd7,e8,h3", "d6xd8xf8 =K")

	g := engine.NewGame(croda.Variant(), engine.Basic, parse(t, "W:Wd6:Bd7,e8,f7,h3"), 0)
	play(t, g, "d6xf6")
	if p := g.Position(); p.Kings != 0 {
		t.Error("a man that only passed the base became a king")
	}
}

// thereAndBack comes back to the position it begins with.
var thereAndBack = []string{"b2-b3", "g7-g6", "b3-b2", "g6-g7"}

func TestC8(t *testing.T) {
	for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
		g := engine.NewGame(croda.Variant(), profile, parse(t, "W:WKb2:BKg7"), 0)
		play(t, g, thereAndBack...)
		wantEnd(t, g, engine.Ongoing, engine.Unfinished) // second occurrence
		// Another way round: occurrences need not be consecutive.
		play(t, g, "b2-c2", "g7-g5", "c2-b2")
		wantEnd(t, g, engine.Ongoing, engine.Unfinished)
		play(t, g, "g5-g7") // the third, the start being the first
		wantEnd(t, g, engine.Repetition, engine.Draw)
		if g.Legal() != nil {
			t.Error("a finished game has legal moves")
		}
	}
	// The same pieces with the other side to move are another position.
	g := engine.NewGame(croda.Variant(), engine.Basic, parse(t, "W:WKb2:BKg7"), 0)
	play(t, g, thereAndBack...)
	play(t, g, "b2-b3", "g7-g6", "b3-b4", "g6-g7", "b4-b2") // now Black is to move
	wantEnd(t, g, engine.Ongoing, engine.Unfinished)
	play(t, g, "g7-g6", "b2-b3", "g6-g5", "b3-b2", "g5-g7")
	wantEnd(t, g, engine.Repetition, engine.Draw)

	// A man's move and a capture cannot be undone: nothing before them counts.
	g = engine.NewGame(croda.Variant(), engine.Basic, parse(t, "W:WKb2,a1:BKg7,h8"), 0)
	play(t, g, thereAndBack...)
	play(t, g, "a1-a2", "h8-h7")
	play(t, g, thereAndBack...)
	wantEnd(t, g, engine.Ongoing, engine.Unfinished)
	play(t, g, thereAndBack...)
	wantEnd(t, g, engine.Repetition, engine.Draw)
}

func TestC9(t *testing.T) {
	v := croda.Variant()
	for _, fen := range []string{"W:WKb2:BKg7", "W:WKb2,Kb3,Kb4:BKg7", "W:WKa1,b3:BKg7,h6"} {
		p := parse(t, fen)
		for plies := range uint8(200) {
			p.SetCounts(plies, plies, 0)
			if e := v.Ending(&p, engine.Federation); e != (engine.Ending{}) || e != v.Ending(&p, engine.Basic) {
				t.Fatalf("%s: %+v, but no article of Croda counts moves", fen, e)
			}
		}
	}
	if !v.RepetitionIsArticle(engine.Basic) || !v.RepetitionIsArticle(engine.Federation) {
		t.Error("repetition is an article in both profiles")
	}
}

func TestC10(t *testing.T) {
	wantMoves(t, "W:We2:Be3,f4,g5", "e2xe4xg4xg6")
	wantMoves(t, "W:Wb6:Bb5,c6,b7", "b6xb4", "b6xd6", "b6xb8 =K")
	wantMoves(t, "B:Wb5,c6,b7:Bb6", "b6xb4", "b6xd6", "b6xb8")
	wantMoves(t, "W:Wa6:Ba7,b8,d8,e7,Kg8", "a6xa8xc8xe8xe6")
	wantMoves(t, "W:Wa6:Ba7,b8,d8,Kg8", "a6xa8xc8xe8 =K")
	for _, from := range []string{"f1", "f2", "f3", "f4", "f5"} {
		var want []string
		for _, to := range []string{"b4", "b3", "b2", "b1"} {
			want = append(want, from+"xf7xb7x"+to)
		}
		wantMoves(t, "W:WK"+from+":Bf6,d7,b5", want...)
	}
}
