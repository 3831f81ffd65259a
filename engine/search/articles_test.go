package search

import (
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
)

// The search finds wins that a plain prover confirms, and wins the game from
// there against its own best defence.
func TestKnownWins(t *testing.T) {
	for _, c := range []struct {
		game         string
		side         engine.Color
		white, black string
		win          int // plies
	}{
		{"croda", engine.White, "b2 e4 c7", "g5", 7},
		{"croda", engine.Black, "Kh7", "Kc2 d2 a5 b6 b8 c8 d8", 9},
		{"russian", engine.Black, "a3 g3", "c5 f6 a7", 7},
		{"russian", engine.White, "e1 d2 f2 h2 a3 c3 h4", "c7 g7", 9},
		{"russian", engine.Black, "h2 c3 a5", "e5 f6 h6 a7 c7 b8 d8 f8", 9},
		{"frisian", engine.Black, "36 39 44", "23 25 27", 9},
		{"frisian", engine.Black, "6 26 37", "1 3 5 9 13 14 18 K22", 7},
		{"frisian", engine.Black, "11", "5 10 15 19 30", 7},
		// F10: of one king against one, on 5 and 46, the player to move
		// loses: the capture must end on 5 and not on 10, a draw.
		{"frisian", engine.Black, "K46 14", "K19", 3},
	} {
		v := variant(t, c.game)
		p := place(t, v, c.side, c.white, c.black)
		x := minimax{v: v, e: eval.NewEvaluator(v, eval.Default(v))}
		if n := x.win(p, c.win); n != c.win {
			t.Errorf("%s W %s B %s: the prover wins in %d, not in %d", c.game, c.white, c.black, n, c.win)
		}
		s := newSearcher(v)
		g := engine.NewGame(v, engine.Basic, p, 60)
		for g.Termination() == engine.Ongoing {
			res, err := s.Search(g.Position(), g.Keys(), Limits{Depth: c.win + 4})
			if err != nil {
				t.Fatal(err)
			}
			if len(g.Moves()) == 0 && res.WinIn < c.win {
				t.Errorf("%s W %s B %s: %s wins in %d, not in %d", c.game, c.white, c.black, show(v, res.Move), res.WinIn, c.win)
			}
			if err := g.Play(res.Move); err != nil {
				t.Fatal(err)
			}
		}
		if g.Outcome() != engine.Wins(c.side) {
			t.Errorf("%s W %s B %s: ended with %s after %d plies", c.game, c.white, c.black, g.Termination(), len(g.Moves()))
		}
	}
}

// A draw article that is about to end the game is seen, and what the table
// knows of the position with other counts does not hide it; nor the reverse.
func TestDrawClocks(t *testing.T) {
	for _, c := range []struct {
		article      string
		game         string
		profile      engine.Profile
		white, black string
		limit        uint8 // of SinceChange, in plies
		late         int   // score three plies before
	}{
		{"F10", "frisian", engine.Basic, "K28 K33", "K4", 14, 0},
		// White gives a king away to leave the ending.
		{"R9", "russian", engine.Basic, "Ka1 Kc1 Ke1", "Kh2", 30, 255},
		{"R10", "russian", engine.Federation, "Ka1 Kc1 Ke1", "Kh2", 30, 255},
		{"R10", "russian", engine.Federation, "Kc1 Ke1", "Kh2", 10, 5},
	} {
		v := variant(t, c.game)
		s := New(v, eval.Untuned(v), Options{Profile: c.profile})
		fresh, late := place(t, v, engine.White, c.white, c.black), place(t, v, engine.White, c.white, c.black)
		late.SetCounts(c.limit-3, c.limit-3, 0)
		for range 2 {
			for _, p := range []engine.Position{fresh, late} {
				res, err := s.Search(p, nil, Limits{Depth: 6})
				if err != nil {
					t.Fatal(err)
				}
				if p == late && res.Score != c.late {
					t.Errorf("%s %s: shortly before the draw the score is %d", c.article, c.white, res.Score)
				}
				if p == fresh && res.Score < c.late+100 {
					t.Errorf("%s %s: at the beginning of the ending the score is %d", c.article, c.white, res.Score)
				}
			}
		}
	}
}

// F10: with one king each the game is drawn at once.
func TestLoneKingsAreDrawn(t *testing.T) {
	v := variant(t, "frisian")
	p := place(t, v, engine.White, "K28", "K4")
	res, err := newSearcher(v).Search(p, nil, Limits{Depth: 5})
	if err != nil {
		t.Fatal(err)
	}
	if res.Score != 0 {
		t.Errorf("one king against one has score %d", res.Score)
	}
}

