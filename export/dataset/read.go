package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// Games calls yield with every game of a variant in a run directory, in the
// order of the game numbers, from complete shards only. Memory does not grow
// with the dataset. The row is reused between calls; its texts and the cells
// it points to are not. It fails if the directory has no shard of the variant,
// if a file is not of this schema version or cannot be read to its end (the
// file is named), or if yield fails.
func Games(dir, variant string, yield func(*GameRow) error) error {
	return eachShard(dir, variant, func(s Shard) error {
		return s.Games(func(rows []GameRow) error { return eachRow(rows, yield) })
	})
}

// Positions calls yield with every position of a variant in a run directory,
// in the order of game number and ply. See Games.
func Positions(dir, variant string, yield func(*PositionRow) error) error {
	return eachShard(dir, variant, func(s Shard) error {
		return s.Positions(func(rows []PositionRow) error { return eachRow(rows, yield) })
	})
}

// Games reads the games of one shard, some rows at a time; the slice is reused
// between calls.
func (s Shard) Games(yield func([]GameRow) error) error {
	return readTable(s.Path(GamesTable), GamesTable, s.Variant, yield)
}

// Positions reads the positions of one shard, some rows at a time; the slice
// is reused between calls.
func (s Shard) Positions(yield func([]PositionRow) error) error {
	return readTable(s.Path(PositionsTable), PositionsTable, s.Variant, yield)
}

func eachShard(dir, variant string, f func(Shard) error) error {
	shards, err := Shards(dir, variant)
	if err != nil {
		return err
	}
	if len(shards) == 0 {
		return fmt.Errorf("%s: no finished shards of %s here", dir, variant)
	}
	for _, s := range shards {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

func eachRow[T any](rows []T, yield func(*T) error) error {
	for i := range rows {
		if err := yield(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

func readTable[T any](path string, t Table, variant string, yield func([]T) error) error {
	r, err := openTable[T](path, t, variant)
	if err != nil {
		return err
	}
	defer r.close()
	return r.each(context.Background(), yield)
}

// tableReader reads the rows of one file in order.
type tableReader[T any] struct {
	path   string
	file   *os.File
	in     *parquet.GenericReader[T]
	meta   metadata
	rows   int64 // in the whole file
	read   int64
	buffer []T
}

// openTable opens a file and checks that it says to be that table of that
// variant in this schema version.
func openTable[T any](path string, t Table, variant string) (r *tableReader[T], err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	defer recoverCorrupt(path, &err)
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	pf, err := parquet.OpenFile(file, info.Size(), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true), parquet.ReadBufferSize(1<<16))
	if err != nil {
		return nil, fmt.Errorf("%s: not a complete Parquet file (truncated or damaged): %w", path, err)
	}
	meta, err := readMetadata(pf)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if meta.Table != t || meta.Variant != variant {
		return nil, fmt.Errorf("%s: the file says to hold %s of %s: it belongs elsewhere", path, meta.Table, meta.Variant)
	}
	if err := sameColumns(pf.Schema(), parquet.SchemaOf(new(T))); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &tableReader[T]{
		path: path, file: file, in: parquet.NewGenericReader[T](pf),
		meta: meta, rows: pf.NumRows(), buffer: make([]T, batchRows),
	}, nil
}

// each calls yield with all rows, some at a time, until it fails or the
// context ends.
func (r *tableReader[T]) each(ctx context.Context, yield func([]T) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := yield(rows); err != nil {
			return err
		}
	}
}

// next returns the next rows, io.EOF after the last one. The slice is reused.
func (r *tableReader[T]) next() (rows []T, err error) {
	defer recoverCorrupt(r.path, &err)
	clear(r.buffer)
	n, err := r.in.Read(r.buffer)
	r.read += int64(n)
	if n > 0 {
		return r.buffer[:n], nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	if errors.Is(err, io.EOF) && r.read == r.rows {
		return nil, io.EOF
	}
	return nil, fmt.Errorf("%s: after %d of %d rows: %w", r.path, r.read, r.rows, err)
}

func (r *tableReader[T]) close() {
	_ = r.in.Close() // only read from
	_ = r.file.Close()
}

// recoverCorrupt turns a panic of the Parquet decoder, which a damaged file
// can cause, into an error that names the file.
func recoverCorrupt(path string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: damaged Parquet file: %v", path, p)
	}
}

// readMetadata reads what a file says of itself and refuses other schemas.
func readMetadata(pf *parquet.File) (metadata, error) {
	text, ok := pf.Lookup(keySchema)
	if !ok {
		return metadata{}, fmt.Errorf("not written by draughtlab: no %s in its metadata", keySchema)
	}
	version, err := strconv.Atoi(text)
	if err != nil || version < 1 {
		return metadata{}, fmt.Errorf("schema version %q is none", text)
	}
	if version != SchemaVersion {
		return metadata{}, fmt.Errorf("schema version %d, this program reads version %d: use the draughtlab that wrote it, or a newer one", version, SchemaVersion)
	}
	m := metadata{Schema: version}
	var bad error
	get := func(key string) string {
		v, ok := pf.Lookup(key)
		if !ok {
			bad = errors.Join(bad, fmt.Errorf("no %s in its metadata", key))
		}
		return v
	}
	number := func(key string) int64 {
		n, err := strconv.ParseInt(get(key), 10, 64)
		if err != nil || n < 0 {
			bad = errors.Join(bad, fmt.Errorf("metadata %s: not a number from 0", key))
		}
		return n
	}
	m.Table, m.Variant, m.Shard = Table(get(keyTable)), get(keyVariant), int(number(keyShard))
	m.First, m.Last = number(keyFirst), number(keyLast)
	m.ConfigHash, m.RowsHash = get(keyConfig), get(keyRows)
	return m, bad
}

// sameColumns refuses a file without one of the columns, or with one of
// another type; columns added later are allowed.
func sameColumns(have, want *parquet.Schema) error {
	fields := map[string]parquet.Field{}
	for _, f := range have.Fields() {
		fields[f.Name()] = f
	}
	for _, f := range want.Fields() {
		h, ok := fields[f.Name()]
		if !ok {
			return fmt.Errorf("no column %q", f.Name())
		}
		if !h.Leaf() || h.Type().String() != f.Type().String() || h.Optional() != f.Optional() {
			return fmt.Errorf("column %q is %s, not %s", f.Name(), h, f)
		}
	}
	return nil
}
