package refine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"

	"draughtlab/engine"
)

// SampleOptions say which rows Sample takes. A row of several positions is
// judged by the place of the first of them.
type SampleOptions struct {
	// Seed decides which positions of a game are taken, and the order.
	Seed uint64 `json:"seed"`
	// Captures takes positions in which a capture is due, too; Opening those in
	// which a move of the opening was played, Unfinished those of games without
	// an outcome.
	Captures   bool `json:"captures"`
	Opening    bool `json:"opening"`
	Unfinished bool `json:"unfinished"`
	// Scored takes only rows with an engine's score.
	Scored bool `json:"scored"`
	// FromPly and ToPly bound the plies, both included; ToPly 0 is no bound.
	FromPly int `json:"from_ply"`
	ToPly   int `json:"to_ply"`
	// PerGame bounds the positions of a game, 0 is all.
	PerGame int `json:"per_game"`
	// Rows bounds the rows of a variant, 0 is all.
	Rows int64 `json:"rows"`
}

func (o *SampleOptions) check() error {
	switch {
	case o.FromPly < 0 || o.ToPly < 0 || o.ToPly > 0 && o.ToPly < o.FromPly:
		return fmt.Errorf("plies from %d to %d: it takes a range from a smaller to a greater number, 0 or more", o.FromPly, o.ToPly)
	case o.PerGame < 0 || o.Rows < 0:
		return fmt.Errorf("%d positions a game, %d rows: it takes 0 (all) or more", o.PerGame, o.Rows)
	}
	return nil
}

// The reasons for which rows are left out, in the order in which they are
// looked at.
const (
	leftUnfinished = "unfinished"
	leftCapture    = "capture_due"
	leftOpening    = "opening"
	leftPly        = "ply"
	leftUnscored   = "unscored"
	leftPerGame    = "over_per_game"
	leftRows       = "over_rows"
)

// unwanted returns the reason for which a row is left out, "" if it is not.
func (o *SampleOptions) unwanted(r *Row) string {
	switch {
	case !o.Unfinished && r.Decided() == 0:
		return leftUnfinished
	case !o.Captures && r.CaptureDue:
		return leftCapture
	case !o.Opening && r.Ply < r.OpeningPlies:
		return leftOpening
	case int(r.Ply) < o.FromPly || o.ToPly > 0 && int(r.Ply) > o.ToPly:
		return leftPly
	case o.Scored && r.Scored == 0:
		return leftUnscored
	}
	return ""
}

// Sample writes a training set with some of the rows of a run or a training set
// in random order. Which rows, and their order, depends on seed, run, game and
// ply alone.
func Sample(ctx context.Context, dir, out string, o SampleOptions, opt Options) (Provenance, error) {
	if err := o.check(); err != nil {
		return Provenance{}, err
	}
	passes := int64(2)
	if o.PerGame > 0 {
		passes = 3
	}
	j, err := begin("sample", []string{dir}, out, passes, o, opt)
	if err != nil {
		return Provenance{}, err
	}
	p, err := j.writeEach(func(v *engine.Variant, w *rowWriter, c *Counts) error {
		c.Left = map[string]int64{}
		s := sampler{job: j, options: o, variant: v, counts: c}
		for _, source := range j.sources {
			s.salts = append(s.salts, saltOf("sample", o.Seed, source, v))
		}
		return s.run(ctx, w)
	})
	return p, j.end(err)
}

// saltOf makes hashes of games differ between seeds, runs and variants.
func saltOf(command string, seed uint64, source Source, v *engine.Variant) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "draughtlab %s %d %s %s", command, seed, source.Config, v.Name))
	return binary.LittleEndian.Uint64(sum[:8])
}

// sampler samples one variant.
type sampler struct {
	*job
	options SampleOptions
	variant *engine.Variant
	salts   []uint64 // by source
	counts  *Counts
	record  []byte
}

