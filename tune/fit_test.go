package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
)

// addRow appends a row to a matrix: coefficients by feature, zero for none.
func addRow(t testing.TB, m *Matrix, phase int, outcome engine.Outcome, coefficients ...int16) {
	t.Helper()
	var terms []eval.Term
	for i, v := range coefficients {
		if v != 0 {
			terms = append(terms, eval.Term{Index: uint32(i), Value: v})
		}
	}
	if err := m.Add(Row{Terms: terms, Phase: phase, Outcome: outcome}); err != nil {
		t.Fatal(err)
	}
}

func newTestMatrix(t testing.TB, features int) *Matrix {
	t.Helper()
	m, err := NewMatrix(features)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// planted makes rows whose outcomes are drawn from the model itself, with the
// weights x and log-odds k a man; half of what is no win is drawn.
func planted(t testing.TB, rng *rand.Rand, rows int, x []float64, k float64) *Matrix {
	m := newTestMatrix(t, len(x)/2)
	coefficients := make([]int16, len(x)/2)
	for range rows {
		for i := range coefficients {
			coefficients[i] = int16(rng.IntN(5) - 2)
		}
		phase := rng.IntN(eval.MaxPhase + 1)
		addRow(t, m, phase, engine.Draw, coefficients...)
		i := m.Rows() - 1
		p := sigmoid(k * m.score(i, appendPairs(nil, x)))
		// Two draws of 0 or 1/2 keep the mean at p, with draws among them.
		points := 0
		for range 2 {
			if rng.Float64() < p {
				points++
			}
		}
		m.rows[i].outcome = int8(points - 1)
		m.rows[i].scored, m.rows[i].score = rng.IntN(3) > 0, int16(rng.IntN(400)-200)
	}
	return m
}

func randomWeights(rng *rand.Rand, features int) []float64 {
	x := make([]float64, 2*features)
	for i := range x {
		x[i] = rng.Float64()*2 - 1
	}
	return x
}

// Protects the analytic gradient, with penalty, scale, blended labels and
// dropped features, against central differences.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := planted(t, rng, 300, randomWeights(rng, 6), 1.3)
	m.reduce([]int{0, 2, 3, 5}, appendPairs(nil, randomWeights(rng, 6)))
	o := &objective{matrix: m, labels: outcomeLabels(m), k: 1.3, workers: 2}
	blend(m, o.labels, 0.3, o.k)
	o.begin(randomWeights(rng, 4), 0.07)
	u, grad := randomWeights(rng, 4), make([]float64, 8)
	o.Grad(grad, u)
	for i := range u {
		const h = 1e-5
		at := slices.Clone(u)
		at[i] = u[i] + h
		above := o.Func(at)
		at[i] = u[i] - h
		if want := (above - o.Func(at)) / (2 * h); math.Abs(grad[i]-want) > 1e-8 || want == 0 {
			t.Errorf("gradient %d: %.10f, by differences %.10f", i, grad[i], want)
		}
	}
}

// Protects the loss against the textbook formula, which is exact for small
// arguments, and against overflow for large ones.
func TestCrossEntropy(t *testing.T) {
	m := newTestMatrix(t, 1)
	addRow(t, m, eval.MaxPhase, engine.WhiteWins, 1)
	addRow(t, m, 0, engine.Draw, -2)
	addRow(t, m, eval.MaxPhase/2, engine.BlackWins, 1)
	o := &objective{matrix: m, labels: outcomeLabels(m), k: 2, workers: 1}
	opening, endgame := 0.5, 0.25
	p := []float64{sigmoid(2 * opening), sigmoid(2 * -2 * endgame), sigmoid(2 * (opening + endgame) / 2)}
	want := -(math.Log(p[0]) + 0.5*math.Log(p[1]) + 0.5*math.Log(1-p[1]) + math.Log(1-p[2])) / 3
	if got := o.crossEntropy([]float64{opening, endgame}, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("cross-entropy %.12f, want %.12f", got, want)
	}
	if got := o.crossEntropy([]float64{1e6, -1e6}, make([]float64, 2)); math.IsNaN(got) || math.IsInf(got, 0) {
		t.Errorf("cross-entropy of huge weights is %v", got)
	}
}