// F9, F13: positions that differ in a king run only are different: what the
// table knows of the free king does not become the move of the bound one.
func TestKingRunsDoNotShareEntries(t *testing.T) {
	v := variant(t, "frisian")
	free := place(t, v, engine.White, "K28 36", "1 2 6 12")
	bound := free
	king, _ := v.Board.Parse("28")
	bound.SetRun(engine.White, 3, king)
	s := newSearcher(v)
	for _, p := range []engine.Position{free, bound, free} {
		got, err := s.Search(p, nil, Limits{Depth: 7})
		if err != nil {
			t.Fatal(err)
		}
		if p == bound && got.Move.From() == king {
			t.Errorf("the bound king moves: %s", show(v, got.Move))
		}
		if p == free && got.Move.From() != king {
			t.Errorf("the free king stands still: %s", show(v, got.Move))
		}
	}
}

// The losing side steers for the repetition of a position where the game ends
// by it, and does not believe in it where the game goes on (G6: while a clock
// counts and repetition is no article).
func TestRepetition(t *testing.T) {
	for _, c := range []struct {
		game         string
		profile      engine.Profile
		white, black string
		moves        [4]string // from-to; after the first three White is to move, the last repeats the start
		draw         bool
	}{
		{"croda", engine.Basic, "Ka1", "Kh8 e6 f6 g6", [4]string{"h8h7", "a1a2", "h7h8", "a2a1"}, true},
		{"russian", engine.Basic, "Kg1", "Ka3 a5 d8 f8", [4]string{"a3b2", "g1h2", "b2a3", "h2g1"}, true},
		{"russian", engine.Basic, "Kg1", "Ka3 Ka5 Kh4", [4]string{"a3b2", "g1h2", "b2a3", "h2g1"}, false},
		{"russian", engine.Federation, "Kg1", "Ka3 Ka5 Kh4", [4]string{"a3b2", "g1h2", "b2a3", "h2g1"}, true},
		{"frisian", engine.Basic, "K47", "K4 K3 K2", [4]string{"0409", "4741", "0904", "4147"}, true},
	} {
		v := variant(t, c.game)
		p := place(t, v, engine.Black, c.white, c.black)
		g := engine.NewGame(v, c.profile, p, 0)
		find := func(text string) engine.Move {
			t.Helper()
			for _, m := range g.Legal() {
				from, to := v.Board.Name(m.From()), v.Board.Name(m.To())
				if v.Board.Numeric {
					from, to = ("0" + from)[len(from)-1:], ("0" + to)[len(to)-1:]
				}
				if from+to == text {
					return m
				}
			}
			t.Fatalf("%s: no move %s", c.game, text)
			return engine.Move{}
		}
		for _, text := range c.moves[:3] {
			if err := g.Play(find(text)); err != nil {
				t.Fatal(err)
			}
		}
		back := find(c.moves[3])
		for _, depth := range []int{1, 3} {
			res, err := New(v, eval.Default(v), Options{Profile: c.profile}).Search(g.Position(), g.Keys(), Limits{Depth: depth})
			if err != nil {
				t.Fatal(err)
			}
			if drawn := res.Score == 0; drawn != c.draw {
				t.Errorf("%s %s: score %d with %s", c.game, c.profile, res.Score, show(v, res.Move))
			}
			if c.draw && !res.Move.Same(back) {
				t.Errorf("%s %s: %s instead of the repetition", c.game, c.profile, show(v, res.Move))
			}
		}
	}
}

// Positions with very many captures are searched to their end.
func TestManyCaptures(t *testing.T) {
	for _, c := range []struct{ game, white, black string }{
		{"croda", "Ka1 Kh1 Ka8", "b3 b5 b7 d3 d5 d7 f3 f5 f7 c2 c4 c6 e2 e4 e6 g2 g4 g6"},
		{"russian", "Ka1 Kh8 Kc1", "b4 b6 d2 d4 d6 f2 f4 f6 c7 e7 g5"},
		{"frisian", "K46 K50 K5", "7 8 9 10 17 18 19 20 27 28 29 30 37 38 39 40 41"},
	} {
		v := variant(t, c.game)
		p := place(t, v, engine.White, c.white, c.black)
		g := engine.NewGame(v, engine.Basic, p, 0)
		checkSearch(t, newSearcher(v), g, Limits{Nodes: 2000, Depth: 6})
	}
}
