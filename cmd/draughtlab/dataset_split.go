package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/export/refine"
)

// newDatasetSplitCommand makes `draughtlab dataset split`.
func newDatasetSplitCommand() *cobra.Command {
	var f setFlags
	var o refine.SplitOptions
	var parts []string
	var by string
	cmd := &cobra.Command{
		Use:   "split DIR --out OUT",
		Short: "Parts for training and judging, by openings, without leaks",
		Long: `Divides DIR, a complete run or a training set, into training sets OUT/NAME, one
for each of --parts. All games of an opening go to the same part: those in
which the engines took over in the same position or an image of it (see
dedupe). Which part that is depends on --seed and the opening alone. Rows keep
their order.

Then positions that stand in several parts are counted, images and draw clocks
aside. Such a position stays in the first of these parts only, unless
--keep-leaks.

Split before dedupe, and dedupe each part: a row of games with several openings
belongs to no part.`,
		Example: `  draughtlab dataset split sets/sample --out sets/parts
  draughtlab dataset split sets/sample --parts train=0.9,validation=0.1 \
      --seed 2 --out sets/two`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Parts, err = parseParts(parts); err != nil {
				return err
			}
			if by != "opening" && by != "game" {
				return fmt.Errorf("--by %q: it takes opening or game", by)
			}
			o.Games = by == "game"
			return f.run(cmd, func(ctx context.Context, opt refine.Options) ([]refine.Provenance, error) {
				return refine.Split(ctx, args[0], f.out, o, opt)
			})
		},
	}
	flags := cmd.Flags()
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the division")
	flags.StringSliceVar(&parts, "parts", []string{"train=0.8", "validation=0.1", "test=0.1"}, "`NAME=SHARE` of each part; the shares add up to 1")
	flags.StringVar(&by, "by", "opening", "what stays together: opening, or game")
	flags.BoolVar(&o.KeepLeaks, "keep-leaks", false, "only count positions that stand in several parts")
	f.registerSpool(cmd)
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions([]string{"opening", "game"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// parseParts reads NAME=SHARE values.
func parseParts(values []string) ([]refine.Part, error) {
	var parts []refine.Part
	for _, value := range values {
		name, text, _ := strings.Cut(value, "=")
		share, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("--parts %s: it takes NAME=SHARE, such as train=0.8", value)
		}
		parts = append(parts, refine.Part{Name: name, Share: share})
	}
	return parts, nil
}
