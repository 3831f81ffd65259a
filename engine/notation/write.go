package notation

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"draughtlab/engine"
)

// lineWidth is the longest line of moves the writer makes, in characters. Only
// a single word of a comment can be longer.
const lineWidth = 80

// NewGame makes the Game of moves played from start: its moves in strict text,
// its result, and the tags GameType, FEN and Runs (where start is not the start
// of the game) and Result behind those given, which must not be among them. It
// fails, naming the ply, if a move is not legal.
func NewGame(v *engine.Variant, start engine.Position, moves []engine.Move, o engine.Outcome, tags ...Tag) (*Game, error) {
	g := &Game{Tags: append([]Tag(nil), tags...), Result: o.String()}
	g.Tags = append(g.Tags, Tag{"GameType", GameType(v)}, Tag{"Result", g.Result})
	if fen := FormatFEN(v, &start); fen != FormatFEN(v, &v.Start) {
		g.Tags = append(g.Tags, Tag{"FEN", fen})
		if start.HasRuns() {
			g.Tags = append(g.Tags, Tag{"Runs", FormatRuns(v, &start)})
		}
	}
	p := start
	var legal []engine.Move
	for i, m := range moves {
		legal = v.Generate(&p, legal[:0])
		found := false
		for _, l := range legal {
			if found = l.Same(m); found {
				m = l
				break
			}
		}
		if !found {
			return nil, fmt.Errorf("ply %d: the move from %s to %s is not legal in %s", i+1, v.Board.Name(m.From()), v.Board.Name(m.To()), FormatFEN(v, &p))
		}
		g.Moves = append(g.Moves, MoveText{Text: FormatMove(v, &p, m, legal)})
		p = p.Make(m)
	}
	return g, nil
}

// Write writes a game in strict PDN: one tag a line, an empty line, the moves
// with their numbers in lines of at most 80 characters, the result, an empty
// line. The result is that of Outcome, and the Result tag, which is added where
// it is missing, says the same. A Reader reads the same game back; Write fails
// on what PDN cannot express: a tag name that is no word, a line break in a tag,
// a closing brace in a comment, a move that is no move, text that is not UTF-8.
// Moves that were not recorded are left out.
func Write(w io.Writer, g *Game) error {
	out := bufio.NewWriter(w)
	result := g.Outcome().String()
	if err := writeTags(out, g, result); err != nil {
		return err
	}
	var l lines
	if err := l.comment(g.Comment); err != nil {
		return err
	}
	number, black := 1, startsBlack(g)
	for i, m := range g.Moves {
		if !isMove(m.Text) {
			return fmt.Errorf("ply %d: %q is no move", i+1, clip(m.Text))
		}
		text := m.Text
		switch {
		case !black:
			text = fmt.Sprintf("%d. %s", number, m.Text)
		case i == 0 || g.Moves[i-1].Comment != "":
			text = fmt.Sprintf("%d... %s", number, m.Text)
		}
		l.add(text)
		if err := l.comment(m.Comment); err != nil {
			return fmt.Errorf("ply %d: %w", i+1, err)
		}
		if black {
			number++
		}
		black = !black
	}
	l.add(result)
	out.WriteString(l.text.String() + "\n\n")
	return out.Flush()
}

func writeTags(out *bufio.Writer, g *Game, result string) error {
	tags := g.Tags
	if !g.hasTag("Result") {
		tags = append(tags[:len(tags):len(tags)], Tag{Name: "Result"})
	}
	seen := map[string]bool{}
	for _, t := range tags {
		if t.Name == "" || strings.ContainsFunc(t.Name, func(c rune) bool {
			return c != '_' && (c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c))
		}) {
			return fmt.Errorf("%q is no name of a tag", clip(t.Name))
		}
		if strings.ContainsFunc(t.Value, unicode.IsControl) || !utf8.ValidString(t.Value) || len(t.Value) > MaxToken/2 {
			return fmt.Errorf("tag %s: the value has control characters, is not UTF-8 or is too long: %q", t.Name, clip(t.Value))
		}
		if seen[t.Name] {
			return fmt.Errorf("tag %s is given twice", t.Name)
		}
		seen[t.Name] = true
		if t.Name == "Result" {
			t.Value = result
		}
		fmt.Fprintf(out, "[%s \"%s\"]\n", t.Name, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(t.Value))
	}
	_, err := out.WriteString("\n")
	return err
}

// startsBlack reports whether the first move is Black's: PDN numbers the moves
// by the FEN tag.
func startsBlack(g *Game) bool {
	c, err := parseColor(strings.TrimSpace(strings.SplitN(g.Tag("FEN"), ":", 2)[0]))
	return err == nil && c == engine.Black
}

// isMove reports whether a Reader takes the word as a move.
func isMove(word string) bool {
	if word == "" || len(word) > MaxWord || !utf8.ValidString(word) || strings.ContainsAny(word, "{};()[%$") ||
		strings.ContainsFunc(word, unicode.IsControl) || strings.ContainsFunc(word, unicode.IsSpace) {
		return false
	}
	_, result := parseResult(word)
	return !result && withoutNumber(word) == word && strings.Trim(word, "!?") != ""
}

// lines fills lines with words.
type lines struct {
	text  strings.Builder
	width int
}

// add writes words, which may stand on two lines.
func (l *lines) add(words string) {
	for _, w := range strings.Fields(words) {
		n := len([]rune(w))
		switch {
		case l.width == 0:
		case l.width+1+n > lineWidth:
			l.text.WriteByte('\n')
			l.width = 0
		default:
			l.text.WriteByte(' ')
			l.width++
		}
		l.text.WriteString(w)
		l.width += n
	}
}

// comment writes a comment in braces, if there is one.
func (l *lines) comment(s string) error {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	if strings.Contains(s, "}") || !utf8.ValidString(s) || len(s) > MaxToken/2 {
		return fmt.Errorf("a comment has a closing brace, is not UTF-8 or is too long: %q", clip(s))
	}
	l.add("{" + strings.Join(strings.Fields(s), " ") + "}")
	return nil
}
