package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// DamagedDir is the directory within that of a run where SetAside puts files.
const DamagedDir = "damaged"

// ErrOtherRun is the fault of a shard that was written under another
// configuration.
var ErrOtherRun = errors.New("it is another run's")

// CheckShard says, as a DamagedError, what is wrong with a finished shard that
// is to hold these games under a configuration: a file that is cut off, no
// shard of ours, or another's. On request it reads every row and compares their
// hashes with those in the footers, which finds every changed bit that reaches
// a reader. Other errors say that a file cannot be read.
func CheckShard(ctx context.Context, s Shard, first, last int64, config string, rows bool) error {
	have, _, err := s.inspect(config)
	var other *otherRunError
	switch {
	case errors.As(err, &other):
		return &DamagedError{other.file, ErrOtherRun}
	case err != nil:
		return err
	case have.First != first || have.Last != last:
		return damaged(s.Path(GamesTable), "holds the games [%d,%d), the plan says [%d,%d)", have.First, have.Last, first, last)
	case !rows:
		return nil
	}
	if err := checkRows(ctx, s, gamesTable()); err != nil {
		return err
	}
	return checkRows(ctx, s, positionsTable())
}

// checkRows compares the rows of a file with the hash in its footer.
func checkRows[T any](ctx context.Context, s Shard, t tableOf[T]) error {
	r, err := openTable(s.Path(t.name), t, s.Variant)
	if err != nil {
		return err
	}
	defer r.close()
	hash := newRowHash(t, s.Variant, r.meta.Schema)
	if err := r.each(ctx, func(rows []T) error { hash.add(rows); return nil }); err != nil {
		return err
	}
	if got := hash.hex(); got != r.meta.RowsHash {
		return damaged(r.path, "its rows have the hash %s, its footer says %s", got, r.meta.RowsHash)
	}
	return nil
}

// SetAside moves a damaged file of a run to DamagedDir, where no reader looks,
// so that its place is free for the file as it should be. It returns where the
// file is now; empty if another process has moved it already.
func SetAside(dir, file string) (string, error) {
	name, ok := strings.CutPrefix(file, strings.TrimSuffix(Join(dir), "/")+"/")
	if !ok {
		return "", fmt.Errorf("set aside %s: not in %s", file, dir)
	}
	to := Join(dir, DamagedDir, name)
	for n := 1; ; n++ {
		if _, err := statFile(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", fmt.Errorf("set aside %s: %w", file, err)
		}
		to = fmt.Sprintf("%s.%d", Join(dir, DamagedDir, name), n)
	}
	err := moveFile(file, to)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("set aside %s: %w", file, err)
	}
	return to, nil
}
