package frisian_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/frisian"
	"draughtlab/engine/notation"
)

// parse reads a FEN.
func parse(t *testing.T, fen string) engine.Position {
	t.Helper()
	p, err := notation.ParseFEN(frisian.Variant(), fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wantMoves checks the legal moves of a position, each written with all its
// squares and " =K" if it makes a king.
func wantMoves(t *testing.T, fen string, want ...string) {
	t.Helper()
	wantMovesAt(t, parse(t, fen), want...)
}

func wantMovesAt(t *testing.T, p engine.Position, want ...string) {
	t.Helper()
	v := frisian.Variant()
	var got []string
	for _, m := range v.Generate(&p, nil) {
		text := notation.FullMove(v, &p, m)
		if m.Promotes() {
			text += " =K"
		}
		got = append(got, text)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s %s:\n got %v\nwant %v", notation.FormatFEN(v, &p), notation.FormatRuns(v, &p), got, want)
	}
}

// play makes moves, each of which must be legal when its turn comes.
func play(t *testing.T, g *engine.Game, moves ...string) {
	t.Helper()
	for _, text := range moves {
		p := g.Position()
		m, err := notation.ParseMove(g.Variant(), &p, g.Legal(), text)
		if err != nil {
			t.Fatalf("%s after %d plies: %v", notation.FormatFEN(g.Variant(), &p), len(g.Moves()), err)
		}
		if err := g.Play(m); err != nil {
			t.Fatal(err)
		}
	}
}

// wantEnd checks how a game ended, or that it goes on.
func wantEnd(t *testing.T, g *engine.Game, by engine.Termination, outcome engine.Outcome) {
	t.Helper()
	if g.Termination() != by || g.Outcome() != outcome {
		t.Errorf("after %d plies: %s %s, want %s %s", len(g.Moves()), g.Termination(), g.Outcome(), by, outcome)
	}
}

// shuffle plays plies quiet moves from a position in a game that must go on
// all the while: no side may capture, the side to move at the end included,
// and every move satisfies ok (nil: any). It tries seeded random games until
// one comes that far.
func shuffle(t *testing.T, profile engine.Profile, fen string, plies int, ok func(ply int, m engine.Move, after *engine.Position) bool) *engine.Game {
	t.Helper()
	start := parse(t, fen)
	g := engine.NewGame(frisian.Variant(), profile, start, 0)
	for seed := range uint64(2000) {
		g.Reset(start)
		r := rand.New(rand.NewPCG(seed, 1))
		for len(g.Moves()) < plies && playSafe(t, g, r, ok) && g.Termination() == engine.Ongoing {
		}
		if len(g.Moves()) == plies && g.Termination() == engine.Ongoing {
			return g
		}
	}
	t.Fatalf("%s: no way of playing %d quiet plies", fen, plies)
	return nil
}

// playSafe plays a random quiet move after which the opponent has none but
// quiet moves; false if there is none.
func playSafe(t *testing.T, g *engine.Game, r *rand.Rand, ok func(int, engine.Move, *engine.Position) bool) bool {
	t.Helper()
	p, moves := g.Position(), slices.Clone(g.Legal())
	r.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
	for _, m := range moves {
		q := p.Make(m)
		if m.IsCapture() || !isQuiet(&q) || ok != nil && !ok(len(g.Moves())+1, m, &q) {
			continue
		}
		if err := g.Play(m); err != nil {
			t.Fatal(err)
		}
		return true
	}
	return false
}

// isQuiet reports whether the side to move has moves, and none is a capture.
func isQuiet(p *engine.Position) bool {
	moves := frisian.Variant().Generate(p, nil)
	return len(moves) > 0 && !moves[0].IsCapture()
}

// parseRuns is parse with king runs (F13) like {"W":[28,3]}.
func parseRuns(t *testing.T, fen, runs string) engine.Position {
	t.Helper()
	p := parse(t, fen)
	if err := notation.ParseRuns(frisian.Variant(), &p, []byte(runs)); err != nil {
		t.Fatal(err)
	}
	return p
}

// square returns the square of that number.
func square(t *testing.T, name string) engine.Square {
	t.Helper()
	s, err := frisian.Variant().Board.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
