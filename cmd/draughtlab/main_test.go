package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runRoot executes a command line with the whole tree.
func runRoot(args ...string) error {
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetIn(strings.NewReader(""))
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	return cmd.Execute()
}

// TestCommandLine protects command lines that cannot be meant: each is an error
// of one line that says what to give, not the text of a Go parser.
func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{""}, `unknown command ""`},
		{[]string{"stat"}, "did you mean stats or status?"},
		{[]string{"help", "foo"}, `unknown command "foo"`},
		{[]string{"help", "stats", "foo"}, `unknown command "foo"`},
		{[]string{"completion", "foo"}, `unknown command "foo"`},
		{[]string{"selfplay", "extra"}, `"extra"`},
		{[]string{"stats"}, "use draughtlab stats DIR"},
		{[]string{"match"}, "match takes two engines, A and B: use"},
		{[]string{"match", "a"}, `match takes two engines, A and B, not 1 argument ["a"]: use draughtlab match A B`},
		{[]string{"match", "a", "b", "c"}, "not 3 arguments"},
		{[]string{"perft", "a"}, `1 argument ["a"], more than are taken`},
		{[]string{"verify", ""}, "an argument is empty"},
		{[]string{"export", "--variant", "", "x"}, "--variant has an empty value"},
		{[]string{"export", "x", "--format", "csv", "-o", ""}, "--output has an empty value"},
		{[]string{"selfplay", "--seed", ""}, "--seed has an empty value"},
		{[]string{"study", "--out", ""}, "--out has an empty value"},
		{[]string{"perft", "--depth", "99999999999999999999"}, "it takes a whole number"},
		{[]string{"stats", "--seed", "-1"}, "from 0 to 18446744073709551615"},
		{[]string{"tune", "--lambda", "x"}, "it takes a number"},
	} {
		err := runRoot(c.args...)
		wantError(t, err, c.want)
		if err != nil && strings.Contains(err.Error(), "strconv") {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	for _, args := range [][]string{{}, {"help"}, {"help", "stats"}, {"help", "completion", "bash"}, {"completion"}, {"version"}} {
		if err := runRoot(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestOneLine protects programs that read one line an error.
func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		text string
		args []string
		want string
	}{
		{"a: b", nil, "a: b"},
		{errors.Join(errors.New("a"), errors.New("b")).Error(), nil, "a; b"},
		{"x\n\n\tDid you mean\r\n", nil, "x; Did you mean"},
		{"open a\nb: no", []string{"a\nb"}, `open "a\nb": no`},
		{`open "a\nb": no`, []string{"--out=a\nb"}, `open "a\nb": no`},
		{"open \x1b[31m: no", nil, `open \x1b[31m: no`},
	} {
		if got := oneLine(c.text, c.args); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}

// TestFullStdout protects whoever trusts the exit code: output that is lost is a
// failure, of help too.
func TestFullStdout(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	run := filepath.Join(t.TempDir(), "run")
	for _, args := range [][]string{
		{"--help"},
		{"version"},
		{"perft", "--variant", "croda", "--depth", "1"},
		{"completion", "bash"},
		{"selfplay", "--variant", "croda", "--engine", "random", "--games", "2", "--quiet", "--out", run},
		{"export", run, "--format", "csv", "--quiet", "-o", "-"},
		{"stats", run},
	} {
		p := newProgram(t, args...)
		p.Cmd.Stdout = full
		p.start(t)
		if code := p.end(t); code != exitFailure || strings.Count(p.stderr.String(), "\n") != 1 {
			t.Errorf("%q: exit code %d, stderr %q", args, code, p.stderr.String())
		}
	}
}

// TestInterruptedCode protects exit code 75 of every command that can be
// stopped.
func TestInterruptedCode(t *testing.T) {
	dir, out := playedDataset(t), filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"export", dir, "--format", "csv", "--quiet", "-o", out},
		{"tune", dir, "--variant", "croda", "--quiet", "--out", out},
		{"verify", dir, "--quiet"},
	} {
		if code := run(ctx, args); code != exitInterrupted {
			t.Errorf("%q: exit code %d, want %d", args, code, exitInterrupted)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an output stands under its name")
	}
}
