package selfplay

// Shard is a part of a run's plan: the games [First, Last) of a variant, which
// share a file in each table.
type Shard struct {
	Variant     string
	Number      int
	First, Last int64
}

// Plan returns the shards of a run in the order in which they are played. It
// depends on the config only.
func (c *Config) Plan() []Shard {
	var plan []Shard
	for _, v := range c.Variants {
		for first := int64(0); first < c.Games; first += c.ShardGames {
			plan = append(plan, Shard{v, int(first / c.ShardGames), first, min(first+c.ShardGames, c.Games)})
		}
	}
	return plan
}
