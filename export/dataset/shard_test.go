package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"draughtlab/engine"
	"draughtlab/engine/frisian"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// Protects the way from a game to its rows and back: what is read is what was
// played, position by position, with rule state and nulls.
func TestRoundTrip(t *testing.T) {
	for _, v := range variants.All() {
		t.Run(v.Name, func(t *testing.T) {
			dir := t.TempDir()
			writeTestShard(t, dir, testSpec(v, 0, 0, 12))
			var games []GameRow
			if err := Games(dir, v.Name, func(r *GameRow) error { games = append(games, *r); return nil }); err != nil {
				t.Fatal(err)
			}
			var cells []PositionRow
			if err := Positions(dir, v.Name, func(r *PositionRow) error { cells = append(cells, *r); return nil }); err != nil {
				t.Fatal(err)
			}
			for n := range int64(12) {
				r := randomRecord(t, v, n, testPlyLimit)
				cells = compareGame(t, v, r, &games[n], cells)
			}
			if len(games) != 12 || len(cells) != 0 {
				t.Errorf("%d games, %d positions too many", len(games), len(cells))
			}
		})
	}
}

// compareGame compares the rows of one game with the game and returns the
// positions that follow.
func compareGame(t *testing.T, v *engine.Variant, r *Record, row *GameRow, cells []PositionRow) []PositionRow {
	t.Helper()
	if row.Game != r.Number || uint64(row.Seed) != r.Seed || row.Result() != r.Outcome || int(row.Plies) != len(r.Moves) ||
		row.Termination != r.Termination.String() || row.TerminationClass != r.Termination.Class() || (row.Outcome == nil) != (r.Termination == engine.PlyLimit) {
		t.Fatalf("game %d: row %+v", r.Number, row)
	}
	texts := strings.Fields(row.Moves)
	p := r.Start
	for i, m := range r.Moves {
		c := &cells[i]
		got, err := c.Position(v)
		if err != nil || got != p {
			t.Fatalf("game %d ply %d: position %+v, %v, want %+v", r.Number, i, got, err, p)
		}
		legal := v.Generate(&p, nil)
		parsed, err := notation.ParseMove(v, &p, legal, c.Move)
		if err != nil || !parsed.Same(m) || texts[i] != c.Move {
			t.Fatalf("game %d ply %d: move %q in positions, %q in games: %v", r.Number, i, c.Move, texts[i], err)
		}
		e := r.Evals[i]
		if want := e.Searched && e.WinIn == 0; (c.Score != nil) != want || want && *c.Score != e.Score {
			t.Fatalf("game %d ply %d: score %v of %+v", r.Number, i, c.Score, e)
		}
		if (c.WinIn != nil) != (e.WinIn != 0) || c.WinIn != nil && *c.WinIn != e.WinIn {
			t.Fatalf("game %d ply %d: win_in %v of %+v", r.Number, i, c.WinIn, e)
		}
		if c.Game != r.Number || int(c.Ply) != i || int(c.PliesToEnd) != len(r.Moves)-i || c.Result() != r.Outcome ||
			c.Depth != int16(e.Depth) || uint32(c.Nodes) != e.Nodes || int(c.LegalMoves) != len(legal) || c.CaptureDue != m.IsCapture() {
			t.Fatalf("game %d ply %d: row %+v", r.Number, i, c)
		}
		p = p.Make(m)
	}
	return cells[len(r.Moves):]
}

// Protects the bitboards' bit order, which readers in other languages rely on.
func TestBitOrder(t *testing.T) {
	v, err := variants.ByName("frisian")
	if err != nil {
		t.Fatal(err)
	}
	var row PositionRow
	p := v.Start
	newRowMaker(testSpec(v, 0, 0, 1)).position(&row, &p, 0, nil)
	if row.BlackMen != 1<<20-1 || row.WhiteMen != (1<<20-1)<<30 {
		t.Errorf("frisian start: %#x %#x", row.WhiteMen, row.BlackMen)
	}
	v, err = variants.ByName("croda")
	if err != nil {
		t.Fatal(err)
	}
	p = v.Start
	newRowMaker(testSpec(v, 0, 0, 1)).position(&row, &p, 0, nil)
	if row.WhiteMen != 1<<24-1 || uint64(row.BlackMen) != 0xffffff<<40 {
		t.Errorf("croda start: %#x %#x", row.WhiteMen, row.BlackMen)
	}
}

