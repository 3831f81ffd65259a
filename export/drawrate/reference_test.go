package drawrate

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// reference.json holds statsmodels' answers; see testdata/reference.py.
type reference struct {
	Intervals   []referenceRow `json:"intervals"`
	Differences []referenceRow `json:"differences"`
}

type referenceRow struct {
	counts    []int64
	level     float64
	method    string
	low, high float64
}

func (r *referenceRow) UnmarshalJSON(data []byte) error {
	var cells []any
	if err := json.Unmarshal(data, &cells); err != nil {
		return err
	}
	n := len(cells) - 4
	for _, cell := range cells[:n] {
		r.counts = append(r.counts, int64(cell.(float64)))
	}
	r.level, r.method = cells[n].(float64), cells[n+1].(string)
	r.low, r.high = cells[n+2].(float64), cells[n+3].(float64)
	return nil
}

func readReference(t *testing.T) reference {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref reference
	if err := json.Unmarshal(data, &ref); err != nil {
		t.Fatal(err)
	}
	return ref
}

// Protects every interval against a slip in a formula or a quantile: another
// library's values, from 1 to ten million games, ends included.
func TestIntervalsAgreeWithStatsmodels(t *testing.T) {
	rows := readReference(t).Intervals
	if len(rows) < 1000 {
		t.Fatalf("only %d reference rows", len(rows))
	}
	for _, row := range rows {
		got, err := rateMethods[row.method](row.counts[0], row.counts[1], row.level)
		if err != nil {
			t.Fatalf("%+v: %v", row, err)
		}
		near(t, row, got)
	}
}

// Protects the differences likewise, no draws and all draws included.
func TestDifferencesAgreeWithReference(t *testing.T) {
	rows := readReference(t).Differences
	if len(rows) < 160 {
		t.Fatalf("only %d reference rows", len(rows))
	}
	for _, row := range rows {
		c := row.counts
		got, err := differenceMethods[row.method](c[0], c[1], c[2], c[3], row.level)
		if err != nil {
			t.Fatalf("%+v: %v", row, err)
		}
		near(t, row, got)
	}
}

func near(t *testing.T, row referenceRow, got Interval) {
	t.Helper()
	if !(math.Abs(got.Low-row.low) <= 1e-9 && math.Abs(got.High-row.high) <= 1e-9) {
		t.Errorf("%s %v at %v: got [%.12g, %.12g], want [%.12g, %.12g]",
			row.method, row.counts, row.level, got.Low, got.High, row.low, row.high)
	}
}
