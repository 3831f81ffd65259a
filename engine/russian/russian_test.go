package russian_test

import (
	"math/rand/v2"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/russian"
)

// The tests are named after the articles of engine/RULES.md; each protects its
// article.

func TestR1(t *testing.T) {
	v := russian.Variant()
	start := parse(t, "W:Wa1,c1,e1,g1,b2,d2,f2,h2,a3,c3,e3,g3:Bb8,d8,f8,h8,a7,c7,e7,g7,b6,d6,f6,h6")
	if v.Start != start {
		t.Errorf("start %s", notation.FormatFEN(v, &v.Start))
	}
	if len(v.Board.Squares()) != 32 {
		t.Errorf("%d squares, want 32", len(v.Board.Squares()))
	}
	for name, dark := range map[string]bool{"a1": true, "h8": true, "b1": false, "a8": false, "h1": false, "i1": false, "a9": false} {
		if _, err := v.Board.Parse(name); (err == nil) != dark {
			t.Errorf("%s is a square: %v, want %v", name, err == nil, dark)
		}
	}
}

func TestR2(t *testing.T) {
	wantMoves(t, "W:Wd4,h2:Bh8", "d4-c5", "d4-e5", "h2-g3")
	wantMoves(t, "B:Wa1:Bd6,a5", "a5-b4", "d6-c5", "d6-e5")
}

func TestR3(t *testing.T) {
	wantMoves(t, "W:Wd4:Bc5", "d4xb6")
	wantMoves(t, "W:Wd4:Be5", "d4xf6")
	wantMoves(t, "W:Wd4:Bc3", "d4xb2") // backward
	wantMoves(t, "W:Wd4:BKe3", "d4xf2")
	wantMoves(t, "B:Wd4:Be3", "e3xc5")
	wantMoves(t, "W:Wd4:Bc5,b6,f6", "d4-e5") // two in a row; not adjacent
	wantMoves(t, "W:Wa5:Bb6,h8,c7")          // blocked
}

func TestR4(t *testing.T) {
	wantMoves(t, "W:WKd4:Bh2", "d4-a1", "d4-a7", "d4-b2", "d4-b6", "d4-c3", "d4-c5", "d4-e3", "d4-e5", "d4-f2",
		"d4-f6", "d4-g1", "d4-g7", "d4-h8")
	wantMoves(t, "W:WKa1,c3:Bh2", "a1-b2", "c3-b4", "c3-d4")
}

func TestR5(t *testing.T) {
	wantMoves(t, "W:WKa1:Bd4", "a1xe5", "a1xf6", "a1xg7", "a1xh8")
	wantMoves(t, "W:WKa1,g7:Bd4", "a1xe5", "a1xf6") // up to the next piece
	wantMoves(t, "W:WKa1:Bd4,e5", "a1-b2", "a1-c3") // two in a row
	wantMoves(t, "W:WKa1:BKh8", "a1-b2", "a1-c3", "a1-d4", "a1-e5", "a1-f6", "a1-g7")
}

func TestR6(t *testing.T) {
	// One piece may be taken though another way takes two.
	wantMoves(t, "W:Wc3,f2:Bd4,d6,g3", "c3xe5xc7", "f2xh4")
	// What is begun is carried to its end.
	wantMoves(t, "W:Wa1:Bb2,d4", "a1xc3xe5")
}

func TestR7(t *testing.T) {
	// From f6 the capture goes on over e7, so g7 and h8 are no choice.
	wantMoves(t, "W:WKa1:Bd4,e7,b6,Kg5", "a1xf6xd8xa5", "a1xf6xh4")
	// Two of the landing squares go on: both are a choice.
	wantMoves(t, "W:WKa1:Bc3,b6,g3", "a1xd4xa7", "a1xe5xh2")
}

