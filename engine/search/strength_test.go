package search

import (
	"math/rand/v2"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// player chooses the next move of a game.
type player func(g *engine.Game) engine.Move

func searching(t *testing.T, s *Searcher, l Limits) player {
	return func(g *engine.Game) engine.Move {
		res, err := s.Search(g.Position(), g.Keys(), l)
		if err != nil {
			t.Fatal(err)
		}
		return res.Move
	}
}

// match plays pairs of games from random openings, colours changed, and
// returns the results from a's view.
func match(v *engine.Variant, a, b player, pairs int) (won, drawn, lost int) {
	r := rand.New(rand.NewPCG(13, 0))
	opening := engine.NewGame(v, engine.Basic, v.Start, 0)
	g := engine.NewGame(v, engine.Basic, v.Start, 200)
	for n := 0; n < pairs; {
		if !randomGame(opening, r, 6) {
			continue
		}
		n++
		for _, colour := range []engine.Color{engine.White, engine.Black} {
			g.Reset(opening.Position())
			for g.Termination() == engine.Ongoing {
				mover := b
				if g.Position().Side() == colour {
					mover = a
				}
				if err := g.Play(mover(g)); err != nil {
					panic(err)
				}
			}
			switch g.Outcome() {
			case engine.Wins(colour):
				won++
			case engine.Wins(colour.Other()):
				lost++
			default:
				drawn++
			}
		}
	}
	return won, drawn, lost
}

// A few hundred nodes win every game against random moves.
func TestBeatsRandomMoves(t *testing.T) {
	for _, v := range variants.All() {
		r := rand.New(rand.NewPCG(17, 0))
		random := func(g *engine.Game) engine.Move { return g.Legal()[r.IntN(len(g.Legal()))] }
		won, drawn, lost := match(v, searching(t, newSearcher(v), Limits{Nodes: 300}), random, 10)
		if drawn+lost > 0 {
			t.Errorf("%s: %d won, %d drawn, %d lost", v.Name, won, drawn, lost)
		}
	}
}

// Looking deeper wins: depth 6 (Croda 4) against depth 2.
func TestDepthWins(t *testing.T) {
	if testing.Short() {
		t.Skip("plays games")
	}
	for _, v := range variants.All() {
		deep := 6
		if v.Name == "croda" {
			deep = 4
		}
		won, drawn, lost := match(v, searching(t, newSearcher(v), Limits{Depth: deep}), searching(t, newSearcher(v), Limits{Depth: 2}), 4)
		t.Logf("%s: %d won, %d drawn, %d lost", v.Name, won, drawn, lost)
		if won < 3*max(lost, 1) || 2*won+drawn < 11 {
			t.Errorf("%s: %d won, %d drawn, %d lost", v.Name, won, drawn, lost)
		}
	}
}
