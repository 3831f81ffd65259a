package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func analyseJSON(t *testing.T, stdin string, args ...string) analysis {
	t.Helper()
	out, err := execute(newAnalyseCommand(), stdin, append(args, "--json")...)
	if err != nil {
		t.Fatal(err)
	}
	var a analysis
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return a
}

// TestAnalyseLines protects that several lines begin with different moves, in
// the order of their scores, and that a proven win has win_in and no score.
func TestAnalyseLines(t *testing.T) {
	a := analyseJSON(t, "", "--variant", "russian", "W:WKb2:Bd4", "--depth", "4", "--lines", "9")
	if len(a.Lines) != 4 || a.LegalMoves != 4 || a.Termination != nil { // R11: e5, f6, g7, h8
		t.Fatalf("%+v", a)
	}
	for _, l := range a.Lines {
		if l.Score != nil || l.WinIn == nil || *l.WinIn != 1 || l.PV[0] != l.Move {
			t.Errorf("%+v", l)
		}
	}
	a = analyseJSON(t, "", "--variant", "croda", "--nodes", "2000", "--lines", "3")
	seen := map[string]bool{}
	for i, l := range a.Lines {
		if seen[l.Move] || l.Score == nil || l.WinIn != nil || i > 0 && *l.Score > *a.Lines[i-1].Score {
			t.Errorf("line %d: %+v", i+1, l)
		}
		seen[l.Move] = true
	}
	if len(seen) != 3 {
		t.Errorf("%v", seen)
	}
}

// TestAnalyseForced protects that a move without alternative is searched as
// deep as asked.
func TestAnalyseForced(t *testing.T) {
	a := analyseJSON(t, "", "--variant", "russian", "W:Wd4,a1,c1:BKc5,f2,e5,f6,h8,a7", "--depth", "5")
	if a.LegalMoves != 1 || a.Lines[0].Depth != 5 && a.Lines[0].WinIn == nil {
		t.Errorf("%+v", a)
	}
}

const analysePDN = `[GameType "25"]

1. c3-d4 d6-c5 2. b2-c3 *

[GameType "40"]
[FEN "W:WK47,36:BK4,6"]

1. 47-42 4-10 2. 42-47 10-4 3. 47-42 4-10 *

[GameType "25"]

1. c3-d4 d6-d5 *
`

// TestAnalysePDN protects which position of which game is taken, with the king
// runs that its moves make (F9: the king is bound after three).
func TestAnalysePDN(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.pdn")
	if err := os.WriteFile(path, []byte(analysePDN), 0o600); err != nil {
		t.Fatal(err)
	}
	a := analyseJSON(t, "", path, "--ply", "1", "--depth", "1")
	if want := "B:Wa1,a3,b2,c1,d2,d4,e1,e3,f2,g1,g3,h2:Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8"; a.FEN != want {
		t.Errorf("%s, want %s", a.FEN, want)
	}
	a = analyseJSON(t, analysePDN, "-", "--game", "2", "--depth", "1")
	if a.Variant != "frisian" || a.FEN != "W:W36,K42:B6,K10" || a.LegalMoves != 1 {
		t.Errorf("%+v", a)
	}
	for _, c := range []struct{ args, want string }{
		{path + " --game 4", "no game 4"},
		{path + " --ply 4", "3 plies, not 4"},
		{path + " --game 3", "ply 2"},
		{path + " --runs {}", "--runs"},
		{path + "x.pdn", "games.pdnx.pdn"},
		{"W:Wa1:Bh8", "no --variant"},
		{"nonsense --variant croda", "no file and no position"},
		{"W:Wa8:B --variant croda", "crowning rank"},
		{"W:Wa1:Bh8 --variant croda --ply 3", "--ply"},
		{"--variant croda --lines 0", "--lines 0"},
		{"--variant croda --nodes -1", "--nodes -1"},
		{"--variant croda --depth 65", "--depth 65"},
		{"--variant croda --time -1s", "--time -1s"},
		{"--variant croda --hash 5000", "--hash 5000"},
		{"--variant croda --weights /no/such", "no weights file"},
		{"--variant croda --profile x", "profile"},
		{"--variant chess", "chess"},
	} {
		_, err := execute(newAnalyseCommand(), "", strings.Fields(c.args)...)
		wantError(t, err, c.want)
	}
}

// TestAnalyseText protects what people read: the board with coordinates, the
// score in words, no line over 80 columns; and that a game that is over is said
// to be.
func TestAnalyseText(t *testing.T) {
	out, err := execute(newAnalyseCommand(), "", "--variant", "croda", "W:We2:Be3,f4,g5", "--depth", "3", "--ascii")
	want := ` 8  . . . . . . . .
 7  . . . . . . . .
 6  . . . . . . . .
 5  . . . . . . b .
 4  . . . . . b . .
 3  . . . . b . . .
 2  . . . . w . . .
 1  . . . . . . . .
    a b c d e f g h

White to move, 1 legal move

 1. wins in 1 ply  depth 1, `
	if err != nil || !strings.HasPrefix(out, want) || !strings.Contains(out, "\n    e2xg6\n") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = execute(newAnalyseCommand(), "", "--variant", "frisian", "--depth", "9", "--ascii", "--lines", "2")
	if err != nil || !strings.Contains(out, "46  w   w   w   w   w    50\n") {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if len(line) > columns+1 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	for fen, want := range map[string]string{"W:W:BK1": "no-moves", "W:WK28:BK4": "kings-1v1"} {
		out, err := execute(newAnalyseCommand(), "", "--variant", "frisian", fen)
		if err != nil || !strings.Contains(out, "over: "+want) {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
