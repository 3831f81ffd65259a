package notation_test

import (
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// TestHubVectors protects that the Hub text of every test position and of each
// of its moves is read back as the same, in both numberings.
func TestHubVectors(t *testing.T) {
	eachVector(t, func(v *engine.Variant, row vector, p engine.Position, legal []engine.Move) {
		for _, order := range []notation.HubOrder{notation.FromTop, notation.FromBottom} {
			h := notation.NewHub(v, order)
			text := h.Position(&p)
			q, err := h.ParsePosition(text)
			if err != nil || q.Pieces != p.Pieces || q.Kings != p.Kings || q.Side() != p.Side() {
				t.Errorf("%s is written as %s, and that is read with %v", row.FEN, text, err)
			}
			for _, m := range legal {
				got, err := h.ParseMove(legal, h.Move(m))
				if err != nil || !got.Same(m) {
					t.Errorf("%s: move %s is read with %v", row.FEN, h.Move(m), err)
				}
			}
		}
	})
}

// TestHubText protects the numbering: the start positions as the protocol and
// pydraughts write them, and moves whose squares are known.
func TestHubText(t *testing.T) {
	for _, c := range []struct {
		game  string
		order notation.HubOrder
		start string
		moves string // some moves of the start position, as PDN and as Hub
	}{
		{"frisian", notation.FromTop, "W" + strings.Repeat("b", 20) + strings.Repeat("e", 10) + strings.Repeat("w", 20), "31-26 31-26 35-30 35-30"},
		{"russian", notation.FromTop, "W" + strings.Repeat("b", 12) + strings.Repeat("e", 8) + strings.Repeat("w", 12), "a3-b4 21-17 g3-h4 24-20"},
		{"russian", notation.FromBottom, "W" + strings.Repeat("b", 12) + strings.Repeat("e", 8) + strings.Repeat("w", 12), "a3-b4 9-13 g3-h4 12-16"},
		{"croda", notation.FromTop, "W" + strings.Repeat("b", 24) + strings.Repeat("e", 16) + strings.Repeat("w", 24), "a3-a4 41-33 h3-g4 48-39"},
	} {
		v := byName(t, c.game)
		h := notation.NewHub(v, c.order)
		if got := h.Position(&v.Start); got != c.start {
			t.Errorf("%s starts with %s", c.game, got)
		}
		legal := v.Generate(&v.Start, nil)
		words := strings.Fields(c.moves)
		for i := 0; i < len(words); i += 2 {
			m, err := notation.ParseMove(v, &v.Start, legal, words[i])
			if err != nil {
				t.Fatal(err)
			}
			if got := h.Move(m); got != words[i+1] {
				t.Errorf("%s: %s is written as %s, want %s", c.game, words[i], got, words[i+1])
			}
		}
	}
}

// TestHubCaptures protects the text of captures: both ends, then the captured
// pieces by number; read in any order, and without them where one move fits.
func TestHubCaptures(t *testing.T) {
	v := byName(t, "frisian")
	p, err := notation.ParseFEN(v, "W:W31:B27,18,K14,25,K40")
	if err != nil {
		t.Fatal(err)
	}
	legal := v.Generate(&p, nil)
	h := notation.NewHub(v, notation.FromTop)
	if len(legal) != 1 || h.Move(legal[0]) != "31x44x14x18x25x27x40" {
		t.Fatalf("moves %v, the first %s", legal, h.Move(legal[0]))
	}
	for _, text := range []string{"31x44x27x18x14x25x40", "31x44"} {
		if m, err := h.ParseMove(legal, text); err != nil || !m.Same(legal[0]) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "31", "31-44", "31x44x27", "31x51", "ax44", "31-44-27", "31x44x0", strings.Repeat("1x", 100)} {
		if _, err := h.ParseMove(legal, text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestHubRefuses protects that a position string of a wrong length, letter or
// content is refused.
func TestHubRefuses(t *testing.T) {
	v := byName(t, "russian")
	h := notation.NewHub(v, notation.FromTop)
	for _, text := range []string{"", "W", strings.Repeat("e", 33), "W" + strings.Repeat("e", 50), "W" + strings.Repeat("x", 32), "Ww" + strings.Repeat("e", 31)} {
		if _, err := h.ParsePosition(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// FuzzHub protects that no text makes the Hub readers panic, and that what they
// accept they write as it was.
func FuzzHub(f *testing.F) {
	f.Add("W"+strings.Repeat("e", 20)+"bBbwW"+strings.Repeat("e", 25), "32x28x19")
	f.Add("B"+strings.Repeat("e", 31)+"B", "32-28")
	f.Fuzz(func(t *testing.T, position, move string) {
		for _, v := range variants.All() {
			h := notation.NewHub(v, notation.FromTop)
			p, err := h.ParsePosition(position)
			if err != nil {
				p = v.Start
			} else if got := h.Position(&p); got != position {
				t.Fatalf("%q is read as %q", position, got)
			}
			legal := v.Generate(&p, nil)
			m, err := h.ParseMove(legal, move)
			if err != nil {
				continue
			}
			if again, err := h.ParseMove(legal, h.Move(m)); err != nil || !again.Same(m) {
				t.Fatalf("%q is read as %q, and that with %v", move, h.Move(m), err)
			}
		}
	})
}
