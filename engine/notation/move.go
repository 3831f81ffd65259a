package notation

import (
	"fmt"
	"slices"
	"strings"

	"draughtlab/engine"
)

// FormatMove writes a move in its shortest strict form: both ends with "-", or
// "x" for a capture ("c3-d4", "a3xc5"); the whole route if another of the
// legal moves has the same ends ("f8xh6xf4xd6xb4"). legal are all legal moves
// of p, m among them. ParseMove reads the same move from it.
func FormatMove(v *engine.Variant, p *engine.Position, m engine.Move, legal []engine.Move) string {
	return string(AppendMove(nil, v, p, m, legal))
}

// AppendMove appends the text of FormatMove to b. It allocates nothing while b
// has room, unless it must look for a route.
func AppendMove(b []byte, v *engine.Variant, p *engine.Position, m engine.Move, legal []engine.Move) []byte {
	if m.IsCapture() { // quiet moves with the same ends are one move
		for _, l := range legal {
			if l.From() == m.From() && l.To() == m.To() && !l.Same(m) {
				return appendRoute(b, v, v.Route(p, m), true)
			}
		}
	}
	ends := [2]engine.Square{m.From(), m.To()}
	return appendRoute(b, v, ends[:], m.IsCapture())
}

// FullMove writes a move with its whole route: every square on which it lands.
// Of several routes it takes the one of Variant.Route.
func FullMove(v *engine.Variant, p *engine.Position, m engine.Move) string {
	return string(appendRoute(nil, v, v.Route(p, m), m.IsCapture()))
}

func appendRoute(b []byte, v *engine.Variant, route []engine.Square, capture bool) []byte {
	separator := byte('-')
	if capture {
		separator = 'x'
	}
	for i, s := range route {
		if i > 0 {
			b = append(b, separator)
		}
		b = append(b, v.Board.Name(s)...)
	}
	return b
}

// ParseMove finds the move that text names among the legal moves of p. It
// reads leniently; the package comment has the table. The squares named must
// be landing squares of the move in that order, the first and the last being
// its ends. If they are the whole route of a legal move, it is that move; else
// exactly one legal move must fit.
func ParseMove(v *engine.Variant, p *engine.Position, legal []engine.Move, text string) (engine.Move, error) {
	named, capture, err := readRoute(v, text)
	if err != nil {
		return engine.Move{}, fmt.Errorf("move %q: %w", clip(text), err)
	}
	var fit []engine.Move
	for _, m := range legal {
		if m.From() != named[0] || m.To() != named[len(named)-1] || capture && !m.IsCapture() {
			continue
		}
		some, whole := visits(v, p, m, named)
		if whole {
			return m, nil
		}
		if some {
			fit = append(fit, m)
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		return engine.Move{}, fmt.Errorf("move %q is not legal%s", clip(text), why(v, p, legal, named, capture))
	}
	names := make([]string, len(fit))
	for i, m := range fit {
		names[i] = FullMove(v, p, m)
	}
	slices.Sort(names)
	return engine.Move{}, fmt.Errorf("move %q is ambiguous: %s", clip(text), some(names))
}

// maxRoutes is how many routes of one capture are compared with a text that
// names a part of one; positions from games have a few.
const maxRoutes = 1 << 18

// visits reports whether some route of m lands on the named squares in that
// order, and whether the named squares are the whole of a route.
func visits(v *engine.Variant, p *engine.Position, m engine.Move, named []engine.Square) (some, whole bool) {
	n := 0
	v.Routes(p, m, func(route []engine.Square) bool {
		n++
		whole = slices.Equal(route, named)
		some = some || subsequence(named, route)
		// With the ends alone the first route settles both: a route of two
		// squares captures one piece, and then all of them do.
		return !whole && n < maxRoutes && !(some && len(named) == 2)
	})
	return some, whole
}

// subsequence reports whether a is contained in b in that order, ends at ends.
func subsequence(a, b []engine.Square) bool {
	if len(a) > len(b) || a[0] != b[0] || a[len(a)-1] != b[len(b)-1] {
		return false
	}
	i := 1
	for _, s := range b[1 : len(b)-1] {
		if i < len(a)-1 && a[i] == s {
			i++
		}
	}
	return i == len(a)-1
}

// why tells what stands against a move that is not legal.
func why(v *engine.Variant, p *engine.Position, legal []engine.Move, named []engine.Square, capture bool) string {
	from := named[0]
	due := len(legal) > 0 && legal[0].IsCapture()
	switch {
	case len(legal) == 0:
		return ": the game is over, no move is legal"
	case p.Own()&from.Bit() == 0:
		return fmt.Sprintf(": %s has no piece on %s", p.Side(), v.Board.Name(from))
	case capture && !due:
		return ": there is nothing to capture"
	}
	var same []string
	for _, m := range legal {
		if m.From() == from {
			same = append(same, FormatMove(v, p, m, legal))
		}
	}
	if len(same) == 0 {
		for _, m := range legal {
			same = append(same, FormatMove(v, p, m, legal))
		}
	}
	slices.Sort(same)
	if due {
		return ": a capture is due: " + some(same)
	}
	return ": legal are " + some(same)
}

// some lists the first few names.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// separators between two squares; × also as the Latin-1 byte. Dashes of
// typesetting count as "-".
var separators = strings.NewReplacer("×", "x", "\xd7", "x", ":", "x", "*", "x", "X", "x", "–", "-", "−", "-")

// readRoute splits the text of a move into the squares it names, at least two,
// and tells whether a capture sign is among the separators. Hops written one by
// one ("42-22, 22-13, 13-24") become one route.
func readRoute(v *engine.Variant, text string) (route []engine.Square, capture bool, err error) {
	const longest = 400 // characters; 64 hops of two squares fit
	if len(text) > longest {
		return nil, false, fmt.Errorf("it is longer than %d characters", longest)
	}
	rest := separators.Replace(strings.TrimRight(strings.TrimSpace(text), "!?*+ "))
	r := squareReader{v: v}
	for gap := ""; ; {
		word := leadingSquare(rest)
		s, err := r.read(word)
		if err != nil {
			return nil, false, err
		}
		rest = rest[len(word):]
		hop := gap == "," || gap == " "
		switch {
		case hop && s != route[len(route)-1]:
			return nil, false, fmt.Errorf("the hops do not join at %s", v.Board.Name(s))
		case !hop:
			route = append(route, s)
		}
		if rest == "" {
			break
		}
		if gap, rest, err = leadingGap(rest); err != nil {
			return nil, false, err
		}
		capture = capture || gap == "x"
	}
	if len(route) < 2 {
		return nil, false, fmt.Errorf("it names one square only")
	}
	return route, capture, nil
}

// leadingSquare returns the beginning of s that may be the name of a square: a
// letter and digits up to the next letter, or digits alone.
func leadingSquare(s string) string {
	n := 0
	if n < len(s) && (s[n]|0x20) >= 'a' && (s[n]|0x20) <= 'w' {
		n++
	}
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}

// leadingGap returns what separates two squares, "-", "x", "" (nothing), or
// " " or "," between two hops, and the text from the next square on.
func leadingGap(s string) (gap, rest string, err error) {
	rest = strings.TrimLeft(s, "-x, ")
	blanks := s[:len(s)-len(rest)]
	gap = strings.ReplaceAll(blanks, " ", "")
	switch {
	case rest == "" || len(gap) > 1:
		return "", "", fmt.Errorf("%q separates no squares", clip(blanks))
	case gap == "" && blanks != "":
		gap = " "
	}
	return gap, rest, nil
}
