package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"draughtlab/engine/croda"
	"draughtlab/engine/frisian"
)

// Protects every reader from files that are missing, foreign, copied or
// exchanged: a run never counts fewer or other games in silence, with a
// manifest or, where shards can be missing, without.
func TestReadersRefuseWrongFiles(t *testing.T) {
	g, p := "games/variant=frisian/", "positions/variant=frisian/"
	copyShard := func(from, to string, dirs ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			for _, d := range dirs {
				write(t, dir, d+to, []byte(files(t, dir)[d+from]))
			}
		}
	}
	for name, c := range map[string]struct {
		do              func(*testing.T, string)
		file, want      string
		withoutManifest bool // found there, too
	}{
		"games missing":      {remove(g + "shard-00001.parquet"), g + "shard-00001.parquet", "missing", false},
		"positions missing":  {remove(p + "shard-00002.parquet"), p + "shard-00002.parquet", "missing", false},
		"copy in place":      {copyShard("shard-00000.parquet", "shard-00001.parquet", g, p), g + "shard-00001.parquet", "says to be shard 0", true},
		"copy behind":        {copyShard("shard-00000.parquet", "shard-00007.parquet", g, p), g + "shard-00007.parquet", "", true},
		"other positions":    {copyShard("shard-00000.parquet", "shard-00001.parquet", p), p + "shard-00001.parquet", "says to be shard 0", true},
		"other numbering":    {copyShard("shard-00001.parquet", "shard-000001.parquet", g, p), g + "shard-000001.parquet", "does not belong", false},
		"positions only":     {copyShard("shard-00001.parquet", "shard-00009.parquet", p), p + "shard-00009.parquet", "does not belong", false},
		"other length":       {func(t *testing.T, dir string) { writeTestShard(t, dir, testSpec(frisian.Variant(), 1, 2, 3)) }, g + "shard-00001.parquet", "bytes, manifest.json says", false},
		"overlapping shards": {func(t *testing.T, dir string) { writeTestShard(t, dir, testSpec(frisian.Variant(), 1, 1, 3)) }, g + "shard-00001.parquet", "holds the games [1,3), some of which", true},
		"other run": {func(t *testing.T, dir string) {
			spec := testSpec(frisian.Variant(), 1, 2, 4)
			spec.ConfigHash = strings.Repeat("0", 64)
			writeTestShard(t, dir, spec)
		}, g + "shard-00001.parquet", "another run's", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := smallDataset(t, croda.Variant(), frisian.Variant())
			c.do(t, dir)
			_, errVariants := Variants(dir)
			_, errHash := Hash(context.Background(), dir)
			errs := []error{
				errVariants, errHash,
				Games(dir, "frisian", func(*GameRow) error { return nil }),
				Positions(dir, "frisian", func(*PositionRow) error { return nil }),
			}
			if c.withoutManifest {
				remove(ManifestFile)(t, dir)
				errs = append(errs, Games(dir, "frisian", func(*GameRow) error { return nil }))
			}
			for i, err := range errs {
				if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, c.file)) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("reader %d: error %v, want one with %s and %q", i, err, c.file, c.want)
				}
			}
			if err := Games(dir, "croda", func(*GameRow) error { return nil }); err != nil {
				t.Errorf("the other variant: %v", err)
			}
		})
	}
}

// Protects finished games from bad advice: only a file that is itself at fault
// is to be removed, not one that the operating system would not open.
func TestDamagedOnlyIfTheFileIs(t *testing.T) {
	var d *DamagedError
	if err := damaged("f", "cannot be read: %w", &os.PathError{Op: "open", Path: "f", Err: syscall.EMFILE}); errors.As(err, &d) || strings.Contains(err.Error(), "remove") {
		t.Errorf("too many open files: %v", err)
	}
	dir, spec := t.TempDir(), testSpec(frisian.Variant(), 0, 0, 4)
	w, err := CreateShard(dir, spec)
	if err != nil {
		t.Fatal(err)
	}
	addGames(t, w, 0, 2)
	if err := w.Suspend(); err != nil {
		t.Fatal(err)
	}
	partial := w.shard.partial(PositionsTable, 2)
	if err := os.Truncate(partial, 300); err != nil {
		t.Fatal(err)
	}
	if _, _, err = ResumeShard(dir, spec); !errors.As(err, &d) || d.File != partial {
		t.Errorf("damaged part: %v, want it to name %s", err, partial)
	}
}

// Protects a run from standing still because of a file that self-play could make
// again: whatever bit of a footer changed, it is known for damage, or is told of
// by the rows, or changes nothing. Only a version to come is not ours to judge.
func TestChangedBitIsDamage(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	shard := Shard{dir, "frisian", 1}
	step := 7
	if testing.Short() {
		step = 97
	}
	for _, table := range tables {
		text, err := os.ReadFile(shard.Path(table))
		if err != nil {
			t.Fatal(err)
		}
		const tail = 8 // length of the footer, 4 bytes, and magic number
		footer := int(binary.LittleEndian.Uint32(text[len(text)-tail:]))
		for at := len(text) - tail - footer; at < len(text); at += step {
			changed := bytes.Clone(text)
			changed[at] ^= 1 << (at % 8)
			write(t, dir, shard.name(table), changed)
			err := CheckShard(context.Background(), shard, 2, 4, testConfigHash, true)
			var d *DamagedError
			if err != nil && !errors.As(err, &d) && !errors.Is(err, errNewer) {
				t.Errorf("%s, byte %d: %v", table, at, err)
			}
		}
		write(t, dir, shard.name(table), text)
	}
	if err := CheckShard(context.Background(), shard, 2, 4, testConfigHash, true); err != nil {
		t.Error(err)
	}
}

