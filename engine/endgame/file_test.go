package endgame

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"draughtlab/engine"
	"draughtlab/engine/croda"
	"draughtlab/engine/frisian"
	"draughtlab/engine/russian"
)

func build(t *testing.T, dir string, v *engine.Variant, rules Rules, pieces, workers int) (made int) {
	t.Helper()
	err := Build(context.Background(), dir, v, rules, pieces, workers, func(p Progress) {
		if p.Made {
			made++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// content reads the files of a directory.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range list {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name()] = string(b)
	}
	return out
}

// TestWorkers holds the files to be the same for any number of workers, and the
// probes of files to be those of tables in memory.
func TestWorkers(t *testing.T) {
	v := russian.Variant()
	one, many := t.TempDir(), t.TempDir()
	build(t, one, v, Pure, 3, 1)
	build(t, many, v, Pure, 3, 5)
	a, b := content(t, one), content(t, many)
	if len(a) != 9 || len(b) != len(a) {
		t.Fatalf("%d and %d files", len(a), len(b))
	}
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s differs", name)
		}
	}
	got, err := Open(many, v, Pure)
	if err != nil {
		t.Fatal(err)
	}
	want := tables(t, v, Pure, 3)
	if got.Pieces() != 3 {
		t.Errorf("covers %d pieces", got.Pieces())
	}
	for _, p := range probePositions(want) {
		r, ok := got.Probe(&p)
		if w, _ := want.Probe(&p); !ok || r != w {
			t.Fatalf("%+v, in memory %+v", r, w)
		}
	}
}

// TestResume: a build makes only what is missing, and leaves no other files.
func TestResume(t *testing.T) {
	v, dir := frisian.Variant(), t.TempDir()
	if n := build(t, dir, v, Basic, 2, 2); n != 3 {
		t.Errorf("%d tables", n)
	}
	before := content(t, dir)
	if err := os.Remove(FileName(dir, v, Basic, Material{Force{1, 0}, Force{1, 0}})); err != nil {
		t.Fatal(err)
	}
	if n := build(t, dir, v, Federation, 2, 2); n != 1 { // kept as basic
		t.Errorf("%d tables made again", n)
	}
	after := content(t, dir)
	if len(after) != len(before) {
		t.Errorf("%d files, before %d", len(after), len(before))
	}
	for name := range before {
		if before[name] != after[name] {
			t.Errorf("%s differs", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir = t.TempDir()
	if err := Build(ctx, dir, v, Basic, 2, 2, nil); err == nil || len(content(t, dir)) != 0 {
		t.Errorf("a cancelled build: %v", err)
	}
}

// TestWide protects tables of distances that need two bytes.
func TestWide(t *testing.T) {
	c := newCodes(70000, 256)
	for i := range c.wide {
		c.set(i, uint32(i%4000))
	}
	var file bytes.Buffer
	if err := c.writeTo(&file); err != nil {
		t.Fatal(err)
	}
	d := newCodes(70000, 256)
	if err := d.readFrom(&file); err != nil {
		t.Fatal(err)
	}
	for i := range c.wide {
		if d.at(i) != i%4000 {
			t.Fatalf("code %d is %d", i, d.at(i))
		}
	}
}

// TestDamaged: a file that is damaged anywhere, cut short, too long or of another
// table is refused by Open and Build with its name.
func TestDamaged(t *testing.T) {
	v, dir := russian.Variant(), t.TempDir()
	build(t, dir, v, Pure, 2, 2)
	path := FileName(dir, v, Pure, Material{Force{0, 1}, Force{0, 1}})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(FileName(dir, v, Pure, Material{Force{0, 1}, Force{1, 0}}))
	if err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	build(t, foreign, frisian.Variant(), Pure, 2, 2)
	game, err := os.ReadFile(FileName(foreign, frisian.Variant(), Pure, Material{Force{0, 1}, Force{0, 1}}))
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string][]byte{
		"empty": nil, "text": []byte("hello"), "cut": good[:len(good)-1], "half": good[:len(good)/2],
		"long": append(bytes.Clone(good), 0), "material": other, "game": game,
	}
	for at := 0; at < len(good); at += 7 {
		flipped := bytes.Clone(good)
		flipped[at] ^= 4
		bad["byte "+string(rune('0'+at%10))+" "+strings.Repeat("+", at/7)] = flipped
	}
	for name, b := range bad {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, v, Pure); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: Open: %v", name, err)
		}
		if err := Build(context.Background(), dir, v, Pure, 2, 1, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: Build: %v", name, err)
		}
	}
	// A file that goes bad after Open has seen it makes probes fail, not wrong.
	if err := os.WriteFile(path, good, 0o644); err != nil {
		t.Fatal(err)
	}
	tab, err := Open(dir, v, Pure)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, game, 0o644); err != nil {
		t.Fatal(err)
	}
	p := anyPlacement(v, Material{Force{0, 1}, Force{0, 1}})
	if _, ok := tab.Probe(&p); ok || tab.Err() == nil || tab.Load(2) == nil {
		t.Errorf("probe %t, %v", ok, tab.Err())
	}
	if _, err := Open(t.TempDir(), v, Pure); err == nil {
		t.Error("no tables, no error")
	}
}

