package endgame

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"draughtlab/engine"
)

// Open finds the tables of a game under these rules in dir. It reads every file
// once, to refuse one that is damaged, cut short or of another table; a file's
// codes are read again when they are first probed, or by Load, and then stay in
// memory, one or two bytes a state. It is an error if there are none. Files of
// other games and rules, and of other names, do not matter.
func Open(dir string, v *engine.Variant, rules Rules) (*Tables, error) {
	t, err := openKept(dir, newTables(v, rules))
	if err != nil {
		return nil, err
	}
	if t.kept == Federation {
		pure, err := openKept(dir, newTables(v, Pure))
		if err != nil {
			return nil, err
		}
		if len(pure.endings) > 0 {
			t.pure = pure
		}
	}
	if len(t.endings) == 0 {
		return nil, fmt.Errorf("no endgame tables of %s under %s rules in %s: build them there", v.Name, t.kept, dir)
	}
	return t, nil
}

// openKept adds the files in dir to t.
func openKept(dir string, t *Tables) (*Tables, error) {
	for _, m := range Materials(MaxPieces) {
		path := FileName(dir, t.variant, t.kept, m)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		e := newEnding(t.variant, t.geometry, t.kept, m)
		e.path = path
		if _, err := checkFile(path, t.variant, t.kept, e); err != nil {
			return nil, err
		}
		t.add(e)
	}
	return t, nil
}

// DefaultPieces is the number of pieces of Default's tables.
const DefaultPieces = 3

// Default returns tables of up to three pieces, whole in memory. They are kept
// in the user's cache directory, and built there in seconds when they are not
// there yet or damaged; several processes may do so at once, as they write the
// same. Where that directory cannot be used the tables are built in memory.
func Default(ctx context.Context, v *engine.Variant, rules Rules) (*Tables, error) {
	dir, err := CacheDir()
	if err != nil {
		return inMemory(ctx, v, rules, DefaultPieces)
	}
	return cached(ctx, dir, v, rules, DefaultPieces)
}

// CacheDir returns the directory in which Default keeps its tables.
func CacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory to keep endgame tables in: %w", err)
	}
	return filepath.Join(cache, "draughtlab", "endgame"), nil
}

// cached returns tables kept in a directory that is only a cache: no fault of it
// is an error, and after the first nothing more is written there.
func cached(ctx context.Context, dir string, v *engine.Variant, rules Rules, pieces int) (*Tables, error) {
	t := newTables(v, rules)
	usable := true
	for _, m := range Materials(pieces) {
		e := newEnding(v, t.geometry, t.kept, m)
		path := FileName(dir, v, t.kept, m)
		c, err := readFile(path, v, t.kept, e)
		if err != nil {
			if c, err = t.solve(ctx, e, runtime.GOMAXPROCS(0)); err != nil {
				return nil, err
			}
			usable = usable && writeFile(path, v, t.kept, e, c) == nil
		}
		e.codes.Store(c)
		t.add(e)
	}
	return t, nil
}

// inMemory makes tables without files.
func inMemory(ctx context.Context, v *engine.Variant, rules Rules, pieces int) (*Tables, error) {
	t := newTables(v, rules)
	for _, m := range Materials(pieces) {
		e, _, err := t.obtain(ctx, "", m, runtime.GOMAXPROCS(0))
		if err != nil {
			return nil, err
		}
		t.add(e)
	}
	return t, nil
}
