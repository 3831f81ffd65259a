package dataset

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// ResumeShard goes on with a shard where Suspend left it, or begins it; next
// is the number of the first game that is still to be added. The finished
// shard has the same bytes as one that was never suspended. It fails with a
// DamagedError if a suspended part is damaged or was written under another
// configuration; without that file the shard begins anew.
func ResumeShard(dir string, spec Spec) (w *ShardWriter, next int64, err error) {
	w, err = CreateShard(dir, spec)
	if err != nil {
		return nil, 0, err
	}
	if err := w.resume(); err != nil {
		w.Abort()
		return nil, 0, fmt.Errorf("suspended shard: %w", err)
	}
	return w, w.next, nil
}

// resume adds the games of the longest suspended part, if there is one.
func (w *ShardWriter) resume() error {
	played, err := w.findPrefixes()
	if err != nil || played == 0 {
		return err
	}
	return w.readPrefix(played)
}

// findPrefixes lists the suspended parts of the shard and returns how many
// games the longest that has both tables holds, 0 if there is none.
func (w *ShardWriter) findPrefixes() (longest int64, err error) {
	have := map[int64]int{}
	for _, t := range tables {
		dir := tableDir(w.shard.Dir, t, w.shard.Variant)
		files, err := listFiles(dir, false)
		if err != nil {
			return 0, err
		}
		for _, f := range files {
			m := partialName.FindStringSubmatch(f.name)
			if m == nil || m[1] != fmt.Sprintf("%05d", w.spec.Shard) {
				continue
			}
			w.prefixes = append(w.prefixes, Join(dir, f.name))
			played, err := strconv.ParseInt(m[2], 10, 64)
			if err != nil || played < 1 || played > w.spec.Last-w.spec.First {
				return 0, damaged(Join(dir, f.name), "no part of a shard of the games [%d,%d)", w.spec.First, w.spec.Last)
			}
			if have[played]++; have[played] == len(tables) {
				longest = max(longest, played)
			}
		}
	}
	slices.Sort(w.prefixes)
	return longest, nil
}

// readPrefix adds the rows of a suspended part.
func (w *ShardWriter) readPrefix(played int64) error {
	w.next = w.spec.First + played // what metadata then says is what the part must say
	games, positions := w.shard.partial(GamesTable, played), w.shard.partial(PositionsTable, played)
	rows, plies := int64(0), int64(0)
	err := copyRows(games, gamesTable(), w.metadata(GamesTable), w.games, func(r *GameRow) error {
		if r.Game != w.spec.First+rows {
			return damaged(games, "game %d where %d was due", r.Game, w.spec.First+rows)
		}
		rows, plies = rows+1, plies+int64(r.Plies)
		return nil
	})
	if err != nil {
		return err
	}
	if rows != played {
		return damaged(games, "%d games, its name says %d", rows, played)
	}
	if err := copyRows(positions, positionsTable(), w.metadata(PositionsTable), w.positions, func(*PositionRow) error { return nil }); err != nil {
		return err
	}
	if w.positions.rows != plies {
		return damaged(positions, "%d positions, its games have %d", w.positions.rows, plies)
	}
	return nil
}

// copyRows adds all rows of a file, which must describe itself as want, to a
// writer.
func copyRows[T any](path string, t tableOf[T], want metadata, to *tableWriter[T], check func(*T) error) error {
	r, err := openTable(path, t, want.Variant)
	if err != nil {
		return err
	}
	defer r.close()
	want.RowsHash = r.meta.RowsHash
	if r.meta != want {
		return damaged(path, "written for another shard or configuration")
	}
	err = r.each(context.Background(), func(rows []T) error {
		for i := range rows {
			if err := check(&rows[i]); err != nil {
				return err
			}
		}
		return to.add(rows)
	})
	if err != nil {
		return err
	}
	if got := to.hash.hex(); got != r.meta.RowsHash {
		return damaged(path, "its rows have the hash %s, its footer says %s", got, r.meta.RowsHash)
	}
	return nil
}
