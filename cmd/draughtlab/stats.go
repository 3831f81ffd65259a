package main

import (
	"crypto/sha256"
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
profile, the draw rate with Wilson's interval, the bounds that games cut off
(no result: the program stopped the game) leave, how the games ended, and the
differences between the games.

Datasets are run directories; files that end in .pdn are read as recorded
games, whose stated result counts: their moves are not replayed (see replay),
but a game that cannot be read is an error. All arguments are counted together;
the same games twice are refused.`,
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
	f.Float64Var(&o.Level, "level", drawrate.DefaultLevel, "confidence level of all intervals, above 0 and at most 0.999999")
	f.IntVar(&o.Resamples, "resamples", 10000, "bootstrap resamples of the openings, 1000 to 1000000")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the bootstrap")
	f.StringVar(&o.variant, "variant", "", "game of PDN files, whatever their tags say: "+strings.Join(variants.Names(), ", "))
	completeVariant(cmd)
	return cmd
}

// maxLevel is the highest confidence level; the tails beyond it are not worth
// their digits.
const maxLevel = 0.999999

func (o *statsOptions) run(stdout, stderr io.Writer, args []string) error {
	switch {
	case !(o.Level > 0 && o.Level <= maxLevel):
		return fmt.Errorf("--level %v: it takes a share above 0 and at most %v, such as 0.95", o.Level, maxLevel)
	case o.Resamples < drawrate.MinResamples || o.Resamples > drawrate.MaxResamples:
		return fmt.Errorf("--resamples %d: it takes %d to %d", o.Resamples, drawrate.MinResamples, drawrate.MaxResamples)
	}
	if o.variant != "" {
		if _, err := variants.ByName(o.variant); err != nil {
			return fmt.Errorf("--variant: %w", err)
		}
	}
	if err := refuseSameFile(args); err != nil {
		return err
	}
	if err := refuseSharedGames(args); err != nil {
		return err
	}
	page, err := o.createPage(args)
	if err != nil {
		return err
	}
	if page != nil {
		defer page.Abort()
	}
	o.Order = variants.Names()
	tally, err := o.countAll(stderr, args)
	if err != nil {
		return err
	}
	report, err := tally.Report(o.Options)
	if err != nil {
		return err
	}
	if page != nil {
		if err := drawrate.WriteHTML(page, report, "Draw rates"); err != nil {
			return err
		}
		if err := page.Commit(); err != nil {
			return err
		}
	}
	if o.json {
		return drawrate.WriteJSON(stdout, report)
	}
	return drawrate.WriteText(stdout, report)
}

// createPage begins the HTML file; nil if none is wanted.
func (o *statsOptions) createPage(inputs []string) (*dataset.PendingFile, error) {
	if o.html == "" {
		return nil, nil
	}
	return dataset.CreateOutput(o.html, inputs...)
}

// refuseSameFile refuses arguments that are one file or directory under two
// names: its games would count twice.
func refuseSameFile(args []string) error {
	var infos []fs.FileInfo
	for i, arg := range args {
		if dataset.InBucket(arg) {
			infos = append(infos, nil) // countAll finds equal games
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return err
		}
		for j, other := range infos {
			if os.SameFile(info, other) {
				return fmt.Errorf("%s and %s are the same: its games would count twice", dataset.Quoted(args[j]), dataset.Quoted(args[i]))
			}
		}
		infos = append(infos, info)
	}
	return nil
}

// refuseSharedGames refuses runs that begin with the same games, because only
// their numbers of games differ. What is no run has none.
func refuseSharedGames(dirs []string) error {
	var names []string
	var configs []selfplay.Config
	for _, dir := range dirs {
		cfg, err := selfplay.ReadConfig(dir)
		if err != nil {
			continue // which whoever reads its games tells
		}
		for i := range configs {
			shared := configs[i].SharesGames(&cfg)
			if len(shared) > 0 && configs[i].Hash() != cfg.Hash() { // of copies, countAll tells
				return fmt.Errorf("%s and %s play the same games of %s, only not as many: they would count twice; leave one out (a run with another --seed plays others)",
					dataset.Quoted(names[i]), dataset.Quoted(dir), strings.Join(shared, ", "))
			}
		}
		names, configs = append(names, dir), append(configs, cfg)
	}
	return nil
}

// countAll counts the games of all arguments. Two with the same games are an
// error.
func (o *statsOptions) countAll(stderr io.Writer, args []string) (*drawrate.Tally, error) {
	tally := &drawrate.Tally{}
	from := map[[sha256.Size]byte]string{} // arguments by what is in them
	for _, arg := range args {
		content := sha256.New()
		var err error
		if strings.EqualFold(filepath.Ext(arg), ".pdn") {
			err = o.countPDN(tally, content, stderr, arg)
		} else {
			err = countDataset(tally, content, stderr, arg)
		}
		if err != nil {
			return nil, err
		}
		sum := [sha256.Size]byte(content.Sum(nil))
		if other, twice := from[sum]; twice {
			return nil, fmt.Errorf("%s and %s hold the same games: they would count twice", dataset.Quoted(other), dataset.Quoted(arg))
		}
		from[sum] = arg
	}
	return tally, nil
}

// countDataset adds the games of a run directory and tells content what they
// are. One without a manifest is not complete: what is there counts, and stderr
// is told.
func countDataset(tally *drawrate.Tally, content, stderr io.Writer, dir string) error {
	if err := wantRun(dir); err != nil {
		return err
	}
	_, err := dataset.ReadManifest(dir)
	complete := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := selfplay.ReadConfig(dir); err != nil {
			return fmt.Errorf("%s: no dataset of draughtlab: %w", dataset.Quoted(dir), err)
		}
	} else if err != nil {
		return err
	}
	found, err := dataset.Variants(dir)
	if err != nil {
		return err
	}
	if !complete {
		fmt.Fprintf(stderr, "draughtlab: %s is not complete: only its finished shards are counted\n", dataset.Quoted(dir))
	}
	for _, v := range found {
		shards, err := dataset.Shards(dir, v.Name)
		if err != nil {
			return err
		}
		for _, shard := range shards {
			err := shard.Games(func(rows []dataset.GameRow) error {
				for i := range rows {
					if err := countRow(tally, content, v.Name, &rows[i]); err != nil {
						return fmt.Errorf("%s: game %d: %w: run verify", shard.Path(dataset.GamesTable), rows[i].Game, err)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func countRow(tally *drawrate.Tally, content io.Writer, variant string, g *dataset.GameRow) error {
	if o := g.Outcome; o != nil && (*o < int8(engine.BlackWins) || *o > int8(engine.WhiteWins)) {
		return fmt.Errorf("column outcome is %d, which is none", *o)
	}
	moves := strings.Fields(g.Moves)
	if int(g.Plies) != len(moves) {
		return fmt.Errorf("column plies is %d, column moves has %d", g.Plies, len(moves))
	}
	if g.OpeningPlies < 0 || g.OpeningPlies > g.Plies {
		return fmt.Errorf("column opening_plies is %d, the game has %d", g.OpeningPlies, g.Plies)
	}
	runs := fmt.Sprint(g.StartWhiteRunSquare, g.StartWhiteRun, g.StartBlackRunSquare, g.StartBlackRun)
	game := drawrate.Game{
		Variant: variant, Profile: g.Profile, Outcome: counted(g.Result()),
		Termination: g.Termination, Class: g.TerminationClass, Plies: int(g.Plies),
		Key: textHash(g.StartFEN, runs, g.Moves), Opening: textHash(g.Opening),
	}
	if g.Opening == selfplay.StartID || g.Opening == selfplay.RandomID {
		game.Opening = textHash(g.StartFEN, runs, strings.Join(moves[:g.OpeningPlies], " "))
	}
	game.Player = g.Engine
	if g.WeightsHash != "" {
		game.Player += fmt.Sprintf(" (weights %.12s)", g.WeightsHash)
	}
	fmt.Fprintf(content, "%s %d %d %q %+v\n", variant, g.Game, g.Seed, g.Engine, game)
	return tally.Add(game)
}

// countPDN adds the games of a PDN file as they were recorded and tells content
// what they are. Which article or agreement made a draw is not in such files;
// games without moves do not count. A game that cannot be read, from a position
// that is none, or cut off by the end of the file is an error: a rate must not
// leave it out in silence. Moves are not replayed.
func (o *statsOptions) countPDN(tally *drawrate.Tally, content, stderr io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r, games, empty := notation.NewReader(file), 0, 0
	var last *notation.Game
	for {
		g, err := r.Next()
		if err == io.EOF {
			break
		}
		var syntax *notation.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("%s:%d: game %d: %s: mend the file, or take the game out", dataset.Quoted(path), syntax.Line, syntax.Game, syntax.Fault)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dataset.Quoted(path), err)
		}
		last = g
		games++
		if len(g.Moves) == 0 {
			empty++
			continue
		}
		if err := o.countRecorded(tally, content, g); err != nil {
			return fmt.Errorf("%s:%d: game %d: %w", dataset.Quoted(path), g.Line, g.Number, err)
		}
	}
	switch {
	case games == empty:
		return fmt.Errorf("%s: no game with moves found: is it a PDN file?", dataset.Quoted(path))
	case last.Result == "":
		return fmt.Errorf("%s:%d: game %d: the file ends before its result: add what is cut off, or * if there is none",
			dataset.Quoted(path), last.Line, last.Number)
	case empty > 0:
		fmt.Fprintf(stderr, "draughtlab: %s: %s without moves not counted\n", dataset.Quoted(path), plural(int64(empty), "game"))
	}
	return nil
}

// countRecorded adds one game of a PDN file.
func (o *statsOptions) countRecorded(tally *drawrate.Tally, content io.Writer, g *notation.Game) error {
	v, err := o.variantOf(g)
	if err != nil {
		return err
	}
	start, err := g.Start(v)
	if err != nil {
		return err
	}
	moves := make([]string, len(g.Moves))
	for i, m := range g.Moves {
		moves[i] = m.Text
	}
	class := "recorded"
	if g.Outcome() == engine.Unfinished {
		class = drawrate.ClassCutOff
	}
	fmt.Fprintf(content, "%q %q %q\n", g.Tags, moves, g.Result)
	return tally.Add(drawrate.Game{
		Variant: v.Name, Profile: "recorded", Outcome: counted(g.Outcome()), Termination: "recorded", Class: class,
		Plies: len(moves), Key: textHash(notation.FormatFEN(v, &start), notation.FormatRuns(v, &start), strings.Join(moves, " ")),
	})
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
