package convert

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"draughtlab/engine"
	"draughtlab/engine/frisian"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// testDataset writes shards of random games of the variants, without a
// manifest, and returns the run directory.
func testDataset(tb testing.TB, games, shardGames int64, list ...*engine.Variant) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, v := range list {
		for first := int64(0); first < games; first += shardGames {
			spec := dataset.Spec{
				Variant: v, PlyLimit: 90, Engine: `random, "quoted"`, Shard: int(first / shardGames),
				First: first, Last: min(games, first+shardGames),
			}
			w, err := dataset.CreateShard(dir, spec)
			if err != nil {
				tb.Fatal(err)
			}
			for n := spec.First; n < spec.Last; n++ {
				if err := w.Add(randomGame(tb, v, n)); err != nil {
					tb.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return dir
}

func randomGame(tb testing.TB, v *engine.Variant, n int64) *dataset.Record {
	tb.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	start := v.Start
	if n%3 == 2 && v.Name == "frisian" {
		p, err := notation.ParseFEN(v, "B:W31,36,K46:BK5,10,12")
		if err != nil {
			tb.Fatal(err)
		}
		if err := notation.ParseRuns(v, &p, []byte(`{"W":[46,2]}`)); err != nil {
			tb.Fatal(err)
		}
		start = p
	}
	g := engine.NewGame(v, engine.Basic, start, 90)
	r := &dataset.Record{Number: n, Seed: rng.Uint64(), Opening: `line "1", 2`, Start: start}
	for g.Termination() == engine.Ongoing {
		if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
			tb.Fatal(err)
		}
		e := dataset.Eval{Searched: rng.IntN(3) > 0}
		if e.Searched {
			e.Depth, e.Nodes, e.Score = 3, 77, int16(rng.IntN(400)-200)
		}
		r.Evals = append(r.Evals, e)
	}
	r.Moves, r.Termination, r.Outcome = g.Moves(), g.Termination(), g.Outcome()
	return r
}

// sourceRows reads a table as texts, one a cell, null apart: the answer the
// conversions are compared with.
func sourceRows(tb testing.TB, s Source) [][]string {
	tb.Helper()
	var rows [][]string
	add := func(variant string, row reflect.Value) {
		cells := []string{variant}
		for i := range row.NumField() {
			f := row.Field(i)
			if f.Kind() == reflect.Pointer {
				if f.IsNil() {
					cells = append(cells, "(null)")
					continue
				}
				f = f.Elem()
			}
			cells = append(cells, fmt.Sprint(f.Interface()))
		}
		rows = append(rows, cells)
	}
	for _, v := range s.Variants {
		var err error
		if s.Table == dataset.GamesTable {
			err = dataset.Games(s.Dir, v.Name, func(r *dataset.GameRow) error { add(v.Name, reflect.ValueOf(*r)); return nil })
		} else {
			err = dataset.Positions(s.Dir, v.Name, func(r *dataset.PositionRow) error { add(v.Name, reflect.ValueOf(*r)); return nil })
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return rows
}

func convertTo(tb testing.TB, f Format, s Source) []byte {
	tb.Helper()
	var b bytes.Buffer
	rows, err := Write(context.Background(), &b, f, s)
	if err != nil {
		tb.Fatal(err)
	}
	if want := len(sourceRows(tb, s)); int(rows) != want {
		tb.Errorf("%s: %d rows written, the table has %d", f, rows, want)
	}
	return b.Bytes()
}

// Protects every cell of both tables on the way to CSV and both Arrow formats:
// values, nulls, order, and the column of the variant.
func TestTables(t *testing.T) {
	dir := testDataset(t, 7, 3, variants.All()...)
	for _, table := range []dataset.Table{dataset.GamesTable, dataset.PositionsTable} {
		s := Source{Dir: dir, Table: table, Variants: variants.All()}
		want := sourceRows(t, s)
		t.Run(string(table)+"/csv", func(t *testing.T) {
			text := convertTo(t, CSV, s)
			if lines := bytes.Count(text, []byte("\r\n")); lines != len(want)+1 {
				t.Errorf("%d lines end in CR LF, want %d", lines, len(want)+1)
			}
			rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			compare(t, rows[1:], want, "")
			for i, c := range dataset.Columns(table) {
				if rows[0][i+1] != c.Name {
					t.Errorf("column %d is called %s, want %s", i+1, rows[0][i+1], c.Name)
				}
			}
		})
		t.Run(string(table)+"/arrow", func(t *testing.T) {
			r, err := ipc.NewFileReader(bytes.NewReader(convertTo(t, Arrow, s)))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var rows [][]string
			for i := range r.NumRecords() {
				record, err := r.Record(i)
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, recordRows(record)...)
			}
			compare(t, rows, want, "(null)")
		})
		t.Run(string(table)+"/arrow-stream", func(t *testing.T) {
			r, err := ipc.NewReader(bytes.NewReader(convertTo(t, ArrowStream, s)))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Release()
			var rows [][]string
			for r.Next() {
				rows = append(rows, recordRows(r.Record())...)
			}
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			compare(t, rows, want, "(null)")
		})
	}
}

func recordRows(record arrow.Record) [][]string {
	rows := make([][]string, record.NumRows())
	for _, column := range record.Columns() {
		for i := range rows {
			rows[i] = append(rows[i], column.ValueStr(i))
		}
	}
	return rows
}

// compare compares cells; null is how the format writes one.
func compare(t *testing.T, have, want [][]string, null string) {
	t.Helper()
	if len(have) != len(want) {
		t.Fatalf("%d rows, want %d", len(have), len(want))
	}
	for i := range want {
		for j, cell := range want[i] {
			if cell == "(null)" {
				cell = null
			}
			if have[i][j] != cell {
				t.Fatalf("row %d column %d is %q, want %q", i, j, have[i][j], cell)
			}
		}
	}
}

// Protects the PDN of games, those with king runs at the start among them: read
// back and replayed they are the games of the dataset.
func TestPDN(t *testing.T) {
	dir := testDataset(t, 7, 3, variants.All()...)
	s := Source{Dir: dir, Table: dataset.GamesTable, Variants: variants.All()}
	in := notation.NewReader(bytes.NewReader(convertTo(t, PDN, s)))
	for _, v := range variants.All() {
		err := dataset.Games(dir, v.Name, func(r *dataset.GameRow) error {
			g, err := in.Next()
			if err != nil {
				return err
			}
			game, err := g.Variant()
			if err != nil || game.Name != v.Name {
				t.Errorf("%s game %d: variant %v, %v", v.Name, r.Game, game, err)
			}
			want, err := r.Start(v)
			if err != nil {
				return err
			}
			if start, err := g.Start(v); err != nil || start != want {
				t.Errorf("%s game %d: starts at %+v, %v, want %+v", v.Name, r.Game, start, err, want)
			}
			var moves []string
			for _, m := range g.Moves {
				moves = append(moves, m.Text)
			}
			if strings.Join(moves, " ") != r.Moves || g.Outcome() != r.Result() || g.Tag("Round") != strconv.FormatInt(r.Game, 10) ||
				g.Tag("Termination") != r.Termination || g.Tag("White") != r.Engine {
				t.Errorf("%s game %d: %+v", v.Name, r.Game, g)
			}
			played, err := notation.Replay(v, engine.Basic, g)
			if err != nil || len(played.Moves) != int(r.Plies) {
				t.Errorf("%s game %d: replayed %+v, %v", v.Name, r.Game, played, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := in.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("more games than in the dataset: %v", err)
	}
}

// Protects the dataset's own files for other readers (cases pq-optional-sparse
// and pq-uint64-signed-stats): arrow-go, a reader of its own make, gives the
// same cells, nulls at the right rows, and 64-bit numbers as they are.
func TestArrowReadsTheDataset(t *testing.T) {
	dir := testDataset(t, 7, 7, variants.All()...)
	for _, v := range variants.All() {
		for _, table := range []dataset.Table{dataset.GamesTable, dataset.PositionsTable} {
			path := dataset.Shard{Dir: dir, Variant: v.Name}.Path(table)
			in, err := file.OpenParquetFile(path, false)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			r, err := pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := r.ReadTable(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			defer whole.Release()
			var rows [][]string
			for batches := array.NewTableReader(whole, 0); batches.Next(); {
				for _, row := range recordRows(batches.Record()) {
					rows = append(rows, append([]string{v.Name}, row...))
				}
			}
			compare(t, rows, sourceRows(t, Source{Dir: dir, Table: table, Variants: []*engine.Variant{v}}), "(null)")
		}
	}
}

// Protects honest failure: a damaged or missing shard, a full output, a wrong
// combination and a stop are errors that name what is wrong.
func TestWriteFails(t *testing.T) {
	v := frisian.Variant()
	dir := testDataset(t, 6, 3, v)
	games := Source{Dir: dir, Table: dataset.GamesTable, Variants: []*engine.Variant{v}}
	positions := games
	positions.Table = dataset.PositionsTable
	ctx := context.Background()
	if _, err := Write(ctx, io.Discard, PDN, positions); err == nil {
		t.Error("positions as PDN")
	}
	for _, f := range Formats() {
		if _, err := Write(ctx, &full{left: 1500}, f, games); !errors.Is(err, errFull) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s to a full disk: %v", f, err)
		}
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := Write(stopped, io.Discard, f, games); !errors.Is(err, context.Canceled) {
			t.Errorf("%s stopped: %v", f, err)
		}
	}
	if _, err := Write(ctx, io.Discard, CSV, Source{Dir: dir, Table: dataset.GamesTable, Variants: variants.All()}); err == nil {
		t.Error("a variant without shards is written")
	}
	path := dataset.Shard{Dir: dir, Variant: v.Name, Number: 1}.Path(dataset.GamesTable)
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		if _, err := Write(ctx, io.Discard, f, games); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s of a truncated shard: %v", f, err)
		}
	}
}

var errFull = errors.New("no space left")

// full is a disk with little room.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// Protects bounded memory: the heap while converting does not grow with the
// number of shards.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("converts 80,000 positions three times")
	}
	v := frisian.Variant()
	dir := testDataset(t, 1200, 120, v)
	for _, f := range []Format{CSV, Arrow, ArrowStream} {
		var early, late uint64
		s := Source{Dir: dir, Table: dataset.PositionsTable, Variants: []*engine.Variant{v}}
		s.Progress = func(done, total int, _ int64) {
			switch done {
			case 4:
				early = heap()
			case total:
				late = heap()
			}
		}
		rows, err := Write(context.Background(), io.Discard, f, s)
		if err != nil {
			t.Fatal(err)
		}
		if early == 0 || late > early+8<<20 {
			t.Errorf("%s of %d rows: %d bytes of heap after 4 shards, %d after 10", f, rows, early, late)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
