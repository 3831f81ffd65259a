package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"draughtlab/engine"
	"draughtlab/engine/croda"
	"draughtlab/engine/frisian"
	"draughtlab/engine/variants"
)

// smallGames and smallShard are the size of the datasets that are damaged.
const smallGames, smallShard = 6, 2

// smallDatasets keeps the files of those made, by the games in them: most tests
// want the same ones.
var smallDatasets sync.Map

// smallDataset returns the directory of a small dataset of these games.
func smallDataset(tb testing.TB, list ...*engine.Variant) string {
	tb.Helper()
	dir := tb.TempDir()
	key := ""
	for _, v := range list {
		key += " " + v.Name
	}
	if made, ok := smallDatasets.Load(key); ok {
		for name, text := range made.(map[string]string) {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				tb.Fatal(err)
			}
		}
		return dir
	}
	writeDataset(tb, dir, smallGames, smallShard, list)
	smallDatasets.Store(key, files(tb, dir))
	return dir
}

func problems(tb testing.TB, dir string) []string {
	tb.Helper()
	report, err := Verify(context.Background(), dir, nil)
	if err != nil {
		tb.Fatal(err)
	}
	var list []string
	for _, p := range report.Problems {
		rel, err := filepath.Rel(dir, p.File)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, filepath.ToSlash(rel)+": "+p.Fault)
	}
	return list
}

// Protects the other tests of this file: without damage nothing is wrong, in
// all three games, and every row is looked at.
func TestVerifyIntact(t *testing.T) {
	dir := t.TempDir()
	writeTestDataset(t, dir, 40, 15)
	last := Progress{}
	report, err := Verify(context.Background(), dir, func(p Progress) { last = p })
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		t.Error(p)
	}
	m, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	positions := int64(0)
	for _, v := range m.Variants {
		positions += v.Positions
	}
	if report.Games != 120 || report.Shards != 9 || report.Positions != positions || last != (Progress{9, 9, positions}) {
		t.Errorf("report %+v, last progress %+v, want 120 games in 9 shards, %d positions", report, last, positions)
	}
}

// Protects against damage: one flipped bit in any file of a dataset is found
// and the file is named. Offsets are spread over the whole file, and all of
// its last bytes, the footer's length and magic number, are among them.
func TestVerifyFindsEveryFlippedBit(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	whole := files(t, dir)
	perFile := 24
	if testing.Short() {
		perFile = 4
	}
	for name, text := range whole {
		var offsets []int
		for i := range perFile {
			offsets = append(offsets, i*len(text)/perFile)
		}
		for i := range min(8, len(text)) {
			offsets = append(offsets, len(text)-1-i)
		}
		for i, at := range offsets {
			damaged := []byte(text)
			damaged[at] ^= 1 << (i % 8)
			write(t, dir, name, damaged)
			if found := problems(t, dir); !named(found, name) {
				t.Errorf("%s: bit %d of byte %d flipped: found %q", name, i%8, at, found)
			}
		}
		write(t, dir, name, []byte(text))
	}
	if found := problems(t, dir); len(found) != 0 {
		t.Errorf("restored, but %q", found)
	}
}

