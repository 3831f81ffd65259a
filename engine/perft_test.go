package engine_test

import (
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// TestPerftStart protects the counting itself, with and without bulk: the
// start positions have published counts.
func TestPerftStart(t *testing.T) {
	want := map[string][]uint64{
		"croda":   {1, 22, 484, 10494, 194440},
		"russian": {1, 7, 49, 302, 1469, 7482, 37986},
		"frisian": {1, 9, 81, 658, 3874, 21265, 102431},
	}
	for _, v := range variants.All() {
		buf := make([]engine.Move, 0, 4096)
		for depth, n := range want[v.Name] {
			for _, bulk := range []bool{true, false} {
				if got := engine.Perft(v, &v.Start, depth, bulk, buf); got != n {
					t.Errorf("%s depth %d bulk %v: %d, want %d", v.Name, depth, bulk, got, n)
				}
			}
		}
	}
}

// TestPerftAllocations protects the speed: a call allocates its path once and
// nothing per node.
func TestPerftAllocations(t *testing.T) {
	for _, v := range variants.All() {
		buf := make([]engine.Move, 0, 4096)
		if n := testing.AllocsPerRun(3, func() { engine.Perft(v, &v.Start, 4, false, buf) }); n > 1 {
			t.Errorf("%s: %v allocations a call, want at most 1", v.Name, n)
		}
	}
}

// BenchmarkPerft makes every leaf.
func BenchmarkPerft(b *testing.B) {
	for _, v := range variants.All() {
		b.Run(v.Name, func(b *testing.B) {
			buf := make([]engine.Move, 0, 4096)
			var nodes uint64
			for b.Loop() {
				nodes += engine.Perft(v, &v.Start, 5, false, buf)
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}
