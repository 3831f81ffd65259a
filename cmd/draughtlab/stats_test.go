package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/export/dataset"
	"draughtlab/export/drawrate"
	"draughtlab/tune"
)

// TestStatsRefuses protects the figures: what would count in silence as
// something else, twice or not at all is an error that names where it is.
func TestStatsRefuses(t *testing.T) {
	const one = "[GameType \"25\"]\n[Result \"1-0\"]\n\n1. c3-d4 d6-c5 1-0\n"
	good := writeFile(t, "good.pdn", one)
	copied := writeFile(t, "copy.pdn", "\n"+one)
	damaged := writeFile(t, "damaged.pdn", one+"\n[GameType \"25\"]\n1. c3-d4 (d6-c5 1-0\n")
	link := filepath.Join(t.TempDir(), "link.pdn")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	dir := playedDataset(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{good, "--level", "0"}, "--level 0"},
		{[]string{good, "--level", "0.999999999999"}, "at most"},
		{[]string{good, "--level", "NaN"}, "--level NaN"},
		{[]string{good, "--resamples", "0"}, "--resamples 0"},
		{[]string{good, "--resamples", "2000000000"}, "1000 to 1000000"},
		{[]string{good, "--variant", "foo"}, "foo"},
		{[]string{good, "--html", "-"}, "standard output"},
		{[]string{good, "--html", good}, "is the input"},
		{[]string{dir, "--html", filepath.Join(dir, "manifest.json")}, "belongs to the dataset"},
		{[]string{good, good}, "are the same"},
		{[]string{good, link}, "are the same"},
		{[]string{good, copied}, "hold the same games"},
		{[]string{dir, dir + "/."}, "are the same"},
		{[]string{damaged}, damaged + ":7: game 2: a variation is not closed"},
		{[]string{writeFile(t, "empty.pdn", "")}, "empty.pdn: no game with moves"},
		{[]string{writeFile(t, "tags.pdn", "[Event \"x\"]\n")}, "no game with moves"},
		{[]string{writeFile(t, "fen.pdn", "[GameType \"25\"]\n[FEN \"W:Wb8:Bb6\"]\n1. c3-d4 1-0\n")}, "fen.pdn:1: game 1: russian FEN"},
		{[]string{writeFile(t, "cut.pdn", one+"\n[GameType \"25\"]\n1. c3-d4 d6-\n")}, "cut.pdn:6: game 2: the file ends before its result"},
		{[]string{filepath.Join(dir, "none")}, "none"},
	} {
		out, err := execute(newStatsCommand(), "", c.args...)
		wantError(t, err, c.want)
		if out != "" {
			t.Errorf("%q: printed %q", c.args, out)
		}
	}
	other := writeFile(t, "other.pdn", strings.Replace(one, "d6-c5", "d6-e5", 1))
	out, err := execute(newStatsCommand(), "", good, other, dir)
	if err != nil || !strings.Contains(out, "Russian") || !strings.Contains(out, "Frisian") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestStatsRows protects against rows that no game has: the column is named.
func TestStatsRows(t *testing.T) {
	five := int8(5)
	for want, change := range map[string]func(*dataset.GameRow){
		"outcome is 5":        func(g *dataset.GameRow) { g.Outcome = &five },
		"opening_plies is -1": func(g *dataset.GameRow) { g.OpeningPlies = -1 },
		"opening_plies is 3":  func(g *dataset.GameRow) { g.OpeningPlies = 3 },
		"plies is 7":          func(g *dataset.GameRow) { g.Plies = 7 },
	} {
		g := dataset.GameRow{Opening: "random", Moves: "c3-d4 d6-c5", Plies: 2, OpeningPlies: 1}
		var tally drawrate.Tally
		if err := countRow(&tally, io.Discard, "russian", &g); err != nil {
			t.Fatal(err)
		}
		change(&g)
		wantError(t, countRow(&tally, io.Discard, "russian", &g), want)
	}
}

// TestStudyDraws protects the loss curves of a study: one that is lost or
// damaged is drawn again.
func TestStudyDraws(t *testing.T) {
	s := study{out: t.TempDir()}
	r := &tune.Result{Variant: "croda", Curve: []tune.CurvePoint{{Train: 0.7}, {Iteration: 1, Train: 0.6}}}
	path := s.file("tune", "croda.svg")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, damage := range []func() error{
		func() error { return nil },
		func() error { return os.Remove(path) },
		func() error { return os.WriteFile(path, []byte("garbage"), 0o644) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if err := s.draw(r); err != nil {
			t.Fatal(err)
		}
		if svg, err := os.ReadFile(path); err != nil || !strings.Contains(string(svg), "</svg>") {
			t.Errorf("%.50q, %v", svg, err)
		}
	}
}