// Protects readers without a manifest: a flipped bit in a shard either makes
// reading fail, with the file's name, or changes none of the rows. Never a
// panic, never other rows.
func TestFlippedBitNeverChangesRows(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	want, err := Hash(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	shard := Shard{dir, "frisian", 1}
	for _, table := range tables {
		text, err := os.ReadFile(shard.Path(table))
		if err != nil {
			t.Fatal(err)
		}
		step := 61
		if testing.Short() {
			step = 997
		}
		for at := 0; at < len(text); at += step {
			damaged := append([]byte(nil), text...)
			damaged[at] ^= 1 << (at % 8)
			if err := os.WriteFile(shard.Path(table), damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := Hash(context.Background(), dir)
			if err == nil && got != want {
				t.Fatalf("%s: byte %d: other rows and no error", shard.name(table), at)
			}
			if err != nil && !strings.Contains(err.Error(), shard.Path(table)) {
				t.Fatalf("byte %d: the error does not name %s: %v", at, shard.name(table), err)
			}
		}
		if err := os.WriteFile(shard.Path(table), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Protects against truncated files: found at any length, by Verify and by
// readers, and named.
func TestTruncatedFiles(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	lengths := 12
	if testing.Short() {
		lengths = 4
	}
	for name, text := range files(t, dir) {
		for i := range lengths {
			write(t, dir, name, []byte(text[:i*len(text)/lengths]))
			if found := problems(t, dir); !named(found, name) {
				t.Errorf("%s cut to %d bytes: found %q", name, i*len(text)/lengths, found)
			}
			var err error
			switch {
			case strings.HasPrefix(name, "games"):
				err = Games(dir, "frisian", func(*GameRow) error { return nil })
			case strings.HasPrefix(name, "positions"):
				err = Positions(dir, "frisian", func(*PositionRow) error { return nil })
			default:
				continue
			}
			if err == nil || !strings.Contains(err.Error(), filepath.FromSlash(name)) {
				t.Errorf("%s cut to %d bytes: reading gives %v", name, i*len(text)/lengths, err)
			}
		}
		write(t, dir, name, []byte(text))
	}
}

// Protects the whole of a dataset: what is missing, foreign or in the wrong
// place is found and named.
func TestVerifyFindsWrongFiles(t *testing.T) {
	g, p := "games/variant=frisian/", "positions/variant=frisian/"
	for name, c := range map[string]struct {
		do   func(t *testing.T, dir string)
		want []string // beginnings of a problem, each must be found
	}{
		"games missing":     {remove(g + "shard-00001.parquet"), []string{g + "shard-00001.parquet: missing"}},
		"positions missing": {remove(p + "shard-00002.parquet"), []string{p + "shard-00002.parquet: missing"}},
		"last shard missing": {func(t *testing.T, dir string) {
			remove(g+"shard-00002.parquet")(t, dir)
			remove(p+"shard-00002.parquet")(t, dir)
		}, []string{g + "shard-00002.parquet: missing", p + "shard-00002.parquet: missing"}},
		"variant missing": {func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, g)); err != nil {
				t.Fatal(err)
			}
		}, []string{g + "shard-00000.parquet: missing", g + "shard-00002.parquet: missing"}},
		"manifest missing": {remove(ManifestFile), []string{ManifestFile + ": missing"}},
		"config missing":   {remove(ConfigFile), []string{ConfigFile + ": cannot be read"}},
		"card missing":     {remove(CardFile), []string{CardFile + ": cannot be read"}},
		"exchanged shards": {exchange(g+"shard-00000.parquet", g+"shard-00001.parquet"), []string{
			g + "shard-00000.parquet: the file says to be shard 1 of the games [2,4), not shard 0", g + "shard-00001.parquet: the file says to be shard 0",
		}},
		"exchanged tables": {exchange(g+"shard-00000.parquet", p+"shard-00000.parquet"), []string{
			g + "shard-00000.parquet: the file says to hold positions",
		}},
		"exchanged variants": {exchange(g+"shard-00000.parquet", "games/variant=croda/shard-00000.parquet"), []string{
			g + "shard-00000.parquet: the file says to hold games of croda", "games/variant=croda/shard-00000.parquet: the file says to hold games of frisian",
		}},
		"copied shard": {func(t *testing.T, dir string) {
			write(t, dir, g+"shard-00001.parquet", []byte(files(t, dir)[g+"shard-00000.parquet"]))
		}, []string{g + "shard-00001.parquet: the file says to be shard 0"}},
		"foreign file":   {create(g + "notes.txt"), []string{g + "notes.txt: does not belong"}},
		"foreign shard":  {create(p + "shard-00009.parquet"), []string{p + "shard-00009.parquet: does not belong"}},
		"suspended part": {create(p + ".shard-00009.5.partial"), []string{p + ".shard-00009.5.partial: part of a suspended shard"}},
		"temporary file": {create(p + ".shard-00009.h.7.8.tmp"), []string{p + ".shard-00009.h.7.8.tmp: left behind"}},
		"other config":   {create(ConfigFile), []string{ConfigFile + ": changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := smallDataset(t, croda.Variant(), frisian.Variant())
			c.do(t, dir)
			found := problems(t, dir)
			for _, want := range c.want {
				if !begins(found, want) {
					t.Errorf("want %q among %q", want, found)
				}
			}
		})
	}
}

// Protects the proof itself: a dataset that is consistent in all its hashes
// but has one wrong cell is refused, with the column named, for every column
// that follows from the rules.
func TestVerifyFindsEveryWrongCell(t *testing.T) {
	free := map[string]string{ // what cannot follow from the rules, and why it is refused nevertheless
		"seed": "", "opening": "", "engine": "", "weights_hash": "",
		"score": "", "win_in": "", "nodes": "", "depth": "", "opening_plies": "",
	}
	for i := range reflect.TypeFor[GameRow]().NumField() {
		name, found := forgedCell(t, GamesTable, i)
		if _, ok := free[name]; !ok && !containsAny(found, "column "+name+" ", "game 3 where game 2 was due", "unknown ", "ply ", "profile", "king run", "FEN", "the rules say") {
			t.Errorf("games: wrong %s: found %q", name, found)
		}
	}
	for i := range reflect.TypeFor[PositionRow]().NumField() {
		name, found := forgedCell(t, PositionsTable, i)
		if _, ok := free[name]; !ok && !containsAny(found, "game 2 ply 5: column "+name+" ", "game 3 ply 5: a row of no game", "game 2: 5 rows") {
			t.Errorf("positions: wrong %s: found %q", name, found)
		}
	}
}

// forgedCell changes one cell of game 2 (of its ply 5), writes a dataset with
// right hashes around it and returns the column and what Verify says.
func forgedCell(t *testing.T, table Table, field int) (column string, found []string) {
	t.Helper()
	dir := smallDataset(t, frisian.Variant())
	forge(t, dir, func(games []GameRow, positions []PositionRow) ([]GameRow, []PositionRow) {
		row := reflect.ValueOf(&games[0]).Elem()
		if table == PositionsTable {
			row = reflect.ValueOf(&positions[5]).Elem()
		}
		column, _, _ = strings.Cut(row.Type().Field(field).Tag.Get("parquet"), ",")
		spoilCell(row.Field(field))
		return games, positions
	})
	return column, problems(t, dir)
}

func spoilCell(f reflect.Value) {
	switch f.Kind() {
	case reflect.String:
		f.SetString(f.String() + "x")
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Pointer:
		if f.IsNil() {
			f.Set(reflect.New(f.Type().Elem()))
		} else {
			f.SetZero()
		}
	default:
		f.SetInt(f.Int() + 1)
	}
}

// Protects against games that are there twice, left out, or played under
// other rules, in a dataset whose hashes are all right.
func TestVerifyFindsForgedGames(t *testing.T) {
	for name, c := range map[string]struct {
		change func([]GameRow, []PositionRow) ([]GameRow, []PositionRow)
		want   string
	}{
		"game twice under its number": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			g[1] = g[0]
			return g, append(ofGame(p, 2), ofGame(p, 2)...)
		}, "game 2 where game 3 was due"},
		"game twice under another number": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			g[1] = g[0]
			g[1].Game = 3
			q := append([]PositionRow(nil), ofGame(p, 2)...)
			for i := range q {
				q[i].Game = 3
			}
			return g, append(ofGame(p, 2), q...)
		}, "game 3: has the seed of game 2"},
		"game left out": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			return g[1:], ofGame(p, 3)
		}, "game 3 where game 2 was due"},
		"last game left out": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			return g[:1], ofGame(p, 2)
		}, "has 1 games, not the 2"},
		"positions left out": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			return g, append(ofGame(p, 2)[1:], ofGame(p, 3)...)
		}, "rows, the game has"},
		"positions too many": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			return g, append(p, p[len(p)-1])
		}, "rows, the game has"},
		"positions of no game": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			q := p[len(p)-1]
			q.Game = 4
			return g, append(p, q)
		}, "game 4 ply "},
		"cut-off as draw": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			draw := int8(0)
			g[0].Termination, g[0].TerminationClass, g[0].Outcome = "ply-limit", "cut-off", &draw
			return g, p
		}, "the rules say"},
		"other profile": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			g[1].Profile = "federation"
			return g, p
		}, "game 3: played under other settings"},
		"score and win": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			n := int16(5)
			p[5].Score, p[5].WinIn = &n, &n
			return g, p
		}, "game 2 ply 5: column score is 5, should be null"},
		"depth without search": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			p[5].Score, p[5].WinIn, p[5].Depth = nil, nil, 3
			return g, p
		}, "ply 5: an evaluation of a position that was not searched"},
		"moves written otherwise": {func(g []GameRow, p []PositionRow) ([]GameRow, []PositionRow) {
			g[0].Moves = strings.Replace(g[0].Moves, " ", "  ", 1)
			return g, p
		}, "game 2: column moves is"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := smallDataset(t, frisian.Variant())
			forge(t, dir, c.change)
			if found := problems(t, dir); !containsAny(found, c.want) {
				t.Errorf("want %q in %q", c.want, found)
			}
		})
	}
}

