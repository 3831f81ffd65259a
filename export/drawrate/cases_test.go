package drawrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
)

// readCase decodes one row of testdata/cases.jsonl: mistakes found in other
// statistics programs, and what the right answer is.
func readCase(t *testing.T, id string, input, expected any) {
	t.Helper()
	data, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var row struct {
			ID              string
			Input, Expected json.RawMessage
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		if row.ID != id {
			continue
		}
		for _, part := range []struct {
			data json.RawMessage
			to   any
		}{{row.Input, input}, {row.Expected, expected}} {
			if err := json.Unmarshal(part.data, part.to); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
		}
		return
	}
	t.Fatalf("no case %s", id)
}

func wantInterval(t *testing.T, what string, got Interval, want [2]float64, tolerance float64) {
	t.Helper()
	if !(math.Abs(got.Low-want[0]) <= tolerance && math.Abs(got.High-want[1]) <= tolerance) {
		t.Errorf("%s: got %.10f, want %.10f", what, got, want)
	}
}

func parse(t *testing.T, fraction string) (draws, games int64) {
	t.Helper()
	if _, err := fmt.Sscanf(fraction, "%d/%d", &draws, &games); err != nil {
		t.Fatalf("%q: %v", fraction, err)
	}
	return draws, games
}

// Protects against NaN where no game or every game is drawn.
func TestCaseClopperPearsonAtEnds(t *testing.T) {
	var input struct{ Alpha float64 }
	var expected map[string][2]float64
	readCase(t, "st-cp-at-ends", &input, &expected)
	for fraction, want := range expected {
		draws, games := parse(t, fraction)
		got, err := ClopperPearson(draws, games, 1-input.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		wantInterval(t, fraction, got, want, 1e-12)
		if draws == 0 && got.Low != 0 || draws == games && got.High != 1 {
			t.Errorf("%s: the end is not exact: %v", fraction, got)
		}
	}
}

// Protects against a rate of 0 % for no games, and against numbers for counts
// that cannot be.
func TestCaseNoGames(t *testing.T) {
	var input struct{ Cases []string }
	readCase(t, "st-no-games", &input, new(any))
	for _, fraction := range input.Cases {
		draws, games := parse(t, fraction)
		for name, f := range rateMethods {
			got, err := f(draws, games, 0.95)
			if got != (Interval{0, 1}) {
				t.Errorf("%s %s: got %v, want all of [0,1]", name, fraction, got)
			}
			if wantErr := games != 0; wantErr != errors.Is(err, ErrCounts) {
				t.Errorf("%s %s: error %v", name, fraction, err)
			}
		}
	}
	if rate, ok := Rate(0, 0); ok || rate != 0 {
		t.Errorf("Rate(0,0) = %v, %v; want no estimate", rate, ok)
	}
}

// Protects the intervals of one game.
func TestCaseTiny(t *testing.T) {
	var expected struct{ Wilson95 map[string][2]float64 }
	readCase(t, "st-tiny", new(any), &expected)
	for fraction, want := range expected.Wilson95 {
		draws, games := parse(t, fraction)
		got, err := Wilson(draws, games, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		wantInterval(t, fraction, got, want, 1e-10)
	}
}

// Protects the order of rows when one has no estimate to compare.
func TestCaseNaNSorting(t *testing.T) {
	var tally Tally
	tally.Expect("croda", "basic")
	for i := range uint64(40) {
		russian := Game{Variant: "russian", Profile: "basic", Outcome: White, Opening: i, Key: i}
		frisian := Game{Variant: "frisian", Profile: "basic", Outcome: White, Opening: i, Key: i}
		if i < 10 {
			russian.Outcome = Draw
		}
		if i < 3 {
			frisian.Outcome = Draw
		}
		mustAdd(t, &tally, russian, frisian)
	}
	var order []string
	for _, row := range mustReport(t, &tally).Games {
		order = append(order, row.Variant)
	}
	if want := []string{"frisian", "russian", "croda"}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
}

// Protects against an overstated n when a deterministic engine replays games.
func TestCaseRepeatedOpenings(t *testing.T) {
	var tally Tally
	for i := range uint64(1000) {
		g := Game{Variant: "croda", Outcome: White, Opening: i % 10, Key: i % 10}
		if g.Opening < 3 {
			g.Outcome = Draw
		}
		mustAdd(t, &tally, g)
	}
	row := mustReport(t, &tally).Games[0]
	if row.DistinctGames != 10 || row.Openings != 10 || row.ByOpening.Openings != 10 {
		t.Errorf("%d different games, %d openings", row.DistinctGames, row.Openings)
	}
	// As much as Wilson's interval of 3 in 9 to 10, and wider still with Student's t.
	wilson, _ := Wilson(3, 10, 0.95)
	if got := row.ByOpening.Interval; got.Low > wilson.Low || got.High < wilson.High {
		t.Errorf("by opening %v is narrower than Wilson's of 10 games %v", got, wilson)
	}
	if got := row.ByOpening.EffectiveGames; math.Abs(got-9) > 1e-9 {
		t.Errorf("%v effective games, want 9", got)
	}
	if width := row.Bootstrap.High - row.Bootstrap.Low; width < 0.5 {
		t.Errorf("bootstrap %v rests on more than 10 openings", *row.Bootstrap)
	}
	if len(row.Notes) != 3 { // repeats, few openings, design effect
		t.Errorf("notes: %q", row.Notes)
	}
}

// Protects the difference of two rates without a draw. The case's interval is
// that of b - a: b has fewer games and so the longer side.
func TestCaseTwoZeroGroups(t *testing.T) {
	var input struct{ A, B string }
	var expected struct {
		Interval  [2]float64 `json:"miettinen_nurminen95"`
		Tolerance float64
	}
	readCase(t, "st-two-zero-groups", &input, &expected)
	da, na := parse(t, input.A)
	db, nb := parse(t, input.B)
	got, err := MiettinenNurminen(db, nb, da, na, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	wantInterval(t, "b - a", got, expected.Interval, expected.Tolerance)
	larger, _ := MiettinenNurminen(db, 10*nb, da, 10*na, 0.95)
	if !(larger.High-larger.Low < (got.High-got.Low)/5) {
		t.Errorf("ten times the games give %v after %v", larger, got)
	}
}

// Protects the figure for the 208 Russian master games.
func TestCaseRealRussian(t *testing.T) {
	var expected struct {
		Draws, Games int64
		Rate         float64
		Wilson95     [2]float64
	}
	readCase(t, "st-real-russian", new(any), &expected)
	if rate, ok := Rate(expected.Draws, expected.Games); !ok || math.Abs(rate-expected.Rate) > 1e-10 {
		t.Errorf("rate %v", rate)
	}
	got, err := Wilson(expected.Draws, expected.Games, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	wantInterval(t, "155/208", got, expected.Wilson95, 1e-10)
}
