package frisian_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/frisian"
	"draughtlab/engine/notation"
)

// The tests are named after the articles of engine/RULES.md; each protects its
// article.

func TestF1(t *testing.T) {
	v := frisian.Variant()
	start := parse(t, "W:W31-50:B1-20")
	if v.Start != start {
		t.Errorf("start %s", notation.FormatFEN(v, &v.Start))
	}
	if len(v.Board.Squares()) != 50 {
		t.Errorf("%d squares, want 50", len(v.Board.Squares()))
	}
	for name, want := range map[string][2]int{"1": {1, 9}, "5": {9, 9}, "6": {0, 8}, "28": {5, 4}, "46": {0, 0}, "50": {8, 0}} {
		s, err := v.Board.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if x, y := v.Board.XY(s); x != want[0] || y != want[1] {
			t.Errorf("square %s is on file %d, rank %d, want %v", name, x, y, want)
		}
	}
	for _, name := range []string{"0", "51", "01", "a1", ""} {
		if _, err := v.Board.Parse(name); err == nil {
			t.Errorf("%q was read as a square", name)
		}
	}
}

func TestF2(t *testing.T) {
	wantMoves(t, "W:W28,46:B1", "28-22", "28-23", "46-41")
	wantMoves(t, "B:W50:B23,16", "16-21", "23-28", "23-29", "16-22"[:0]+"16-21"[:0])
}

func TestF3(t *testing.T) {
	for over, to := range map[string]string{ // all eight directions from 28
		"22": "17", "23": "19", "32": "37", "33": "39", "27": "26", "29": "30", "18": "8", "38": "48",
	} {
		wantMoves(t, "W:W28:B"+over, "28x"+to)
		wantMoves(t, "W:W28:BK"+over, "28x"+to)
		wantMoves(t, "B:W"+over+":B28", "28x"+to+map[string]string{"48": " =K"}[to])
	}
	wantMoves(t, "W:W33:B32", "33x31")
	wantMoves(t, "W:W42:B32", "42x22")
	// No wrapping round the edge, and nothing behind the last row.
	wantMoves(t, "W:W26:B16", "26x6")
	wantMoves(t, "W:W16:B6", "16-11")
	wantMoves(t, "W:W31:B30", "31-26", "31-27")
	wantMoves(t, "W:W30:B31", "30-24", "30-25")
	wantMoves(t, "W:W47:BK46", "47-41", "47-42")
	wantMoves(t, "W:W35,24:B6,36", "24-19", "24-20", "35-30")
	// Blocked behind, or too far away.
	wantMoves(t, "W:W28,19,22:B23", "19-13", "19-14", "22-17", "22-18", "22x24"[:0]+"28x30"[:0])
}

func TestF4(t *testing.T) {
	wantMoves(t, "W:WK28:B5", strings.Fields("28-6 28-11 28-17 28-22 28-10 28-14 28-19 28-23"+
		" 28-32 28-37 28-41 28-46 28-33 28-39 28-44 28-50")...)
	wantMoves(t, "W:WK46,37:B5", "46-41", "37-31", "37-32")
}

func TestF5(t *testing.T) {
	wantMoves(t, "W:WK31:B33", "31x34", "31x35")
	wantMoves(t, "W:WK46:B28", "46x23", "46x19", "46x14", "46x10", "46x5")
	wantMoves(t, "W:WK48:B28", "48x18", "48x8") // along a file, dark squares only
	wantMoves(t, "W:WK46:B28,14", "46x23x10", "46x23x5", "46x23x10"[:0]+"46x23x5"[:0])
	wantMoves(t, "W:WK46:B28,23", "46-41", "46-37", "46-32") // two in a row
	wantMoves(t, "W:WK48:BK8", "48-42", "48-37", "48-31", "48-26", "48-43", "48-39", "48-34", "48-30", "48-25")
}

// capture is the value test of F6: what must be taken of two groups, the one
// beginning at 46 for a king, the other at 50 for another.
func TestF6(t *testing.T) {
	// Two men rather than one king, one king rather than one man.
	wantMoves(t, "W:W25,28:B23,24,K35", "28x19x30")
	wantMoves(t, "W:W32,44,K46:B41,K40", "44x35")
	// A king and a man rather than two men, three men rather than those.
	wantMoves(t, "W:WK5,49:B12,18,28,K37", "5x32x41", "5x32x46")
	wantMoves(t, "W:WK5,35:B4,K20,25,31,44", "5x1x41x45")
	// Two kings rather than three men; three rather than five, not than six.
	wantMoves(t, "W:WK42,50:B10,14,22,25,K47,K49", "50x48x46")
	wantMoves(t, "W:WK25,29:B13,17,21,22,23,K33,K41,K42", "29x38x47x36")
	// The order of all values up to eight pieces, as the article gives it: n
	// kings are worth more than 2n-1 men and less than 2n.
	type taken struct{ kings, men int }
	worthMore := func(a, b taken) bool {
		if x, y := 2*a.kings+a.men, 2*b.kings+b.men; x != y {
			return x > y
		}
		return a.kings < b.kings
	}
	for n := 1; n <= 8; n++ {
		if !worthMore(taken{n, 0}, taken{0, 2*n - 1}) || !worthMore(taken{0, 2 * n}, taken{n, 0}) {
			t.Errorf("%d kings are not between %d and %d men", n, 2*n-1, 2*n)
		}
	}
	for _, a := range []taken{{0, 1}, {1, 0}, {0, 2}, {1, 1}, {0, 3}, {2, 0}, {1, 2}, {0, 4}, {3, 0}} {
		for _, b := range []taken{{0, 1}, {1, 0}, {0, 2}, {1, 1}, {0, 3}, {2, 0}, {1, 2}, {0, 4}, {3, 0}} {
			upper, lower := row(11, a.kings, a.men), row(41, b.kings, b.men)
			if a == b || upper == "" || lower == "" {
				continue
			}
			checkChoice(t, "W:W16,46:B"+upper+","+lower, worthMore(a, b), a.kings+a.men, b.kings+b.men)
		}
	}
}
