package drawrate

import (
	"cmp"
	"math"
)

// Newcombe returns the interval of the difference of two independent rates,
// draws1/games1 - draws2/games2, from their Wilson intervals: the hybrid score
// interval without continuity correction, method 10 of Newcombe (1998). Level
// is in (0,1). A side without games gives [-1,1].
func Newcombe(draws1, games1, draws2, games2 int64, level float64) (Interval, error) {
	if err := cmp.Or(check(draws1, games1, level), check(draws2, games2, level)); err != nil {
		return Interval{-1, 1}, err
	}
	p1, ok1 := Rate(draws1, games1)
	p2, ok2 := Rate(draws2, games2)
	if !ok1 || !ok2 {
		return Interval{-1, 1}, nil
	}
	return combine(p1, wilson(draws1, games1, level), p2, wilson(draws2, games2, level)), nil
}

// combine makes an interval for p1-p2 from an interval for each (Newcombe 1998,
// method 10; for other intervals Zou and Donner 2008).
func combine(p1 float64, ci1 Interval, p2 float64, ci2 Interval) Interval {
	d := p1 - p2
	return Interval{
		Low:  d - math.Hypot(p1-ci1.Low, ci2.High-p2),
		High: d + math.Hypot(ci1.High-p1, p2-ci2.Low),
	}
}

// MiettinenNurminen returns the score interval of the difference of two
// independent rates, draws1/games1 - draws2/games2 (Miettinen and Nurminen
// 1985): the differences whose score test, with the variance times N/(N-1), is
// not significant. Level is in (0,1). A side without games gives [-1,1].
func MiettinenNurminen(draws1, games1, draws2, games2 int64, level float64) (Interval, error) {
	err := cmp.Or(check(draws1, games1, level), check(draws2, games2, level))
	if err != nil || games1 == 0 || games2 == 0 {
		return Interval{-1, 1}, err
	}
	return miettinenNurminen(draws1, games1, draws2, games2, level), nil
}

func miettinenNurminen(draws1, games1, draws2, games2 int64, level float64) Interval {
	t := scoreTest{float64(draws1), float64(games1), float64(draws2), float64(games2)}
	z := normalQuantile(level)
	d := t.draws1/t.games1 - t.draws2/t.games2
	return Interval{
		Low:  bisect(-1, d, func(delta float64) bool { return t.rejects(delta, z) }),
		High: bisect(d, 1, func(delta float64) bool { return !t.rejects(delta, z) }),
	}
}

type scoreTest struct{ draws1, games1, draws2, games2 float64 }

// rejects tells whether the difference delta lies more than z standard errors
// from the one observed.
func (t scoreTest) rejects(delta, z float64) bool {
	p2 := t.constrained(delta)
	p1 := min(1, max(0, p2+delta))
	n := t.games1 + t.games2
	variance := (p1*(1-p1)/t.games1 + p2*(1-p2)/t.games2) * n / (n - 1)
	distance := t.draws1/t.games1 - t.draws2/t.games2 - delta
	return distance*distance > z*z*variance
}

// constrained returns the second rate's maximum likelihood estimate when the
// first rate is delta more. The likelihood's slope falls from left to right, so
// bisection finds its zero, or the end of the range where there is none; the
// cubic's closed form would lose half the digits near the ends.
func (t scoreTest) constrained(delta float64) float64 {
	return bisect(max(0, -delta), min(1, 1-delta), func(p2 float64) bool {
		p1 := p2 + delta
		slope := share(t.draws1, p1) - share(t.games1-t.draws1, 1-p1) +
			share(t.draws2, p2) - share(t.games2-t.draws2, 1-p2)
		return slope > 0
	})
}

// share is count/p, and 0 for no count whatever p is.
func share(count, p float64) float64 {
	if count == 0 {
		return 0
	}
	return count / p
}

// bisect returns where below turns from true to false between low and high.
func bisect(low, high float64, below func(float64) bool) float64 {
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return middle
		}
		if below(middle) {
			low = middle
		} else {
			high = middle
		}
	}
}