func TestR8(t *testing.T) {
	wantMoves(t, "W:Wc7:Bh2", "c7-b8 =K", "c7-d8 =K")
	wantMoves(t, "B:Wh4:Bc3,b2", "b2-a1 =K", "b2-c1 =K", "c3-d2")
	// Crowned in passing it goes on as a king, from a distance.
	wantMoves(t, "W:Wf6:Be7,b6", "f6xd8xa5 =K")
	// It must go on if a king could, and ends where a king could.
	wantMoves(t, "W:Wb6:Bc7,e7", "b6xd8xf6 =K", "b6xd8xg5 =K", "b6xd8xh4 =K")
	wantMoves(t, "W:Wb6:Bc7,h4", "b6xd8 =K") // h4 is on the edge
	// A captured piece is in the way of the new king.
	wantMoves(t, "W:Wf6:Bd4,g7", "f6xh8 =K")
	// A quiet move to the base ends the turn.
	g := engine.NewGame(russian.Variant(), engine.Basic, parse(t, "W:Wc7:Bf6,h2"), 0)
	play(t, g, "c7-d8")
	if p := g.Position(); p.Side() != engine.Black || p.Kings != p.Pieces[engine.White] {
		t.Error("after c7-d8 there must be a king on d8 and Black to move")
	}
	// The move counts as a promotion wherever the new king ends.
	g = engine.NewGame(russian.Variant(), engine.Basic, parse(t, "W:Wb6:Bc7,e7,a7"), 0)
	play(t, g, "b6xh4")
	if p := g.Position(); p.Kings != p.Pieces[engine.White] || !g.Moves()[0].Promotes() {
		t.Error("b6xd8xh4 must make a king")
	}
}

const threeKings = "WKc1,Ke1,Kg1:BKb8"

func TestR9(t *testing.T) {
	g := shuffle(t, engine.Basic, "W:"+threeKings, 29, nil)
	wantEnd(t, g, engine.Ongoing, engine.Unfinished)
	if !playSafe(t, g, rand.New(rand.NewPCG(1, 1)), nil) {
		t.Fatal("no quiet move")
	}
	wantEnd(t, g, engine.Kings3v1, engine.Draw) // 15 moves each

	// Repetition waits for the article.
	g = engine.NewGame(russian.Variant(), engine.Basic, parse(t, "W:"+threeKings), 0)
	for len(g.Moves()) < 28 {
		play(t, g, "c1-d2", "b8-a7", "d2-c1", "a7-b8")
	}
	play(t, g, "c1-d2")
	wantEnd(t, g, engine.Ongoing, engine.Unfinished)
	play(t, g, "b8-a7")
	wantEnd(t, g, engine.Kings3v1, engine.Draw)
}

// giveAway plays a quiet move that lets the opponent capture, and the capture;
// all tells whether it is to leave the mover without pieces. It returns false
// if there is no such move.
func giveAway(t *testing.T, g *engine.Game, all bool) bool {
	t.Helper()
	p := g.Position()
	for _, m := range g.Legal() {
		q := p.Make(m)
		for _, reply := range russian.Variant().Generate(&q, nil) {
			if r := q.Make(reply); !reply.IsCapture() || (r.Own() == 0) != all {
				continue
			}
			if g.Play(m) != nil || g.Play(reply) != nil {
				t.Fatal("a legal move was refused")
			}
			return true
		}
	}
	return false
}

// TestR9LastMove: on the last ply a win comes before the draw (G3), and a
// capture that leaves another ending is drawn all the same: both have made their
// moves. Two plies earlier it ends the count.
func TestR9LastMove(t *testing.T) {
	won, captured, early := false, false, false
	for n := range uint64(40) {
		r := rand.New(rand.NewPCG(n, 9))
		some := func(int, engine.Move, *engine.Position) bool { return r.IntN(3) > 0 }
		if g := shuffle(t, engine.Basic, "B:"+threeKings, 28, some); !won && giveAway(t, g, true) {
			won = true
			wantEnd(t, g, engine.NoMoves, engine.WhiteWins)
			if len(g.Moves()) != 30 {
				t.Errorf("%d plies, want 30", len(g.Moves()))
			}
		}
		if g := shuffle(t, engine.Basic, "W:"+threeKings, 28, some); !captured && giveAway(t, g, false) {
			captured = true
			wantEnd(t, g, engine.Kings3v1, engine.Draw)
		}
		if g := shuffle(t, engine.Basic, "W:"+threeKings, 26, some); !early && giveAway(t, g, false) {
			early = true
			wantEnd(t, g, engine.Ongoing, engine.Unfinished)
		}
	}
	if !won || !captured || !early {
		t.Errorf("on ply 30: a win seen %v, a capture seen %v, and on ply 28 %v", won, captured, early)
	}
}

