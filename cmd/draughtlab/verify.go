package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// maxShownProblems is how many problems verify lists; the rest is counted.
const maxShownProblems = 50

// newVerifyCommand makes `draughtlab verify`.
func newVerifyCommand() *cobra.Command {
	var quiet bool
	var tables string
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Prove that a dataset is whole and that every row is right",
		Long: `Compares every file of DIR with the manifest, replays every game through the
rules and its draw articles, and computes every row of both tables again, seeds
and random openings included. Games that endgame tables ended are looked up
again: in the built-in ones, or in --tables DIR if the run had larger ones; a
number, as selfplay takes, must be the run's.

Lists what is wrong, one line each, with file, game, ply and column; the exit
code is 0 only if all holds. Scores, depths and nodes cannot be computed again:
their hashes are compared, and the limits of the engine.

A damaged file of games or positions, manifest.json or DATASET.md is set aside
by the same selfplay command and made again as it was. Remove the file first
where only verify can tell that it is wrong.`,
		Example: "  draughtlab verify runs/quick",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyDataset(cmd, args[0], tables, quiet)
		},
	}
	cmd.Flags().StringVar(&tables, "tables", "", "`directory` of endgame tables, or pieces of the built-in ones; these if not given")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "tell no progress")
	return cmd
}

func verifyDataset(cmd *cobra.Command, dir, tables string, quiet bool) error {
	ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "the rows at hand, dropping the check")
	defer release()
	if err := wantRun(dir); err != nil {
		return err
	}
	tablesDir, err := tablesOfDataset(cmd.ErrOrStderr(), dir, tables)
	if err != nil {
		return err
	}
	var bar *progress
	report, err := selfplay.Verify(ctx, dir, tablesDir, func(p dataset.Progress) {
		if bar == nil {
			bar = newProgress(cmd.ErrOrStderr(), quiet, "verify", "shards", "positions", 0, int64(p.Total))
		}
		bar.set(int64(p.Shards), p.Positions)
	})
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: nothing is proven of %s, run the same command again", errInterrupted, dir)
	}
	if err != nil {
		return err
	}
	for _, note := range report.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "draughtlab: note: %s\n", note)
	}
	out := cmd.OutOrStdout()
	printProblems(out, report.Problems)
	if n := len(report.Problems); n > 0 {
		return fmt.Errorf("%s does not hold: %s listed above", dir, plural(int64(n), "problem"))
	}
	_, err = fmt.Fprintf(out, "%s holds: %s, %s in %s\n", dir,
		plural(report.Games, "game"), plural(report.Positions, "position"), plural(int64(report.Shards), "shard"))
	return err
}

// printProblems lists problems, a line each, up to maxShownProblems.
func printProblems(out io.Writer, problems []dataset.Problem) {
	for i, p := range problems {
		if i == maxShownProblems {
			fmt.Fprintf(out, "… and %d more\n", len(problems)-i)
			break
		}
		fmt.Fprintln(out, p)
	}
}

// tablesOfDataset reads --tables for the run in dir and mends the built-in
// tables if it has them.
func tablesOfDataset(stderr io.Writer, dir, text string) (tablesDir string, err error) {
	pieces := -1 // whatever the run has
	if text != "" {
		if tablesDir, pieces, err = parseTables(text); err != nil || tablesDir != "" {
			return tablesDir, err
		}
	}
	cfg, err := selfplay.ReadConfig(dir)
	if err != nil {
		return "", nil // which selfplay.Verify tells
	}
	if pieces >= 0 && pieces != cfg.TablePieces {
		return "", fmt.Errorf("--tables %s: %s has endgame tables of %d pieces: name their directory or leave the flag out", text, dir, cfg.TablePieces)
	}
	return "", mendConfigured(stderr, cfg)
}

// plural counts things in English.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
