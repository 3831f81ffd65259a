package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
)

// TestMain gives the endgame tables a cache of their own, so that no test
// depends on what the user has.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "draughtlab-search-*")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_CACHE_HOME", dir); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func tables(t testing.TB, v *engine.Variant, profile engine.Profile) *endgame.Tables {
	t.Helper()
	out, err := endgame.Default(t.Context(), v, endgame.ForProfile(profile))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// endingOf scatters so many pieces, with kings and clocks at random, in a game
// that goes on.
func endingOf(v *engine.Variant, profile engine.Profile, r *rand.Rand, pieces int) *engine.Game {
	squares := v.Board.Squares()
	for {
		p := engine.Position{State: engine.ToMove(engine.Color(r.IntN(2)))}
		for i := range pieces {
			bit := squares[r.IntN(len(squares))].Bit()
			if p.Occupied()&bit == 0 {
				side := r.IntN(2)
				if i < 2 {
					side = i
				}
				p.Pieces[side] |= bit
				p.Kings |= bit * uint64(r.IntN(2))
			}
		}
		n := uint8(r.IntN(20))
		p.SetCounts(n, uint8(r.IntN(int(n)+1)), 0)
		if p.Count() != pieces || p.Pieces[0] == 0 || p.Pieces[1] == 0 || v.Check(&p) != nil {
			continue
		}
		if g := engine.NewGame(v, profile, p, 0); g.Termination() == engine.Ongoing {
			return g
		}
	}
}

// scoreOf is what a search must say of a position with that result.
func scoreOf(r endgame.Result) int {
	switch r.Value {
	case endgame.Win:
		return Win - r.Distance
	case endgame.Loss:
		return -Win + r.Distance
	}
	return 0
}

// In an ending of the tables the score is theirs whatever the limit, and the
// moves of both sides end the game after exactly as many plies as they say;
// from a drawn one nobody wins.
func TestEndingsAreExact(t *testing.T) {
	for _, v := range variants.All() {
		for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
			known := tables(t, v, profile)
			s := New(v, eval.Default(v), Options{Profile: profile, Tables: known, TablePieces: 3})
			r := rand.New(rand.NewPCG(61, uint64(profile)))
			decided := 0
			for n := range 60 {
				g := endingOf(v, profile, r, 2+n%2)
				p := g.Position()
				want, ok := known.Probe(&p)
				if !ok {
					t.Fatalf("%s: no table of %+v", v.Name, p)
				}
				s.Clear()
				for range 60 {
					p := g.Position()
					now, _ := known.Probe(&p)
					res, err := s.Search(p, g.Keys(), Limits{Nodes: 1})
					if err != nil {
						t.Fatal(err)
					}
					if res.Score != scoreOf(now) || res.WinIn != winIn(res.Score) || res.Nodes != 1 {
						t.Fatalf("%s %s: %+v: %+v, the tables say %+v", v.Name, profile, p, res, now)
					}
					if err := g.Play(res.Move); err != nil {
						t.Fatal(err)
					}
					if g.Termination() != engine.Ongoing {
						break
					}
				}
				switch {
				case want.Value == endgame.Draw:
					if g.Termination() == engine.NoMoves {
						t.Errorf("%s %s: the drawn %+v was lost", v.Name, profile, p)
					}
				case want.Distance <= 60:
					decided++
					if g.Termination() != engine.NoMoves || len(g.Moves()) != want.Distance {
						t.Errorf("%s %s: %+v: %+v, ended with %s after %d plies", v.Name, profile, p, want, g.Termination(), len(g.Moves()))
					}
				}
			}
			if decided < 10 {
				t.Errorf("%s %s: only %d wins tried", v.Name, profile, decided)
			}
		}
	}
}

