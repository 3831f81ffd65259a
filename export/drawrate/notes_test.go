package drawrate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// block returns games of a variant by outcome, each different and from an
// opening of its own.
func block(variant, profile string, c Counts) []Game {
	var games []Game
	for _, part := range []struct {
		outcome Outcome
		games   int64
	}{{White, c.White}, {Draw, c.Draw}, {Unfinished, c.Unfinished}} {
		for range part.games {
			i := uint64(len(games))
			games = append(games, Game{Variant: variant, Profile: profile, Outcome: part.outcome, Opening: i, Key: i})
		}
	}
	return games
}

// Protects differences against games cut off: the bounds by hand, and a note
// exactly where they turn the sign or let Newcombe's interval take in 0.
func TestDifferenceBounds(t *testing.T) {
	for _, test := range []struct {
		a, b      Counts
		low, high float64
		note      string
	}{
		{Counts{White: 50, Draw: 40, Unfinished: 10}, Counts{White: 50, Draw: 50}, -0.10, 0, "decide the sign: -10.00 to +0.00."},
		{Counts{White: 50, Draw: 40, Unfinished: 10}, Counts{White: 45, Draw: 45, Unfinished: 10}, -0.15, 0.05, "decide the sign: -15.00 to +5.00."},
		{Counts{White: 15, Draw: 75, Unfinished: 10}, Counts{White: 40, Draw: 60}, 0.15, 0.25, ""},
		{Counts{White: 15, Draw: 70, Unfinished: 15}, Counts{White: 40, Draw: 60}, 0.10, 0.25, "decide whether Newcombe's interval leaves out 0: drawn or not, its ends lie from -3."},
		{Counts{White: 50, Draw: 50}, Counts{White: 50, Draw: 50}, 0, 0, ""},
	} {
		var tally Tally
		mustAdd(t, &tally, block("a", "basic", test.a)...)
		mustAdd(t, &tally, block("b", "basic", test.b)...)
		r := mustReport(t, &tally)
		got := r.Differences[0]
		if math.Abs(got.Bounds.Low-test.low) > 1e-12 || math.Abs(got.Bounds.High-test.high) > 1e-12 {
			t.Errorf("%v %v: bounds %v, want %v to %v", test.a, test.b, got.Bounds, test.low, test.high)
		}
		lowest, _ := Newcombe(test.a.Draw, test.a.total(), test.b.Draw+test.b.Unfinished, test.b.total(), 0.95)
		highest, _ := Newcombe(test.a.Draw+test.a.Unfinished, test.a.total(), test.b.Draw, test.b.total(), 0.95)
		if got.BoundsNewcombe != (Interval{lowest.Low, highest.High}) {
			t.Errorf("%v %v: Newcombe %v", test.a, test.b, got.BoundsNewcombe)
		}
		notes := strings.Join(got.notes(plain), "\n")
		if (notes != "") != (test.note != "") || !strings.Contains(notes, test.note) {
			t.Errorf("%v %v: note %q, want %q", test.a, test.b, notes, test.note)
		}
		if test.note == "" {
			continue
		}
		if text := textOf(t, r); !strings.Contains(text, "Note, A - B: The cut-off games decide") {
			t.Errorf("the text lacks the note:\n%s", text)
		}
		if page := htmlOf(t, r); !strings.Contains(page, "<strong>A − B:</strong> The cut-off games decide") {
			t.Error("the page lacks the note")
		}
	}
}

// Protects against comparing a row with itself under another profile as if the
// games were others.
func TestSameGames(t *testing.T) {
	games := Counts{White: 50, Draw: 40}
	var tally Tally
	mustAdd(t, &tally, block("croda", "basic", games)...)
	mustAdd(t, &tally, block("croda", "federation", Counts{White: 30})...)
	mustAdd(t, &tally, block("russian", "basic", games)...)
	const want = "30 games are the same in both: the difference's intervals take them as independent."
	for i, d := range mustReport(t, &tally).Differences {
		if same := slices.Contains(d.notes(plain), want); same != (i == 0) || (d.SameGames == 30) != same {
			t.Errorf("%v %v: %d same games, notes %q", d.A, d.B, d.SameGames, d.notes(plain))
		}
	}
}

// Protects against a rate of several engines that passes for that of one, also
// when tallies are merged.
func TestPlayersNote(t *testing.T) {
	players := func(n int) string {
		var sum Tally
		for i := range n {
			var one Tally
			games := block("croda", "basic", Counts{White: 20, Draw: 20})
			for j := range games {
				games[j].Player, games[j].Opening, games[j].Key = fmt.Sprint("engine ", i), uint64(40*i+j), uint64(40*i+j)
			}
			mustAdd(t, &one, games...)
			sum.Merge(&one)
		}
		return strings.Join(mustReport(t, &sum).Games[0].Notes, "\n")
	}
	for n, want := range map[int]string{
		1: "",
		2: "Games of 2 different players are counted together: engine 0; engine 1.",
		6: "Games of 6 different players are counted together: engine 0; engine 1; engine 2; engine 3; and 2 more.",
	} {
		if got := players(n); got != want {
			t.Errorf("%d players: %q", n, got)
		}
	}
}

// Protects the note on repeated games: not for a few in a hundred thousand, and
// no advice to read an interval that is not there.
func TestRepeatsNote(t *testing.T) {
	for _, test := range []struct {
		repeats, openings uint64
		want              string
	}{
		{2, 200, ""},
		{3, 200, "3 of 200 games repeat another move for move and add no information: read the interval by opening."},
		{3, 1, "3 of 200 games repeat another move for move and add no information."},
	} {
		var tally Tally
		for i := range uint64(200) {
			g := Game{Variant: "croda", Outcome: White, Opening: i % test.openings, Key: max(i, test.repeats)}
			if i%2 == 0 {
				g.Outcome = Draw
			}
			mustAdd(t, &tally, g)
		}
		notes := mustReport(t, &tally).Games[0].Notes
		notes = slices.DeleteFunc(notes, func(note string) bool { return !strings.Contains(note, "repeat") })
		if got := strings.Join(notes, "\n"); got != test.want {
			t.Errorf("%d repeats, %d openings: %q", test.repeats, test.openings, got)
		}
	}
}

// Protects the order of rows and differences that the caller asks for.
func TestOrder(t *testing.T) {
	var tally Tally
	for _, variant := range []string{"zulu", "frisian", "croda", "russian", "brazilian"} {
		mustAdd(t, &tally, block(variant, "basic", Counts{White: 2, Draw: 2})...)
	}
	r, err := tally.Report(Options{Order: []string{"croda", "russian", "frisian"}})
	if err != nil {
		t.Fatal(err)
	}
	var rows, differences []string
	for _, row := range r.Games {
		rows = append(rows, row.Variant)
	}
	for _, d := range r.Differences[:5] {
		differences = append(differences, d.A.Variant+"-"+d.B.Variant)
	}
	if got := strings.Join(rows, " "); got != "croda russian frisian brazilian zulu" {
		t.Errorf("rows %s", got)
	}
	if got := strings.Join(differences, " "); got != "croda-russian croda-frisian croda-brazilian croda-zulu russian-frisian" {
		t.Errorf("differences %s", got)
	}
}
