package match

import (
	"context"
	"errors"
	"math"
	"testing"

	"draughtlab/engine/variants"
	"draughtlab/selfplay"
)

// Case st-pairs-not-independent: the error of a score is that of the pairs, not
// of the games.
func TestScoreByPairs(t *testing.T) {
	for _, c := range []struct {
		pairs    Pairs
		mean, se float64
	}{
		{Pairs{0, 0, 100, 0, 0}, 0.5, 0},
		{Pairs{1, 3, 4, 7, 2}, 0.5882352941, 0.0655729884},
	} {
		mean, se := c.pairs.Score()
		if math.Abs(mean-c.mean) > 1e-10 || math.Abs(se-c.se) > 1e-10 {
			t.Errorf("%v: mean %.10f, se %.10f; want %.10f, %.10f", c.pairs, mean, se, c.mean, c.se)
		}
	}
	if mean, se := (Pairs{}).Score(); !math.IsNaN(mean) || !math.IsNaN(se) {
		t.Errorf("no pairs: mean %v, se %v", mean, se)
	}
}

// Protects the rating scale against known values: 75 % is 400·log10(3) points,
// 10/11 is 400, and the ends are infinite.
func TestElo(t *testing.T) {
	for score, want := range map[float64]float64{
		0.5: 0, 0.75: 190.84850188786497, 10.0 / 11: 400, 1.0 / 11: -400,
		0: math.Inf(-1), 1: math.Inf(1), -0.2: math.Inf(-1), 1.1: math.Inf(1),
	} {
		if got := EloOfScore(score); got != want && math.Abs(got-want) > 1e-9 {
			t.Errorf("EloOfScore(%v) = %v, want %v", score, got, want)
		}
		if score > 0 && score < 1 {
			if back := ScoreOfElo(want); math.Abs(back-score) > 1e-12 {
				t.Errorf("ScoreOfElo(%v) = %v, want %v", want, back, score)
			}
		}
	}
	// 0.5882352941 ± 1.96·0.0655729884 is 0.4597122368 to 0.7167583514.
	elo, low, high := Pairs{1, 3, 4, 7, 2}.Elo(1.96)
	for i, x := range []struct{ got, want float64 }{{elo, 61.960}, {low, -28.058}, {high, 161.289}} {
		if math.Abs(x.got-x.want) > 0.01 {
			t.Errorf("value %d of the interval is %.3f, want %.3f", i, x.got, x.want)
		}
	}
}

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
		Workers:     1,
	}
}

// Protects the sign of the result: a search must beat random moves with either
// colour, and lose from the view of the other side.
func TestSearchBeatsRandom(t *testing.T) {
	for _, name := range variants.Names() {
		s := settings(t, name)
		r, err := Play(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Wins < 10 || r.Games() != 12 {
			t.Errorf("%s: search against random: %+v", name, r)
		}
		s.A, s.B = s.B, s.A
		q, err := Play(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if q.Losses < 10 || q.Pairs[0] < 4 {
			t.Errorf("%s: random against search: %+v", name, q)
		}
	}
}

// Protects the fairness of pairs: equal players that make no random choice
// play the same game twice, so each pair is a win and a loss, or two draws.
func TestEqualPlayersSplitEveryPair(t *testing.T) {
	s := settings(t, "croda")
	s.B = s.A
	r, err := Play(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Wins != r.Losses || r.Pairs != (Pairs{0, 0, 6 - r.Unfinished/2, 0, 0}) {
		t.Errorf("%+v", r)
	}
}

// Protects the result against the order in which workers finish.
func TestWorkersChangeNothing(t *testing.T) {
	var first Result
	for i, workers := range []int{1, 2, 5} {
		s := settings(t, "russian")
		s.A, s.Workers, s.Pairs = s.B, workers, 40
		var seen []Result
		r, err := Play(context.Background(), s, func(r Result) { seen = append(seen, r) })
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = r
		}
		if r != first || len(seen) != 40 || seen[39] != r {
			t.Errorf("%d workers: %+v after %d reports, 1 worker: %+v", workers, r, len(seen), first)
		}
	}
	if first.Pairs.N() != 40 || first.Games() != 80 {
		t.Errorf("%+v", first)
	}
}

// Games the program stops are no draws and make no pair.
func TestUnfinishedGamesCountAsNothing(t *testing.T) {
	s := settings(t, "frisian")
	s.MaxPlies = 10
	r, err := Play(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r != (Result{Unfinished: 12}) {
		t.Errorf("%+v", r)
	}
}

// Protects the user's stop: the result so far comes back with the reason.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := settings(t, "croda")
	s.A, s.Pairs = s.B, 1000
	r, err := Play(ctx, s, func(r Result) {
		if r.Games() == 20 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r.Games() < 20 || r.Games() == 2*s.Pairs {
		t.Errorf("%+v, error %v", r, err)
	}
}

// Protects against settings that would play nothing or nonsense.
func TestBadSettings(t *testing.T) {
	for name, spoil := range map[string]func(*Settings){
		"pairs":    func(s *Settings) { s.Pairs = 0 },
		"workers":  func(s *Settings) { s.Workers = 0 },
		"plies":    func(s *Settings) { s.RandomPlies = selfplay.Range{Min: 3, Max: 2} },
		"limit":    func(s *Settings) { s.A.Nodes = 0 },
		"maxplies": func(s *Settings) { s.MaxPlies = -1 },
	} {
		s := settings(t, "croda")
		spoil(&s)
		if _, err := Play(context.Background(), s, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