// gameHash spreads games, orderHash puts positions in random order: two of a
// game have never the same.
func (s *sampler) gameHash(r *Row) uint64  { return spread(s.salts[r.Source] ^ uint64(r.Game)) }
func (s *sampler) orderHash(r *Row) uint64 { return spread(s.gameHash(r) + uint64(r.Ply)) }

// run brings the rows into their order by their hashes, after it has brought
// together those of each game if their number is bounded.
func (s *sampler) run(ctx context.Context, w *rowWriter) error {
	shuffled, err := s.spool(s.variant, sortedBytes)
	if err != nil {
		return err
	}
	defer shuffled.close()
	shuffled.wanted = s.options.Rows
	if s.options.PerGame == 0 {
		err = s.fill(ctx, shuffled, s.orderHash)
	} else {
		err = s.boundGames(ctx, shuffled)
	}
	if err != nil {
		return err
	}
	over := s.counts.In // rows that will be neither taken nor left out for another reason
	for _, n := range s.counts.Left {
		over -= n
	}
	err = gather(ctx, s.job, s.variant, shuffled, func(part int, yield func([]Row) error) error {
		rows, err := readPart(shuffled, part)
		if err != nil {
			return err
		}
		return yieldSorted(rows, s.orderHash, compareOrigin, yield)
	}, func(rows []Row) error {
		if n := s.options.Rows; n > 0 {
			rows = rows[:min(int64(len(rows)), n-w.made.Rows-int64(len(w.batch)))]
		}
		over -= int64(len(rows))
		return w.add(rows)
	})
	s.counts.Left[leftRows] = over
	maps.DeleteFunc(s.counts.Left, func(_ string, n int64) bool { return n == 0 })
	return err
}

// fill puts the rows that are wanted into a spool.
func (s *sampler) fill(ctx context.Context, to *spool, hash func(*Row) uint64) error {
	return s.read(ctx, s.variant, s.counts, nil, func(rows []Row) error {
		for i := range rows {
			r := &rows[i]
			if reason := s.options.unwanted(r); reason != "" {
				s.counts.Left[reason]++
				continue
			}
			if s.options.PerGame > 0 && r.Count > 1 {
				return fmt.Errorf("%s: a row is %d positions of several games: sample before dedupe, or do not bound the positions of a game", s.inputs[0].dir, r.Count)
			}
			if err := s.put(to, hash(r), r); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *sampler) put(to *spool, hash uint64, r *Row) error {
	s.record = appendRecord(s.record[:0], r)
	return to.add(hash, s.record)
}

// boundGames puts of each game at most PerGame rows, those with the smallest
// hashes, into a spool.
func (s *sampler) boundGames(ctx context.Context, to *spool) error {
	grouped, err := s.spool(s.variant, sortedBytes)
	if err != nil {
		return err
	}
	defer grouped.close()
	if err := s.fill(ctx, grouped, s.gameHash); err != nil {
		return err
	}
	return gather(ctx, s.job, s.variant, grouped, func(part int, yield func([]Row) error) error {
		rows, err := readPart(grouped, part)
		if err != nil {
			return err
		}
		return yieldSorted(rows, s.gameHash, func(a, b *Row) int {
			return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Game, b.Game), cmp.Compare(s.orderHash(a), s.orderHash(b)))
		}, yield)
	}, s.firstOfEach(to))
}

// firstOfEach takes rows sorted by games and puts the first of each game into a
// spool.
func (s *sampler) firstOfEach(to *spool) func([]Row) error {
	var last Row
	taken := 0
	return func(rows []Row) error {
		for i := range rows {
			r := &rows[i]
			if taken == 0 || r.Source != last.Source || r.Game != last.Game {
				last, taken = *r, 0
			}
			if taken == s.options.PerGame {
				s.counts.Left[leftPerGame]++
				continue
			}
			taken++
			if err := s.put(to, s.orderHash(r), r); err != nil {
				return err
			}
		}
		return nil
	}
}
