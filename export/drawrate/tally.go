package drawrate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Tally counts games by variant and profile. The zero value is empty and ready.
// It keeps 16 bytes for each different game and as many for each opening, twice
// that for a while, and no game itself. It is not for concurrent use: give
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
	openings sums // finished games by their openings
	games    sums // games by themselves
	players  map[string]struct{}
}

// sum counts the games, and the drawn ones, of one key.
type sum struct {
	key          uint64
	games, draws uint32
}

// sums adds up games by key. It is a list that is put in order and added up
// whenever it has doubled, which takes a third of a map's memory.
type sums struct {
	list []sum
	due  int // the length at which that is done again
}

func (s *sums) add(one sum) {
	const least = 1024
	if len(s.list) >= max(s.due, least) {
		s.due = 2 * len(s.all())
	}
	s.list = append(s.list, one)
}

// all returns one sum for each key, in the order of the keys.
func (s *sums) all() []sum {
	slices.SortFunc(s.list, func(a, b sum) int { return cmp.Compare(a.key, b.key) })
	n := 0
	for _, one := range s.list {
		if n > 0 && s.list[n-1].key == one.key {
			s.list[n-1].games += one.games
			s.list[n-1].draws += one.draws
			continue
		}
		s.list[n] = one
		n++
	}
	s.list = s.list[:n]
	return s.list
}

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
	row.games.add(sum{key: g.Key})
	if g.Player != "" {
		row.players[g.Player] = struct{}{}
	}
	row.openings.add(sum{g.Opening, uint32(one.finished()), uint32(one.Draw)})
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
		for _, one := range from.openings.list {
			row.openings.add(one)
		}
		for _, one := range from.games.list {
			row.games.add(one)
		}
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
		ends:    map[endKey]Counts{},
		players: map[string]struct{}{},
	}
	t.rows[key] = row
	return row
}

// sameGames counts the different games that are in both rows.
func (r *rowTally) sameGames(other *rowTally) int64 {
	var same int64
	ours, theirs := r.games.all(), other.games.all()
	for len(ours) > 0 && len(theirs) > 0 {
		switch a, b := ours[0].key, theirs[0].key; {
		case a < b:
			ours = ours[1:]
		case a > b:
			theirs = theirs[1:]
		default:
			same++
			ours, theirs = ours[1:], theirs[1:]
		}
	}
	return same
}

// sample returns the openings that have finished games, in a fixed order.
func (r *rowTally) sample() sample {
	number := map[[2]uint32]int64{}
	for _, o := range r.openings.all() {
		if o.games > 0 {
			number[[2]uint32{o.games, o.draws}]++
		}
	}
	s := make(sample, 0, len(number))
	for o, n := range number {
		s = append(s, pattern{int64(o[0]), int64(o[1]), n})
	}
	slices.SortFunc(s, func(a, b pattern) int {
		return cmp.Or(cmp.Compare(b.openings, a.openings), cmp.Compare(a.games, b.games),
			cmp.Compare(a.draws, b.draws))
	})
	return s
}
