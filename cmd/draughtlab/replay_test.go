package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// execute runs one command in process and returns what it wrote to stdout. An
// error is what main turns into exit code 1.
func execute(cmd *cobra.Command, stdin string, args ...string) (string, error) {
	stdout, _, err := inProcess(cmd, stdin, args...)
	return stdout, err
}

// inProcess runs a command in this process.
func inProcess(cmd *cobra.Command, stdin string, args ...string) (stdout, stderr string, err error) {
	var out, log bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetErr(&log)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err = cmd.Execute()
	return out.String(), log.String(), err
}

// wantError protects one-line errors that name what is wrong.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not mention %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error has several lines: %q", err)
	}
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const goodGames = `[GameType "25"]
[Result "1-0"]

1. c3-d4 d6-c5 2. b2-c3 1-0

[GameType "40"]
[Result "1-1"]

1. 31-26 20-25 1-1

[GameType "croda"]
[Result "2-0"]
`

// TestReplay protects the counts of a file in which all is legal.
func TestReplay(t *testing.T) {
	path := writeFile(t, "good.pdn", goodGames)
	out, err := execute(newReplayCommand(), "", "--json", path)
	if err != nil {
		t.Fatal(err)
	}
	var got replayedFile
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	want := replayedFile{Type: "file", File: path, Games: 3, Plies: 5, WhiteWins: 1, Draws: 1, Unknown: 1, Empty: 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	out, err = execute(newReplayCommand(), goodGames, "-", path)
	const table = `                                       without past a
 games plies White draws Black unknown   moves   draw illegal unreadable
-
     3     5     1     1     0       1       1      0       0          0
`
	if err != nil || !strings.HasPrefix(out, table) || strings.Count(out, "\n") != 6 || !strings.Contains(out, "\n"+path+"\n") {
		t.Errorf("%v:\n%s", err, out)
	}
}

const badGames = `[GameType "25"]
1. c3-b4 d6-c5 2. g3-f4 *

[GameType "29"]
1. c3-d4 *

[GameType "25"]
[FEN "W:Wb8:Bb6"]
1. c3-d4 *

[GameType "25"]
1. c3-d4 (d6-c5 *

[GameType "25"]
1. c3-d4 *
`

// TestReplayFaults protects that every fault is told with file, line, game and,
// for a move, ply, text and reason, that the other games are counted, and that
// the command fails.
func TestReplayFaults(t *testing.T) {
	path := writeFile(t, "bad.pdn", badGames)
	out, err := execute(newReplayCommand(), "", path)
	wantError(t, err, "4 of 5 games")
	for _, want := range []string{
		path + `:2: game 1, ply 3: move "g3-f4" is not legal: a capture is due: b4xd6`,
		path + `:4: game 2: game type "29"`,
		path + `:7: game 3: russian FEN "W:Wb8:Bb6": W man on its crowning rank: b8`,
		path + `:12: game 4: a variation is not closed`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	out, err = execute(newReplayCommand(), "", "--json", path)
	wantError(t, err, "4 of 5 games")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var fault replayFault
	if err := json.Unmarshal([]byte(lines[0]), &fault); err != nil || len(lines) != 5 {
		t.Fatalf("%v: %d lines", err, len(lines))
	}
	if fault.Type != "illegal" || fault.Game != 1 || fault.Line != 2 || fault.Ply != 3 || fault.Move != "g3-f4" || fault.File != path {
		t.Errorf("%+v", fault)
	}
	var file replayedFile
	if err := json.Unmarshal([]byte(lines[4]), &file); err != nil || file.Games != 5 || file.Plies != 3 || file.Illegal != 1 || file.Bad != 3 {
		t.Errorf("%+v %v", file, err)
	}
}

// TestReplayVariant protects the flag that overrules the tags.
func TestReplayVariant(t *testing.T) {
	text := "[GameType \"29\"]\n1. c3-d4 d6-c5 *\n"
	if _, err := execute(newReplayCommand(), text, "--variant", "russian", "-"); err != nil {
		t.Error(err)
	}
	_, err := execute(newReplayCommand(), text, "-")
	wantError(t, err, "1 of 1 games")
}

// TestReplayBadInput protects the errors of a command line or a file that is
// wrong as a whole.
func TestReplayBadInput(t *testing.T) {
	empty := writeFile(t, "empty.pdn", "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"/nowhere/x.pdn"}, "/nowhere/x.pdn"},
		{[]string{empty}, "no game found"},
		{[]string{filepath.Dir(empty)}, filepath.Dir(empty)},
		{[]string{"--variant", "chess", empty}, `unknown variant "chess"`},
		{[]string{"--profile", "club", empty}, `unknown rule profile "club"`},
		{nil, "at least 1 arg"},
	} {
		_, err := execute(newReplayCommand(), "", c.args...)
		wantError(t, err, c.want)
	}
}
