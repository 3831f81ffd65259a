package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// maxMovesLine is the longest line moves reads, in bytes.
const maxMovesLine = 1 << 20

// newMovesCommand makes `draughtlab moves`.
func newMovesCommand() *cobra.Command {
	var variant string
	cmd := &cobra.Command{
		Use:   "moves --variant V",
		Short: "List the legal moves of positions, as JSON lines",
		Long: `Reads one JSON object a line from standard input, {"fen": …} with "runs" beside
it for Frisian king runs if there are any, and writes one line for each at once:
the position in strict form and all its legal moves, sorted by notation (the
whole route, x for captures). Squares are strings, in Frisian numbers. Other
keys are ignored. A line that cannot be answered, an empty one too, gives
{"error": …}; the other lines are answered and the exit code is 1 at the end. A
line may have 1 MiB. Men of the side that is not to move may stand on their
crowning rank, as in composed examples.`,
		Example: `  echo '{"fen":"W:We2:Be3,f4,g5"}' | draughtlab moves --variant croda
  echo '{"fen":"W:W36,K28:B5","runs":{"W":[28,3]}}' |
    draughtlab moves --variant frisian`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := variants.ByName(variant)
			if err != nil {
				return err
			}
			return answerMoves(v, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&variant, "variant", "", "game: "+strings.Join(variants.Names(), ", "))
	requireVariant(cmd)
	return cmd
}

// movesAnswer is one line of output.
type movesAnswer struct {
	FEN   string       `json:"fen"`
	Moves []listedMove `json:"moves"`
}

// listedMove is a legal move. Squares are strings, or numbers on a numbered
// board; captured squares are in the order of their names.
type listedMove struct {
	Notation string `json:"notation"`
	From     any    `json:"from"`
	To       any    `json:"to"`
	Captured []any  `json:"captured"`
	Promotes bool   `json:"promotes"`
}

// answerMoves answers line by line, so that a program at the other end of a
// pipe can wait for each answer.
func answerMoves(v *engine.Variant, in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	encoder := json.NewEncoder(out) // one Write a line
	encoder.SetEscapeHTML(false)
	lines, bad := 0, 0
	for {
		line, err := readLine(r, maxMovesLine)
		if err == io.EOF {
			break
		}
		if lines++; lines == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // byte order mark
		}
		var answer any
		switch {
		case err == errLongLine:
			answer, err = nil, fmt.Errorf("the line is longer than %d bytes", maxMovesLine)
		case err != nil:
			return fmt.Errorf("standard input, line %d: %w", lines, err)
		default:
			answer, err = answerLine(v, line)
		}
		if err != nil {
			bad++
			answer = map[string]string{"error": fmt.Sprintf("line %d: %v", lines, err)}
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("standard input: %d of %d lines could not be answered: see the error lines", bad, lines)
	}
	return nil
}

var errLongLine = errors.New("line too long")

// readLine returns the next line without its end, io.EOF behind the last, or
// errLongLine for a line over the limit, which it skips.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
			long = len(line) > limit+len("\r\n")
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) > 0:
		case err != nil:
			return nil, err
		}
		if line = bytes.TrimRight(line, "\r\n"); long || len(line) > limit {
			return nil, errLongLine
		}
		return line, nil
	}
}

func answerLine(v *engine.Variant, line []byte) (*movesAnswer, error) {
	var in struct {
		FEN  *string         `json:"fen"`
		Runs json.RawMessage `json:"runs"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		const want = `want a JSON object like {"fen":"W:W31:B20"}`
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &wrong) && wrong.Field != "":
			return nil, fmt.Errorf(want+", key %q: got %s", wrong.Field, wrong.Value)
		case wrong != nil:
			return nil, fmt.Errorf(want+", got %s", wrong.Value)
		}
		return nil, fmt.Errorf(want+": %w", err)
	}
	if in.FEN == nil {
		return nil, fmt.Errorf(`the key "fen" is missing`)
	}
	p, err := notation.ParseComposedFEN(v, *in.FEN)
	if err != nil {
		return nil, err
	}
	if in.Runs != nil { // else the FEN's own counters, if it has them
		if err := notation.ParseRuns(v, &p, in.Runs); err != nil {
			return nil, err
		}
	}
	return listMoves(v, &p), nil
}

// listMoves lists the legal moves in the order of their notation.
func listMoves(v *engine.Variant, p *engine.Position) *movesAnswer {
	answer := &movesAnswer{FEN: notation.FormatFEN(v, p), Moves: []listedMove{}}
	for _, m := range v.Generate(p, nil) {
		answer.Moves = append(answer.Moves, listedMove{
			Notation: notation.FullMove(v, p, m),
			From:     squareName(v, m.From()),
			To:       squareName(v, m.To()),
			Captured: squareNames(v, m.Captured),
			Promotes: m.Promotes(),
		})
	}
	slices.SortFunc(answer.Moves, func(a, b listedMove) int { return strings.Compare(a.Notation, b.Notation) })
	return answer
}

// squareName returns a square as JSON has it.
func squareName(v *engine.Variant, s engine.Square) any {
	name := v.Board.Name(s)
	if n, err := strconv.Atoi(name); err == nil {
		return n
	}
	return name
}

// squareNames lists a set of squares by name.
func squareNames(v *engine.Variant, set uint64) []any {
	squares := v.Board.Squares()
	if !v.Board.Numeric {
		slices.SortFunc(squares, func(a, b engine.Square) int { return strings.Compare(v.Board.Name(a), v.Board.Name(b)) })
	}
	names := []any{}
	for _, s := range squares {
		if set&s.Bit() != 0 {
			names = append(names, squareName(v, s))
		}
	}
	return names
}
