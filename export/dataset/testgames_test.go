package dataset

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// testConfig is what the tests put into config.json.
const testConfig = "{\n  \"player\": \"random\"\n}\n"

// testConfigHash is its SHA-256.
const testConfigHash = "fe1c797c66c66e72c4601142cd88f2de4847853dfeece4046323fc4063617e10"

// randomRecord plays a game of random moves, with made-up evaluations of every
// kind after the opening. It depends on variant and number only.
func randomRecord(tb testing.TB, v *engine.Variant, number int64, plyLimit int) *Record {
	tb.Helper()
	seed := uint64(number)*0x9e3779b97f4a7c15 + uint64(len(v.Name))<<60
	rng := rand.New(rand.NewPCG(seed, 7))
	g := engine.NewGame(v, engine.Basic, v.Start, plyLimit)
	r := &Record{Number: number, Seed: seed, Opening: "random", OpeningPlies: 2, Start: g.Start()}
	for g.Termination() == engine.Ongoing {
		legal := g.Legal()
		if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
			tb.Fatal(err)
		}
		r.Evals = append(r.Evals, randomEval(rng, len(r.Evals) < r.OpeningPlies))
	}
	r.Moves = append(r.Moves, g.Moves()...)
	r.Termination, r.Outcome = g.Termination(), g.Outcome()
	return r
}

func randomEval(rng *rand.Rand, opening bool) Eval {
	if opening {
		return Eval{}
	}
	e := Eval{Searched: true, Depth: uint8(rng.IntN(20)), Nodes: rng.Uint32N(5000)}
	switch rng.IntN(8) {
	case 0:
		return Eval{}
	case 1:
		e.WinIn = int16(rng.IntN(2000) - 1000)
	default:
		e.Score = int16(rng.IntN(65536) - 32768)
	}
	return e
}

const testPlyLimit = 120

func testSpec(v *engine.Variant, shard int, first, last int64) Spec {
	return Spec{
		Variant: v, Profile: engine.Basic, PlyLimit: testPlyLimit, Engine: "random", WeightsHash: "",
		ConfigHash: testConfigHash, Shard: shard, First: first, Last: last,
	}
}

// writeTestDataset writes a complete dataset of all three games.
func writeTestDataset(tb testing.TB, dir string, games, shardGames int64) {
	tb.Helper()
	writeDataset(tb, dir, games, shardGames, variants.All())
}

// writeDataset writes a complete dataset of some games.
func writeDataset(tb testing.TB, dir string, games, shardGames int64, list []*engine.Variant) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(dir, ConfigFile), []byte(testConfig), 0o644); err != nil {
		tb.Fatal(err)
	}
	var plans []Plan
	for _, v := range list {
		p := Plan{Variant: v.Name, Games: games, ShardGames: shardGames}
		plans = append(plans, p)
		for i := range p.Shards() {
			first, last := p.Range(i)
			writeTestShard(tb, dir, testSpec(v, int(i), first, last))
		}
	}
	if err := WriteManifest(tb.Context(), dir, plans); err != nil {
		tb.Fatal(err)
	}
}

func writeTestShard(tb testing.TB, dir string, spec Spec) {
	tb.Helper()
	w, err := CreateShard(dir, spec)
	if err != nil {
		tb.Fatal(err)
	}
	addGames(tb, w, spec.First, spec.Last)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

func addGames(tb testing.TB, w *ShardWriter, first, last int64) {
	tb.Helper()
	for n := first; n < last; n++ {
		if err := w.Add(randomRecord(tb, w.spec.Variant, n, w.spec.PlyLimit)); err != nil {
			tb.Fatal(err)
		}
	}
}

// files reads all files of a directory tree.
func files(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}
