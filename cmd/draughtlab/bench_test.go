package main

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// Protects every figure against being missing, and the signature against
// depending on the clock or on an earlier run.
func TestBench(t *testing.T) {
	out, err := execute(newBenchCommand(), "", "--variant", "russian", "--seconds", "0.001", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var r benchReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Games) != 1 || r.Workers < 1 {
		t.Fatalf("%+v", r)
	}
	g := r.Games[0]
	self := g.Selfplay
	figures := []float64{
		g.PerftBulk, g.PerftLeaf, g.Playouts, g.PlayoutPlies, g.Generate, g.Evaluate, g.Search, g.SearchAll, g.Ratio,
		self.Random, self.Play, self.Rows, self.Hash, self.Parquet, self.Write, self.Bytes,
	}
	for _, e := range self.Engine {
		figures = append(figures, e.Games, e.Positions, e.Rest, 1-e.Rest)
	}
	if len(self.Engine) != len(benchLimits) || self.RandomCPU < 0 || self.Bytes > 50 {
		t.Errorf("self-play: %+v", self)
	}
	for i, x := range figures {
		if !(x > 0) {
			t.Errorf("figure %d is %v", i, x)
		}
	}
	if len(g.Signature) != 16 || g.SearchNodes < 100_000 || g.SearchNodes > 10*benchNodes+1000 {
		t.Errorf("%+v", g)
	}
	v, err := variants.ByName("russian")
	if err != nil {
		t.Fatal(err)
	}
	set, err := searchPositions(v)
	if err != nil {
		t.Fatal(err)
	}
	if nodes, again, err := signature(newBenchSearcher(v), v, set); err != nil || nodes != g.SearchNodes || again != g.Signature {
		t.Errorf("signature %s of %d nodes, then %s of %d, %v", g.Signature, g.SearchNodes, again, nodes, err)
	}
	text := r.text()
	if !strings.Contains(text, g.Signature) {
		t.Errorf("signature %s is not in\n%s", g.Signature, text)
	}
	for line := range strings.Lines(text) {
		if len(line) > 81 || strings.HasSuffix(line, " \n") {
			t.Errorf("%d columns: %q", len(line)-1, line)
		}
	}
}

// Protects the fixed positions: each is one of its game, with a choice of
// moves, and none stands there twice.
func TestBenchPositions(t *testing.T) {
	for _, v := range variants.All() {
		set, err := searchPositions(v)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[engine.Position]bool{}
		for i := range set {
			if len(v.Generate(&set[i], nil)) < 2 || v.Ending(&set[i], engine.Basic).Draw != engine.Ongoing || seen[set[i]] {
				t.Errorf("%s: position %d", v.Name, i)
			}
			seen[set[i]] = true
		}
		if len(set) != 10 || set[0] != v.Start || benchDepth[v.Name] == 0 {
			t.Errorf("%s: %d positions", v.Name, len(set))
		}
	}
}

// Protects the random games by their mean length: an independent C++ generator
// gives 104.2, 48.8 and 70.7 plies over 200,000 games. 2,000 games come within
// four standard errors.
func TestPlayoutLength(t *testing.T) {
	for name, want := range map[string]struct{ plies, tolerance float64 }{
		"croda": {104.2, 3}, "russian": {48.8, 2}, "frisian": {70.7, 2.5},
	} {
		v, err := variants.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		rng, buf, plies := rand.New(rand.NewPCG(1, 0)), make([]engine.Move, 0, perftMoves), 0
		for range 2000 {
			plies += playout(v, rng, buf, nil)
		}
		if mean := float64(plies) / 2000; mean < want.plies-want.tolerance || mean > want.plies+want.tolerance {
			t.Errorf("%s: %.2f plies, want about %.1f", name, mean, want.plies)
		}
	}
}

func TestBenchBadInput(t *testing.T) {
	for args, want := range map[string]string{
		"--variant chess": `unknown variant "chess"`,
		"--seconds 0":     "--seconds 0",
		"--seconds NaN":   "--seconds NaN",
		"--seconds 1e9":   "--seconds 1e+09",
		"extra":           "extra",
	} {
		_, err := execute(newBenchCommand(), "", strings.Fields(args)...)
		wantError(t, err, want)
	}
}

// BenchmarkPlayout plays random games to their end.
func BenchmarkPlayout(b *testing.B) {
	for _, v := range variants.All() {
		b.Run(v.Name, func(b *testing.B) {
			b.ReportAllocs()
			rng, buf := rand.New(rand.NewPCG(1, 0)), make([]engine.Move, 0, perftMoves)
			for b.Loop() {
				playout(v, rng, buf, nil)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
		})
	}
}

// BenchmarkGenerate generates the moves of positions from random games.
func BenchmarkGenerate(b *testing.B) {
	for _, v := range variants.All() {
		b.Run(v.Name, func(b *testing.B) {
			b.ReportAllocs()
			positions, buf := playoutPositions(v), make([]engine.Move, 0, perftMoves)
			n := uint64(0)
			for b.Loop() {
				n += generateAll(v, positions, buf)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/position")
		})
	}
}