// Protects king runs in start positions and rows: FEN has no place for them.
func TestStartRuns(t *testing.T) {
	v := frisian.Variant()
	start, err := notation.ParseFEN(v, "W:W31,K46:BK5,10")
	if err != nil {
		t.Fatal(err)
	}
	if err := setRun(v, &start, engine.White, 46, 2); err != nil {
		t.Fatal(err)
	}
	g := engine.NewGame(v, engine.Basic, start, 40)
	r := &Record{Start: start, Opening: "file"}
	rng := rand.New(rand.NewPCG(1, 1))
	for g.Termination() == engine.Ongoing {
		if err := g.Play(g.Legal()[rng.IntN(len(g.Legal()))]); err != nil {
			t.Fatal(err)
		}
	}
	r.Moves, r.Termination, r.Outcome = g.Moves(), g.Termination(), g.Outcome()
	r.Evals = make([]Eval, len(r.Moves))
	spec := testSpec(v, 0, 0, 1)
	spec.PlyLimit = 40
	game, cells, err := newRowMaker(spec).rows(r)
	if err != nil {
		t.Fatal(err)
	}
	if game.StartWhiteRunSquare != 46 || game.StartWhiteRun != 2 || cells[0].WhiteRunSquare != 46 || cells[0].WhiteRun != 2 {
		t.Errorf("runs are %+v in the game, %+v in its first position", game, cells[0])
	}
	if back, err := cells[0].Position(v); err != nil || back != start {
		t.Errorf("position %+v, %v, want %+v", back, err, start)
	}
}

// Protects the promise that a shard's bytes depend on nothing but its games:
// not on the process, the directory or earlier shards.
func TestBytesAreDeterministic(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	writeTestDataset(t, a, 30, 10)
	writeTestDataset(t, b, 30, 10)
	if d := cmp.Diff(files(t, a), files(t, b)); d != "" {
		t.Error("the same games gave other files")
	}
}

// Protects resuming: a shard suspended five times has the bytes of one written
// in a go, and nothing else is left.
func TestSuspendAndResume(t *testing.T) {
	const games = 40
	for _, v := range variants.All() {
		whole, parts := t.TempDir(), t.TempDir()
		spec := testSpec(v, 3, 120, 120+games)
		writeTestShard(t, whole, spec)
		next := spec.First
		for _, stop := range []int64{120, 121, 133, 133, 150} {
			w, n, err := ResumeShard(parts, spec)
			if err != nil || n != next {
				t.Fatalf("resumed at game %d, want %d: %v", n, next, err)
			}
			addGames(t, w, n, stop)
			if err := w.Suspend(); err != nil {
				t.Fatal(err)
			}
			if ShardDone(parts, v.Name, 3) {
				t.Fatal("a suspended shard counts as done")
			}
			next = stop
		}
		w, n, err := ResumeShard(parts, spec)
		if err != nil || n != next {
			t.Fatalf("resumed at game %d, want %d: %v", n, next, err)
		}
		addGames(t, w, n, spec.Last)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(files(t, whole), files(t, parts)); d != "" {
			t.Errorf("%s: a resumed shard is not the same as one written in a go", v.Name)
		}
	}
}

// Protects against going on from a suspended part that is damaged or of
// another configuration.
func TestResumeRefuses(t *testing.T) {
	v := frisian.Variant()
	spec := testSpec(v, 0, 0, 10)
	suspended := func() string {
		dir := t.TempDir()
		w, err := CreateShard(dir, spec)
		if err != nil {
			t.Fatal(err)
		}
		addGames(t, w, 0, 5)
		if err := w.Suspend(); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	other := spec
	other.ConfigHash = strings.Repeat("0", 64)
	if _, _, err := ResumeShard(suspended(), other); err == nil || !strings.Contains(err.Error(), ".shard-00000.5.partial") {
		t.Errorf("other configuration: %v", err)
	}
	for _, table := range tables {
		dir := suspended()
		path := Shard{dir, v.Name, 0}.partial(table, 5)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text[:len(text)-9], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ResumeShard(dir, spec); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("truncated %s: %v", path, err)
		}
		for name := range files(t, dir) {
			if strings.HasSuffix(name, ".tmp") {
				t.Errorf("%s left behind", name)
			}
		}
	}
}

