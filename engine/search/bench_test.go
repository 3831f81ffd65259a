package search

import (
	"math/rand/v2"
	"testing"

	"draughtlab/engine"
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

// BenchmarkGames plays games of the search with itself, 2,000 nodes a move, from
// random openings: every kind of position that games have. It is the profile
// for profile-guided optimisation; the metric is nodes a second.
func BenchmarkGames(b *testing.B) {
	for _, v := range variants.All() {
		b.Run(v.Name, func(b *testing.B) {
			s, r := New(v, eval.Default(v), Options{}), rand.New(rand.NewPCG(43, 0))
			g := engine.NewGame(v, engine.Basic, v.Start, 200)
			nodes := uint64(0)
			for b.Loop() {
				for !randomGame(g, r, 8) {
				}
				s.Clear()
				for g.Termination() == engine.Ongoing {
					res, err := s.Search(g.Position(), g.Keys(), Limits{Nodes: 2000})
					if err != nil {
						b.Fatal(err)
					}
					nodes += res.Nodes
					if err := g.Play(res.Move); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