// Protects the method as a whole: weights and K that made the data are found
// again from a far start.
func TestRecoversPlantedWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	want := randomWeights(rng, 8)
	const k = 1.5
	m := planted(t, rng, 60000, want, k)
	if got, err := FitK(m, want); err != nil || math.Abs(got-k) > 0.05 {
		t.Errorf("K = %.4f (%v), want %v", got, err, k)
	}
	f, err := Fit(context.Background(), m, planted(t, rng, 5000, want, k), make([]float64, 16),
		FitOptions{K: k, L2: 0.1, Observations: 60000, Iterations: 100, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if math.Abs(f.x[i]-w) > 0.05 {
			t.Errorf("weight %d: %.4f men, want %.4f", i, f.x[i], w)
		}
	}
	last := f.curve[f.best]
	if last.Train >= f.curve[0].Train || last.Holdout >= f.curve[0].Holdout {
		t.Errorf("loss rose: from %+v to %+v", f.curve[0], last)
	}
}

// Protects independence of the number of workers, to the last bit.
func TestWorkersDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m := planted(t, rng, 5003, randomWeights(rng, 10), 1)
	var first *fitted
	for _, workers := range []int{1, 2, 7, 50} {
		f, err := Fit(context.Background(), m, newTestMatrix(t, 10), make([]float64, 20), FitOptions{K: 1, L2: 1, Observations: 100, Iterations: 15, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = f
		}
		if !slices.Equal(f.x, first.x) || !slices.Equal(f.curve, first.curve) {
			t.Errorf("%d workers give other weights than 1", workers)
		}
	}
}

