package selfplay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"draughtlab/export/dataset"
)

// play runs a config to its end and returns its games.
func play(t *testing.T, dir string, cfg Config, opt Options) map[string][]dataset.GameRow {
	t.Helper()
	tallies, err := Run(t.Context(), dir, cfg, opt)
	if err != nil {
		t.Fatal(err)
	}
	games := map[string][]dataset.GameRow{}
	for _, tally := range tallies {
		err := dataset.Games(dir, tally.Variant, func(g *dataset.GameRow) error {
			games[tally.Variant] = append(games[tally.Variant], *g)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := int64(len(games[tally.Variant])); n != cfg.Games || tally.Games != n || tally.WhiteWins+tally.Draws+tally.BlackWins+tally.Unfinished != n {
			t.Errorf("%d games in the files, tally %+v, %d wanted", n, tally, cfg.Games)
		}
	}
	return games
}

// files returns the contents of all files of a directory by their paths.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameFiles fails unless both directories have the same files byte by byte.
func sameFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}

func searchConfig(t *testing.T, games int64, names ...string) Config {
	t.Helper()
	cfg := randomConfig(games, names...)
	cfg.Player = PlayerConfig{Kind: Search, Nodes: 40, HashEntries: 1 << 8}
	cfg.ShardGames = 4
	cfg.MaxPlies = 80
	cfg.Weights = map[string]WeightsRef{}
	for _, name := range names {
		ref, err := NewWeightsRef(variant(t, name), "")
		if err != nil {
			t.Fatal(err)
		}
		cfg.Weights[name] = ref
	}
	return cfg
}

// Protects finished games from whoever edits config.json to play more of them:
// that is refused, before anything is set aside or replaced.
func TestConfigChangedLater(t *testing.T) {
	for _, complete := range []bool{true, false} {
		dir, cfg := t.TempDir(), searchConfig(t, 8, "croda")
		play(t, dir, cfg, Options{})
		if !complete {
			for _, name := range []string{dataset.ManifestFile, dataset.CardFile} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		cfg.Games *= 2
		if err := os.WriteFile(filepath.Join(dir, dataset.ConfigFile), cfg.Text(), 0o644); err != nil {
			t.Fatal(err)
		}
		want := files(t, dir)
		for _, shards := range [][]int{nil, {0}} {
			if _, err := Run(t.Context(), dir, cfg, Options{Shards: shards}); err == nil || !strings.Contains(err.Error(), "put the old one back") {
				t.Errorf("complete %t, shards %v: %v", complete, shards, err)
			}
		}
		sameFiles(t, files(t, dir), want)
	}
}

// Protects the first decision of the design: the files are the same bytes for
// any number of workers, and a search gives the same game in any worker.
func TestWorkersChangeNothing(t *testing.T) {
	for name, cfg := range map[string]Config{
		"search": searchConfig(t, 5, "croda", "russian", "frisian"),
		"random": randomConfig(30, "croda", "russian", "frisian"),
	} {
		var want map[string]string
		for _, workers := range []int{1, 2, 5} {
			dir := t.TempDir()
			play(t, dir, cfg, Options{Workers: workers})
			got := files(t, dir)
			if want == nil {
				want = got
			}
			t.Run(fmt.Sprintf("%s/%d", name, workers), func(t *testing.T) { sameFiles(t, got, want) })
		}
	}
}

// Protects the dataset's promise that it can be proved.
func TestVerifies(t *testing.T) {
	dir := t.TempDir()
	play(t, dir, searchConfig(t, 5, "croda", "russian", "frisian"), Options{})
	report, err := Verify(t.Context(), dir, "", nil)
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("problems %v, error %v", report.Problems, err)
	}
}

// Case sp-same-seed-per-worker: no two games are the same.
func TestGamesDiffer(t *testing.T) {
	seen := map[string]int64{}
	for _, g := range play(t, t.TempDir(), randomConfig(40, "croda"), Options{Workers: 4})["croda"] {
		if first, ok := seen[g.Moves]; ok {
			t.Errorf("games %d and %d are the same", first, g.Game)
		}
		seen[g.Moves] = g.Game
		if want := int64(GameSeed(1, "croda", g.Game)); g.Seed != want {
			t.Errorf("game %d has seed %d, want %d", g.Game, g.Seed, want)
		}
	}
}

// Case sp-resume-duplicates: a run stopped five times has each game once and
// the same files as one that was never stopped.
func TestResume(t *testing.T) {
	cfg := randomConfig(100, "russian")
	whole := t.TempDir()
	play(t, whole, cfg, Options{Workers: 2})

	dir := t.TempDir()
	stops, last := 0, int64(0)
	for _, at := range []int64{7, 37, 38, 50, 99} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Run(ctx, dir, cfg, Options{Workers: 3, Progress: func(p Progress) {
			if p.Games < last {
				t.Errorf("%d games at the beginning, there were %d", p.Games, last)
			}
			if p.Games >= at {
				cancel()
			}
			if p.Variant != "" {
				last = p.Games
			}
		}})
		cancel()
		if err == nil {
			break // the games that were running were the last
		}
		if !errors.Is(err, ErrInterrupted) {
			t.Fatal(err)
		}
		stops++
		for name := range files(t, dir) {
			if strings.HasSuffix(name, ".tmp") || filepath.Base(name) == dataset.ManifestFile {
				t.Errorf("%s is there after a stop", name)
			}
		}
		last = 0
	}
	if stops < 3 {
		t.Errorf("stopped %d times only", stops)
	}
	for i, g := range play(t, dir, cfg, Options{Workers: 1})["russian"] {
		if g.Game != int64(i) {
			t.Errorf("row %d is game %d", i, g.Game)
		}
	}
	sameFiles(t, files(t, dir), files(t, whole))
}

