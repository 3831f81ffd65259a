package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// endgameProbeOptions are the flags of endgame probe.
type endgameProbeOptions struct {
	variant, rules, profile, tables, runs string
	json, ascii                           bool
}

// newEndgameProbeCommand makes `draughtlab endgame probe`.
func newEndgameProbeCommand() *cobra.Command {
	var o endgameProbeOptions
	cmd := &cobra.Command{
		Use:   "probe --variant V FEN",
		Short: "Tell the result of a position, with the best line to the end",
		Long: `Tells who wins and in how many plies, or that it is drawn, with the best moves
of both sides to the end and the result of every move: wins, the quickest first,
draws, losses, the slowest first. The counts of draw articles begin at 0.

Positions of up to three pieces need no table made before. Larger ones are
looked up in --tables, or in the user's cache directory if that is not given,
where draughtlab endgame build puts its tables.

--json prints one object: value ("win", "draw" or "loss") and distance (plies)
are for the side to move; termination is the article that draws the game at
once, or null; the value of a move is for the side that makes it and its
distance counts the move; both are null where no table knows the result.`,
		Example: `  draughtlab endgame probe --variant russian W:WKa1,Kb2:BKh6
  draughtlab endgame probe --variant frisian W:W36,K28:BK5 --runs '{"W":[28,3]}'
  draughtlab endgame probe --variant croda --tables tables --json \
      W:WKa1,b2:BKh8,g7`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.variant, "variant", "", "game: "+strings.Join(variants.Names(), ", "))
	addRules(cmd, &o.rules)
	f.StringVar(&o.profile, "profile", "", "the rules of games of that profile instead: basic or federation")
	f.StringVar(&o.tables, "tables", "", "`directory` of tables; the user's cache directory if not given")
	f.StringVar(&o.runs, "runs", "", `Frisian king runs of the position, as {"W":[square,moves]}`)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.BoolVar(&o.ascii, "ascii", false, "draw the board with letters")
	requireVariant(cmd)
	return cmd
}

// probed is what is told of a position.
type probed struct {
	Variant     string          `json:"variant"`
	Rules       string          `json:"rules"`
	Material    string          `json:"material"`
	FEN         string          `json:"fen"`
	Runs        json.RawMessage `json:"runs"`
	Value       string          `json:"value"`
	Distance    int             `json:"distance"`
	Termination *string         `json:"termination"`
	Line        []string        `json:"line"`
	Moves       []probedMove    `json:"moves"`
}

// probedMove is a legal move and its result, which may not be known.
type probedMove struct {
	Move     string  `json:"move"`
	Value    *string `json:"value"`
	Distance *int    `json:"distance"`
}

func (o *endgameProbeOptions) run(cmd *cobra.Command, fen string) error {
	v, err := variants.ByName(o.variant)
	if err != nil {
		return err
	}
	rules, err := o.chosenRules(cmd)
	if err != nil {
		return err
	}
	p, err := notation.ParseFEN(v, fen)
	if err != nil {
		return err
	}
	if o.runs != "" {
		if err := notation.ParseRuns(v, &p, []byte(o.runs)); err != nil {
			return err
		}
	}
	if o.tables != "" {
		if err := haveDir("tables", o.tables); err != nil {
			return err
		}
	}
	ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "the states at hand, dropping their table")
	defer release()
	answer, err := o.probe(ctx, cmd.ErrOrStderr(), v, rules, &p)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: run the same command again", errInterrupted)
	}
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if o.json {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(answer)
	}
	_, err = io.WriteString(out, drawBoard(v, &p, engine.White, signsFor(o.ascii))+answer.text(&p))
	return err
}

// chosenRules reads --rules or --profile.
func (o *endgameProbeOptions) chosenRules(cmd *cobra.Command) (endgame.Rules, error) {
	if o.profile == "" {
		rules, err := endgame.ParseRules(o.rules)
		if err != nil {
			return 0, fmt.Errorf("--rules: %w", err)
		}
		return rules, nil
	}
	if cmd.Flags().Changed("rules") {
		return 0, errors.New("give --rules or --profile, not both")
	}
	profile, err := engine.ParseProfile(o.profile)
	if err != nil {
		return 0, err
	}
	return endgame.ForProfile(profile), nil
}

// materialOn returns the material of a position.
func materialOn(p *engine.Position) endgame.Material {
	force := func(c engine.Color) endgame.Force {
		return endgame.Force{Men: bits.OnesCount64(p.Men(c)), Kings: bits.OnesCount64(p.Pieces[c] & p.Kings)}
	}
	return endgame.Material{White: force(engine.White), Black: force(engine.Black)}
}

