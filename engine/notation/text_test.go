package notation_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// variantOf returns the game that a datadriven command names.
func variantOf(t testing.TB, d *datadriven.TestData) *engine.Variant {
	t.Helper()
	var name string
	d.ScanArgs(t.(*testing.T), "variant", &name)
	v, err := variants.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFEN protects the table of what FEN is read and refused: every line of
// the input is one FEN, every line of the output its strict form.
func TestFEN(t *testing.T) {
	datadriven.RunTest(t, "testdata/fen", func(t *testing.T, d *datadriven.TestData) string {
		v := variantOf(t, d)
		var out strings.Builder
		for line := range strings.Lines(d.Input) {
			s, err := notation.ReadFEN(v, strings.TrimSuffix(line, "\n"))
			if err != nil {
				fmt.Fprintln(&out, "error:", err)
				continue
			}
			out.WriteString(notation.FormatFEN(v, &s.Position))
			if runs := notation.FormatRuns(v, &s.Position); runs != "{}" {
				out.WriteString(" runs " + runs)
			}
			if len(s.Ignored) > 0 {
				out.WriteString(" ignored " + strings.Join(s.Ignored, " "))
			}
			out.WriteString("\n")
		}
		return out.String()
	})
}

// TestMove protects the table of what move text is read and refused: every
// line of the input is one text, every line of the output the move found.
func TestMove(t *testing.T) {
	var v *engine.Variant
	var p engine.Position
	datadriven.RunTest(t, "testdata/move", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		if d.Cmd == "position" {
			var err error
			v = variantOf(t, d)
			if p, err = notation.ParseFEN(v, d.Input); err != nil {
				return err.Error()
			}
		}
		legal := v.Generate(&p, nil)
		if d.Cmd == "position" {
			for _, m := range legal {
				fmt.Fprintf(&out, "%s = %s\n", notation.FormatMove(v, &p, m, legal), notation.FullMove(v, &p, m))
			}
			return out.String()
		}
		for line := range strings.Lines(d.Input) {
			m, err := notation.ParseMove(v, &p, legal, strings.TrimSuffix(line, "\n"))
			if err != nil {
				fmt.Fprintln(&out, "error:", err)
				continue
			}
			fmt.Fprintln(&out, notation.FullMove(v, &p, m))
		}
		return out.String()
	})
}

// TestRead protects the PDN reader and its line numbers: the output shows all
// that was read.
func TestRead(t *testing.T) {
	datadriven.RunTest(t, "testdata/read", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		r := notation.NewReader(strings.NewReader(d.Input))
		for {
			g, err := r.Next()
			if err == io.EOF {
				return out.String()
			}
			if err != nil {
				fmt.Fprintln(&out, "error:", err)
				if !errors.As(err, new(*notation.SyntaxError)) {
					return out.String()
				}
				continue
			}
			fmt.Fprintf(&out, "game %d, line %d", g.Number, g.Line)
			for _, tag := range g.Tags {
				fmt.Fprintf(&out, " %s=%q", tag.Name, tag.Value)
			}
			if g.Comment != "" {
				fmt.Fprintf(&out, " {%s}", g.Comment)
			}
			fmt.Fprintln(&out)
			for _, m := range g.Moves {
				fmt.Fprintf(&out, " %d:%s", m.Line, m.Text)
				if m.Comment != "" {
					fmt.Fprintf(&out, " {%s}", m.Comment)
				}
			}
			fmt.Fprintf(&out, " result %q, outcome %s", g.Result, g.Outcome())
			if g.Unrecorded > 0 {
				fmt.Fprintf(&out, ", unrecorded %d", g.Unrecorded)
			}
			fmt.Fprintln(&out)
		}
	})
}

// Protects composed examples of captures: the other side's men may stand on
// their crowning rank, those of the side to move may not.
func TestParseComposedFEN(t *testing.T) {
	v := byName(t, "frisian")
	p, err := notation.ParseComposedFEN(v, "W:W48:B47")
	if err != nil || notation.FormatFEN(v, &p) != "W:W48:B47" {
		t.Errorf("read as %s, error %v", notation.FormatFEN(v, &p), err)
	}
	if _, err := notation.ParseComposedFEN(v, "W:W4:B49"); err == nil {
		t.Error("a man of the side to move was read on its crowning rank")
	}
	if _, err := notation.ParseFEN(v, "W:W48:B47"); err == nil {
		t.Error("ParseFEN reads what no game comes to")
	}
}
