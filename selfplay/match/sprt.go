package match

import (
	"fmt"
	"math"
)

// SPRT is a sequential probability ratio test of two rating differences, both
// in Elo of the logistic model and from the first player's view: it decides
// whether the difference is rather Elo0 or Elo1 with as few pairs as it can.
//
// It is the generalised test of fishtest and fastchess: the two likelihoods
// are those of the distributions of pair scores that explain the observed one
// best among all that have the mean score of Elo0 and of Elo1. See M. Van den
// Bergh, "The generalized maximum likelihood ratio for the expectation value
// of a distribution" (Proposition 1.1) and "Comments on normalized Elo", both
// at cantate.be/Fishtest. What the ratio overshoots the bounds by is not
// corrected for: the error rates are kept, the test is a little longer.
type SPRT struct {
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"`
	// Alpha is the probability to decide for Elo1 where Elo0 is right, Beta
	// that of the opposite error.
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
}

// maxElo bounds both differences: beyond, the score is no longer told from 1.
const maxElo = 1000

// Validate reports the first thing wrong with the test.
func (t SPRT) Validate() error {
	switch {
	case !(t.Elo0 >= -maxElo && t.Elo0 < t.Elo1 && t.Elo1 <= maxElo):
		return fmt.Errorf("an SPRT of Elo %g against %g: it takes a smaller and a greater number from %d to %d", t.Elo0, t.Elo1, -maxElo, maxElo)
	case !(t.Alpha > 0 && t.Alpha < 0.5):
		return fmt.Errorf("alpha %g: it takes a probability above 0 and below 0.5", t.Alpha)
	case !(t.Beta > 0 && t.Beta < 0.5):
		return fmt.Errorf("beta %g: it takes a probability above 0 and below 0.5", t.Beta)
	}
	return nil
}

// Bounds returns the log-likelihood ratios at which the test decides for Elo0
// (at or below lower) and for Elo1 (at or above upper).
func (t SPRT) Bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Decision is what a test says of the pairs so far.
type Decision string

// The decisions.
const (
	Undecided  Decision = "undecided"
	AcceptElo0 Decision = "elo0"
	AcceptElo1 Decision = "elo1"
)

// Decide returns the decision after these pairs.
func (t SPRT) Decide(p Pairs) Decision {
	lower, upper := t.Bounds()
	switch llr := t.LLR(p); {
	case llr <= lower:
		return AcceptElo0
	case llr >= upper:
		return AcceptElo1
	}
	return Undecided
}

// LLR returns the generalised log-likelihood ratio of Elo1 to Elo0 after these
// pairs; 0 without pairs. A score that no pair has made counts as made by a
// thousandth of a pair, as fishtest does, so that the ratio is always finite.
func (t SPRT) LLR(p Pairs) float64 {
	if p.N() == 0 {
		return 0
	}
	var counts [len(p)]float64
	for i, n := range p {
		counts[i] = max(float64(n), 1e-3)
	}
	return logLikelihood(counts, ScoreOfElo(t.Elo1)) - logLikelihood(counts, ScoreOfElo(t.Elo0))
}

// logLikelihood returns the greatest log-likelihood, but for a constant, that
// any distribution of pair scores with the given mean gives to the counts, all
// of them above 0.
//
// That distribution is p[i] = counts[i]/n / (1 + x·(score[i]-mean)), where x
// makes its mean right (the Lagrange multiplier of the mean).
func logLikelihood(counts [5]float64, mean float64) float64 {
	n := 0.0
	for _, c := range counts {
		n += c
	}
	// The sum falls from plus to minus infinity between the poles of the
	// lowest and the highest score, so halving the range finds its zero.
	low, high := -1/(1-mean), 1/mean
	for range 200 {
		x := low + (high-low)/2
		if x <= low || x >= high {
			break
		}
		sum := 0.0
		for i, c := range counts {
			d := float64(i)/4 - mean
			sum += c * d / (1 + x*d)
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	x, l := low+(high-low)/2, 0.0
	for i, c := range counts {
		l += c * math.Log(c/n/(1+x*(float64(i)/4-mean)))
	}
	return l
}
