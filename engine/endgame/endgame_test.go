package endgame

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/frisian"
	"draughtlab/engine/notation"
	"draughtlab/engine/russian"
	"draughtlab/engine/slow"
	"draughtlab/engine/variants"
)

// kingsOnly makes the tables of kings alone, three against one included, and
// those that they reach.
func kingsOnly(t testing.TB, rules Rules) *Tables {
	t.Helper()
	name := "kings" + rules.String()
	if made[name] != nil {
		return made[name]
	}
	tab := newTables(russian.Variant(), rules)
	for _, kings := range []int{1, 2, 3} {
		e, _, err := tab.obtain(context.Background(), "", Material{Force{0, kings}, Force{0, 1}}, 2)
		if err != nil {
			t.Fatal(err)
		}
		tab.add(e)
	}
	made[name] = tab
	return tab
}

// pieces is the number of pieces of tables that tests make of a game.
func pieces(v *engine.Variant) int {
	if testing.Short() && v.Name != "russian" {
		return 2
	}
	return DefaultPieces
}

// each calls do with the default tables of every game under every rules.
func each(t *testing.T, do func(t *testing.T, tab *Tables)) {
	for _, v := range variants.All() {
		for _, rules := range []Rules{Pure, Basic, Federation, Free} {
			if rules.kept(v) == rules && (!testing.Short() || rules != Basic || v.Name != "russian") { // the same up to three pieces as Pure
				t.Run(v.Name+"/"+rules.String(), func(t *testing.T) { do(t, tables(t, v, rules, pieces(v))) })
			}
		}
	}
}

// TestIndex protects the index: every state that is no hole has one number, its
// own, and a mirrored placement that of its image.
func TestIndex(t *testing.T) {
	each(t, func(t *testing.T, tab *Tables) {
		for _, e := range tab.endings {
			for _, s := range e.slices {
				r := s.reader(tab.geometry.board)
				for n := 0; n < s.states(); n += 1 + s.states()/10007 {
					w := r.view(n)
					if w.overlap() {
						continue
					}
					if got := s.state(&w); got != n {
						t.Fatalf("%s: state %d is numbered %d", e.material, n, got)
					}
					if !tab.geometry.mirrored {
						continue
					}
					for i := range w.set {
						w.set[i] = mirror(w.set[i])
					}
					if got := s.state(&w); s.lead >= 0 && got != n {
						t.Fatalf("%s: the mirror image of state %d is numbered %d", e.material, n, got)
					}
				}
			}
		}
	})
}

// TestVerify derives a sample of all tables of up to three pieces, and of three
// kings against one, from their successors with the slow generator.
func TestVerify(t *testing.T) {
	ctx := context.Background()
	each(t, func(t *testing.T, tab *Tables) {
		if tab.kept == Free {
			return // no generator has these rules
		}
		if n, err := tab.Verify(ctx, DefaultPieces, 400, 2, slow.Generate(tab.variant)); err != nil || n < 1000 {
			t.Errorf("%d states: %v", n, err)
		}
	})
	if testing.Short() {
		return
	}
	tab := kingsOnly(t, Basic)
	if _, err := tab.Verify(ctx, 4, 2000, 2, slow.Generate(tab.variant)); err != nil {
		t.Error(err)
	}
}

// TestVerifyFinds protects Verify: a wrong distance and a wrong value are found.
func TestVerifyFinds(t *testing.T) {
	v := russian.Variant()
	tab, err := inMemory(context.Background(), v, Pure, 2)
	if err != nil {
		t.Fatal(err)
	}
	c := tab.slices[Material{Force{0, 1}, Force{0, 1}}.key()].ending.codes.Load()
	for i, old := range c.narrow {
		if old != 2 && old != 4 { // a win in one, or in three
			continue
		}
		for _, wrong := range []uint8{0, old + 2} {
			c.narrow[i] = wrong
			if _, err := tab.Verify(context.Background(), 2, 0, 2, v.Generate); err == nil {
				t.Fatalf("a win in %d taken for %+v was not found", old-1, result(int(wrong)))
			}
		}
		c.narrow[i] = old
		if i > 300 {
			break
		}
	}
}

