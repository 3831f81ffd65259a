package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/russian"
)

func testOptions() Options {
	o := DefaultOptions()
	o.Holdout, o.MinCount, o.Iterations = 0.2, 5, 20
	return o
}

func runTest(t *testing.T, dir string, o Options) *Result {
	t.Helper()
	v := russian.Variant()
	r, err := Run(context.Background(), dir, v, eval.Default(v), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// written is everything a result is written to.
func written(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b, 20); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Protects the whole way from a dataset to a weights file: the loss falls, the
// rounded weights are as good, the file reads back as the same weights and
// says where they come from, rare features keep their weights.
func TestRun(t *testing.T) {
	v := russian.Variant()
	dir := t.TempDir()
	writeGames(t, dir, v, 150, 0)
	var lines []string
	r, err := Run(context.Background(), dir, v, eval.Default(v), testOptions(), func(line string) { lines = append(lines, line) })
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(r.Curve)+2 || !strings.Contains(lines[len(lines)-1], "holdout") {
		t.Errorf("log of %d lines for %d iterations, the last %q", len(lines), len(r.Curve)-1, lines[len(lines)-1])
	}
	// The curve is of the same weights as the table of losses.
	for at, loss := range map[int]Loss{0: r.Before, r.Best: r.After} {
		if p := r.Curve[at]; math.Abs(p.Train-loss.Train) > 1e-12 || math.Abs(p.Holdout-loss.Holdout) > 1e-12 {
			t.Errorf("curve at %d: %+v, losses %+v", at, p, loss)
		}
	}
	if r.After.Train >= r.Before.Train || r.After.Holdout >= r.Before.Holdout {
		t.Errorf("loss %+v before, %+v after", r.Before, r.After)
	}
	if d := r.Rounded.Train - r.After.Train; d > 1e-3 || d < -1e-3 || r.Rounded.Train == r.After.Train {
		t.Errorf("loss %v, %v with rounded weights", r.After.Train, r.Rounded.Train)
	}
	if f := r.Features; f.Tuned+f.Rare+f.Unseen != f.All || f.Tuned == 0 || f.Rare == 0 || f.Unseen == 0 {
		t.Errorf("features %+v", f)
	}
	var file bytes.Buffer
	if err := r.TunedWeights().Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := eval.Read(&file, v)
	if err != nil {
		t.Fatal(err)
	}
	if read.Hash() != r.Tuned || r.Tuned == r.Start || read.Provenance["dataset"] != r.Dataset || read.Provenance["k"] == "" {
		t.Errorf("weights read back: hash %s, want %s, provenance %v", read.Hash(), r.Tuned, read.Provenance)
	}
	for _, w := range r.Weights {
		if w.Count < r.Options.MinCount && w.moved() != 0 {
			t.Errorf("rare feature moved: %+v", w)
		}
		if w.Opening != read.Opening[w.Index] || w.Endgame != read.Endgame[w.Index] {
			t.Errorf("%+v is not what the file says", w)
		}
	}
	moved := r.Moved(1 << 20)
	for i := 1; i < len(moved); i++ {
		if moved[i].moved() > moved[i-1].moved() || moved[i].moved() == 0 {
			t.Fatalf("not in order of movement: %+v, %+v", moved[i-1], moved[i])
		}
	}
}

// Protects reproducibility: whatever the workers and however often, every byte
// of the result is the same; and a result survives JSON, so that a report can
// be drawn from the file.
func TestResultIsReproducible(t *testing.T) {
	dir := t.TempDir()
	writeGames(t, dir, russian.Variant(), 80, 0)
	o := testOptions()
	o.Workers = 1
	first := runTest(t, dir, o)
	o.Workers = 3
	second := runTest(t, dir, o)
	if diff := cmp.Diff(first, second, cmpopts.IgnoreUnexported(Result{}), cmpopts.IgnoreFields(Options{}, "Workers")); diff != "" {
		t.Errorf("1 and 3 workers differ:\n%s", diff)
	}
	if written(t, first) != written(t, second) {
		t.Error("text or picture differ between runs")
	}
	if diff := cmp.Diff(first.TunedWeights(), second.TunedWeights()); diff != "" {
		t.Errorf("weights differ:\n%s", diff)
	}
	text, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if written(t, &back) != written(t, first) {
		t.Error("a result read from JSON is written otherwise")
	}
}

// Protects a terminal of 80 columns.
func TestTextFits(t *testing.T) {
	dir := t.TempDir()
	writeGames(t, dir, russian.Variant(), 80, 0)
	r := runTest(t, dir, testOptions())
	var b bytes.Buffer
	if err := r.WriteText(&b, 20); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	t.Log("\n" + b.String())
}

// Protects the messages for options and data that tuning cannot work with.
func TestRunRefuses(t *testing.T) {
	v := russian.Variant()
	dir := t.TempDir()
	writeGames(t, dir, v, 30, 0)
	zero := &eval.Weights{Variant: v.Name, Opening: make([]int16, eval.For(v).Len()), Endgame: make([]int16, eval.For(v).Len())}
	for _, c := range []struct {
		want   string
		change func(o *Options)
		start  *eval.Weights
	}{
		{want: "games to train with, at least 50", change: func(*Options) {}},
		{want: "no position is in the holdout", change: func(o *Options) { o.MinGames, o.Holdout = 1, 1e-9 }},
		{want: "do not predict", change: func(o *Options) { o.MinGames = 1 }, start: zero},
		{want: "lambda 1.5", change: func(o *Options) { o.Lambda = 1.5 }},
		{want: "l2 0", change: func(o *Options) { o.L2 = 0 }},
		{want: "0 iterations", change: func(o *Options) { o.Iterations = 0 }},
		{want: "min-count 0", change: func(o *Options) { o.MinCount = 0 }},
		{want: "-1 workers", change: func(o *Options) { o.Workers = -1 }},
		{want: "are for 3 features", change: func(o *Options) { o.MinGames = 1 }, start: &eval.Weights{Variant: v.Name, Opening: make([]int16, 3), Endgame: make([]int16, 3)}},
	} {
		o := testOptions()
		c.change(&o)
		if c.start == nil {
			c.start = eval.Default(v)
		}
		if _, err := Run(context.Background(), dir, v, c.start, o, nil); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", c.want, err)
		}
	}
	random := &data{use: Use{Rows: 70, Unsearched: 60}}
	if err := random.enough(Options{MinGames: 1}); err == nil || !strings.Contains(err.Error(), "--unsearched") {
		t.Errorf("games of a random player: error %v", err)
	}
	d := &data{use: Use{Train: Part{Games: 99, Positions: 500, Draws: 500}}}
	if err := d.enough(Options{MinGames: 1}); err == nil || !strings.Contains(err.Error(), "same outcome") {
		t.Errorf("only draws: error %v", err)
	}
}

// Protects overflow of the integer weights in a result: the feature is named.
func TestResultRefusesOverflow(t *testing.T) {
	v := russian.Variant()
	features, start := eval.For(v), eval.Default(v)
	m := newTestMatrix(t, features.Len())
	addRow(t, m, 0, engine.WhiteWins, 0, 1)
	d := &data{train: m, holdout: newTestMatrix(t, features.Len())}
	x, err := vector(features, start)
	if err != nil {
		t.Fatal(err)
	}
	tunable, err := d.reduce(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Fit(context.Background(), d.train, d.holdout, tunable, FitOptions{K: 1, L2: 1, Observations: 1, Iterations: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newResult(v, features, d, start, testOptions(), 1, f); err != nil {
		t.Fatal(err)
	}
	f.x[0] = 400
	if _, err := newResult(v, features, d, start, testOptions(), 1, f); err == nil || !strings.Contains(err.Error(), features.Name(1)) {
		t.Errorf("error %v", err)
	}
}

// Protects the horizontal axis: whole iterations, not too many marks.
func TestWholeTicks(t *testing.T) {
	for high, want := range map[float64]string{1: "0 1", 10: "0 1 2 3 4 5 6 7 8 9 10", 17: "0 2 4 6 8 10 12 14 16", 75: "0 10 20 30 40 50 60 70", 100: "0 10 20 30 40 50 60 70 80 90 100"} {
		var labels []string
		for _, tick := range wholeTicks(0, high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("0 to %v: %s, want %s", high, got, want)
		}
	}
}
