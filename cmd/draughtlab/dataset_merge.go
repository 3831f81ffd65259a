package main

import (
	"context"

	"github.com/spf13/cobra"

	"draughtlab/export/refine"
)

// newDatasetMergeCommand makes `draughtlab dataset merge`.
func newDatasetMergeCommand() *cobra.Command {
	var f setFlags
	cmd := &cobra.Command{
		Use:   "merge DIR... --out OUT",
		Short: "Several runs and training sets as one training set",
		Long: `Writes the rows of every DIR, complete runs or training sets, one after the
other. The column source tells from which run a row is; provenance.json keeps
how each input was made.

Inputs that share a run are refused, since its games would count twice, and so
are runs that begin with the same game: a run and a longer one of the same seed.
So are inputs whose games were played under other draw articles, or that have
other variants (--variant names the ones to take). Of one run it makes a
training set with every position.`,
		Example: `  draughtlab dataset merge runs/one runs/two --out sets/both`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, func(ctx context.Context, opt refine.Options) ([]refine.Provenance, error) {
				return one(refine.Merge(ctx, args, f.out, opt))
			})
		},
	}
	f.register(cmd)
	return cmd
}
