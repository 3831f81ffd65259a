package notation_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// FuzzFEN protects that no text makes the reader panic, and that what it
// accepts it reads the same from its own strict form.
func FuzzFEN(f *testing.F) {
	for _, s := range []string{"W:W31-50:B1-20", "B:Wa1,Kb2:BKh8", "W:W:W1:B2", "W:WK37,18:BK35:H0:F30:+337+0", "W:W21-32:B1-12."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range variants.All() {
			p, err := notation.ParseFEN(v, text)
			if err != nil {
				continue
			}
			if err := v.Check(&p); err != nil {
				t.Fatalf("%q is read as an impossible position: %v", text, err)
			}
			strict := notation.FormatFEN(v, &p)
			again, err := notation.ReadFEN(v, strict)
			if err == nil {
				err = notation.ParseRuns(v, &again.Position, []byte(notation.FormatRuns(v, &p)))
			}
			if err != nil || again.Position != p || len(again.Ignored) > 0 || notation.FormatFEN(v, &again.Position) != strict {
				t.Fatalf("%q is read as %s, and that as %+v, %v", text, strict, again, err)
			}
		}
	})
}

// FuzzMove protects that no text makes ParseMove panic or find a move that is
// not legal.
func FuzzMove(f *testing.F) {
	for _, s := range []string{"c3-d4", "31-26", "a3xc5!", "42-22, 22-13", "d2xf4xd6xa3", "*", "x", "1,1"} {
		f.Add("W:WKd2:Bf6,c5,e5,e3", s)
	}
	f.Fuzz(func(t *testing.T, fen, text string) {
		for _, v := range variants.All() {
			p, err := notation.ParseFEN(v, fen)
			if err != nil {
				p = v.Start
			}
			legal := v.Generate(&p, nil)
			m, err := notation.ParseMove(v, &p, legal, text)
			if err != nil {
				continue
			}
			back, err := notation.ParseMove(v, &p, legal, notation.FormatMove(v, &p, m, legal))
			if err != nil || !back.Same(m) {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}

// FuzzPDN protects that no text makes the reader panic or run on without an
// end, and that every game it reads can be written and read again the same,
// unless Write refuses it.
func FuzzPDN(f *testing.F) {
	f.Add([]byte("[Event \"x\"]\n\n1. c3-d4 {a} d6-c5 (2. x) 1-0\n"))
	f.Add([]byte("1. - - 2. 1-1 1-1 *"))
	f.Add([]byte("[A \"\\\"\"][B \"x\"]\n%\n;\n$1 ! ... 3. * ( ) {"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := notation.NewReader(bytes.NewReader(text))
		for range len(text) + 2 {
			g, err := r.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				continue
			}
			for _, v := range variants.All() {
				if _, err := notation.Replay(v, engine.Federation, g); err != nil && !strings.Contains(err.Error(), "FEN") && !strings.Contains(err.Error(), "king runs") {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			if notation.Write(&out, g) != nil {
				continue
			}
			back, err := notation.NewReader(bytes.NewReader(out.Bytes())).Next()
			if err != nil {
				t.Fatalf("%v in our own text:\n%s", err, out.Bytes())
			}
			compareGames(t, g, back, out.String())
		}
		t.Fatal("the reader does not come to an end")
	})
}

func compareGames(t *testing.T, want, got *notation.Game, text string) {
	t.Helper()
	same := want.Comment == got.Comment && len(want.Moves) == len(got.Moves) && want.Outcome() == got.Outcome()
	for i := range want.Moves {
		same = same && want.Moves[i].Text == got.Moves[i].Text && want.Moves[i].Comment == got.Moves[i].Comment
	}
	for _, tag := range want.Tags {
		same = same && (tag.Name == "Result" || got.Tag(tag.Name) == tag.Value)
	}
	if !same {
		t.Fatalf("%+v is read back as %+v from\n%s", want, got, text)
	}
}
