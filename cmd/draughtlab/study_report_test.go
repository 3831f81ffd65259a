package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"draughtlab/export/dataset"
	"draughtlab/export/drawrate"
	"draughtlab/selfplay/match"
)

// TestStudyMatches protects the table of matches: how many pairs the Elo rests
// on, infinite differences within 80 columns, a real minus on the page only.
func TestStudyMatches(t *testing.T) {
	p := reportParts{matches: []*playedMatch{
		{Variant: "croda", Result: match.Result{Wins: 500, Draws: 300, Losses: 1190, Unfinished: 10, Pairs: match.Pairs{400, 300, 200, 80, 12}}},
		{Variant: "russian", Result: match.Result{Wins: 2000, Pairs: match.Pairs{4: 1000}}},
		{Variant: "frisian", Result: match.Result{Unfinished: 2000}},
	}}
	var out bytes.Buffer
	if err := p.writeMatches(&out); err != nil {
		t.Fatal(err)
	}
	const want = `
Tuned against untuned weights, same search, paired openings
Game       games    won  drawn   lost  cut off  pairs  Elo (95 %)
Croda       2000    500    300   1190       10    992  -192 (-207 to -177)
Russian     2000   2000      0      0        0   1000  +Inf (+Inf to +Inf)
Frisian     2000      0      0      0     2000      0  none
Elo counts the pairs of which both games have a result;
a pair with a game cut off is left out whole.
`
	if out.String() != want {
		t.Errorf("got %s\nwant %s", out.String(), want)
	}
	section := p.matchSection()
	if got := strings.Join(section.Table.Rows[0], " "); !strings.Contains(got, " 992 −192 (−207 to −177)") {
		t.Errorf("row of the page: %s", got)
	}
	if !strings.Contains(section.Text, pairsCounted) {
		t.Errorf("the page does not say what pairs are: %s", section.Text)
	}
}

// TestStudyMatchFile protects readers of match files: every key is in snake
// case, and a file with keys of another version is not taken for one of this.
func TestStudyMatchFile(t *testing.T) {
	text, err := json.Marshal(playedMatch{})
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	for key := range keys {
		if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(key) {
			t.Errorf("key %q", key)
		}
	}
	path := writeFile(t, "croda.json", string(text))
	if err := readJSON(path, &playedMatch{}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{`{"EloLow": 3}`, string(text) + string(text)} {
		if err := os.WriteFile(path, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if readJSON(path, &playedMatch{}) == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// TestStatsPlayers protects against pooling engines, or weights, in silence.
func TestStatsPlayers(t *testing.T) {
	var tally drawrate.Tally
	draw := int8(0)
	for i, g := range []dataset.GameRow{
		{Engine: "random"},
		{Engine: "alphabeta nodes=9", WeightsHash: strings.Repeat("0123456789", 6)},
		{Engine: "alphabeta nodes=9", WeightsHash: strings.Repeat("9876543210", 6)},
	} {
		g.Game, g.Opening, g.Moves, g.Plies, g.Outcome = int64(i), "random", "c3-d4", 1, &draw
		if err := countRow(&tally, io.Discard, "russian", &g); err != nil {
			t.Fatal(err)
		}
	}
	report, err := tally.Report(drawrate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "Games of 3 different players are counted together: " +
		"alphabeta nodes=9 (weights 012345678901); alphabeta nodes=9 (weights 987654321098); random."
	if got := report.Games[0].Notes[0]; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
