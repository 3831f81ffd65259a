package notation_test

import (
	"testing"

	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// Protects the writers of datasets from garbage: the text of a move that needs
// no route costs no memory of its own, and stands behind what was there.
func TestAppendMove(t *testing.T) {
	for _, v := range variants.All() {
		p := v.Start
		legal := v.Generate(&p, nil)
		buf := make([]byte, 0, 1<<10)
		allocations := testing.AllocsPerRun(100, func() {
			buf = append(buf[:0], "1. "...)
			buf = notation.AppendMove(buf, v, &p, legal[0], legal)
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations", v.Name, allocations)
		}
		if want := "1. " + notation.FormatMove(v, &p, legal[0], legal); string(buf) != want {
			t.Errorf("%s: %q, want %q", v.Name, buf, want)
		}
	}
}