// Protects against weights of features without data: case tune-unseen-feature
// (after texel-tuner commit 63e4c28 and ourownstory/neural_prophet #723). A
// feature that never occurs stays at its start exactly, one that occurs once
// is held by the penalty.
func TestUnseenFeature(t *testing.T) {
	m := newTestMatrix(t, 20)
	row := make([]int16, 20)
	for i := range 200 {
		clear(row)
		row[0] = int16(i%5 - 2)
		if i == 77 {
			row[18] = 1
		}
		outcome := engine.WhiteWins
		if i%5 < 2 || i%7 == 0 {
			outcome = engine.BlackWins
		}
		addRow(t, m, eval.MaxPhase/2, outcome, row...)
	}
	if m.counts[17] != 0 || m.counts[18] != 1 {
		t.Fatalf("counts %v", m.counts)
	}
	start := make([]float64, 40)
	start[34], start[35] = 0.37, -0.11
	const l2 = 2.0
	f, err := Fit(context.Background(), m, newTestMatrix(t, 20), start, FitOptions{K: 1, L2: l2, Observations: 200, Iterations: 200, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f.x[34] != 0.37 || f.x[35] != -0.11 {
		t.Errorf("unseen feature moved to %v, %v", f.x[34], f.x[35])
	}
	// One row pulls with less than K/2, its phase being half, the penalty
	// holds with L2·w.
	if w := math.Abs(f.x[36]); w == 0 || w > 0.5/l2 {
		t.Errorf("feature of a single row has weight %v, the penalty bounds it by %v", f.x[36], 0.5/l2)
	}
	for i, w := range f.x {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			t.Errorf("weight %d is %v", i, w)
		}
	}
}

// Protects against exploding weights on data that can be separated: case
// tune-separable.
func TestSeparable(t *testing.T) {
	m := newTestMatrix(t, 1)
	for range 2 {
		addRow(t, m, eval.MaxPhase, engine.WhiteWins, 1)
		addRow(t, m, eval.MaxPhase, engine.BlackWins, -1)
	}
	for _, l2 := range []float64{1, 1e-3, 1e-6} {
		f, err := Fit(context.Background(), m, newTestMatrix(t, 1), []float64{0, 0}, FitOptions{K: 1, L2: l2, Observations: 4, Iterations: 1000, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		// At the optimum 4(1-p) = l2·w, so w < 4/l2, and it grows like -ln l2.
		if w := f.x[0]; !(w > 0 && w < 10-2*math.Log(l2)) || f.x[1] != 0 {
			t.Errorf("l2 %v: weights %v", l2, f.x)
		}
		if got := f.curve[f.best].Train; l2 == 1e-6 && got > 1e-4 {
			t.Errorf("l2 %v: loss %v does not go to 0", l2, got)
		}
	}
	if k, err := FitK(m, []float64{1, 1}); err != nil || k != maxK {
		t.Errorf("K = %v (%v) on separable data, want the bound %v", k, err, maxK)
	}
}

// Protects against scores and outcomes of opposite views, which give no
// positive K, and against weights that say nothing.
func TestFitKRefuses(t *testing.T) {
	m := newTestMatrix(t, 1)
	addRow(t, m, 0, engine.BlackWins, 1)
	addRow(t, m, 0, engine.Draw, 1)
	for _, x := range [][]float64{{1, 1}, {0, 0}} {
		if k, err := FitK(m, x); err == nil || !strings.Contains(err.Error(), "do not predict") {
			t.Errorf("weights %v: K = %v, error %v", x, k, err)
		}
	}
}

// Protects early stopping: weights are those of the best holdout loss, not of
// the last iteration, when the holdout says the opposite of the training data.
func TestHoldoutStopsTheFit(t *testing.T) {
	train, holdout := newTestMatrix(t, 2), newTestMatrix(t, 2)
	for i := range 100 {
		outcome := engine.Outcome(1 - 2*(i%2))
		addRow(t, train, 0, outcome, int16(outcome), 1)
		addRow(t, holdout, 0, outcome, int16(-outcome), 1)
	}
	f, err := Fit(context.Background(), train, holdout, make([]float64, 4), FitOptions{K: 1, L2: 1e-3, Observations: 100, Iterations: 50, Patience: 3, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f.best != 0 || len(f.curve) != 4 || f.x[1] != 0 || !strings.Contains(f.stop, "holdout") {
		t.Errorf("kept iteration %d of %d, stopped because %s, weights %v", f.best, len(f.curve)-1, f.stop, f.x)
	}
}

// Protects that a cancelled context ends the fit with its error.
func TestFitCancelled(t *testing.T) {
	m := newTestMatrix(t, 1)
	addRow(t, m, 0, engine.WhiteWins, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, m, newTestMatrix(t, 1), []float64{0, 0}, FitOptions{K: 1, L2: 1, Observations: 1, Iterations: 5}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// Protects the integer weights against silent overflow: they are rounded to
// the nearest, or refused.
func TestWeightRounding(t *testing.T) {
	for men, want := range map[float64]int16{0.004: 0, 0.006: 1, -1.004: -100, -1.006: -101, 327.67: 32767, -327.68: -32768} {
		if got, err := weight(men); err != nil || got != want {
			t.Errorf("%v men: %d (%v), want %d", men, got, err, want)
		}
	}
	for _, men := range []float64{327.68, -327.7, math.NaN(), math.Inf(1)} {
		if got, err := weight(men); err == nil {
			t.Errorf("%v men became %d", men, got)
		}
	}
}

// A pass over rows like those of the games: about 30 of the 5,000 features that
// are tuned, each. The figure to watch is rows/s (value and gradient).
func BenchmarkPass(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	const features, rows = 5000, 200000
	m := newTestMatrix(b, features)
	terms := make([]eval.Term, 30)
	for range rows {
		for i := range terms {
			r := rng.Float64()
			terms[i] = eval.Term{Index: uint32(features * r * r * r), Value: int16(rng.IntN(2)*2 - 1)}
		}
		if err := m.Add(Row{Terms: terms, Phase: rng.IntN(eval.MaxPhase), Outcome: engine.Outcome(rng.IntN(3) - 1)}); err != nil {
			b.Fatal(err)
		}
	}
	for _, workers := range []int{1, 2} {
		b.Run([]string{1: "workers=1", 2: "workers=2"}[workers], func(b *testing.B) {
			o := &objective{matrix: m, labels: outcomeLabels(m), k: 1, workers: workers}
			x, grad := make([]float64, 2*features), make([]float64, 2*features)
			for b.Loop() {
				o.crossEntropy(x, grad)
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
