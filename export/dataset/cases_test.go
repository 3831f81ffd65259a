package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	arrowmeta "github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"draughtlab/engine/frisian"
	"draughtlab/engine/variants"
)

// parquetCases hold the rows of testdata/cases.jsonl, by their IDs: mistakes met
// in Parquet writers and readers of others.
var parquetCases = map[string]func(*testing.T){
	"pq-uint64-signed-stats": caseSignedStatistics,
	"pq-optional-sparse":     caseOptionalSparse,
	"pq-fixed-size-list":     caseFixedSizeList,
	"pq-dict-run-limit":      caseDictRunLimit,
	"pq-concurrent-writer":   caseConcurrentWriter,
	"pq-memory-growth":       caseMemoryGrowth,
}

// Protects the files from the mistakes of others. No case may be without a test,
// nor a test without its case.
func TestCases(t *testing.T) {
	data, err := os.ReadFile("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for line := range bytes.Lines(data) {
		var row struct{ ID, Kind string }
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, row.ID)
		run := parquetCases[row.ID]
		if run == nil || row.Kind != "c-parquet" {
			t.Errorf("case %s of kind %s has no test", row.ID, row.Kind)
			continue
		}
		t.Run(row.ID, run)
	}
	for id := range parquetCases {
		if !slices.Contains(ids, id) {
			t.Errorf("no case %s", id)
		}
	}
}