// Protects a complete run: running it again plays nothing and changes nothing,
// and a shard that is missing is played again as it was.
func TestRunAgain(t *testing.T) {
	cfg := randomConfig(60, "croda")
	dir := t.TempDir()
	play(t, dir, cfg, Options{})
	want := files(t, dir)
	_, err := Run(t.Context(), dir, cfg, Options{Progress: func(p Progress) {
		if p.Checking = 0; p != (Progress{Games: 60, Planned: 60, Found: 60}) {
			t.Errorf("%+v", p)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	sameFiles(t, files(t, dir), want)

	for _, name := range []string{"games/variant=croda/shard-00001.parquet", "manifest.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		play(t, dir, cfg, Options{})
		sameFiles(t, files(t, dir), want)
	}
}

// Case sp-unfinished-not-draw: a game the program stops has no outcome.
func TestUnfinishedIsNoDraw(t *testing.T) {
	cfg := randomConfig(100, "croda")
	cfg.MaxPlies = 20
	dir := t.TempDir()
	for _, g := range play(t, dir, cfg, Options{})["croda"] {
		if g.Outcome != nil || g.Termination != "ply-limit" || g.Plies != 20 {
			t.Errorf("game %d: outcome %v, %s, %d plies", g.Game, g.Outcome, g.Termination, g.Plies)
		}
	}
	tallies, err := Tallies(dir, cfg)
	if diff := cmp.Diff([]Tally{{Variant: "croda", Games: 100, Unfinished: 100, Positions: 2000}}, tallies); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Case sp-last-games-missing: the counts add up to the games asked for (play
// checks it), the last ones included, and so does the progress.
func TestLastGamesCount(t *testing.T) {
	cfg := randomConfig(400, "frisian")
	cfg.ShardGames = 150
	var last Progress
	play(t, t.TempDir(), cfg, Options{Workers: 8, Progress: func(p Progress) { last = p }})
	if last.Games != 400 || last.Planned != 400 || last.Found != 0 {
		t.Errorf("%+v", last)
	}
}

// Protects a full disk's shards: the error names the path, nothing half-written
// has a final name, finished shards stay valid, and with room again the run
// goes on to the same files.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	cfg := randomConfig(300, "croda")
	cfg.ShardGames = 100
	run := filepath.Join(dir, "run")
	_, err := Run(t.Context(), run, cfg, Options{Workers: 2})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), run) {
		t.Fatalf("error %v", err)
	}
	shards, err := dataset.Shards(run, "croda")
	if err != nil || len(shards) == 0 {
		t.Fatalf("finished shards %v, error %v", shards, err)
	}
	for name, data := range files(t, run) {
		if len(data) == 0 || strings.HasSuffix(name, ".tmp") {
			t.Errorf("%s of %d bytes was left", name, len(data))
		}
	}
	games := int64(0)
	for _, s := range shards {
		if err := s.Games(func(rows []dataset.GameRow) error { games += int64(len(rows)); return nil }); err != nil {
			t.Error(err)
		}
	}
	if games != int64(len(shards))*100 {
		t.Errorf("%d games in %d shards", games, len(shards))
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	play(t, run, cfg, Options{})
	whole := t.TempDir()
	play(t, whole, cfg, Options{})
	sameFiles(t, files(t, run), files(t, whole))
}

// Protects against settings that change nothing in the files but cannot be.
func TestBadWorkers(t *testing.T) {
	for _, n := range []int{-1, MaxWorkers + 1} {
		if _, err := Run(t.Context(), t.TempDir(), randomConfig(1, "croda"), Options{Workers: n}); err == nil {
			t.Errorf("%d workers: no error", n)
		}
	}
}
