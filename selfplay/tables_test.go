package selfplay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/export/dataset"
)

// TestMain gives the endgame tables a cache of their own, so that no test
// depends on what the user has.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "draughtlab-selfplay-*")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_CACHE_HOME", dir); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// Protects what tables do to a run of random players, whose games are else the
// same: each game is as it was, or cut where the tables know its end; and who
// won a cut game without them, wins, or drew, by the tables' own word.
func TestTablesCutGames(t *testing.T) {
	for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
		without := randomConfig(100, "russian")
		without.Profile = profile.String()
		draws := without
		draws.TablePieces = 3
		all := draws
		all.TableWins = true
		dir := t.TempDir()
		a := play(t, filepath.Join(dir, "a"), without, Options{})["russian"]
		b := play(t, filepath.Join(dir, "b"), draws, Options{})["russian"]
		c := play(t, filepath.Join(dir, "c"), all, Options{})["russian"]
		dead, won := 0, 0
		for i := range a {
			if !strings.HasPrefix(a[i].Moves+" ", b[i].Moves+" ") || !strings.HasPrefix(b[i].Moves+" ", c[i].Moves+" ") {
				t.Fatalf("game %d is not that without tables, cut:\n%s\n%s\n%s", i, a[i].Moves, b[i].Moves, c[i].Moves)
			}
			switch b[i].Termination {
			case "dead-draw":
				dead++
				if b[i].Result() != engine.Draw || b[i].TerminationClass != "table" || b[i].TablePieces < 2 || b[i].TablePieces > 3 {
					t.Errorf("game %d: %+v", i, b[i])
				}
			case a[i].Termination:
				if b[i].Moves != a[i].Moves || b[i].Result() != a[i].Result() || b[i].TablePieces != 0 {
					t.Errorf("game %d: %+v, without tables %+v", i, b[i], a[i])
				}
			default:
				t.Errorf("game %d: %s, without tables %s", i, b[i].Termination, a[i].Termination)
			}
			if c[i].Termination == "table-win" {
				won++
				if c[i].Result() != engine.WhiteWins && c[i].Result() != engine.BlackWins || c[i].TablePieces == 0 {
					t.Errorf("game %d: %+v", i, c[i])
				}
			}
		}
		if dead < 3 || won < 3 {
			t.Errorf("%s: only %d dead draws and %d wins by tables", profile, dead, won)
		}
		for _, name := range []string{"a", "b", "c"} {
			report, err := Verify(t.Context(), filepath.Join(dir, name), "", nil)
			if err != nil || len(report.Problems) > 0 {
				t.Errorf("%s: %v, %v", name, report.Problems, err)
			}
		}
	}
}

