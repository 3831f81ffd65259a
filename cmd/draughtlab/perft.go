package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// perftOptions are the flags of perft.
type perftOptions struct {
	variant, fen, runs string
	depth              int
	bulk, divide, json bool
}

// perftRow is the count of one depth.
type perftRow struct {
	Depth   int     `json:"depth"`
	Nodes   uint64  `json:"nodes"`
	Seconds float64 `json:"seconds"`
}

// divideRow is the count behind one root move.
type divideRow struct {
	Move  string `json:"move"`
	Nodes uint64 `json:"nodes"`
}

// newPerftCommand makes `draughtlab perft`.
func newPerftCommand() *cobra.Command {
	var o perftOptions
	cmd := &cobra.Command{
		Use:   "perft --variant V --depth N",
		Short: "Count the move sequences from a position",
		Long: `Counts the sequences of exactly 1, 2, … N legal moves from a position. A move
counts once however many routes it has, draw rules never stop the count, and a
branch without legal moves ends.`,
		Example: `  draughtlab perft --variant russian --depth 9
  draughtlab perft --variant croda --depth 3 --divide \
      --fen 'W:Wa6:Ba7,b8,d8,e7,Kg8'
  draughtlab perft --variant frisian --depth 4 --json \
      --fen W:W36,K28:B5 --runs '{"W":[28,3]}'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.variant, "variant", "", "game: "+strings.Join(variants.Names(), ", "))
	f.IntVar(&o.depth, "depth", 0, "count up to so many plies")
	f.StringVar(&o.fen, "fen", "", "position to count from; the start of the game if not given")
	f.StringVar(&o.runs, "runs", "", `Frisian king runs of that position, as {"W":[square,moves]}`)
	f.BoolVar(&o.bulk, "bulk", true, "count the moves of the last ply without making them")
	f.BoolVar(&o.divide, "divide", false, "also list the root moves with their counts at the last depth")
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	requireVariant(cmd)
	cobra.CheckErr(cmd.MarkFlagRequired("depth"))
	return cmd
}

// requireVariant makes --variant required and completes its values.
func requireVariant(cmd *cobra.Command) {
	completeVariant(cmd)
	cobra.CheckErr(cmd.MarkFlagRequired("variant"))
}

// completeVariant lets shells complete the names of the games.
func completeVariant(cmd *cobra.Command) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("variant", cobra.FixedCompletions(variants.Names(), cobra.ShellCompDirectiveNoFileComp)))
}

// perftMoves is room for the moves of all plies of a count.
const perftMoves = 1 << 14

func (o *perftOptions) run(out io.Writer) error {
	v, err := variants.ByName(o.variant)
	if err != nil {
		return err
	}
	if o.depth < 1 || o.depth > 100 {
		return fmt.Errorf("--depth %d: give 1 to 100", o.depth)
	}
	p := v.Start
	if o.fen != "" {
		if p, err = notation.ParseFEN(v, o.fen); err != nil {
			return err
		}
	}
	if o.runs != "" {
		if err := notation.ParseRuns(v, &p, []byte(o.runs)); err != nil {
			return err
		}
	}
	if !o.json {
		if _, err := fmt.Fprintf(out, "%5s %20s %12s\n", "depth", "nodes", "seconds"); err != nil {
			return err
		}
	}
	buf := make([]engine.Move, 0, perftMoves)
	for depth := 1; depth <= o.depth; depth++ {
		start := time.Now()
		row := perftRow{Depth: depth, Nodes: engine.Perft(v, &p, depth, o.bulk, buf)}
		row.Seconds = time.Since(start).Seconds()
		if err := o.print(out, row, "%5d %20d %12.6f\n", row.Depth, row.Nodes, row.Seconds); err != nil {
			return err
		}
	}
	if !o.divide {
		return nil
	}
	for _, row := range divide(v, &p, o.depth, o.bulk, buf) {
		if err := o.print(out, row, "%s %d\n", row.Move, row.Nodes); err != nil {
			return err
		}
	}
	return nil
}

// print writes a row as JSON or as text.
func (o *perftOptions) print(out io.Writer, row any, format string, args ...any) error {
	if o.json {
		return json.NewEncoder(out).Encode(row)
	}
	_, err := fmt.Fprintf(out, format, args...)
	return err
}

// divide counts behind each root move, in the order of their text.
func divide(v *engine.Variant, p *engine.Position, depth int, bulk bool, buf []engine.Move) []divideRow {
	legal := v.Generate(p, nil)
	rows := make([]divideRow, len(legal))
	for i, m := range legal {
		q := p.Make(m)
		rows[i] = divideRow{notation.FormatMove(v, p, m, legal), engine.Perft(v, &q, depth-1, bulk, buf)}
	}
	slices.SortFunc(rows, func(a, b divideRow) int { return strings.Compare(a.Move, b.Move) })
	return rows
}
