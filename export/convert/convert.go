package convert

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"

	"draughtlab/engine"
	"draughtlab/export/dataset"
)

// Format is a kind of file.
type Format string

// The formats.
const (
	// Arrow is the Arrow IPC file format (also called Feather, version 2).
	Arrow Format = "arrow"
	// ArrowStream is the Arrow IPC streaming format, for pipes.
	ArrowStream Format = "arrow-stream"
	// CSV is as RFC 4180 says, with a header line; null is an empty field.
	CSV Format = "csv"
	// PDN is Portable Draughts Notation; games only.
	PDN Format = "pdn"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Arrow, ArrowStream, CSV, PDN} }

// ParseFormat reads a format's name.
func ParseFormat(s string) (Format, error) {
	for _, f := range Formats() {
		if s == string(f) {
			return f, nil
		}
	}
	return "", fmt.Errorf("unknown format %q: use arrow, arrow-stream, csv or pdn", s)
}

// Source is what is converted: one table of a run directory, the games of
// these variants one after the other.
type Source struct {
	Dir      string
	Table    dataset.Table
	Variants []*engine.Variant
	// Progress, if not nil, is called after every shard with the number of
	// shards done, of all shards, and the rows written so far.
	Progress func(done, total int, rows int64)
}

// Write writes a table to w in a format, in the order of variants, games and
// plies. Tables begin with a column for the variant, which in a dataset is in
// the path; the other columns are those of the dataset. It returns the number
// of rows. Only complete shards are read.
func Write(ctx context.Context, w io.Writer, f Format, s Source) (rows int64, err error) {
	if f == PDN {
		if s.Table != dataset.GamesTable {
			return 0, fmt.Errorf("PDN holds games, not %s: use --table games", s.Table)
		}
		return writePDN(ctx, w, s)
	}
	if s.Table == dataset.GamesTable {
		return writeTable(ctx, w, f, s, dataset.Shard.Games)
	}
	return writeTable(ctx, w, f, s, dataset.Shard.Positions)
}

// encoder writes rows of one table in one format.
type encoder interface {
	// add writes a row: variant, then the fields of a row of the dataset.
	add(variant string, row reflect.Value) error
	// close writes what ends the file; the writer below stays open.
	close() error
}

func writeTable[T any](ctx context.Context, w io.Writer, f Format, s Source, read func(dataset.Shard, func([]T) error) error) (rows int64, err error) {
	columns, err := columnsOf(s.Table, reflect.TypeFor[T]())
	if err != nil {
		return 0, err
	}
	var out encoder
	switch f {
	case CSV:
		out = newCSV(w, columns)
	case Arrow, ArrowStream:
		if out, err = newArrow(w, f, s.Table, columns); err != nil {
			return 0, err
		}
	default:
		return 0, fmt.Errorf("unknown format %q", f)
	}
	err = eachShard(ctx, s, &rows, func(v *engine.Variant, shard dataset.Shard) error {
		return read(shard, func(batch []T) error {
			values := reflect.ValueOf(batch)
			for i := range batch {
				if err := out.add(v.Name, values.Index(i)); err != nil {
					return err
				}
			}
			rows += int64(len(batch))
			return ctx.Err()
		})
	})
	if closeErr := out.close(); err == nil {
		err = closeErr
	}
	return rows, err
}

// eachShard calls f for every shard of the source; rows is what f counts.
func eachShard(ctx context.Context, s Source, rows *int64, f func(*engine.Variant, dataset.Shard) error) error {
	lists := make([][]dataset.Shard, len(s.Variants))
	total, done := 0, 0
	for i, v := range s.Variants {
		var err error
		if lists[i], err = dataset.Shards(s.Dir, v.Name); err != nil {
			return err
		}
		if len(lists[i]) == 0 {
			return fmt.Errorf("%s: no finished shards of %s here", s.Dir, v.Name)
		}
		total += len(lists[i])
	}
	for i, v := range s.Variants {
		for _, shard := range lists[i] {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(v, shard); err != nil {
				return err
			}
			if done++; s.Progress != nil {
				s.Progress(done, total, *rows)
			}
		}
	}
	return nil
}

// column is a column of a table and the field of a row that holds it.
type column struct {
	dataset.Column
	field int
}

// columnsOf pairs the documented columns with the fields of the row type.
func columnsOf(t dataset.Table, row reflect.Type) ([]column, error) {
	var columns []column
	for _, c := range dataset.Columns(t) {
		found := false
		for i := range row.NumField() {
			if name, _, _ := strings.Cut(row.Field(i).Tag.Get("parquet"), ","); name == c.Name {
				columns = append(columns, column{c, i})
				found = true
			}
		}
		if !found {
			return nil, fmt.Errorf("column %s of %s is in no field of %s", c.Name, t, row)
		}
	}
	return columns, nil
}
