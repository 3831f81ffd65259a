package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// perftRows runs perft with --json and reads its rows.
func perftRows(t *testing.T, args ...string) (rows []perftRow, moves map[string]uint64) {
	t.Helper()
	out, err := execute(newPerftCommand(), "", append(args, "--json")...)
	if err != nil {
		t.Fatal(err)
	}
	moves = map[string]uint64{}
	for line := range strings.Lines(out) {
		var row struct {
			perftRow
			Move string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Move != "" {
			moves[row.Move] = row.Nodes
			continue
		}
		if row.Seconds < 0 || !strings.Contains(line, `"seconds":`) {
			t.Errorf("row %s", line)
		}
		rows = append(rows, row.perftRow)
	}
	return rows, moves
}

// TestPerft protects one row a depth with known counts, with and without bulk
// counting.
func TestPerft(t *testing.T) {
	for _, bulk := range []string{"--bulk=true", "--bulk=false"} {
		rows, _ := perftRows(t, "--variant", "frisian", "--depth", "4", bulk)
		want := []uint64{9, 81, 658, 3874}
		if len(rows) != len(want) {
			t.Fatalf("%d rows", len(rows))
		}
		for i, n := range want {
			if rows[i].Depth != i+1 || rows[i].Nodes != n {
				t.Errorf("row %+v, want depth %d nodes %d", rows[i], i+1, n)
			}
		}
	}
}

// TestPerftPosition protects --fen and --runs: with the king blocked (F9) only
// the man moves.
func TestPerftPosition(t *testing.T) {
	args := []string{"--variant", "frisian", "--depth", "2", "--fen", "W:W36,K28:B5,K1"}
	free, _ := perftRows(t, args...)
	rows, _ := perftRows(t, append(args, "--runs", `{"W":[28,3]}`)...)
	if rows[0].Nodes != 1 || rows[1].Nodes != 4 || free[0].Nodes <= 1 {
		t.Errorf("blocked %+v, free %+v", rows, free)
	}
}

// TestPerftDivide protects that the root moves add up to the count and come in
// the order of their text.
func TestPerftDivide(t *testing.T) {
	rows, moves := perftRows(t, "--variant", "russian", "--depth", "4", "--divide")
	var sum uint64
	for _, n := range moves {
		sum += n
	}
	if len(moves) != 7 || sum != rows[3].Nodes || sum != 1469 {
		t.Errorf("%d moves add up to %d, want %d", len(moves), sum, rows[3].Nodes)
	}
	out, err := execute(newPerftCommand(), "", "--variant", "russian", "--depth", "1", "--divide")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 9 || !strings.HasPrefix(strings.TrimSpace(lines[0]), "depth") || lines[2] != "a3-b4 1" || lines[8] != "g3-h4 1" {
		t.Errorf("text:\n%s", out)
	}
}

// TestPerftBadInput protects the errors of the command line.
func TestPerftBadInput(t *testing.T) {
	for _, c := range []struct {
		args, want string
	}{
		{"--depth 3", `"variant" not set`},
		{"--variant croda", `"depth" not set`},
		{"--variant chess --depth 3", `unknown variant "chess"`},
		{"--variant croda --depth 0", "--depth 0"},
		{"--variant croda --depth 101", "--depth 101"},
		{"--variant croda --depth 1 --fen W:Wa8:B", "crowning rank"},
		{"--variant croda --depth 1 --runs {\"W\":[1,1]}", "no king runs"},
		{"--variant frisian --depth 1 --runs {", "king runs"},
		{"--variant croda --depth 1 extra", "extra"},
	} {
		_, err := execute(newPerftCommand(), "", strings.Fields(c.args)...)
		wantError(t, err, c.want)
	}
}
