package notation_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// vector is a row of the test positions, with the full text of every move.
type vector struct {
	Variant string          `json:"variant"`
	FEN     string          `json:"fen"`
	Runs    json.RawMessage `json:"runs"`
	Moves   []struct {
		Notation string `json:"notation"`
	} `json:"moves"`
}

// eachVector calls f with all test positions, read and with their moves.
func eachVector(t testing.TB, f func(v *engine.Variant, row vector, p engine.Position, legal []engine.Move)) {
	t.Helper()
	file, err := os.Open("../variants/testdata/moves.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<22)
	n := 0
	for ; s.Scan(); n++ {
		var row vector
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		v := byName(t, row.Variant)
		p, err := notation.ParseFEN(v, row.FEN)
		if err == nil {
			err = notation.ParseRuns(v, &p, row.Runs)
		}
		if err != nil {
			t.Fatal(err)
		}
		f(v, row, p, v.Generate(&p, nil))
	}
	if s.Err() != nil || n < 7000 {
		t.Fatalf("%d rows: %v", n, s.Err())
	}
}

// TestVectors protects the strict forms on 7,059 positions rich in captures:
// the FEN is written as it was read, FullMove gives the text of the vectors,
// and ParseMove finds every move again from its short and its full text.
func TestVectors(t *testing.T) {
	eachVector(t, func(v *engine.Variant, row vector, p engine.Position, legal []engine.Move) {
		if got := notation.FormatFEN(v, &p); got != row.FEN {
			t.Errorf("FEN %s is written as %s", row.FEN, got)
		}
		texts := map[string]bool{}
		for _, m := range row.Moves {
			texts[m.Notation] = true
		}
		shorts := map[string]bool{}
		for _, m := range legal {
			full, short := notation.FullMove(v, &p, m), notation.FormatMove(v, &p, m, legal)
			if !texts[full] {
				t.Errorf("%s: %s is not among the moves of the vectors", row.FEN, full)
			}
			if shorts[short] {
				t.Errorf("%s: two moves are written %s", row.FEN, short)
			}
			shorts[short] = true
			for _, text := range []string{full, short} {
				if got, err := notation.ParseMove(v, &p, legal, text); err != nil || !got.Same(m) {
					t.Errorf("%s: %s is read as %v, %v", row.FEN, text, got, err)
				}
			}
		}
	})
}

// TestHardPositions protects against captures with thousands of routes: the
// texts of all moves are found again, and quickly enough for a test.
func TestHardPositions(t *testing.T) {
	file, err := os.Open("../variants/testdata/perft_positions.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows map[string][]struct {
		FEN string `json:"fen"`
	}
	if err := json.NewDecoder(z).Decode(&rows); err != nil {
		t.Fatal(err)
	}
	for _, v := range variants.All() {
		if len(rows[v.Name]) == 0 {
			t.Errorf("no positions of %s", v.Name)
		}
		for _, row := range rows[v.Name] {
			p, err := notation.ParseFEN(v, row.FEN)
			if err != nil {
				t.Fatal(err)
			}
			legal := v.Generate(&p, nil)
			for _, m := range legal {
				text := notation.FormatMove(v, &p, m, legal)
				if got, err := notation.ParseMove(v, &p, legal, text); err != nil || !got.Same(m) {
					t.Errorf("%s: %s is read as %v, %v", row.FEN, text, got, err)
				}
			}
		}
	}
}

// TestRuns protects the form of king runs and their normal form.
func TestRuns(t *testing.T) {
	v := byName(t, "frisian")
	for _, c := range []struct{ fen, in, out string }{
		{"W:W36,K28:B5,K1", ``, `{}`},
		{"W:W36,K28:B5,K1", `null`, `{}`},
		{"W:W36,K28:B5,K1", ` {} `, `{}`},
		{"W:W36,K28:B5,K1", `{"B":[1,2],"W":[28,3]}`, `{"W":[28,3],"B":[1,2]}`},
		{"W:W36,K28:B5,K1", `{"W":[28,4]}`, `{"W":[28,3]}`}, // blocked is blocked
		{"W:W36,K28:B5,K1", `{"W":[28,100]}`, `{"W":[28,3]}`},
		{"W:W36,K28:B5,K1", `{"W":[28,300]}`, ""}, // not 44, and no run at all
		{"W:W36,K28:B5,K1", `{"W":[28,0]}`, `{}`},
		{"W:WK28:B5,K1", `{"W":[28,3]}`, `{}`}, // no men: not bound
		{"W:W36,K28:B5,K1", `{"W":[36,1]}`, ""},
		{"W:W36,K28:B5,K1", `{"W":[1,1]}`, ""},
		{"W:W36,K28:B5,K1", `{"W":[51,1]}`, ""},
		{"W:W36,K28:B5,K1", `{"W":[28,-1]}`, ""},
		{"W:W36,K28:B5,K1", `{"W":[28]}`, ""},
		{"W:W36,K28:B5,K1", `{"X":[28,1]}`, ""},
		{"W:W36,K28:B5,K1", `{"W":[28,1]}{`, ""},
		{"W:W36,K28:B5,K1", `[28,1]`, ""},
	} {
		p, err := notation.ParseFEN(v, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		before := p
		err = notation.ParseRuns(v, &p, []byte(c.in))
		if (err != nil) != (c.out == "") || err != nil && p != before || err == nil && notation.FormatRuns(v, &p) != c.out {
			t.Errorf("%s in %s: %s, %v; want %s", c.in, c.fen, notation.FormatRuns(v, &p), err, c.out)
		}
	}
	russian := byName(t, "russian")
	p := russian.Start
	if err := notation.ParseRuns(russian, &p, []byte(`{"W":[1,1]}`)); err == nil {
		t.Error("Russian draughts got a king run")
	}
}
