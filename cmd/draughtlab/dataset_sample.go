package main

import (
	"context"

	"github.com/spf13/cobra"

	"draughtlab/export/refine"
)

// newDatasetSampleCommand makes `draughtlab dataset sample`.
func newDatasetSampleCommand() *cobra.Command {
	var f setFlags
	var o refine.SampleOptions
	var all bool
	cmd := &cobra.Command{
		Use:   "sample DIR --out OUT",
		Short: "Quiet positions of finished games, in random order",
		Long: `Takes from DIR, a complete run or a training set, the positions in which no
capture is due, of games with an outcome, after the opening (what no engine
chose), and writes them to OUT in random order. Which positions are taken, and
their order, depends on --seed, run, game and ply alone: not on the order of
DIR, nor on memory or cores.

A row of several positions (see dedupe) is judged by the place of the first.`,
		Example: `  draughtlab dataset sample runs/mine --per-game 8 --out sets/sample
  draughtlab dataset sample runs/mine --variant croda --scored \
      --from-ply 10 --rows 1000000 --seed 2 --out sets/million`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				o.Captures, o.Opening, o.Unfinished = true, true, true
			}
			return f.run(cmd, func(ctx context.Context, opt refine.Options) ([]refine.Provenance, error) {
				return one(refine.Sample(ctx, args[0], f.out, o, opt))
			})
		},
	}
	flags := cmd.Flags()
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of choice and order")
	flags.IntVar(&o.PerGame, "per-game", 0, "take at most so many positions of a game, 0 is all")
	flags.Int64Var(&o.Rows, "rows", 0, "take at most so many rows of each variant, 0 is all")
	flags.IntVar(&o.FromPly, "from-ply", 0, "leave out positions before this ply")
	flags.IntVar(&o.ToPly, "to-ply", 0, "leave out positions after this ply, 0 is none")
	flags.BoolVar(&o.Scored, "scored", false, "take only positions with an engine's score")
	flags.BoolVar(&o.Captures, "captures", false, "also take positions in which a capture is due")
	flags.BoolVar(&o.Opening, "opening", false, "also take positions of the opening")
	flags.BoolVar(&o.Unfinished, "unfinished", false, "also take positions of games without an outcome")
	flags.BoolVar(&all, "all", false, "the same as --captures --opening --unfinished")
	f.registerSpool(cmd)
	return cmd
}
