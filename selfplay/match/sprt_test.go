package match

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The first two rows are published examples (fastchess, app/tests/sprt_test.cpp,
// "logistic pentanomial" 1 and 2: -3.07 and -4.98, pairs of a win and a loss
// and of two draws being one number here). All values were computed with SciPy
// in two ways that share nothing with this program: the likelihood maximised
// over all five probabilities under its two constraints (SLSQP, agreement to
// 1e-6), and by the root of the multiplier (brentq, the digits here).
func TestLLR(t *testing.T) {
	for _, c := range []struct {
		pairs      Pairs
		elo0, elo1 float64
		want       float64
	}{
		{Pairs{223, 9863, 20279 + 1000, 10037, 246}, 0.5, 2.5, -3.074126440},
		{Pairs{871, 26175, 55003 + 980, 26678, 821}, 0, 2, -4.978672863},
		{Pairs{485, 1923, 2942, 1937, 594}, 0, 5, 3.293275131},
		{Pairs{1, 3, 4, 7, 2}, 0, 10, 0.235448355},
		{Pairs{3, 10, 20, 15, 8}, -10, 0, 0.772218901},
		{Pairs{10, 0, 5, 0, 30}, 0, 20, 1.213569013},
		// Scores that never occurred.
		{Pairs{0, 0, 0, 0, 20}, 0, 5, 0.285780516},
		{Pairs{0, 0, 12, 0, 0}, 0, 5, -0.168234607},
		{Pairs{30, 1, 0, 0, 0}, 0, 5, -0.449350274},
		{Pairs{0, 0, 0, 0, 5}, 0, 400, 2.989265954},
		{Pairs{}, 0, 5, 0},
	} {
		got := SPRT{c.elo0, c.elo1, 0.05, 0.05}.LLR(c.pairs)
		if math.Abs(got-c.want) > 2e-8 {
			t.Errorf("%v, Elo %v against %v: %.9f, want %.9f", c.pairs, c.elo0, c.elo1, got, c.want)
		}
	}
}

// Exchanging the players exchanges the hypotheses.
func TestLLRIsSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		var p, q Pairs
		for i := range p {
			p[i] = r.IntN(50)
			q[4-i] = p[i]
		}
		a, b := SPRT{-3, 12, 0.05, 0.05}.LLR(p), SPRT{-12, 3, 0.05, 0.05}.LLR(q)
		if math.Abs(a+b) > 1e-9 {
			t.Errorf("%v: %v and %v", p, a, b)
		}
	}
}

// Wald's bounds: log(0.05/0.95) and its opposite, and those of unequal errors.
func TestBoundsAndDecision(t *testing.T) {
	test := SPRT{0, 5, 0.05, 0.05}
	if lower, upper := test.Bounds(); math.Abs(lower+2.944438979) > 1e-9 || math.Abs(upper-2.944438979) > 1e-9 {
		t.Errorf("bounds %v, %v", lower, upper)
	}
	if lower, upper := (SPRT{0, 5, 0.05, 0.1}).Bounds(); math.Abs(lower+2.251291799) > 1e-9 || math.Abs(upper-2.890371758) > 1e-9 {
		t.Errorf("bounds %v, %v", lower, upper)
	}
	for _, c := range []struct {
		pairs Pairs
		want  Decision
	}{
		{Pairs{485, 1923, 2942, 1937, 594}, AcceptElo1},
		{Pairs{527, 1007, 1932, 933, 511}, AcceptElo0},
		{Pairs{1, 3, 4, 7, 2}, Undecided},
		{Pairs{}, Undecided},
	} {
		if got := test.Decide(c.pairs); got != c.want {
			t.Errorf("%v: %s (%.3f), want %s", c.pairs, got, test.LLR(c.pairs), c.want)
		}
	}
}

// Protects the error rates: of 600 tests in which one hypothesis is true, wrong
// decisions are about as many as asked for, 1 in 10 (three standard errors: 13.7 %).
func TestErrorRates(t *testing.T) {
	test := SPRT{0, 60, 0.1, 0.1}
	const tests = 600
	for _, c := range []struct {
		elo   float64
		wrong Decision
	}{{0, AcceptElo1}, {60, AcceptElo0}} {
		r := rand.New(rand.NewPCG(2, uint64(c.elo)))
		wrong, score := 0, ScoreOfElo(c.elo)
		for range tests {
			var p Pairs
			decision := Undecided
			for decision == Undecided {
				points := 0
				for range 2 { // half of the games are drawn
					switch u := r.Float64(); {
					case u < score-0.25:
						points += 2
					case u < score+0.25:
						points++
					}
				}
				p[points]++
				decision = test.Decide(p)
			}
			if decision == c.wrong {
				wrong++
			}
		}
		t.Logf("Elo %v: %d of %d decided wrongly", c.elo, wrong, tests)
		if share := float64(wrong) / tests; share > 0.137 || share < 0.02 {
			t.Errorf("Elo %v: %.3f decided wrongly, asked was 0.1", c.elo, share)
		}
	}
}

// Protects against tests that decide nothing or at once.
func TestSPRTValidate(t *testing.T) {
	nan := math.NaN()
	for _, bad := range []SPRT{
		{5, 5, 0.05, 0.05},
		{5, 0, 0.05, 0.05},
		{nan, 5, 0.05, 0.05},
		{0, nan, 0.05, 0.05},
		{0, math.Inf(1), 0.05, 0.05},
		{0, 5, 0, 0.05},
		{0, 5, 0.05, 0.5},
		{0, 5, nan, 0.05},
		{0, 5, 0.05, nan},
		{0, 5, -1, 0.05},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
	if err := (SPRT{-5, 0, 0.05, 0.1}).Validate(); err != nil {
		t.Error(err)
	}
}