// writePositions writes a file of n rows, as row makes them.
func writePositions(t *testing.T, n int, row func(i int) PositionRow) string {
	t.Helper()
	shard := Shard{t.TempDir(), "croda", 0}
	path := shard.Path(PositionsTable)
	w, err := createTable(shard, positionsTable())
	if err != nil {
		t.Fatal(err)
	}
	var batch []PositionRow
	for i := range n {
		if batch = append(batch, row(i)); len(batch) == 500 || i == n-1 {
			if err := w.add(batch); err != nil {
				t.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	about := metadata{Schema: SchemaVersion, Table: PositionsTable, Variant: "croda", Last: 1}
	if err := errors.Join(w.complete(about), w.file.publish(path, true)); err != nil {
		t.Fatal(err)
	}
	return path
}

// readPositions calls check with each row that our own reader finds, and returns
// how many there are.
func readPositions(t *testing.T, path string, check func(i int, r *PositionRow)) int {
	t.Helper()
	n := 0
	err := readTable(path, positionsTable(), "croda", func(rows []PositionRow) error {
		for i := range rows {
			check(n, &rows[i])
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// arrowFile opens a file with arrow-go, whose reader is not the library that
// wrote it.
func arrowFile(t *testing.T, path string) (*file.Reader, *pqarrow.FileReader) {
	t.Helper()
	in, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	r, err := pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return in, r
}

// arrowColumn returns the parts of one column as arrow-go reads it.
func arrowColumn(t *testing.T, path, column string) []arrow.Array {
	t.Helper()
	in, r := arrowFile(t, path)
	index := in.MetaData().Schema.ColumnIndexByName(column)
	whole, err := r.GetColumn(context.Background(), index)
	if err != nil {
		t.Fatal(err)
	}
	part, err := whole.NextBatch(in.NumRows())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(part.Release)
	return part.Chunks()
}

// Bitboards are signed, and so are the bounds in the statistics: a filter for
// the one with bit 63 finds it.
func caseSignedStatistics(t *testing.T) {
	const high = math.MinInt64 // 2^63 in the bits of a signed integer
	path := writePositions(t, 2, func(i int) PositionRow { return PositionRow{BlackKings: int64(i) * high} })
	in, _ := arrowFile(t, path)
	index := in.MetaData().Schema.ColumnIndexByName("black_kings")
	chunk, err := in.MetaData().RowGroup(0).ColumnChunk(index)
	if err != nil {
		t.Fatal(err)
	}
	statistics, err := chunk.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	bounds, ok := statistics.(*arrowmeta.Int64Statistics)
	if !ok || !bounds.HasMinMax() || bounds.Min() != high || bounds.Max() != 0 || bounds.Descr().SortOrder() != schema.SortSIGNED {
		t.Errorf("bounds %v", statistics)
	}
}

// A value after nulls stays in its row in both readers.
func caseOptionalSparse(t *testing.T) {
	score := int16(7777)
	path := writePositions(t, 5, func(i int) PositionRow {
		if i == 3 {
			return PositionRow{Score: &score}
		}
		return PositionRow{}
	})
	var own []any
	readPositions(t, path, func(_ int, r *PositionRow) {
		if r.Score == nil {
			own = append(own, nil)
		} else {
			own = append(own, *r.Score)
		}
	})
	var others []any
	for _, part := range arrowColumn(t, path, "score") {
		for i := range part.Len() {
			if part.IsNull(i) {
				others = append(others, nil)
			} else {
				others = append(others, part.(*array.Int16).Value(i))
			}
		}
	}
	want := []any{nil, nil, nil, score, nil}
	if !slices.Equal(own, want) || !slices.Equal(others, want) {
		t.Errorf("own reader %v, arrow-go %v, want %v", own, others, want)
	}
}

// There are no lists of any kind: a table is flat.
func caseFixedSizeList(t *testing.T) {
	dir := t.TempDir()
	writeTestDataset(t, dir, 1, 1)
	for _, v := range variants.All() {
		for _, table := range tables {
			_, r := arrowFile(t, Shard{dir, v.Name, 0}.Path(table))
			fields, err := r.Schema()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range fields.Fields() {
				if arrow.IsNested(f.Type.ID()) {
					t.Errorf("%s of %s: column %s is %s", table, v.Name, f.Name, f.Type)
				}
			}
		}
	}
}

// Two million equal texts are read by both readers: no row group, and so no
// dictionary page, has more than 2^17.
func caseDictRunLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 2 million rows")
	}
	const rows = 2_000_000
	path := writePositions(t, rows, func(int) PositionRow { return PositionRow{Termination: "no-moves"} })
	n := readPositions(t, path, func(i int, r *PositionRow) {
		if r.Termination != "no-moves" {
			t.Fatalf("row %d has %q", i, r.Termination)
		}
	})
	others := 0
	for _, part := range arrowColumn(t, path, "termination") {
		for i := range part.Len() {
			if s := part.(*array.String).Value(i); s != "no-moves" {
				t.Fatalf("arrow-go: row %d has %q", others+i, s)
			}
		}
		others += part.Len()
	}
	if n != rows || others != rows {
		t.Errorf("%d rows by our reader, %d by arrow-go, want %d", n, others, rows)
	}
	in, _ := arrowFile(t, path)
	for i := range in.NumRowGroups() {
		if n := in.RowGroup(i).NumRows(); n > rowGroupRows {
			t.Errorf("row group %d has %d rows", i, n)
		}
	}
}

// Eight workers make rows at once; who adds them is one. The files are those of
// one worker.
func caseConcurrentWriter(t *testing.T) {
	const games, workers = 40, 8
	v := frisian.Variant()
	clean, dir := t.TempDir(), t.TempDir()
	spec := testSpec(v, 0, 0, games)
	writeTestShard(t, clean, spec)
	w, err := CreateShard(dir, spec)
	if err != nil {
		t.Fatal(err)
	}
	var made [games]chan *Rows
	for n := range made {
		made[n] = make(chan *Rows, 1)
	}
	var pool sync.WaitGroup
	for first := range workers {
		pool.Go(func() {
			for n := first; n < games; n += workers {
				rows, err := w.Rows(randomRecord(t, v, int64(n), testPlyLimit))
				if err != nil {
					t.Error(err)
				}
				made[n] <- rows
			}
		})
	}
	for n := range made {
		if rows := <-made[n]; rows != nil {
			if err := w.AddRows(rows); err != nil {
				t.Error(err)
			}
		}
	}
	pool.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want, got := files(t, clean), files(t, dir)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is another than one worker writes", name)
		}
	}
}

// The heap does not grow with finished shards, even if their writers are kept.
func caseMemoryGrowth(t *testing.T) {
	v := frisian.Variant()
	dir := t.TempDir()
	var kept []*ShardWriter
	var early uint64
	for shard := range int64(12) {
		w, err := CreateShard(dir, testSpec(v, int(shard), 20*shard, 20*shard+20))
		if err != nil {
			t.Fatal(err)
		}
		addGames(t, w, 20*shard, 20*shard+20)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if kept = append(kept, w); len(kept) == 2 {
			early = heap()
		}
	}
	if late := heap(); late > early+1<<20 {
		t.Errorf("%d bytes of heap after 2 shards, %d after %d", early, late, len(kept))
	}
	for _, w := range kept {
		if err := w.Add(randomRecord(t, v, 0, testPlyLimit)); err == nil {
			t.Error("a closed shard takes a game")
		}
	}
}

// Protects columns whose dictionary outgrows its bound in mid-file: bitboards of
// kings that are nearly all different.
func TestDictionaryFallback(t *testing.T) {
	const rows = rowGroupRows + 40_000
	king := func(i int) int64 { return int64(uint64(i%50_000+1) * 0x9e3779b97f4a7c15) }
	path := writePositions(t, rows, func(i int) PositionRow { return PositionRow{WhiteKings: king(i), BlackKings: int64(i / 3)} })
	n := readPositions(t, path, func(i int, r *PositionRow) {
		if r.WhiteKings != king(i) || r.BlackKings != int64(i/3) {
			t.Fatalf("row %d: %#x %#x", i, r.WhiteKings, r.BlackKings)
		}
	})
	if n != rows {
		t.Errorf("%d rows, want %d", n, rows)
	}
	i := 0
	for _, part := range arrowColumn(t, path, "white_kings") {
		for _, got := range part.(*array.Int64).Int64Values() {
			if got != king(i) {
				t.Fatalf("arrow-go: row %d: %#x", i, got)
			}
			i++
		}
	}
	if i != rows {
		t.Errorf("arrow-go: %d rows, want %d", i, rows)
	}
}
