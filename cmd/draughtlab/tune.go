package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
	"draughtlab/export/refine"
	"draughtlab/tune"
)

// movedShown is how many features the text output of tune lists.
const movedShown = 20

// tuneFlags are the flags of tune.
type tuneFlags struct {
	options                   tune.Options
	variant, start, out, plot string
	json, quiet               bool
}

// newTuneCommand makes `draughtlab tune`.
func newTuneCommand() *cobra.Command {
	f := &tuneFlags{options: tune.DefaultOptions()}
	cmd := &cobra.Command{
		Use:   "tune DIR --variant V --out FILE",
		Short: "Fit evaluation weights to the outcomes of a dataset's games",
		Long: `Fits the evaluation weights of one game to the outcomes of the games in DIR
(Texel's method: logistic regression with L-BFGS) and writes them to a file that
says how they were made. Used are quiet positions an engine searched, of games
with an outcome, without those of a proven win or loss. The result depends on
the dataset and the flags, not on --workers.

DIR is a run, or a training set that draughtlab dataset made. A row of such a
set counts as often as its positions have an outcome; its holdout is of whole
openings. Rows of several openings, which dedupe makes, need --holdout 0.`,
		Example: `  draughtlab tune runs/quick --variant croda --out croda.json --plot croda.svg
  draughtlab tune runs/long --variant russian --start old.json \
      --lambda 0.3 --out new.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	o, flags := &f.options, cmd.Flags()
	flags.StringVar(&f.variant, "variant", "", "game: "+strings.Join(variants.Names(), ", "))
	flags.StringVar(&f.out, "out", "", "weights `file` to write")
	flags.StringVar(&f.start, "start", "", "weights `file` to begin with, or default; the untuned ones if not given")
	flags.StringVar(&f.plot, "plot", "", "also draw the loss curve into this SVG `file`")
	flags.Float64Var(&o.Lambda, "lambda", o.Lambda, "weight of the search score in the labels, 0 (outcomes only) to 1")
	flags.Float64Var(&o.L2, "l2", o.L2, "how strongly weights are held at their start, in 1/men² (a normal prior of variance 1/l2, each game one observation)")
	flags.Float64Var(&o.Holdout, "holdout", o.Holdout, "share of the games kept for judging, 0 to 0.5")
	flags.IntVar(&o.MaxPositions, "max-positions", o.MaxPositions, "use at most so many positions, a fixed random sample of them (some 100 to 200 bytes each)")
	flags.IntVar(&o.PerGame, "per-game", o.PerGame, "use at most so many positions of a game, 0 is all")
	flags.BoolVar(&o.Unsearched, "unsearched", o.Unsearched, "also use positions no engine searched, except opening moves")
	flags.IntVar(&o.Iterations, "iterations", o.Iterations, "stop after so many iterations")
	flags.IntVar(&o.Patience, "patience", o.Patience, "stop after so many iterations without a better holdout loss, and keep the best; 0 is never")
	flags.IntVar(&o.MinCount, "min-count", o.MinCount, "tune features that occur in at least so many training positions")
	flags.IntVar(&o.MinGames, "min-games", o.MinGames, "refuse to tune with fewer games")
	flags.IntVar(&o.Workers, "workers", o.Workers, "goroutines, 0 is one a processor")
	flags.BoolVar(&f.json, "json", false, "print the whole result as one JSON object, with every feature and the loss curve")
	flags.BoolVar(&f.quiet, "quiet", false, "tell no progress")
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("variant", cobra.FixedCompletions(variants.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *tuneFlags) run(cmd *cobra.Command, dir string) error {
	v, start, err := f.check()
	if err != nil {
		return err
	}
	if !refine.IsSet(dir) {
		if err := warnIncomplete(cmd.ErrOrStderr(), dir, "used"); err != nil {
			return err
		}
	}
	// The files are begun first: a directory that cannot be written to is
	// better known before the work than after it.
	var inputs []string
	if f.start != "" {
		inputs = append(inputs, f.start)
	}
	weights, err := dataset.CreateOutput(f.out, inputs...)
	if err != nil {
		return err
	}
	defer weights.Abort()
	var plot *dataset.PendingFile
	if f.plot != "" {
		if plot, err = dataset.CreateOutput(f.plot, inputs...); err != nil {
			return err
		}
		defer plot.Abort()
		if plot.Target() != "" && plot.Target() == weights.Target() {
			return fmt.Errorf("--plot and --out are the same file %s", dataset.Quoted(f.out))
		}
	}
	stderr := cmd.ErrOrStderr()
	ctx, release := stoppable(cmd.Context(), stderr, "the current pass")
	defer release()
	r, err := tune.Run(ctx, dir, v, start, f.options, func(line string) {
		if !f.quiet {
			fmt.Fprintf(stderr, "tune: %s\n", line)
		}
	})
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: tune %s wrote nothing: run it again", errInterrupted, dir)
	}
	if err != nil {
		return err
	}
	if err := r.TunedWeights().Write(weights); err != nil {
		return err
	}
	if plot != nil {
		if err := r.WriteSVG(plot); err != nil {
			return err
		}
		if err := plot.Commit(); err != nil {
			return err
		}
	}
	if err := weights.Commit(); err != nil {
		return err
	}
	return f.print(cmd.OutOrStdout(), r)
}

// check returns the game and the starting weights the flags name.
func (f *tuneFlags) check() (*engine.Variant, *eval.Weights, error) {
	switch {
	case f.variant == "":
		return nil, nil, fmt.Errorf("no --variant: use %s", strings.Join(variants.Names(), ", "))
	case f.out == "":
		return nil, nil, errors.New("no --out: name the weights file to write")
	case f.plot != "" && !slices.Contains([]string{"", ".svg"}, strings.ToLower(filepath.Ext(f.plot))):
		return nil, nil, fmt.Errorf("--plot %s: it draws SVG: let the name end in .svg", dataset.Quoted(f.plot))
	}
	v, err := variants.ByName(f.variant)
	if err != nil {
		return nil, nil, err
	}
	if f.start == "" {
		return v, eval.Untuned(v), nil
	}
	start, err := readWeights(f.start, v)
	return v, start, err
}

func (f *tuneFlags) print(out io.Writer, r *tune.Result) error {
	if f.json {
		return json.NewEncoder(out).Encode(r)
	}
	if err := r.WriteText(out, movedShown); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nWeights: %s\n", f.out)
	return err
}