// TestPlay plays the longest wins of every material, by the table on both sides,
// through engine.Game: the game must end by a lack of moves, for the right side,
// when the table says.
func TestPlay(t *testing.T) {
	play := func(t *testing.T, tab *Tables, profile engine.Profile, m Material) {
		all, err := tab.Stats(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			for winner, l := range []Longest{s.LongestWhite, s.LongestBlack} {
				if l.Plies < 0 {
					continue
				}
				p, err := notation.ParseFEN(tab.variant, l.FEN)
				if err != nil {
					t.Fatal(err)
				}
				g := engine.NewGame(tab.variant, profile, p, 0)
				for g.Termination() == engine.Ongoing {
					at := g.Position()
					if err := g.Play(tab.Choices(&at)[0].Move); err != nil {
						t.Fatal(err)
					}
				}
				if g.Termination() != engine.NoMoves || g.Outcome() != engine.Wins(engine.Color(winner)) || len(g.Moves()) != l.Plies {
					t.Errorf("%s: %s after %d plies, %s; want a win of %d in %d", l.FEN, g.Termination(), len(g.Moves()), g.Outcome(), winner, l.Plies)
				}
				if line := tab.Line(&p); !slices.Equal(line, g.Moves()) {
					t.Errorf("%s: the line differs from the game", l.FEN)
				}
			}
		}
	}
	each(t, func(t *testing.T, tab *Tables) {
		for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
			if ForProfile(profile).kept(tab.variant) != tab.kept {
				continue
			}
			for _, m := range Materials(pieces(tab.variant)) {
				play(t, tab, profile, m)
				play(t, tab, profile, m.swap())
			}
		}
	})
	if testing.Short() {
		return
	}
	play(t, kingsOnly(t, Basic), engine.Basic, Material{Force{0, 3}, Force{0, 1}})
}

// brute searches a counted ending to its end by the rules of the game alone; it
// takes only what comes after a change of material from a table.
type brute struct {
	*Tables
	profile engine.Profile
	pieces  int
	known   map[bruteKey]Result
}

type bruteKey struct {
	key   uint64
	clock int
}

func (b *brute) search(p *engine.Position) Result {
	clock, _, _ := clocks(p)
	k := bruteKey{p.Key(), clock}
	if r, ok := b.known[k]; ok {
		return r
	}
	moves := b.variant.Generate(p, nil)
	if len(moves) == 0 {
		return Result{Loss, 0}
	}
	if b.variant.Ending(p, b.profile).Draw != engine.Ongoing {
		return Result{}
	}
	best := Choice{}
	for _, m := range moves {
		q := p.Make(m)
		var r Result
		if q.Count() < b.pieces {
			r, _ = b.Probe(&q)
		} else {
			r = b.search(&q)
		}
		r.Value = -r.Value
		if r.Value != Draw {
			r.Distance++
		}
		if c := (Choice{m, r, true}); c.rank() < best.rank() {
			best = c
		}
	}
	b.known[k] = best.Result
	return best.Result
}

// TestClocks compares positions of counted endings, with few plies left, with a
// search that knows the articles only from Variant.Ending.
func TestClocks(t *testing.T) {
	check := func(t *testing.T, tab *Tables, profile engine.Profile, m Material, left, n int) {
		limit := clockLimit(tab.variant, tab.kept, m)
		rng := rand.New(rand.NewPCG(1, 2))
		values := map[Result]int{}
		b := brute{tab, profile, m.Pieces(), map[bruteKey]Result{}}
		for _, m := range []Material{m, m.swap()} {
			s, err := tab.find(m)
			if err != nil {
				t.Fatal(err)
			}
			r := s.reader(tab.geometry.board)
			for range n {
				w := r.view(rng.IntN(s.states()))
				if w.overlap() {
					continue
				}
				w.clock = uint8(limit - rng.IntN(left+1))
				p := w.position()
				if rng.IntN(2) == 0 {
					p = turned(tab.geometry.board, &p)
				}
				got, ok := tab.Probe(&p)
				if want := b.search(&p); !ok || got != want {
					t.Errorf("%s, clock %d: %+v, want %+v", notation.FormatFEN(tab.variant, &p), w.clock, got, want)
				}
				values[got]++
			}
		}
		if len(values) < 4 {
			t.Errorf("%s: only %v seen", m, values)
		}
	}
	two, three := Material{Force{0, 2}, Force{0, 1}}, Material{Force{0, 3}, Force{0, 1}}
	check(t, tables(t, russian.Variant(), Federation, DefaultPieces), engine.Federation, two, 5, 100)
	if testing.Short() {
		return
	}
	check(t, tables(t, frisian.Variant(), Basic, DefaultPieces), engine.Basic, two, 5, 100)
	check(t, kingsOnly(t, Basic), engine.Basic, three, 4, 100)
}

