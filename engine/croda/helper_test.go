package croda_test

import (
	"slices"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/croda"
	"draughtlab/engine/notation"
)

// parse reads a FEN.
func parse(t *testing.T, fen string) engine.Position {
	t.Helper()
	p, err := notation.ParseFEN(croda.Variant(), fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wantMoves checks the legal moves of a position, each written with all its
// squares and " =K" if it makes a king.
func wantMoves(t *testing.T, fen string, want ...string) {
	t.Helper()
	v, p := croda.Variant(), parse(t, fen)
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
		t.Errorf("%s:\n got %v\nwant %v", fen, got, want)
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
