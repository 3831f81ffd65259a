package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
)

// manyPositions is how many positions of each game TestManyPositions searches:
// a few thousand, with DRAUGHTLAB_DEEP two million, or DRAUGHTLAB_POSITIONS.
func manyPositions(t *testing.T) int {
	if text := os.Getenv("DRAUGHTLAB_POSITIONS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("DRAUGHTLAB_POSITIONS=%s: %v", text, err)
		}
		return n
	}
	switch {
	case os.Getenv("DRAUGHTLAB_DEEP") != "":
		return 2_000_000
	case testing.Short():
		return 500
	}
	return 3000
}

// scatter begins g anew with up to 16 pieces a side anywhere, then plays some
// random moves, which sets clocks and king runs; ok is false if the game is
// over.
func scatter(g *engine.Game, r *rand.Rand) (ok bool) {
	v, p := g.Variant(), engine.Position{State: engine.ToMove(engine.Color(r.IntN(2)))}
	squares := v.Board.Squares()
	kings := r.IntN(4)
	for c := range p.Pieces {
		for range 1 + r.IntN(16) {
			bit := squares[r.IntN(len(squares))].Bit()
			if bit&p.Occupied() != 0 {
				continue
			}
			p.Pieces[c] |= bit
			if bit&v.Board.Crown[c] != 0 || r.IntN(8) < kings {
				p.Kings |= bit
			}
		}
	}
	g.Reset(p)
	for range r.IntN(12) {
		legal := g.Legal()
		if len(legal) == 0 {
			return false
		}
		if err := g.Play(legal[r.IntN(len(legal))]); err != nil {
			panic(err)
		}
	}
	return g.Termination() == engine.Ongoing
}

// Whatever the position, the limit and what the table holds of other games, the
// search returns a legal move and line, and visits no more nodes than the
// limit, or than following its first move to quiet positions takes.
func TestManyPositions(t *testing.T) {
	n := manyPositions(t)
	for _, v := range variants.All() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(31, 7))
			beyond := 0
			for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
				g := engine.NewGame(v, profile, v.Start, 0)
				s := New(v, eval.Default(v), Options{Profile: profile, HashEntries: 1 << 10})
				for done := 0; done < n/2; {
					begin := scatter
					if r.IntN(2) == 0 {
						begin = func(g *engine.Game, r *rand.Rand) bool { return randomGame(g, r, r.IntN(120)) }
					}
					if !begin(g, r) {
						continue
					}
					done++
					s.Clear()
					first := searchLegal(t, s, g, Limits{Nodes: 1}).Nodes
					if first > 100 {
						beyond++
					}
					limit := uint64(1 + r.IntN(400))
					if done%100 == 0 {
						limit = 5000
					}
					s.Clear()
					if r := searchLegal(t, s, g, Limits{Nodes: limit}); r.Nodes > max(limit, first) {
						t.Fatalf("%+v: %d nodes, limit %d, the first move takes %d", g.Position(), r.Nodes, limit, first)
					}
					searchLegal(t, s, g, Limits{Nodes: limit, Deep: true}) // with a full table
				}
			}
			t.Logf("in %d of %d positions the first move takes more than 100 nodes", beyond, n)
		})
	}
}

// searchLegal searches the position of g and checks move and line against moves
// generated anew.
func searchLegal(t *testing.T, s *Searcher, g *engine.Game, l Limits) Result {
	t.Helper()
	r, err := s.Search(g.Position(), g.Keys(), l)
	if err != nil {
		t.Fatalf("%+v: %v", g.Position(), err)
	}
	if len(r.PV) == 0 || r.PV[0] != r.Move || r.Score < -Win || r.Score > Win || r.WinIn != winIn(r.Score) {
		t.Fatalf("%+v: %+v", g.Position(), r)
	}
	p := g.Position()
	for _, m := range r.PV {
		legal := false
		for _, other := range g.Variant().Generate(&p, nil) {
			legal = legal || other == m
		}
		if !legal {
			t.Fatalf("%+v has no move %s, in %+v", p, show(g.Variant(), m), r)
		}
		p = p.Make(m)
	}
	return r
}

// Positions share an entry of the table only if they are alike in all that
// decides what follows: the moves, with the king runs they leave (F9), and the
// draw articles' judgement with its clock (R9, R10, F10).
func TestEntriesAreNotShared(t *testing.T) {
	for _, v := range variants.All() {
		for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
			r := rand.New(rand.NewPCG(37, uint64(profile)))
			g := engine.NewGame(v, profile, v.Start, 0)
			states, boards := map[uint64]string{}, map[string]map[uint64]bool{}
			for range 400 {
				if !scatterFew(g, r) {
					continue
				}
				for range 60 {
					p := g.Position()
					ending := v.Ending(&p, profile)
					board := fmt.Sprint(p.Pieces, p.Kings, p.Side())
					state := fmt.Sprint(board, ending, v.Generate(&p, nil))
					key := engine.WithClock(p.Key(), ending.Clock)
					if old, ok := states[key]; ok && old != state {
						t.Fatalf("%s %s: one key for\n%s\n%s", v.Name, profile, old, state)
					}
					states[key] = state
					if boards[board] == nil {
						boards[board] = map[uint64]bool{}
					}
					boards[board][key] = true
					if !shuffleMove(g, r) {
						break
					}
				}
			}
			several := 0
			for _, keys := range boards {
				if len(keys) > 1 {
					several++
				}
			}
			if wanted := v.Name != "croda"; (several >= 20) != wanted {
				t.Errorf("%s %s: %d boards stood in several states", v.Name, profile, several)
			}
		}
	}
}

