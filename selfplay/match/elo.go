package match

import (
	"math"
	"slices"
)

// Pairs counts game pairs by what the first player scored in the two games:
// losing both, a loss and a draw, two draws or a win and a loss, a win and a
// draw, winning both. The two games of a pair begin from one opening with
// colours exchanged, so they are not independent; pairs are.
type Pairs [5]int

// N returns the number of pairs.
func (p Pairs) N() int { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Alike reports whether there are pairs and all of them scored the same. They
// say nothing of how pairs vary, so no interval can be given from them.
func (p Pairs) Alike() bool { return p.N() > 0 && slices.Max(p[:]) == p.N() }

// Score returns the mean score a game, from 0 to 1, of the first player, and
// the standard error of that mean, computed from the pairs: the standard
// deviation of the pairs' scores (with n, not n-1) over the square root of
// their number. Both are NaN without pairs.
func (p Pairs) Score() (mean, se float64) {
	n := float64(p.N())
	for i, count := range p {
		mean += float64(count) * float64(i) / 4
	}
	mean /= n
	for i, count := range p {
		d := float64(i)/4 - mean
		se += float64(count) * d * d
	}
	return mean, math.Sqrt(se/n) / math.Sqrt(n)
}

// Elo returns the rating difference that explains the score under the logistic
// model, and an interval: the differences for the score plus and minus z
// standard errors (z is 1.96 for 95 %). A score of 0 or 1 gives an infinite
// difference. Where the pairs are Alike the interval is one point and means
// nothing: show none.
func (p Pairs) Elo(z float64) (elo, low, high float64) {
	mean, se := p.Score()
	return EloOfScore(mean), EloOfScore(mean - z*se), EloOfScore(mean + z*se)
}

// EloOfScore returns the rating difference at which the logistic model expects
// a score from 0 to 1; scores outside are taken as 0 or 1.
func EloOfScore(score float64) float64 {
	score = math.Max(0, math.Min(1, score))
	return 400 * math.Log10(score/(1-score))
}

// ScoreOfElo is the inverse of EloOfScore.
func ScoreOfElo(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }
