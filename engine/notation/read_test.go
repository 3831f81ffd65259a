package notation_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"draughtlab/engine/notation"
)

// TestReadBytes protects what a text file cannot show well: line ends, the byte
// order mark, Latin-1.
func TestReadBytes(t *testing.T) {
	g := readAll(t, strings.NewReader("\xef\xbb\xbf[Event \"caf\xe9\"]\r\n[Site \"caf\u00e9\"]\r\n\r\n1. 32\xd728 {\xe9}\r\n*\r\n"))[0]
	if g.Tag("Event") != "café" || g.Tag("Site") != "café" || g.Moves[0].Text != "32×28" || g.Moves[0].Comment != "é" || g.Moves[0].Line != 4 {
		t.Errorf("%+v", g)
	}
	// Header-only games are told apart by the empty line, also with CRLF.
	if games := readAll(t, strings.NewReader("[A \"1\"]\r\n\r\n[A \"2\"]\r\n")); len(games) != 2 {
		t.Errorf("%d games", len(games))
	}
	_, err := notation.NewReader(strings.NewReader("\xff\xfe[\x00")).Next()
	if err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16: %v", err)
	}
}

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.at%len(e.text)]
		e.at++
	}
	return len(p), nil
}

// TestReadLimits protects the bounds on memory: a game without an end is a
// fault, not a full memory.
func TestReadLimits(t *testing.T) {
	for name, c := range map[string]struct{ head, rest, fault string }{
		"comment":   {"{", "x", "comment is longer"},
		"word":      {"", "x", "word is longer"},
		"tag value": {"[A \"", "x", "value of tag A is longer"},
		"tag name":  {"[", "x", "must have the form"},
		"moves":     {"", "c3-d4 ", "longer than 20000 moves"},
		"tags":      {"", "[A \"" + strings.Repeat("x", 60_000) + "\"]\n", "larger than"},
		"comments":  {"", "{" + strings.Repeat("x", 60_000) + "}\n", "larger than"},
		"nested":    {"", "(", "variation"},
	} {
		_, err := notation.NewReader(io.MultiReader(strings.NewReader(c.head), io.LimitReader(&endless{text: c.rest}, 8<<20))).Next()
		var syntax *notation.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadError protects that an error of the disk is told as such, and never
// taken for the end of the text.
func TestReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, text := range []string{"", "[Event \"x", "1. c3-d4", "1. c3-d4 {com", "1. c3-d4 1-0", "1. c3-d4 (", "[Event \"x\"]"} {
		r := notation.NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
		var err error
		for range 3 {
			if _, err = r.Next(); err != nil {
				break
			}
		}
		if !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
