package refine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// testOpeningPlies is the number of random plies that test games begin with, of
// two choices each, so that many games share an opening.
const testOpeningPlies = 4

// testRun writes a complete run of random games and returns its directory, which
// has that name. Equal seeds give equal games.
func testRun(tb testing.TB, name string, seed uint64, games int64, profile engine.Profile, list ...*engine.Variant) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	config := fmt.Appendf(nil, "{%d %d %d}\n", seed, profile, games)
	if err := os.WriteFile(filepath.Join(dir, dataset.ConfigFile), config, 0o644); err != nil {
		tb.Fatal(err)
	}
	hash, err := dataset.ConfigHash(dir)
	if err != nil {
		tb.Fatal(err)
	}
	const shardGames = 7
	var plans []dataset.Plan
	for _, v := range list {
		plan := dataset.Plan{Variant: v.Name, Games: games, ShardGames: shardGames}
		for i := range plan.Shards() {
			first, last := plan.Range(i)
			w, err := dataset.CreateShard(dir, dataset.Spec{
				Variant: v, Profile: profile, PlyLimit: 120, Engine: "test", ConfigHash: hash, Shard: int(i), First: first, Last: last,
			})
			if err != nil {
				tb.Fatal(err)
			}
			for n := first; n < last; n++ {
				if err := w.Add(testGame(tb, v, profile, seed, n)); err != nil {
					tb.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				tb.Fatal(err)
			}
		}
		plans = append(plans, plan)
	}
	if err := dataset.WriteManifest(tb.Context(), dir, plans); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// testGame plays at random. Every fifth game begins in an endgame, some with a
// king run; one in nine is over before its opening is.
func testGame(tb testing.TB, v *engine.Variant, profile engine.Profile, seed uint64, n int64) *dataset.Record {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	start := v.Start
	if n%5 == 4 {
		start = endgameStart(tb, v)
	}
	g := engine.NewGame(v, profile, start, 120)
	r := &dataset.Record{Number: n, Seed: rng.Uint64(), Opening: "test", OpeningPlies: testOpeningPlies, Start: start}
	for g.Termination() == engine.Ongoing {
		legal := g.Legal()
		choices := len(legal)
		opening := len(r.Evals) < testOpeningPlies
		if opening {
			choices = min(choices, 2)
		}
		if err := g.Play(legal[rng.IntN(choices)]); err != nil {
			tb.Fatal(err)
		}
		var e dataset.Eval
		if !opening && rng.IntN(4) > 0 {
			e = dataset.Eval{Searched: true, Score: int16(rng.IntN(400) - 200), Depth: 3, Nodes: 9}
			if rng.IntN(6) == 0 {
				e.Score, e.WinIn = 0, int16(rng.IntN(9)-4)
			}
		}
		r.Evals = append(r.Evals, e)
		if n%9 == 8 && len(r.Evals) == testOpeningPlies {
			g.Stop(engine.Adjudicated, engine.Draw)
		}
	}
	r.OpeningPlies = min(r.OpeningPlies, len(r.Evals))
	r.Moves, r.Termination, r.Outcome = g.Moves(), g.Termination(), g.Outcome()
	return r
}

// endgameStart is a position in which draw articles and king runs come soon.
func endgameStart(tb testing.TB, v *engine.Variant) engine.Position {
	tb.Helper()
	fen := map[string]string{
		"croda": "W:Wd4,Ka1,Kb7:Be5,Kh8", "russian": "W:Wc3,Ka1,Kb8:Bf6,Kh8", "frisian": "W:W31,K46:B10,K5",
	}[v.Name]
	p, err := notation.ParseFEN(v, fen)
	if err == nil && v.Name == "frisian" {
		err = notation.ParseRuns(v, &p, []byte(`{"W":[46,2]}`))
	}
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// treeHash is one hash of the names and bytes of all files of a directory.
func treeHash(tb testing.TB, dir string) string {
	tb.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		sum.Write([]byte(strings.TrimPrefix(path, dir)))
		sum.Write(text)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// rowsOf reads all rows of a variant.
func rowsOf(tb testing.TB, dir string, v *engine.Variant) []Row {
	tb.Helper()
	s, err := Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var all []Row
	err = s.Rows(context.Background(), v, 2, func(rows []Row) error {
		all = append(all, rows...)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// small and large are settings that must not change what is written.
var (
	small = Options{Memory: MinMemory, Workers: 1}
	large = Options{Workers: 4}
)

// outDir is a place for an output.
func outDir(tb testing.TB, name string) string { return filepath.Join(tb.TempDir(), name) }

// leftIn lists what is in the directory of an output.
func leftIn(tb testing.TB, out string) []string {
	tb.Helper()
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func allVariants() []*engine.Variant { return variants.All() }

// skipSlowJudge skips a test whose obvious judge is slow, and which has nothing
// to tell the race detector.
func skipSlowJudge(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow, and no matter of concurrency")
	}
}