// Within the tree the tables contradict no proof of a search without them, a
// score from them is counted from the root, and a win that is found is won.
func TestEndingsInTheTree(t *testing.T) {
	for _, v := range variants.All() {
		with := New(v, eval.Default(v), Options{Tables: tables(t, v, engine.Basic), TablePieces: 3})
		without := newSearcher(v)
		r := rand.New(rand.NewPCG(67, 0))
		more, wins := 0, 0
		for range 80 {
			g := endingOf(v, engine.Basic, r, 4+r.IntN(2))
			with.Clear()
			a := searchLegal(t, with, g, Limits{Depth: 6})
			without.Clear()
			b := searchLegal(t, without, g, Limits{Depth: 6})
			if a.WinIn*b.WinIn < 0 || b.WinIn != 0 && a.WinIn == 0 {
				t.Errorf("%s: %+v: with tables %+v, without %+v", v.Name, g.Position(), a, b)
			}
			if a.WinIn != 0 && b.WinIn == 0 {
				more++
			}
			if a.WinIn <= 0 {
				continue
			}
			winner := g.Position().Side()
			for g.Termination() == engine.Ongoing && len(g.Moves()) < 300 {
				res, err := with.Search(g.Position(), g.Keys(), Limits{Depth: 6})
				if err == nil {
					err = g.Play(res.Move)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if wins++; g.Outcome() != engine.Wins(winner) {
				t.Errorf("%s: %+v: a win in %d ended with %s after %d plies", v.Name, g.Start(), a.WinIn, g.Termination(), len(g.Moves()))
			}
		}
		if more < 3 || wins < 10 {
			t.Errorf("%s: the tables proved only %d positions more, %d wins were played", v.Name, more, wins)
		}
	}
}

// The tables are asked about as many pieces as the options say and no more, and
// tables that do not fit are refused.
func TestEndingsAsAskedFor(t *testing.T) {
	v := variant(t, "russian")
	known := tables(t, v, engine.Basic)
	p := place(t, v, engine.White, "Ka1 Kc1", "Kh8")
	s := New(v, eval.Default(v), Options{Tables: known, TablePieces: 2})
	if res, err := s.Search(p, nil, Limits{Nodes: 500}); err != nil || res.Nodes < 2 {
		t.Errorf("three pieces, tables of two: %+v, %v", res, err)
	}
	for _, o := range []Options{
		{Tables: known, TablePieces: 4},
		{Tables: known, TablePieces: -1},
		{Tables: known, TablePieces: 3, Profile: engine.Federation},
		{Tables: tables(t, variant(t, "croda"), engine.Basic), TablePieces: 3},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("accepted: %d pieces, %s", o.TablePieces, o.Profile)
				}
			}()
			New(v, eval.Default(v), o)
		}()
	}
}

// A winning move that brings a position about for the third time wins nothing.
func TestEndingsAndRepetition(t *testing.T) {
	v := variant(t, "croda")
	known := tables(t, v, engine.Basic)
	r := rand.New(rand.NewPCG(71, 0))
	s := New(v, eval.Default(v), Options{Tables: known, TablePieces: 3})
	for tried := 0; tried < 20; {
		g := endingOf(v, engine.Basic, r, 3)
		p := g.Position()
		first, err := s.Search(p, nil, Limits{Depth: 2})
		if err != nil {
			t.Fatal(err)
		}
		q := p.Make(first.Move)
		if first.WinIn <= 3 || first.Move.IsCapture() {
			continue
		}
		tried++
		again, err := s.Search(p, []uint64{q.Key(), p.Key(), q.Key(), p.Key()}, Limits{Depth: 2})
		if err != nil {
			t.Fatal(err)
		}
		if again.Move.Same(first.Move) && again.Score != 0 {
			t.Errorf("%+v: %+v although it repeats for the third time", p, again)
		}
		if once, err := s.Search(p, []uint64{q.Key(), p.Key()}, Limits{Depth: 2}); err != nil || !once.Move.Same(first.Move) || once.WinIn != first.WinIn {
			t.Errorf("%+v: the second time %+v, %v; want %+v", p, once, err, first)
		}
	}
}

// Tables cost no allocation in the tree, and the same search gives the same
// result with them, too.
func TestEndingsAllocate(t *testing.T) {
	v := variant(t, "russian")
	s := New(v, eval.Default(v), Options{Tables: tables(t, v, engine.Basic), TablePieces: 3})
	var p engine.Position
	for r, nodes := rand.New(rand.NewPCG(73, 0)), uint64(0); nodes < 20000; {
		p = endingOf(v, engine.Basic, r, 6).Position()
		s.Clear()
		res, err := s.Search(p, nil, Limits{Nodes: 20000})
		if err != nil {
			t.Fatal(err)
		}
		nodes = res.Nodes
	}
	var last string
	allocs := testing.AllocsPerRun(3, func() {
		s.Clear()
		res, err := s.Search(p, nil, Limits{Nodes: 20000})
		if err != nil {
			t.Fatal(err)
		}
		res.PV = nil
		if now := fmt.Sprint(res); last != "" && now != last {
			t.Errorf("%s, then %s", last, now)
		} else {
			last = now
		}
	})
	if allocs > 20 { // the line and this test's text
		t.Errorf("%v allocations", allocs)
	}
}
