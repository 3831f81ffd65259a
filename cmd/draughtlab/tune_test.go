package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine/eval"
	"draughtlab/engine/russian"
	"draughtlab/tune"
)

// smallRun plays a dataset for the tests of tune.
func smallRun(t *testing.T, games string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if _, _, err := selfplayInProcess("--variant", "russian", "--games", games, "--nodes", "30", "--seed", "3", "--out", dir, "--quiet"); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Protects the command from a dataset to a weights file, a picture and a table:
// what it prints is what it wrote, for one worker as for two, and the weights
// can be started from again.
func TestTuneCommand(t *testing.T) {
	dir, v := smallRun(t, "150"), russian.Variant()
	out := t.TempDir()
	weights, plot := filepath.Join(out, "w.json"), filepath.Join(out, "w.svg")
	args := []string{dir, "--variant", "russian", "--iterations", "10", "--min-count", "10"}
	text, err := execute(newTuneCommand(), "", append(args, "--out", weights, "--plot", plot, "--workers", "1")...)
	if err != nil {
		t.Fatal(err)
	}
	w, err := readWeights(weights, v)
	if err != nil {
		t.Fatal(err)
	}
	if w.Hash() == eval.Default(v).Hash() || !strings.Contains(text, "weights "+w.Hash()) || !strings.Contains(text, "Weights: "+weights) {
		t.Errorf("weights %s; printed:\n%s", w.Hash(), text)
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "Weights: "+weights+"\n"), "\n") {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if svg, err := os.ReadFile(plot); err != nil || !strings.Contains(string(svg), "</svg>") {
		t.Errorf("picture: %v, %d bytes", err, len(svg))
	}
	again := filepath.Join(out, "again.json")
	text, err = execute(newTuneCommand(), "", append(args, "--out", again, "--workers", "2", "--json")...)
	if err != nil {
		t.Fatal(err)
	}
	var r tune.Result
	if err := json.Unmarshal([]byte(text), &r); err != nil || strings.Count(text, "\n") != 1 {
		t.Fatalf("not one line of JSON (%v):\n%.300s", err, text)
	}
	first, _ := os.ReadFile(weights)
	second, _ := os.ReadFile(again)
	if r.Tuned != w.Hash() || string(first) != string(second) {
		t.Errorf("two workers write other weights than one")
	}
	if _, err := execute(newTuneCommand(), "", append(args, "--out", again, "--start", weights, "--quiet")...); err != nil {
		t.Errorf("starting from tuned weights: %v", err)
	}
}

// Protects the one-line errors, and that a failure leaves no file behind and an
// old one as it was.
func TestTuneBadInput(t *testing.T) {
	dir := smallRun(t, "20")
	out := t.TempDir()
	weights, svg := filepath.Join(out, "w.json"), filepath.Join(out, "w.svg")
	if err := os.WriteFile(weights, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	start := writeFile(t, "start.json", "{}")
	ok := []string{dir, "--variant", "russian", "--out", weights}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{dir, "--out", weights}, []string{"--variant", "croda"}},
		{[]string{dir, "--variant", "chess", "--out", weights}, []string{"chess", "croda"}},
		{[]string{dir, "--variant", "russian"}, []string{"--out"}},
		{append(ok, "--out", svg, "--plot", svg), []string{"same file", svg}},
		{append(ok, "--plot", filepath.Join(out, "x.png")), []string{"x.png", ".svg"}},
		{append(ok, "--out", filepath.Join(dir, "config.json")), []string{"belongs to the dataset"}},
		{append(ok, "--out", out), []string{out, "directory"}},
		{append(ok, "--out", start, "--start", start), []string{"start.json"}},
		{[]string{dir, "--variant", "croda", "--out", weights}, []string{dir, "croda"}},
		{[]string{filepath.Join(dir, "none"), "--variant", "croda", "--out", weights}, []string{"none"}},
		{[]string{dir, "--variant", "russian", "--out", filepath.Join(out, "none", "w.json")}, []string{filepath.Join("none", "w.json")}},
		{ok, []string{dir, "games to train with", "--min-games"}},
		{append(ok, "--lambda", "2"), []string{"lambda 2"}},
		{append(ok, "--l2", "-1"), []string{"l2 -1"}},
		{append(ok, "--holdout", "0.9"), []string{"holdout 0.9"}},
		{append(ok, "--start", filepath.Join(dir, "nothing.json")), []string{"nothing.json"}},
		{append(ok, "--start", start), []string{"start.json"}},
	} {
		_, err := execute(newTuneCommand(), "", c.args...)
		wantError(t, err, c.want...)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(weights)
	if len(entries) != 1 || err != nil || string(old) != "old" {
		t.Errorf("left behind: %v, old file %q (%v)", entries, old, err)
	}
}
