package notation

import (
	"fmt"
	"strconv"
	"strings"

	"draughtlab/engine"
)

// FormatFEN writes a position in the strict form: side to move, White's and
// Black's pieces, of each side first the men and then the kings, each in the
// order of the square names ("W:Wa1,b2,Ka3:Bc3", "B:W31,K46:B5"). The rule
// state that FEN has no place for, king runs and clocks, is not in it; see
// FormatRuns.
func FormatFEN(v *engine.Variant, p *engine.Position) string {
	var b strings.Builder
	b.WriteString(p.Side().String())
	order := byName(v)
	for _, c := range []engine.Color{engine.White, engine.Black} {
		b.WriteString(":" + c.String())
		comma := ""
		list := func(set uint64, mark string) {
			for _, s := range order {
				if set&s.Bit() != 0 {
					b.WriteString(comma + mark + v.Board.Name(s))
					comma = ","
				}
			}
		}
		list(p.Men(c), "")
		list(p.Pieces[c]&p.Kings, "K")
	}
	return b.String()
}

// Setup is what a FEN says.
type Setup struct {
	// Position has its clocks at 0, and the king runs that the text gives.
	Position engine.Position
	// Ignored lists the parts of the text that were understood but have no
	// place in Position, in the order of the text.
	Ignored []string
}

// ParseFEN reads a position as ReadFEN does, dropping what ReadFEN ignores.
func ParseFEN(v *engine.Variant, text string) (engine.Position, error) {
	s, err := ReadFEN(v, text)
	return s.Position, err
}

// ReadFEN reads a position leniently; the package comment has the table of
// what it takes and what it refuses. An error names the text and the fault.
func ReadFEN(v *engine.Variant, text string) (Setup, error) {
	s, err := readFEN(v, text, v.Check)
	if err != nil {
		return Setup{}, fmt.Errorf("%s FEN %q: %w", v.Name, clip(text), err)
	}
	return s, nil
}

// ParseComposedFEN is ParseFEN for positions that need not come from a game:
// examples of captures have men of the side that is not to move on their
// crowning rank, to be taken.
func ParseComposedFEN(v *engine.Variant, text string) (engine.Position, error) {
	s, err := readFEN(v, text, func(p *engine.Position) error {
		q, them := *p, p.Side().Other()
		q.Pieces[them] &^= p.Men(them) & v.Board.Crown[them]
		return v.Check(&q)
	})
	if err != nil {
		return engine.Position{}, fmt.Errorf("%s FEN %q: %w", v.Name, clip(text), err)
	}
	return s.Position, nil
}

func readFEN(v *engine.Variant, text string, check func(*engine.Position) error) (Setup, error) {
	var out Setup
	compact, err := withoutBlanks(text)
	if err != nil {
		return out, err
	}
	fields := strings.Split(strings.TrimSuffix(compact, "."), ":")
	side, err := parseColor(fields[0])
	if err != nil {
		return out, fmt.Errorf("it must begin with the side to move, W or B: %w", err)
	}
	out.Position.SetSide(side)
	fields = fields[1:]
	if len(fields) >= 3 && fields[0] == side.String() && isList(fields[1]) && isList(fields[2]) {
		fields = fields[1:] // the turn was written twice
	}
	r := fenReader{squareReader: squareReader{v: v}, p: &out.Position}
	if err := r.lists(fields); err != nil {
		return out, err
	}
	var counters []string
	for _, f := range fields[2:] {
		switch {
		case isCounter(f):
			counters = append(counters, f)
		case len(f) > 1 && (f[0] == 'H' || f[0] == 'F') && strings.Trim(f[1:], "0123456789") == "":
			out.Ignored = append(out.Ignored, f)
		default:
			return out, fmt.Errorf("unknown field %q after the pieces", clip(f))
		}
	}
	if err := check(&out.Position); err != nil {
		return out, err
	}
	for _, f := range counters {
		if !readCounters(v, &out.Position, f) {
			out.Ignored = append(out.Ignored, f)
		}
	}
	return out, nil
}

