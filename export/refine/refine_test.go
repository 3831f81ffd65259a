package refine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/export/dataset"
)

// plain is what a test knows of a position of a run, read from its tables by the
// straight way.
type plain struct {
	dataset.PositionRow
	openingPlies int32
	opening      string // canonicalText of the position after the opening
	text         string // canonicalText of the position
	clocks       string // the clocks that an article counts
}

// plainRows reads a run into memory.
func plainRows(t *testing.T, dir string, v *engine.Variant, profile engine.Profile) []plain {
	t.Helper()
	openings, plies := map[int64]string{}, map[int64]int32{}
	err := dataset.Games(dir, v.Name, func(g *dataset.GameRow) error {
		p, err := g.Start(v)
		if err != nil {
			return err
		}
		for _, text := range strings.Fields(g.Moves)[:g.OpeningPlies] {
			m, err := notation.ParseMove(v, &p, v.Generate(&p, nil), text)
			if err != nil {
				return err
			}
			p = p.Make(m)
		}
		openings[g.Game], plies[g.Game] = canonicalText(v, &p), g.OpeningPlies
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var rows []plain
	err = dataset.Positions(dir, v.Name, func(r *dataset.PositionRow) error {
		p, err := r.Position(v)
		if err != nil {
			return err
		}
		clocks := ""
		if v.Ending(&p, profile).Clock != 0 {
			clocks = fmt.Sprint(r.SinceChange, r.SinceMan, r.Road)
		}
		rows = append(rows, plain{*r, plies[r.Game], openings[r.Game], canonicalText(v, &p), clocks})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// origin names a position by its game and ply.
type origin struct {
	Game int64
	Ply  int32
}

func origins(rows []Row) map[origin]Row {
	m := map[origin]Row{}
	for _, r := range rows {
		m[origin{r.Game, r.Ply}] = r
	}
	return m
}

// Protects what a merge of one run is: every position once, in order, each cell
// as in the run.
func TestMergeOfOneRunHasEveryPosition(t *testing.T) {
	run := testRun(t, "run", 1, 30, engine.Basic, allVariants()...)
	out := outDir(t, "set")
	if _, err := Merge(context.Background(), []string{run}, out, small); err != nil {
		t.Fatal(err)
	}
	for _, v := range allVariants() {
		want := plainRows(t, run, v, engine.Basic)
		have := rowsOf(t, out, v)
		if len(have) != len(want) || len(have) < 300 {
			t.Fatalf("%s: %d rows of %d positions", v.Name, len(have), len(want))
		}
		names := map[string]int64{}
		for i, w := range want {
			h := have[i]
			row := plainRow(&w.PositionRow)
			row.OpeningPlies, row.Opening = w.openingPlies, h.Opening
			if h != row {
				t.Fatalf("%s: row %d is %+v, the run has %+v", v.Name, i, h, row)
			}
			if n, ok := names[w.opening]; ok && n != h.Opening {
				t.Fatalf("%s: game %d: an opening has two hashes", v.Name, w.Game)
			}
			names[w.opening] = h.Opening
		}
		if hashes := slices.Collect(maps.Values(names)); len(slices.Compact(slices.Sorted(slices.Values(hashes)))) != len(names) || len(names) < 3 {
			t.Errorf("%s: %d openings have other numbers of hashes", v.Name, len(names))
		}
	}
}

// Protects the choice of sample against an obvious one, and its bounds.
func TestSampleTakesWhatIsAsked(t *testing.T) {
	skipSlowJudge(t)
	run := testRun(t, "run", 1, 30, engine.Basic, allVariants()...)
	known := map[string][]plain{}
	for _, v := range allVariants() {
		known[v.Name] = plainRows(t, run, v, engine.Basic)
	}
	for name, o := range map[string]SampleOptions{
		"default":  {},
		"all":      {Captures: true, Opening: true, Unfinished: true},
		"plies":    {FromPly: 10, ToPly: 20, Captures: true},
		"scored":   {Scored: true, Unfinished: true},
		"per game": {PerGame: 3},
		"rows":     {Rows: 50},
		"captures": {Captures: true, PerGame: 1, Seed: 9},
	} {
		out := outDir(t, "set")
		p, err := Sample(context.Background(), run, out, o, small)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range allVariants() {
			wanted, games := map[origin]bool{}, map[int64]int{}
			for _, r := range known[v.Name] {
				ok := (o.Captures || !r.CaptureDue) && (o.Opening || r.Ply >= r.openingPlies) && (o.Unfinished || r.Outcome != nil) &&
					(!o.Scored || r.Score != nil) && int(r.Ply) >= o.FromPly && (o.ToPly == 0 || int(r.Ply) <= o.ToPly)
				if ok {
					wanted[origin{r.Game, r.Ply}] = true
					games[r.Game]++
				}
			}
			want := len(wanted)
			if o.PerGame > 0 {
				want = 0
				for _, n := range games {
					want += min(n, o.PerGame)
				}
			}
			if o.Rows > 0 {
				want = int(min(o.Rows, int64(want)))
			}
			have := rowsOf(t, out, v)
			if len(have) != want || len(origins(have)) != want || want == 0 {
				t.Errorf("%s: %s: %d rows, %d of them different, want %d", name, v.Name, len(have), len(origins(have)), want)
			}
			per := map[int64]int{}
			for _, r := range have {
				per[r.Game]++
				if !wanted[origin{r.Game, r.Ply}] {
					t.Errorf("%s: %s: game %d ply %d was not asked for", name, v.Name, r.Game, r.Ply)
				}
			}
			for g, n := range per {
				if o.PerGame > 0 && n != min(games[g], o.PerGame) {
					t.Errorf("%s: %s: %d rows of game %d", name, v.Name, n, g)
				}
			}
			left := p.Made.Counts[i].Out
			for _, n := range p.Made.Counts[i].Left {
				left += n
			}
			if left != p.Made.Counts[i].In {
				t.Errorf("%s: %s: the counts do not add up: %+v", name, v.Name, p.Made.Counts[i])
			}
		}
	}
}

// Protects the shuffle: it is one, another seed gives another one, and which
// positions of a game are taken depends on the seed.
func TestSampleShuffles(t *testing.T) {
	v := allVariants()[1]
	run := testRun(t, "run", 1, 60, engine.Basic, v)
	order := func(o SampleOptions) (list []origin) {
		out := outDir(t, "set")
		if _, err := Sample(context.Background(), run, out, o, large); err != nil {
			t.Fatal(err)
		}
		for _, r := range rowsOf(t, out, v) {
			list = append(list, origin{r.Game, r.Ply})
		}
		return list
	}
	one, two := order(SampleOptions{Seed: 1}), order(SampleOptions{Seed: 2})
	same, neighbours, early := 0, 0, 0
	for i := range one {
		if one[i] == two[i] {
			same++
		}
		if i > 0 && one[i].Game == one[i-1].Game {
			neighbours++
		}
		if i < len(one)/2 && one[i].Game < 30 {
			early++
		}
	}
	n := len(one)
	// Of n rows of 60 games about n/60 have a neighbour of the same game, and a
	// quarter is of the first half of the games in the first half of the rows.
	if n < 500 || same > 20 || neighbours > n/20 || early < n/5 || early > n*3/10 {
		t.Errorf("of %d rows %d stand at the same place under two seeds, %d beside one of the same game, %d early ones early", n, same, neighbours, early)
	}
	if reflect.DeepEqual(order(SampleOptions{Seed: 1, PerGame: 1, Rows: 10}), order(SampleOptions{Seed: 2, PerGame: 1, Rows: 10})) {
		t.Error("two seeds take the same positions")
	}
}

// group is what dedupe is to know of a position, made by the straight way.
type group struct {
	Count, Wins, Draws, Losses, Scored, Sum, ProvenWins, ProvenLosses int64
	First                                                             origin
	OneOpening                                                        bool
}

// Protects dedupe against an obvious one: the rows, their sums with colours
// exchanged, their first positions and whether they have one opening; and that
// the sums of all rows are those of the run.
func TestDedupeMergesEqualPositions(t *testing.T) {
	skipSlowJudge(t)
	for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
		run := testRun(t, "run", 3, 25, profile, allVariants()...)
		known := map[string][]plain{}
		for _, v := range allVariants() {
			known[v.Name] = plainRows(t, run, v, profile)
		}
		for _, ignore := range []bool{false, true} {
			out := outDir(t, "set")
			if _, err := Dedupe(context.Background(), run, out, DedupeOptions{IgnoreClocks: ignore}, small); err != nil {
				t.Fatal(err)
			}
			for _, v := range allVariants() {
				want := plainGroups(known[v.Name], ignore)
				have := map[string]group{}
				for _, r := range rowsOf(t, out, v) {
					p := position(t, v, &r)
					name := canonicalText(v, &p)
					if !ignore && v.Ending(&p, profile).Clock != 0 {
						name += fmt.Sprint(r.SinceChange, r.SinceMan, r.Road)
					}
					if _, twice := have[name]; twice || !r.WhiteToMove {
						t.Fatalf("%s: %+v", v.Name, r)
					}
					have[name] = group{r.Count, r.WhiteWins, r.Draws, r.BlackWins, r.Scored, r.ScoreSum, r.ProvenWins, r.ProvenLosses, origin{r.Game, r.Ply}, r.OneOpening}
				}
				if d := cmp.Diff(want, have); d != "" {
					t.Fatalf("%s %s, ignoring clocks %t: want - have +\n%s", v.Name, profile, ignore, d)
				}
			}
		}
	}
}

func plainGroups(rows []plain, ignoreClocks bool) map[string]group {
	groups, opening := map[string]group{}, map[string]string{}
	for _, r := range rows {
		name := r.text
		if !ignoreClocks {
			name += r.clocks
		}
		g, known := groups[name]
		if !known {
			g.First, g.OneOpening, opening[name] = origin{r.Game, r.Ply}, true, r.opening
		}
		g.OneOpening = g.OneOpening && opening[name] == r.opening
		g.Count++
		if r.Outcome != nil {
			switch mover := int8(1); {
			case *r.Outcome == 0:
				g.Draws++
			case !r.WhiteToMove && *r.Outcome == -mover, r.WhiteToMove && *r.Outcome == mover:
				g.Wins++ // White of the row is who is to move
			default:
				g.Losses++
			}
		}
		if r.Score != nil {
			g.Scored++
			g.Sum += int64(*r.Score)
		}
		if r.WinIn != nil && *r.WinIn > 0 {
			g.ProvenWins++
		} else if r.WinIn != nil {
			g.ProvenLosses++
		}
		groups[name] = g
	}
	return groups
}

var threeParts = []Part{{"train", 0.6}, {"validation", 0.25}, {"test", 0.15}}

// Protects the holdout: no opening, seen by the names of its squares, is in two
// parts, whatever its games are; every row is in one part or left out because
// its position is in a part before; and with leaks kept, none is left out.
func TestSplitKeepsOpeningsTogether(t *testing.T) {
	v := allVariants()[1]
	run := testRun(t, "run", 5, 300, engine.Basic, v)
	all := plainRows(t, run, v, engine.Basic)
	opening, text := map[origin]string{}, map[origin]string{}
	for _, r := range all {
		opening[origin{r.Game, r.Ply}], text[origin{r.Game, r.Ply}] = r.opening, r.text
	}
	for _, keep := range []bool{false, true} {
		out := outDir(t, "parts")
		made, err := Split(context.Background(), run, out, SplitOptions{Seed: 4, Parts: threeParts, KeepLeaks: keep}, small)
		if err != nil {
			t.Fatal(err)
		}
		partOf, rows, first := map[string]int{}, 0, map[string]int{}
		for i, part := range threeParts {
			last := origin{-1, 0}
			for _, r := range rowsOf(t, filepath.Join(out, part.Name), v) {
				o := origin{r.Game, r.Ply}
				if p, ok := partOf[opening[o]]; ok && p != i {
					t.Fatalf("game %d: its opening is in two parts", r.Game)
				}
				if o.Game < last.Game || o.Game == last.Game && o.Ply <= last.Ply {
					t.Fatalf("%v comes after %v", o, last)
				}
				if p, ok := first[text[o]]; ok && p != i && !keep {
					t.Fatalf("game %d ply %d: its position is in parts %d and %d", r.Game, r.Ply, p, i)
				} else if !ok {
					first[text[o]] = i
				}
				partOf[opening[o]], last = i, o
				rows++
			}
		}
		leaked := int64(0)
		for _, r := range all {
			if i, ok := partOf[r.opening]; ok && first[r.text] != i {
				leaked++
			}
		}
		l := made[0].Made.Counts[0].Leaks
		if n := l.Rows["validation"] + l.Rows["test"]; l.Rows["train"] != 0 || n != leaked || n == 0 || l.Positions == 0 || l.Removed == keep {
			t.Errorf("leaks %+v, the parts have %d", l, leaked)
		}
		if want := len(all); keep && rows != want || !keep && rows+int(leaked) != want {
			t.Errorf("keep %t: %d rows of %d are in the parts, %d leak", keep, rows, want, leaked)
		}
	}
}

// Protects the other way to divide: by games, and that shares are kept to.
func TestSplitByGames(t *testing.T) {
	v := allVariants()[1]
	run := testRun(t, "run", 5, 300, engine.Basic, v)
	out := outDir(t, "parts")
	if _, err := Split(context.Background(), run, out, SplitOptions{Parts: threeParts, Games: true, KeepLeaks: true}, large); err != nil {
		t.Fatal(err)
	}
	partOf, games := map[int64]int{}, make([]int, len(threeParts))
	for i, part := range threeParts {
		for _, r := range rowsOf(t, filepath.Join(out, part.Name), v) {
			p, ok := partOf[r.Game]
			if ok && p != i {
				t.Fatalf("game %d is in two parts", r.Game)
			}
			if !ok {
				partOf[r.Game] = i
				games[i]++
			}
		}
	}
	if len(partOf) != 300 || games[0] < 150 || games[0] > 210 || games[2] < 25 {
		t.Errorf("%d games in the parts: %v", len(partOf), games)
	}
}

// Protects that nothing but inputs and settings decides the bytes: memory
// (which decides the temporary files), cores, where these files are, and the
// order of the input. 1 MiB makes several of the temporary files that 1 GiB
// holds in one.
func TestBytesDependOnInputsOnly(t *testing.T) {
	run := testRun(t, "run", 7, 30, engine.Basic, allVariants()...)
	shuffled := outDir(t, "run") // the same name stands in both provenances
	if _, err := Sample(context.Background(), run, shuffled, SampleOptions{Seed: 8, Captures: true, Opening: true, Unfinished: true}, large); err != nil {
		t.Fatal(err)
	}
	elsewhere := small
	elsewhere.Temp = t.TempDir()
	for name, step := range map[string]func(in, out string, o Options) error{
		"sample": func(in, out string, o Options) error {
			_, err := Sample(context.Background(), in, out, SampleOptions{Seed: 1, PerGame: 5, Rows: 100}, o)
			return err
		},
		"dedupe": func(in, out string, o Options) error {
			_, err := Dedupe(context.Background(), in, out, DedupeOptions{}, o)
			return err
		},
		"split": func(in, out string, o Options) error {
			_, err := Split(context.Background(), in, out, SplitOptions{Parts: threeParts}, o)
			return err
		},
		"merge": func(in, out string, o Options) error {
			_, err := Merge(context.Background(), []string{in}, out, o)
			return err
		},
	} {
		hashes := map[string]string{}
		for settings, o := range map[string]Options{"small": small, "large": large, "elsewhere": elsewhere} {
			out := outDir(t, "set")
			if err := step(run, out, o); err != nil {
				t.Fatal(err)
			}
			hashes[settings] = treeHash(t, out)
		}
		if hashes["small"] != hashes["large"] || hashes["small"] != hashes["elsewhere"] {
			t.Errorf("%s: other bytes with other memory and cores: %v", name, hashes)
		}
		if name == "sample" || name == "dedupe" {
			a, b := outDir(t, "a"), outDir(t, "b")
			if err := errors.Join(step(run, a, small), step(shuffled, b, small)); err != nil {
				t.Fatal(err)
			}
			if treeHash(t, filepath.Join(a, "positions")) != treeHash(t, filepath.Join(b, "positions")) {
				t.Errorf("%s: other rows of the same positions in another order", name)
			}
		}
	}
	if left, err := os.ReadDir(elsewhere.Temp); err != nil || len(left) > 0 {
		t.Errorf("left of temporary files: %v, %v", left, err)
	}
}

// Protects the bounds of memory: that of these tests makes several temporary
// files, without which nothing would be tested; the default is enough for a
// thousand million rows; and what is too little is told.
func TestPartsFollowMemory(t *testing.T) {
	for _, c := range []struct{ rows, bytes, memory, want int64 }{
		{0, sortedBytes, DefaultMemory, 1},
		{3000, sortedBytes, MinMemory, 4},
		{1e9, sortedBytes, DefaultMemory, 2048},
		{1e9, dedupedBytes, DefaultMemory, 2048},
		{1e9, leakedBytes, DefaultMemory, 1024},
	} {
		if n, err := partsFor(c.rows, c.bytes, c.memory); n != c.want {
			t.Errorf("%d rows of %d bytes in %d bytes of memory: %d parts, %v, want %d", c.rows, c.bytes, c.memory, n, err, c.want)
		}
	}
	_, err := partsFor(1e9, sortedBytes, MinMemory)
	if err == nil {
		t.Fatal("1 MiB is enough for a thousand million rows")
	}
	var need int64
	if _, scanned := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "allow"):], "allow %d MiB", &need); scanned != nil {
		t.Fatal(err)
	}
	if _, err := partsFor(1e9, sortedBytes, need<<20); err != nil || need < 100 {
		t.Errorf("%d MiB are asked for and do not do: %v", need, err)
	}
}

// Protects the room on the disk: of a few rows asked for, a spool keeps hardly
// more, and they are those with the smallest hashes.
func TestSpoolKeepsWhatIsWanted(t *testing.T) {
	s, err := newSpool(t.TempDir(), "here", 100000, sortedBytes, MinMemory)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.wanted = 1000
	rng := rand.New(rand.NewPCG(1, 1))
	var all []uint64
	for range 100000 {
		hash := rng.Uint64()
		all = append(all, hash)
		if err := s.add(hash, binary.LittleEndian.AppendUint64(nil, hash)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	var kept []uint64
	for part := range s.parts {
		err := s.read(part, func(record []byte) error {
			kept = append(kept, binary.LittleEndian.Uint64(record))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(all)
	slices.Sort(kept)
	if len(kept) > 3000 || !slices.Equal(kept[:1000], all[:1000]) {
		t.Errorf("%d kept", len(kept))
	}
}

// Protects merging: rows of the first before those of the second, sources
// numbered anew, how each was made kept; and dedupe and split after it.
func TestMergeKeepsSources(t *testing.T) {
	v := allVariants()[2]
	one, two := testRun(t, "one", 1, 20, engine.Basic, v), testRun(t, "two", 2, 20, engine.Basic, v)
	sample := outDir(t, "sample")
	if _, err := Sample(context.Background(), one, sample, SampleOptions{}, large); err != nil {
		t.Fatal(err)
	}
	out := outDir(t, "both")
	p, err := Merge(context.Background(), []string{sample, two}, out, small)
	if err != nil {
		t.Fatal(err)
	}
	want := rowsOf(t, sample, v)
	for _, r := range rowsOf(t, two, v) {
		r.Source = 1
		want = append(want, r)
	}
	if !slices.Equal(rowsOf(t, out, v), want) {
		t.Error("the rows are not those of the inputs one after the other")
	}
	if len(p.Sources) != 2 || p.Sources[0].Name != "one" || p.Sources[1].Name != "two" || p.Made.Inputs[0].Made == nil || p.Made.Inputs[0].Made.Command != "sample" || p.Made.Inputs[1].Run == "" {
		t.Errorf("provenance %+v", p)
	}
	card, err := os.ReadFile(filepath.Join(out, CardFile))
	if err != nil || !strings.Contains(string(card), "of the run two") || !strings.Contains(string(card), "- sample `{\"seed\"") {
		t.Errorf("card %s, %v", card, err)
	}
	if _, err := Dedupe(context.Background(), out, outDir(t, "d"), DedupeOptions{}, small); err != nil {
		t.Error(err)
	}
	if _, err := Split(context.Background(), out, outDir(t, "s"), SplitOptions{Parts: []Part{{"a", 0.5}, {"b", 0.5}}}, small); err != nil {
		t.Error(err)
	}
}

// Protects a training set of a directory whose name is no UTF-8, which JSON would
// change behind the back of its hash.
func TestNameOfAnyBytes(t *testing.T) {
	run := testRun(t, "n\xff", 1, 5, engine.Basic, allVariants()[0])
	out := outDir(t, "out")
	if _, err := Merge(context.Background(), []string{run}, out, small); err != nil {
		t.Fatal(err)
	}
	if p, err := ReadProvenance(out); err != nil || p.Sources[0].Name != "n\uFFFD" {
		t.Errorf("%+v, %v", p.Sources, err)
	}
}

// Protects what must be refused, with a word on what to do, and that nothing is
// left then.
func TestRefusals(t *testing.T) {
	all := allVariants()
	run := testRun(t, "run", 1, 30, engine.Basic, all...)
	longer := testRun(t, "longer", 1, 31, engine.Basic, all...) // the same games and one more
	russian := testRun(t, "russian", 2, 10, engine.Basic, all[1])
	federation := testRun(t, "federation", 3, 10, engine.Federation, all...)
	unfinished := testRun(t, "unfinished", 4, 10, engine.Basic, all...)
	if err := os.Remove(filepath.Join(unfinished, dataset.ManifestFile)); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	deduped := outDir(t, "deduped")
	if _, err := Dedupe(ctx, run, deduped, DedupeOptions{}, large); err != nil {
		t.Fatal(err)
	}
	split := func(dir, out string, o SplitOptions) error {
		_, err := Split(ctx, dir, out, o, small)
		return err
	}
	merge := func(out string, dirs ...string) error {
		_, err := Merge(ctx, dirs, out, small)
		return err
	}
	sample := func(dir, out string, o SampleOptions, opt Options) error {
		_, err := Sample(ctx, dir, out, o, opt)
		return err
	}
	for want, step := range map[string]func(out string) error{
		"there already":      func(out string) error { _ = os.Mkdir(out, 0o755); defer os.Remove(out); return merge(out, run) },
		"no such file":       func(out string) error { return merge(filepath.Join(out, "none", "x"), run) },
		"output is empty":    func(string) error { return merge("", run) },
		"is not complete":    func(out string) error { return merge(out, unfinished) },
		"neither a complete": func(out string) error { return merge(out, t.TempDir()) },
		"would count twice":  func(out string) error { return merge(out, run, deduped) },
		"first game of":      func(out string) error { return merge(out, deduped, longer) },
		"for their own":      func(string) error { return merge(filepath.Join(run, "positions", "x"), russian) },
		"the basic articles": func(out string) error { return merge(out, federation, run) },
		"name the variants":  func(out string) error { return merge(out, run, russian) },
		"no rows of croda": func(out string) error {
			return sample(russian, out, SampleOptions{}, Options{Variants: []string{"croda"}})
		},
		"before dedupe":   func(out string) error { return split(deduped, out, SplitOptions{Parts: threeParts}) },
		"by games before": func(out string) error { return split(deduped, out, SplitOptions{Parts: threeParts, Games: true}) },
		"too few openings": func(out string) error {
			return split(run, out, SplitOptions{Parts: []Part{{"a", 0.999999}, {"b", 0.000001}}})
		},
		"2 to 100":          func(out string) error { return split(run, out, SplitOptions{Parts: threeParts[:1]}) },
		"named twice":       func(out string) error { return split(run, out, SplitOptions{Parts: []Part{{"a", 0.5}, {"a", 0.5}}}) },
		"add up to 0.75":    func(out string) error { return split(run, out, SplitOptions{Parts: []Part{{"a", 0.5}, {"b", 0.25}}}) },
		"small letters":     func(out string) error { return split(run, out, SplitOptions{Parts: []Part{{"../a", 0.5}, {"b", 0.5}}}) },
		"sample before":     func(out string) error { return sample(deduped, out, SampleOptions{PerGame: 2}, small) },
		"none is left":      func(out string) error { return sample(run, out, SampleOptions{FromPly: 500}, small) },
		"plies from 9 to 3": func(out string) error { return sample(run, out, SampleOptions{FromPly: 9, ToPly: 3}, small) },
		"unknown variant":   func(out string) error { return sample(run, out, SampleOptions{}, Options{Variants: []string{"chess"}}) },
		"1 worker or more":  func(out string) error { return sample(run, out, SampleOptions{}, Options{Memory: 5}) },
		"temporary files": func(out string) error {
			return sample(run, out, SampleOptions{}, Options{Temp: filepath.Join(out, "none")})
		},
		"not a directory": func(out string) error { return merge(out, filepath.Join(run, dataset.CardFile)) },
	} {
		out := outDir(t, "out")
		err := step(out)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want %q, got %v", want, err)
		}
		if left := leftIn(t, out); len(left) > 0 {
			t.Errorf("%q: left %v", want, left)
		}
	}
	if err := merge(outDir(t, "out"), run, testRun(t, "other", 9, 10, engine.Basic, all[1])); err == nil {
		t.Error("other variants were merged")
	}
	if _, err := Merge(ctx, []string{run, russian}, outDir(t, "out"), Options{Variants: []string{"russian"}}); err != nil {
		t.Errorf("the variants that both have: %v", err)
	}
}

// Protects whole or not at all: stopped at any moment, a step leaves nothing,
// neither under the final name nor under the hidden one nor in the directory of
// temporary files.
func TestInterruptedStepLeavesNothing(t *testing.T) {
	run := testRun(t, "run", 1, 20, engine.Basic, allVariants()...)
	steps := map[string]func(ctx context.Context, out string, o Options) error{
		"sample": func(ctx context.Context, out string, o Options) error {
			_, err := Sample(ctx, run, out, SampleOptions{PerGame: 4}, o)
			return err
		},
		"dedupe": func(ctx context.Context, out string, o Options) error {
			_, err := Dedupe(ctx, run, out, DedupeOptions{}, o)
			return err
		},
		"split": func(ctx context.Context, out string, o Options) error {
			_, err := Split(ctx, run, out, SplitOptions{Parts: threeParts}, o)
			return err
		},
		"merge": func(ctx context.Context, out string, o Options) error {
			_, err := Merge(ctx, []string{run}, out, o)
			return err
		},
	}
	for name, step := range steps {
		for _, share := range []float64{0, 0.2, 0.5, 0.8} {
			ctx, cancel := context.WithCancel(context.Background())
			o, out := small, outDir(t, "out")
			o.Temp = t.TempDir()
			o.Progress = func(done, total int64) {
				if float64(done) >= share*float64(total) {
					cancel()
				}
			}
			if err := step(ctx, out, o); !errors.Is(err, context.Canceled) {
				t.Errorf("%s stopped at %v: %v", name, share, err)
			}
			cancel()
			if left := append(leftIn(t, out), leftIn(t, filepath.Join(o.Temp, "x"))...); len(left) > 0 {
				t.Errorf("%s stopped at %v left %v", name, share, left)
			}
		}
	}
}

// Protects the next try: what a killed process left is removed, what a running
// one has is not.
func TestHiddenDirectory(t *testing.T) {
	run, out := testRun(t, "run", 1, 10, engine.Basic, allVariants()...), outDir(t, "out")
	killed := filepath.Join(filepath.Dir(out), ".out.draughtlab.tmp")
	if err := errors.Join(os.MkdirAll(filepath.Join(killed, "positions"), 0o755), os.WriteFile(filepath.Join(killed, "positions", "junk"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(context.Background(), []string{run}, out, large); err != nil {
		t.Fatal(err)
	}
	if r, err := Verify(context.Background(), out, 2, nil); err != nil || len(r.Problems) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	other := outDir(t, "out")
	running, err := create(other)
	if err != nil {
		t.Fatal(err)
	}
	defer running.abort()
	if _, err := Merge(context.Background(), []string{run}, other, large); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("beside a running process: %v", err)
	}
	if left := leftIn(t, other); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// Protects readers and verify: damage of every kind is told, and of what file.
func TestVerifyFindsDamage(t *testing.T) {
	run, good := testRun(t, "run", 1, 20, engine.Basic, allVariants()...), outDir(t, "set")
	if _, err := Sample(context.Background(), run, good, SampleOptions{}, large); err != nil {
		t.Fatal(err)
	}
	if r, err := Verify(context.Background(), good, 2, nil); err != nil || len(r.Problems) > 0 || r.Rows < 500 || r.Files != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	file := filepath.Join("positions", "variant=russian", "part-00000.parquet")
	flip := func(path string, at int) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text[(at+len(text))%len(text)] ^= 16
		return os.WriteFile(path, text, 0o644)
	}
	for want, damage := range map[string]func(dir string) error{
		file + ": has ":       func(dir string) error { return os.Truncate(filepath.Join(dir, file), 900) },
		file + ": damaged":    func(dir string) error { return flip(filepath.Join(dir, file), 3000) },
		file + ": damaged or": func(dir string) error { return flip(filepath.Join(dir, file), -40) },
		"no such file":        func(dir string) error { return os.Remove(filepath.Join(dir, file)) },
		"DATASET.md: changed": func(dir string) error { return flip(filepath.Join(dir, CardFile), 99) },
		"provenance.json: ":   func(dir string) error { return flip(filepath.Join(dir, ProvenanceFile), 300) },
		"part-7.parquet: does not": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "positions", "part-7.parquet"), nil, 0o644)
		},
		"legal moves and capture_due": func(dir string) error { return rewrite(dir, func(r *Row) { r.LegalMoves++ }) },
		"overlap":                     func(dir string) error { return rewrite(dir, func(r *Row) { r.BlackKings = r.WhiteMen | r.WhiteKings }) },
		"more outcomes": func(dir string) error {
			return rewrite(dir, func(r *Row) { r.Draws, r.WhiteWins, r.BlackWins = 1, 1, 1 })
		},
		"the sums of the rows": func(dir string) error {
			return rewrite(dir, func(r *Row) { r.Draws, r.WhiteWins, r.BlackWins = 0, 1, 0 })
		},
	} {
		dir := outDir(t, "set")
		if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
			t.Fatal(err)
		}
		if err := damage(dir); err != nil {
			t.Fatal(err)
		}
		r, err := Verify(context.Background(), dir, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, p := range r.Problems {
			list = append(list, p.String())
		}
		if text := strings.Join(list, "\n"); !strings.Contains(text, want) {
			t.Errorf("want %q, found %q", want, text)
		}
	}
	if _, err := Verify(context.Background(), run, 2, nil); err == nil || !strings.Contains(err.Error(), "no training set") {
		t.Errorf("a run: %v", err)
	}
}

// rewrite changes the rows of Russian and lists the new file as if it were the
// right one: only the rows themselves can tell.
func rewrite(dir string, change func(*Row)) error {
	p, err := ReadProvenance(dir)
	if err != nil {
		return err
	}
	s, err := Open(dir)
	if err != nil {
		return err
	}
	v := allVariants()[1]
	var rows []Row
	err = s.Rows(context.Background(), v, 1, func(some []Row) error {
		for i := range some {
			change(&some[i])
		}
		rows = append(rows, some...)
		return nil
	})
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, "positions", "variant=russian")); err != nil {
		return err
	}
	w := newRowWriter(dir, v.Name)
	if err := errors.Join(w.add(rows), w.close()); err != nil {
		return err
	}
	for i := range p.Variants {
		if p.Variants[i].Variant == v.Name {
			p.Variants[i].Files = w.made.Files // but the sums as they were
		}
	}
	text := p.marshal()
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, ProvenanceFile), text, 0o644), os.WriteFile(filepath.Join(dir, CardFile), card(&p), 0o644))
}

