package selfplay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Shard is a part of a run's plan: the games [First, Last) of a variant, which
// share a file in each table.
type Shard struct {
	Variant     string
	Number      int
	First, Last int64
}

// Plan returns the shards of a run in the order in which they are played. It
// depends on the config only. A shard's place in it, from 0, is what Options.
// Shards, ParseShards and FormatShards number.
func (c *Config) Plan() []Shard {
	var plan []Shard
	for _, v := range c.Variants {
		for first := int64(0); first < c.Games; first += c.ShardGames {
			plan = append(plan, Shard{v, int(first / c.ShardGames), first, min(first+c.ShardGames, c.Games)})
		}
	}
	return plan
}

// PlanSize returns the number of shards of the plan.
func (c *Config) PlanSize() int {
	return len(c.Variants) * int((c.Games+c.ShardGames-1)/c.ShardGames)
}

// ParseShards reads numbers and ranges of shards of a plan of size shards, as
// Slurm writes the tasks of an array: "0-3,17". It returns them in ascending
// order, each once. Numbers beyond the plan are an error, but a range may end
// beyond it: the last one of equal parts does.
func ParseShards(text string, size int) ([]int, error) {
	var shards []int
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		first, err1 := strconv.ParseUint(low, 10, 31)
		last, err2 := strconv.ParseUint(high, 10, 31)
		switch {
		case err1 != nil || err2 != nil || last < first:
			return nil, fmt.Errorf("shards %q: it takes numbers from 0 and ranges, such as 0-3,17", text)
		case int(first) >= size || !isRange && int(last) >= size:
			return nil, fmt.Errorf("shards %q: the plan has %d, numbered from 0", text, size)
		}
		for i := int(first); i <= int(last) && i < size; i++ {
			shards = append(shards, i)
		}
	}
	slices.Sort(shards)
	return slices.Compact(shards), nil
}

// FormatShards is the inverse of ParseShards for numbers in ascending order;
// none are the empty text.
func FormatShards(shards []int) string {
	var b strings.Builder
	for i := 0; i < len(shards); {
		end := i + 1
		for end < len(shards) && shards[end] == shards[end-1]+1 {
			end++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(shards[i]))
		if end-i > 1 {
			fmt.Fprintf(&b, "-%d", shards[end-1])
		}
		i = end
	}
	return b.String()
}
