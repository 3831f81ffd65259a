package selfplay

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Protects job arrays: what status prints, selfplay reads as the same shards.
func TestShardNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 40
		shards := rapid.SliceOfDistinct(rapid.IntRange(0, size-1), func(i int) int { return i }).Draw(t, "shards")
		slices.Sort(shards)
		text := FormatShards(shards)
		if len(shards) == 0 {
			if text != "" {
				t.Fatalf("no shards are %q", text)
			}
			return
		}
		if got, err := ParseShards(text, size); err != nil || !slices.Equal(got, shards) {
			t.Fatalf("%v became %q, and that %v (%v)", shards, text, got, err)
		}
	})
	for text, want := range map[string]string{"0": "0", "3,1-2,2": "1-3", "7-99": "7-9", "0-0,5": "0,5"} {
		if got, err := ParseShards(text, 10); err != nil || FormatShards(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "-", "10", "3-2", "1,", "a", "1-2-3", "0x1", "+1", "12-15", "4294967296"} {
		if got, err := ParseShards(bad, 10); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

// Protects the numbers of shards: they run through the plan, whose size is
// known without making it.
func TestPlanSize(t *testing.T) {
	for _, games := range []int64{1, 39, 40, 41, 100} {
		cfg := randomConfig(games, "croda", "frisian")
		cfg.ShardGames = 40
		plan := cfg.Plan()
		if len(plan) != cfg.PlanSize() {
			t.Errorf("%d games: %d shards, size %d", games, len(plan), cfg.PlanSize())
		}
		covered := map[string]int64{}
		for _, s := range plan {
			if s.First != covered[s.Variant] {
				t.Errorf("%d games: %+v begins after game %d", games, s, covered[s.Variant])
			}
			covered[s.Variant] = s.Last
		}
		if covered["croda"] != games || covered["frisian"] != games {
			t.Errorf("%d games: %v are in the plan", games, covered)
		}
	}
}
