package tune

import (
	"math"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
)

func term(index uint32, value int16) eval.Term { return eval.Term{Index: index, Value: value} }

// Protects the packing of terms: sums of repeated features, cancelled ones
// left out, negative and extreme values.
func TestMatrixAdd(t *testing.T) {
	m := newTestMatrix(t, 1<<20-1)
	const last = 1<<20 - 2
	terms := []eval.Term{term(5, 3), term(7, 1), term(5, -1), term(7, -1), term(9, 1), term(9, -1), term(9, -2), term(last, maxValue), term(0, -maxValue)}
	if err := m.Add(Row{Terms: terms}); err != nil {
		t.Fatal(err)
	}
	if err := m.Add(Row{Terms: []eval.Term{term(5, 1)}, Outcome: engine.WhiteWins}); err != nil {
		t.Fatal(err)
	}
	got := map[int]int{}
	for _, t := range m.of(0) {
		got[int(termFeature(t))] += int(termValue(t))
	}
	want := map[int]int{5: 2, 9: -2, last: maxValue, 0: -maxValue}
	if len(got) != len(want) || len(m.of(0)) != len(want) {
		t.Fatalf("terms %v, want %v", got, want)
	}
	for i, v := range want {
		if got[i] != v {
			t.Errorf("feature %d: %d, want %d", i, got[i], v)
		}
	}
	if len(m.of(1)) != 1 || m.counts[5] != 2 || m.counts[7] != 0 || m.counts[9] != 1 {
		t.Errorf("second row %v, counts %v", m.of(1), m.counts[:10])
	}
}

// Protects against rows that the packed form would silently distort.
func TestMatrixRefuses(t *testing.T) {
	for name, r := range map[string]Row{
		"coefficient": {Terms: []eval.Term{term(0, maxValue), term(0, 1)}},
		"does not":    {Terms: []eval.Term{term(2, 1)}},
		"phase":       {Phase: eval.MaxPhase + 1},
		"outcome":     {Outcome: engine.Unfinished},
		"score":       {Scored: true, Score: 40000},
	} {
		if err := newTestMatrix(t, 2).Add(r); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, n := range []int{0, 1 << 20} {
		if _, err := NewMatrix(n); err == nil {
			t.Errorf("a matrix for %d features was made", n)
		}
	}
}

// Protects thinning: rows left keep their terms, counts follow.
func TestMatrixKeep(t *testing.T) {
	m := newTestMatrix(t, 3)
	for i := range 10 {
		addRow(t, m, i, engine.Draw, int16(i), int16(i%2), 1)
	}
	m.keep(func(i int) bool { return i%3 == 0 })
	for i, phase := range []int{0, 3, 6, 9} {
		var values []int
		for _, term := range m.of(i) {
			values = append(values, int(termValue(term)))
		}
		var want []int
		for _, v := range []int{phase, phase % 2, 1} {
			if v != 0 {
				want = append(want, v)
			}
		}
		if int(m.rows[i].phase) != phase || !slices.Equal(values, want) {
			t.Errorf("row %d: phase %d values %v, want %d %v", i, m.rows[i].phase, values, phase, want)
		}
	}
	if m.Rows() != 4 || !slices.Equal(m.counts, []int32{3, 2, 4}) {
		t.Errorf("%d rows, counts %v", m.Rows(), m.counts)
	}
}

// Protects reduction: evaluations stay what they were, whatever the weights of
// the kept features, and kept features have their counts.
func TestMatrixReduce(t *testing.T) {
	m := newTestMatrix(t, 5)
	weights := []pair{{1, 2}, {3, -1}, {0.5, 0.25}, {-2, 4}, {1, 1}}
	for i := range int16(12) {
		addRow(t, m, 20*int(i), engine.Draw, i, i%3, -i, i%2, 1)
	}
	var before []float64
	for i := range m.rows {
		before = append(before, m.score(i, weights))
	}
	counts := slices.Clone(m.counts)
	kept := []int{1, 3}
	m.reduce(kept, weights)
	for i, want := range before {
		if got := m.score(i, []pair{weights[1], weights[3]}); math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d: %v, was %v", i, got, want)
		}
		if len(m.of(i)) > 2 {
			t.Errorf("row %d has terms %v", i, m.of(i))
		}
	}
	if !slices.Equal(m.counts, []int32{counts[1], counts[3]}) {
		t.Errorf("counts %v", m.counts)
	}
}
