package notation

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	tokenEOF     kind = iota
	tokenTag          // [Name "value"]
	tokenComment      // {…} or ; to the end of the line
	tokenOpen         // ( begins a variation
	tokenClose        // )
	tokenWord         // anything between blanks: move, number, result, mark
)

type token struct {
	kind  kind
	text  string // of a tag: its name
	value string // of a tag
	line  int
	blank bool // an empty line stands before it
}

// scan reads the next token.
func (r *Reader) scan() (token, error) {
	if err := r.skipMark(); err != nil {
		return token{}, err
	}
	if r.resync {
		if err := r.skipToGame(); err != nil && err != io.EOF {
			return token{}, err
		}
	}
	blank := false
	lineStart := r.column == 0
	for {
		c, err := r.read()
		if err == io.EOF {
			return token{kind: tokenEOF, line: r.line}, nil
		}
		if err != nil {
			return token{}, err
		}
		t := token{line: r.line, blank: blank}
		switch {
		case c == '\n':
			blank = blank || lineStart
			lineStart = true
			continue
		case c <= ' ':
			continue
		case c == '%' && r.column == 1: // a line for other programs
			if _, err = r.until('\n'); err == nil {
				lineStart = true
				continue
			}
		case c == ';':
			t.kind = tokenComment
			t.text, err = r.until('\n')
		case c == '{':
			t.kind = tokenComment
			t.text, err = r.until('}')
		case c == '(':
			t.kind = tokenOpen
		case c == ')':
			t.kind = tokenClose
		case c == '[':
			t.kind = tokenTag
			err = r.tag(&t)
			r.inTags = err != nil
		default:
			t.kind = tokenWord
			t.text, err = r.word(c)
		}
		t.text = latin1(t.text)
		return t, err
	}
}

// skipMark skips a byte order mark at the beginning and refuses UTF-16.
func (r *Reader) skipMark() error {
	if r.begun {
		return nil
	}
	r.begun = true
	head, _ := r.in.Peek(3)
	switch {
	case bytes.Equal(head, []byte("\xef\xbb\xbf")):
		_, err := r.in.Discard(3)
		return err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return fault(1, "the text is UTF-16: save it as UTF-8")
	}
	return nil
}

// skipToGame skips the rest of a game that cannot be read: up to a line that
// begins with a tag, behind a line of moves or naming the event.
func (r *Reader) skipToGame() error {
	const event = "[Event "
	moves := !r.inTags
	for {
		next, err := r.in.Peek(len(event))
		if len(next) == 0 {
			return err
		}
		if r.column == 0 && next[0] == '[' && (moves || string(next) == event) {
			r.resync = false
			return nil
		}
		moves = moves || r.column == 0 && next[0] > ' ' && next[0] != '['
		if _, err := r.read(); err != nil {
			return err
		}
	}
}

// read returns the next byte and keeps count of lines and columns.
func (r *Reader) read() (byte, error) {
	c, err := r.in.ReadByte()
	if err != nil {
		return 0, err
	}
	r.column++
	if c == '\n' {
		r.line++
		r.column = 0
	}
	return c, nil
}

// until reads up to the byte end, which is taken but not returned. A comment
// to the end of the line may also end with the text.
func (r *Reader) until(end byte) (string, error) {
	line := r.line
	var b strings.Builder
	for {
		c, err := r.read()
		switch {
		case err == io.EOF && end == '\n':
			return b.String(), nil
		case err == io.EOF:
			return "", fault(line, "a comment is not closed")
		case err != nil:
			return "", err
		case c == end:
			return b.String(), nil
		case b.Len() == MaxToken:
			return "", fault(line, "a comment is longer than %d bytes", MaxToken)
		}
		b.WriteByte(c)
	}
}

// word reads a word that begins with c: up to a blank or one of {};()[.
func (r *Reader) word(c byte) (string, error) {
	b := []byte{c}
	for {
		c, err := r.in.Peek(1)
		if err == io.EOF {
			return string(b), nil
		}
		if err != nil {
			return "", err
		}
		if c[0] <= ' ' || strings.IndexByte("{};()[", c[0]) >= 0 {
			return string(b), nil
		}
		if len(b) == MaxWord {
			return "", fault(r.line, "a word is longer than %d bytes", MaxWord)
		}
		b = append(b, c[0])
		if _, err := r.read(); err != nil {
			return "", err
		}
	}
}

// tag reads a tag behind its bracket into t. It must end on its line. In the
// value \" stands for a quote and \\ for a backslash; a quote that no bracket
// follows is part of the value.
func (r *Reader) tag(t *token) error {
	var b strings.Builder
	for {
		c, err := r.read()
		if err != nil || c == '\n' {
			return r.badTag(t, err)
		}
		if c == '"' {
			break
		}
		if b.Len() == MaxWord || c == ']' {
			return fault(t.line, "a tag must have the form [Name \"value\"]")
		}
		b.WriteByte(c)
	}
	t.text = strings.TrimSpace(b.String())
	if t.text == "" {
		return fault(t.line, "a tag has no name")
	}
	b.Reset()
	for {
		c, err := r.read()
		if err != nil || c == '\n' {
			return r.badTag(t, err)
		}
		if b.Len() == MaxToken {
			return fault(t.line, "the value of tag %s is longer than %d bytes", clip(t.text), MaxToken)
		}
		next, _ := r.in.Peek(1)
		switch {
		case c == '\\' && len(next) == 1 && (next[0] == '"' || next[0] == '\\'):
			if c, err = r.read(); err != nil {
				return err
			}
		case c == '"' && r.closesTag():
			t.value = latin1(b.String())
			return nil
		}
		b.WriteByte(c)
	}
}

// closesTag reads blanks and the bracket if nothing else follows.
func (r *Reader) closesTag() bool {
	const most = 64 // blanks before the bracket
	ahead, _ := r.in.Peek(most)
	rest := bytes.TrimLeft(ahead, " \t")
	if len(rest) == 0 || rest[0] != ']' {
		return false
	}
	n := len(ahead) - len(rest) + 1
	r.column += n
	_, err := r.in.Discard(n)
	return err == nil
}

// badTag returns the error for a tag cut off by the end of its line, of the
// text, or by err.
func (r *Reader) badTag(t *token, err error) error {
	if err != nil && err != io.EOF {
		return err
	}
	return fault(t.line, "a tag is not closed on its line")
}

// latin1 reads a text as Latin-1 unless it is UTF-8.
func latin1(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}
