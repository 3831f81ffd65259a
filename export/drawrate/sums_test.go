package drawrate

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Protects the counts of games and openings: they are those of a map, whenever
// they are asked for.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got sums
		want := map[uint64]sum{}
		for range rapid.IntRange(0, 5000).Draw(t, "games") {
			one := sum{key: rapid.Uint64Range(0, 700).Draw(t, "key"), games: 1, draws: uint32(rapid.IntRange(0, 1).Draw(t, "draw"))}
			got.add(one)
			was := want[one.key]
			want[one.key] = sum{one.key, was.games + 1, was.draws + one.draws}
		}
		for range 2 {
			list := slices.SortedFunc(maps.Values(want), func(a, b sum) int { return int(a.key) - int(b.key) })
			if !slices.Equal(got.all(), list) {
				t.Fatalf("%d keys, want %d, or other sums", len(got.all()), len(list))
			}
			got.add(sum{key: 7, games: 1})
			was := want[7]
			want[7] = sum{7, was.games + 1, was.draws}
		}
		if len(got.list) > 2*max(len(want), 1024) {
			t.Fatalf("%d entries are kept for %d keys", len(got.list), len(want))
		}
	})
}