// TestDefault: default tables are made by several at once, made again where the
// cache is damaged, and do without a cache.
func TestDefault(t *testing.T) {
	v, ctx, dir := russian.Variant(), context.Background(), filepath.Join(t.TempDir(), "new", "cache")
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if tab, err := cached(ctx, dir, v, Basic, 2); err != nil || tab.Pieces() != 2 {
				t.Error(err)
			}
		})
	}
	all.Wait()
	before := content(t, dir)
	if len(before) != 3 {
		t.Errorf("%d files", len(before))
	}
	path := FileName(dir, v, Basic, Material{Force{0, 1}, Force{1, 0}})
	if err := os.WriteFile(path, []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := cached(ctx, dir, v, Basic, 2); err != nil {
		t.Fatal(err)
	}
	if after := content(t, dir); after[filepath.Base(path)] != before[filepath.Base(path)] {
		t.Error("a damaged file was not made again")
	}
	if tab, err := cached(ctx, filepath.Join(path, "below a file"), v, Basic, 2); err != nil || tab.Pieces() != 2 {
		t.Errorf("without a cache: %v", err)
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for range 2 {
		if tab, err := Default(ctx, v, Pure); err != nil || tab.Pieces() != DefaultPieces {
			t.Error(err)
		}
	}
}

// TestDamagedStream: a file whose checksum is right and whose codes are not as
// many as the states is refused by its name by all who read it.
func TestDamagedStream(t *testing.T) {
	v, dir := russian.Variant(), t.TempDir()
	build(t, dir, v, Pure, 2, 2)
	m := Material{Force{0, 1}, Force{0, 1}}
	path := FileName(dir, v, Pure, m)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	head, stream := good[:headerSize], good[headerSize:len(good)-sumSize]
	wide := bytes.Clone(head)
	binary.LittleEndian.PutUint16(wide[10:], 2)
	states := newEnding(v, newGeometry(v), Pure, m).states()
	for name, parts := range map[string][2][]byte{
		"empty":     {head, nil},
		"too short": {head, z.EncodeAll(make([]byte, states-1), nil)},
		"too long":  {head, z.EncodeAll(make([]byte, states+1), nil)},
		"cut":       {head, stream[:len(stream)-1]},
		"width":     {wide, stream},
		"one more":  {head, append(bytes.Clone(stream), 7)},
		"garbage":   {head, append(bytes.Clone(stream), "garbage"...)},
		"no zstd":   {head, bytes.Repeat([]byte("x"), 100)},
	} {
		b := append(bytes.Clone(parts[0]), parts[1]...)
		sum := sha256.Sum256(b)
		if err := os.WriteFile(path, append(b, sum[:]...), 0o644); err != nil {
			t.Fatal(err)
		}
		_, open := Open(dir, v, Pure)
		_, read := readFile(path, v, Pure, newEnding(v, newGeometry(v), Pure, m))
		for door, err := range map[string]error{"Open": open, "Build": Build(t.Context(), dir, v, Pure, 2, 1, nil), "readFile": read} {
			if err == nil || !strings.Contains(err.Error(), path+": damaged") {
				t.Errorf("%s: %s: %v", name, door, err)
			}
		}
		if bad := Damaged(dir, v, Plan(v, Pure, 2)); len(bad) != 1 || bad[path] == nil {
			t.Errorf("%s: %v", name, bad)
		}
	}
}

// TestRefusals protects what is said of files and directories that are not what
// they should be: once each path, the material of another table, what to do.
func TestRefusals(t *testing.T) {
	v, dir := russian.Variant(), t.TempDir()
	build(t, dir, v, Pure, 2, 2)
	path := FileName(dir, v, Pure, Material{Force{0, 1}, Force{0, 1}})
	men, err := os.ReadFile(FileName(dir, v, Pure, Material{Force{1, 0}, Force{1, 0}}))
	if err != nil {
		t.Fatal(err)
	}
	old := bytes.Clone(men)
	old[8]++
	for want, b := range map[string][]byte{
		"another table: of russian, pure rules, M v M (": men,
		"of version 2, this program reads 1 (":           old,
		"a directory, not an endgame table (":            nil,
	} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if b != nil {
			err = os.WriteFile(path, b, 0o644)
		} else {
			err = os.Mkdir(path, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(dir, v, Pure)
		if err == nil || err.Error() != "endgame table "+path+": "+want+"remove it, and build it again)" {
			t.Errorf("%v", err)
		}
	}
	empty := filepath.Join(t.TempDir(), "it's here")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	croda := croda.Variant()
	for _, c := range []struct{ dir, want string }{
		{filepath.Join(dir, "none"), "there is no such directory"},
		{FileName(dir, v, Pure, Material{Force{1, 0}, Force{1, 0}}), "it is no directory"},
		{empty, "no endgame tables of croda under basic rules in " + empty + ": make them with: draughtlab endgame build --variant croda --pieces 3 --out '" +
			strings.ReplaceAll(empty, "'", `'\''`) + "'"},
	} {
		if _, err := Open(c.dir, croda, Basic); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestMostPieces: tables of one material are counted with it, though others of
// as many pieces are not there.
func TestMostPieces(t *testing.T) {
	v, dir := russian.Variant(), t.TempDir()
	m := Material{Force{0, 2}, Force{0, 1}}
	if err := BuildMaterial(t.Context(), dir, v, Basic, m, 2, nil); err != nil {
		t.Fatal(err)
	}
	tab, err := Open(dir, v, Basic)
	if err != nil {
		t.Fatal(err)
	}
	if tab.Pieces() != 0 || tab.MostPieces() != 3 {
		t.Errorf("all of %d, some of %d pieces", tab.Pieces(), tab.MostPieces())
	}
}
