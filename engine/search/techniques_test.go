package search

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
)

// Protects the test for captures without a list against the generator: they
// must agree for the side to move, or positions are evaluated amid captures.
func TestCapturersAgreeWithGenerate(t *testing.T) {
	for _, v := range variants.All() {
		r := rand.New(rand.NewPCG(19, 0))
		c := newCapturers(v.Capture)
		g := engine.NewGame(v, engine.Basic, v.Start, 0)
		captures, quiet, kings := 0, 0, 0
		for n := 0; n < 4000; {
			if !randomGame(g, r, r.IntN(160)) {
				continue
			}
			n++
			p := g.Position()
			want := g.Legal()[0].IsCapture()
			if got := c.any(&p, p.Side()); got != want {
				t.Fatalf("%s: %+v: capture %v, want %v", v.Name, p, got, want)
			}
			switch {
			case want:
				captures++
			default:
				quiet++
			}
			if p.Own()&p.Kings != 0 {
				kings++
			}
		}
		if min(captures, quiet, kings) < 100 {
			t.Errorf("%s: %d captures, %d quiet, %d with kings: too few", v.Name, captures, quiet, kings)
		}
	}
}

// Protects the names against the constants they stand for, and the measured
// table against techniques it leaves out.
func TestTechniques(t *testing.T) {
	if !slices.IsSorted(Techniques()) {
		t.Error("names out of order")
	}
	for name, want := range map[string]technique{"aspiration": aspiration, "table": hashTable, "threat": threat} {
		if got := techniquesBut(nil, "croda") &^ techniquesBut([]string{name}, "croda"); got != want {
			t.Errorf("off=%s switches %b off, want %b", name, got, want)
		}
	}
	if techniquesBut(Techniques(), "croda") != 0 {
		t.Error("something cannot be switched off")
	}
	text, err := os.ReadFile("TECHNIQUES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Techniques() {
		if !strings.Contains(string(text), "| "+name+" |") {
			t.Errorf("TECHNIQUES.md has no row for %s", name)
		}
	}
}

// Protects the switches: each changes the search, so none is dead, and with any
// of them off the search still obeys its limits and is legal.
func TestEachTechniqueMatters(t *testing.T) {
	for _, name := range Techniques() {
		differs := false
		for _, v := range variants.All() {
			g := engine.NewGame(v, engine.Basic, v.Start, 0)
			off := New(v, eval.Default(v), Options{Off: []string{name}})
			checkSearch(t, off, g, Limits{Nodes: 3000})
			off.Clear()
			a, err := off.Search(v.Start, nil, Limits{Depth: 6})
			if err != nil {
				t.Fatal(err)
			}
			b, err := newSearcher(v).Search(v.Start, nil, Limits{Depth: 6})
			if err != nil {
				t.Fatal(err)
			}
			differs = differs || a.Nodes != b.Nodes
		}
		if !differs {
			t.Errorf("off=%s changes nothing", name)
		}
	}
}
