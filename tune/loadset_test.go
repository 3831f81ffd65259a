package tune

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
	"draughtlab/export/refine"
)

// setsOf writes a run of random games and returns it, a training set with all
// its positions, and one with equal positions as one row.
func setsOf(t *testing.T, v *engine.Variant) (run, all, deduped string) {
	t.Helper()
	const games = 60
	run, dir := t.TempDir(), t.TempDir()
	all, deduped = filepath.Join(dir, "all"), filepath.Join(dir, "deduped")
	writeGames(t, run, v, games, 90)
	if err := dataset.WriteManifest(t.Context(), run, []dataset.Plan{{Variant: v.Name, Games: games, ShardGames: games / 2}}); err != nil {
		t.Fatal(err)
	}
	if _, err := refine.Merge(context.Background(), []string{run}, all, refine.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := refine.Dedupe(context.Background(), all, deduped, refine.DedupeOptions{IgnoreClocks: true}, refine.Options{}); err != nil {
		t.Fatal(err)
	}
	return run, all, deduped
}

// Protects tuning from training sets: all positions of a run give the weights
// that the run gives; equal positions as one row give the same loss, since
// images of a position have opposite coefficients and labels.
func TestTrainingSetsGiveTheSameWeights(t *testing.T) {
	for _, v := range variants.All() {
		run, all, deduped := setsOf(t, v)
		o := testOptions()
		o.Holdout, o.Iterations, o.MinGames = 0, 8, 5
		results := map[string]*Result{}
		for name, dir := range map[string]string{"run": run, "all": all, "deduped": deduped} {
			r, err := Run(context.Background(), dir, v, eval.Untuned(v), o, nil)
			if err != nil {
				t.Fatal(err)
			}
			results[name] = r
		}
		want := results["run"]
		if r := results["all"]; r.Tuned != want.Tuned || r.Use.Train != want.Use.Train || r.Use.Candidates != want.Use.Candidates || r.Dataset == want.Dataset || r.Config != want.Config {
			t.Errorf("%s: the set of all positions gives %s from %+v, the run %s from %+v", v.Name, r.Tuned, r.Use, want.Tuned, want.Use)
		}
		r := results["deduped"]
		if r.Use.Train.Positions != want.Use.Train.Positions || r.Use.Train.Draws != want.Use.Train.Draws || r.Use.Train.Games > want.Use.Train.Games {
			t.Errorf("%s: merged rows are counted %+v, the run %+v", v.Name, r.Use.Train, want.Use.Train)
		}
		if math.Abs(r.Before.Train-want.Before.Train) > 1e-6 || math.Abs(r.K-want.K) > 1e-4 {
			t.Errorf("%s: merged rows have the loss %v with K %v, the run %v with %v", v.Name, r.Before.Train, r.K, want.Before.Train, want.K)
		}
	}
}

// Protects the bound on positions of a training set: it holds, and which are
// used does not depend on the order of the rows.
func TestTrainingSetIsThinned(t *testing.T) {
	v := variants.All()[1]
	_, all, deduped := setsOf(t, v)
	shuffled := filepath.Join(t.TempDir(), "shuffled")
	_, err := refine.Sample(context.Background(), all, shuffled, refine.SampleOptions{Captures: true, Opening: true, Unfinished: true}, refine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := Selection{MaxPositions: 400, Holdout: 0.3}
	a, b := loadTest(t, all, v, s).use, loadTest(t, shuffled, v, s).use
	if a != b || a.SampleShare == 1 || a.Train.Positions+a.Holdout.Positions > 400 || a.Holdout.Positions == 0 {
		t.Errorf("in order %+v, shuffled %+v", a, b)
	}
	s.Holdout = 0
	if c := loadTest(t, deduped, v, s).use; c.Train.Positions > 400 || c.Train.Positions < 100 {
		t.Errorf("%+v", c)
	}
}

// Protects the holdout of a training set: it is refused where no row says to
// which opening it belongs; and what the order of rows does not allow.
func TestTrainingSetRefuses(t *testing.T) {
	v := variants.All()[1]
	_, all, deduped := setsOf(t, v)
	for want, c := range map[string]struct {
		dir string
		s   Selection
	}{
		"--holdout 0": {deduped, Selection{Holdout: 0.1, MaxPositions: 1000}},
		"--per-game":  {all, Selection{PerGame: 2, MaxPositions: 1000}},
	} {
		if _, err := load(context.Background(), c.dir, v, eval.For(v), c.s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