func ofGame(p []PositionRow, game int64) []PositionRow {
	var out []PositionRow
	for _, r := range p {
		if r.Game == game {
			out = append(out, r)
		}
	}
	return out
}

// forge writes shard 1 of a small dataset again with changed rows, and the
// manifest to go with it, so that every hash is right.
func forge(t *testing.T, dir string, change func([]GameRow, []PositionRow) ([]GameRow, []PositionRow)) {
	t.Helper()
	s := Shard{dir, "frisian", 1}
	var games []GameRow
	var positions []PositionRow
	if err := errors.Join(
		s.Games(func(r []GameRow) error { games = append(games, r...); return nil }),
		s.Positions(func(r []PositionRow) error { positions = append(positions, r...); return nil }),
	); err != nil {
		t.Fatal(err)
	}
	games, positions = change(games, positions)
	m := metadata{Schema: SchemaVersion, Variant: "frisian", Shard: 1, First: 2, Last: 4, ConfigHash: testConfigHash}
	writeRows(t, s, gamesTable(), m, games)
	writeRows(t, s, positionsTable(), m, positions)
	config, err := ConfigHash(dir)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := describeVariant(t.Context(), dir, Plan{"frisian", smallGames, smallShard}, config)
	if err != nil {
		t.Fatal(err)
	}
	vm.Games = smallGames // as a forger would say
	vm.Shards[1].Games.Rows = 2
	manifest, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest.Variants = []VariantManifest{vm}
	write(t, dir, ManifestFile, manifest.marshal())
}

