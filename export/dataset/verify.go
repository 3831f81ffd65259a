package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"draughtlab/engine/variants"
)

// Problem is one thing wrong with a dataset.
type Problem struct {
	// File is the path of the file at fault.
	File string
	// Fault says what is wrong, with game, ply and column where they are known.
	Fault string
}

// String returns file and fault in one line.
func (p Problem) String() string { return p.File + ": " + p.Fault }

// maxProblems is how many problems of one shard are listed; then its check
// ends.
const maxProblems = 20

// Report is what Verify found.
type Report struct {
	// Games and Positions are the rows that were checked.
	Games, Positions int64
	// Shards is the number of shards looked at.
	Shards int
	// Problems are in a fixed order; there are none if all holds.
	Problems []Problem
	// Notes tell of files that running processes are writing at the moment:
	// they are no fault of the dataset.
	Notes []Problem
}

// Expect is what the configuration of a run says of the games of one variant.
// How games are played is not known here: package selfplay fills it in.
type Expect struct {
	Plan
	// Referee is who ended games by endgame tables: those of up to so many
	// pieces must have ended as its tables say.
	Referee Referee
	// Game says what is wrong with the row of a game, Position with that of
	// one of its positions, beyond what the rules say; nil if nothing is. They
	// are called in several goroutines at once.
	Game     func(*GameRow) error
	Position func(*GameRow, *PositionRow) error
}

// Progress says how far a check is.
type Progress struct {
	// Shards of Total are done; they have this many Positions.
	Shards, Total int
	Positions     int64
}

// Verify proves a dataset: that its files are those of the manifest to the
// byte and complete, that every game is legal to its end under its articles,
// that no end by endgame
// tables contradicts the tables that are expected, and that every row is what
// follows from its games. What the engine found
// (score, win_in, depth, nodes) cannot follow from the rules; the hashes of
// rows and bytes guard it. If anything is expected, there must be one Expect
// for each variant, and plan and games must be as they say. The error is for a
// directory that cannot be read or a context that ended; what is wrong with the
// data is in the report. Shards are checked on all cores. progress, if not nil,
// is called after each, from one goroutine at a time.
func Verify(ctx context.Context, dir string, progress func(Progress), expect ...Expect) (Report, error) {
	if err := CheckDir(dir); err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	v := verifier{dir: dir, progress: progress, manifest: map[Shard]ShardManifest{}, expectations: expect}
	if err := v.plan(); err != nil {
		return Report{}, err
	}
	if err := v.foreign(); err != nil {
		return Report{}, err
	}
	if err := v.check(ctx); err != nil {
		return Report{}, err
	}
	v.compareSettings()
	return v.report, nil
}

// verifier is one run of Verify.
type verifier struct {
	dir          string
	progress     func(Progress)
	config       string // hash of config.json, empty if it cannot be read
	listed       bool   // there is a manifest to compare with
	expectations []Expect
	manifest     map[Shard]ShardManifest
	shards       []Shard // to be checked
	results      []shardResult
	report       Report
}

func (v *verifier) problem(file, format string, args ...any) {
	v.report.Problems = append(v.report.Problems, Problem{file, fmt.Sprintf(format, args...)})
}

// plan looks at the files of the directory itself and lists the shards.
func (v *verifier) plan() error {
	config, err := ConfigHash(v.dir)
	if err != nil {
		v.problem(Join(v.dir, ConfigFile), "cannot be read: %v", err)
	}
	v.config = config
	m, err := ReadManifest(v.dir)
	if err != nil {
		v.report.Problems = append(v.report.Problems, problemOf(Join(v.dir, ManifestFile), err))
		return v.planFromFiles()
	}
	v.listed = true
	if config != "" && config != m.Config {
		v.problem(Join(v.dir, ConfigFile), "changed: its SHA-256 is %s, the manifest says %s", config, m.Config)
	}
	card := Join(v.dir, CardFile)
	if sum, _, err := fileHash(card); err != nil {
		v.problem(card, "cannot be read: %v", err)
	} else if sum != m.Card {
		v.problem(card, "changed: its SHA-256 is %s, the manifest says %s", sum, m.Card)
	}
	v.config = m.Config
	for _, vm := range m.Variants {
		v.planVariant(vm)
	}
	v.comparePlans(m)
	return nil
}

// expected returns what is expected of a variant.
func (v *verifier) expected(variant string) (Expect, bool) {
	i := slices.IndexFunc(v.expectations, func(e Expect) bool { return e.Variant == variant })
	if i < 0 {
		return Expect{}, false
	}
	return v.expectations[i], true
}

// comparePlans checks that the manifest has the variants, games and shards that
// are expected, if anything is.
func (v *verifier) comparePlans(m Manifest) {
	if len(v.expectations) == 0 {
		return
	}
	path := Join(v.dir, ManifestFile)
	have := map[string]bool{}
	for _, vm := range m.Variants {
		have[vm.Variant] = true
		e, _ := v.expected(vm.Variant)
		if vm.Games != e.Games || vm.ShardGames != e.ShardGames {
			v.problem(path, "%s: %d games, %d a shard; %s says %d games, %d a shard", vm.Variant, vm.Games, vm.ShardGames, ConfigFile, e.Games, e.ShardGames)
		}
	}
	for _, e := range v.expectations {
		if !have[e.Variant] {
			v.problem(path, "%s: no games, %s says %d", e.Variant, ConfigFile, e.Games)
		}
	}
}

