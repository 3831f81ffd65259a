package drawrate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Tally counts games by variant and profile. The zero value is empty and ready.
// It keeps 8 bytes for each different game and 24 for each opening, besides the
// maps' own overhead, and no game itself. It is not for concurrent use: give
// each goroutine its own and Merge them. The order of games, and of merging,
// makes no difference to a report.
type Tally struct {
	rows map[rowKey]*rowTally
}

type rowKey struct{ variant, profile string }

type endKey struct{ class, termination string }

type rowTally struct {
	counts   Counts
	plies    int64 // of the finished games
	ends     map[endKey]Counts
	openings map[uint64]opening
	games    map[uint64]struct{}
	players  map[string]struct{}
}

// opening counts the finished games from one opening.
type opening struct{ games, draws int64 }

// Expect makes sure that a report has a row for the variant and profile even if
// no game of theirs is added.
func (t *Tally) Expect(variant, profile string) {
	t.row(rowKey{variant, profile})
}

// Add counts one game. A game with an unknown outcome or a negative length is an
// error that wraps ErrGame, and is not counted.
func (t *Tally) Add(g Game) error {
	one, err := g.Outcome.counts()
	if err != nil {
		return err
	}
	if g.Plies < 0 {
		return fmt.Errorf("%w: %d plies", ErrGame, g.Plies)
	}
	row := t.row(rowKey{g.Variant, g.Profile})
	row.counts.add(one)
	end := row.ends[endKey{g.Class, g.Termination}]
	end.add(one)
	row.ends[endKey{g.Class, g.Termination}] = end
	row.games[g.Key] = struct{}{}
	if g.Player != "" {
		row.players[g.Player] = struct{}{}
	}
	o := row.openings[g.Opening]
	o.games += one.finished()
	o.draws += one.Draw
	row.openings[g.Opening] = o
	row.plies += one.finished() * int64(g.Plies)
	return nil
}

// Merge adds all that other has counted. Other is left as it was.
func (t *Tally) Merge(other *Tally) {
	for key, from := range other.rows {
		row := t.row(key)
		row.counts.add(from.counts)
		row.plies += from.plies
		for end, counts := range from.ends {
			sum := row.ends[end]
			sum.add(counts)
			row.ends[end] = sum
		}
		for key, o := range from.openings {
			sum := row.openings[key]
			row.openings[key] = opening{sum.games + o.games, sum.draws + o.draws}
		}
		maps.Copy(row.games, from.games)
		maps.Copy(row.players, from.players)
	}
}

func (t *Tally) row(key rowKey) *rowTally {
	if row := t.rows[key]; row != nil {
		return row
	}
	if t.rows == nil {
		t.rows = map[rowKey]*rowTally{}
	}
	row := &rowTally{
		ends:     map[endKey]Counts{},
		openings: map[uint64]opening{},
		games:    map[uint64]struct{}{},
		players:  map[string]struct{}{},
	}
	t.rows[key] = row
	return row
}

// sameGames counts the different games that are in both rows.
func (r *rowTally) sameGames(other *rowTally) int64 {
	few, many := r.games, other.games
	if len(few) > len(many) {
		few, many = many, few
	}
	var same int64
	for game := range few {
		if _, found := many[game]; found {
			same++
		}
	}
	return same
}

// sample returns the openings that have finished games, in a fixed order.
func (r *rowTally) sample() sample {
	number := map[opening]int64{}
	for _, o := range r.openings {
		if o.games > 0 {
			number[o]++
		}
	}
	s := make(sample, 0, len(number))
	for o, n := range number {
		s = append(s, pattern{o.games, o.draws, n})
	}
	slices.SortFunc(s, func(a, b pattern) int {
		return cmp.Or(cmp.Compare(b.openings, a.openings), cmp.Compare(a.games, b.games),
			cmp.Compare(a.draws, b.draws))
	})
	return s
}
