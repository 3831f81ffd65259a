package dataset

import (
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/notation"
	"draughtlab/engine/russian"
)

// russianTables builds the tables of a game anew in a cache of the test's own.
func russianTables(tb testing.TB, profile engine.Profile) *endgame.Tables {
	tb.Helper()
	tb.Setenv("XDG_CACHE_HOME", tb.TempDir())
	t, err := endgame.Default(tb.Context(), russian.Variant(), endgame.ForProfile(profile))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// playTo plays moves from a position, with no evaluations, and ends the game as
// the referee does, or not at all.
func playTo(t *testing.T, fen string, referee Referee, moves ...string) *Record {
	t.Helper()
	v := russian.Variant()
	start, err := notation.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	g := engine.NewGame(v, engine.Basic, start, testPlyLimit)
	for _, text := range moves {
		p := g.Position()
		m, err := notation.ParseMove(v, &p, g.Legal(), text)
		if err == nil {
			err = g.Play(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	referee.Stop(g)
	return &Record{Opening: "x", Start: start, Moves: g.Moves(), Evals: make([]Eval, len(moves)), Termination: g.Termination(), Outcome: g.Outcome()}
}

// Protects games that tables end: the column says with how many pieces; the
// referee ends drawn games, and won ones if asked to, and none of more pieces;
// an end, or a move after it, that contradicts the tables is refused.
func TestReferee(t *testing.T) {
	known := russianTables(t, engine.Basic)
	draws, all := Referee{Tables: known, Pieces: 3}, Referee{Tables: known, Pieces: 3, Wins: true}
	for _, c := range []struct {
		referee Referee
		fen     string
		moves   []string
		end     string
	}{
		{draws, "W:WKa1,Kc3:Bd4,Kh2", []string{"c3xe5"}, "dead-draw 1/2-1/2 3"},
		{all, "W:WKa1:BKh2", []string{}, "dead-draw 1/2-1/2 2"},
		{draws, "W:WKa1:Ba7", []string{}, "ongoing * 0"},
		{all, "W:WKa1:Ba7", []string{}, "table-win 1-0 2"},
		{all, "W:Wa1,Kc3:Bd4,a7", []string{"c3xg7"}, "table-win 1-0 3"},
		{Referee{Tables: known, Pieces: 2, Wins: true}, "W:WKa1,c1:Ba7", []string{}, "ongoing * 0"},
		{Referee{}, "W:WKa1:BKh2", []string{}, "ongoing * 0"},
	} {
		r := playTo(t, c.fen, c.referee, c.moves...)
		spec := testSpec(russian.Variant(), 0, 0, 1)
		spec.Referee = c.referee
		row, _, err := newRowMaker(spec).rows(r)
		pieces := string(rune('0' + row.TablePieces))
		if got := r.Termination.String() + " " + r.Outcome.String() + " " + pieces; got != c.end || (err == nil) != (r.Termination != engine.Ongoing) {
			t.Errorf("%s %v: %s (%v), want %s", c.fen, c.moves, got, err, c.end)
		}
	}
	for want, c := range map[string]struct {
		referee Referee
		fen     string
		end     engine.Termination
		outcome engine.Outcome
		moves   []string
	}{
		"say table-win 1-0, the game says dead-draw":               {all, "W:WKa1:Ba7", engine.DeadDraw, engine.Draw, nil},
		"say table-win 1-0, the game says table-win 0-1":           {all, "W:WKa1:Ba7", engine.TableWin, engine.BlackWins, nil},
		"dead-draw 1/2-1/2, but tables of 3 pieces":                {draws, "W:WKa1:Ba7", engine.DeadDraw, engine.Draw, nil},
		"table-win 1-0, but tables of 3 pieces":                    {draws, "W:WKa1:Ba7", engine.TableWin, engine.WhiteWins, nil},
		"say dead-draw 1/2-1/2, the game says adjudicated 1-0":     {draws, "W:WKa1:BKh2", engine.Adjudicated, engine.WhiteWins, nil},
		"end the game here (dead-draw 1/2-1/2), but it goes on":    {draws, "W:WKa1:BKh2", engine.Adjudicated, engine.Draw, []string{"a1-b2"}},
		"dead-draw 1/2-1/2, but tables of 3 pieces end no game wi": {draws, "W:WKa1,a3,c3:BKh2", engine.DeadDraw, engine.Draw, nil},
	} {
		r := playTo(t, c.fen, Referee{}, c.moves...)
		r.Termination, r.Outcome = c.end, c.outcome
		spec := testSpec(russian.Variant(), 0, 0, 1)
		spec.Referee = c.referee
		if _, _, err := newRowMaker(spec).rows(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %s: %v, want %s", c.fen, c.end, err, want)
		}
	}
	p, err := notation.ParseFEN(russian.Variant(), "W:WKa1,b2:BKh2")
	if err != nil {
		t.Fatal(err)
	}
	if allocs := testing.AllocsPerRun(10, func() { all.Judge(&p) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Protects datasets of the first schema version: they read, hash and verify as
// the program that wrote them said.
func TestSchema1(t *testing.T) {
	const dir, hash = "testdata/schema1", "b851984cfd5f8c85a2e5c60fe980821c36e024dda4a8660376a2194cabbab158"
	if got, err := Hash(t.Context(), dir); err != nil || got != hash {
		t.Errorf("hash %s (%v), not %s", got, err, hash)
	}
	report, err := Verify(t.Context(), dir, nil)
	if err != nil || len(report.Problems) > 0 || report.Games != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	err = Games(dir, "russian", func(r *GameRow) error {
		if r.TablePieces != 0 || r.WeightsHash == "" {
			t.Errorf("game %d: %+v", r.Game, r)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
