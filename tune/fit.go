package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// maxK bounds K, the log-odds of a man, for data the starting weights separate.
const maxK = 20

// FitK returns the K that gives the starting weights x (see Fit) the smallest
// cross-entropy against the outcomes of m: 1-D and convex, by bisection of the
// derivative. It fails if the weights say nothing of the outcomes, or the
// opposite, since then no K > 0 is best.
func FitK(m *Matrix, x []float64) (float64, error) {
	scores, weights := make([]float64, m.Rows()), appendPairs(nil, x)
	for i := range scores {
		scores[i] = m.score(i, weights)
	}
	labels := outcomeLabels(m)
	slope := func(k float64) float64 {
		sum := 0.0
		for i, s := range scores {
			sum += s * (sigmoid(k*s) - float64(labels[i]))
		}
		return sum
	}
	low, high := 0.0, float64(maxK)
	if slope(low) >= 0 {
		return 0, errors.New("the starting weights do not predict the outcomes (no K > 0 fits): start from weights that at least know material, and check that scores and outcomes are White's view")
	}
	if slope(high) <= 0 {
		return high, nil
	}
	for range 60 {
		if mid := (low + high) / 2; slope(mid) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2, nil
}

// FitOptions are the settings of Fit.
type FitOptions struct {
	// K is the log-odds of a man (FitK), Lambda the weight of the search score
	// in the labels, 0..1.
	K, Lambda float64
	// L2 is the precision, in 1/men², of the prior, Observations the number of
	// independent outcomes among the training rows; see the package comment.
	L2, Observations float64
	// Iterations bounds the L-BFGS iterations. With Patience > 0 the fit stops
	// after that many without a better holdout loss.
	Iterations, Patience int
	// Workers is the number of goroutines; the result does not depend on it.
	Workers int
	// Progress, if any, is told of every iteration.
	Progress func(CurvePoint)
}

// CurvePoint is the loss after an iteration: mean cross-entropy in nats a
// position, against the blended labels and without the penalty.
type CurvePoint struct {
	Iteration int `json:"iteration"`
	// Objective is what is minimised: Train with the penalty.
	Objective float64 `json:"objective"`
	Train     float64 `json:"train"`
	// Holdout is 0 if there is no holdout.
	Holdout float64 `json:"holdout"`
}

// fitted is what Fit found.
type fitted struct {
	x     []float64
	best  int // the iteration of x, an index of curve
	curve []CurvePoint
	stop  string // why it stopped

	train, holdout *objective
}

// Fit minimises the objective from the weights in start, in men: the opening
// weight of feature i is start[2i], its endgame weight start[2i+1]. L2 must be
// above 0, so there is one best point, and Fit goes on until it is reached. With
// Patience and a holdout, which may be empty, the weights are instead those of
// the iteration with the smallest holdout loss; that loss is then flattered,
// having been chosen.
func Fit(ctx context.Context, train, holdout *Matrix, start []float64, o FitOptions) (*fitted, error) {
	f := &fitted{
		x:       slices.Clone(start),
		train:   &objective{matrix: train, labels: outcomeLabels(train), k: o.K, workers: o.Workers},
		holdout: &objective{matrix: holdout, labels: outcomeLabels(holdout), k: o.K, workers: o.Workers},
	}
	blend(train, f.train.labels, o.Lambda, o.K)
	blend(holdout, f.holdout.labels, o.Lambda, o.K)
	f.train.begin(start, o.L2/o.Observations)
	problem := optimize.Problem{
		Func: f.train.Func,
		Grad: f.train.Grad,
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				return optimize.Failure, ctx.Err()
			}
			return optimize.NotTerminated, nil
		},
	}
	w := &watcher{fitted: f, options: o}
	settings := &optimize.Settings{Converger: w, MajorIterations: o.Iterations + 1, GradientThreshold: 1e-9}
	_, err := optimize.Minimize(problem, make([]float64, len(start)), settings, &optimize.LBFGS{})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(f.curve) == 0:
		return nil, fmt.Errorf("the loss cannot be computed at the starting weights: %w", err)
	case f.stop != "":
	case err != nil:
		f.stop = "no better point on the line" // floating-point precision is reached
	case len(f.curve) > o.Iterations:
		f.stop = "iteration limit"
	default:
		f.stop = "gradient vanished"
	}
	return f, nil
}

// watcher records the loss curve, keeps the best weights and decides when to
// stop. It is the Converger of the minimisation: called after each iteration,
// and once for the starting point.
type watcher struct {
	*fitted
	options FitOptions
}

// Init is part of optimize.Converger.
func (w *watcher) Init(int) {}

// tolerance is the relative decrease of the objective, over settleFor
// iterations, below which the fit has settled.
const (
	tolerance = 1e-5
	settleFor = 5
)

// Converged is part of optimize.Converger.
func (w *watcher) Converged(at *optimize.Location) optimize.Status {
	w.train.visit(at.X) // as a rule it is there already
	p := CurvePoint{Iteration: len(w.curve), Objective: at.F, Train: w.train.entropy}
	chosenBy := func(p CurvePoint) float64 { return p.Objective }
	if w.holdout.matrix.Rows() > 0 {
		p.Holdout = w.holdout.crossEntropy(w.train.x, nil)
		if w.options.Patience > 0 {
			chosenBy = func(p CurvePoint) float64 { return p.Holdout }
		}
	}
	w.curve = append(w.curve, p)
	if p.Iteration == 0 || chosenBy(p) < chosenBy(w.curve[w.best]) {
		w.best = p.Iteration
		copy(w.x, w.train.x)
	}
	if w.options.Progress != nil {
		w.options.Progress(p)
	}
	if w.options.Patience > 0 && p.Iteration-w.best >= w.options.Patience {
		w.stop = "the holdout loss stopped falling"
		return optimize.FunctionConvergence
	}
	if earlier := p.Iteration - settleFor; earlier >= 0 && w.curve[earlier].Objective-p.Objective < tolerance*math.Abs(p.Objective) {
		w.stop = "the loss settled"
		return optimize.FunctionConvergence
	}
	return optimize.NotTerminated
}
