package drawrate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Protects the standard error by opening: worked by hand. Four openings of two
// games, two of them drawn twice: residuals +-1, variance 4/3 * 4/64 = 1/12
// against 1/32 for independent games.
func TestByOpeningByHand(t *testing.T) {
	s := sample{{games: 2, draws: 0, openings: 2}, {games: 2, draws: 2, openings: 2}}
	got := s.byOpening(0.95)
	if math.Abs(got.StandardError-math.Sqrt(1./12)) > 1e-15 || math.Abs(*got.DesignEffect-8./3) > 1e-14 ||
		math.Abs(got.EffectiveGames-3) > 1e-14 || got.Openings != 4 {
		t.Errorf("got %+v, design effect %v", got, *got.DesignEffect)
	}
	const t2 = 3.182446305284263 * 3.182446305284263 // Student's t with 3 degrees of freedom, squared
	half := math.Sqrt(t2*0.25/3+t2*t2/36) / (1 + t2/3)
	wantInterval(t, "interval", got.Interval, [2]float64{0.5 - half, 0.5 + half}, 1e-12)
}

// Protects the promise to be no narrower than independent games would be, and to
// come to the same thing where each game has its own opening.
func TestByOpeningAgainstWilson(t *testing.T) {
	for _, s := range []sample{
		{{1, 0, 700}, {1, 1, 300}},            // one game an opening
		{{2, 1, 500}},                         // each opening drawn once: less than binomial spread
		{{2, 0, 300}, {2, 2, 200}, {9, 4, 3}}, // clustered
		{{2, 0, 400}}, {{2, 2, 400}},          // no draw, all drawn
	} {
		_, games, draws := s.totals()
		wilson, err := Wilson(draws, games, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		got := s.byOpening(0.95).Interval
		if got.Low > wilson.Low || got.High < wilson.High {
			t.Errorf("%v: by opening %v, Wilson %v", s, got, wilson)
		}
		if s[0].games == 1 {
			wantInterval(t, "one game an opening", got, [2]float64{wilson.Low, wilson.High}, 1e-4)
		}
	}
	// Without any draw, openings of 8, 1 and 1 games know as much as 100/66 games.
	if got := (sample{{1, 0, 2}, {8, 0, 1}}).byOpening(0.95); math.Abs(got.EffectiveGames-100./66) > 1e-14 {
		t.Errorf("no draw: %v effective games, want %v", got.EffectiveGames, 100./66)
	}
	if got := (sample{{50, 20, 1}}).byOpening(0.95); got != nil {
		t.Errorf("one opening gives %+v", got)
	}
}

// Protects the resampling: mean and variance of resampled rates are known when
// all openings have as many games. Eight standard errors of tolerance.
func TestResampleMoments(t *testing.T) {
	s := sample{{4, 0, 50}, {4, 1, 30}, {4, 4, 19}, {4, 2, 1}}
	const n = 20000
	source := rand.NewPCG(3, 4)
	var sum, squares float64
	for range n {
		rate := s.resample(100, source)
		sum += rate
		squares += rate * rate
	}
	mean := 108. / 400
	variance := (50*mean*mean + 30*(0.25-mean)*(0.25-mean) + 19*(1-mean)*(1-mean) + (0.5-mean)*(0.5-mean)) / 100 / 100
	if got := sum / n; math.Abs(got-mean) > 8*math.Sqrt(variance/n) {
		t.Errorf("mean %v, want %v", got, mean)
	}
	if got := squares/n - sum/n*sum/n; math.Abs(got/variance-1) > 8*math.Sqrt(2./n) {
		t.Errorf("variance %v, want %v", got, variance)
	}
}

// Protects the bootstrap of millions of openings: it must be quick, repeat
// itself, and agree with the standard error by opening.
func TestBootstrapOfMillions(t *testing.T) {
	s := sample{{2, 0, 3_000_000}, {2, 2, 1_200_000}, {2, 1, 800_000}}
	got := s.bootstrap(0.95, 10000, 1, 2)
	if again := s.bootstrap(0.95, 10000, 1, 2); *again != *got {
		t.Errorf("same seed: %v and %v", got, again)
	}
	if other := s.bootstrap(0.95, 10000, 2, 2); *other == *got {
		t.Errorf("another seed: %v again", got)
	}
	half := 1.959964 * s.byOpening(0.95).StandardError
	wantInterval(t, "normal limit", *got, [2]float64{0.32 - half, 0.32 + half}, 0.06*half)
	for _, s := range []sample{{}, {{9, 4, 1}}, {{2, 0, 70}}, {{2, 2, 70}}} {
		if got := s.bootstrap(0.95, 1000, 1, 2); got != nil {
			t.Errorf("%v shows no spread but gives %v", s, *got)
		}
	}
}

// Protects the percentile rule: numpy.percentile([1,2,4,8], [0,10,50,100]).
func TestPercentile(t *testing.T) {
	for q, want := range map[float64]float64{0: 1, 0.1: 1.3, 0.5: 3, 1: 8} {
		if got := percentile([]float64{1, 2, 4, 8}, q); math.Abs(got-want) > 1e-15 {
			t.Errorf("percentile %v: got %v, want %v", q, got, want)
		}
	}
}