// probe finds the tables and asks them.
func (o *endgameProbeOptions) probe(ctx context.Context, stderr io.Writer, v *engine.Variant, rules endgame.Rules, p *engine.Position) (*probed, error) {
	m := materialOn(p)
	fen := notation.FormatFEN(v, p)
	switch {
	case p.Pieces[engine.White] == 0 || p.Pieces[engine.Black] == 0:
		return nil, fmt.Errorf("%s: one side has no pieces: it has lost, and there is nothing to look up", fen)
	case m.Pieces() > endgame.MaxPieces:
		return nil, fmt.Errorf("%s: %d pieces: tables are made of up to %d", fen, m.Pieces(), endgame.MaxPieces)
	}
	t, dir, err := o.open(ctx, stderr, v, rules, m)
	if err != nil {
		return nil, err
	}
	r, ok := t.Probe(p)
	if !ok {
		switch {
		case t.Err() != nil:
			return nil, t.Err()
		case t.Covers(m):
			return nil, fmt.Errorf("%s: the tables do not know under %s rules: an article may come first; --rules pure tells the result without", fen, rules)
		}
		return nil, fmt.Errorf("%s: %w", fen, missing(v, rules, m, o.tables, dir))
	}
	answer := &probed{
		Variant: v.Name, Rules: rules.String(), Material: m.String(), FEN: fen,
		Runs: json.RawMessage(notation.FormatRuns(v, p)), Value: r.Value.String(), Distance: r.Distance,
		Line: lineText(v, *p, t.Line(p)), Moves: []probedMove{},
	}
	legal := v.Generate(p, nil)
	for _, c := range t.Choices(p) {
		move := probedMove{Move: notation.FormatMove(v, p, c.Move, legal)}
		if c.Known {
			value := c.Result.Value.String()
			move.Value, move.Distance = &value, &c.Result.Distance
		}
		answer.Moves = append(answer.Moves, move)
	}
	if len(legal) > 0 && len(answer.Moves) == 0 {
		article := v.Ending(p, profileOf(rules)).Draw.String()
		answer.Termination = &article
	}
	return answer, t.Err()
}

// profileOf returns the profile whose articles rules have, if they have any.
func profileOf(rules endgame.Rules) engine.Profile {
	if rules == endgame.Federation {
		return engine.Federation
	}
	return engine.Basic
}

// open returns tables for a material, and the directory where they are looked
// for.
func (o *endgameProbeOptions) open(ctx context.Context, stderr io.Writer, v *engine.Variant, rules endgame.Rules, m endgame.Material) (*endgame.Tables, string, error) {
	if o.tables == "" && m.Pieces() <= endgame.DefaultPieces {
		mendCache(stderr, v, endgame.Plan(v, rules, endgame.DefaultPieces))
		t, err := endgame.Default(ctx, v, rules)
		return t, "", err
	}
	dir, err := tableDir(o.tables)
	if err != nil {
		return nil, "", err
	}
	if !haveTables(dir, v) {
		return nil, "", missing(v, rules, m, o.tables, dir)
	}
	t, err := endgame.Open(dir, v, rules)
	return t, dir, err
}

// haveTables reports whether there is any table of a game in a directory.
func haveTables(dir string, v *engine.Variant) bool {
	for _, m := range endgame.Materials(endgame.MaxPieces) {
		for rules := endgame.Pure; rules <= endgame.Free; rules++ {
			if _, err := os.Stat(endgame.FileName(dir, v, rules, m)); err == nil {
				return true
			}
		}
	}
	return false
}

// text is the answer for people, without the board.
func (a *probed) text(p *engine.Position) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s to move: %s\n%s, %s rules\n", colorNames[p.Side()], resultText(a.Value, a.Distance), a.Material, a.Rules)
	switch {
	case a.Termination != nil:
		fmt.Fprintf(&b, "The game is over: %s\n", *a.Termination)
		return b.String()
	case len(a.Moves) == 0:
		b.WriteString("There is no legal move.\n")
		return b.String()
	}
	if len(a.Line) > 0 {
		b.WriteString("\nBest line\n" + wrapWords(a.Line, "    "))
	}
	b.WriteString("\nMoves\n")
	for _, m := range a.Moves {
		result := "not known"
		if m.Value != nil {
			result = resultText(*m.Value, *m.Distance)
		}
		fmt.Fprintf(&b, "    %-12s %s\n", m.Move, result)
	}
	return b.String()
}

// resultText writes a result for people.
func resultText(value string, distance int) string {
	switch value {
	case endgame.Win.String():
		return "wins in " + pliesText(distance)
	case endgame.Loss.String():
		return "loses in " + pliesText(distance)
	}
	return "draws"
}

// pliesText counts plies in English.
func pliesText(n int) string {
	if n == 1 {
		return "1 ply"
	}
	return fmt.Sprintf("%d plies", n)
}
