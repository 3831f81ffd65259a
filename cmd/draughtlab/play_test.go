package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// playScript plays the lines on a pipe and returns what the person sees.
func playScript(t *testing.T, script string, args ...string) string {
	t.Helper()
	out, err := execute(newPlayCommand(), script, append(args, "--ascii", "--nodes", "200")...)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		if len(line) > columns+1 && !strings.HasPrefix(line, "> W:") && !strings.Contains(line, "/") {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	return out
}

// wantInOrder protects that the parts are seen in that order.
func wantInOrder(t *testing.T, out string, parts ...string) {
	t.Helper()
	rest := out
	for _, p := range parts {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			t.Errorf("no %q in its place in\n%s", p, out)
			return
		}
		rest = after
	}
}

// TestPlayCommands protects each thing a person may type, right and wrong, and
// that a saved game replays.
func TestPlayCommands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.pdn")
	out := playScript(t, strings.Join([]string{
		"help", "", "fen", "99", "0", "c3-c5", "c3d4", "undo", "undo", "hint", "1", "save " + path, "save " + path, "save",
		"save /no/such/dir/x.pdn", "board", strings.Repeat("x", 5000), "resign", "resign", "hint", "1", "undo", "quit", "1",
	}, "\n"), "--variant", "russian")
	wantInOrder(t, out, "you are White", " 8    b   b   b   b", "    a b c d e f g h", "1:", "a3-b4",
		"save FILE", "W:Wa1", "no move number 99", "no move number 0", `"c3-c5"`, "Black plays",
		"There is no move of yours", "(depth", "Black plays", "Saved as "+path, "exists", "name a file", "Not saved", "too long",
		"Black wins: White resigned", "over already", "The game is over", "type save FILE", "1:")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	g, err := notation.NewReader(file).Next()
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.Variant()
	if err != nil {
		t.Fatal(err)
	}
	r, err := notation.Replay(v, engine.Basic, g)
	if err != nil || r.Illegal != nil || len(r.Moves) != 2 || g.Tag("White") != "person" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestPlayEnds protects how the end of a game is told, with its article, and
// that the last move can be taken back; and the engine's first move.
func TestPlayEnds(t *testing.T) {
	for _, c := range []struct {
		script string
		args   string
		parts  []string
	}{
		{"e2xg6\nundo\n1", "--variant croda --fen W:We2:Be3,f4,g5", []string{"1:e2xg6", "White wins: Black has no legal move (G3).", "1:e2xg6", "White wins"}},
		{"", "--variant croda --fen W:We2:Be3,f4,g5 --side black", []string{"White plays e2xg6  (wins in 1 ply", "White wins: Black has no legal move (G3)."}},
		{"1\nundo", "--variant frisian --fen W:W:BK1", []string{"Black wins: White has no legal move (G3).", "type save", "no move of yours"}},
		{"1", "--variant frisian --fen W:WK28:BK4", []string{"Draw: kings-1v1 (F10).", "The game is over"}},
		{"1", "--variant frisian --profile federation --fen W:WK28:BK4", []string{"Draw: kings-1v1 (F11)."}},
	} {
		wantInOrder(t, playScript(t, c.script, strings.Fields(c.args)...), c.parts...)
	}
}

// TestPlaySaved protects the tags of a saved game: its draw rules, and how it
// ended if it did; that one without moves, which has no result in PDN, is not
// saved as if it had been broken off; and the line end behind quit.
func TestPlaySaved(t *testing.T) {
	for _, c := range []struct {
		script, args string
		want, not    string
	}{
		{"1\nresign", "--variant croda --profile federation", `[Profile "federation"]|[Termination "resignation"]|[Result "0-1"]`, ""},
		{"1", "--variant croda", `[Profile "basic"]|[Result "*"]`, "Termination"},
		{"1", "--variant croda --fen W:We2:Be3,f4,g5", `[Termination "no-moves"]|[Result "1-0"]`, ""},
		{"", "--variant croda", `[Result "*"]`, "Termination"},
		{"resign", "--variant croda", "", ""},
		{"", "--variant frisian --fen W:WK28:BK4", "", ""},
	} {
		path := filepath.Join(t.TempDir(), "game.pdn")
		out := playScript(t, c.script+"\nsave "+path+"\nquit\n", strings.Fields(c.args)...)
		if !strings.HasSuffix(out, "> \n") {
			t.Errorf("%s: no line end after quit: %q", c.args, out[len(out)-20:])
		}
		text, err := os.ReadFile(path)
		if c.want == "" {
			if err == nil || !strings.Contains(out, "Not saved: no move was made") {
				t.Errorf("%s: %v: %s%s", c.args, err, text, out)
			}
			continue
		}
		wantInOrder(t, string(text), strings.Split(c.want, "|")...)
		if c.not != "" && strings.Contains(string(text), c.not) {
			t.Errorf("%s: %q in\n%s", c.args, c.not, text)
		}
	}
}

// TestPlayWholeGames protects that the first legal move again and again makes a
// whole game in each of the three, for both sides.
func TestPlayWholeGames(t *testing.T) {
	for _, name := range variants.Names() {
		for _, side := range []string{"white", "black"} {
			out := playScript(t, strings.Repeat("1\n", 400), "--variant", name, "--side", side)
			if !strings.Contains(out, " wins: ") && !strings.Contains(out, "Draw: ") {
				t.Errorf("%s as %s does not end:\n%s", name, side, out[max(0, len(out)-1500):])
			}
		}
	}
}

// TestPlayBadInput protects the errors of the command line.
func TestPlayBadInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", `"variant" not set`},
		{"--variant chess", "chess"},
		{"--variant croda --side red", "red"},
		{"--variant croda --fen W:Wa8:B", "crowning rank"},
		{"--variant croda --nodes -5", "--nodes -5"},
		{"--variant croda --weights /no/such", "no weights file"},
		{"--variant croda extra", "extra"},
	} {
		_, err := execute(newPlayCommand(), "", strings.Fields(c.args)...)
		wantError(t, err, c.want)
	}
}

// TestBoardSides protects that each side can sit at the bottom, and that
// draughtsmen are drawn only where the locale is UTF-8.
func TestBoardSides(t *testing.T) {
	v, err := variants.ByName("russian")
	if err != nil {
		t.Fatal(err)
	}
	p, err := notation.ParseFEN(v, "W:Wa1,Kc3:Bb8,Kh8")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LC_ALL", "C")
	white := drawBoard(v, &p, engine.White, signsFor(false))
	black := drawBoard(v, &p, engine.Black, signsFor(false))
	wantInOrder(t, white, " 8    b   .   .   B\n", " 3  .   W", " 1  w", "a b c d e f g h\n")
	wantInOrder(t, black, " 1    .   .   .   w\n", "W", " 8  B   .   .   b", "h g f e d c b a\n")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	wantInOrder(t, drawBoard(v, &p, engine.White, signsFor(false)), "⛂", "⛃", "⛁", "⛀")
	if got := drawBoard(v, &p, engine.White, signsFor(true)); got != white {
		t.Errorf("--ascii draws\n%s", got)
	}
}
