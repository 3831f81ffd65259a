package tune

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"draughtlab/engine"
	"draughtlab/engine/eval"
)

// Result is what Run found: the weights, and how.
type Result struct {
	Variant string `json:"variant"`
	// Dataset is the content hash of the dataset (dataset.Hash), Config that of
	// its config.json (dataset.ConfigHash); of a training set the hash of its
	// provenance and the configurations of its runs.
	Dataset string `json:"dataset"`
	Config  string `json:"config"`
	// Start and Tuned are the hashes of the weights (eval.Weights.Hash).
	Start string `json:"start_weights"`
	Tuned string `json:"tuned_weights"`

	Options Options `json:"options"`
	Use     Use     `json:"use"`
	// K is the log-odds of one man, fitted with the starting weights.
	K float64 `json:"k"`

	// Before, After and Rounded are the losses with the starting weights, the
	// tuned ones, and the tuned ones in whole hundredths of a man.
	Before  Loss `json:"before"`
	After   Loss `json:"after"`
	Rounded Loss `json:"rounded"`

	Curve []CurvePoint `json:"curve"`
	// Best is the index in Curve of the weights that were kept, Stop why the
	// fit ended.
	Best int    `json:"best_iteration"`
	Stop string `json:"stop"`

	Features FeatureCounts `json:"features"`
	// Weights has an entry a feature that occurs or weighs something.
	Weights []FeatureWeight `json:"weights"`

	weights *eval.Weights
}

// Loss is a mean cross-entropy in nats a position, without the penalty.
type Loss struct {
	Train   float64 `json:"train"`
	Holdout float64 `json:"holdout"` // 0 if there is no holdout
}

// FeatureCounts says how many features were tuned.
type FeatureCounts struct {
	All int `json:"all"`
	// Tuned occur in MinCount training positions or more, Rare in fewer,
	// Unseen in none; the last two keep their starting weights.
	Tuned  int `json:"tuned"`
	Rare   int `json:"rare"`
	Unseen int `json:"unseen"`
}

// FeatureWeight is a feature's weights, in hundredths of a man, and the number
// of training positions it occurs in.
type FeatureWeight struct {
	Index        int    `json:"index"`
	Name         string `json:"name"`
	Count        int    `json:"count"`
	StartOpening int16  `json:"start_opening"`
	Opening      int16  `json:"opening"`
	StartEndgame int16  `json:"start_endgame"`
	Endgame      int16  `json:"endgame"`
}

// moved returns how far the weight that moved more is from its start.
func (w FeatureWeight) moved() int {
	return max(apart(w.Opening, w.StartOpening), apart(w.Endgame, w.StartEndgame))
}

func apart(a, b int16) int {
	d := int(a) - int(b)
	return max(d, -d)
}

func newResult(v *engine.Variant, features *eval.Features, d *data, start *eval.Weights, o Options, k float64, f *fitted) (*Result, error) {
	tuned := &eval.Weights{Variant: v.Name, Opening: slices.Clone(start.Opening), Endgame: slices.Clone(start.Endgame)}
	rounded := make([]float64, len(f.x))
	for c, i := range d.tuned {
		var errs [2]error
		tuned.Opening[i], errs[0] = weight(f.x[2*c])
		tuned.Endgame[i], errs[1] = weight(f.x[2*c+1])
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("feature %q: %w", features.Name(i), err)
		}
		rounded[2*c], rounded[2*c+1] = float64(tuned.Opening[i])/100, float64(tuned.Endgame[i])/100
	}
	r := &Result{
		Variant: v.Name, Start: start.Hash(), Tuned: tuned.Hash(), Options: o, Use: d.use, K: k,
		Before: f.loss(f.train.start), After: f.loss(f.x), Rounded: f.loss(rounded),
		Curve: f.curve, Best: f.best, Stop: f.stop,
		Features: FeatureCounts{All: features.Len(), Tuned: len(d.tuned)},
		weights:  tuned,
	}
	for i, count := range d.counts {
		switch {
		case count == 0:
			r.Features.Unseen++
		case int(count) < o.MinCount:
			r.Features.Rare++
		}
		if count > 0 || start.Opening[i] != 0 || start.Endgame[i] != 0 {
			r.Weights = append(r.Weights, FeatureWeight{i, features.Name(i), int(count), start.Opening[i], tuned.Opening[i], start.Endgame[i], tuned.Endgame[i]})
		}
	}
	return r, nil
}

// loss returns the losses at x.
func (f *fitted) loss(x []float64) Loss {
	l := Loss{Train: f.train.crossEntropy(x, nil)}
	if f.holdout.matrix.Rows() > 0 {
		l.Holdout = f.holdout.crossEntropy(x, nil)
	}
	return l
}

// TunedWeights returns the weights with their provenance. They belong to the
// result; a result read from JSON has none.
func (r *Result) TunedWeights() *eval.Weights { return r.weights }

