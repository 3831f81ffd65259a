package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
	"draughtlab/export/drawrate"
)

// endgameStatsOptions are the flags of endgame stats.
type endgameStatsOptions struct {
	variants                      []string
	rules, tables, material, plot string
	pieces, workers               int
	json, quiet                   bool
}

// newEndgameStatsCommand makes `draughtlab endgame stats`.
func newEndgameStatsCommand() *cobra.Command {
	o := endgameStatsOptions{pieces: endgame.DefaultPieces, workers: runtime.GOMAXPROCS(0), variants: variants.Names()}
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count wins, draws and losses of endings, game by game",
		Long: `Counts how many placements of a material are won, drawn and lost, with the
longest wins: every piece on every square where it may stand, men not on their
crowning rank, placements in which a capture is due too, no king run begun and
all counts at 0. Taken are all materials of up to --pieces pieces, games side by
side, or one.

Rules: pure has no draw article, but Frisian's three-move rule (F9) holds; free
is pure without it; basic has the articles of the rule sheet; see also
draughtlab endgame --help.

Tables that are missing are made first, only those needed, in the user's cache
directory; with --tables nothing is made. What is counted is read into memory.

--json prints two lines for each game and material, White to move, then Black:

  variant, rules, material (White's v Black's), stm ("W" or "B")
  positions, white_wins, draws, black_wins
  longest_white_win, longest_black_win     plies to the end, -1: no win
  ex_white, ex_black                       FEN of such a win, "" if none
  longest_white_leave, longest_black_leave where an article counts, the most
      plies up to the winner's move that changes the material or ends the game;
      elsewhere the plies to the end`,
		Example: `  draughtlab endgame stats --variant croda --material "KK v M" \
      --rules pure --json
  draughtlab endgame stats --pieces 4 --plot drawn.svg
  draughtlab endgame stats --variant frisian --rules free --material "KM v K"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.variants, "variant", o.variants, "games to count")
	f.IntVar(&o.pieces, "pieces", o.pieces, fmt.Sprintf("count all materials of up to so many pieces, 2 to %d", endgame.MaxPieces))
	f.StringVar(&o.material, "material", "", `count this one instead: White's kings (K) and men (M), "v", Black's`)
	addRules(cmd, &o.rules)
	f.StringVar(&o.tables, "tables", "", "`directory` of tables; the user's cache directory if not given")
	f.StringVar(&o.plot, "plot", "", "also draw the share of draws of every material into this SVG `file`")
	f.IntVar(&o.workers, "workers", o.workers, "build with so many goroutines")
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	f.BoolVar(&o.quiet, "quiet", false, "tell no progress")
	completeVariant(cmd)
	return cmd
}

// endgameCount is what is printed of a material with one side to move.
type endgameCount struct {
	Variant  string `json:"variant"`
	Rules    string `json:"rules"`
	Material string `json:"material"`
	ToMove   string `json:"stm"`

	Positions int64 `json:"positions"`
	WhiteWins int64 `json:"white_wins"`
	Draws     int64 `json:"draws"`
	BlackWins int64 `json:"black_wins"`

	LongestWhite      int    `json:"longest_white_win"`
	LongestBlack      int    `json:"longest_black_win"`
	ExampleWhite      string `json:"ex_white"`
	ExampleBlack      string `json:"ex_black"`
	LongestWhiteLeave int    `json:"longest_white_leave"`
	LongestBlackLeave int    `json:"longest_black_leave"`

	material endgame.Material
}

// add adds the counts of other placements; longest wins are kept.
func (c *endgameCount) add(other endgameCount) {
	c.Positions += other.Positions
	c.WhiteWins += other.WhiteWins
	c.Draws += other.Draws
	c.BlackWins += other.BlackWins
	c.LongestWhite = max(c.LongestWhite, other.LongestWhite)
	c.LongestBlack = max(c.LongestBlack, other.LongestBlack)
}

// endgameCounts are the counts of one game: of each material with White to move
// and with Black.
type endgameCounts struct {
	variant *engine.Variant
	rows    [][2]endgameCount
}

func (o *endgameStatsOptions) run(cmd *cobra.Command) error {
	games, rules, n, err := o.check(cmd)
	if err != nil {
		return err
	}
	var plot *dataset.PendingFile
	if o.plot != "" {
		if plot, err = dataset.CreateOutput(o.plot); err != nil {
			return err
		}
		defer plot.Abort()
	}
	ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "the states at hand, dropping their table")
	defer release()
	var all []endgameCounts
	for _, v := range games {
		c, err := o.count(ctx, cmd.ErrOrStderr(), v, rules, n)
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	if plot != nil {
		if err := drawrate.WriteEndgames(plot, endgameShares(all)); err != nil {
			return err
		}
		if err := plot.Commit(); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	switch {
	case o.json:
		return printCounts(out, all)
	case n.material != nil:
		_, err = io.WriteString(out, materialText(all, rules, *n.material))
	default:
		_, err = io.WriteString(out, sideBySide(all, rules, n.pieces))
	}
	return err
}

// check reads the flags.
func (o *endgameStatsOptions) check(cmd *cobra.Command) ([]*engine.Variant, endgame.Rules, needs, error) {
	games, err := variantsNamed(o.variants)
	if err != nil {
		return nil, 0, needs{}, err
	}
	rules, err := endgame.ParseRules(o.rules)
	if err != nil {
		return nil, 0, needs{}, fmt.Errorf("--rules: %w", err)
	}
	if o.workers < 1 {
		return nil, 0, needs{}, fmt.Errorf("--workers %d: give at least 1", o.workers)
	}
	n, err := parseNeeds(cmd, o.material, o.pieces)
	if err != nil {
		return nil, 0, needs{}, err
	}
	for _, v := range games {
		if n.pieces > endgame.Solved(v, rules) {
			return nil, 0, needs{}, fmt.Errorf("%s under %s rules: all placements are solved up to %d pieces only; take --rules basic or pure",
				v.Name, rules, endgame.DefaultPieces)
		}
	}
	if o.tables != "" {
		return games, rules, n, haveDir("tables", o.tables)
	}
	dir, err := tableDir("")
	if err != nil {
		dir = "" // obtain tells
	}
	for _, v := range games {
		if err := n.checkMemory(dir, v, rules, machineMemory()); err != nil {
			return nil, 0, needs{}, fmt.Errorf("%w, or --tables", err)
		}
	}
	return games, rules, n, nil
}

// count counts the endings of one game.
func (o *endgameStatsOptions) count(ctx context.Context, stderr io.Writer, v *engine.Variant, rules endgame.Rules, n needs) (endgameCounts, error) {
	c := endgameCounts{variant: v}
	t, done, err := o.obtain(ctx, stderr, v, rules, n)
	if err != nil {
		return c, err
	}
	defer done()
	list := endgame.Materials(n.pieces)
	if n.material != nil {
		list = []endgame.Material{*n.material}
	}
	for _, m := range list {
		if ctx.Err() != nil {
			return c, fmt.Errorf("%w: run the same command again", errInterrupted)
		}
		stats, err := t.Stats(m)
		if err != nil && o.tables != "" && !t.Covers(m) {
			return c, missing(v, rules, m, o.tables, o.tables)
		}
		if err != nil {
			return c, err
		}
		var row [2]endgameCount
		for side, s := range stats {
			row[side] = endgameCount{
				Variant: s.Variant, Rules: rules.String(), Material: s.Material, ToMove: s.ToMove,
				Positions: s.Positions, WhiteWins: s.WhiteWins, Draws: s.Draws, BlackWins: s.BlackWins,
				LongestWhite: s.LongestWhite.Plies, LongestBlack: s.LongestBlack.Plies,
				ExampleWhite: s.LongestWhite.FEN, ExampleBlack: s.LongestBlack.FEN,
				LongestWhiteLeave: s.LongestWhite.Leave, LongestBlackLeave: s.LongestBlack.Leave,
				material: m,
			}
		}
		c.rows = append(c.rows, row)
	}
	return c, nil
}

// missing is the error of a table that is not in dir, which is that of the flag
// --tables or else the cache, and says how to make it.
func missing(v *engine.Variant, rules endgame.Rules, m endgame.Material, flag, dir string) error {
	return fmt.Errorf("no table of %s under %s rules in %s: %s",
		m, rules, dir, buildAdvice(v, rules, fmt.Sprintf("--material %q", m.Canonical().String()), flag, dir))
}

// obtain returns tables that have what n needs: those of --tables, or else those
// in the user's cache directory, in which the missing and damaged ones are made.
// Where that cannot be used they are made in a temporary directory, which done
// removes.
func (o *endgameStatsOptions) obtain(ctx context.Context, stderr io.Writer, v *engine.Variant, rules endgame.Rules, n needs) (t *endgame.Tables, done func(), err error) {
	nothing := func() {}
	if o.tables != "" {
		t, err = endgame.Open(o.tables, v, rules)
		return t, nothing, err
	}
	dir, err := tableDir("")
	if err == nil {
		mendCache(stderr, v, n.plan(v, rules))
		t, err = o.build(ctx, stderr, dir, v, rules, n)
	}
	if err == nil || errors.Is(err, errInterrupted) {
		return t, nothing, err
	}
	fmt.Fprintf(stderr, "draughtlab: note: the cache is of no use, so tables are made for this run only: %s\n", oneLine(err.Error(), nil))
	if dir, err = os.MkdirTemp("", "draughtlab-*"); err != nil {
		return nil, nothing, err
	}
	done = func() { os.RemoveAll(dir) }
	if t, err = o.build(ctx, stderr, dir, v, rules, n); err != nil {
		done()
		return nil, nothing, err
	}
	return t, done, nil
}

// build makes what is missing in dir and opens it.
func (o *endgameStatsOptions) build(ctx context.Context, stderr io.Writer, dir string, v *engine.Variant, rules endgame.Rules, n needs) (*endgame.Tables, error) {
	err := n.building(ctx, stderr, o.quiet, dir, v, rules, o.workers, func(p endgame.Progress, seconds float64) {
		if p.Made && !o.quiet {
			fmt.Fprintf(stderr, "draughtlab: %s, %s rules: %s made, %d states, %.2f s\n", v.Name, p.Rules, p.Material, p.States, seconds)
		}
	})
	if err != nil {
		return nil, err
	}
	return endgame.Open(dir, v, rules)
}

// printCounts prints counts as JSON lines.
func printCounts(out io.Writer, all []endgameCounts) error {
	encoder := json.NewEncoder(out)
	for _, c := range all {
		for _, row := range c.rows {
			for _, count := range row {
				if err := encoder.Encode(count); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// endgameShares returns the shares of draws, for the plot.
func endgameShares(all []endgameCounts) []drawrate.EndgameShare {
	var shares []drawrate.EndgameShare
	for _, c := range all {
		for _, row := range c.rows {
			drawn := float64(row[0].Draws+row[1].Draws) / float64(row[0].Positions+row[1].Positions)
			shares = append(shares, drawrate.EndgameShare{Game: titleOf(c.variant), Material: row[0].Material, Drawn: drawn})
		}
	}
	return shares
}

// materialText is the text for one material.
func materialText(all []endgameCounts, rules endgame.Rules, m endgame.Material) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s rules: all placements\n\n", m, rules)
	fmt.Fprintf(&b, "%-8s %-7s %12s %14s %9s %14s\n", "Game", "To move", "Placements", "White wins %", "drawn %", "Black wins %")
	for _, c := range all {
		for _, s := range c.rows[0] {
			fmt.Fprintf(&b, "%-8s %-7s %12d %14.3f %9.3f %14.3f\n", titleOf(c.variant), s.side(), s.Positions,
				percent(s.WhiteWins, s.Positions), percent(s.Draws, s.Positions), percent(s.BlackWins, s.Positions))
		}
	}
	b.WriteString("\nLongest wins, in plies to the end\n")
	for _, c := range all {
		for _, s := range c.rows[0] {
			for winner, plies := range []int{s.LongestWhite, s.LongestBlack} {
				if plies >= 0 {
					fmt.Fprintf(&b, "%-8s %-5s to move, %s wins %4d  %s\n", titleOf(c.variant), s.side(), colorNames[winner], plies,
						[]string{s.ExampleWhite, s.ExampleBlack}[winner])
				}
			}
		}
	}
	return b.String()
}

// side is the name of the side to move.
func (c *endgameCount) side() string { return colorNames[strings.Index("WB", c.ToMove)] }

// percent returns a share in percent, 0 of nothing.
func percent(part, whole int64) float64 {
	return 100 * float64(part) / float64(max(whole, 1))
}

// sideBySide is the text for all materials: what the first force wins, and what
// the side to move wins.
func sideBySide(all []endgameCounts, rules endgame.Rules, pieces int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Endings of up to %d pieces, %s rules: all placements, %% won, drawn, lost\n", pieces, rules)
	b.WriteString("max: plies of the longest win\n")
	b.WriteString("\nFor the force named first, either side to move\n")
	writeSides(&b, all, pieces, func(row [2]endgameCount) (won, lost int64, longest int) {
		return row[0].WhiteWins + row[1].WhiteWins, row[0].BlackWins + row[1].BlackWins, max(row[0].LongestWhite, row[1].LongestWhite)
	})
	b.WriteString("\nFor the side to move\n")
	writeSides(&b, all, pieces, func(row [2]endgameCount) (won, lost int64, longest int) {
		return row[0].WhiteWins + row[1].BlackWins, row[0].BlackWins + row[1].WhiteWins, max(row[0].LongestWhite, row[1].LongestBlack)
	})
	return b.String()
}

// writeSides writes a table of materials by games, with a line for all materials
// of a number of pieces.
func writeSides(b *strings.Builder, all []endgameCounts, pieces int, of func([2]endgameCount) (won, lost int64, longest int)) {
	line := strings.Builder{}
	fmt.Fprintf(&line, "%-10s", "")
	for _, c := range all {
		fmt.Fprintf(&line, "  %-21s", titleOf(c.variant))
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	fmt.Fprintf(b, "%-10s%s\n", "", strings.Repeat("   won drawn  lost  max", len(all)))
	write := func(name string, rows func(c endgameCounts) [2]endgameCount) {
		fmt.Fprintf(b, "%-10s", name)
		for _, c := range all {
			row := rows(c)
			won, lost, longest := of(row)
			whole := row[0].Positions + row[1].Positions
			most := "-"
			if longest >= 0 {
				most = fmt.Sprint(longest)
			}
			fmt.Fprintf(b, " %5.1f %5.1f %5.1f %4s", percent(won, whole), percent(row[0].Draws+row[1].Draws, whole), percent(lost, whole), most)
		}
		b.WriteString("\n")
	}
	for n := 2; n <= pieces; n++ {
		sums := map[string]*[2]endgameCount{}
		for i, row := range all[0].rows {
			if row[0].material.Pieces() != n {
				continue
			}
			write(row[0].Material, func(c endgameCounts) [2]endgameCount {
				if sums[c.variant.Name] == nil {
					sums[c.variant.Name] = &[2]endgameCount{{LongestWhite: -1, LongestBlack: -1}, {LongestWhite: -1, LongestBlack: -1}}
				}
				for side := range 2 {
					sums[c.variant.Name][side].add(c.rows[i][side])
				}
				return c.rows[i]
			})
		}
		write(fmt.Sprintf("all of %d", n), func(c endgameCounts) [2]endgameCount { return *sums[c.variant.Name] })
	}
}
