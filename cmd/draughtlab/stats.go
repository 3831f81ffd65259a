package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
	"draughtlab/export/drawrate"
	"draughtlab/selfplay"
)

type statsOptions struct {
	drawrate.Options
	json    bool
	html    string
	variant string
}

func newStatsCommand() *cobra.Command {
	var o statsOptions
	cmd := &cobra.Command{
		Use:   "stats DIR|FILE.pdn...",
		Short: "Draw rates with intervals, bounds and causes",
		Long: `Counts the games of datasets and PDN files and prints, for each game and rule
profile, the draw rate with Wilson's interval, the bounds that games without a
result leave, how the games ended, and the differences between the games.

Datasets are run directories; files that end in .pdn are read as recorded
games, whose stated result counts. All arguments are counted together.`,
		Example: `  draughtlab stats runs/quick
  draughtlab stats --json runs/quick | jq '.games[].draw_rate'
  draughtlab stats --html report.html runs/quick masters.pdn`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print the report as one JSON object")
	f.StringVar(&o.html, "html", "", "also write the report as an HTML `file` with plots")
	f.Float64Var(&o.Level, "level", drawrate.DefaultLevel, "confidence level of all intervals, between 0 and 1")
	f.IntVar(&o.Resamples, "resamples", 10000, "bootstrap resamples of the openings, at least 1000")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the bootstrap")
	f.StringVar(&o.variant, "variant", "", "game of PDN files without a GameType tag")
	return cmd
}

func (o *statsOptions) run(stdout, stderr io.Writer, args []string) error {
	var tally drawrate.Tally
	for _, arg := range args {
		count := countDataset
		if strings.EqualFold(filepath.Ext(arg), ".pdn") {
			count = o.countPDN
		}
		if err := count(&tally, stderr, arg); err != nil {
			return err
		}
	}
	report, err := tally.Report(o.Options)
	if err != nil {
		return err
	}
	if o.html != "" {
		var page bytes.Buffer
		if err := drawrate.WriteHTML(&page, report, "Draw rates"); err != nil {
			return err
		}
		if err := dataset.WriteFile(o.html, page.Bytes()); err != nil {
			return err
		}
	}
	if o.json {
		return drawrate.WriteJSON(stdout, report)
	}
	return drawrate.WriteText(stdout, report)
}

// countDataset adds the games of a run directory. One without a manifest is
// not complete: what is there counts, and stderr is told.
func countDataset(tally *drawrate.Tally, stderr io.Writer, dir string) error {
	if _, err := dataset.ReadManifest(dir); errors.Is(err, fs.ErrNotExist) {
		if _, err := selfplay.ReadConfig(dir); err != nil {
			return fmt.Errorf("%s: no dataset of draughtlab: %w", dir, err)
		}
		fmt.Fprintf(stderr, "draughtlab: %s is not complete: only its finished shards are counted\n", dir)
	} else if err != nil {
		return err
	}
	found, err := dataset.Variants(dir)
	if err != nil {
		return err
	}
	for _, v := range found {
		err := dataset.Games(dir, v.Name, func(g *dataset.GameRow) error { return countRow(tally, v.Name, g) })
		if err != nil {
			return err
		}
	}
	return nil
}

func countRow(tally *drawrate.Tally, variant string, g *dataset.GameRow) error {
	runs := fmt.Sprint(g.StartWhiteRunSquare, g.StartWhiteRun, g.StartBlackRunSquare, g.StartBlackRun)
	game := drawrate.Game{
		Variant: variant, Profile: g.Profile, Outcome: counted(g.Result()),
		Termination: g.Termination, Class: g.TerminationClass, Plies: int(g.Plies),
		Key: textHash(g.StartFEN, runs, g.Moves), Opening: textHash(g.Opening),
	}
	if g.Opening == selfplay.StartID || g.Opening == selfplay.RandomID {
		moves := strings.Fields(g.Moves)
		game.Opening = textHash(g.StartFEN, runs, strings.Join(moves[:min(int(g.OpeningPlies), len(moves))], " "))
	}
	return tally.Add(game)
}

// countPDN adds the games of a PDN file as they were recorded. Which article
// or agreement made a draw is not in such files; games without moves do not
// count.
func (o *statsOptions) countPDN(tally *drawrate.Tally, stderr io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r, empty := notation.NewReader(file), 0
	for {
		g, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if len(g.Moves) == 0 {
			empty++
			continue
		}
		v, err := o.variantOf(g)
		if err != nil {
			return fmt.Errorf("%s:%d: game %d: %w", path, g.Line, g.Number, err)
		}
		moves := make([]string, len(g.Moves))
		for i, m := range g.Moves {
			moves[i] = m.Text
		}
		class := "recorded"
		if g.Outcome() == engine.Unfinished {
			class = drawrate.ClassCutOff
		}
		err = tally.Add(drawrate.Game{
			Variant: v.Name, Profile: "recorded", Outcome: counted(g.Outcome()), Termination: "recorded", Class: class,
			Plies: len(moves), Key: textHash(g.Tag("FEN"), strings.Join(moves, " ")),
		})
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, g.Line, err)
		}
	}
	if empty > 0 {
		fmt.Fprintf(stderr, "draughtlab: %s: %d games without moves are not counted\n", path, empty)
	}
	return nil
}

func (o *statsOptions) variantOf(g *notation.Game) (*engine.Variant, error) {
	if o.variant != "" {
		return variants.ByName(o.variant)
	}
	return g.Variant()
}

func counted(o engine.Outcome) drawrate.Outcome {
	switch o {
	case engine.WhiteWins:
		return drawrate.White
	case engine.BlackWins:
		return drawrate.Black
	case engine.Draw:
		return drawrate.Draw
	}
	return drawrate.Unfinished
}

// textHash tells apart lists of texts.
func textHash(texts ...string) uint64 {
	h := fnv.New64a()
	for _, t := range texts {
		io.WriteString(h, t)
		h.Write([]byte{0})
	}
	return h.Sum64()
}
