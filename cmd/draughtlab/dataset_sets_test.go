package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Protects the commands in the order the help advises: each takes what the one
// before made, says what became of the rows, and the result holds.
func TestDatasetCommandsFollowEachOther(t *testing.T) {
	run, dir := playedDataset(t), t.TempDir()
	set := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"merge", run, "--out", set("all")}, `^croda: (\d+) of \d+ rows, \d+ positions: White \d+, draws \d+, Black \d+, without outcome \d+\nfrisian: `},
		{[]string{"sample", set("all"), "--captures", "--out", set("sample")}, `croda: \d+ of \d+ rows.*; left out: opening \d+`},
		{[]string{"sample", set("sample"), "--rows", "40", "--out", set("few")}, `croda: 40 of \d+ rows`},
		{[]string{"split", set("sample"), "--parts", "train=0.5,holdout=0.5", "--out", set("parts")}, `(?s)^train: croda: .*holdout: frisian: .*positions? stood in several parts; \d+ rows? beyond the first part removed\n`},
		{[]string{"dedupe", set("parts/train"), "--out", set("train")}, `croda: \d+ of \d+ rows`},
		{[]string{"verify", set("all"), set("sample"), set("parts/train"), set("parts/holdout"), set("train")}, `train holds: \d+ rows \(\d+ positions\) in 2 files\n$`},
	} {
		out, err := execute(newDatasetCommand(), "", append(c.args, "--quiet")...)
		if err != nil || !regexp.MustCompile(c.want).MatchString(out) {
			t.Fatalf("%q: %q, %v", c.args, out, err)
		}
	}
	_, err := execute(newVerifyCommand(), "", set("train"))
	wantError(t, err, "is a training set, this takes runs of selfplay")
	text, err := os.ReadFile(set("train/DATASET.md"))
	for _, want := range []string{"CC0-1.0", "| `white_men` | int64 |", "- dedupe", "- split", "- sample", "- merge", "of the run run"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the card does not mention %q, %v", want, err)
		}
	}
}

// Protects command lines that cannot be meant.
func TestDatasetCommandRefuses(t *testing.T) {
	run, out := playedDataset(t), filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"sample", run}, "no --out"},
		{[]string{"sample", run, "--out", run}, "is there already"},
		{[]string{"sample", run, "--out", out, "--memory", "1"}, "it takes 64 to"},
		{[]string{"sample", run, "--out", out, "--variant", "chess"}, `unknown variant "chess"`},
		{[]string{"sample", run, "--out", out, "--variant", "russian"}, "no rows of russian"},
		{[]string{"sample", run, "--out", out, "--workers", "-1"}, "--workers -1"},
		{[]string{"sample", run, "--out", out, "--temp", filepath.Join(run, "none")}, "temporary files"},
		{[]string{"split", run, "--out", out, "--parts", "train"}, "NAME=SHARE"},
		{[]string{"split", run, "--out", out, "--by", "luck"}, "it takes opening or game"},
		{[]string{"merge", run, run, "--out", out}, "would count twice"},
		{[]string{"merge", "--out", out}, "an argument is missing"},
		{[]string{"sample", "s3://bucket/run", "--out", out}, "copy the run from the bucket first"},
		{[]string{"sample", run, "--out", "s3://bucket/set"}, "not in a bucket"},
		{[]string{"verify", run}, "no training set"},
		{[]string{"shuffle"}, `unknown command "shuffle"`},
	} {
		_, err := execute(newDatasetCommand(), "", c.args...)
		wantError(t, err, c.want)
	}
	if _, err := os.Lstat(out); err == nil {
		t.Error("an output stands under its name")
	}
}

// Protects exit code 75, and that nothing is left behind it.
func TestDatasetCommandInterrupted(t *testing.T) {
	played, dir := playedDataset(t), t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, command := range []string{"sample", "dedupe", "split", "merge"} {
		if code := run(ctx, []string{"dataset", command, played, "--quiet", "--out", filepath.Join(dir, "out")}); code != exitInterrupted {
			t.Errorf("%s: exit code %d, want %d", command, code, exitInterrupted)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
