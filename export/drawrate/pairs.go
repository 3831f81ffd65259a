package drawrate

import (
	"fmt"
	"math"
)

// Score is a mean score a game (win 1, draw 1/2, loss 0) and its standard error,
// both as fractions in 0..1.
type Score struct {
	Mean          float64
	StandardError float64
}

// ScorePairs scores game pairs: two games from one opening with colours swapped.
// The counts are pairs by points of the first engine: 0, 1/2, 1, 3/2 and 2. The
// pair is the independent unit, so the standard error is that of the mean of the
// pairs' scores (population variance, as fishtest's pentanomial model). ok is
// false without pairs; a negative count is an error that wraps ErrCounts.
func ScorePairs(pairs [5]int64) (s Score, ok bool, err error) {
	return score(pairs[:])
}

// ScoreGames scores games as if each were independent of the others. For games
// played in pairs use ScorePairs. The counts are losses, draws and wins.
func ScoreGames(losses, draws, wins int64) (s Score, ok bool, err error) {
	return score([]int64{losses, draws, wins})
}

// score takes numbers of results in steps of equal size from score 0 to 1.
func score(counts []int64) (Score, bool, error) {
	var n, sum, squares float64
	for i, count := range counts {
		if count < 0 {
			return Score{}, false, fmt.Errorf("%w: %v", ErrCounts, counts)
		}
		n += float64(count)
		sum += float64(count) * float64(i)
	}
	if n == 0 {
		return Score{}, false, nil
	}
	mean, step := sum/n, float64(len(counts)-1)
	for i, count := range counts {
		squares += float64(count) * (float64(i) - mean) * (float64(i) - mean)
	}
	return Score{Mean: mean / step, StandardError: math.Sqrt(squares) / n / step}, true, nil
}
