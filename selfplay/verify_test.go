package selfplay

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/search"
	"draughtlab/export/dataset"
)

// forged plays a run of four games of Croda, lets spoil change game 2 and
// returns what Verify finds. All hashes are right.
func forged(t *testing.T, cfg Config, plan dataset.Plan, spoil func(*dataset.Record)) string {
	t.Helper()
	dir, v := t.TempDir(), variant(t, "croda")
	cfg.ShardGames = 4
	r, err := newRun(t.Context(), dir, cfg, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Claim(dir); err != nil {
		t.Fatal(err)
	}
	w, err := dataset.CreateShard(dir, r.spec(Shard{"croda", 0, 0, plan.Games}))
	if err != nil {
		t.Fatal(err)
	}
	table, player := r.table(r.setups["croda"]), cfg.Player.New(v, engine.Basic, r.setups["croda"].weights, r.setups["croda"].referee, nil)
	for n := range plan.Games {
		record, err := table.Play(GameSeed(cfg.Seed, "croda", n), r.opening(r.setups["croda"], n), cfg.RandomPlies, player, player)
		if err != nil {
			t.Fatal(err)
		}
		if record.Number = n; n == 2 {
			spoil(record)
		}
		if err := w.Add(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), dataset.WriteManifest(t.Context(), dir, []dataset.Plan{plan})); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(t.Context(), dir, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range report.Problems {
		all = append(all, strings.TrimPrefix(p.String(), dir+"/"))
	}
	return strings.Join(all, "\n")
}

// Protects the proof that a dataset is what its config.json says: whatever
// follows from the configuration is compared, even where all hashes are right.
func TestVerifyFindsForgery(t *testing.T) {
	nodes, random := searchConfig(t, 4, "croda"), randomConfig(4, "croda")
	nodes.Player.Nodes = 300 // enough for depth 2 and more
	depth := nodes
	depth.Player = PlayerConfig{Kind: Search, Depth: 2, HashEntries: 1 << 8}
	whole := dataset.Plan{Variant: "croda", Games: 4, ShardGames: 4}
	eval := func(change func(*dataset.Eval)) func(*dataset.Record) {
		return func(r *dataset.Record) {
			for i := range r.Evals {
				if r.Evals[i].Searched && r.Evals[i].WinIn == 0 && r.Evals[i].Depth > 1 {
					change(&r.Evals[i])
					return
				}
			}
			t.Fatal("no position to forge")
		}
	}
	other := func(r *dataset.Record) { // the game of another seed under this one's
		table := NewTable(variant(t, "croda"), engine.Basic, 300, dataset.Referee{})
		o, err := table.Play(99, Opening{RandomID, r.Start, nil}, Range{6, 10}, randomPlayer{}, randomPlayer{})
		if err != nil {
			t.Fatal(err)
		}
		o.Number, o.Seed = r.Number, r.Seed
		*r = *o
	}
	for _, c := range []struct {
		cfg   Config
		plan  dataset.Plan
		spoil func(*dataset.Record)
		want  string // "" for no problem
	}{
		{nodes, whole, func(*dataset.Record) {}, ""},
		{depth, whole, func(*dataset.Record) {}, ""},
		{random, whole, func(*dataset.Record) {}, ""},
		{nodes, whole, func(r *dataset.Record) { r.Seed++ }, "game 2: column seed is "},
		{nodes, whole, func(r *dataset.Record) { r.Opening = "zz" }, `game 2: column opening is "zz"`},
		{nodes, whole, func(r *dataset.Record) { r.OpeningPlies-- }, "game 2: column opening_plies is "},
		{random, whole, other, "game 2: column "},
		{nodes, whole, eval(func(e *dataset.Eval) { e.Nodes = 1000 }), "column nodes is 1000, over the limit of alphabeta nodes=300"},
		{nodes, whole, eval(func(e *dataset.Eval) { e.Nodes = 0 }), "column nodes is 0"},
		{nodes, whole, eval(func(e *dataset.Eval) { e.Score = math.MinInt16 }), "column score is -32768"},
		{nodes, whole, eval(func(e *dataset.Eval) { e.WinIn = search.Win - search.MaxEval }), "column win_in is 1000"},
		{nodes, whole, eval(func(e *dataset.Eval) { *e = dataset.Eval{} }), "columns score and win_in"},
		{depth, whole, eval(func(e *dataset.Eval) { e.Depth = 3 }), "column depth is 3, over the limit"},
		{random, whole, func(r *dataset.Record) {
			r.Evals[len(r.Evals)-1] = dataset.Eval{Searched: true, Depth: 1, Nodes: 1}
		}, "columns score and win_in"},
		{random, dataset.Plan{Variant: "croda", Games: 3, ShardGames: 4}, func(*dataset.Record) {}, "manifest.json: croda: 3 games, 4 a shard; config.json says 4 games"},
	} {
		found := forged(t, c.cfg, c.plan, c.spoil)
		if (c.want == "") != (found == "") || !strings.Contains(found, c.want) {
			t.Errorf("want %q, found %q", c.want, found)
		}
	}
}

// Protects a run that is damaged from being called complete, and from being a
// dead end: the file is told of, set aside, and made again as it was.
func TestDamagedRun(t *testing.T) {
	cfg, dir := randomConfig(60, "croda"), t.TempDir()
	play(t, dir, cfg, Options{})
	want := files(t, dir)
	games, positions := "games/variant=croda/shard-00001.parquet", "positions/variant=croda/shard-00001.parquet"
	for _, c := range []struct {
		name, text string
	}{
		{games, ""},
		{positions, ""},
		{games, flip(want[games])},
		{positions, flip(want[positions])},
		{games, want[games][:3000]},
		{positions, want[positions][:3000]},
		{games, want[strings.Replace(games, "1.p", "0.p", 1)]},
		{positions, want[strings.Replace(positions, "1.p", "0.p", 1)]},
		{dataset.ManifestFile, ""},
		{dataset.ManifestFile, want[dataset.ManifestFile][:500]},
		{dataset.CardFile, "# mine\n"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var notes []string
		play(t, dir, cfg, Options{Note: func(text string) { notes = append(notes, text) }})
		if len(notes) != 1 || !strings.HasPrefix(notes[0], path+": ") {
			t.Errorf("%s with %d bytes: notes %q", c.name, len(c.text), notes)
		}
		aside := filepath.Join(dir, dataset.DamagedDir)
		if kept, err := os.ReadFile(filepath.Join(aside, c.name)); err != nil || string(kept) != c.text {
			t.Errorf("%s with %d bytes: %d bytes set aside, %v", c.name, len(c.text), len(kept), err)
		}
		if err := os.RemoveAll(aside); err != nil {
			t.Fatal(err)
		}
		sameFiles(t, files(t, dir), want)
	}
}

func flip(text string) string {
	b := []byte(text)
	b[len(b)/2] ^= 1
	return string(b)
}

// Protects the memory of the machine from a slip of the hand.
func TestCheckMemory(t *testing.T) {
	for _, c := range []struct {
		workers, entries int
		ok               bool
	}{{1, maxHashEntries, true}, {2, maxHashEntries, false}, {MaxWorkers, DefaultHashEntries, true}, {MaxWorkers, maxHashEntries, false}} {
		err := CheckMemory(c.workers, PlayerConfig{Kind: Search, HashEntries: c.entries})
		if (err == nil) != c.ok {
			t.Errorf("%d workers with %d entries: %v", c.workers, c.entries, err)
		}
	}
	cfg := searchConfig(t, 1, "croda")
	cfg.Player.HashEntries = maxHashEntries
	if _, err := Run(t.Context(), t.TempDir(), cfg, Options{Workers: 5}); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("run: %v", err)
	}
}
