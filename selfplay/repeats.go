package selfplay

import (
	"fmt"

	"draughtlab/engine"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// Repeats says of the first games of a variant how many begin where one before
// them does.
type Repeats struct {
	Variant         string
	Games, Repeated int64
}

// maxRepeatsSample is how many openings are drawn to count repeats: a tenth of a
// second's work.
const maxRepeatsSample = 20_000

// OpeningRepeats draws the openings of the first games of each variant, at most
// 20,000, as the games will draw them, and counts those whose position an earlier
// one came to. A search has no luck: from equal positions it plays equal games,
// which add nothing to what is known. Runs of random players, and from files of
// openings, are left out.
func (c *Config) OpeningRepeats() ([]Repeats, error) {
	if c.Player.Kind != Search {
		return nil, nil
	}
	profile, err := engine.ParseProfile(c.Profile)
	if err != nil {
		return nil, err
	}
	var all []Repeats
	for _, name := range c.Variants {
		if _, fromFile := c.Openings[name]; fromFile {
			continue
		}
		v, err := variants.ByName(name)
		if err != nil {
			return nil, err
		}
		table := NewTable(v, profile, c.MaxPlies, dataset.Referee{})
		r := Repeats{Variant: name, Games: min(c.Games, maxRepeatsSample)}
		seen := map[engine.Position]struct{}{}
		for game := range r.Games {
			if err := table.open(newRand(GameSeed(c.Seed, name, game)), c.initial(v), c.RandomPlies); err != nil {
				return nil, fmt.Errorf("%s game %d: %w", name, game, err)
			}
			p := table.game.Position()
			if _, known := seen[p]; known {
				r.Repeated++
			}
			seen[p] = struct{}{}
		}
		all = append(all, r)
	}
	return all, nil
}