// withoutBlanks removes blanks, which must not stand within a word: "3 1" is
// neither 31 nor two squares.
func withoutBlanks(text string) (string, error) {
	var b strings.Builder
	var last byte
	for _, word := range strings.Fields(text) {
		if isAlnum(last) && isAlnum(word[0]) {
			return "", fmt.Errorf("a blank stands before %q where a comma or a colon should", clip(word))
		}
		last = word[len(word)-1]
		b.WriteString(word)
	}
	return b.String(), nil
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func parseColor(s string) (engine.Color, error) {
	switch s {
	case "W", "w":
		return engine.White, nil
	case "B", "b":
		return engine.Black, nil
	}
	return 0, fmt.Errorf("%q is no side", clip(s))
}

func isList(field string) bool {
	return field != "" && (field[0] == 'W' || field[0] == 'B')
}

// fenReader reads the piece lists of one FEN.
type fenReader struct {
	squareReader
	p *engine.Position
}

// lists reads the first two fields, the pieces of both sides in any order.
func (r *fenReader) lists(fields []string) error {
	var seen [2]bool
	for i := range 2 {
		if i >= len(fields) {
			return fmt.Errorf("it needs two lists of pieces, W… and B…")
		}
		f := fields[i]
		if !isList(f) {
			return fmt.Errorf("%q is no list of pieces: a list begins with W or B, and no colon follows", clip(f))
		}
		c := engine.White
		if f[0] == 'B' {
			c = engine.Black
		}
		if seen[c] {
			return fmt.Errorf("two lists of pieces for %s", c)
		}
		seen[c] = true
		if f == "W" || f == "B" {
			continue
		}
		for _, piece := range strings.Split(f[1:], ",") {
			if err := r.piece(c, piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// piece reads one entry of a list: a square or a range of numbered squares,
// with K before it for kings.
func (r *fenReader) piece(c engine.Color, text string) error {
	name := text
	king := text != "" && (text[0] == 'K' || text[0] == 'k')
	if king {
		name = text[1:]
	}
	first, last, isRange := strings.Cut(name, "-")
	if _, err := r.v.Board.Parse(strings.ToLower(first)); err != nil && first != "" && strings.Contains("GP", first[:1]) {
		return fmt.Errorf("%q is a ghost, a piece captured but not yet lifted: give the position after the whole move", clip(text))
	}
	from, err := r.read(first)
	if err != nil {
		return err
	}
	if !isRange {
		return r.place(c, from, king)
	}
	to, err := r.read(last)
	if err != nil {
		return err
	}
	if !r.numeric && !r.v.Board.Numeric {
		return fmt.Errorf("%q: a range takes numbered squares", clip(text))
	}
	i, j := indexOf(numbers(r.v), from), indexOf(numbers(r.v), to)
	if i > j {
		return fmt.Errorf("%q is no range: it must rise", clip(text))
	}
	for _, s := range numbers(r.v)[i : j+1] {
		if err := r.place(c, s, king); err != nil {
			return err
		}
	}
	return nil
}

func indexOf(squares []engine.Square, s engine.Square) int {
	for i, t := range squares {
		if s == t {
			return i
		}
	}
	return -1
}

func (r *fenReader) place(c engine.Color, s engine.Square, king bool) error {
	if r.p.Occupied()&s.Bit() != 0 {
		return fmt.Errorf("square %s is given twice", r.v.Board.Name(s))
	}
	r.p.Pieces[c] |= s.Bit()
	if king {
		r.p.Kings |= s.Bit()
	}
	return nil
}

// isCounter reports whether a field has the form of lidraughts' counters of
// king moves, "+n+n": the number of moves, 0 to 3, and the king's square in
// two digits where the number is not 0 ("+302+0", "+337+0"; older "+2+0").
func isCounter(f string) bool {
	parts := strings.Split(f, "+")
	if len(parts) != 3 || parts[0] != "" {
		return false
	}
	for _, p := range parts[1:] {
		if p == "" || len(p) > 3 || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return true
}

// readCounters sets the king runs that a field of counters gives, and reports
// whether it could be done exactly. Writers differ in whose counter comes
// first, so a run goes to the side whose king stands on the square; without a
// square it is exact only if the position has a single king.
func readCounters(v *engine.Variant, p *engine.Position, f string) bool {
	if !v.Board.Numeric {
		return false
	}
	q := *p
	for _, part := range strings.Split(f, "+")[1:] {
		n := part[0] - '0'
		if n == 0 && strings.Trim(part, "0") == "" {
			continue
		}
		at := p.Kings
		if number, _ := strconv.Atoi(part[1:]); len(part) > 1 && number >= 1 && number <= len(numbers(v)) {
			at &= numbers(v)[number-1].Bit()
		} else if len(part) > 1 {
			return false
		}
		if n == 0 || n > 3 || at == 0 || at&(at-1) != 0 {
			return false
		}
		c := engine.White
		if at&p.Pieces[engine.Black] != 0 {
			c = engine.Black
		}
		if length, _ := q.Run(c); length != 0 {
			return false
		}
		q.SetRun(c, n, squareOf(at))
	}
	unbind(&q)
	*p = q
	return true
}

// clip shortens a text for an error message.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
