package dataset

import (
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// SchemaVersion is the version of the tables this program writes; it reads that
// and all before it. Columns may be added within a version; whatever changes the
// meaning of one that exists makes a new version. FORMAT.md tells them apart.
const SchemaVersion = 2

// tableSchema is the version that brought endgame tables.
const tableSchema = 2

// Sizes of a file's parts. They, and never the order or size of calls, decide
// where row groups and pages end, so that equal rows give equal bytes.
const (
	batchRows    = 1024      // rows handed to the encoder at once; 64 divides it
	rowGroupRows = 128 << 10 // rows of a full row group; batchRows divides it
	readBytes    = 16 << 10  // read from a file at once, a column
	dictBytes    = 256 << 10 // a larger dictionary goes on without one
)

// layout is how a table is written where the tags of its row type say nothing.
// FORMAT.md has the figures it was chosen by.
type layout struct {
	pageBytes int // a page ends when a column has this many bytes
	codec     compress.Codec
}

// fastZstd is shared by all files: an encoder of its own would cost each some
// megabytes.
var fastZstd = &zstd.Codec{Level: zstd.SpeedFastest}

// layoutOf gives the games, which are mostly the long texts of their moves, large
// pages, and the many small cells of the positions a fast encoder.
func layoutOf(t Table) layout {
	if t == GamesTable {
		return layout{pageBytes: 512 << 10, codec: &parquet.Zstd}
	}
	return layout{pageBytes: 128 << 10, codec: fastZstd}
}

// metadata is what every file says of itself in its footer.
type metadata struct {
	Schema      int
	Table       Table
	Variant     string
	Shard       int
	First, Last int64 // games [First, Last)
	ConfigHash  string
	RowsHash    string
}

// The keys of the metadata.
const (
	keySchema  = "draughtlab.schema"
	keyTable   = "draughtlab.table"
	keyVariant = "draughtlab.variant"
	keyShard   = "draughtlab.shard"
	keyFirst   = "draughtlab.first_game"
	keyLast    = "draughtlab.end_game"
	keyConfig  = "draughtlab.config_sha256"
	keyRows    = "draughtlab.rows_sha256"
)

// tableWriter writes one Parquet file under a temporary name.
type tableWriter[T any] struct {
	file  *PendingFile
	out   *parquet.GenericWriter[T]
	batch []T
	rows  int64
	hash  *rowHash[T]
}

func createTable[T any](s Shard, t tableOf[T]) (*tableWriter[T], error) {
	if err := MakeDir(tableDir(s.Dir, t.name, s.Variant)); err != nil {
		return nil, fmt.Errorf("shard: %w", err)
	}
	file, err := CreatePending(s.Path(t.name))
	if err != nil {
		return nil, err
	}
	return &tableWriter[T]{
		file: file, out: newEncoder[T](file, t.name),
		batch: make([]T, 0, batchRows), hash: newRowHash(t, s.Variant, SchemaVersion),
	}, nil
}

// newEncoder makes a writer of the Parquet file of a table.
func newEncoder[T any](out io.Writer, t Table) *parquet.GenericWriter[T] {
	l := layoutOf(t)
	return parquet.NewGenericWriter[T](out,
		parquet.Compression(l.codec),
		parquet.CreatedBy("draughtlab", strconv.Itoa(SchemaVersion), "schema"),
		parquet.MaxRowsPerRowGroup(rowGroupRows),
		parquet.PageBufferSize(l.pageBytes),
		parquet.DictionaryMaxBytes(dictBytes),
		parquet.DataPageStatistics(false), // the page index has them
	)
}

func (w *tableWriter[T]) add(rows []T) error {
	w.hash.add(rows)
	w.rows += int64(len(rows))
	for len(rows) > 0 {
		n := min(len(rows), cap(w.batch)-len(w.batch))
		w.batch = append(w.batch, rows[:n]...)
		rows = rows[n:]
		if len(w.batch) == cap(w.batch) {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *tableWriter[T]) flush() error {
	if _, err := w.out.Write(w.batch); err != nil {
		return err
	}
	clear(w.batch)
	w.batch = w.batch[:0]
	return nil
}

// complete writes the footer and makes the file durable, still under its
// temporary name.
func (w *tableWriter[T]) complete(m metadata) error {
	if err := w.flush(); err != nil {
		return err
	}
	for _, kv := range [][2]string{
		{keySchema, strconv.Itoa(m.Schema)},
		{keyTable, string(m.Table)},
		{keyVariant, m.Variant},
		{keyShard, strconv.Itoa(m.Shard)},
		{keyFirst, strconv.FormatInt(m.First, 10)},
		{keyLast, strconv.FormatInt(m.Last, 10)},
		{keyConfig, m.ConfigHash},
		{keyRows, w.hash.hex()},
	} {
		w.out.SetKeyValueMetadata(kv[0], kv[1])
	}
	if err := w.out.Close(); err != nil {
		return err
	}
	return w.file.complete()
}