// Protects readers against damage that the size does not show: an error that
// names the file, never a panic or rows that are not there.
func TestReadersSurviveDamage(t *testing.T) {
	v := allVariants()[1]
	run, set := testRun(t, "run", 1, 20, engine.Basic, v), outDir(t, "set")
	if _, err := Merge(context.Background(), []string{run}, set, large); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(set, filepath.FromSlash(fileName(v.Name, 0)))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for range 300 { // some lengths, if they were believed, would take all memory
		bad := slices.Clone(good)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := Open(set)
		if err == nil {
			err = s.Rows(context.Background(), v, 2, func([]Row) error { return nil })
		}
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%v does not name the file", err)
			}
		}
	}
	if refused != 300 {
		t.Errorf("%d of 300 flipped bits were noticed", refused)
	}
}

// Protects schema versions: rows of a program that is not known are refused by
// the number of their version.
func TestUnknownSchemaIsRefused(t *testing.T) {
	run, set := testRun(t, "run", 1, 10, engine.Basic, allVariants()[1]), outDir(t, "set")
	if _, err := Merge(context.Background(), []string{run}, set, large); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(set, ProvenanceFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), `"refined_schema": 1`, `"refined_schema": 2`, 1))
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(set); err == nil || !strings.Contains(err.Error(), "schema version 2") {
		t.Errorf("%v", err)
	}
}

