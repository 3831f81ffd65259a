package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"draughtlab/export/dataset"
	"draughtlab/export/refine"
)

// newHashCommand makes `draughtlab hash`.
func newHashCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hash DIR",
		Short: "Print one hash of a dataset's content",
		Long: `Prints the SHA-256 of the rows of both tables of all games in DIR: the same for
the same games, however they are spread over shards and files, whatever the
number of workers that played them. Only finished shards count. It fails if a
file is damaged.`,
		Example: "  draughtlab hash runs/quick",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := warnIncomplete(cmd.ErrOrStderr(), args[0], "hashed"); err != nil {
				return err
			}
			ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "the rows at hand, without a hash")
			defer release()
			sum, err := dataset.Hash(ctx, args[0])
			if errors.Is(err, context.Canceled) {
				return fmt.Errorf("%w: no hash of %s, run the same command again", errInterrupted, args[0])
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), sum)
			return err
		},
	}
}

// wantRun refuses what is no directory of self-play.
func wantRun(dir string) error {
	if err := dataset.CheckDir(dir); err != nil {
		return err
	}
	if refine.IsSet(dir) {
		return fmt.Errorf("%s is a training set, this takes runs of selfplay; dataset verify and tune take sets", dataset.Quoted(dir))
	}
	return nil
}

// warnIncomplete tells stderr if a run is not complete, so that only its
// finished shards are used; used says how. It fails if the manifest is damaged.
func warnIncomplete(stderr io.Writer, dir, used string) error {
	if err := wantRun(dir); err != nil {
		return err
	}
	_, err := dataset.ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(stderr, "draughtlab: %s is not complete: only its finished shards are %s\n", dataset.Quoted(dir), used)
		return nil
	}
	return err
}
