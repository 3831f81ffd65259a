package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine/variants"
	"draughtlab/export/refine"
)

// newDatasetCommand makes `draughtlab dataset`.
func newDatasetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dataset",
		Short: "Make training sets: sample, dedupe, split, merge",
		Long: `Makes training sets of run directories and of earlier training sets. A row is a
position with the outcomes of its games; all these commands read and write the
same rows, so they can follow each other. A sensible order is

  merge     several runs to one set
  sample    quiet positions, a few of each game, in random order
  split     parts for training and judging, by openings, without leaks
  dedupe    each part: equal positions to one row with its counts

A training set is a directory with Parquet files, DATASET.md, which describes
it, and provenance.json: every file with its hash, every step with its options,
inputs and counts. It appears whole or not at all, and is the same to the byte
for any memory and number of cores. Runs must be complete.`,
		Example: `  draughtlab dataset sample runs/mine --per-game 8 --out sets/sample
  draughtlab dataset split sets/sample --out sets/parts
  draughtlab dataset dedupe sets/parts/train --out sets/train`,
	}
	cmd.AddCommand(newDatasetSampleCommand(), newDatasetDedupeCommand(), newDatasetSplitCommand(), newDatasetMergeCommand(), newDatasetVerifyCommand())
	for _, c := range cmd.Commands() {
		checkArgs(c)
	}
	onlyHelp(cmd)
	return cmd
}

// minMemory and maxMemory bound --memory, in MiB.
const minMemory, maxMemory = 64, 1 << 30

// setFlags are the flags of all commands that make a training set.
type setFlags struct {
	out, temp string
	variants  []string
	memory    int64 // MiB
	workers   int
	quiet     bool
}

func (f *setFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.memory = refine.DefaultMemory >> 20
	flags.StringVar(&f.out, "out", "", "`directory` to make; it must not be there")
	flags.StringSliceVar(&f.variants, "variant", nil, "games to take: "+strings.Join(variants.Names(), ", ")+" (default all there are)")
	flags.IntVar(&f.workers, "workers", 0, "files read at a time, 0 is one a processor")
	flags.BoolVar(&f.quiet, "quiet", false, "tell no progress")
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("variant", cobra.FixedCompletions(variants.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// registerSpool adds the flags of commands that bring rows together.
func (f *setFlags) registerSpool(cmd *cobra.Command) {
	f.register(cmd)
	cmd.Flags().Int64Var(&f.memory, "memory", f.memory, "keep rows of at most so many `MiB` in memory; buffers come on top")
	cmd.Flags().StringVar(&f.temp, "temp", "", "`directory` for temporary files, some 80 bytes a row (default beside --out)")
}

// run makes a training set with step and tells what became of it.
func (f *setFlags) run(cmd *cobra.Command, step func(ctx context.Context, o refine.Options) ([]refine.Provenance, error)) error {
	switch {
	case f.out == "":
		return errors.New("no --out: name the directory to make")
	case f.memory < minMemory || f.memory > maxMemory:
		return fmt.Errorf("--memory %d: it takes %d to %d MiB", f.memory, minMemory, maxMemory)
	case f.workers < 0:
		return fmt.Errorf("--workers %d: it takes 0 (one a processor) or more", f.workers)
	}
	stderr := cmd.ErrOrStderr()
	ctx, release := stoppable(cmd.Context(), stderr, "the rows at hand, dropping the output")
	defer release()
	var bar *progress
	made, err := step(ctx, refine.Options{
		Variants: f.variants, Memory: f.memory << 20, Temp: f.temp, Workers: f.workers,
		Progress: func(done, total int64) {
			if bar == nil {
				bar = newProgress(stderr, f.quiet, cmd.Name(), "rows", "", 0, total)
			}
			bar.set(done, 0)
		},
	})
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %s is not made, run the same command again", errInterrupted, f.out)
	}
	if err != nil {
		return err
	}
	for i := 0; err == nil && i < len(made); i++ {
		err = printMade(cmd.OutOrStdout(), &made[i])
	}
	if err == nil {
		err = printLeaks(cmd.OutOrStdout(), &made[0])
	}
	if err != nil {
		return fmt.Errorf("%s is made, but the summary cannot be written: %w", f.out, err)
	}
	return nil
}

// one is a step that makes one training set.
func one(p refine.Provenance, err error) ([]refine.Provenance, error) {
	return []refine.Provenance{p}, err
}

// printMade tells the counts of a training set, a line a variant.
func printMade(out io.Writer, p *refine.Provenance) error {
	part := ""
	if name := p.Made.Part(); name != "" {
		part = name + ": "
	}
	for i, c := range p.Made.Counts {
		v, left := &p.Variants[i], ""
		if len(c.Left) > 0 {
			left = "; left out: " + c.LeftText()
		}
		_, err := fmt.Fprintf(out, "%s%s: %d of %d rows, %d positions: White %d, draws %d, Black %d, without outcome %d%s\n",
			part, c.Variant, c.Out, c.In, v.Positions, v.WhiteWins, v.Draws, v.BlackWins, v.Positions-v.WhiteWins-v.Draws-v.BlackWins, left)
		if err != nil {
			return err
		}
	}
	return nil
}

// printLeaks tells what split found, a line a variant; nothing of other steps.
func printLeaks(out io.Writer, p *refine.Provenance) error {
	for _, c := range p.Made.Counts {
		if c.Leaks == nil {
			continue
		}
		rows, done := int64(0), "kept"
		for _, n := range c.Leaks.Rows {
			rows += n
		}
		if c.Leaks.Removed {
			done = "removed"
		}
		_, err := fmt.Fprintf(out, "%s: %s stood in several parts; %s beyond the first part %s\n",
			c.Variant, plural(c.Leaks.Positions, "position"), plural(rows, "row"), done)
		if err != nil {
			return err
		}
	}
	return nil
}