// TestR9Count: which endings count, from when on, and what the clock says.
func TestR9Count(t *testing.T) {
	v := russian.Variant()
	for fen, counts := range map[string]bool{
		"W:" + threeKings:         true,
		"B:" + threeKings:         true,
		"W:WKb8:BKc1,Ke1,Kg1":     true,
		"W:WKc1,Ke1,g1:BKb8":      false, // a man among the three
		"W:WKc1,Ke1:BKb8":         false,
		"W:WKc1,Ke1,Kg1,Kh2:BKa7": false, // four: the federation's article
		"W:WKc1,Ke1,Kg1,a1:BKb8":  false,
		"W:WKc1,Ke1,Kg1:Bb8":      false, // v a man
		"W:WKc1,Ke1,Kg1:BKb8,Kd8": false,
		"W:WKc1,Ke1,Kg1:BKb8,h6":  false,
	} {
		p := parse(t, fen)
		for _, plies := range []uint8{0, 1, 29, 30, 255} {
			p.SetCounts(plies, plies, 0)
			var want engine.Ending
			if counts {
				want.Clock = uint32(plies) + 1
				if plies >= 30 {
					want.Draw = engine.Kings3v1
				}
			}
			if got := v.Ending(&p, engine.Basic); got != want {
				t.Errorf("%s after %d plies: %+v, want %+v", fen, plies, got, want)
			}
		}
	}
	// The count begins with the move that brings the ending about.
	for _, begin := range [][2]string{
		{"W:WKc1,Kh2,c7:BKh4", "c7-d8"},     // a promotion
		{"W:WKc1,Kh2,Kb8:BKh4,f4", "b8xg3"}, // a capture by the three
		{"B:WKg1,Kh2,Kb8,d4:BKf6", "f6xb2"}, // a capture by the one
	} {
		p := parse(t, begin[0])
		p.SetCounts(17, 17, 0)
		g := engine.NewGame(v, engine.Basic, p, 0)
		play(t, g, begin[1])
		p = g.Position()
		if e := v.Ending(&p, engine.Basic); e != (engine.Ending{Clock: 1}) {
			t.Errorf("%s after %s: %+v, want the clock at 1", begin[0], begin[1], e)
		}
	}
}

// manOften makes shuffle play a man's move at the latest 20 plies after the
// last one, so that the article of kings only never applies.
func manOften(_ int, m engine.Move, after *engine.Position) bool {
	return after.SinceMan() < 20 && !m.Promotes()
}

// menStay makes shuffle move kings only.
func menStay(_ int, _ engine.Move, after *engine.Position) bool { return after.SinceMan() > 0 }

// road holds the squares of the main road.
func road(t *testing.T) (set uint64) {
	for _, name := range []string{"a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"} {
		s, err := russian.Variant().Board.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		set |= s.Bit()
	}
	return set
}

// TestR10 plays each article of the federation to its end: a ply before it the
// game goes on, and the same moves end nothing in the basic profile but three
// kings v one.
func TestR10(t *testing.T) {
	onRoad := func(_ int, m engine.Move, p *engine.Position) bool {
		return p.Pieces[engine.Black]&road(t) != 0 && !m.Promotes()
	}
	offRoad := func(_ int, m engine.Move, p *engine.Position) bool {
		return p.Pieces[engine.Black]&road(t) == 0 && !m.Promotes()
	}
	for _, c := range []struct {
		name, fen string
		plies     int
		by        engine.Termination
		ok        func(int, engine.Move, *engine.Position) bool
	}{
		{"three kings", "W:WKc1,Ke1,Kg1:BKb8", 30, engine.Kings3v1, offRoad},
		{"four kings", "B:WKc1,Ke1,Kg1,Kh2:BKd8", 30, engine.Kings3v1, nil},
		{"kings only", "W:WKc1,Kg1,a3,h2:BKb8,Kf8,h6,a7", 30, engine.KingsOnly15, menStay},
		{"four pieces", "W:WKc1,a1:BKf8,h8", 60, engine.Balance30, manOften},
		{"three men with a king v a king", "W:WKc1,e1,g1,h2:BKb8", 60, engine.Balance30, manOften},
		{"three pieces off the road", "B:WKc1,e1,g1:BKb8", 60, engine.Balance30, func(n int, m engine.Move, p *engine.Position) bool {
			return manOften(n, m, p) && offRoad(n, m, p)
		}},
		{"six pieces", "W:WKg1,a1,c1:BKb8,h8,f8", 120, engine.Balance60, manOften},
		{"seven pieces", "B:WKg1,a1,c1,e1:BKb8,h8,f8", 120, engine.Balance60, manOften},
		{"main road, three kings", "W:WKc1,Kg1,Ka3:BKh8", 10, engine.MainRoad5, onRoad},
		{"main road, one king and men", "B:WKc1,g1,h2:BKh8", 10, engine.MainRoad5, onRoad},
		{"two kings v one", "W:WKc1,Kg1:BKb8", 10, engine.LoneKing5, nil},
		{"king and man v king", "W:WKc1,a3:BKb8", 10, engine.LoneKing5, func(_ int, m engine.Move, _ *engine.Position) bool { return !m.Promotes() }},
		{"king v king", "B:WKc1:BKb8", 10, engine.LoneKing5, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := shuffle(t, engine.Federation, c.fen, c.plies-1, c.ok)
			for seed := uint64(0); g.Termination() == engine.Ongoing && seed < 20 && len(g.Moves()) < c.plies; seed++ {
				playSafe(t, g, rand.New(rand.NewPCG(seed, 2)), c.ok)
			}
			wantEnd(t, g, c.by, engine.Draw)
			basic := engine.NewGame(russian.Variant(), engine.Basic, g.Start(), 0)
			for _, m := range g.Moves() {
				if err := basic.Play(m); err != nil {
					t.Fatal(err)
				}
			}
			if c.name == "three kings" {
				wantEnd(t, basic, engine.Kings3v1, engine.Draw)
			} else {
				wantEnd(t, basic, engine.Ongoing, engine.Unfinished)
			}
		})
	}
}

