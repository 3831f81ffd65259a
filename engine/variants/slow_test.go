package variants_test

import (
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/slow"
)

// compare checks a position's moves against the slow generator. It returns
// the number of paths, and false if there are too many jumps to follow.
func compare(t testing.TB, v *engine.Variant, p *engine.Position, fast []engine.Move, maxJumps int) (int, bool) {
	t.Helper()
	want, ok := slow.Moves(v, p, maxJumps)
	if !ok {
		return 0, false
	}
	total := 0
	for _, n := range want {
		total += n
	}
	for _, m := range fast {
		if want[slow.Of(v, m)] == 0 {
			t.Errorf("%s %s: %s is not legal, or occurs twice", v.Name, writeFEN(v, p), text(v, p, m))
		}
		delete(want, slow.Of(v, m))
	}
	for m := range want {
		t.Errorf("%s %s: missing %+v", v.Name, writeFEN(v, p), m)
	}
	return total, true
}
