package dataset

import (
	"strconv"
	"time"
)

// Inventory is what the names of files tell of the shards of one variant,
// without a look into them.
type Inventory struct {
	// Done has the shards of which both files exist under their final names,
	// and when the later of the two was written, by the clock of whoever keeps
	// the files; the zero time if that was not asked for.
	Done map[int]time.Time
	// Begun has the shards that are suspended or in the making, and how many of
	// their games are kept.
	Begun map[int]int64

	files [len(tables)][]fileInfo // in the directories of the tables
}

// TakeInventory lists the shards of a variant in a run directory, on request
// with the times, which cost a look at each file. It fails if the directory
// cannot be read; one that is not there has no shards.
func TakeInventory(dir, variant string, times bool) (Inventory, error) {
	inv := Inventory{Done: map[int]time.Time{}, Begun: map[int]int64{}}
	files := map[int]int{}
	for i, t := range tables {
		entries, err := listFiles(tableDir(dir, t, variant), times)
		if err != nil {
			return inv, err
		}
		inv.files[i] = entries
		for _, e := range entries {
			n, state := shardOf(e.name)
			switch {
			case state == inTheMaking:
				inv.Begun[n] = max(inv.Begun[n], 0)
			case state == suspended:
				inv.Begun[n] = max(inv.Begun[n], partGames(e.name))
			case state == complete && e.regular && e.name == baseName(n):
				files[n]++
				if was, ok := inv.Done[n]; !ok || e.written.After(was) {
					inv.Done[n] = e.written
				}
			}
		}
	}
	for n, count := range files {
		if count < len(tables) {
			delete(inv.Done, n)
		} else {
			delete(inv.Begun, n)
		}
	}
	return inv, nil
}

// partGames returns how many games a part of a shard holds by its name.
func partGames(name string) int64 {
	games, err := strconv.ParseInt(partialName.FindStringSubmatch(name)[2], 10, 64)
	if err != nil {
		return 0 // ResumeShard tells
	}
	return games
}

// fileState is what a file's name says of its content.
type fileState int

const (
	noShard fileState = iota
	complete
	suspended
	inTheMaking
)

// shardOf returns the shard that a file belongs to by its name.
func shardOf(name string) (int, fileState) {
	for _, form := range []struct {
		state fileState
		names interface{ FindStringSubmatch(string) []string }
	}{{complete, shardName}, {suspended, partialName}, {inTheMaking, tempShardName}} {
		if m := form.names.FindStringSubmatch(name); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				return n, form.state
			}
		}
	}
	return 0, noShard
}