// Protects final names: a shard that is not complete never gets one.
func TestCloseRefusesMissingGames(t *testing.T) {
	dir := t.TempDir()
	w, err := CreateShard(dir, testSpec(frisian.Variant(), 0, 0, 10))
	if err != nil {
		t.Fatal(err)
	}
	addGames(t, w, 0, 9)
	if err := w.Close(); err == nil {
		t.Error("closed without its last game")
	}
	if err := w.Add(randomRecord(t, frisian.Variant(), 9, testPlyLimit)); err == nil {
		t.Error("a closed shard takes games")
	}
	w, err = CreateShard(dir, testSpec(frisian.Variant(), 1, 10, 20))
	if err != nil {
		t.Fatal(err)
	}
	addGames(t, w, 10, 12)
	w.Abort()
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left behind: %d files", len(left))
	}
}

// Protects against games that are not what the rules say: the writer refuses
// them and goes on with the right one.
func TestAddRefuses(t *testing.T) {
	v := frisian.Variant()
	good := func() *Record { return randomRecord(t, v, 0, testPlyLimit) }
	if o := good().Outcome; o != engine.BlackWins && o != engine.WhiteWins {
		t.Fatal("this test needs a game that was won")
	}
	for name, spoil := range map[string]func(r *Record){
		"number":          func(r *Record) { r.Number = 1 },
		"outcome":         func(r *Record) { r.Outcome = engine.Draw },
		"termination":     func(r *Record) { r.Termination = engine.Repetition },
		"cut-off as draw": func(r *Record) { r.Termination, r.Outcome = engine.PlyLimit, engine.Draw },
		"too short":       func(r *Record) { r.Moves, r.Evals = r.Moves[:9], r.Evals[:9] },
		"not over": func(r *Record) {
			r.Moves, r.Evals, r.Termination, r.Outcome = r.Moves[:9], r.Evals[:9], engine.Ongoing, engine.Unfinished
		},
		"table win":       func(r *Record) { r.Moves, r.Evals, r.Termination = r.Moves[:9], r.Evals[:9], engine.DeadDraw },
		"too long":        func(r *Record) { r.Moves, r.Evals = append(r.Moves, r.Moves[0]), append(r.Evals, Eval{}) },
		"illegal move":    func(r *Record) { r.Moves[3] = engine.NewMove(r.Moves[3].From(), r.Moves[3].From(), 0, engine.QuietMan) },
		"evals missing":   func(r *Record) { r.Evals = r.Evals[1:] },
		"eval of opening": func(r *Record) { r.Evals[0] = Eval{Searched: true} },
		"eval unsearched": func(r *Record) { r.Evals[9] = Eval{Nodes: 7} },
		"nodes":           func(r *Record) { r.Evals[9] = Eval{Searched: true, Nodes: 1 << 31} },
		"opening plies":   func(r *Record) { r.OpeningPlies = 10000 },
		"opening name":    func(r *Record) { r.Opening = "a\nb" },
		"start clock":     func(r *Record) { r.Start.SetCounts(0, 3, 0) },
		"start overlap":   func(r *Record) { r.Start.Pieces[1] |= r.Start.Pieces[0] },
	} {
		t.Run(name, func(t *testing.T) {
			clean, dir := t.TempDir(), t.TempDir()
			writeTestShard(t, clean, testSpec(v, 0, 0, 1))
			w, err := CreateShard(dir, testSpec(v, 0, 0, 1))
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			r := good()
			spoil(r)
			if err := w.Add(r); err == nil || strings.Contains(err.Error(), "\n") {
				t.Fatalf("accepted, or not one line: %v", err)
			}
			if err := w.Add(good()); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(files(t, clean), files(t, dir)); d != "" {
				t.Error("the refused game left a trace")
			}
		})
	}
}

// Protects games that end by a decision from outside the rules.
func TestStoppedGames(t *testing.T) {
	v := frisian.Variant()
	for _, c := range []struct {
		t engine.Termination
		o engine.Outcome
	}{{engine.DeadDraw, engine.Draw}, {engine.TableWin, engine.BlackWins}, {engine.Adjudicated, engine.WhiteWins}, {engine.Adjudicated, engine.Draw}} {
		r := randomRecord(t, v, 0, testPlyLimit)
		r.Moves, r.Evals, r.Termination, r.Outcome = r.Moves[:9], r.Evals[:9], c.t, c.o
		if _, _, err := newRowMaker(testSpec(v, 0, 0, 1)).rows(r); err != nil {
			t.Errorf("%s %s: %v", c.t, c.o, err)
		}
	}
}

