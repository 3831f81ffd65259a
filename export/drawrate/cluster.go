package drawrate

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// FewOpenings is the number of openings below which a report warns that the
// spread between openings is poorly known.
const FewOpenings = 30

// pattern stands for all openings with the same numbers of games and draws.
// Self-play has few patterns (two games an opening make three), so that millions
// of openings cost no more than a handful.
type pattern struct{ games, draws, openings int64 }

// sample is all openings with finished games, the most frequent pattern first.
type sample []pattern

func (s sample) totals() (openings, games, draws int64) {
	for _, p := range s {
		openings += p.openings
		games += p.openings * p.games
		draws += p.openings * p.draws
	}
	return openings, games, draws
}

// ByOpening is a draw rate's uncertainty when the opening, not the game, is the
// independent unit: games from one opening resemble each other.
type ByOpening struct {
	Openings       int64    `json:"openings"`        // openings with a finished game, 2 or more
	StandardError  float64  `json:"standard_error"`  // of the rate, as a fraction
	DesignEffect   *float64 `json:"design_effect"`   // its square / that of independent games; null at rate 0 or 1
	EffectiveGames float64  `json:"effective_games"` // independent games that would know as much, at most the finished ones
	Interval       Interval `json:"interval"`        // Wilson's interval with EffectiveGames and Student's t
}

// byOpening returns nil for fewer than two openings: nothing to compare. Where
// every game or none was drawn the spread between openings cannot be seen, and
// games of one opening are taken to be copies of each other.
func (s sample) byOpening(level float64) *ByOpening {
	openings, games, draws := s.totals()
	if openings < 2 {
		return nil
	}
	n, clusters := float64(games), float64(openings)
	rate := float64(draws) / n
	var residuals, squares float64
	for _, p := range s {
		residual := float64(p.draws) - rate*float64(p.games)
		residuals += float64(p.openings) * residual * residual
		squares += float64(p.openings) * float64(p.games) * float64(p.games)
	}
	b := ByOpening{Openings: openings, EffectiveGames: n * n / squares}
	if draws > 0 && draws < games {
		variance := clusters / (clusters - 1) * residuals / (n * n)
		independent := rate * (1 - rate) / n
		effect := variance / independent
		b.StandardError, b.DesignEffect = math.Sqrt(variance), &effect
		b.EffectiveGames = n / max(1, effect)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: clusters - 1}.Quantile(1 - (1-level)/2)
	b.Interval = scoreInterval(draws, games, b.EffectiveGames, t)
	return &b
}

// bootstrap draws as many openings as there are, with replacement, again and
// again, and returns the interval between the percentiles of the draw rates so
// found. It is nil where resampling shows no spread: fewer than two openings, or
// every game or none drawn. The same seed gives the same interval.
func (s sample) bootstrap(level float64, resamples int, seed1, seed2 uint64) *Interval {
	openings, games, draws := s.totals()
	if openings < 2 || draws == 0 || draws == games {
		return nil
	}
	source := rand.NewPCG(seed1, seed2)
	rates := make([]float64, resamples)
	for i := range rates {
		rates[i] = s.resample(openings, source)
	}
	slices.Sort(rates)
	return &Interval{percentile(rates, (1-level)/2), percentile(rates, 1-(1-level)/2)}
}

// resample returns the draw rate of one resample. How often each pattern comes
// up is multinomial: one binomial after another.
func (s sample) resample(openings int64, source rand.Source) float64 {
	var games, draws float64
	left, picks := float64(openings), float64(openings)
	for _, p := range s {
		times := picks
		if share := float64(p.openings) / left; share < 1 {
			times = distuv.Binomial{N: picks, P: share, Src: source}.Rand()
		}
		games += times * float64(p.games)
		draws += times * float64(p.draws)
		left -= float64(p.openings)
		if picks -= times; picks == 0 {
			break
		}
	}
	return draws / games
}

// percentile interpolates linearly between the sorted values around the place
// q*(len-1), as numpy does by default.
func percentile(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	i := int(place)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (place-float64(i))*(sorted[i+1]-sorted[i])
}