// scatterFew begins g anew with one to three pieces a side, all kings or not.
func scatterFew(g *engine.Game, r *rand.Rand) bool {
	v, p := g.Variant(), engine.Position{State: engine.ToMove(engine.Color(r.IntN(2)))}
	squares, kings := v.Board.Squares(), r.IntN(2) == 0
	for c := range p.Pieces {
		for i := range 1 + r.IntN(3) {
			bit := squares[r.IntN(len(squares))].Bit()
			if bit&p.Occupied() != 0 {
				continue
			}
			p.Pieces[c] |= bit
			if kings || i == 0 || bit&v.Board.Crown[c] != 0 {
				p.Kings |= bit
			}
		}
	}
	g.Reset(p)
	return g.Termination() == engine.Ongoing
}

// shuffleMove makes a random move in g, if it can one that takes the side's last
// move back; ok is false if the game is over.
func shuffleMove(g *engine.Game, r *rand.Rand) (ok bool) {
	legal := g.Legal()
	if len(legal) == 0 {
		return false
	}
	m := legal[r.IntN(len(legal))]
	if made := g.Moves(); len(made) > 1 && r.IntN(4) > 0 {
		last := made[len(made)-2]
		for _, back := range legal {
			if back.From() == last.To() && back.To() == last.From() && !back.IsCapture() {
				m = back
			}
		}
	}
	if err := g.Play(m); err != nil {
		panic(err)
	}
	return true
}

// What the search calls a win is one, as short as it says or shorter: a plain
// prover finds it from the position searched and from each one of the line,
// where the search, with the table it has by then, says the same from its own
// count of plies.
func TestWinsFromAllPlies(t *testing.T) {
	for _, v := range variants.All() {
		r := rand.New(rand.NewPCG(41, 0))
		g := engine.NewGame(v, engine.Basic, v.Start, 0)
		s := newSearcher(v)
		x := minimax{v: v, e: eval.NewEvaluator(v, eval.Default(v))}
		wins, lines := 0, 0
		for wins < 12 {
			ok := scatter(g, r)
			p := g.Position()
			if !ok || p.Count() > 9 {
				continue
			}
			res := searchLegal(t, s, g, Limits{Depth: 7, Deep: true})
			if res.WinIn < 3 || res.WinIn > 7 {
				continue
			}
			wins++
			if n := x.win(p, min(res.WinIn, 5)); n == 0 && res.WinIn <= 5 {
				t.Fatalf("%s: %+v: a win in %d that the prover does not find", v.Name, p, res.WinIn)
			}
			for left := res.WinIn; len(g.Legal()) > 0; left-- {
				found := searchLegal(t, s, g, Limits{Depth: 7, Deep: true})
				want := left
				if (res.WinIn-left)%2 == 1 { // the loser is to move
					want = -left
				}
				if found.WinIn == 0 || found.WinIn*want < 0 || found.WinIn > 0 && found.WinIn > want || found.WinIn < 0 && found.WinIn < want {
					t.Fatalf("%s: %+v: %d plies from the end of a win in %d, the search says %d", v.Name, g.Position(), left, res.WinIn, found.WinIn)
				}
				left = max(found.WinIn, -found.WinIn)
				if err := g.Play(found.Move); err != nil {
					t.Fatal(err)
				}
				lines++
			}
			if g.Outcome() == engine.Draw || g.Outcome() == engine.Unfinished {
				t.Fatalf("%s: a win in %d ends by %s", v.Name, res.WinIn, g.Termination())
			}
		}
		t.Logf("%s: %d wins, %d positions on the way", v.Name, wins, lines)
	}
}

// The search asks for draw articles only where a king is on the board: without
// kings none draws and no clock counts, however long nothing changes.
func TestNoArticleWithoutKings(t *testing.T) {
	for _, v := range variants.All() {
		for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
			r := rand.New(rand.NewPCG(47, 0))
			g, seen := engine.NewGame(v, profile, v.Start, 0), 0
			for range 3000 {
				ok := randomGame(g, r, r.IntN(100))
				p := g.Position()
				if !ok || p.Kings != 0 {
					continue
				}
				p.SetCounts(255, 255, 255)
				if e := v.Ending(&p, profile); e != (engine.Ending{}) {
					t.Fatalf("%s %s: %+v: %+v", v.Name, profile, p, e)
				}
				seen++
			}
			if seen < 500 {
				t.Errorf("%s: only %d positions", v.Name, seen)
			}
		}
	}
}
