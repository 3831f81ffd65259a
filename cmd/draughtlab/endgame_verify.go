package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/slow"
	"draughtlab/engine/variants"
)

// endgameVerifyOptions are the flags of endgame verify.
type endgameVerifyOptions struct {
	variants                []string
	tables                  string
	pieces, sample, workers int
	quiet                   bool
}

// newEndgameVerifyCommand makes `draughtlab endgame verify`.
func newEndgameVerifyCommand() *cobra.Command {
	o := endgameVerifyOptions{pieces: endgame.MaxPieces, sample: 100000, workers: runtime.GOMAXPROCS(0)}
	cmd := &cobra.Command{
		Use:   "verify --variant V[,V...]",
		Short: "Prove tables with a second move generator",
		Long: `Derives the value and distance of positions anew from those of the positions
that their moves lead to, and compares. The moves come from a slow, plain
generator that shares nothing with the one that made the tables. Values that
agree everywhere are right, as the distance of a win falls with every ply.

Taken are all positions of tables of up to three pieces, with all king runs and
counts, and of each larger table about --sample at even distances for each side
to move. All rules that have tables in the directory are verified. A position
that differs, and a damaged file, ends it with exit code 1.`,
		Example: `  draughtlab endgame verify --variant croda
  draughtlab endgame verify --variant russian,frisian --tables tables --sample 0`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.variants, "variant", nil, "games: "+strings.Join(variants.Names(), ", "))
	f.StringVar(&o.tables, "tables", "", "`directory` of tables; the user's cache directory if not given")
	f.IntVar(&o.pieces, "pieces", o.pieces, "verify the tables of up to so many pieces")
	f.IntVar(&o.sample, "sample", o.sample, "positions of each table of more than three pieces, for each side to move; 0 is all")
	f.IntVar(&o.workers, "workers", o.workers, "verify with so many goroutines")
	f.BoolVar(&o.quiet, "quiet", false, "tell no progress")
	requireVariant(cmd)
	return cmd
}

func (o *endgameVerifyOptions) run(cmd *cobra.Command) error {
	games, err := variantsNamed(o.variants)
	if err != nil {
		return err
	}
	switch {
	case o.pieces < 2 || o.pieces > endgame.MaxPieces:
		return fmt.Errorf("--pieces %d: give 2 to %d", o.pieces, endgame.MaxPieces)
	case o.sample < 0:
		return fmt.Errorf("--sample %d: give 1 or more, or 0 for all", o.sample)
	case o.workers < 1:
		return fmt.Errorf("--workers %d: give at least 1", o.workers)
	}
	dir, err := tableDir(o.tables)
	if err != nil {
		return err
	}
	if o.tables != "" {
		if err := haveDir("tables", dir); err != nil {
			return err
		}
	}
	ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "the positions at hand, dropping the check")
	defer release()
	for _, v := range games {
		sets := o.tableSets(dir, v)
		if len(sets) == 0 {
			return fmt.Errorf("no tables of %s of up to %d pieces in %s: %s", v.Name, o.pieces, dir,
				buildAdvice(v, endgame.Basic, fmt.Sprintf("--pieces %d", min(o.pieces, endgame.DefaultPieces)), o.tables, dir))
		}
		for _, s := range sets {
			if err := o.verify(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr(), dir, v, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// tableSet is the tables of a game under one set of rules.
type tableSet struct {
	rules  endgame.Rules
	tables int
	most   int // pieces
}

// tableSets lists what there is of a game in a directory.
func (o *endgameVerifyOptions) tableSets(dir string, v *engine.Variant) []tableSet {
	var sets []tableSet
	for rules := endgame.Pure; rules <= endgame.Free; rules++ {
		s := tableSet{rules: rules}
		for _, m := range endgame.Materials(o.pieces) {
			if _, err := os.Stat(endgame.FileName(dir, v, rules, m)); err == nil {
				s.tables++
				s.most = m.Pieces()
			}
		}
		if s.tables > 0 {
			sets = append(sets, s)
		}
	}
	return sets
}

// verify verifies a set of tables: those of up to three pieces whole, then
// samples of the others.
func (o *endgameVerifyOptions) verify(ctx context.Context, out, stderr io.Writer, dir string, v *engine.Variant, s tableSet) error {
	t, err := endgame.Open(dir, v, s.rules)
	if err != nil {
		return err
	}
	var seen atomic.Int64
	moves := slow.Generate(v)
	generate := func(p *engine.Position, buf []engine.Move) []engine.Move {
		seen.Add(1)
		return moves(p, buf)
	}
	w := newWaiting(stderr, o.quiet, func() string {
		return fmt.Sprintf("%s, %s rules: %d positions derived", v.Name, s.rules, seen.Load())
	})
	defer w.end()
	began := time.Now()
	checked, err := t.Verify(ctx, min(o.pieces, endgame.DefaultPieces), 0, o.workers, generate)
	if err == nil && s.most > endgame.DefaultPieces {
		var sampled int64
		sampled, err = t.Verify(ctx, o.pieces, o.sample, o.workers, generate)
		checked += sampled
	}
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w: not all of %s is proven, run the same command again", errInterrupted, dir)
	case err != nil:
		return fmt.Errorf("the tables in %s do not hold: %w", dir, err)
	}
	_, err = fmt.Fprintf(out, "%s, %s rules, %s of up to %d pieces:\n  %s derived anew, all agree (%.1f s)\n",
		titleOf(v), s.rules, plural(int64(s.tables), "table"), s.most, plural(checked, "position"), time.Since(began).Seconds())
	return err
}