// TestFederation protects what is said of larger Russian endings under the
// federation's articles: a win is reported when no clock can spoil it and is one
// in a game, and a draw stays one.
func TestFederation(t *testing.T) {
	if testing.Short() {
		t.Skip("makes three kings against one")
	}
	v := russian.Variant()
	tab := newTables(v, Federation)
	for _, e := range tables(t, v, Federation, DefaultPieces).endings {
		tab.add(e)
	}
	tab.pure = kingsOnly(t, Pure)
	s, err := tab.pure.find(Material{Force{0, 3}, Force{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	r, c := s.reader(v.Board), s.ending.codes.Load()
	seen := map[Value]int{}
	for n := 0; n < s.states(); n += 101 {
		w := r.view(n)
		if w.overlap() {
			continue
		}
		p, want := w.position(), result(c.at(n))
		for _, clock := range []int{0, 30 - want.Distance, 31 - want.Distance} {
			setClock(&p, uint8(clock))
			got, ok := tab.Probe(&p)
			if certain := want.Value == Draw || want.Distance <= min(10, 30-clock); ok != certain || ok && got != want {
				t.Fatalf("%s, clock %d: %+v, %t, want %+v", notation.FormatFEN(v, &p), clock, got, ok, want)
			}
			if !ok || want.Value == Draw {
				continue
			}
			g := engine.NewGame(v, engine.Federation, p, 0)
			for g.Termination() == engine.Ongoing {
				at := g.Position()
				if err := g.Play(tab.Choices(&at)[0].Move); err != nil {
					t.Fatal(err)
				}
			}
			if g.Termination() != engine.NoMoves || len(g.Moves()) != want.Distance {
				t.Fatalf("%s, clock %d: %s after %d plies", notation.FormatFEN(v, &p), clock, g.Termination(), len(g.Moves()))
			}
		}
		seen[want.Value]++
	}
	if seen[Draw] < 10 || seen[Win] < 100 {
		t.Errorf("only %v seen", seen)
	}
}

// TestMaterial protects the text of materials.
func TestMaterial(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"KK v M", "KK v M"},
		{"mkvk", "KM v K"},
		{" K V KKM", "K v KKM"},
		{"KK", ""},
		{"v K", ""},
		{"K v", ""},
		{"K v K v K", ""},
		{"Q v K", ""},
		{"KKKK v MMM", ""},
	} {
		m, err := ParseMaterial(c.text)
		if (err == nil) != (c.want != "") || err == nil && m.String() != c.want {
			t.Errorf("%q: %s, %v", c.text, m, err)
		}
	}
}

// TestNeeded: what a material needs is there, and comes before it.
func TestNeeded(t *testing.T) {
	var got []string
	for _, m := range needed(Material{Force{0, 1}, Force{1, 1}}) {
		got = append(got, m.String())
	}
	if want := []string{"K v K", "K v M", "KK v K", "KM v K"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRules protects the claim of Rules.kept that these rules do not differ.
func TestRules(t *testing.T) {
	for _, v := range variants.All() {
		for _, rules := range []Rules{Basic, Federation} {
			for _, m := range Materials(federationPieces) {
				if got, want := clockLimit(v, rules, m), clockLimit(v, rules.kept(v), m); got != want {
					t.Errorf("%s, %s: an article counts to %d under %s rules, to %d under %s", v.Name, m, got, rules, want, rules.kept(v))
				}
			}
		}
	}
}

// TestProbeAllocates holds probes to no allocation.
func TestProbeAllocates(t *testing.T) {
	each(t, func(t *testing.T, tab *Tables) {
		list := probePositions(tab)
		if n := testing.AllocsPerRun(10, func() {
			for i := range list {
				tab.Probe(&list[i])
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// probePositions draws placements of all materials of tab.
func probePositions(tab *Tables) []engine.Position {
	rng := rand.New(rand.NewPCG(3, 4))
	var list []engine.Position
	for _, e := range tab.endings {
		for _, s := range e.slices {
			r := s.reader(tab.geometry.board)
			for range 100 {
				if w := r.view(rng.IntN(s.states())); !w.overlap() {
					p := w.position()
					list = append(list, p, turned(tab.geometry.board, &p))
				}
			}
		}
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// BenchmarkProbe probes random placements of three pieces.
func BenchmarkProbe(b *testing.B) {
	for _, v := range variants.All() {
		tab := tables(b, v, Basic, DefaultPieces)
		list := probePositions(tab)
		b.Run(v.Name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				tab.Probe(&list[i%len(list)])
			}
		})
	}
}
