package main

import (
	"context"

	"github.com/spf13/cobra"

	"draughtlab/export/refine"
)

// newDatasetDedupeCommand makes `draughtlab dataset dedupe`.
func newDatasetDedupeCommand() *cobra.Command {
	var f setFlags
	var o refine.DedupeOptions
	cmd := &cobra.Command{
		Use:   "dedupe DIR --out OUT",
		Short: "Equal positions as one row, with counts and outcomes",
		Long: `Makes one row of all equal positions in DIR, a complete run or a training set,
and adds up their counts: positions, outcomes, scores. Positions are equal if
one is the other's image under a symmetry of the game: colours exchanged and
the board turned by 180 degrees; in Croda also left and right exchanged. In OUT
White is always to move; outcomes go with their colours.

King runs (Frisian) belong to a position. Draw clocks do where an article counts
them; elsewhere the course of the game does not depend on them, and they become
0. --ignore-clocks leaves them out everywhere.

Rows are in the order of a hash of their positions, which is as good as random.`,
		Example: `  draughtlab dataset dedupe sets/parts/train --out sets/train`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, func(ctx context.Context, opt refine.Options) ([]refine.Provenance, error) {
				return one(refine.Dedupe(ctx, args[0], f.out, o, opt))
			})
		},
	}
	cmd.Flags().BoolVar(&o.IgnoreClocks, "ignore-clocks", false, "take positions that differ in draw clocks only for equal")
	f.registerSpool(cmd)
	return cmd
}