// Protects the number of pieces of a run: config.json has it and no path, more
// tables in a directory change nothing, fewer are refused, and so is a run that
// was begun with another number.
func TestTablesInDirectory(t *testing.T) {
	v := variant(t, "russian")
	tables := filepath.Join(t.TempDir(), "secret")
	if err := os.Mkdir(tables, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := TablesIn(tables, engine.Basic, []*engine.Variant{v}); err == nil || !strings.Contains(err.Error(), tables) {
		t.Errorf("an empty directory: %v", err)
	}
	if err := endgame.Build(t.Context(), tables, v, endgame.Basic, 3, 2, nil); err != nil {
		t.Fatal(err)
	}
	if n, most, err := TablesIn(tables, engine.Basic, []*engine.Variant{v}); n != 3 || most != 3 || err != nil {
		t.Errorf("tables of %d pieces, %v", n, err)
	}
	if _, _, err := TablesIn(tables, engine.Basic, []*engine.Variant{v, variant(t, "croda")}); err == nil {
		t.Error("tables of croda where there are none")
	}
	cfg := searchConfig(t, 12, "russian")
	cfg.TablePieces = 2
	inDir, byDefault := t.TempDir(), t.TempDir()
	play(t, inDir, cfg, Options{TablesDir: tables})
	play(t, byDefault, cfg, Options{})
	sameFiles(t, files(t, inDir), files(t, byDefault))
	if text := files(t, inDir)[dataset.ConfigFile]; !strings.Contains(text, `"table_pieces": 2`) || strings.Contains(text, "secret") {
		t.Errorf("config: %s", text)
	}
	for pieces, want := range map[int]string{0: "table_pieces = 2, not none", 3: "table_pieces = 2, not 3", 4: "4 are needed"} {
		other := cfg
		other.TablePieces = pieces
		if _, err := Run(t.Context(), inDir, other, Options{TablesDir: tables}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d pieces: %v, want %s", pieces, err, want)
		}
	}
	cfg.TablePieces = 4
	if _, err := Run(t.Context(), t.TempDir(), cfg, Options{}); err == nil || !strings.Contains(err.Error(), "--tables") {
		t.Errorf("4 pieces by default: %v", err)
	}
	// A damaged table is no reason to play other games.
	entries, err := os.ReadDir(tables)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(tables, entries[0].Name())
	if err := os.WriteFile(path, []byte("no table"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg.TablePieces = 2
	if _, err := Run(t.Context(), t.TempDir(), cfg, Options{TablesDir: tables}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged table: %v", err)
	}
}

// Protects openings that are over before they begin from being played, and the
// player from waiting for the error.
func TestTablesAndOpenings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dead.fen")
	if err := os.WriteFile(path, []byte("W:Wa1,c1,e3:Bh8,f8,d8\nW:WKa1:BKh2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := randomConfig(4, "russian")
	cfg.RandomPlies, cfg.TablePieces = Range{}, 3
	ref, err := NewFileRef(path)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Openings = map[string]FileRef{"russian": ref}
	opt := Options{OpeningPaths: map[string]string{"russian": path}}
	if _, err := Run(t.Context(), t.TempDir(), cfg, opt); err == nil || !strings.Contains(err.Error(), "dead.fen: opening line 2: endgame tables say how it ends (dead-draw)") {
		t.Errorf("a dead opening: %v", err)
	}
	cfg.TablePieces = 0
	play(t, t.TempDir(), cfg, opt)
}

// Protects the proof that games ended as the tables say: an end that is none,
// and a game that went on although it was over, are found, whatever its hashes.
func TestVerifyFindsTableForgery(t *testing.T) {
	cfg := randomConfig(60, "russian")
	cfg.ShardGames = 60
	dir := t.TempDir()
	play(t, dir, cfg, Options{})
	// The same games, said to have been played with tables.
	cfg.TablePieces = 3
	forgedDir := t.TempDir()
	if err := cfg.Claim(forgedDir); err != nil {
		t.Fatal(err)
	}
	r, err := newRun(t.Context(), forgedDir, cfg, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	spec := r.spec(Shard{"russian", 0, 0, 60})
	spec.Referee = dataset.Referee{}
	w, err := dataset.CreateShard(forgedDir, spec)
	if err != nil {
		t.Fatal(err)
	}
	bare := &variantSetup{variant: r.setups["russian"].variant}
	table := r.table(bare)
	for n := range int64(60) {
		record, err := table.Play(GameSeed(cfg.Seed, "russian", n), r.opening(bare, n), cfg.RandomPlies, randomPlayer{}, randomPlayer{})
		if err != nil {
			t.Fatal(err)
		}
		if record.Number = n; n == 1 { // cut in the middle game
			record.Moves, record.Evals = record.Moves[:30], record.Evals[:30]
			record.Termination, record.Outcome = engine.DeadDraw, engine.Draw
		}
		if err := w.Add(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteManifest(t.Context(), forgedDir, []dataset.Plan{{Variant: "russian", Games: 60, ShardGames: 60}}); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(t.Context(), forgedDir, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var found strings.Builder
	for _, p := range report.Problems {
		found.WriteString(p.String() + "\n")
	}
	for _, want := range []string{
		"russian game 1: after 30 plies: dead-draw 1/2-1/2, but tables of 3 pieces end no game with these",
		"the endgame tables end the game here (dead-draw 1/2-1/2), but it goes on",
	} {
		if !strings.Contains(found.String(), want) {
			t.Errorf("not found: %s\nin %s", want, found.String())
		}
	}
}

// Protects datasets of older programs: what was played can be verified though
// this program would play other games, and it says so where it should play them.
func TestOlderRun(t *testing.T) {
	const dir = "../export/dataset/testdata/schema1"
	report, err := Verify(t.Context(), dir, "", nil)
	if err != nil || len(report.Problems) > 0 || report.Games != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	cfg, err := ReadConfig(dir)
	if err != nil || cfg.Version != 1 || cfg.TablePieces != 0 {
		t.Fatalf("%+v, %v", cfg, err)
	}
	if _, err := Run(t.Context(), t.TempDir(), cfg, Options{}); err == nil || !strings.Contains(err.Error(), "use the draughtlab that began the run") {
		t.Errorf("going on with it: %v", err)
	}
}
