package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/frisian"
	"draughtlab/engine/russian"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// openingPlies is the number of unsearched moves a test game begins with.
const openingPlies = 4

// writeGames writes a dataset of random games in two shards. Searched scores
// are the default evaluation, one in eleven a proven win instead; the players
// prefer, half of the time, the move that leaves them best by it, so outcomes
// go with scores.
func writeGames(t testing.TB, dir string, v *engine.Variant, games, plyLimit int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, dataset.ConfigFile), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	config, err := dataset.ConfigHash(dir)
	if err != nil {
		t.Fatal(err)
	}
	evaluator := eval.NewEvaluator(v, eval.Default(v))
	for shard := range 2 {
		first, last := games*shard/2, games*(shard+1)/2
		w, err := dataset.CreateShard(dir, dataset.Spec{
			Variant: v, PlyLimit: plyLimit, Engine: "test", ConfigHash: config, Shard: shard, First: int64(first), Last: int64(last),
		})
		if err != nil {
			t.Fatal(err)
		}
		for n := first; n < last; n++ {
			if err := w.Add(randomGame(v, evaluator, n, plyLimit)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func randomGame(v *engine.Variant, e *eval.Evaluator, n, plyLimit int) *dataset.Record {
	rng := rand.New(rand.NewPCG(uint64(n), 99))
	game := engine.NewGame(v, engine.Basic, v.Start, plyLimit)
	r := &dataset.Record{Number: int64(n), Opening: "random", OpeningPlies: openingPlies, Start: v.Start}
	for ply := 0; len(game.Legal()) > 0; ply++ {
		legal, p := game.Legal(), game.Position()
		m, found := legal[rng.IntN(len(legal))], dataset.Eval{}
		if ply >= openingPlies {
			found = dataset.Eval{Searched: true, Score: int16(e.Evaluate(&p)), Depth: 1, Nodes: 1}
			if ply%11 == 10 {
				found.Score, found.WinIn = 0, 3
			}
			if rng.IntN(2) == 0 {
				m = slices.MinFunc(legal, func(a, b engine.Move) int {
					pa, pb := p.Make(a), p.Make(b)
					return e.Evaluate(&pa) - e.Evaluate(&pb)
				})
			}
		}
		if err := game.Play(m); err != nil {
			panic(err)
		}
		r.Evals = append(r.Evals, found)
	}
	r.Moves = slices.Clone(game.Moves())
	r.Termination, r.Outcome = game.Termination(), game.Outcome()
	r.OpeningPlies = min(r.OpeningPlies, len(r.Moves))
	return r
}

func loadTest(t *testing.T, dir string, v *engine.Variant, s Selection) *data {
	t.Helper()
	d, err := load(context.Background(), dir, v, eval.For(v), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Protects the choice of rows: each row is counted once, by the first reason to
// leave it out; an independent walk over the rows finds the same numbers.
func TestSelection(t *testing.T) {
	for _, v := range variants.All() {
		dir := t.TempDir()
		plyLimit := map[string]int{"croda": 100, "russian": 50, "frisian": 60}[v.Name]
		writeGames(t, dir, v, 30, plyLimit)
		var want Use
		games := map[int64]bool{}
		err := dataset.Positions(dir, v.Name, func(r *dataset.PositionRow) error {
			want.Rows++
			if r.Outcome == nil {
				want.NoOutcome++
			} else if r.CaptureDue {
				want.CaptureDue++
			} else if r.Ply < openingPlies {
				want.Unsearched++
			} else if r.Ply%11 == 10 {
				want.Proven++
			} else {
				want.Candidates++
				games[r.Game] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got := loadTest(t, dir, v, Selection{Holdout: 0.3, MaxPositions: 1 << 20}).use
		if n := got.Train.Positions + got.Holdout.Positions; int64(n) != want.Candidates || got.Train.Games+got.Holdout.Games != int64(len(games)) || got.Holdout.Games == 0 {
			t.Errorf("%s: training %+v, holdout %+v, want %d positions of %d games", v.Name, got.Train, got.Holdout, want.Candidates, len(games))
		}
		got.Train, got.Holdout, want.SampleShare = Part{}, Part{}, 1
		if got != want {
			t.Errorf("%s: use\n%+v, want\n%+v", v.Name, got, want)
		}
		if want.CaptureDue == 0 || want.NoOutcome == 0 || want.Proven == 0 || want.Candidates == 0 {
			t.Errorf("%s: the test games do not have every kind of row: %+v", v.Name, want)
		}
		// Unsearched rows are taken on request, opening moves never.
		got = loadTest(t, dir, v, Selection{MaxPositions: 1 << 20, Unsearched: true}).use
		if got.Opening != want.Unsearched || got.Unsearched != 0 || got.Candidates != want.Candidates {
			t.Errorf("%s: with unsearched positions %+v", v.Name, got)
		}
	}
}

// Protects against rows where a capture is due: case tune-non-quiet (after
// official-stockfish/nnue-pytorch #13). In both positions of the case a
// capture is due, so the dataset says so and the tuner leaves them out.
func TestNonQuietIsLeftOut(t *testing.T) {
	for _, c := range []struct {
		v            *engine.Variant
		white, black []string
	}{
		{russian.Variant(), []string{"d4"}, []string{"e5", "g3"}},
		{frisian.Variant(), []string{"28"}, []string{"23"}},
	} {
		p := c.v.Start
		p.Pieces = [2]uint64{}
		for _, name := range c.white {
			p.Pieces[engine.White] |= square(t, c.v, name)
		}
		for _, name := range c.black {
			p.Pieces[engine.Black] |= square(t, c.v, name)
		}
		legal := c.v.Generate(&p, nil)
		if len(legal) == 0 || !legal[0].IsCapture() {
			t.Fatalf("%s: no capture is due: %v", c.v.Name, legal)
		}
		l := newTestLoader(t, c.v)
		for game, due := range []bool{true, false} {
			r := rowOf(c.v, p, 1, 20)
			r.Game, r.CaptureDue = int64(game), due
			if err := l.add(&r); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.endGame(); err != nil {
			t.Fatal(err)
		}
		if d := l.finish(); d.use.CaptureDue != 1 || d.train.Rows() != 1 {
			t.Errorf("%s: %+v", c.v.Name, d.use)
		}
	}
}

func square(t *testing.T, v *engine.Variant, name string) uint64 {
	s, err := v.Board.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return s.Bit()
}

// rowOf is the row of a quiet, searched position; the score is stated from the
// side to move, as in datasets.
func rowOf(v *engine.Variant, p engine.Position, outcome int8, score int16) dataset.PositionRow {
	pack := func(bb uint64) int64 { return int64(v.Board.Pack(bb)) }
	return dataset.PositionRow{
		WhiteMen: pack(p.Men(engine.White)), WhiteKings: pack(p.Pieces[engine.White] & p.Kings),
		BlackMen: pack(p.Men(engine.Black)), BlackKings: pack(p.Pieces[engine.Black] & p.Kings),
		WhiteToMove: p.Side() == engine.White, Score: &score, Outcome: &outcome, Ply: 10,
	}
}

func newTestLoader(t *testing.T, v *engine.Variant) *loader {
	t.Helper()
	l, err := newLoader(v, eval.For(v), Selection{MaxPositions: 100})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Protects the view of labels, scores and features: case tune-label-perspective
// (after AndyGrant/Ethereal #146). A position and its turned counterpart, both
// won by the side to move, have labels 1 and 0; a side that is a man up and
// wins gives a positive K whoever is to move and whatever its colour.
func TestLabelsAreWhitesView(t *testing.T) {
	v := russian.Variant()
	up := v.Start
	up.Pieces = [2]uint64{square(t, v, "a1") | square(t, v, "c1"), square(t, v, "h8")}
	waiting := up
	waiting.SetSide(engine.Black)
	l := newTestLoader(t, v)
	for i, r := range []dataset.PositionRow{
		rowOf(v, up, 1, 90),                   // White to move is a man up and won
		rowOf(v, turned(v, up), -1, 90),       // so is and did Black
		rowOf(v, waiting, 1, -90),             // Black to move is a man down and lost
		rowOf(v, turned(v, waiting), -1, -90), // so is and did White
	} {
		r.Game = int64(i)
		if err := l.add(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.endGame(); err != nil {
		t.Fatal(err)
	}
	m := l.finish().train
	if labels := outcomeLabels(m); !slices.Equal(labels, []float32{1, 0, 1, 0}) {
		t.Fatalf("labels %v, want 1 0 1 0", labels)
	}
	x, err := vector(eval.For(v), eval.Default(v))
	if err != nil {
		t.Fatal(err)
	}
	for i, sign := range []float64{1, -1, 1, -1} {
		if s := m.score(i, appendPairs(nil, x)); s*sign <= 0.5 {
			t.Errorf("row %d: evaluation %.2f men from White's view", i, s)
		}
		if got := m.rows[i].score; got != int16(90*sign) {
			t.Errorf("row %d: score %d from White's view", i, got)
		}
	}
	blended := outcomeLabels(m)
	blend(m, blended, 1, 1)
	if !(blended[0] > 0.6 && blended[1] < 0.4 && blended[2] > 0.6 && blended[3] < 0.4) {
		t.Errorf("labels from scores %v", blended)
	}
	if k, err := FitK(m, x); err != nil || k <= 0 {
		t.Errorf("K = %v (%v)", k, err)
	}
}

// Protects averages against win-in-n scores: case tune-mate-scores (after
// CheckersGuy/DarkHorse 898796a). A proven win has no score in a dataset; the
// row is left out even if one is there.
func TestProvenIsLeftOut(t *testing.T) {
	v := russian.Variant()
	p := v.Start
	p.Pieces = [2]uint64{square(t, v, "a1"), square(t, v, "h8")}
	l := newTestLoader(t, v)
	for game, score := range []int16{29990, -29995, 12} {
		r := rowOf(v, p, 1, score)
		r.Game = int64(game)
		if score != 12 {
			in := int16(3)
			r.WinIn = &in
		}
		if err := l.add(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.endGame(); err != nil {
		t.Fatal(err)
	}
	if d := l.finish(); d.use.Proven != 2 || d.train.Rows() != 1 || d.train.rows[0].score != 12 {
		t.Errorf("%+v", d.use)
	}
}

// Protects the sample: bounded, about half of the bound or more, the rows with
// the smallest hashes, so the same whatever is read first; and PerGame.
func TestSample(t *testing.T) {
	v := russian.Variant()
	dir := t.TempDir()
	writeGames(t, dir, v, 60, 0)
	all := loadTest(t, dir, v, Selection{Holdout: 0.2, MaxPositions: 1 << 20})
	total := all.train.Rows() + all.holdout.Rows()
	for _, bound := range []int{total, total / 3, 100} {
		d := loadTest(t, dir, v, Selection{Holdout: 0.2, MaxPositions: bound})
		n := d.train.Rows() + d.holdout.Rows()
		if n > bound || n < bound/3 {
			t.Errorf("%d positions, bound %d", n, bound)
		}
		want := 0
		for _, h := range candidateHashes(t, dir, v) {
			if float64(h) < d.use.SampleShare*(1<<64) {
				want++
			}
		}
		if n != want {
			t.Errorf("bound %d: %d positions, %d hashes are below the threshold %v", bound, n, want, d.use.SampleShare)
		}
	}
	for _, k := range []int{1, 5} {
		d := loadTest(t, dir, v, Selection{Holdout: 0.2, MaxPositions: 1 << 20, PerGame: k})
		if n := int64(d.train.Rows() + d.holdout.Rows()); n > int64(k)*60 || n != d.use.Candidates || n+d.use.PerGame != int64(total) || d.use.Train.Games != all.use.Train.Games {
			t.Errorf("%d a game: %+v", k, d.use)
		}
	}
}

func candidateHashes(t *testing.T, dir string, v *engine.Variant) (hashes []uint64) {
	err := dataset.Positions(dir, v.Name, func(r *dataset.PositionRow) error {
		if r.Outcome != nil && !r.CaptureDue && r.Ply >= openingPlies && r.WinIn == nil {
			hashes = append(hashes, positionHash(r.Game, r.Ply))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hashes
}

// Protects the holdout: by game, close to its share, nested as the share
// grows, nothing at 0.
func TestHoldoutShare(t *testing.T) {
	const n = 100000
	for _, share := range []float64{0, 0.1, 0.5} {
		in := 0
		for game := range int64(n) {
			if inHoldout(game, share) {
				in++
				if !inHoldout(game, share+0.01) {
					t.Fatalf("game %d is in the holdout of %v, not of %v", game, share, share+0.01)
				}
			}
		}
		if got := float64(in) / n; got < share-0.005 || got > share+0.005 || share == 0 && in > 0 {
			t.Errorf("holdout %v has %v of the games", share, got)
		}
	}
}

// Protects against rows that no game has, which would be read as others.
func TestLoadRefusesRows(t *testing.T) {
	v := russian.Variant()
	for want, change := range map[string]func(*dataset.PositionRow){
		"column since_man is 300":   func(r *dataset.PositionRow) { r.SinceMan = 300 },
		"column since_change is -1": func(r *dataset.PositionRow) { r.SinceChange = -1 },
		"column outcome is 5":       func(r *dataset.PositionRow) { *r.Outcome = 5 },
	} {
		l := newTestLoader(t, v)
		r := rowOf(v, v.Start, 1, 0)
		change(&r)
		if err := l.add(&r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

// Protects the messages for selections that cannot be, and for no data.
func TestLoadRefuses(t *testing.T) {
	v := russian.Variant()
	for want, s := range map[string]Selection{
		"holdout 0.6":        {Holdout: 0.6, MaxPositions: 1},
		"0 positions":        {},
		"-1 a game":          {MaxPositions: 1, PerGame: -1},
		"no finished shards": {MaxPositions: 1},
	} {
		if _, err := load(context.Background(), t.TempDir(), v, eval.For(v), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	writeGames(t, dir, v, 2, 0)
	if _, err := load(ctx, dir, v, eval.For(v), Selection{MaxPositions: 1}); err != context.Canceled {
		t.Errorf("cancelled: error %v", err)
	}
}

func ExampleSelection() {
	s := DefaultOptions().Selection
	fmt.Println(s.Holdout, s.MaxPositions, s.PerGame, s.Unsearched)
	// Output: 0.1 2000000 0 false
}