func writeRows[T any](t *testing.T, s Shard, table tableOf[T], m metadata, rows []T) {
	t.Helper()
	w, err := createTable(s, table)
	if err != nil {
		t.Fatal(err)
	}
	m.Table = table.name
	if err := errors.Join(w.add(rows), w.complete(m), w.file.publish(s.Path(table.name), true)); err != nil {
		t.Fatal(err)
	}
}

// Protects later versions of the schema: a newer file is refused by its
// version, not misread.
func TestNewerSchemaIsRefused(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	s := Shard{dir, "frisian", 0}
	writeRows(t, s, gamesTable(), metadata{Schema: SchemaVersion + 1, Variant: "frisian", Last: 2}, []GameRow{{}, {Game: 1}})
	err := Games(dir, "frisian", func(*GameRow) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "schema version 3, this program reads versions up to 2") || !strings.Contains(err.Error(), s.Path(GamesTable)) {
		t.Errorf("reading a newer file: %v", err)
	}
	if found := problems(t, dir); !containsAny(found, "schema version 3") {
		t.Errorf("verify: %q", found)
	}
}

// Protects readers from a changed bit that names another codec, whose decoder
// would take the bytes for pages of any size.
func TestOtherCodecIsRefused(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	path := Shard{dir, "frisian", 0}.Path(GamesTable)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := parquet.NewGenericWriter[GameRow](file, parquet.Compression(&parquet.Snappy), parquet.KeyValueMetadata(keySchema, "2"))
	for key, value := range map[string]string{keyTable: "games", keyVariant: "frisian", keyShard: "0", keyFirst: "0", keyLast: "2", keyConfig: "", keyRows: ""} {
		out.SetKeyValueMetadata(key, value)
	}
	_, err = out.Write([]GameRow{{}, {Game: 1}})
	if err = errors.Join(err, out.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	var d *DamagedError
	if err := Games(dir, "frisian", func(*GameRow) error { return nil }); !errors.As(err, &d) || !strings.Contains(err.Error(), "compressed with SNAPPY") {
		t.Errorf("error %v", err)
	}
}

// Protects readers from files that are no datasets.
func TestForeignParquetIsRefused(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	for content, want := range map[string]string{"": "not a complete Parquet file", "PAR1PAR1": "not a complete Parquet file", "hello world, no parquet": "not a complete Parquet file"} {
		write(t, dir, "games/variant=frisian/shard-00000.parquet", []byte(content))
		err := Games(dir, "frisian", func(*GameRow) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if err := Games(t.TempDir(), "frisian", func(*GameRow) error { return nil }); err == nil {
		t.Error("an empty directory is read as a dataset")
	}
	if _, err := Variants(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that does not exist: %v", err)
	}
}

// Protects the manifest: it is not written over an incomplete run or another
// configuration, and the error names what is missing.
func TestWriteManifestRefuses(t *testing.T) {
	v := frisian.Variant()
	plan := []Plan{{Variant: v.Name, Games: smallGames, ShardGames: smallShard}}
	dir := smallDataset(t, v)
	for _, f := range []string{ManifestFile, "positions/variant=frisian/shard-00001.parquet"} {
		remove(f)(t, dir)
	}
	if err := WriteManifest(t.Context(), dir, plan); err == nil || !strings.Contains(err.Error(), "shard-00001.parquet") {
		t.Errorf("missing shard: %v", err)
	}
	dir = smallDataset(t, v)
	remove(ManifestFile)(t, dir)
	write(t, dir, ConfigFile, []byte("{}"))
	if err := WriteManifest(t.Context(), dir, plan); err == nil || !strings.Contains(err.Error(), "written under the configuration") {
		t.Errorf("other configuration: %v", err)
	}
	if err := WriteManifest(t.Context(), dir, []Plan{{v.Name, smallGames, 3}}); err == nil {
		t.Error("a plan with other shards is accepted")
	}
	if _, err := ReadManifest(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("manifest: %v", err)
	}
}

// Protects the manifest's purity: written again it is the same.
func TestManifestIsPure(t *testing.T) {
	dir := smallDataset(t, variants.All()...)
	before := files(t, dir)
	var plans []Plan
	for _, v := range variants.All() {
		plans = append(plans, Plan{v.Name, smallGames, smallShard})
	}
	if err := WriteManifest(t.Context(), dir, plans); err != nil {
		t.Fatal(err)
	}
	if after := files(t, dir); !reflect.DeepEqual(before, after) {
		t.Error("writing the manifest again changed a file")
	}
}

// Protects an honest answer when the user stops the check.
func TestVerifyStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Verify(ctx, smallDataset(t, frisian.Variant()), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, err := Verify(context.Background(), filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("a directory that does not exist holds")
	}
}

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
}

func create(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { t.Helper(); write(t, dir, name, []byte("{}")) }
}

func exchange(a, b string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		all := files(t, dir)
		write(t, dir, a, []byte(all[b]))
		write(t, dir, b, []byte(all[a]))
	}
}

func named(found []string, file string) bool { return begins(found, file+": ") }

func begins(found []string, prefix string) bool {
	for _, f := range found {
		if strings.HasPrefix(f, prefix) {
			return true
		}
	}
	return false
}

func containsAny(found []string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(fmt.Sprint(found), part) {
			return true
		}
	}
	return false
}
