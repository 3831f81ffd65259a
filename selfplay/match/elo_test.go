package match

import (
	"math"
	"testing"
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
	for p, want := range map[Pairs]bool{{}: false, {0, 0, 100, 0, 0}: true, {0, 0, 0, 0, 1}: true, {1, 3, 4, 7, 2}: false, {1, 0, 0, 0, 1}: false} {
		if p.Alike() != want {
			t.Errorf("%v: alike is %v", p, !want)
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

// The difference and half the width of its interval agree with the examples in
// the tests of fastchess (app/tests/elo_test.cpp, "EloPentanomial" 1 to 3;
// pairs of a win and a loss and of two draws are one number here).
func TestEloAsFastchess(t *testing.T) {
	for _, c := range []struct {
		pairs      Pairs
		diff, half float64
	}{
		{Pairs{34, 54, 31 + 32, 64, 75}, 55.58, 27.65},
		{Pairs{332, 433, 457 + 41, 333, 334}, -8.64, 10.33},
		{Pairs{7895, 8757, 5485 + 200, 568, 9999}, -21.04, 2.95},
	} {
		elo, low, high := c.pairs.Elo(1.959963984540054)
		if math.Abs(elo-c.diff) > 0.006 || math.Abs((high-low)/2-c.half) > 0.006 {
			t.Errorf("%v: %.4f ± %.4f, want %.2f ± %.2f", c.pairs, elo, (high-low)/2, c.diff, c.half)
		}
	}
}
