package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/notation"
	"draughtlab/engine/russian"
	"draughtlab/engine/variants"
)

// emptyCache gives a test a cache directory of its own, and returns where
// tables are kept in it.
func emptyCache(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, err := tableDir("")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// endgameOut executes a subcommand of endgame that must not fail.
func endgameOut(t *testing.T, args ...string) string {
	t.Helper()
	out, err := execute(newEndgameCommand(), "", args...)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out
}

// wantColumns protects terminals: no line is longer than 80 columns.
func wantColumns(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestEndgamePlan protects what build says before it starts: the tables, their
// order and sizes are those that it then makes.
func TestEndgamePlan(t *testing.T) {
	for _, c := range []struct {
		variant, rules, material string
		pieces                   int
	}{
		{"croda", "basic", "", 2},
		{"croda", "pure", "K v KM", 0},
		{"russian", "basic", "", 3},
		{"russian", "federation", "", 3},
		{"frisian", "basic", "KK v K", 0},
		{"frisian", "free", "KM v K", 0},
		{"frisian", "pure", "KM v K", 0},
		{"frisian", "federation", "", 2},
	} {
		v, err := variants.ByName(c.variant)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := endgame.ParseRules(c.rules)
		if err != nil {
			t.Fatal(err)
		}
		n := needs{pieces: c.pieces}
		if c.material != "" {
			m, err := endgame.ParseMaterial(c.material)
			if err != nil {
				t.Fatal(err)
			}
			n = needs{&m, m.Pieces()}
		}
		plan, dir, seen := n.plan(v, rules), t.TempDir(), 0
		err = n.build(t.Context(), dir, v, rules, 2, func(p endgame.Progress) {
			if seen >= len(plan) || p.Total != len(plan) || plan[seen].Material != p.Material || plan[seen].States != p.States {
				t.Errorf("%+v: table %d is %+v", c, seen, p)
			}
			if _, err := os.Stat(endgame.FileName(dir, v, p.Rules, p.Material)); err != nil {
				t.Error(err)
			}
			seen++
		})
		if err != nil || seen != len(plan) {
			t.Errorf("%+v: %d tables, want %d: %v", c, seen, len(plan), err)
		}
	}
}

// TestBuildMemory protects the table in build's help.
func TestBuildMemory(t *testing.T) {
	var b strings.Builder
	for _, v := range variants.All() {
		fmt.Fprintf(&b, "  %-7s ", v.Name)
		for n := 2; n <= endgame.MaxPieces; n++ {
			fmt.Fprintf(&b, "%11s", byteText(peak(endgame.Plan(v, endgame.Basic, n))))
		}
		b.WriteByte('\n')
	}
	if b.String() != buildMemory {
		t.Errorf("the help says\n%swant\n%s", buildMemory, b.String())
	}
}

// TestEndgameStats protects the counts that programs read: from an empty cache,
// of Croda's two kings against one, as two other generators counted them; and
// that only the tables needed are made.
func TestEndgameStats(t *testing.T) {
	emptyCache(t)
	out := endgameOut(t, "stats", "--variant", "croda", "--material", "KK v K", "--rules", "pure", "--json")
	want := `{"variant":"croda","rules":"pure","material":"KK v K","stm":"W",` +
		`"positions":124992,"white_wins":124784,"draws":208,"black_wins":0,` +
		`"longest_white_win":15,"longest_black_win":-1,`
	second := `"stm":"B","positions":124992,"white_wins":87524,"draws":27420,"black_wins":10048,` +
		`"longest_white_win":16,"longest_black_win":1,`
	lines := strings.SplitAfter(out, "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], want) || !strings.Contains(lines[1], second) {
		t.Errorf("%s", out)
	}
	for _, line := range lines[:2] {
		var c endgameCount
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		probe := endgameOut(t, "probe", "--variant", "croda", "--rules", "pure", c.ExampleWhite, "--json")
		var a probed
		if err := json.Unmarshal([]byte(probe), &a); err != nil || a.Distance != c.LongestWhite {
			t.Errorf("%v: %+v of %+v", err, a, c)
		}
	}
	// The colours turned, everything is White's that was Black's.
	turned := endgameOut(t, "stats", "--variant", "croda", "--material", "k V kK", "--rules", "pure", "--json")
	if !strings.Contains(turned, `"material":"K v KK","stm":"W","positions":124992,"white_wins":10048,"draws":27420,"black_wins":87524,`) {
		t.Errorf("%s", turned)
	}
	dir := emptyCache(t)
	endgameOut(t, "stats", "--variant", "russian", "--material", "KK v M", "--json")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 4 { // KK v M, KK v K, K v M, K v K
		t.Errorf("%v: %q", err, files)
	}
}

// TestEndgameStatsText protects what people read: games side by side within 80
// columns, with sums, an ending by itself, and the plot.
func TestEndgameStatsText(t *testing.T) {
	emptyCache(t)
	plot := filepath.Join(t.TempDir(), "drawn.svg")
	out := endgameOut(t, "stats", "--pieces", "2", "--rules", "federation", "--quiet")
	wantColumns(t, out)
	out = endgameOut(t, "stats", "--pieces", "2", "--rules", "pure", "--plot", plot)
	wantColumns(t, out)
	for _, want := range []string{
		"            Croda                  Russian                Frisian\n",
		"M v M       29.5  41.0  29.5   15  28.5  43.0  28.5   13  33.5  32.9  33.5   19\n",
		"all of 2    39.9  47.6  12.5   15  ",
		"M v M       37.9  41.0  21.1   15  ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if svg, err := os.ReadFile(plot); err != nil || !bytes.Contains(svg, []byte(">Frisian</text>")) || !bytes.HasPrefix(svg, []byte("<?xml")) {
		t.Errorf("%v: %.100s", err, svg)
	}
	out = endgameOut(t, "stats", "--material", "K v K", "--rules", "pure", "--quiet")
	wantColumns(t, out)
	for _, want := range []string{
		"Croda    White           4032         16.667    83.333          0.000\n",
		"Croda    Black to move, Black wins    1  B:WK",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestEndgameHelp protects terminals from long lines of help.
func TestEndgameHelp(t *testing.T) {
	for _, name := range []string{"endgame", "endgame build", "endgame stats", "endgame probe", "endgame verify"} {
		var out bytes.Buffer
		cmd := root()
		cmd.SetOut(&out)
		cmd.SetArgs(append(strings.Fields(name), "--help"))
		if err := cmd.Execute(); err != nil || !strings.Contains(out.String(), "Examples:") {
			t.Errorf("%s: %v", name, err)
		}
		wantColumns(t, out.String())
	}
}

// TestEndgameBuild protects that a build goes on where it was, removes what a
// killed one left and nothing else, and refuses a damaged table by its name.
func TestEndgameBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "tables")
	build := []string{"build", "--variant", "russian", "--pieces", "2", "--out", dir, "--quiet"}
	out := endgameOut(t, build...)
	if strings.Count(out, "\n") != 4 || strings.Contains(out, "found") || !strings.Contains(out, "Russian  basic      K v M               1792 ") {
		t.Errorf("%s", out)
	}
	wantColumns(t, out)
	long := time.Now().Add(-2 * staleAge)
	for name, keep := range map[string]bool{".tmp-1": false, ".tmp-2": false, ".tmp-3": true, ".tmp-x": true, ".tmp-4": true} {
		content := map[string]string{".tmp-1": "DRENDG\r\n", ".tmp-2": "", ".tmp-3": "a letter", ".tmp-x": "DRENDG", ".tmp-4": "DRENDG"}[name]
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != ".tmp-4" { // that one is being written
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
		if out := endgameOut(t, build...); strings.Count(out, "found") != 3 {
			t.Errorf("%s", out)
		}
		if _, err := os.Stat(path); (err == nil) != keep {
			t.Errorf("%s: %v, is to be kept: %v", name, err, keep)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "russian-basic-MvM.egt"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		build,
		{"stats", "--variant", "russian", "--pieces", "2", "--tables", dir},
		{"probe", "--variant", "russian", "--tables", dir, "W:Wa1:Bh8"},
		{"verify", "--variant", "russian", "--tables", dir},
	} {
		_, err := execute(newEndgameCommand(), "", args...)
		wantError(t, err, "russian-basic-MvM.egt", "build it again")
	}
}

// TestEndgameCache protects that tables of endgame.Default are found where build
// and stats look, and that a cache of no use is no error.
func TestEndgameCache(t *testing.T) {
	dir := emptyCache(t)
	v := russian.Variant()
	if _, err := endgame.Default(t.Context(), v, endgame.Basic); err != nil {
		t.Fatal(err)
	}
	out := endgameOut(t, "build", "--variant", "russian", "--quiet")
	if strings.Count(out, "found") != 9 {
		t.Errorf("%s", out)
	}
	m, err := endgame.ParseMaterial("K v K")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(endgame.FileName(dir, v, endgame.Basic, m), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := newEndgameCommand()
	var stdout, stderr bytes.Buffer
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SetArgs([]string{"stats", "--variant", "russian", "--material", "K v K", "--json"})
	if err := cmd.Execute(); err != nil || strings.Count(stderr.String(), "KvK.egt") != 1 || !strings.Contains(stderr.String(), "is made again") || strings.Count(stdout.String(), `"positions":992,`) != 2 {
		t.Errorf("%v\n%s\n%s", err, &stdout, &stderr)
	}
}

// TestEndgameProbe protects what is told of a position: value and distance, a
// best line that ends the game when the table says, the king runs (F9), an
// article that draws at once, and the way to the table that is missing.
func TestEndgameProbe(t *testing.T) {
	emptyCache(t)
	var a probed
	probe := func(args ...string) {
		t.Helper()
		a = probed{}
		if err := json.Unmarshal([]byte(endgameOut(t, append([]string{"probe", "--json"}, args...)...)), &a); err != nil {
			t.Fatal(err)
		}
	}
	probe("--variant", "russian", "W:Wa7,Ka5:BKg1", "--profile", "basic")
	if a.Value != "win" || a.Distance != 9 || len(a.Line) != 9 || a.Rules != "basic" || a.Moves[0].Move != a.Line[0] {
		t.Errorf("%+v", a)
	}
	g := engine.NewGame(russian.Variant(), engine.Basic, mustFEN(t, russian.Variant(), a.FEN), 100)
	for _, text := range a.Line {
		p := g.Position()
		m, err := notation.ParseMove(russian.Variant(), &p, g.Legal(), text)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	if g.Outcome() != engine.WhiteWins {
		t.Errorf("the line ends with %v", g.Outcome())
	}
	for i := 1; i < len(a.Moves); i++ { // wins, draws, losses
		if order := "win draw loss"; strings.Index(order, *a.Moves[i].Value) < strings.Index(order, *a.Moves[i-1].Value) {
			t.Errorf("%+v", a.Moves)
		}
	}
	out := endgameOut(t, "probe", "--variant", "russian", "--ascii", "B:WKa1:Bh8,g7")
	wantColumns(t, out)
	if !strings.Contains(out, "\nBlack to move: ") || !strings.Contains(out, "K v MM, basic rules\n") || !strings.Contains(out, " 1  W   .   .   .  \n") {
		t.Errorf("%s", out)
	}
}

// TestEndgameBadInput protects that what cannot be meant or cannot be had is an
// error that says what to give or to do.
func TestEndgameBadInput(t *testing.T) {
	emptyCache(t)
	for args, want := range map[string]string{
		"probe --variant russian W:WKa1,b2:BKh8,g7":                      `--material "KM v KM"`,
		"probe --variant russian W:WKa1:B":                               "no pieces",
		"probe --variant russian W:Wa1,c1,e1,g1:Bb8,d8,f8":               "7 pieces",
		"probe --variant russian --rules pure --profile basic W:Wa1:Bh8": "not both",
		"probe --variant russian --profile x W:Wa1:Bh8":                  "profile",
		"probe --variant russian --tables /no/such W:Wa1:Bh8":            "no such directory",
		"probe --variant russian W:Wa9:Bh8":                              "a9",
		"probe --variant russian --runs {\"W\":[1]} W:WKa1:Bh8":          "king runs",
		"probe --variant russian":                                        "missing",
		"stats --material KKQvM":                                         "'Q'",
		"stats --material KKKvKKKK":                                      "at most 6 pieces",
		"stats --material KvK --pieces 2":                                "not both",
		"stats --pieces 7":                                               "--pieces 7",
		"stats --rules x":                                                "unknown rules",
		"stats --variant chess":                                          "chess",
		"stats --variant russian --rules federation --material KKvKK":    "up to 3 pieces",
		"stats --tables /no/such":                                        "no such directory",
		"stats --tables /dev/null":                                       "no directory",
		"stats --pieces 2 --plot /no/such/x.svg":                         "/no/such",
		"build --variant russian --pieces 1":                             "--pieces 1",
		"build --variant russian --workers 0":                            "--workers 0",
		"build --variant russian,russian":                                "twice",
		"build --variant russian --out /dev/null/x":                      "/dev/null/x",
		"build":                                      "variant",
		"verify --variant russian --sample -1":       "--sample -1",
		"verify --variant russian":                   "endgame build --variant russian",
		"verify --variant russian --tables /no/such": "no such directory",
		"verify --variant russian --pieces 1":        "--pieces 1",
	} {
		_, err := execute(newEndgameCommand(), "", strings.Fields(args)...)
		wantError(t, err, want)
	}
}

// TestEndgameProbeFrisian protects king runs (F9) and F10's immediate draw.
func TestEndgameProbeFrisian(t *testing.T) {
	dir := t.TempDir()
	endgameOut(t, "build", "--variant", "frisian", "--rules", "pure", "--material", "KM v K", "--out", dir, "--quiet")
	endgameOut(t, "build", "--variant", "frisian", "--material", "K v K", "--out", dir, "--quiet")
	for args, want := range map[string]string{
		`W:W36,K28:BK5 --rules pure --runs {"W":[28,3]}`: `"value":"loss","distance":2,"termination":null,"line":["36-31","5x26"]`,
		`W:WK28:BK4`:                      `"value":"draw","distance":0,"termination":"kings-1v1","line":[],"moves":[]`,
		`W:WK28:BK4 --profile federation`: `"rules":"federation"`,
	} {
		out := endgameOut(t, append([]string{"probe", "--variant", "frisian", "--json", "--tables", dir}, strings.Fields(args)...)...)
		if !strings.Contains(out, want) {
			t.Errorf("%s: %s", args, out)
		}
	}
	_, err := execute(newEndgameCommand(), "", "probe", "--variant", "frisian", "--tables", dir, "W:WK28,K1:BK4")
	wantError(t, err, `no table of KK v K under basic rules in `+dir, `--variant frisian --material "KK v K" --out `+dir)
}

func mustFEN(t *testing.T, v *engine.Variant, fen string) engine.Position {
	t.Helper()
	p, err := notation.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEndgameVerify protects that whole tables hold, under all rules that are
// there, and that one wrong value in a file with a right checksum is found.
func TestEndgameVerify(t *testing.T) {
	dir := t.TempDir()
	for _, rules := range []string{"basic", "federation"} {
		endgameOut(t, "build", "--variant", "russian", "--rules", rules, "--pieces", "2", "--out", dir, "--quiet")
	}
	verify := []string{"verify", "--variant", "russian", "--tables", dir}
	out := endgameOut(t, verify...)
	if strings.Count(out, " rules, 3 tables of up to 2 pieces:\n") != 3 || strings.Count(out, "\n") != 6 { // federation has pure ones beside it
		t.Errorf("%s", out)
	}
	wantColumns(t, out)
	change(t, filepath.Join(dir, "russian-basic-KvK.egt"), func(codes []byte) {
		for i, code := range codes {
			if code != 0 { // a win or loss becomes a draw
				codes[i] = 0
				return
			}
		}
	})
	_, err := execute(newEndgameCommand(), "", verify...)
	wantError(t, err, dir, "russian, basic rules", ": the table says draw, its successors win in ")
	if strings.Contains(err.Error(), "run") {
		t.Errorf("runs in Russian: %v", err)
	}
}

// change rewrites the codes in a table's file, and its checksum.
func change(t *testing.T, path string, edit func(codes []byte)) {
	t.Helper()
	const header = 60
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	codes, err := d.DecodeAll(b[header:len(b)-sha256.Size], nil)
	if err != nil {
		t.Fatal(err)
	}
	edit(codes)
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	b = e.EncodeAll(codes, b[:header:header])
	sum := sha256.Sum256(b)
	if err := os.WriteFile(path, append(b, sum[:]...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEndgameInterrupted protects exit code 75, and that nothing stands under
// the plot's name.
func TestEndgameInterrupted(t *testing.T) {
	dir := emptyCache(t)
	plot := filepath.Join(t.TempDir(), "drawn.svg")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"endgame", "build", "--variant", "russian", "--quiet"},
		{"endgame", "stats", "--pieces", "2", "--plot", plot},
		{"endgame", "probe", "--variant", "russian", "W:Wa1:Bh8"},
	} {
		if code := run(ctx, args); code != exitInterrupted {
			t.Errorf("%q: exit code %d, want %d", args, code, exitInterrupted)
		}
	}
	endgameOut(t, "build", "--variant", "russian", "--pieces", "2", "--quiet")
	if code := run(ctx, []string{"endgame", "verify", "--variant", "russian"}); code != exitInterrupted {
		t.Errorf("verify: exit code %d in %s", code, dir)
	}
	if _, err := os.Stat(plot); err == nil {
		t.Error("a plot stands under its name")
	}
}
