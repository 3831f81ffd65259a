package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/russian"
	"draughtlab/engine/variants"
)

// TestLoneTable protects that analyse and hub ask a table whose neighbours are
// not there, and that runs, whose config names a number of pieces that are all
// covered, leave it out and say so.
func TestLoneTable(t *testing.T) {
	dir := t.TempDir()
	endgameOut(t, "build", "--variant", "russian", "--material", "KK v K", "--out", dir, "--quiet")
	analyse := func() string {
		t.Helper()
		out, err := execute(newAnalyseCommand(), "", "--variant", "russian", "--nodes", "1000", "--tables", dir, "--json", "W:WKa1,Kc1:BKh4")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := analyse(); !strings.Contains(out, `"table":{"value":"`) {
		t.Errorf("%s", out)
	}
	out, err := execute(newHubCommand(), "hub\ninit\nquit\n", "--variant", "russian", "--tables", dir)
	if err != nil || strings.Contains(out, "error") {
		t.Errorf("%v: %s", err, out)
	}
	games := []*engine.Variant{russian.Variant()}
	if _, _, err = tablesOfRun(&bytes.Buffer{}, dir, "", engine.Basic, games); err == nil {
		t.Error("a run with tables of one material")
	}
	endgameOut(t, "build", "--variant", "russian", "--pieces", "2", "--out", dir, "--quiet")
	var stderr bytes.Buffer
	_, pieces, err := tablesOfRun(&stderr, dir, "", engine.Basic, games)
	if err != nil || pieces != 2 || !strings.Contains(stderr.String(), "up to 2 pieces are used; of more, up to 3,") {
		t.Errorf("%d pieces, %v: %s", pieces, err, &stderr)
	}
	if out := analyse(); !strings.Contains(out, `"table":{"value":"`) {
		t.Errorf("%s", out)
	}
}

// TestMendCache protects that a damaged file in the cache is made again by every
// command that makes tables there, which say so in one line.
func TestMendCache(t *testing.T) {
	dir := emptyCache(t)
	path := filepath.Join(dir, "russian-basic-KvK.egt")
	for _, args := range []string{
		"endgame build --variant russian --pieces 2 --quiet",
		"endgame probe --variant russian W:Wa1:Bh8",
		"endgame stats --variant russian --material KvK --quiet",
		"analyse --variant russian --nodes 100 W:WKa1,Kc1:BKh4",
	} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := root()
		var stderr bytes.Buffer
		cmd.SetOut(&bytes.Buffer{})
		cmd.SetErr(&stderr)
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); err != nil || strings.Count(stderr.String(), "made again") != 1 || strings.Count(stderr.String(), path) != 1 {
			t.Errorf("%s: %v: %s", args, err, &stderr)
		}
		if b, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(b, []byte("DRENDG")) {
			t.Errorf("%s: %v, %.10q", args, err, b)
		}
	}
}

// TestStoppedAtTables protects the exit code and the advice of a command that is
// stopped while it makes its tables.
func TestStoppedAtTables(t *testing.T) {
	emptyCache(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, open := range []func() error{
		func() error { _, err := openReferee(ctx, io.Discard, "3", russian.Variant(), engine.Basic); return err },
		func() error {
			_, err := openAdviser(ctx, &bytes.Buffer{}, "3", russian.Variant(), engine.Basic)
			return err
		},
	} {
		wantError(t, open(), "interrupted: run the same command again")
	}
	// selfplay is not stopped before its run begins, so it gets to its tables.
	cmd := newSelfplayCommand()
	cmd.SetContext(ctx)
	_, err := execute(cmd, "", "--variant", "russian", "--games", "2", "--nodes", "10", "--out", filepath.Join(t.TempDir(), "run"))
	wantError(t, err, "interrupted")
	if strings.Contains(err.Error(), "context") {
		t.Error(err)
	}
}

// TestBuildTooLarge protects a machine from a build that it has not the memory
// for, but not from one whose tables are there.
func TestBuildTooLarge(t *testing.T) {
	v := russian.Variant()
	n := needs{pieces: 2}
	need := peak(n.plan(v, endgame.Basic))
	dir := t.TempDir()
	wantError(t, n.checkMemory(dir, v, endgame.Basic, need-1), "russian, up to 2 pieces", "memory", "--material")
	for _, memory := range []int{0, need} {
		if err := n.checkMemory(dir, v, endgame.Basic, memory); err != nil {
			t.Error(err)
		}
	}
	endgameOut(t, "build", "--variant", "russian", "--pieces", "2", "--out", dir, "--quiet")
	if err := n.checkMemory(dir, v, endgame.Basic, 1); err != nil {
		t.Error(err)
	}
	if n := machineMemory(); n == 0 || n > 1000<<30 {
		t.Skipf("%d bytes of memory", n)
	}
	frisian, err := variants.ByName("frisian")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "tables")
	_, err = execute(newEndgameCommand(), "", "build", "--variant", frisian.Name, "--pieces", "6", "--out", out)
	wantError(t, err, "1266 GiB", "this machine has", "--force")
	if _, err := os.Stat(out); err == nil {
		t.Error("the build began")
	}
}

// TestVerifyTables protects --tables of verify: a number must be the run's.
func TestVerifyTables(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	if _, err := execute(newSelfplayCommand(), "", "--variant", "russian", "--games", "2", "--nodes", "10", "--out", run, "--quiet"); err != nil {
		t.Fatal(err)
	}
	if _, err := execute(newVerifyCommand(), "", run, "--tables", "3", "--quiet"); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"0", "2"} {
		_, err := execute(newVerifyCommand(), "", run, "--tables", text)
		wantError(t, err, "--tables "+text, "tables of 3 pieces")
	}
	_, err := execute(newVerifyCommand(), "", run, "--tables", filepath.Join(run, "none"))
	wantError(t, err, "no such directory")
}

// TestAdvice protects what is advised where the cache can keep nothing.
func TestAdvice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", file)
	_, err := execute(newEndgameCommand(), "", "probe", "--variant", "russian", "W:WKa1,Kc1,Ke1:BKh4")
	wantError(t, err, `--material "KKK v K" --out tables, and give --tables tables`)
	_, err = execute(newEndgameCommand(), "", "build", "--variant", "russian")
	wantError(t, err, "--out")
}
