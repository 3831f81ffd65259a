package frisian

import "testing"

// TestF6Value protects the order of captures: n kings are worth more than 2n-1
// men and less than 2n; at equal sums fewer kings are worth more; at equal
// worth, and only then, a king must capture (F7).
func TestF6Value(t *testing.T) {
	const all = 20
	worth := func(kings, men int, byKing bool) int {
		k := uint64(1)<<kings - 1
		m := (uint64(1)<<men - 1) << all
		return value(k|m, k, byKing)
	}
	for a := range all + 1 {
		if a > 0 && worth(a, 0, false) <= worth(0, 2*a-1, true) {
			t.Errorf("%d kings are not worth more than %d men", a, 2*a-1)
		}
		if a > 0 && worth(a, 0, true) >= worth(0, 2*a, false) {
			t.Errorf("%d kings are not worth less than %d men", a, 2*a)
		}
		for b := range all + 1 - a {
			if a > 1 && worth(a-1, b, true) >= worth(a, b, false) || b > 0 && worth(a, b-1, true) >= worth(a, b, false) {
				t.Errorf("%d kings and %d men are not worth more than one piece less", a, b)
			}
			if a > 0 && b+2 <= all && worth(a, b, true) >= worth(a-1, b+2, false) {
				t.Errorf("%d kings and %d men: one king less and two men more must be worth more", a, b)
			}
			if worth(a, b, true) <= worth(a, b, false) {
				t.Errorf("%d kings and %d men: a king must capture", a, b)
			}
		}
	}
}
