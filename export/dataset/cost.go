package dataset

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// Cost is what the steps from games to a shard take, each the time of one
// goroutine.
type Cost struct {
	// Rows plays the games again and makes their rows, Hash hashes those,
	// Parquet encodes and compresses them, Write writes the bytes and syncs.
	Rows, Hash, Parquet, Write time.Duration
	// Positions is the number of rows of the positions table; both files
	// together have so many Bytes.
	Positions, Bytes int64
}

// MeasureCost does with some games what a ShardWriter does with them, but one
// step after the other with all of them, so that each can be timed. What it
// writes into dir it removes. All rows are in memory: 150 bytes a position.
func MeasureCost(dir string, spec Spec, records []*Record) (Cost, error) {
	if err := spec.check(); err != nil {
		return Cost{}, err
	}
	c := Cost{}
	maker := newRowMaker(spec)
	var err error
	c.Rows = timed(func() {
		for _, r := range records {
			if _, _, err = maker.rows(r); err != nil {
				return
			}
		}
	})
	if err != nil {
		return Cost{}, err
	}
	var games []GameRow
	var positions []PositionRow
	for _, r := range records { // again, since keeping them costs time as well
		game, rows, err := maker.rows(r)
		if err != nil {
			return Cost{}, err
		}
		games, positions = append(games, game), append(positions, rows...)
	}
	c.Positions = int64(len(positions))
	err = measureTable(&c, dir, gamesTable(), spec.Variant.Name, games)
	if err == nil {
		err = measureTable(&c, dir, positionsTable(), spec.Variant.Name, positions)
	}
	return c, err
}

// measureTable adds what the rows of one table cost.
func measureTable[T any](c *Cost, dir string, t tableOf[T], variant string, rows []T) error {
	hash := newRowHash(t, variant, SchemaVersion)
	c.Hash += timed(func() { hash.add(rows) })
	var file bytes.Buffer
	var err error
	c.Parquet += timed(func() {
		out := newEncoder[T](&file, t.name)
		for batch := range slices.Chunk(rows, batchRows) {
			if _, err = out.Write(batch); err != nil {
				return
			}
		}
		err = out.Close()
	})
	if err != nil {
		return fmt.Errorf("encode %s: %w", t.name, err)
	}
	c.Bytes += int64(file.Len())
	pending, err := CreatePending(filepath.Join(dir, string(t.name)))
	if err != nil {
		return err
	}
	defer pending.Abort()
	c.Write += timed(func() {
		if _, err = pending.Write(file.Bytes()); err == nil {
			err = pending.complete()
		}
	})
	return err
}

func timed(work func()) time.Duration {
	begin := time.Now()
	work()
	return time.Since(begin)
}