// Protects the files from two goroutines at once: run with -race. Each goroutine offers every game; each is taken once.
func TestConcurrentAdd(t *testing.T) {
	dir, clean := t.TempDir(), t.TempDir()
	v := frisian.Variant()
	spec := testSpec(v, 0, 0, 20)
	writeTestShard(t, clean, spec)
	w, err := CreateShard(dir, spec)
	if err != nil {
		t.Fatal(err)
	}
	var records []*Record
	for n := range int64(20) {
		records = append(records, randomRecord(t, v, n, testPlyLimit))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, r := range records {
				_ = w.Add(r) // refused where another goroutine was first
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files(t, clean), files(t, dir)); d != "" {
		t.Error("concurrent use changed the file")
	}
}

// Protects bounded memory: the heap while writing or reading does not grow with
// the rows.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 1.3 million rows")
	}
	const rows = 10*rowGroupRows + 5
	shard := Shard{t.TempDir(), "frisian", 0}
	path := shard.Path(PositionsTable)
	w, err := createTable(shard, positionsTable())
	if err != nil {
		t.Fatal(err)
	}
	one := int8(1)
	batch := make([]PositionRow, 500)
	written, early, late := 0, uint64(0), uint64(0)
	for written < rows {
		n := min(len(batch), rows-written)
		for i := range batch[:n] {
			batch[i] = PositionRow{Game: 1, Ply: int32(written + i), Move: "31-26", Outcome: &one, Termination: "no-moves"}
		}
		if err := w.add(batch[:n]); err != nil {
			t.Fatal(err)
		}
		written += n
		if written == 2*rowGroupRows/500*500 {
			early = heap()
		}
	}
	late = heap()
	if late > early+4<<20 {
		t.Errorf("writing: %d bytes of heap after 2 row groups, %d after 10", early, late)
	}
	if err := errors.Join(w.complete(metadata{Schema: SchemaVersion, Table: PositionsTable, Variant: "frisian", Last: 1}), w.file.publish(path, true)); err != nil {
		t.Fatal(err)
	}
	read := 0
	early = 0
	err = readTable(path, positionsTable(), "frisian", func(got []PositionRow) error {
		for i := range got {
			if int(got[i].Ply) != read+i || got[i].Move != "31-26" || *got[i].Outcome != 1 {
				return fmt.Errorf("row %d is %+v", read+i, got[i])
			}
		}
		read += len(got)
		switch {
		case early == 0 && read > 2*rowGroupRows:
			early = heap()
		case read == rows:
			late = heap()
		}
		return nil
	})
	if err != nil || read != rows {
		t.Fatalf("read %d of %d rows: %v", read, rows, err)
	}
	if late > early+4<<20 {
		t.Errorf("reading: %d bytes of heap after 2 row groups, %d after 10", early, late)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // what a sync.Pool holds outlives the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Protects the removal of what is of no use: what killed processes left and
// all parts of finished shards go, whoever's they are; what running processes
// and other hosts have of shards in the making stays.
func TestRemoveStale(t *testing.T) {
	dir := t.TempDir()
	host, err := host()
	if err != nil {
		t.Fatal(err)
	}
	tables := filepath.Join(dir, "games", "variant=croda")
	if err := os.MkdirAll(tables, 0o755); err != nil {
		t.Fatal(err)
	}
	const dead = 1 << 30 // above the greatest process number of any kernel
	stale := []string{
		filepath.Join(tables, fmt.Sprintf(".shard-00001.%s.%d.123.tmp", host, dead)),
		filepath.Join(dir, fmt.Sprintf(".manifest.%s.%d.5.tmp", host, dead)),
	}
	if err := os.MkdirAll(filepath.Join(dir, "positions", "variant=croda"), 0o755); err != nil {
		t.Fatal(err)
	}
	stale = append(stale, filepath.Join(tables, ".shard-00002.5.partial"),
		filepath.Join(tables, ".shard-00002.other-host.12.34.tmp"),
		filepath.Join(tables, fmt.Sprintf(".shard-00002.%s.%d.123.tmp", host, os.Getppid())))
	kept := []string{
		filepath.Join(tables, "shard-00002.parquet"),
		filepath.Join(dir, "positions", "variant=croda", "shard-00002.parquet"),
		filepath.Join(tables, fmt.Sprintf(".shard-00001.%s.%d.123.tmp", host, os.Getpid())),
		filepath.Join(tables, fmt.Sprintf(".shard-00001.%s.%d.123.tmp", host, os.Getppid())),
		filepath.Join(tables, fmt.Sprintf(".shard-00001.other-host.%d.123.tmp", dead)),
		filepath.Join(tables, ".shard-00001.5.partial"),
		filepath.Join(tables, "shard-00001.parquet"),
	}
	for _, f := range append(stale, kept...) {
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveStale(dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range stale {
		if _, err := os.Stat(f); err == nil {
			t.Errorf("%s is still there", f)
		}
	}
	for _, f := range kept {
		if _, err := os.Stat(f); err != nil {
			t.Errorf("%s was removed", f)
		}
	}
}

// Protects what is documented: columns.go, the row types, FORMAT.md and the
// card name the same columns with the same types.
func TestColumnsAreDocumented(t *testing.T) {
	format, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	for table, row := range map[Table]any{GamesTable: GameRow{}, PositionsTable: PositionRow{}} {
		typ := reflect.TypeOf(row)
		columns := Columns(table)
		if len(columns) != typ.NumField() {
			t.Fatalf("%s: %d columns documented, %d exist", table, len(columns), typ.NumField())
		}
		for i, c := range columns {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			kind, nullable := f.Type, f.Type.Kind() == reflect.Pointer
			if nullable {
				kind = kind.Elem()
			}
			if c.Name != name || c.Type != kind.String() || c.Nullable != nullable || c.Meaning == "" {
				t.Errorf("%s: column %d is %s %s (null %t), documented as %+v", table, i, name, kind, nullable, c)
			}
		}
		if !strings.Contains(string(format), columnTable(table)) {
			t.Errorf("FORMAT.md does not have this table of the columns of %s:\n%s", table, columnTable(table))
		}
	}
}

// Protects the content hash of rows: every column counts, null is not zero.
func TestRowHashSeesEveryColumn(t *testing.T) {
	zero8, zero16 := int8(0), int16(0)
	checkColumns(t, GameRow{}, encodeGame, zero8, zero16)
	checkColumns(t, PositionRow{}, encodePosition, zero8, zero16)
}

func checkColumns[T any](t *testing.T, zero T, encode func([]byte, *T, int) []byte, zero8 int8, zero16 int16) {
	t.Helper()
	base := string(encode(nil, &zero, SchemaVersion))
	for i := range reflect.TypeOf(zero).NumField() {
		row := zero
		f := reflect.ValueOf(&row).Elem().Field(i)
		switch f.Interface().(type) {
		case string:
			f.SetString("x")
		case bool:
			f.SetBool(true)
		case *int8:
			f.Set(reflect.ValueOf(&zero8))
		case *int16:
			f.Set(reflect.ValueOf(&zero16))
		default:
			f.SetInt(1)
		}
		if string(encode(nil, &row, SchemaVersion)) == base {
			t.Errorf("%T: the hash does not see %s", zero, reflect.TypeOf(zero).Field(i).Name)
		}
	}
}

// Protects the dataset's hash: it is of the content, whatever the shards.
func TestHashIgnoresShards(t *testing.T) {
	a, b, c := t.TempDir(), t.TempDir(), t.TempDir()
	writeTestDataset(t, a, 12, 12)
	writeTestDataset(t, b, 12, 5)
	writeTestDataset(t, c, 11, 5)
	var sums []string
	for _, dir := range []string{a, b, c} {
		sum, err := Hash(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
	}
	if sums[0] != sums[1] || sums[0] == sums[2] || len(sums[0]) != 64 {
		t.Errorf("hashes of 12 games in 1 and 3 shards and of 11 games: %q", sums)
	}
}

// Protects against rows that another shard checked, under other rules, and
// against a game that is there twice.
func TestAddRowsRefuses(t *testing.T) {
	v := frisian.Variant()
	spec, other := testSpec(v, 0, 0, 2), testSpec(v, 0, 0, 2)
	other.Profile = engine.Federation
	w, err := CreateShard(t.TempDir(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	foreign, err := CreateShard(t.TempDir(), other)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Abort()
	rows, err := w.Rows(randomRecord(t, v, 0, testPlyLimit))
	if err != nil {
		t.Fatal(err)
	}
	if n := rows.Positions(); n != len(randomRecord(t, v, 0, testPlyLimit).Moves) {
		t.Errorf("%d positions", n)
	}
	if err := foreign.AddRows(rows); err == nil {
		t.Error("another shard's rows are taken")
	}
	if err := w.AddRows(rows); err != nil {
		t.Error(err)
	}
	if err := w.AddRows(rows); err == nil {
		t.Error("rows are taken twice")
	}
	if w.next != 1 {
		t.Errorf("game %d is next, want 1", w.next)
	}
}
