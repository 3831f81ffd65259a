package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"draughtlab/export/dataset"
)

// maxShownProblems is how many problems verify lists; the rest is counted.
const maxShownProblems = 50

// newVerifyCommand makes `draughtlab verify`.
func newVerifyCommand() *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Prove that a dataset is whole and that every row is right",
		Long: `Compares every file of DIR with the manifest, replays every game through the
rules and its draw articles, and computes every row of both tables again. Lists
what is wrong, one line each, with file, game, ply and column; the exit code is
0 only if all holds. Scores, depths and nodes cannot be computed again: their
hashes are compared.`,
		Example: "  draughtlab verify runs/quick",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyDataset(cmd, args[0], quiet)
		},
	}
	cmd.Flags().BoolVar(&quiet, "quiet", false, "tell no progress")
	return cmd
}

func verifyDataset(cmd *cobra.Command, dir string, quiet bool) error {
	ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "nothing, the check is dropped")
	defer release()
	var bar *progress
	report, err := dataset.Verify(ctx, dir, func(p dataset.Progress) {
		if bar == nil {
			bar = newProgress(cmd.ErrOrStderr(), quiet, "verify", "shards", "positions", 0, int64(p.Total))
		}
		bar.set(int64(p.Shards), p.Positions)
	})
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("verify %s: stopped before the end: nothing is proven, run it again", dir)
	}
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	for i, p := range report.Problems {
		if i == maxShownProblems {
			fmt.Fprintf(out, "… and %d more\n", len(report.Problems)-i)
			break
		}
		fmt.Fprintln(out, p)
	}
	if n := len(report.Problems); n > 0 {
		return fmt.Errorf("%s does not hold: %d problems listed above", dir, n)
	}
	_, err = fmt.Fprintf(out, "%s holds: %d games, %d positions in %d shards\n", dir, report.Games, report.Positions, report.Shards)
	return err
}
