package search

import (
	"testing"

	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
)

// BenchmarkSearch plays no game: it searches the start position with 100,000
// nodes; the metric is nodes a second.
func BenchmarkSearch(b *testing.B) {
	for _, v := range variants.All() {
		b.Run(v.Name, func(b *testing.B) {
			s := New(v, eval.Default(v), Options{})
			nodes := uint64(0)
			for b.Loop() {
				s.Clear()
				r, err := s.Search(v.Start, nil, Limits{Nodes: 100_000})
				if err != nil {
					b.Fatal(err)
				}
				nodes += r.Nodes
				b.ReportMetric(float64(r.Depth), "depth")
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