// TestR10Repetition: the third occurrence is an article of the federation; in
// the basic profile the program ends the game by it (G6).
func TestR10Repetition(t *testing.T) {
	v := russian.Variant()
	for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
		g := engine.NewGame(v, profile, parse(t, "W:WKc1,a1,h2:BKf8,h8,a7"), 0)
		for range 2 {
			wantEnd(t, g, engine.Ongoing, engine.Unfinished)
			play(t, g, "c1-d2", "f8-e7", "d2-c1", "e7-f8")
		}
		wantEnd(t, g, engine.Repetition, engine.Draw)
		if v.RepetitionIsArticle(profile) != (profile == engine.Federation) {
			t.Errorf("repetition is an article in %s: %v", profile, v.RepetitionIsArticle(profile))
		}
	}
}

// TestR10Resets: what begins the counts anew.
func TestR10Resets(t *testing.T) {
	v := russian.Variant()
	for _, c := range []struct {
		name, fen, move           string
		sinceChange, sinceMan, on uint8 // from 7, 5 and 3 before the move
	}{
		{"a king's move", "W:WKc1,a1:BKf8,h8", "c1-d2", 8, 6, 0},
		{"a man's move", "W:WKc1,a1:BKf8,h8", "a1-b2", 8, 0, 0},
		{"a promotion", "W:WKc1,a7:BKf8,h2", "a7-b8", 0, 0, 0},
		{"a capture", "W:WKc1,a1:BKf8,e3", "c1xg5", 0, 0, 0},
		{"on the main road", "W:WKc1,Kg1,Ka3:BKh8", "g1-h2", 8, 6, 4},
		{"a man's move on the main road", "W:WKc1,g1,Ka3:BKh8", "g1-h2", 8, 0, 4},
		{"off the main road", "B:WKc1,Kg1,Ka3:BKd4", "d4-e5", 8, 6, 4},
		{"leaving the main road", "B:WKc1,Kg1,Ka3:BKg7", "g7-h6", 8, 6, 0},
		{"reaching the main road", "B:WKc1,Kg1,Ka3:BKh6", "h6-g7", 8, 6, 0},
		{"four pieces on the main road", "W:WKc1,Kg1,Ka3,h2:BKh8", "c1-d2", 8, 6, 0},
		{"no king among the three", "W:Wc1,g1,a3:BKh8", "g1-h2", 8, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, c.fen)
			p.SetCounts(7, 5, 3)
			g := engine.NewGame(v, engine.Basic, p, 0)
			play(t, g, c.move)
			if p = g.Position(); p.SinceChange() != c.sinceChange || p.SinceMan() != c.sinceMan || p.Road() != c.on {
				t.Errorf("after %s: %d plies since a change, %d since a man's move, %d on the road, want %d, %d, %d",
					c.move, p.SinceChange(), p.SinceMan(), p.Road(), c.sinceChange, c.sinceMan, c.on)
			}
		})
	}
	// Leaving the road for a move costs all plies counted so far.
	away := func(ply int, _ engine.Move, p *engine.Position) bool {
		return (p.Pieces[engine.Black]&road(t) != 0) == (ply != 8 && ply != 9)
	}
	g := shuffle(t, engine.Federation, "W:WKc1,Kg1,Ka3:BKh8", 19, away)
	if !playSafe(t, g, rand.New(rand.NewPCG(1, 1)), away) {
		t.Fatal("no quiet move")
	}
	wantEnd(t, g, engine.MainRoad5, engine.Draw)
}