// Protects a run from standing still because of a foreign Parquet file.
func TestForeignFileIsDamage(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	shard := Shard{dir, "frisian", 1}
	if err := parquet.WriteFile(shard.Path(GamesTable), []struct{ Game int64 }{{1}}); err != nil {
		t.Fatal(err)
	}
	var d *DamagedError
	if err := CheckShard(context.Background(), shard, 2, 4, testConfigHash, false); !errors.As(err, &d) || d.File != shard.Path(GamesTable) {
		t.Errorf("%v, want damage of %s", err, shard.Path(GamesTable))
	}
}

// Protects a complete dataset whose card or manifest is lost or damaged from
// being a dead end: the error says which file to remove, and what is lost comes
// back as it was.
func TestRestoreCard(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	want := files(t, dir)
	m, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, CardFile, []byte("mine"))
	var d *DamagedError
	if err := RestoreCard(dir, m); !errors.As(err, &d) || d.File != filepath.Join(dir, CardFile) {
		t.Errorf("changed card: %v", err)
	}
	remove(CardFile)(t, dir)
	if err := RestoreCard(dir, m); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !reflect.DeepEqual(got, want) {
		t.Error("the card that came back is another one")
	}
	for _, text := range []string{"", want[ManifestFile][:200], want[ManifestFile] + " "} {
		write(t, dir, ManifestFile, []byte(text))
		if _, err := ReadManifest(dir); !errors.As(err, &d) || d.File != filepath.Join(dir, ManifestFile) {
			t.Errorf("manifest of %d bytes: %v", len(text), err)
		}
	}
}

// Protects a run in use: the file a running process is writing is told, with
// its process, but is no fault of the dataset; that of a dead one is.
func TestVerifyNotesRunningWriters(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	host, err := host()
	if err != nil {
		t.Fatal(err)
	}
	const dead = 1<<31 - 1 // above any process number
	base := "positions/variant=frisian/.shard-00001." + host
	write(t, dir, fmt.Sprintf("%s.%d.5.tmp", base, os.Getpid()), nil)
	report, err := Verify(context.Background(), dir, nil)
	if err != nil || len(report.Problems) != 0 || len(report.Notes) != 1 || !strings.Contains(report.Notes[0].Fault, fmt.Sprintf("process %d, which is running", os.Getpid())) {
		t.Errorf("own file: %+v, %v", report, err)
	}
	write(t, dir, fmt.Sprintf("%s.%d.5.tmp", base, dead), nil)
	if found := problems(t, dir); len(found) != 1 || !strings.Contains(found[0], fmt.Sprintf("left behind by the process %d", dead)) {
		t.Errorf("dead process: %q", found)
	}
}

// Protects the comparison with a configuration: plan, games and positions that
// are not as expected are problems of the right file.
func TestVerifyExpects(t *testing.T) {
	dir := smallDataset(t, frisian.Variant())
	plan := Plan{"frisian", smallGames, smallShard}
	expect := func(p Plan) Expect {
		return Expect{
			Plan: p,
			Game: func(g *GameRow) error {
				if g.Game == 4 {
					return errors.New("no such game")
				}
				return nil
			},
			Position: func(g *GameRow, p *PositionRow) error {
				if g.Game == 1 && p.Ply == 3 {
					return errors.New("no such position")
				}
				return nil
			},
		}
	}
	for _, c := range []struct {
		expect []Expect
		want   []string
	}{
		{nil, nil},
		{[]Expect{expect(plan)}, []string{"games/variant=frisian/shard-00002.parquet: game 4: no such game", "positions/variant=frisian/shard-00000.parquet: game 1 ply 3: no such position"}},
		{[]Expect{expect(Plan{"frisian", 80, 2})}, []string{"manifest.json: frisian: 6 games, 2 a shard; config.json says 80 games, 2 a shard"}},
		{[]Expect{expect(plan), expect(Plan{"croda", 6, 2})}, []string{"manifest.json: croda: no games, config.json says 6"}},
	} {
		report, err := Verify(context.Background(), dir, nil, c.expect...)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(fmt.Sprint(report.Problems), filepath.Join(dir, want)) {
				t.Errorf("want %q in %v", want, report.Problems)
			}
		}
		if c.expect == nil && len(report.Problems) > 0 {
			t.Errorf("nothing expected: %v", report.Problems)
		}
	}
}

// Protects the text for a file with other columns: both types are told, and
// they differ.
func TestOtherColumns(t *testing.T) {
	type other struct {
		Game *int64 `parquet:"game"`
	}
	type more struct {
		Game []int64 `parquet:"game"`
	}
	for want, schema := range map[string]*parquet.Schema{
		`column "game" is optional INT(64,true), not required INT(64,true)`: parquet.SchemaOf(other{}),
		`column "game" is repeated INT(64,true), not required INT(64,true)`: parquet.SchemaOf(more{}),
	} {
		if err := sameColumns(schema, parquet.SchemaOf(GameRow{}), gameCells()); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Protects memory from a file without end, and names of nothing from being
// read as the working directory.
func TestReadLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadFile(path, 5); err != nil || string(text) != "12345" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ReadFile(path, 4); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("too long: %v", err)
	}
	if _, err := Variants(""); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("no name: %v", err)
	}
	if _, err := Verify(context.Background(), "", nil); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("no name: %v", err)
	}
	if _, err := Variants(path); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file: %v", err)
	}
}
