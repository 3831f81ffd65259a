package drawrate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultLevel is the confidence level used where a caller names none.
const DefaultLevel = 0.95

// ErrCounts is wrapped by every error about impossible counts: a negative
// number, or more draws than games.
var ErrCounts = errors.New("impossible counts")

// Interval is a confidence interval, as fractions: of games for a rate (each
// end in 0..1), of two rates for a difference (each end in -1..1).
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Rate returns draws/games. ok is false, and the rate 0, when there are no
// games: no estimate, which is not the same as 0 %.
func Rate(draws, games int64) (rate float64, ok bool) {
	if games == 0 {
		return 0, false
	}
	return float64(draws) / float64(games), true
}

// Wilson returns the score interval without continuity correction (Wilson
// 1927). Level is in (0,1). No games give [0,1].
func Wilson(draws, games int64, level float64) (Interval, error) {
	return checked(wilson, draws, games, level)
}

// Jeffreys returns the central interval of the Beta(draws+1/2, games-draws+1/2)
// posterior (Brown, Cai and DasGupta 2001, section 3.1.2). Like statsmodels and
// unlike that paper, it keeps the small positive low end at 0 draws and its
// mirror image at all draws. Level is in (0,1). No games give [0,1].
func Jeffreys(draws, games int64, level float64) (Interval, error) {
	return checked(jeffreys, draws, games, level)
}

// ClopperPearson returns the exact interval (Clopper and Pearson 1934): low is
// 0 at 0 draws, high is 1 at all draws. Level is in (0,1). No games give [0,1].
func ClopperPearson(draws, games int64, level float64) (Interval, error) {
	return checked(clopperPearson, draws, games, level)
}

func wilson(draws, games int64, level float64) Interval {
	if games == 0 {
		return Interval{0, 1}
	}
	return scoreInterval(draws, games, float64(games), normalQuantile(level))
}

func jeffreys(draws, games int64, level float64) Interval {
	if games == 0 {
		return Interval{0, 1}
	}
	a, b, tail := float64(draws)+0.5, float64(games-draws)+0.5, (1-level)/2
	return Interval{betaQuantile(a, b, tail), 1 - betaQuantile(b, a, tail)}
}

func clopperPearson(draws, games int64, level float64) Interval {
	low := func(draws int64) float64 {
		if draws == 0 {
			return 0
		}
		return betaQuantile(float64(draws), float64(games-draws)+1, (1-level)/2)
	}
	return Interval{low(draws), 1 - low(games-draws)}
}

// scoreInterval is Wilson's interval around draws/games as if it rested on n
// independent games; quantile is the number of standard errors.
func scoreInterval(draws, games int64, n, quantile float64) Interval {
	z2 := quantile * quantile
	low := func(draws int64) float64 {
		if draws == 0 {
			return 0
		}
		p, q := float64(draws)/float64(games), float64(games-draws)/float64(games)
		half := quantile * math.Sqrt(p*q/n+z2/(4*n*n))
		return max(0, (p+z2/(2*n)-half)/(1+z2/n))
	}
	return Interval{low(draws), 1 - low(games-draws)}
}

func normalQuantile(level float64) float64 {
	return distuv.UnitNormal.Quantile(1 - (1-level)/2)
}

// betaQuantile bisects, because mathext.InvRegIncBeta is wrong far out in the
// tails: at level 0.999999 it answers 0.042 for 6 draws in 136634, not 0.0002.
func betaQuantile(a, b, p float64) float64 {
	return bisect(0, 1, func(x float64) bool { return mathext.RegIncBeta(a, b, x) < p })
}

func checked(f func(int64, int64, float64) Interval, draws, games int64, level float64) (Interval, error) {
	if err := check(draws, games, level); err != nil {
		return Interval{0, 1}, err
	}
	return f(draws, games, level), nil
}

func check(draws, games int64, level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("level %v is not between 0 and 1", level)
	}
	if games < 0 || draws < 0 || draws > games {
		return fmt.Errorf("%w: %d draws in %d games", ErrCounts, draws, games)
	}
	return nil
}

// excludes tells whether x lies outside, not on an end.
func (i Interval) excludes(x float64) bool { return x < i.Low || x > i.High }