// Protects what is documented: columns.go, Row, its reader, FORMAT.md and the
// card name the same columns with the same types, in the same order.
func TestColumnsAreDocumented(t *testing.T) {
	format, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	typ, columns, read := reflect.TypeFor[Row](), Columns(), rowCells()
	if len(columns) != typ.NumField() || len(read) != len(columns) {
		t.Fatalf("%d columns documented, %d exist, %d are read", len(columns), typ.NumField(), len(read))
	}
	for i, c := range columns {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		if c.Name != name || c.Type != f.Type.String() || c.Nullable || c.Meaning == "" || read[i].column != name {
			t.Errorf("column %d is %s %s, documented as %+v, read as %s", i, name, f.Type, c, read[i].column)
		}
	}
	if !strings.Contains(string(format), columnTable()) {
		t.Errorf("FORMAT.md does not have this table:\n%s", columnTable())
	}
	if !strings.Contains(string(format), fmt.Sprintf("schema version %d", SchemaVersion)) {
		t.Errorf("FORMAT.md is of another version than %d", SchemaVersion)
	}
}

// Protects the stream helper: values in the order of their producers however
// these hurry, and the first error at the end.
func TestOrdered(t *testing.T) {
	for _, workers := range []int{1, 3, 50} {
		var got []int
		err := ordered(context.Background(), workers, 40, func(_ context.Context, i int, yield func(int) error) error {
			for k := range i % 11 {
				if err := yield(100*i + k); err != nil {
					return err
				}
			}
			return nil
		}, func(n int) error {
			got = append(got, n)
			return nil
		})
		if err != nil || !slices.IsSorted(got) || len(got) != 186 {
			t.Errorf("%d workers: %v, %d values, in order %t", workers, err, len(got), slices.IsSorted(got))
		}
	}
	bad := errors.New("bad")
	produce := func(_ context.Context, i int, yield func(int) error) error {
		if i == 20 {
			return bad
		}
		return yield(i)
	}
	last := -1
	err := ordered(context.Background(), 2, 40, produce, func(n int) error { last = n; return nil })
	if !errors.Is(err, bad) || last > 19 {
		t.Errorf("%v after %d", err, last)
	}
	if err := ordered(context.Background(), 2, 20, produce, func(int) error { return fs.ErrClosed }); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%v", err)
	}
}
