package endgame

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"draughtlab/engine"
)

// Open finds the tables of a game under these rules in dir. It reads every file
// once, to refuse one that is damaged, cut short or of another table; a file's
// codes are read again when they are first probed, or by Load, and then stay in
// memory, one or two bytes a state. It is an error if there are none. Files of
// other games and rules, and of other names, do not matter.
func Open(dir string, v *engine.Variant, rules Rules) (*Tables, error) {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("endgame tables in %s: there is no such directory", dir)
	case err != nil:
		return nil, fmt.Errorf("endgame tables: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("endgame tables in %s: it is no directory", dir)
	}
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
		return nil, fmt.Errorf("no endgame tables of %s under %s rules in %s: make them with: %s",
			v.Name, rules, dir, BuildCommand(v, rules, fmt.Sprintf("--pieces %d", DefaultPieces), dir))
	}
	return t, nil
}

// BuildCommand returns the command line that makes tables in dir, or in the
// user's cache directory if dir is empty; which says which, as "--pieces 4".
func BuildCommand(v *engine.Variant, rules Rules, which, dir string) string {
	line := "draughtlab endgame build --variant " + v.Name
	if rules != Basic { // which is the default
		line += " --rules " + rules.String()
	}
	line += " " + which
	if dir != "" {
		line += " --out " + shellWord(dir)
	}
	return line
}

// shellWord quotes a word for a shell if it must be.
func shellWord(s string) string {
	plain := func(c rune) bool {
		return c > 127 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._-+=:,@%", c)
	}
	if s != "" && strings.IndexFunc(s, func(c rune) bool { return !plain(c) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Damaged returns, of those planned tables that have a file in dir, the errors of
// the files that no reader takes, by path. A file that the system does not let it
// read is not among them: it may be whole.
func Damaged(dir string, v *engine.Variant, plan []Planned) map[string]error {
	bad := map[string]error{}
	g := newGeometry(v)
	for _, p := range plan {
		path := FileName(dir, v, p.Rules, p.Material)
		_, err := checkFile(path, v, p.Rules, newEnding(v, g, p.Rules, p.Material))
		if system := syscall.Errno(0); err != nil && !errors.As(err, &system) {
			bad[path] = err
		}
	}
	return bad
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
