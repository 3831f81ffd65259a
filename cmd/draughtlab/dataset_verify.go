package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"draughtlab/export/refine"
)

// newDatasetVerifyCommand makes `draughtlab dataset verify`.
func newDatasetVerifyCommand() *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use:   "verify DIR...",
		Short: "Check that training sets are whole and their rows right",
		Long: `Compares every file of each DIR with the hashes in its provenance.json, its card
with what that says, every row with the rules (a position of the game, its
number of legal moves, whether a capture is due), and the sums of the rows.

Lists what is wrong, one line each; the exit code is 0 only if all holds.`,
		Example: "  draughtlab dataset verify sets/parts/*",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "the rows at hand, dropping the check")
			defer release()
			problems := 0
			for _, dir := range args {
				n, err := verifySet(ctx, cmd, dir, quiet)
				if err != nil {
					return err
				}
				problems += n
			}
			if problems > 0 {
				return fmt.Errorf("not all holds: %s listed above", plural(int64(problems), "problem"))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&quiet, "quiet", false, "tell no progress")
	return cmd
}

// verifySet checks one training set and returns the number of its problems.
func verifySet(ctx context.Context, cmd *cobra.Command, dir string, quiet bool) (int, error) {
	var bar *progress
	report, err := refine.Verify(ctx, dir, runtime.GOMAXPROCS(0), func(done, total int64) {
		if bar == nil {
			bar = newProgress(cmd.ErrOrStderr(), quiet, "verify", "rows", "", 0, total)
		}
		bar.set(done, 0)
	})
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return 0, fmt.Errorf("%w: nothing is proven of %s, run the same command again", errInterrupted, dir)
	}
	if err != nil {
		return 0, err
	}
	out := cmd.OutOrStdout()
	printProblems(out, report.Problems)
	if len(report.Problems) > 0 {
		return len(report.Problems), nil
	}
	_, err = fmt.Fprintf(out, "%s holds: %s (%s) in %s\n", dir,
		plural(report.Rows, "row"), plural(report.Positions, "position"), plural(int64(report.Files), "file"))
	return 0, err
}
