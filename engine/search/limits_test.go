package search

import (
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// Stop ends a search within some thousand nodes and leaves a legal move, even
// where it answers true from the beginning, among captures without end.
func TestStop(t *testing.T) {
	many := place(t, variant(t, "frisian"), engine.White, "K46 K50 K5", "7 8 9 10 17 18 19 20 27 28 29 30 37 38 39 40 41")
	for _, v := range variants.All() {
		positions := []engine.Position{v.Start}
		if v.Name == "frisian" {
			positions = append(positions, many)
		}
		for _, p := range positions {
			for _, after := range []int{0, 3} {
				asked := 0
				r, err := newSearcher(v).Search(p, nil, Limits{Stop: func() bool { asked++; return asked > after }})
				if err != nil {
					t.Fatal(err)
				}
				if r.Nodes > uint64(after+2)*1024 || len(r.PV) == 0 || !r.PV[0].Same(r.Move) {
					t.Errorf("%s, stop at question %d: %d nodes, %s", v.Name, after+1, r.Nodes, show(v, r.Move))
				}
				g := engine.NewGame(v, engine.Basic, p, 0)
				if err := g.Play(r.Move); err != nil {
					t.Errorf("%s: %v", v.Name, err)
				}
			}
		}
	}
}

// Stop and Progress change nothing in a search that they do not end.
func TestStopIsNeutral(t *testing.T) {
	for _, v := range variants.All() {
		plain, err := newSearcher(v).Search(v.Start, nil, Limits{Nodes: 20000})
		if err != nil {
			t.Fatal(err)
		}
		depth := 0
		asked, err := newSearcher(v).Search(v.Start, nil, Limits{
			Nodes: 20000, Stop: func() bool { return false },
			Progress: func(r Result) {
				if r.Depth != depth+1 {
					t.Errorf("depth %d follows %d", r.Depth, depth)
				}
				depth = r.Depth
			},
		})
		if err != nil || asked.Move != plain.Move || asked.Score != plain.Score || asked.Nodes != plain.Nodes || depth != plain.Depth {
			t.Errorf("%s: %+v, want %+v, %v", v.Name, asked, plain, err)
		}
	}
}

// Except leaves moves out, until none is left; Deep searches the last one, too.
func TestExcept(t *testing.T) {
	for _, v := range variants.All() {
		legal := v.Generate(&v.Start, nil)
		var except []engine.Move
		for range legal {
			r, err := newSearcher(v).Search(v.Start, nil, Limits{Depth: 2, Except: except, Deep: true})
			if err != nil || r.Depth != 2 {
				t.Fatalf("%s: %+v, %v", v.Name, r, err)
			}
			for _, m := range except {
				if m.Same(r.Move) {
					t.Errorf("%s: %s is left out and found", v.Name, show(v, m))
				}
			}
			except = append(except, r.Move)
		}
		if _, err := newSearcher(v).Search(v.Start, nil, Limits{Depth: 2, Except: except}); err == nil {
			t.Errorf("%s: a move beside all moves", v.Name)
		}
	}
}
