package notation

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Limits of what a Reader takes; more is a SyntaxError.
const (
	// MaxToken is the longest comment or tag value, in bytes.
	MaxToken = 64 << 10
	// MaxWord is the longest move, number or tag name, in bytes.
	MaxWord = 1 << 10
	// MaxMoves is the longest game, in plies.
	MaxMoves = 20_000
	// MaxGame is the largest game, in bytes of its tags and comments together.
	MaxGame = 4 << 20
)

// SyntaxError is a game that is no PDN. The Reader that returns it goes on
// with the game after it.
type SyntaxError struct {
	// Game is the number of the game in the text, Line the line of the fault,
	// both from 1.
	Game, Line int
	Fault      string
}

// Error names game, line and fault.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("game %d, line %d: %s", e.Game, e.Line, e.Fault)
}

// Reader reads the games of a PDN text one by one, holding one game in memory.
type Reader struct {
	in     *bufio.Reader
	line   int   // of the next byte, from 1
	column int   // bytes read of that line
	number int   // games returned
	ahead  bool  // token or err hold what comes next
	token  token // the next token
	err    error // or the error met on the way to it
	begun  bool  // the byte order mark has been looked for
	resync bool  // the last game was cut off: skip to the next one
	inTags bool  // it was cut off at a tag
	size   int   // bytes of tags and comments of the current game
}

// NewReader returns a Reader of r. The text may be UTF-8, with or without a
// byte order mark, or Latin-1; tags and comments that are not UTF-8 are taken
// as Latin-1.
func NewReader(r io.Reader) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 64<<10), line: 1}
}

// Next returns the next game, io.EOF after the last, a *SyntaxError for a game
// that cannot be read, or an error of the underlying reader.
func (r *Reader) Next() (*Game, error) {
	g := &Game{Number: r.number + 1}
	r.size = 0
	for {
		t, err := r.peek()
		if err != nil {
			return nil, r.fail(err)
		}
		if t.kind == tokenEOF && len(g.Tags)+len(g.Moves) == 0 {
			return nil, io.EOF
		}
		if t.kind == tokenEOF || t.kind == tokenTag && begins(g, t) {
			break
		}
		r.ahead = false
		if len(g.Tags)+len(g.Moves) == 0 {
			g.Line = t.line
		}
		done, err := r.add(g, t)
		if err != nil {
			return nil, r.fail(err)
		}
		if done && len(g.Tags)+len(g.Moves) > 0 {
			break
		}
		if done { // a result alone belongs to no game
			g.Result, g.Comment = "", ""
		}
	}
	trimUnrecorded(g)
	r.number++
	return g, nil
}

// begins reports whether a tag begins the next game: after a move, or where
// the tags of a game without moves are followed by those of another.
func begins(g *Game, t token) bool {
	if len(g.Moves) > 0 {
		return true
	}
	return g.hasTag(t.text) && (t.blank || t.text == "Event")
}

// trimUnrecorded takes the moves written as dashes off the end of a game.
func trimUnrecorded(g *Game) {
	for n := len(g.Moves); n > 0 && g.Moves[n-1].Text == "-"; n-- {
		g.Moves = g.Moves[:n-1]
		g.Unrecorded++
	}
}

// fail turns a fault into the error that Next returns.
func (r *Reader) fail(err error) error {
	fault, ok := err.(*SyntaxError)
	if !ok {
		return err
	}
	r.number++
	fault.Game = r.number
	if !r.ahead || r.err != nil || r.token.kind != tokenTag {
		r.ahead, r.resync = false, true
	}
	return fault
}

// fault makes the error for what was met on a line.
func fault(line int, format string, args ...any) error {
	return &SyntaxError{Line: line, Fault: fmt.Sprintf(format, args...)}
}

// add puts a token into the game and reports whether the game is complete.
func (r *Reader) add(g *Game, t token) (done bool, err error) {
	switch t.kind {
	case tokenTag:
		g.Tags = append(g.Tags, Tag{t.text, t.value})
		return false, r.count(t, len(t.text)+len(t.value))
	case tokenComment:
		at := &g.Comment
		if n := len(g.Moves); n > 0 {
			at = &g.Moves[n-1].Comment
		}
		*at = strings.Join(strings.Fields(*at+" "+t.text), " ")
		return false, r.count(t, len(t.text))
	case tokenOpen:
		return false, r.skipVariation(t)
	case tokenClose:
		return false, fault(t.line, "a variation is closed that was not opened")
	}
	text := withoutNumber(t.text)
	switch {
	case text == "" || text[0] == '$' || strings.Trim(text, "!?") == "":
		return false, nil // a number, a NAG, a mark
	case strings.Trim(text, "-") == "":
		text = "-"
	}
	if _, ok := parseResult(text); ok {
		if last, err := r.endsGame(text); err != nil || last {
			g.Result = text
			return true, err
		}
	}
	if len(g.Moves) == MaxMoves {
		return false, fault(t.line, "the game is longer than %d moves", MaxMoves)
	}
	g.Moves = append(g.Moves, MoveText{Text: text, Line: t.line})
	return false, nil
}

// count holds the tags and comments of a game to MaxGame.
func (r *Reader) count(t token, n int) error {
	if r.size += n; r.size > MaxGame {
		return fault(t.line, "tags and comments of the game are larger than %d bytes", MaxGame)
	}
	return nil
}

// withoutNumber takes a move number and its dots off a word: "12.34-30" is
// 34-30, "1...", "01." and "7" are nothing.
func withoutNumber(word string) string {
	rest := strings.TrimLeft(word, "0123456789")
	if rest == "" {
		return ""
	}
	if rest[0] == '.' {
		return strings.TrimLeft(rest, ".")
	}
	return word
}

// endsGame reports whether a word that looks like a result is one. "*" is;
// others (1-1 …) only where a game can end: before a tag, the first move of
// another game, or the end of the text.
func (r *Reader) endsGame(text string) (bool, error) {
	if text == "*" {
		return true, nil
	}
	t, err := r.peek()
	if err != nil {
		if _, ok := err.(*SyntaxError); ok {
			return true, nil // the fault is the next game's
		}
		return true, err
	}
	switch t.kind {
	case tokenWord:
		number := strings.TrimRight(t.text[:len(t.text)-len(withoutNumber(t.text))], ".")
		return strings.TrimLeft(number, "0") == "1" || t.text == text || t.text == "*", nil
	case tokenClose, tokenOpen:
		return false, nil
	}
	return true, nil
}

// skipVariation reads over a variation and those within it.
func (r *Reader) skipVariation(open token) error {
	for depth := 1; depth > 0; {
		t, err := r.peek()
		if err != nil {
			return err
		}
		switch t.kind {
		case tokenOpen:
			depth++
		case tokenClose:
			depth--
		case tokenEOF, tokenTag:
			return fault(open.line, "a variation is not closed")
		}
		r.ahead = false
	}
	return nil
}

// peek returns the next token without taking it: setting ahead to false does.
// An error stays until then, too.
func (r *Reader) peek() (token, error) {
	if !r.ahead {
		r.token, r.err = r.scan()
		r.ahead = true
	}
	return r.token, r.err
}
