package match

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
	"draughtlab/selfplay"
)

func settings(t *testing.T, variant string) Settings {
	t.Helper()
	v, err := variants.ByName(variant)
	if err != nil {
		t.Fatal(err)
	}
	return Settings{
		Variant:     v,
		A:           Engine{PlayerConfig: selfplay.PlayerConfig{Kind: selfplay.Search, Nodes: 100, HashEntries: 1 << 10}},
		B:           Engine{PlayerConfig: selfplay.PlayerConfig{Kind: selfplay.Random}},
		Pairs:       6,
		Seed:        1,
		RandomPlies: selfplay.Range{Min: 2, Max: 4},
		MaxPlies:    300,
	}
}

// play plays a match with one worker that must not fail.
func play(t *testing.T, s Settings) Result {
	t.Helper()
	r, err := Play(context.Background(), s, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Protects the sign of the result: a search must beat random moves with either
// colour, and lose from the view of the other side. The random side visits no
// position.
func TestSearchBeatsRandom(t *testing.T) {
	for _, name := range variants.Names() {
		s := settings(t, name)
		r := play(t, s)
		if r.Wins < 10 || r.Games() != 12 {
			t.Errorf("%s: search against random: %+v", name, r)
		}
		if r.NodesA < r.MovesA || r.NodesB != 0 || r.MovesB < 12 {
			t.Errorf("%s: work: %+v", name, r)
		}
		s.A, s.B = s.B, s.A
		if q := play(t, s); q.Losses < 10 || q.Pairs[0] < 4 {
			t.Errorf("%s: random against search: %+v", name, q)
		}
	}
}

// Protects the fairness of pairs: equal players that make no random choice
// play the same game twice, so each pair is a win and a loss, or two draws.
func TestEqualPlayersSplitEveryPair(t *testing.T) {
	s := settings(t, "croda")
	s.B = s.A
	r := play(t, s)
	if r.Wins != r.Losses || r.Pairs != (Pairs{0, 0, 6 - r.Unfinished/2, 0, 0}) || r.NodesA != r.NodesB {
		t.Errorf("%+v", r)
	}
}

// Protects the result against the order in which workers finish.
func TestWorkersChangeNothing(t *testing.T) {
	var first Result
	for i, workers := range []int{1, 2, 5} {
		s := settings(t, "russian")
		s.A, s.Pairs = s.B, 40
		var seen []Result
		r, err := Play(context.Background(), s, Options{Workers: workers, Progress: func(r Result) { seen = append(seen, r) }})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = r
		}
		if r != first || len(seen) != 41 || seen[0] != (Result{}) || seen[40] != r {
			t.Errorf("%d workers: %+v after %d reports, 1 worker: %+v", workers, r, len(seen), first)
		}
	}
	if first.Pairs.N() != 40 || first.Games() != 80 || first.Repeated != 0 {
		t.Errorf("%+v", first)
	}
}

// Games the program stops are no draws and make no pair.
func TestUnfinishedGamesCountAsNothing(t *testing.T) {
	s := settings(t, "frisian")
	s.A, s.MaxPlies = s.B, 10
	r := play(t, s)
	r.MovesA, r.MovesB = 0, 0
	if r != (Result{Unfinished: 12}) {
		t.Errorf("%+v", r)
	}
}

// Case st-repeated-openings: engines without randomness that are given the same
// openings again play the same games again, and that is told.
func TestRepeatedPairsAreCounted(t *testing.T) {
	s := settings(t, "russian")
	s.B = s.A
	s.Pairs, s.RandomPlies = 20, selfplay.Range{Min: 0, Max: 1} // 8 openings
	if r := play(t, s); r.Repeated < 12 || r.Repeated > 19 {
		t.Errorf("20 pairs from 8 openings: %+v", r)
	}
	s.RandomPlies = selfplay.Range{}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "repeat games") {
		t.Errorf("20 pairs from one opening: %v", err)
	}
}

// Openings are taken each once, in an order of the seed's; both games of a pair
// begin with the same one.
func TestOpenings(t *testing.T) {
	s := settings(t, "russian")
	data := "1. a3-b4 *\n\n1. c3-b4 *\n\n1. c3-d4 *\n\n1. g3-h4 *\n\n1. e3-f4 *\n\n1. e3-d4 *\n"
	openings, err := selfplay.ReadOpenings(s.Variant, s.Profile, "x.pdn", []byte(data), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Openings, s.RandomPlies = openings, selfplay.Range{}
	order := func(seed uint64) (ids []string) {
		s.Seed = seed
		l := linesOf(t, playFile(t, s, 1))
		for i := 1; i < len(l); i++ {
			r := pairOf(t, l[i])
			first := strings.Fields(r.Games[0].Moves)[0]
			if first != strings.Fields(r.Games[1].Moves)[0] || r.Games[0].Outcome == "*" {
				t.Errorf("pair %d: %+v", i-1, r)
			}
			ids = append(ids, r.Opening)
		}
		return ids
	}
	one, two := order(1), order(2)
	seen := map[string]bool{}
	for _, id := range one {
		seen[id] = true
	}
	if len(seen) != 6 || reflect.DeepEqual(one, two) {
		t.Errorf("orders %v and %v", one, two)
	}
}

// Protects the user's stop: the result so far comes back with the reason.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := settings(t, "croda")
	s.A, s.Pairs = s.B, 1000
	r, err := Play(ctx, s, Options{Workers: 1, Progress: func(r Result) {
		if r.Games() == 20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.Games() < 20 || r.Games() == 2*s.Pairs {
		t.Errorf("%+v, error %v", r, err)
	}
}

// A time a move is kept, and is limit enough.
func TestTime(t *testing.T) {
	s := settings(t, "frisian")
	s.A.Nodes, s.A.Time, s.Pairs, s.MaxPlies = 0, 5*time.Millisecond, 1, 30
	begin := time.Now()
	r := play(t, s)
	spent := time.Since(begin)
	// A move without alternative takes no time; a busy machine takes more.
	if r.NodesA < 1000*r.MovesA/2 || spent > time.Duration(r.MovesA)*100*time.Millisecond {
		t.Errorf("%s for %+v", spent, r)
	}
}

// Protects against settings that would play nothing or nonsense.
func TestBadSettings(t *testing.T) {
	frisian := settings(t, "frisian").Variant
	for want, spoil := range map[string]func(*Settings){
		"0 game pairs":       func(s *Settings) { s.Pairs = 0 },
		"random plies":       func(s *Settings) { s.RandomPlies = selfplay.Range{Min: 3, Max: 2} },
		"engine A: a search": func(s *Settings) { s.A.Nodes = 0 },
		"engine B: unknown":  func(s *Settings) { s.B.Kind = "oracle" },
		"-1 plies":           func(s *Settings) { s.MaxPlies = -1 },
		"nothing to play":    func(s *Settings) { s.MaxPlies = 4 },
		"random player":      func(s *Settings) { s.B.Time = time.Second },
		"whole milliseconds": func(s *Settings) { s.A.Time = time.Microsecond },
		"weights of frisian": func(s *Settings) { s.A.Weights = eval.Default(frisian) },
		"no technique":       func(s *Settings) { s.A.Off = []string{"magic"} },
		"Elo 5 against 5":    func(s *Settings) { s.SPRT = &SPRT{5, 5, 0.05, 0.05} },
	} {
		s := settings(t, "croda")
		spoil(&s)
		if _, err := Play(context.Background(), s, Options{Workers: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if _, err := Play(context.Background(), settings(t, "croda"), Options{}); err == nil {
		t.Error("no workers, no error")
	}
}
