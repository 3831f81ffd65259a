package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// playedDataset plays a small complete dataset of two games and returns its
// directory.
func playedDataset(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	c := selfplay.DefaultConfig()
	c.Variants, c.Games, c.ShardGames, c.Seed = []string{"croda", "frisian"}, 6, 3, 7
	c.Player = selfplay.PlayerConfig{Kind: selfplay.Random}
	if _, err := selfplay.Run(context.Background(), dir, c, selfplay.Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestVerifyCommand protects the answer of verify: one line and no error if all
// holds, else the problems, with their files, and an error.
func TestVerifyCommand(t *testing.T) {
	dir := playedDataset(t)
	out, err := execute(newVerifyCommand(), "", dir)
	if err != nil || !regexp.MustCompile(`^\S+ holds: 12 games, \d+ positions in 4 shards\n$`).MatchString(out) {
		t.Errorf("intact: %q, %v", out, err)
	}
	path := dataset.Shard{Dir: dir, Variant: "frisian", Number: 1}.Path(dataset.PositionsTable)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 4
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err = execute(newVerifyCommand(), "", dir)
	wantError(t, err, dir, "does not hold: ", "listed above") // the bit may also spoil a row
	if !strings.HasPrefix(out, path+": damaged or replaced") {
		t.Errorf("a flipped bit: %q", out)
	}
	_, err = execute(newVerifyCommand(), "", filepath.Join(dir, "none"))
	wantError(t, err, "none")
	_, err = execute(newVerifyCommand(), "", path)
	wantError(t, err, path)
	_, err = execute(newVerifyCommand(), "")
	wantError(t, err, "arg")
}

// TestHashCommand protects the one line that programs read, and that damage is
// an error and no hash.
func TestHashCommand(t *testing.T) {
	dir := playedDataset(t)
	out, err := execute(newHashCommand(), "", dir)
	if err != nil || !regexp.MustCompile(`^[0-9a-f]{64}\n$`).MatchString(out) {
		t.Errorf("%q, %v", out, err)
	}
	path := dataset.Shard{Dir: dir, Variant: "croda"}.Path(dataset.GamesTable)
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	out, err = execute(newHashCommand(), "", dir)
	wantError(t, err, path)
	if out != "" {
		t.Errorf("a hash of a truncated file: %q", out)
	}
	_, err = execute(newHashCommand(), "", t.TempDir())
	wantError(t, err, "no finished shards")
}

// TestExportCommand protects the output file: whole under its name, the same on
// standard output, and none after an error.
func TestExportCommand(t *testing.T) {
	dir := playedDataset(t)
	for _, c := range [][]string{
		{"--format", "csv"},
		{"--format", "csv", "--table", "positions", "--variant", "frisian,croda"},
		{"--format", "pdn", "--variant", "croda"},
		{"--format", "arrow", "--table", "positions"},
		{"--format", "arrow-stream"},
	} {
		path := filepath.Join(t.TempDir(), "out")
		piped, err := execute(newExportCommand(), "", append([]string{dir, "-o", "-"}, c...)...)
		if err != nil {
			t.Fatalf("%q: %v", c, err)
		}
		if _, err := execute(newExportCommand(), "", append([]string{dir, "-o", path}, c...)...); err != nil {
			t.Fatalf("%q: %v", c, err)
		}
		text, err := os.ReadFile(path)
		if err != nil || string(text) != piped || len(text) < 1000 {
			t.Errorf("%q: %d bytes in the file, %d piped: %v", c, len(text), len(piped), err)
		}
	}
	for want, c := range map[string][]string{
		"unknown format \"xml\"":     {dir, "--format", "xml"},
		"unknown table \"moves\"":    {dir, "--format", "csv", "--table", "moves"},
		"unknown variant \"chess\"":  {dir, "--format", "csv", "--variant", "chess"},
		"twice":                      {dir, "--format", "csv", "--variant", "croda,croda"},
		"no finished shards of russ": {dir, "--format", "csv", "--variant", "russian"},
		"PDN holds games":            {dir, "--format", "pdn", "--table", "positions"},
		"no finished shards":         {t.TempDir(), "--format", "csv"},
		"format":                     {dir},
	} {
		folder := t.TempDir()
		_, err := execute(newExportCommand(), "", append(c, "-o", filepath.Join(folder, "out"))...)
		wantError(t, err, want)
		if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
			t.Errorf("%q left %v behind, %v", c, left, err)
		}
	}
	_, err := execute(newExportCommand(), "", dir, "--format", "csv", "-o", filepath.Join(dir, "none", "out"))
	wantError(t, err, filepath.Join(dir, "none", "out"))
}

// TestExportDamaged protects a file that is there: an export that fails leaves
// it as it was.
func TestExportDamaged(t *testing.T) {
	dir := playedDataset(t)
	path := dataset.Shard{Dir: dir, Variant: "frisian", Number: 1}.Path(dataset.GamesTable)
	if err := os.Truncate(path, 900); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	if err := os.WriteFile(out, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := execute(newExportCommand(), "", dir, "--format", "csv", "-o", out)
	wantError(t, err, path)
	if text, err := os.ReadFile(out); err != nil || !bytes.Equal(text, []byte("mine")) {
		t.Errorf("the old file is now %q, %v", text, err)
	}
}

// Protects against taking the hash of a run that is not complete for that of
// its dataset: stderr says so.
func TestHashOfIncompleteRun(t *testing.T) {
	dir := playedDataset(t)
	if err := os.Remove(filepath.Join(dir, dataset.ManifestFile)); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := newHashCommand()
	cmd.SetArgs([]string{dir})
	cmd.SetOut(&bytes.Buffer{})
	cmd.SetErr(&stderr)
	if err := cmd.Execute(); err != nil || !strings.Contains(stderr.String(), "not complete: only its finished shards are hashed") {
		t.Errorf("stderr %q, error %v", stderr.String(), err)
	}
}
