package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine/endgame"
	"draughtlab/engine/variants"
)

// TestMain gives the endgame tables a cache of their own, so that no test
// depends on what the user has.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "draughtlab-command-*")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_CACHE_HOME", dir); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// Protects --tables of every command that has it from what it cannot be.
func TestTablesFlag(t *testing.T) {
	empty := t.TempDir()
	for _, command := range []string{
		"selfplay --variant russian --engine random --games 1 --out " + filepath.Join(empty, "run"),
		"match random random --variant russian --games 2",
		"analyse --variant russian --nodes 100",
		"play --variant russian",
		"hub --variant russian",
		"study --out " + filepath.Join(empty, "study"),
	} {
		for tables, want := range map[string]string{
			"4": "name a directory for larger ones", "1": "have 2 or 3 pieces", "-1": "have 2 or 3 pieces",
			empty: empty, "/no/such": "/no/such", "": "empty value",
		} {
			err := runRoot(append(strings.Fields(command), "--tables", tables)...)
			wantError(t, err, want)
		}
	}
	wantError(t, runRoot("selfplay", "--variant", "russian", "--nodes", "9", "--tables", "0", "--table-wins", "--out", empty), "but no tables")
}

// Protects a run with tables from a directory: the number of pieces is kept, the
// run goes on and can be made again and verified with them, and not without.
func TestSelfplayTables(t *testing.T) {
	dir := t.TempDir()
	tables, out, again := filepath.Join(dir, "tables"), filepath.Join(dir, "run"), filepath.Join(dir, "again")
	if err := os.Mkdir(tables, 0o755); err != nil {
		t.Fatal(err)
	}
	v, err := variants.ByName("russian")
	if err != nil {
		t.Fatal(err)
	}
	if err := endgame.Build(t.Context(), tables, v, endgame.Basic, 2, 2, nil); err != nil {
		t.Fatal(err)
	}
	play := []string{"selfplay", "--variant", "russian", "--engine", "random", "--games", "40", "--seed", "3", "--table-wins", "--out", out, "--tables"}
	if err := runRoot(append(play, tables)...); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(out, "config.json")
	text, err := os.ReadFile(config)
	if err != nil || !strings.Contains(string(text), `"table_pieces": 2`) || strings.Contains(string(text), dir) {
		t.Errorf("%s, %v", text, err)
	}
	// The directory grows; the run does not change.
	if err := endgame.Build(t.Context(), tables, v, endgame.Basic, 3, 2, nil); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		append(play, tables),
		append(play, "2"),
		{"verify", out},
		{"verify", out, "--tables", tables},
		{"selfplay", "--config", config, "--out", again, "--tables", tables},
		{"verify", again},
	} {
		if err := runRoot(command...); err != nil {
			t.Errorf("%q: %v", command, err)
		}
	}
	wantError(t, runRoot(append(play, "3")...), "table_pieces = 2, not 3")
	wantError(t, runRoot("selfplay", "--config", config, "--out", again, "--tables", "3"), "tables of 2 pieces")
	wantError(t, runRoot("verify", out, "--tables", filepath.Join(dir, "none")), "no such directory")
}

// Protects what analyse and play tell of an ending that the tables know: the
// result, the line to the end, and the end of a dead game.
func TestTablesForPeople(t *testing.T) {
	const won = "W:WKa1,Kc3:Ba7"
	out, err := execute(newAnalyseCommand(), "", "--variant", "russian", won, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var a analysis
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	if a.Table == nil || a.Table.Value != "win" || a.Table.Distance < 3 || len(a.Lines) != 1 || *a.Lines[0].WinIn != a.Table.Distance || len(a.Lines[0].PV) != a.Table.Distance {
		t.Errorf("%s", out)
	}
	out, err = execute(newAnalyseCommand(), "", "--variant", "russian", "W:WKa1,c3:BKh2", "--ascii")
	if err != nil {
		t.Fatal(err)
	}
	wantInOrder(t, out, "Endgame table: a draw", " 1. +0.00  depth 1, 1 nodes")
	out, err = execute(newAnalyseCommand(), "", "--variant", "russian", won, "--tables", "0", "--nodes", "500", "--json")
	if err != nil || !strings.Contains(out, `"table":null`) {
		t.Errorf("%s, %v", out, err)
	}
	wantInOrder(t, playScript(t, "1", "--variant", "russian", "--fen", "W:WKa1:BKh2"), "Draw: dead-draw (G7).", "The game is over")
	wantInOrder(t, playScript(t, "1", "--variant", "russian", "--fen", "W:WKa1:BKh2", "--tables", "0"), "1:a1-b2", "Black plays")
}
