package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
)

// Without table, reductions and pruning the search is exactly minimax: bounds,
// move order and null windows must change no score. Draws and repetitions of the
// game are in both.
func TestSearchIsMinimax(t *testing.T) {
	for _, v := range variants.All() {
		for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
			r := rand.New(rand.NewPCG(3, uint64(profile)))
			g := engine.NewGame(v, profile, v.Start, 0)
			s := New(v, eval.Default(v), Options{Profile: profile, Off: unsound})
			x := minimax{v: v, e: eval.NewEvaluator(v, eval.Default(v)), profile: profile}
			decided := 0
			for n := 0; n < 60; {
				if !randomGame(g, r, r.IntN(110)) {
					continue
				}
				n++
				depth := 1 + r.IntN(3)
				if v.Name == "croda" {
					depth = min(depth, 2)
				}
				got, err := s.Search(g.Position(), g.Keys(), Limits{Depth: depth})
				if err != nil {
					t.Fatal(err)
				}
				x.horizon = 2*got.Depth + 8
				want := x.score(g.Position(), g.Keys(), got.Depth, 0)
				if got.Score != want {
					t.Fatalf("%s %s: %+v depth %d: %d, minimax %d", v.Name, profile, g.Position(), got.Depth, got.Score, want)
				}
				if got.WinIn != 0 || got.Score == 0 {
					decided++
				}
			}
			t.Logf("%s %s: %d wins and draws among them", v.Name, profile, decided)
		}
	}
}

// The first window of an iteration must change no score, whether it holds or
// fails, as often as it is widened.
func TestAspirationChangesNoScore(t *testing.T) {
	for _, v := range variants.All() {
		r := rand.New(rand.NewPCG(29, 0))
		g := engine.NewGame(v, engine.Basic, v.Start, 0)
		with := New(v, eval.Default(v), Options{Off: unsound})
		without := New(v, eval.Default(v), Options{Off: append([]string{"aspiration"}, unsound...)})
		jumps := 0
		for n := 0; n < 80; {
			if !randomGame(g, r, 20+r.IntN(100)) {
				continue
			}
			n++
			before := 0
			limits := Limits{Depth: 5, Progress: func(r Result) {
				if r.Depth >= 4 && (r.Score <= before-window || r.Score >= before+window) {
					jumps++
				}
				before = r.Score
			}}
			a, err := without.Search(g.Position(), g.Keys(), limits)
			if err != nil {
				t.Fatal(err)
			}
			b, err := with.Search(g.Position(), g.Keys(), Limits{Depth: 5})
			if err != nil || a.Score != b.Score || a.Depth != b.Depth {
				t.Errorf("%s: %+v: %d in depth %d, without %d in depth %d, %v", v.Name, g.Position(), b.Score, b.Depth, a.Score, a.Depth, err)
			}
		}
		if jumps < 5 {
			t.Errorf("%s: only %d windows failed", v.Name, jumps)
		}
	}
}

// Reading the table may only add knowledge: a win or loss that the search
// proves without it is proven with it, no later.
func TestTableKeepsProofs(t *testing.T) {
	for _, v := range variants.All() {
		r := rand.New(rand.NewPCG(5, 0))
		g := engine.NewGame(v, engine.Basic, v.Start, 0)
		with := New(v, eval.Default(v), Options{Off: unsound[:len(unsound)-1]})
		without := New(v, eval.Default(v), Options{Off: unsound})
		proofs := 0
		for n := 0; n < 150; {
			ok := randomGame(g, r, 20+r.IntN(100))
			if p := g.Position(); !ok || p.Count() > 12 {
				continue
			}
			n++
			with.Clear()
			a, err := with.Search(g.Position(), g.Keys(), Limits{Depth: 4})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := without.Search(g.Position(), g.Keys(), Limits{Depth: 4})
			if b.WinIn != 0 {
				if proofs++; a.WinIn != b.WinIn {
					t.Errorf("%s: %+v: won in %d with the table, %d without", v.Name, g.Position(), a.WinIn, b.WinIn)
				}
			}
		}
		if proofs < 5 {
			t.Errorf("%s: only %d proofs", v.Name, proofs)
		}
	}
}

// The search gives a legal move and a legal line in any position, whatever the
// limit, and never visits more nodes than allowed but to see its first move
// through.
func TestLegalWithinLimits(t *testing.T) {
	for _, v := range variants.All() {
		r := rand.New(rand.NewPCG(7, 0))
		g := engine.NewGame(v, engine.Basic, v.Start, 0)
		s := newSearcher(v)
		for n := 0; n < 300; {
			if !randomGame(g, r, r.IntN(100)) {
				continue
			}
			n++
			limit := uint64(1 + r.IntN(500))
			if n%4 == 0 {
				limit = 1
			}
			checkSearch(t, s, g, Limits{Nodes: limit})
		}
	}
}

