package engine_test

import (
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// The tests TestG1 to TestG8 are named after the common articles of
// engine/RULES.md; each protects its article. G9 is tested in engine/notation.

// parse reads a FEN of a game.
func parse(t *testing.T, game, fen string) (*engine.Variant, engine.Position) {
	t.Helper()
	v, err := variants.ByName(game)
	if err != nil {
		t.Fatal(err)
	}
	p, err := notation.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return v, p
}

// wantEnd checks how a game ended, or that it goes on.
func wantEnd(t *testing.T, g *engine.Game, by engine.Termination, outcome engine.Outcome) {
	t.Helper()
	if g.Termination() != by || g.Outcome() != outcome {
		t.Errorf("%s after %d plies: %s %s, want %s %s", g.Variant().Name, len(g.Moves()), g.Termination(), g.Outcome(), by, outcome)
	}
}

// play makes a move given by its text.
func play(t *testing.T, g *engine.Game, moves ...string) {
	t.Helper()
	for _, text := range moves {
		p := g.Position()
		m, err := notation.ParseMove(g.Variant(), &p, g.Legal(), text)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Play(m); err != nil {
			t.Fatal(err)
		}
	}
}

// TestG1: a circle over the own start square, ending there.
func TestG1(t *testing.T) {
	for _, c := range []struct{ game, fen, route string }{
		{"croda", "W:Wd4:Bd5,e6,f5,e4", "d4xd6xf6xf4xd4"},
		{"russian", "W:We3:Bd4,d6,f6,f4", "e3xc5xe7xg5xe3"},
		{"frisian", "W:W28:B23,24,34,33", "28x19x30x39x28"},
	} {
		v, p := parse(t, c.game, c.fen)
		moves := v.Generate(&p, nil)
		if len(moves) != 1 || moves[0].From() != moves[0].To() {
			t.Errorf("%s: %d moves, want the circle only", c.fen, len(moves))
			continue
		}
		if got := notation.FullMove(v, &p, moves[0]); got != c.route {
			t.Errorf("%s: %s, want %s", c.fen, got, c.route)
		}
		q := p.Make(moves[0])
		if q.Pieces[engine.White] != p.Pieces[engine.White] || q.Pieces[engine.Black] != 0 || q.Kings != 0 {
			t.Errorf("%s: %s after the circle", c.fen, notation.FormatFEN(v, &q))
		}
	}
}

// TestG2: a captured piece is in the way until the capture is over.
func TestG2(t *testing.T) {
	v, p := parse(t, "russian", "W:WKa5:BKh8,c5,e5,b4,b2")
	moves := v.Generate(&p, nil)
	if len(moves) != 3 {
		t.Errorf("%d moves, want 3", len(moves))
	}
	for _, m := range moves {
		if q := p.Make(m); p.Count()-q.Count() != 2 {
			t.Errorf("%s captures %d pieces, want two: the first stands in the way", notation.FullMove(v, &p, m), p.Count()-q.Count())
		}
	}
	// An empty square may be crossed twice, a piece may not.
	v, p = parse(t, "russian", "W:WKd2:Bc5,e5,c3,e3")
	if got := len(v.Generate(&p, nil)); got != 3 {
		t.Errorf("%d moves round the four pieces, want 3", got)
	}
}

// TestG3: capturing is compulsory; no pieces or no move is a loss; a win is
// looked at before any draw.
func TestG3(t *testing.T) {
	for _, c := range []struct{ game, fen string }{
		{"croda", "W:Wa1,d4:Bd5"}, {"russian", "W:Wa1,d4:Bc5"}, {"frisian", "W:W46,28:B23"},
	} {
		v, p := parse(t, c.game, c.fen)
		for _, m := range v.Generate(&p, nil) {
			if !m.IsCapture() {
				t.Errorf("%s: a quiet move beside a capture", c.fen)
			}
		}
	}
	for _, c := range []struct {
		game, fen string
		outcome   engine.Outcome
	}{
		{"croda", "W:W:BKa1", engine.BlackWins},
		{"croda", "B:Wa1:B", engine.WhiteWins},
		{"russian", "W:Wa5:Bb6,c7", engine.BlackWins},
		{"russian", "B:W:B", engine.WhiteWins},
		{"frisian", "B:W50:B", engine.WhiteWins},
		{"frisian", "W:W6:B1", engine.BlackWins},
	} {
		v, p := parse(t, c.game, c.fen)
		g := engine.NewGame(v, engine.Basic, p, 0)
		wantEnd(t, g, engine.NoMoves, c.outcome)
		if err := g.Play(engine.Move{}); err == nil {
			t.Errorf("%s: a move after the end", c.fen)
		}
	}
	// The thirtieth ply of three kings v one blocks the one: a win, no draw.
	v, p := parse(t, "russian", "W:WKb2,Ka5,Kh2:BKa1")
	p.SetCounts(29, 29, 0)
	g := engine.NewGame(v, engine.Federation, p, 1)
	play(t, g, "a5-c3")
	wantEnd(t, g, engine.NoMoves, engine.WhiteWins)
}

// TestG4: routes with the same four are one move, others are not.
func TestG4(t *testing.T) {
	v, p := parse(t, "russian", "W:WKd2:Bc5,e5,c3,e3")
	routes := map[string]int{}
	for _, m := range v.Generate(&p, nil) {
		n := 0
		v.Routes(&p, m, func([]engine.Square) bool { n++; return true })
		routes[notation.FullMove(v, &p, m)] = n
	}
	if len(routes) != 3 || routes["d2xb4xd6xf4xd2"] != 2 {
		t.Errorf("routes %v, want three moves, of which d2xb4xd6xf4xd2 has two", routes)
	}
	m := engine.NewMove(1, 2, 4, engine.CapturePromotes)
	if same := m; !m.Same(same) {
		t.Error("a move is not the same as itself")
	}
	for _, other := range []engine.Move{
		engine.NewMove(3, 2, 4, engine.CapturePromotes),
		engine.NewMove(1, 3, 4, engine.CapturePromotes),
		engine.NewMove(1, 2, 12, engine.CapturePromotes),
		engine.NewMove(1, 2, 4, engine.ManCaptures),
	} {
		if m.Same(other) {
			t.Errorf("%+v and %+v are two moves", m, other)
		}
	}
	if road := engine.NewMove(1, 2, 4, engine.CapturePromotes|engine.KeepsRoad); !m.Same(road) {
		t.Error("only the four count")
	}
}

// TestG5: two profiles, and where they differ.
func TestG5(t *testing.T) {
	for _, p := range []engine.Profile{engine.Basic, engine.Federation} {
		if got, err := engine.ParseProfile(p.String()); got != p || err != nil {
			t.Errorf("%s was read as %s, %v", p, got, err)
		}
	}
	if _, err := engine.ParseProfile("Basic"); err == nil {
		t.Error("an unknown profile was read")
	}
	for _, c := range []struct {
		game, fen string
		differ    bool
	}{
		{"croda", "W:WKb2,Kb3,Kb4:BKg7", false},
		{"russian", "W:WKc1,Kg1:BKb8", true},
		{"russian", "W:WKc1,a1:BKf8,h8", true},
		{"frisian", "W:WK46,K47:BK15", false},
		{"frisian", "W:WK28:BK5", false},
	} {
		v, p := parse(t, c.game, c.fen)
		p.SetCounts(60, 20, 0)
		basic, federation := v.Ending(&p, engine.Basic), v.Ending(&p, engine.Federation)
		if (basic.Draw != federation.Draw) != c.differ {
			t.Errorf("%s: basic %s, federation %s", c.fen, basic.Draw, federation.Draw)
		}
	}
}

// TestG6: the program ends what no rule ends, and says so.
func TestG6(t *testing.T) {
	v, p := parse(t, "frisian", "W:W36,K46,K50:B5,K15")
	g := engine.NewGame(v, engine.Basic, p, 7)
	play(t, g, "46-41", "15-4", "41-46", "4-15", "50-44", "15-4", "44-50")
	wantEnd(t, g, engine.PlyLimit, engine.Unfinished) // no outcome, no draw
	if len(g.Moves()) != 7 || g.Legal() != nil {
		t.Errorf("%d plies and %d legal moves, want 7 and none", len(g.Moves()), len(g.Legal()))
	}
	// A rule comes before the limit on the same ply.
	v, p = parse(t, "frisian", "W:WK46,K47:BK15")
	p.SetCounts(13, 13, 0)
	g = engine.NewGame(v, engine.Basic, p, 1)
	play(t, g, "46-41")
	wantEnd(t, g, engine.Kings2v1, engine.Draw)
	// The third occurrence, in a game without such an article.
	v, p = parse(t, "russian", "W:WKc1,a1,h2:BKf8,h8,a7")
	g = engine.NewGame(v, engine.Basic, p, 0)
	play(t, g, "c1-d2", "f8-e7", "d2-c1", "e7-f8", "c1-d2", "f8-e7", "d2-c1", "e7-f8")
	wantEnd(t, g, engine.Repetition, engine.Draw)
	for by, class := range map[engine.Termination]string{
		engine.NoMoves: "win", engine.Repetition: "repetition", engine.PlyLimit: "cut-off", engine.DeadDraw: "table",
		engine.Lone1v1: "rule", engine.Kings2v1: "rule", engine.Kings3v1: "rule", engine.KingsOnly15: "rule",
		engine.Balance30: "rule", engine.Balance60: "rule", engine.MainRoad5: "rule", engine.LoneKing5: "rule",
		engine.Adjudicated: "adjudicated", engine.TableWin: "table", engine.Ongoing: "cut-off",
	} {
		if got, err := engine.ParseTermination(by.String()); got != by || err != nil || by.Class() != class {
			t.Errorf("%s: class %s, want %s; read as %s, %v", by, by.Class(), class, got, err)
		}
	}
}

// TestG7: a table may end a game; nothing changes a game that is over.
func TestG7(t *testing.T) {
	v, p := parse(t, "croda", "W:WKb2:BKg7")
	g := engine.NewGame(v, engine.Basic, p, 0)
	g.Stop(engine.DeadDraw, engine.Draw)
	wantEnd(t, g, engine.DeadDraw, engine.Draw)
	g.Stop(engine.Adjudicated, engine.WhiteWins)
	wantEnd(t, g, engine.DeadDraw, engine.Draw)
	if err := g.Play(engine.Move{}); err == nil || g.Legal() != nil {
		t.Error("the game is over, yet it has moves")
	}
	g.Reset(p)
	wantEnd(t, g, engine.Ongoing, engine.Unfinished)
	if len(g.Moves()) != 0 || len(g.Keys()) != 1 || len(g.Legal()) == 0 {
		t.Error("Reset does not begin anew")
	}
}

// TestG8: names of squares and the directions of the two sides.
func TestG8(t *testing.T) {
	for game, corners := range map[string]map[string][2]int{
		"croda":   {"a1": {0, 0}, "h1": {7, 0}, "a8": {0, 7}, "h8": {7, 7}},
		"russian": {"a1": {0, 0}, "g1": {6, 0}, "b8": {1, 7}, "h8": {7, 7}},
		"frisian": {"1": {1, 9}, "5": {9, 9}, "6": {0, 8}, "46": {0, 0}, "50": {8, 0}},
	} {
		v, err := variants.ByName(game)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range corners {
			s, err := v.Board.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			if x, y := v.Board.XY(s); x != want[0] || y != want[1] || v.Board.Name(s) != name {
				t.Errorf("%s: %s is at %d, %d and called %s, want %v", game, name, x, y, v.Board.Name(s), want)
			}
			if at, ok := v.Board.At(want[0], want[1]); !ok || at != s {
				t.Errorf("%s: no %s at %v", game, name, want)
			}
		}
		for i, s := range v.Board.Squares() {
			index := i
			if x, y := v.Board.XY(s); game != "frisian" {
				index = 8*y + x
			}
			if v.Board.Index(s) != index || v.Board.Pack(s.Bit()) != 1<<index {
				t.Errorf("%s: %s has index %d, want %d", game, v.Board.Name(s), v.Board.Index(s), index)
			}
			if back, err := v.Board.Unpack(1 << index); err != nil || back != s.Bit() {
				t.Errorf("%s: unpacking %d gives %#x, %v", game, index, back, err)
			}
		}
		if _, err := v.Board.Unpack(^uint64(0)); (err == nil) != (game == "croda") {
			t.Errorf("%s: a full word was unpacked: %v", game, err)
		}
		for _, m := range v.Generate(&v.Start, nil) {
			_, from := v.Board.XY(m.From())
			if _, to := v.Board.XY(m.To()); v.Start.Side() != engine.White || to != from+1 {
				t.Errorf("%s: White begins and moves up, not from rank %d to %d", game, from+1, to+1)
			}
		}
	}
}
