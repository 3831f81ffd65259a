package notation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"

	"draughtlab/engine"
)

// FormatRuns writes the Frisian king runs of a position (F13) as JSON: for
// each side that has one the king's square and the number of its consecutive
// quiet moves, `{"W":[46,3],"B":[5,1]}`; `{}` if there is none.
func FormatRuns(v *engine.Variant, p *engine.Position) string {
	out := "{"
	for _, c := range []engine.Color{engine.White, engine.Black} {
		length, on := p.Run(c)
		if length == 0 {
			continue
		}
		if out != "{" {
			out += ","
		}
		out += fmt.Sprintf("%q:[%s,%d]", c, v.Board.Name(on), length)
	}
	return out + "}"
}

// MaxRun is the longest king run that ParseRuns takes.
const MaxRun = 100

// ParseRuns replaces the king runs of p by those that text gives in the form
// of FormatRuns; empty text, null and {} mean none. A run must be by a king that
// stands there. 3 moves and more, up to MaxRun, mean the same: the king is
// blocked (F9); a run that cannot bind, of 0 moves or of a side without men, is
// dropped. On error
// p is left as it was.
func ParseRuns(v *engine.Variant, p *engine.Position, text []byte) error {
	if err := parseRuns(v, p, text); err != nil {
		return fmt.Errorf("king runs %q: %w", clip(string(text)), err)
	}
	return nil
}

func parseRuns(v *engine.Variant, p *engine.Position, text []byte) error {
	q := *p
	q.ClearRuns()
	var runs struct{ W, B []int }
	if len(bytes.TrimSpace(text)) > 0 {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&runs); err != nil {
			const want = `want {"W":[square,moves],"B":[square,moves]}`
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return fmt.Errorf(want+", got %s", wrong.Value)
			}
			return fmt.Errorf(want+": %w", err)
		}
		if d.More() {
			return fmt.Errorf("something follows the closing brace")
		}
	}
	for c, run := range [2][]int{runs.W, runs.B} {
		if run == nil {
			continue
		}
		if len(run) != 2 || run[1] < 0 || run[1] > MaxRun {
			return fmt.Errorf("a run is [square, number of moves], 0 to %d moves", MaxRun)
		}
		if run[1] == 0 {
			continue
		}
		if !v.Board.Numeric {
			return fmt.Errorf("%s has no king runs", v.Name)
		}
		s, err := v.Board.Parse(strconv.Itoa(run[0]))
		if err != nil {
			return err
		}
		q.SetRun(engine.Color(c), uint8(min(run[1], 3)), s)
	}
	if err := v.Check(&q); err != nil {
		return err
	}
	unbind(&q)
	*p = q
	return nil
}

// unbind drops the run of a side that has no men: it is never bound (F9).
func unbind(p *engine.Position) {
	for _, c := range []engine.Color{engine.White, engine.Black} {
		if p.Men(c) == 0 {
			p.SetRun(c, 0, 0)
		}
	}
}

func squareOf(set uint64) engine.Square { return engine.Square(bits.TrailingZeros64(set)) }