// TestR10Count: exact plies and clocks of the articles, one by one.
func TestR10Count(t *testing.T) {
	v := russian.Variant()
	for _, c := range []struct {
		fen   string
		limit uint8
		by    engine.Termination
		set   func(p *engine.Position, plies uint8)
	}{
		{"W:WKc1,Ke1,Kg1:BKb8", 30, engine.Kings3v1, change},
		{"W:WKb8:BKc1,Ke1,Kg1,Kh2,Kh4", 30, engine.Kings3v1, change},
		{"W:WKc1:BKb8", 10, engine.LoneKing5, change},
		{"W:WKc1,a1:BKb8", 10, engine.LoneKing5, change},
		{"W:WKc1,a1:BKb8,h8", 60, engine.Balance30, change},
		{"W:WKc1,a1,g1:BKb8,h8", 60, engine.Balance30, change},
		{"W:WKc1,a1,g1:BKb8,h8,f8", 120, engine.Balance60, change},
		{"W:WKc1,a1,g1,e1:BKb8,h8,f8", 120, engine.Balance60, change},
		{"W:WKc1,a1,g1,e1:BKb8,h8,f8,d8", 30, engine.KingsOnly15, man},
		{"W:WKc1,a1,g1,e1:BKb8,h8", 30, engine.KingsOnly15, man},
		{"W:WKc1,a1,g1:Bb8,h8", 30, engine.KingsOnly15, man}, // one side without kings: no balance
		{"W:WKc1,a1,g1:Bb8,h8", 250, engine.Ongoing, change},
		{"W:WKc1,a1,g1,e1:BKb8,h8,f8,d8", 250, engine.Ongoing, change}, // eight pieces
		{"W:Wc1,a1:Bb8,h8", 250, engine.Ongoing, change},
		{"W:Wc1,a1:Bb8,h8", 250, engine.Ongoing, man},
		{"W:WKc1,a3,g1:BKh8", 10, engine.MainRoad5, func(p *engine.Position, plies uint8) { p.SetCounts(0, 0, plies) }},
		{"W:WKc1,a3,g1:BKf8", 60, engine.Balance30, change},
	} {
		clocks := map[uint32]uint8{}
		for plies := range c.limit + 1 {
			p := parse(t, c.fen)
			c.set(&p, plies)
			e := v.Ending(&p, engine.Federation)
			want := engine.Ongoing
			if plies == c.limit && c.by != engine.Ongoing {
				want = c.by
			}
			if e.Draw != want {
				t.Errorf("%s at %d: %s, want %s", c.fen, plies, e.Draw, want)
			}
			if other, ok := clocks[e.Clock]; ok && c.by != engine.Ongoing {
				t.Errorf("%s: the clock is %d at %d and at %d plies", c.fen, e.Clock, other, plies)
			}
			clocks[e.Clock] = plies
		}
	}
}

func change(p *engine.Position, plies uint8) { p.SetCounts(plies, 0, 0) }

func man(p *engine.Position, plies uint8) { p.SetCounts(0, plies, 0) }

func TestR11(t *testing.T) {
	wantMoves(t, "W:Wa1,g7:Bb2,b4,b6,d6,f8", "a1xc3xa5xc7xe5")
	wantMoves(t, "B:Wa1,g7:Bb2,b4,b6,d6,f8", "f8xh6")
	wantMoves(t, "W:Wd4:BKc5,f2,e5,f6", "d4xb6")
	wantMoves(t, "W:Wb6:Bc7,e7", "b6xd8xf6 =K", "b6xd8xg5 =K", "b6xd8xh4 =K")
	wantMoves(t, "W:WKb2:Bd4", "b2xe5", "b2xf6", "b2xg7", "b2xh8")
	wantMoves(t, "W:WKa1:Bd4,e7,b6,g5,f2", "a1xf6xd8xa5", "a1xf6xh4xe1")
}