// planVariant checks that the manifest's shards of a variant cover its games
// without gap or overlap.
func (v *verifier) planVariant(vm VariantManifest) {
	path := Join(v.dir, ManifestFile)
	p := Plan{Variant: vm.Variant, Games: vm.Games, ShardGames: vm.ShardGames}
	if p.Games < 1 || p.ShardGames < 1 || p.Shards() != int64(len(vm.Shards)) {
		v.problem(path, "%s: %d shards cannot hold %d games, %d a shard", vm.Variant, len(vm.Shards), vm.Games, vm.ShardGames)
		return
	}
	positions := int64(0)
	for i, sm := range vm.Shards {
		s := Shard{Dir: v.dir, Variant: vm.Variant, Number: i}
		first, last := p.Range(int64(i))
		if sm.Shard != i || sm.First != first || sm.Last != last || sm.Games.Rows != last-first ||
			sm.Games.File != s.name(GamesTable) || sm.Positions.File != s.name(PositionsTable) {
			v.problem(path, "%s: entry %d is not shard %d of the games [%d,%d)", vm.Variant, i, i, first, last)
		}
		positions += sm.Positions.Rows
		v.manifest[s] = sm
		v.shards = append(v.shards, s)
	}
	if positions != vm.Positions {
		v.problem(path, "%s: its shards have %d positions, it says %d", vm.Variant, positions, vm.Positions)
	}
}

// planFromFiles lists the shards of a directory without a usable manifest.
func (v *verifier) planFromFiles() error {
	for _, game := range variants.All() {
		shards, err := finished(v.dir, game.Name)
		if err != nil {
			return err
		}
		for i, s := range shards {
			if s.Number != i {
				v.problem(s.Path(GamesTable), "shard %d is missing before it", i)
				break
			}
		}
		v.shards = append(v.shards, shards...)
	}
	return nil
}

// foreign reports files among the tables that are not of the dataset.
func (v *verifier) foreign() error {
	host, err := host()
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	known := map[string]bool{}
	for _, s := range v.shards {
		known[s.Path(GamesTable)], known[s.Path(PositionsTable)] = true, true
	}
	for _, t := range tables {
		err := walkFiles(Join(v.dir, string(t)), func(path string) {
			if known[path] {
				return
			}
			name := filepath.Base(path)
			pid, here := tempOwner(name, host)
			switch {
			case here && alive(pid):
				v.report.Notes = append(v.report.Notes, Problem{path, fmt.Sprintf("being written by the process %d, which is running", pid)})
			case here:
				v.problem(path, "left behind by the process %d, which was killed: remove it", pid)
			case tempName.MatchString(name):
				v.problem(path, "left behind by a process of another host: remove it unless that still runs")
			case partialName.MatchString(name):
				v.problem(path, "part of a suspended shard: the run is not complete")
			default:
				v.problem(path, "does not belong to the dataset")
			}
		})
		if err != nil {
			return fmt.Errorf("verify: %w", err)
		}
	}
	return nil
}

// check looks at all shards, some at a time, and collects what was found in
// their order.
func (v *verifier) check(ctx context.Context) error {
	v.results = make([]shardResult, len(v.shards))
	var mu sync.Mutex
	done := Progress{Total: len(v.shards)}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range v.shards {
		g.Go(func() error {
			c := shardCheck{verifier: v, shard: s}
			if err := c.run(ctx); err != nil {
				return err
			}
			v.results[i] = c.shardResult
			mu.Lock()
			defer mu.Unlock()
			done.Shards++
			done.Positions += c.positions
			if v.progress != nil {
				v.progress(done)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("verify %s: %w", v.dir, err)
	}
	for _, r := range v.results {
		v.report.Shards++
		v.report.Games += r.games
		v.report.Positions += r.positions
		v.report.Problems = append(v.report.Problems, r.problems...)
	}
	return nil
}

// compareSettings checks that the shards of a variant were played under the
// same articles by the same engine, and joins the ranges of games.
func (v *verifier) compareSettings() {
	for i := 1; i < len(v.shards); i++ {
		a, b := v.results[i-1], v.results[i]
		if v.shards[i].Variant != v.shards[i-1].Variant || a.games == 0 || b.games == 0 {
			continue
		}
		if a.settings != b.settings {
			v.problem(v.shards[i].Path(GamesTable), "played under other settings (%s) than the shard before it (%s)", b.settings, a.settings)
		}
	}
	if len(v.shards) == 0 {
		v.problem(v.dir, "no finished shards here")
	}
	slices.SortStableFunc(v.report.Problems, func(a, b Problem) int { return strings.Compare(a.File, b.File) })
}
