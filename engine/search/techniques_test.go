package search

import (
	"os"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
)

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
	table, err := os.ReadFile("TECHNIQUES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Techniques() {
		if !strings.Contains(string(table), "| "+name+" |") {
			t.Errorf("TECHNIQUES.md has no row for %s", name)
		}
	}
	script, err := os.ReadFile("techniques.sh")
	if err != nil {
		t.Fatal(err)
	}
	if list := strings.Join(Techniques(), " "); !strings.Contains(string(script), ":-"+list+"}") {
		t.Errorf("techniques.sh does not measure %s", list)
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
