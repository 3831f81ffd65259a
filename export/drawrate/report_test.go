package drawrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func mustAdd(t testing.TB, tally *Tally, games ...Game) {
	t.Helper()
	for _, g := range games {
		if err := tally.Add(g); err != nil {
			t.Fatal(err)
		}
	}
}

func mustReport(t testing.TB, tally *Tally) Report {
	t.Helper()
	r, err := tally.Report(Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// studyGames are 1200 games with every kind of end, two an opening.
func studyGames() []Game {
	type end struct {
		variant     string
		outcome     Outcome
		termination string
		class       string
		games       int
	}
	var games []Game
	for _, e := range []end{
		{"croda", White, "no-pieces", ClassWin, 190},
		{"croda", Black, "no-moves", ClassWin, 182},
		{"croda", Draw, "dead-draw", ClassTable, 17},
		{"croda", Draw, "repetition", ClassRepetition, 8},
		{"croda", Unfinished, "ply-limit", ClassCutOff, 3},
		{"russian", White, "no-pieces", ClassWin, 75},
		{"russian", Black, "no-moves", ClassWin, 64},
		{"russian", Draw, "three-kings-one-king", ClassRule, 58},
		{"russian", Draw, "fifteen-king-moves", ClassRule, 22},
		{"russian", Draw, "repetition", ClassRepetition, 41},
		{"russian", Draw, "dead-draw", ClassTable, 129},
		{"russian", Unfinished, "ply-limit", ClassCutOff, 11},
		{"frisian", White, "no-pieces", ClassWin, 186},
		{"frisian", Black, "no-moves", ClassWin, 171},
		{"frisian", Draw, "two-kings-one-king", ClassRule, 25},
		{"frisian", Draw, "agreed", "agreement", 14},
		{"frisian", Unfinished, "ply-limit", ClassCutOff, 4},
	} {
		for range e.games {
			i := len(games)
			games = append(games, Game{
				Variant: e.variant, Profile: "basic", Outcome: e.outcome, Termination: e.termination,
				Class: e.class, Opening: uint64(i / 2), Key: uint64(i), Plies: 30 + i*7919%90,
			})
		}
	}
	return games
}

func study(t testing.TB) Report {
	var tally Tally
	mustAdd(t, &tally, studyGames()...)
	return mustReport(t, &tally)
}

func jsonOf(t testing.TB, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Protects the promise that neither the order of games nor how they were spread
// over tallies shows in a report.
func TestTallyOrderAndMerge(t *testing.T) {
	want := jsonOf(t, study(t))
	games := studyGames()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		rng.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
		var parts [3]Tally
		for _, g := range games {
			mustAdd(t, &parts[rng.IntN(3)], g)
		}
		parts[2].Merge(&parts[0])
		parts[2].Merge(&parts[1])
		if got := jsonOf(t, mustReport(t, &parts[2])); got != want {
			t.Fatal("merged tallies give another report")
		}
	}
}

// Protects each count of a row, and the bounds, by hand: 25 draws in 397 finished
// games, 3 more cut off.
func TestRowCounts(t *testing.T) {
	row := study(t).Games[0]
	if row.Variant != "croda" || row.Games != 400 || row.Finished != 397 ||
		row.Counts != (Counts{White: 190, Draw: 25, Black: 182, Unfinished: 3}) ||
		row.DistinctGames != 400 || row.Openings != 200 {
		t.Errorf("%+v", row)
	}
	for name, b := range map[string]struct {
		got          Bound
		draws, games int64
	}{
		"left out":   {row.Bounds.LeftOut, 25, 397},
		"none drawn": {row.Bounds.NoneDrawn, 25, 400},
		"all drawn":  {row.Bounds.AllDrawn, 28, 400},
	} {
		rate := float64(b.draws) / float64(b.games)
		wilson, _ := Wilson(b.draws, b.games, 0.95)
		if want := (Bound{b.draws, b.games, &rate, wilson}); !reflect.DeepEqual(b.got, want) {
			t.Errorf("%s: got %+v, want %+v", name, b.got, want)
		}
	}
	if *row.DrawRate != 25./397 || row.Wilson != row.Bounds.LeftOut.Wilson {
		t.Errorf("the headline is not the rate without games cut off: %v %v", *row.DrawRate, row.Wilson)
	}
	var plies float64
	for _, g := range studyGames()[:397] {
		plies += float64(g.Plies)
	}
	if *row.MeanPlies != plies/397 {
		t.Errorf("mean plies %v, want %v", *row.MeanPlies, plies/397)
	}
}

// Protects the separation of draws by cause, and that no game is lost in it.
func TestTerminations(t *testing.T) {
	for _, row := range study(t).Games {
		var byEnd, byClass Counts
		for _, e := range row.Terminations {
			byEnd.add(e.Counts)
		}
		for _, e := range row.Classes {
			byClass.add(e.Counts)
		}
		if byEnd != row.Counts || byClass != row.Counts {
			t.Errorf("%s: %v by termination, %v by class, %v in all", row.Variant, byEnd, byClass, row.Counts)
		}
	}
	var order, classes []string
	russian := study(t).Games[2]
	for _, e := range russian.Terminations {
		order = append(order, e.Termination)
	}
	for _, e := range russian.Classes {
		classes = append(classes, e.Class)
	}
	const wantOrder = "no-moves no-pieces fifteen-king-moves three-kings-one-king repetition dead-draw ply-limit"
	if got := strings.Join(order, " "); got != wantOrder {
		t.Errorf("got %s, want %s", got, wantOrder)
	}
	if got := strings.Join(classes, " "); got != "win rule repetition table cut-off" {
		t.Errorf("classes %s", got)
	}
	if got := russian.Classes[1]; got.Draw != 80 || got.Games != 80 {
		t.Errorf("rule draws: %+v", got)
	}
}

// Protects the differences of a report: each pair once, the first less the
// second, by the same functions that the package exports.
func TestReportDifferences(t *testing.T) {
	r := study(t)
	var pairs []string
	for _, d := range r.Differences {
		pairs = append(pairs, d.A.Variant+"-"+d.B.Variant)
	}
	if got := strings.Join(pairs, " "); got != "croda-frisian croda-russian frisian-russian" {
		t.Fatalf("pairs %s", got)
	}
	got := r.Differences[1]
	newcombe, _ := Newcombe(25, 397, 250, 389, 0.95)
	score, _ := MiettinenNurminen(25, 397, 250, 389, 0.95)
	if got.Difference != 25./397-250./389 || got.Newcombe != newcombe || got.MiettinenNurminen != score {
		t.Errorf("got %+v, want %v and %v", got, newcombe, score)
	}
	if got.ByOpening == nil || got.ByOpening.Low > newcombe.Low || got.ByOpening.High < newcombe.High {
		t.Errorf("by opening %v is narrower than Newcombe %v", got.ByOpening, newcombe)
	}
}

// Protects readers of the JSON: it must hold only numbers that JSON has, null
// where there is no estimate, and read back to the same report.
func TestJSON(t *testing.T) {
	var tally Tally
	mustAdd(t, &tally, studyGames()...)
	tally.Expect("croda", "federation")
	mustAdd(t, &tally, Game{Variant: "russian", Profile: "federation", Outcome: Unfinished})
	r := mustReport(t, &tally)
	var back Report
	if err := json.Unmarshal([]byte(jsonOf(t, r)), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, r) {
		t.Error("the report read back differs")
	}
	for _, row := range r.Games[3:] {
		if row.DrawRate != nil || row.Wilson != (Interval{0, 1}) || row.ByOpening != nil || row.Bootstrap != nil {
			t.Errorf("%s %s has an estimate: %+v", row.Variant, row.Profile, row)
		}
	}
	if row := r.Games[4]; *row.Bounds.NoneDrawn.Rate != 0 || *row.Bounds.AllDrawn.Rate != 1 {
		t.Errorf("one game cut off: %+v", row.Bounds)
	}
}

// Protects against counting what is no game, and against reports nobody asked for.
func TestErrors(t *testing.T) {
	var tally Tally
	for _, g := range []Game{{Variant: "croda"}, {Variant: "croda", Outcome: Unfinished + 1}, {Outcome: Draw, Plies: -1}} {
		if err := tally.Add(g); !errors.Is(err, ErrGame) {
			t.Errorf("%+v: %v", g, err)
		}
	}
	if got := mustReport(t, &tally).Games; len(got) != 0 {
		t.Errorf("refused games were counted: %+v", got)
	}
	for _, o := range []Options{{Level: 1}, {Level: 95}, {Resamples: 10}, {Resamples: -1}} {
		if _, err := tally.Report(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
