package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Games calls yield with every game of a variant in a run directory, in the
// order of the game numbers, from complete shards only. Memory does not grow
// with the dataset. The row is reused between calls; its texts and the cells
// it points to are not. It fails if the directory has no shard of the variant,
// if a file is of an unknown schema version or cannot be read to its end (the
// file is named), or if yield fails.
func Games(dir, variant string, yield func(*GameRow) error) error {
	return eachShard(dir, variant, func(s Shard) error {
		return s.Games(func(rows []GameRow) error { return eachRow(rows, yield) })
	})
}

// GameColumns is Games for some columns, which costs less: the other cells of
// the rows are empty.
func GameColumns(dir, variant string, columns []string, yield func(*GameRow) error) error {
	return eachShard(dir, variant, func(s Shard) error {
		return s.gameColumns(columns, func(rows []GameRow) error { return eachRow(rows, yield) })
	})
}

func (s Shard) gameColumns(columns []string, yield func([]GameRow) error) error {
	t := gamesTable()
	t.cells = slices.DeleteFunc(t.cells, func(c cells[GameRow]) bool { return !slices.Contains(columns, c.column) })
	return readTable(s.Path(GamesTable), t, s.Variant, yield)
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
	return readTable(s.Path(GamesTable), gamesTable(), s.Variant, yield)
}

// Positions reads the positions of one shard, some rows at a time; the slice
// is reused between calls.
func (s Shard) Positions(yield func([]PositionRow) error) error {
	return readTable(s.Path(PositionsTable), positionsTable(), s.Variant, yield)
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

func readTable[T any](path string, t tableOf[T], variant string, yield func([]T) error) error {
	r, err := openTable(path, t, variant)
	if err != nil {
		return err
	}
	defer r.close()
	return r.each(context.Background(), yield)
}

// tableOf is what reading, writing and hashing need to know of a table.
type tableOf[T any] struct {
	name   Table
	cells  []cells[T]
	encode func(b []byte, r *T, schema int) []byte
}

// in returns the columns that a schema version has.
func (t tableOf[T]) in(schema int) []cells[T] {
	return slices.DeleteFunc(slices.Clone(t.cells), func(c cells[T]) bool { return c.since > schema })
}

func gamesTable() tableOf[GameRow] {
	return tableOf[GameRow]{GamesTable, gameCells(), encodeGame}
}

func positionsTable() tableOf[PositionRow] {
	return tableOf[PositionRow]{PositionsTable, positionCells(), encodePosition}
}

// tableReader reads the rows of one file in order, a column at a time.
type tableReader[T any] struct {
	path    string
	file    openFile
	bytes   int64
	meta    metadata
	rows    int64 // in the whole file
	read    int64
	cells   []cells[T]
	columns []columnReader
	buffer  []T
}

// openTable opens a file and checks that it says to be that table of that
// variant in a schema version that is known.
func openTable[T any](path string, t tableOf[T], variant string) (r *tableReader[T], err error) {
	file, size, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	defer recoverCorrupt(path, &err)
	pf, err := parquet.OpenFile(file, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true), parquet.ReadBufferSize(readBytes))
	if err != nil {
		return nil, damaged(path, "not a complete Parquet file (truncated or damaged): %w", err)
	}
	meta, err := readMetadata(pf)
	switch {
	case errors.Is(err, errNewer): // a good file, for all that is known
		return nil, fmt.Errorf("%s: %w", path, err)
	case err != nil:
		return nil, damaged(path, "%w", err)
	}
	if err := onlyZstd(pf); err != nil {
		return nil, damaged(path, "%w", err)
	}
	if meta.Table != t.name || meta.Variant != variant {
		return nil, damaged(path, "the file says to hold %s of %s: it belongs elsewhere", meta.Table, meta.Variant)
	}
	known := t.in(meta.Schema)
	if err := sameColumns(pf.Schema(), parquet.SchemaOf(new(T)), known); err != nil {
		return nil, damaged(path, "%w", err)
	}
	r = &tableReader[T]{path: path, file: file, bytes: size, meta: meta, rows: pf.NumRows(), cells: known, columns: make([]columnReader, len(known))}
	r.buffer = make([]T, min(batchRows, r.rows))
	for i, c := range known {
		leaf, ok := pf.Schema().Lookup(c.column)
		if !ok {
			return nil, damaged(path, "no column %q", c.column)
		}
		r.columns[i].texts = texts{}
		for _, g := range pf.RowGroups() {
			r.columns[i].chunks = append(r.columns[i].chunks, g.ColumnChunks()[leaf.ColumnIndex])
		}
	}
	return r, nil
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
	if r.read == r.rows {
		return nil, io.EOF
	}
	rows = r.buffer[:min(int64(len(r.buffer)), r.rows-r.read)]
	for i := range r.cells {
		if err := fillColumn(&r.columns[i], r.cells[i], rows); err != nil {
			return nil, damaged(r.path, "damaged after row %d of %d: %w", r.read, r.rows, err)
		}
	}
	r.read += int64(len(rows))
	return rows, nil
}

func (r *tableReader[T]) close() {
	for i := range r.columns {
		r.columns[i].close()
	}
	_ = r.file.Close() // only read from
}

// recoverCorrupt turns a panic of the Parquet decoder, which a damaged file
// can cause, into an error that names the file.
func recoverCorrupt(path string, err *error) {
	if p := recover(); p != nil {
		*err = damaged(path, "damaged Parquet file: %v", p)
	}
}

// errNewer is the error for a file of a schema that came after this program.
var errNewer = errors.New("use the draughtlab that wrote it, or a newer one")

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
	if version > SchemaVersion {
		return metadata{}, fmt.Errorf("schema version %d, this program reads versions up to %d: %w", version, SchemaVersion, errNewer)
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

// onlyZstd refuses other codecs than ours: one changed bit can name one that
// takes what follows for a page of any size.
func onlyZstd(pf *parquet.File) error {
	for _, group := range pf.Metadata().RowGroups {
		for _, column := range group.Columns {
			if codec := column.MetaData.Codec; codec != format.Zstd {
				return fmt.Errorf("a column is compressed with %s, not with ZSTD: damaged", codec)
			}
		}
	}
	return nil
}

// sameColumns refuses a file without one of the known columns, or with one of
// another type than want; columns added later are allowed.
func sameColumns[T any](have, want *parquet.Schema, known []cells[T]) error {
	fields := map[string]parquet.Field{}
	for _, f := range have.Fields() {
		fields[f.Name()] = f
	}
	for _, f := range want.Fields() {
		if !slices.ContainsFunc(known, func(c cells[T]) bool { return c.column == f.Name() }) {
			continue
		}
		h, ok := fields[f.Name()]
		if !ok {
			return fmt.Errorf("no column %q", f.Name())
		}
		if have, want := columnType(h), columnType(f); have != want {
			return fmt.Errorf("column %q is %s, not %s", f.Name(), have, want)
		}
	}
	return nil
}

// columnType describes all of a column's type that must fit.
func columnType(f parquet.Field) string {
	if !f.Leaf() {
		return "a group of columns"
	}
	count := "required"
	switch {
	case f.Repeated():
		count = "repeated"
	case f.Optional():
		count = "optional"
	}
	return count + " " + f.Type().String()
}
