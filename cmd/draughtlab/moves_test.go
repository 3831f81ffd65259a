package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// TestMoves protects the exact lines that programs read.
func TestMoves(t *testing.T) {
	for _, c := range []struct{ variant, in, want string }{
		{"croda", `{"fen":"W:Wb6:Bb5,c6,b7."}`, `{"fen":"W:Wb6:Bb5,b7,c6","moves":[` +
			`{"notation":"b6xb4","from":"b6","to":"b4","captured":["b5"],"promotes":false},` +
			`{"notation":"b6xb8","from":"b6","to":"b8","captured":["b7"],"promotes":true},` +
			`{"notation":"b6xd6","from":"b6","to":"d6","captured":["c6"],"promotes":false}]}`},
		{
			"frisian", `{"fen":"W:W36,K28:B5","runs":{"W":[28,3]},"other":1}`,
			`{"fen":"W:W36,K28:B5","moves":[{"notation":"36-31","from":36,"to":31,"captured":[],"promotes":false}]}`,
		},
		{
			"frisian", `{"fen":"W:W36,K28:B5:H0:F1:+328+0"}`,
			`{"fen":"W:W36,K28:B5","moves":[{"notation":"36-31","from":36,"to":31,"captured":[],"promotes":false}]}`,
		},
		{"russian", `{"fen":"B:Wb2,c3,c5,d4,e5,g3,g5,g7:BKa1","runs":{}}`, `{"fen":"B:Wb2,c3,c5,d4,e5,g3,g5,g7:BKa1","moves":[]}`},
		{"russian", `{"fen":"W:W:B"}`, `{"fen":"W:W:B","moves":[]}`},
	} {
		for i, end := range []string{"", "\n", "\r\n"} {
			mark := []string{"", "\ufeff"}[i%2] // a byte order mark
			out, err := execute(newMovesCommand(), mark+c.in+end, "--variant", c.variant)
			if err != nil || out != c.want+"\n" {
				t.Errorf("%s: %v\n%s", c.in, err, cmp.Diff(c.want+"\n", out))
			}
		}
	}
}

// TestMovesBadLines protects that a bad line, a blank one too, gets its own
// answer, the others theirs, and the command fails at the end.
func TestMovesBadLines(t *testing.T) {
	in := strings.Join([]string{
		`{"fen":"W:Wa1:Bb4"}`, ``, `{"fen":`, `{}`, `{"fen":"W:Wb8:B"}`, `{"fen":"W:Wa1:B","runs":{"W":[1,1]}}`, `[]`, `null`,
		`{"fen":"` + strings.Repeat(" ", maxMovesLine) + `"}`, `{"fen":"W:Wa1:Bb4"} x`, `{"fen":"W:Wa1:Bb4"}`,
	}, "\n")
	out, err := execute(newMovesCommand(), in, "--variant", "russian")
	wantError(t, err, "9 of 11 lines")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 11 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for i, line := range lines {
		var answer struct {
			FEN, Error string
			Moves      []any
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
		if good := i == 0 || i == 10; good != (answer.Error == "") || good != (len(answer.Moves) == 1) {
			t.Errorf("line %d is answered %s", i+1, line)
		}
	}
	if strings.Contains(out, "struct") || strings.Contains(out, "Go value") {
		t.Errorf("Go types in\n%s", out)
	}
	if !strings.Contains(lines[8], "longer than") || !strings.Contains(lines[1], "line 2:") {
		t.Errorf("line 9 is answered %s, line 2 %s", lines[8], lines[1])
	}
}

// TestMovesInteractive protects that each answer comes before the next
// question.
func TestMovesInteractive(t *testing.T) {
	v, err := variants.ByName("croda")
	if err != nil {
		t.Fatal(err)
	}
	questions, in := io.Pipe()
	out, answers := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- answerMoves(v, questions, answers) }()
	r := bufio.NewReader(out)
	for range 3 {
		if _, err := io.WriteString(in, `{"fen":"W:Wa1:Bh8"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"fen":"W:Wa1:Bh8","moves":[{`) {
			t.Fatalf("%q %v", line, err)
		}
	}
	in.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestMovesVectors protects the shape and content of answers on the 7,059 test
// positions: the same moves, with the same squares, in the order of notation.
func TestMovesVectors(t *testing.T) {
	file, err := os.Open("../../engine/variants/testdata/moves.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*engine.Variant{}
	for _, v := range variants.All() {
		byName[v.Name] = v
	}
	rows := 0
	s := bufio.NewScanner(z)
	for s.Buffer(nil, 1<<22); s.Scan(); rows++ {
		var row struct {
			Variant string `json:"variant"`
			movesAnswer
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(row.Moves, func(a, b listedMove) int { return strings.Compare(a.Notation, b.Notation) })
		got, err := answerLine(byName[row.Variant], s.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(row.movesAnswer)
		if string(a) != string(b) {
			t.Errorf("%s:\n%s\nwant\n%s", row.FEN, a, b)
		}
	}
	if s.Err() != nil || rows != 7059 {
		t.Errorf("%d rows: %v", rows, s.Err())
	}
}

// TestMovesBadFlags protects the errors of the command line.
func TestMovesBadFlags(t *testing.T) {
	for line := range strings.Lines(newMovesCommand().Example) {
		if len(line) > columns+1 {
			t.Errorf("help: %d columns: %s", len(line)-1, line)
		}
	}
	_, err := execute(newMovesCommand(), "", "--variant", "chess")
	wantError(t, err, `unknown variant "chess"`, "croda")
	_, err = execute(newMovesCommand(), "")
	wantError(t, err, `"variant" not set`)
}