// checkSearch searches the position of g and checks what must hold always.
func checkSearch(t *testing.T, s *Searcher, g *engine.Game, l Limits) {
	t.Helper()
	v := g.Variant()
	res, err := s.Search(g.Position(), g.Keys(), l)
	if err != nil {
		t.Fatal(err)
	}
	if l.Nodes > 0 && res.Nodes > max(l.Nodes, 200) {
		t.Errorf("%s: %d nodes, limit %d", v.Name, res.Nodes, l.Nodes)
	}
	if len(res.PV) == 0 || res.PV[0] != res.Move {
		t.Fatalf("%s: move %s, line %v", v.Name, show(v, res.Move), res.PV)
	}
	if (res.WinIn != 0) != (res.Score > MaxEval || res.Score < -MaxEval) || res.Score > Win || res.Score < -Win {
		t.Errorf("%s: score %d, won in %d", v.Name, res.Score, res.WinIn)
	}
	p := g.Position()
	for _, m := range res.PV {
		legal := false
		for _, l := range v.Generate(&p, nil) {
			legal = legal || l == m
		}
		if !legal {
			t.Fatalf("%s: %+v has no move %s", v.Name, p, show(v, m))
		}
		p = p.Make(m)
	}
}

// FuzzSearch looks for positions in which the search fails.
func FuzzSearch(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint16(40), uint16(100), false)
	f.Add(uint64(2), uint8(1), uint16(90), uint16(1), true)
	f.Add(uint64(3), uint8(2), uint16(120), uint16(3000), true)
	f.Fuzz(func(t *testing.T, seed uint64, game uint8, plies, nodes uint16, federation bool) {
		v := variants.All()[int(game)%3]
		profile := engine.Basic
		if federation {
			profile = engine.Federation
		}
		g := engine.NewGame(v, profile, v.Start, 0)
		if randomGame(g, rand.New(rand.NewPCG(seed, 0)), int(plies%300)) {
			checkSearch(t, New(v, eval.Default(v), Options{Profile: profile, HashEntries: 1024}), g, Limits{Nodes: uint64(nodes) + 1})
		}
	})
}

// A cleared searcher is a new one, and the same input gives the same result.
func TestDeterministic(t *testing.T) {
	for _, v := range variants.All() {
		game := func(s *Searcher) (out []Result) {
			g := engine.NewGame(v, engine.Basic, v.Start, 0)
			for range 30 {
				if g.Termination() != engine.Ongoing {
					break
				}
				res, err := s.Search(g.Position(), g.Keys(), Limits{Nodes: 1500})
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, res)
				if err := g.Play(res.Move); err != nil {
					t.Fatal(err)
				}
			}
			return out
		}
		s := newSearcher(v)
		want := fmt.Sprint(game(s))
		s.Search(v.Start, nil, Limits{Depth: 4}) // leaves traces
		s.Clear()
		if got := fmt.Sprint(game(s)); got != want {
			t.Errorf("%s: a cleared searcher plays differently", v.Name)
		}
		s.table.generation = 65535 // the last one before entries are wiped
		s.Clear()
		if got := fmt.Sprint(game(s)); got != want {
			t.Errorf("%s: after the last generation it plays differently", v.Name)
		}
		if got := fmt.Sprint(game(newSearcher(v))); got != want {
			t.Errorf("%s: a new searcher plays differently", v.Name)
		}
	}
}

// Searching allocates the line it returns and nothing else.
func TestSearchAllocates(t *testing.T) {
	for _, v := range variants.All() {
		s := newSearcher(v)
		run := func(nodes uint64) float64 {
			return testing.AllocsPerRun(3, func() {
				s.Clear()
				if _, err := s.Search(v.Start, nil, Limits{Nodes: nodes}); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := run(100), run(20000); few > 8 || many > 8 {
			t.Errorf("%s: %v allocations in 100 nodes, %v in 20000", v.Name, few, many)
		}
	}
}

func TestErrors(t *testing.T) {
	v := variant(t, "russian")
	s := newSearcher(v)
	p := v.Start
	if _, err := s.Search(p, nil, Limits{}); err == nil {
		t.Error("no limit, no error")
	}
	if _, err := s.Search(p, []uint64{1}, Limits{Depth: 1}); err == nil {
		t.Error("foreign history, no error")
	}
	p.Pieces[engine.White] = 0
	if _, err := s.Search(p, nil, Limits{Depth: 1}); err == nil {
		t.Error("no move, no error")
	}
}
