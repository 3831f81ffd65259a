package variants_test

import (
	"fmt"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// readFEN reads a strict FEN (G9): side to move, White's pieces, Black's. It
// is written for these tests alone, so that they do not lean on the package
// that reads what people type.
func readFEN(v *engine.Variant, fen string) (engine.Position, error) {
	p, err := parseFEN(v, fen)
	if err != nil {
		return p, err
	}
	return p, v.Check(&p)
}

// parseFEN is readFEN without the check for positions that cannot be.
func parseFEN(v *engine.Variant, fen string) (engine.Position, error) {
	var p engine.Position
	part := strings.Split(fen, ":")
	if len(part) != 3 || !strings.HasPrefix(part[1], "W") || !strings.HasPrefix(part[2], "B") {
		return p, fmt.Errorf("FEN %q: want side:W…:B…", fen)
	}
	switch part[0] {
	case "W":
	case "B":
		p.SetSide(engine.Black)
	default:
		return p, fmt.Errorf("FEN %q: no side to move", fen)
	}
	for c, list := range part[1:] {
		if list = list[1:]; list == "" {
			continue
		}
		for _, name := range strings.Split(list, ",") {
			square, err := v.Board.Parse(strings.TrimPrefix(name, "K"))
			if err != nil {
				return p, fmt.Errorf("FEN %q: %w", fen, err)
			}
			if p.Occupied()&square.Bit() != 0 {
				return p, fmt.Errorf("FEN %q: two pieces on %s", fen, name)
			}
			p.Pieces[c] |= square.Bit()
			if strings.HasPrefix(name, "K") {
				p.Kings |= square.Bit()
			}
		}
	}
	return p, nil
}

// mustFEN is readFEN for texts of our own.
func mustFEN(t testing.TB, v *engine.Variant, fen string) engine.Position {
	t.Helper()
	p, err := readFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// writeFEN is the inverse of readFEN, for failure messages; it shows Frisian
// king runs behind the FEN.
func writeFEN(v *engine.Variant, p *engine.Position) string {
	out := p.Side().String()
	for c := range p.Pieces {
		var names []string
		for _, s := range v.Board.Squares() {
			if p.Pieces[c]&s.Bit() != 0 {
				name := v.Board.Name(s)
				if p.Kings&s.Bit() != 0 {
					name = "K" + name
				}
				names = append(names, name)
			}
		}
		out += ":" + engine.Color(c).String() + strings.Join(names, ",")
	}
	for c := range engine.Color(2) {
		if n, on := p.Run(c); n != 0 {
			out += fmt.Sprintf(" run %s=%s:%d", c, v.Board.Name(on), n)
		}
	}
	return out
}

// byName returns a game by its name.
func byName(t testing.TB, name string) *engine.Variant {
	t.Helper()
	v, err := variants.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// legal returns the moves of the fast generator.
func legal(v *engine.Variant, p *engine.Position) []engine.Move { return v.Generate(p, nil) }

// text writes a move as the vectors do: every square of its first route.
func text(v *engine.Variant, p *engine.Position, m engine.Move) string {
	var names []string
	for _, s := range v.Route(p, m) {
		names = append(names, v.Board.Name(s))
	}
	if m.IsCapture() {
		return strings.Join(names, "x")
	}
	return strings.Join(names, "-")
}

// TestReadFEN protects the tests themselves: a reader that lets faults pass
// would make the vectors say nothing.
func TestReadFEN(t *testing.T) {
	frisian := byName(t, "frisian")
	for _, fen := range []string{
		"", "W:W1", "X:W31:B5", "W:B31:W5", "W:W31,:B5", "W:W51:B5", "W:W31:B31", "W:WK31,31:B5", "W:W1:B5", "W:W31:B46",
	} {
		if p, err := readFEN(frisian, fen); err == nil {
			t.Errorf("%q was read as %s", fen, writeFEN(frisian, &p))
		}
	}
	for _, fen := range []string{"B:W31,K46:B5", "B:W50:B", "W:W:BK5"} {
		p := mustFEN(t, frisian, fen)
		if got := writeFEN(frisian, &p); got != fen {
			t.Errorf("%q came back as %q", fen, got)
		}
	}
}
