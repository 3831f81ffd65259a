package selfplay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"draughtlab/export/dataset"
)

// ShardState is how far a shard of a plan is.
type ShardState int

// The states of a shard.
const (
	Missing ShardState = iota // nothing of it is there
	Begun                     // suspended, or some process is, or was, at it
	Damaged                   // a file under its final name is not what it should be
	Done
)

// ShardStatus is a shard of a plan and its state.
type ShardStatus struct {
	Shard
	State ShardState
	// Kept is how many games of a Begun shard are kept.
	Kept int64
	// Written is when a Done shard was, by the clock of whoever keeps the files.
	Written time.Time
	// Fault says what is wrong with a Damaged one.
	Fault string
}

// Status tells of each shard of the run in dir, in the order of the plan, how
// far it is. It looks into the footers of all files that are there; on request
// it reads all rows and compares their hashes. It fails if dir is no run or
// cannot be read, or if the context ends.
func Status(ctx context.Context, dir string, rows bool) (Config, []ShardStatus, error) {
	cfg, err := ReadConfig(dir)
	if err != nil {
		return cfg, nil, err
	}
	inv, err := cfg.inventory(dir, true)
	if err != nil {
		return cfg, nil, err
	}
	var status []ShardStatus
	for _, s := range cfg.Plan() {
		one := ShardStatus{Shard: s}
		if at, done := inv[s.Variant].Done[s.Number]; done {
			one.State, one.Written = Done, at
		} else if kept, begun := inv[s.Variant].Begun[s.Number]; begun {
			one.State, one.Kept = Begun, kept
		}
		status = append(status, one)
	}
	config := cfg.Hash()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(dataset.AtOnce(dir))
	for i := range status {
		s := &status[i]
		if s.State != Done {
			continue
		}
		g.Go(func() error {
			if gctx.Err() != nil {
				return gctx.Err()
			}
			err := dataset.CheckShard(gctx, s.in(dir), s.First, s.Last, config, rows)
			var d *dataset.DamagedError
			if errors.As(err, &d) {
				s.State, s.Fault = Damaged, fmt.Sprintf("%s: %v", d.File, d.Err)
				return nil
			}
			return err
		})
	}
	return cfg, status, g.Wait()
}

// Rate returns how many games a second were finished lately, by the times at
// which the last shards were written (up to recentShards of them), and when the
// last one was; ok is false if fewer than two different times are known. Clocks
// that were set back make it wrong or unknown, and nothing else.
func Rate(status []ShardStatus) (gamesPerSecond float64, last time.Time, ok bool) {
	const recentShards = 64
	var done []ShardStatus
	for _, s := range status {
		if s.State == Done {
			done = append(done, s)
		}
	}
	slices.SortStableFunc(done, func(a, b ShardStatus) int { return a.Written.Compare(b.Written) })
	if len(done) == 0 {
		return 0, last, false
	}
	done = done[max(0, len(done)-recentShards):]
	games := int64(0)
	for _, s := range done[1:] { // played since the first of them was written
		games += s.Last - s.First
	}
	last = done[len(done)-1].Written
	seconds := last.Sub(done[0].Written).Seconds()
	return float64(games) / seconds, last, seconds > 0
}
