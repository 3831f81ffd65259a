package dataset

import (
	"testing"

	"draughtlab/engine/variants"
)

// BenchmarkRows measures what it takes to play games again and make their rows.
func BenchmarkRows(b *testing.B) {
	benchmarkGames(b, func(_ *ShardWriter, records []*Record, maker *rowMaker) {
		for _, r := range records {
			if _, _, err := maker.rows(r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAdd measures what it takes to make, hash, encode and compress rows.
func BenchmarkAdd(b *testing.B) {
	benchmarkGames(b, func(w *ShardWriter, records []*Record, _ *rowMaker) {
		for _, r := range records {
			r.Number = w.next
			if err := w.Add(r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchmarkGames measures work with the same games of each variant again and
// again, in nanoseconds a position.
func benchmarkGames(b *testing.B, work func(*ShardWriter, []*Record, *rowMaker)) {
	for _, v := range variants.All() {
		b.Run(v.Name, func(b *testing.B) {
			spec := testSpec(v, 0, 0, 1<<40)
			w, err := CreateShard(b.TempDir(), spec)
			if err != nil {
				b.Fatal(err)
			}
			defer w.Abort()
			var records []*Record
			positions := 0
			for n := range int64(50) {
				records = append(records, randomRecord(b, v, n, testPlyLimit))
				positions += len(records[n].Moves)
			}
			maker := newRowMaker(spec)
			b.ReportAllocs()
			rounds := 0
			for b.Loop() {
				work(w, records, maker)
				rounds++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds*positions), "ns/position")
		})
	}
}