// stamp writes into the weights how they were made: no time, place or worker
// count, so the file is the same wherever it is made from the same dataset.
func (r *Result) stamp() {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	r.weights.Provenance = map[string]string{
		"source":            "tuned: logistic regression on outcomes",
		"dataset":           r.Dataset,
		"config":            r.Config,
		"start_weights":     r.Start,
		"train_games":       count(r.Use.Train.Games),
		"train_positions":   count(int64(r.Use.Train.Positions)),
		"holdout_games":     count(r.Use.Holdout.Games),
		"holdout_positions": count(int64(r.Use.Holdout.Positions)),
		"features":          count(int64(r.Features.All)),
		"features_tuned":    count(int64(r.Features.Tuned)),
		"k":                 number(r.K),
		"iterations":        count(int64(len(r.Curve) - 1)),
		"best_iteration":    count(int64(r.Best)),
		"loss_before":       number(r.Before.Train),
		"loss_after":        number(r.Rounded.Train),
		"holdout_before":    number(r.Before.Holdout),
		"holdout_after":     number(r.Rounded.Holdout),
		"option_lambda":     number(r.Options.Lambda),
		"option_l2":         number(r.Options.L2),
		"option_holdout":    number(r.Options.Holdout),
		"option_iterations": count(int64(r.Options.Iterations)),
		"option_patience":   count(int64(r.Options.Patience)),
		"option_min_count":  count(int64(r.Options.MinCount)),
		"option_positions":  count(int64(r.Options.MaxPositions)),
		"option_per_game":   count(int64(r.Options.PerGame)),
		"option_unsearched": strconv.FormatBool(r.Options.Selection.Unsearched),
	}
}

// Moved returns the n features, or fewer, whose weights moved most, those that
// moved most first.
func (r *Result) Moved(n int) []FeatureWeight {
	moved := slices.DeleteFunc(slices.Clone(r.Weights), func(w FeatureWeight) bool { return w.moved() == 0 })
	slices.SortStableFunc(moved, func(a, b FeatureWeight) int { return cmp.Compare(b.moved(), a.moved()) })
	return moved[:min(n, len(moved))]
}

// WriteText writes the result as text for a terminal of 80 columns, with the n
// features whose weights moved most.
func (r *Result) WriteText(w io.Writer, n int) error {
	t := &printer{w: w}
	u := r.Use
	t.printf("%s: weights %s, tuned from %s\n\n", r.Variant, r.Tuned, r.Start)
	t.printf("dataset    %s\n", r.Dataset)
	t.printf("rows       %d, of which left out: no outcome %d,\n", u.Rows, u.NoOutcome)
	t.printf("           capture due %d, not searched %d, opening %d,\n", u.CaptureDue, u.Unsearched, u.Opening)
	t.printf("           proven %d, over the limit of a game %d, not in the\n", u.Proven, u.PerGame)
	t.printf("           sample %d\n", u.Candidates-int64(u.Train.Positions+u.Holdout.Positions))
	t.printf("           %11s %9s %11s %11s %11s\n", "positions", "games", "White won", "drawn", "Black won")
	t.printf("training   %11d %9d %11d %11d %11d\n", u.Train.Positions, u.Train.Games, u.Train.WhiteWins, u.Train.Draws, u.Train.BlackWins)
	t.printf("holdout    %11d %9d %11d %11d %11d\n", u.Holdout.Positions, u.Holdout.Games, u.Holdout.WhiteWins, u.Holdout.Draws, u.Holdout.BlackWins)
	t.printf("features   %d: %d tuned, %d rare and %d unseen keep their weights\n", r.Features.All, r.Features.Tuned, r.Features.Rare, r.Features.Unseen)
	t.printf("K          %.4f log-odds a man\n", r.K)
	t.printf("iteration  %d kept of %d: %s\n\n", r.Best, len(r.Curve)-1, r.Stop)
	t.printf("%-31s %10s %10s\n", "loss (nats a position)", "training", "holdout")
	for _, l := range []struct {
		name string
		Loss
	}{{"starting weights", r.Before}, {"tuned", r.After}, {"tuned, rounded (as written)", r.Rounded}} {
		t.printf("%-31s %10.6f %10s\n", l.name, l.Train, r.holdoutText(l.Loss))
	}
	t.printf("\n%-37s %9s %14s %14s\n", "moved most (hundredths of a man)", "positions", "opening", "endgame")
	for _, f := range r.Moved(n) {
		t.printf("%-37.37s %9d %6d > %5d %6d > %5d\n", f.Name, f.Count, f.StartOpening, f.Opening, f.StartEndgame, f.Endgame)
	}
	return t.err
}

func (r *Result) holdoutText(l Loss) string {
	if r.Use.Holdout.Positions == 0 {
		return "-"
	}
	return fmt.Sprintf("%.6f", l.Holdout)
}

// printer keeps the first error of a sequence of writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// weight rounds a weight in men to hundredths of a man and refuses what the
// evaluation's integers cannot hold.
func weight(men float64) (int16, error) {
	w := math.Round(100 * men)
	if !(w >= math.MinInt16 && w <= math.MaxInt16) {
		return 0, fmt.Errorf("a weight of %.4g hundredths of a man does not fit the weights file", 100*men)
	}
	return int16(w), nil
}
