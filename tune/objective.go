package tune

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// chunks is the number of parts a pass over the rows is cut into. It is fixed,
// and parts are added up in their order, so that floating-point sums do not
// depend on how many workers there are. It bounds the workers that help.
const chunks = 32

// objective is the mean cross-entropy of a matrix and, for training, the
// penalty on the weights. Weights are a vector in men with the opening weight
// of feature i at 2i and its endgame weight at 2i+1.
type objective struct {
	matrix  *Matrix
	labels  []float32 // White's score, 0..1
	k       float64   // log-odds of a man
	workers int

	// Training only. The minimisation moves in steps u from start, where one
	// unit of u[j] is scale[j] men, so that all directions are about as steep.
	start, scale []float64
	penalty      float64 // L2 divided by the number of observations

	// The last point asked for, since gonum wants value and gradient apart.
	// entropy is value without the penalty.
	at, x, grad    []float64
	value, entropy float64

	pairs []pair         // the weights of the current pass
	parts [chunks][]pair // its gradient, by chunk
}

// pair holds what belongs to the two weights of a feature, opening first: one
// look-up and one bounds check a term instead of two.
type pair [2]float64

// begin prepares for training from the given weights. The scale of a weight is
// the inverse root of an upper bound of the objective's second derivative.
func (o *objective) begin(start []float64, penalty float64) {
	o.start, o.penalty = start, penalty
	o.scale, o.x, o.grad = make([]float64, len(start)), make([]float64, len(start)), make([]float64, len(start))
	for i, r := range o.matrix.rows {
		f := phaseShare(r.phase)
		for _, t := range o.matrix.of(i) {
			j, v := 2*int(termFeature(t)), float64(termValue(t))
			o.scale[j] += v * v * f * f
			o.scale[j+1] += v * v * (1 - f) * (1 - f)
		}
	}
	for j, sum := range o.scale {
		o.scale[j] = 1 / math.Sqrt(o.k*o.k/4*sum/float64(o.matrix.Rows())+penalty)
	}
}

// Func and Grad are what gonum/optimize calls; both come from one pass.
func (o *objective) Func(u []float64) float64 {
	o.visit(u)
	return o.value
}

func (o *objective) Grad(grad, u []float64) {
	o.visit(u)
	copy(grad, o.grad)
}

// visit computes value and gradient, penalty included, at u unless u is where
// the objective already is.
func (o *objective) visit(u []float64) {
	if o.at != nil && slices.Equal(o.at, u) {
		return
	}
	o.at = append(o.at[:0], u...)
	for j := range u {
		o.x[j] = o.start[j] + u[j]*o.scale[j]
	}
	o.entropy = o.crossEntropy(o.x, o.grad)
	o.value = o.entropy
	for j := range u {
		moved := u[j] * o.scale[j]
		o.value += o.penalty / 2 * moved * moved
		o.grad[j] = (o.grad[j] + o.penalty*moved) * o.scale[j]
	}
}

// crossEntropy returns the mean cross-entropy at x, without the penalty, and
// sets grad to its gradient unless grad is nil.
func (o *objective) crossEntropy(x, grad []float64) float64 {
	o.pairs = appendPairs(o.pairs[:0], x)
	var sums [chunks]float64
	o.eachChunk(func(c, first, end int) {
		if grad == nil {
			sums[c] = o.chunk(nil, first, end)
			return
		}
		if o.parts[c] == nil {
			o.parts[c] = make([]pair, len(o.pairs))
		}
		clear(o.parts[c])
		sums[c] = o.chunk(o.parts[c], first, end)
	})
	n, loss := float64(o.matrix.Rows()), 0.0
	for _, s := range sums {
		loss += s
	}
	if grad != nil {
		clear(grad)
		for _, part := range o.parts {
			for i, g := range part {
				grad[2*i] += g[0]
				grad[2*i+1] += g[1]
			}
		}
		for i := range grad {
			grad[i] /= n
		}
	}
	return loss / n
}

func appendPairs(pairs []pair, x []float64) []pair {
	for i := 0; i < len(x); i += 2 {
		pairs = append(pairs, pair{x[i], x[i+1]})
	}
	return pairs
}

// eachChunk calls do for each part of the rows, on o.workers goroutines.
func (o *objective) eachChunk(do func(c, first, end int)) {
	n := o.matrix.Rows()
	var next atomic.Int32
	var wg sync.WaitGroup
	for range min(max(o.workers, 1), chunks) {
		wg.Go(func() {
			for c := int(next.Add(1)) - 1; c < chunks; c = int(next.Add(1)) - 1 {
				do(c, n*c/chunks, n*(c+1)/chunks)
			}
		})
	}
	wg.Wait()
}

// chunk returns the summed cross-entropy of rows first..end-1 and adds its
// gradient to grad unless that is nil.
func (o *objective) chunk(grad []pair, first, end int) float64 {
	loss := 0.0
	for i := first; i < end; i++ {
		z := o.k * o.matrix.score(i, o.pairs)
		y := float64(o.labels[i])
		e := math.Exp(-math.Abs(z))
		loss += max(z, 0) + math.Log1p(e) - y*z
		if grad == nil {
			continue
		}
		p := 1 / (1 + e)
		if z < 0 {
			p = e / (1 + e)
		}
		d, f := o.k*(p-y), phaseShare(o.matrix.rows[i].phase)
		opening, endgame := d*f, d*(1-f)
		for _, t := range o.matrix.of(i) {
			g, v := &grad[termFeature(t)], float64(termValue(t))
			g[0] += v * opening
			g[1] += v * endgame
		}
	}
	return loss
}

// outcomeLabels returns White's score in each row's game.
func outcomeLabels(m *Matrix) []float32 {
	labels := make([]float32, m.Rows())
	for i, r := range m.rows {
		labels[i] = float32(r.outcome+1) / 2
	}
	return labels
}

// blend mixes into labels, with weight lambda, what the search score promised,
// where there is one.
func blend(m *Matrix, labels []float32, lambda, k float64) {
	for i, r := range m.rows {
		if r.scored && lambda > 0 {
			promised := sigmoid(k * float64(r.score) / 100)
			labels[i] = float32((1-lambda)*float64(labels[i]) + lambda*promised)
		}
	}
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
