package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/notation"
	"draughtlab/engine/search"
	"draughtlab/engine/variants"
)

// analyseOptions are the flags of analyse.
type analyseOptions struct {
	thinkFlags
	variant, runs    string
	lines, game, ply int
	json             bool
}

// newAnalyseCommand makes `draughtlab analyse`.
func newAnalyseCommand() *cobra.Command {
	o := analyseOptions{lines: 1, game: 1, ply: -1}
	cmd := &cobra.Command{
		Use:   "analyse [FEN|FILE.pdn]",
		Short: "Tell score and best lines of a position",
		Long: `Searches a position and prints score, depth, nodes and the line expected, or
several lines, each beginning with another move. The limits hold for each line.
Scores are in men from the view of the side to move; with --json they are in
hundredths of a man, or null where win_in has the plies of a proven win (of a
loss if below 0).

The position is a FEN, the start of the game if none is given, or the end of a
recorded game: the first of a PDN file, or that of --game, after its last move
or after --ply moves. Repetitions and draw clocks of that game count. "-" reads
PDN from standard input.

Where endgame tables know the position, their result is told, too, and lines
that win go on to the end of the game.`,
		Example: `  draughtlab analyse --variant croda 'W:WKf1:Bf6,d7,b5' --depth 9
  draughtlab analyse masters.pdn --game 3 --ply 40 --lines 3 --time 5s
  draughtlab analyse --variant russian --nodes 100000 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, append(args, "")[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.variant, "variant", "", "game: "+strings.Join(variants.Names(), ", ")+"; in PDN the tags may tell")
	f.StringVar(&o.runs, "runs", "", `Frisian king runs of the FEN, as {"W":[square,moves]}`)
	f.IntVar(&o.lines, "lines", o.lines, "print so many lines")
	f.IntVar(&o.game, "game", o.game, "number of the game in the PDN file")
	f.IntVar(&o.ply, "ply", o.ply, "take the position after so many moves of both sides; -1 is after the last")
	o.add(cmd)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeVariant(cmd)
	return cmd
}

// analysedLine is one line of an analysis.
type analysedLine struct {
	Move    string   `json:"move"`
	Score   *int     `json:"score"`  // hundredths of a man, side to move
	WinIn   *int     `json:"win_in"` // plies; negative: of a loss
	Depth   int      `json:"depth"`
	Nodes   uint64   `json:"nodes"`
	Seconds float64  `json:"seconds"`
	PV      []string `json:"pv"`

	result search.Result
}

// analysis is what is told of a position.
type analysis struct {
	Variant     string         `json:"variant"`
	FEN         string         `json:"fen"`
	Profile     string         `json:"profile"`
	LegalMoves  int            `json:"legal_moves"`
	Termination *string        `json:"termination"` // null: the game goes on
	Table       *tableResult   `json:"table"`       // null: no endgame table knows the position
	Lines       []analysedLine `json:"lines"`
}

// tableResult is what an endgame table says of a position.
type tableResult struct {
	Value    string `json:"value"`    // win, draw or loss of the side to move
	Distance int    `json:"distance"` // plies to the end of the game; 0 for a draw
}

// tableResult asks the endgame tables; nil if they do not know.
func (t *thinker) tableResult(p *engine.Position) *tableResult {
	if t.referee.Tables == nil || p.Count() > t.referee.Pieces {
		return nil
	}
	r, ok := t.referee.Tables.Probe(p)
	if !ok {
		return nil
	}
	return &tableResult{r.Value.String(), r.Distance}
}

func (o *analyseOptions) run(cmd *cobra.Command, what string) error {
	if o.lines < 1 || o.lines > 1000 {
		return fmt.Errorf("--lines %d: give 1 to 1000", o.lines)
	}
	if o.game < 1 || o.ply < -1 {
		return fmt.Errorf("--game %d --ply %d: games count from 1, plies from 0", o.game, o.ply)
	}
	g, err := o.read(cmd, what)
	if err != nil {
		return err
	}
	ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "the analysis")
	defer release()
	t, err := o.thinker(ctx, g.variant, func() bool { return ctx.Err() != nil })
	if err != nil {
		return err
	}
	a, err := o.analyse(t, g)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if o.json {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(a)
	}
	_, err = io.WriteString(out, drawBoard(g.variant, &g.position, engine.White, signsFor(o.ascii))+a.text(&g.position))
	return err
}

// read finds the position and its game.
func (o *analyseOptions) read(cmd *cobra.Command, what string) (*hubGame, error) {
	var v *engine.Variant
	var err error
	if o.variant != "" {
		if v, err = variants.ByName(o.variant); err != nil {
			return nil, err
		}
	}
	in, err := openPDN(what, cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	if in != nil {
		defer in.Close()
		if o.runs != "" {
			return nil, fmt.Errorf("--runs is for a FEN: the runs of a recorded game follow from its moves")
		}
		return o.replay(in, v, what)
	}
	if v == nil {
		return nil, fmt.Errorf("no --variant: use %s", strings.Join(variants.Names(), ", "))
	}
	if o.game != 1 || o.ply != -1 {
		return nil, fmt.Errorf("--game and --ply are for a PDN file")
	}
	p := v.Start
	if what != "" {
		if p, err = notation.ParseFEN(v, what); err != nil {
			return nil, err
		}
	}
	if o.runs != "" {
		if err := notation.ParseRuns(v, &p, []byte(o.runs)); err != nil {
			return nil, err
		}
	}
	return &hubGame{variant: v, position: p, keys: []uint64{p.Key()}}, nil
}

// openPDN opens what as a file if it is one, or if it looks like the name of
// one; nil means that it is a FEN.
func openPDN(what string, stdin io.Reader) (io.ReadCloser, error) {
	if what == "-" {
		return io.NopCloser(stdin), nil
	}
	if what == "" || strings.Contains(what, ":W") || strings.Contains(what, ":B") {
		return nil, nil
	}
	f, err := os.Open(what)
	if errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(strings.ToLower(what), ".pdn") {
		return nil, fmt.Errorf("%q is no file and no position: give a FEN such as W:Wa1,c3:Bf6,Kh8", what)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// replay plays the wanted game up to the wanted position.
func (o *analyseOptions) replay(in io.Reader, v *engine.Variant, name string) (*hubGame, error) {
	reader := notation.NewReader(in)
	for {
		pdn, err := reader.Next()
		var syntax *notation.SyntaxError
		if errors.As(err, &syntax) && syntax.Game < o.game {
			continue
		}
		if err == io.EOF {
			return nil, fmt.Errorf("%s: there is no game %d", name, o.game)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if pdn.Number < o.game {
			continue
		}
		if v == nil {
			if v, err = pdn.Variant(); err != nil {
				return nil, fmt.Errorf("%s: game %d: %w (--variant says which game it is)", name, o.game, err)
			}
		}
		played, err := notation.Replay(v, engine.Basic, pdn)
		if err != nil {
			return nil, fmt.Errorf("%s: game %d: %w", name, o.game, err)
		}
		want := o.ply
		if want < 0 {
			want = len(pdn.Moves)
		}
		if bad := played.Illegal; bad != nil && want >= bad.Ply {
			return nil, fmt.Errorf("%s:%d: game %d, ply %d: %s", name, bad.Line, o.game, bad.Ply, bad.Reason)
		}
		if want > len(played.Moves) {
			return nil, fmt.Errorf("%s: game %d has %d plies, not %d", name, o.game, len(played.Moves), want)
		}
		g := &hubGame{variant: v, position: played.Start, keys: []uint64{played.Start.Key()}}
		for _, m := range played.Moves[:want] {
			g.play(m)
		}
		return g, nil
	}
}

// analyse searches line after line: each without the first moves of those
// before. They are told in the order of their scores.
func (o *analyseOptions) analyse(t *thinker, g *hubGame) (*analysis, error) {
	v, p := g.variant, g.position
	legal := g.legal()
	a := &analysis{Variant: v.Name, FEN: notation.FormatFEN(v, &p), Profile: t.profile.String(), LegalMoves: len(legal), Lines: []analysedLine{}}
	over := engine.NoMoves
	if len(legal) > 0 {
		over = v.Ending(&p, t.profile).Draw
	}
	if over != engine.Ongoing {
		text := over.String()
		a.Termination = &text
		return a, nil
	}
	a.Table = t.tableResult(&p)
	var except []engine.Move
	for len(except) < min(o.lines, len(legal)) {
		began := time.Now()
		r, err := t.think(p, g.keys, except, true)
		if err != nil {
			return nil, err
		}
		except = append(except, r.Move)
		line := analysedLine{Depth: r.Depth, Nodes: r.Nodes, Seconds: time.Since(began).Seconds(), PV: lineText(v, p, t.toTheEnd(p, r)), result: r}
		line.Move = line.PV[0]
		if r.WinIn != 0 {
			line.WinIn = &line.result.WinIn
		} else {
			line.Score = &line.result.Score
		}
		a.Lines = append(a.Lines, line)
	}
	slices.SortStableFunc(a.Lines, func(x, y analysedLine) int { return y.result.Score - x.result.Score })
	return a, nil
}

// text is the result for people.
func (t *tableResult) text() string {
	if t.Value == endgame.Draw.String() {
		return "a draw"
	}
	return fmt.Sprintf("a %s in %s", t.Value, plies(t.Distance))
}

// text is the analysis for people, without the board.
func (a *analysis) text(p *engine.Position) string {
	var out strings.Builder
	side := colorNames[p.Side()]
	moves := "moves"
	if a.LegalMoves == 1 {
		moves = "move"
	}
	fmt.Fprintf(&out, "\n%s to move, %d legal %s\n", side, a.LegalMoves, moves)
	if a.Termination != nil {
		fmt.Fprintf(&out, "The game is over: %s\n", *a.Termination)
	}
	if t := a.Table; t != nil {
		out.WriteString("Endgame table: " + t.text() + "\n")
	}
	for i, l := range a.Lines {
		fmt.Fprintf(&out, "\n%2d. %s  depth %d, %d nodes, %.2f s\n", i+1, scoreText(l.result), l.Depth, l.Nodes, l.Seconds)
		out.WriteString(wrapWords(l.PV, "    "))
	}
	return out.String()
}
