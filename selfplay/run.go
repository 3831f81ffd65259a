package selfplay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// MaxWorkers bounds Options.Workers.
const MaxWorkers = 1024

// maxOpenShards bounds how many shards may be written at once: the one whose
// games are being added, and those whose games are being played.
const maxOpenShards = 4

// Options are the settings of a run that change nothing in its files.
type Options struct {
	// Workers is the number of games played at a time, 1 to MaxWorkers; 0
	// takes one for each processor.
	Workers int
	// OpeningPaths and WeightsPaths tell, by variant, where the files are that
	// the config names.
	OpeningPaths, WeightsPaths map[string]string
	// TablesDir is where the endgame tables are; empty for the default ones.
	TablesDir string
	// Shards are the places in the plan of the shards to be played, in ascending
	// order; nil is all of them. With some only, other processes play the rest,
	// and manifest and card are left to a Run of all.
	Shards []int
	// Progress, if not nil, is called in one goroutine when the run begins and
	// after each game, in the order of the games.
	Progress func(Progress)
	// Note, if not nil, is told in one line of each file that was set aside. It
	// may be called from several goroutines.
	Note func(string)
}

// Progress is how far a run has come.
type Progress struct {
	// Variant is the game that was played last; empty at the beginning.
	Variant string
	// Games of Planned are done; Found of them were there before this call of
	// Run. All variants count.
	Games, Planned, Found int64
	// Positions is the number of moves made in this call.
	Positions int64
	// Checking is the number of shards that were there and are being read, when
	// all games are played; 0 before.
	Checking int
}

// Tally counts the games of a variant that are done.
type Tally struct {
	Variant string
	// Games is the sum of the four counts that follow. Unfinished games were
	// stopped by the program and have no outcome.
	Games, WhiteWins, Draws, BlackWins, Unfinished int64
	// Positions is the number of rows of the positions table.
	Positions int64
}

func (t *Tally) add(outcome engine.Outcome, plies int) {
	t.Games++
	t.Positions += int64(plies)
	switch outcome {
	case engine.WhiteWins:
		t.WhiteWins++
	case engine.Draw:
		t.Draws++
	case engine.BlackWins:
		t.BlackWins++
	default:
		t.Unfinished++
	}
}

// ErrInterrupted is returned by Run when its context ended before all games
// were played. What was finished is kept and the same run goes on from there.
var ErrInterrupted = errors.New("interrupted")

// grace is how long running games may take to end after a request to stop;
// then they are given up, to be played again. Batch systems allow ten seconds
// between SIGTERM and SIGKILL, and suspended shards must be written in that
// time, too.
const grace = 4 * time.Second

// Run plays what is missing of a run in dir, which it makes if needed, and
// writes the manifest and the dataset card when all is there. It returns a
// tally of all games of each variant, in the order of the config; none if
// Options.Shards asks for some shards only.
//
// A shard that is there is no reason to trust it: what is not the shard of its
// name, and before the manifest is written what does not hold the rows its
// footer promises, is set aside (dataset.SetAside) and played again.
//
// When ctx ends, running games are finished if they end soon, their shard is
// suspended, and ErrInterrupted is returned: a later Run with the same config
// goes on with the next game. After an error the shards that were finished
// stay; one that was begun is played again.
func Run(ctx context.Context, dir string, cfg Config, opt Options) ([]Tally, error) {
	r, err := newRun(ctx, dir, cfg, opt)
	if err != nil {
		return nil, err
	}
	if err := cfg.Claim(dir); err != nil {
		return nil, err
	}
	if err := dataset.RemoveStale(dir); err != nil {
		return nil, err
	}
	all := opt.Shards == nil
	if err := r.find(ctx, !all); err != nil {
		return nil, err
	}
	if err := r.play(ctx); err != nil || !all {
		return nil, err
	}
	if err := r.recheck(ctx); err != nil {
		return nil, err
	}
	if err := r.play(ctx); err != nil {
		return nil, err
	}
	return r.complete(ctx)
}

// run is the state of one call of Run. It belongs to the goroutine of Run,
// except where said.
type run struct {
	dir     string
	cfg     Config
	opt     Options
	profile engine.Profile
	setups  map[string]*variantSetup // by variant; read only

	found    []Shard         // were there already and seem right
	late     func() bool     // whether running games are to be given up; in any goroutine
	todo     []Shard         // to be played; read only while they are
	played   bool            // something was missing
	slots    chan token      // holds one token for each open shard
	closing  *errgroup.Group // closes shards
	begun    []*openShard    // of the goroutine of jobs
	progress Progress
}

type token struct{}

type variantSetup struct {
	variant  *engine.Variant
	weights  *eval.Weights
	openings []Opening
	referee  dataset.Referee
}

// openShard is a shard being written. The goroutine of jobs begins it, that of
// Run adds the games.
type openShard struct {
	Shard
	writer *dataset.ShardWriter
	found  int64 // games of a suspended shard, until they are reported
	closed bool
}

// job asks for a game; a game number past the shard's last asks for nothing but
// to close the shard.
type job struct {
	shard *openShard
	game  int64
}

type played struct {
	job
	rows *dataset.Rows // nil if there was nothing to play
}

// newRun checks the settings and reads the files they name.
func newRun(ctx context.Context, dir string, cfg Config, opt Options) (*run, error) {
	if err := cfg.playable(); err != nil {
		return nil, err
	}
	if opt.Workers == 0 {
		opt.Workers = min(runtime.GOMAXPROCS(0), MaxWorkers)
	}
	if opt.Workers < 1 || opt.Workers > MaxWorkers {
		return nil, fmt.Errorf("%d workers: it takes 1 to %d", opt.Workers, MaxWorkers)
	}
	if n := len(opt.Shards); n > 0 && opt.Shards[n-1] >= cfg.PlanSize() {
		return nil, fmt.Errorf("shard %d: the plan has %d, numbered from 0", opt.Shards[n-1], cfg.PlanSize())
	}
	if err := CheckMemory(opt.Workers, cfg.Player); err != nil {
		return nil, err
	}
	profile, err := engine.ParseProfile(cfg.Profile)
	if err != nil {
		return nil, err
	}
	r := &run{
		dir: dir, cfg: cfg, opt: opt, profile: profile,
		setups: map[string]*variantSetup{}, slots: make(chan token, maxOpenShards),
	}
	for _, name := range cfg.Variants {
		v, err := variants.ByName(name)
		if err != nil {
			return nil, err
		}
		s := &variantSetup{variant: v}
		if s.weights, err = cfg.weights(v, opt.WeightsPaths[name]); err != nil {
			return nil, err
		}
		if s.openings, err = cfg.openings(v, opt.OpeningPaths[name]); err != nil {
			return nil, err
		}
		if s.referee, err = cfg.referee(ctx, v, profile, opt.TablesDir); err != nil {
			return nil, err
		}
		table := r.table(s)
		for _, o := range s.openings {
			if err := table.Check(o); err != nil {
				return nil, fmt.Errorf("%s: %w", cfg.Openings[name].Name, err)
			}
		}
		r.setups[name] = s
	}
	return r, nil
}

// table returns a table for games of one variant.
func (r *run) table(s *variantSetup) *Table {
	return NewTable(s.variant, r.profile, r.cfg.MaxPlies, s.referee)
}

func (r *run) spec(s Shard) dataset.Spec {
	return dataset.Spec{
		Variant:     r.setups[s.Variant].variant,
		Profile:     r.profile,
		PlyLimit:    r.cfg.MaxPlies,
		Referee:     r.setups[s.Variant].referee,
		Engine:      r.cfg.Engine(),
		WeightsHash: r.cfg.Weights[s.Variant].Hash, // newRun compared it with the weights
		ConfigHash:  r.cfg.Hash(),
		Shard:       s.Number,
		First:       s.First,
		Last:        s.Last,
	}
}

func (r *run) report() {
	if r.opt.Progress != nil {
		r.opt.Progress(r.progress)
	}
}

// jobs yields the games that are missing, shard by shard. It runs in a
// goroutine of its own.
func (r *run) jobs(ctx context.Context, yield func(job) bool) error {
	for _, s := range r.todo {
		if !send(ctx, r.slots, token{}) {
			return ctx.Err()
		}
		w, next, err := r.resume(s)
		if err != nil {
			return err
		}
		open := &openShard{Shard: s, writer: w, found: next - s.First}
		r.begun = append(r.begun, open)
		for g := next; g < s.Last; g++ {
			if !yield(job{open, g}) {
				return nil
			}
		}
		if next == s.Last && !yield(job{open, s.Last}) { // all was there but the end
			return nil
		}
	}
	return nil
}

// newWorker returns the function with which one worker plays games and makes
// their rows, so that whoever adds them has only to write. A worker has one
// table and one player at a time, those of the variant it plays.
func (r *run) newWorker() func(job) (played, error) {
	var (
		current *variantSetup
		table   *Table
		player  Player
	)
	return func(j job) (played, error) {
		if j.game == j.shard.Last {
			return played{job: j}, nil
		}
		if s := r.setups[j.shard.Variant]; s != current {
			current = s
			table = r.table(s)
			player = r.cfg.Player.New(s.variant, r.profile, s.weights, s.referee, r.late)
		}
		seed := GameSeed(r.cfg.Seed, j.shard.Variant, j.game)
		record, err := table.Play(seed, r.opening(current, j.game), r.cfg.RandomPlies, player, player)
		if err != nil {
			return played{}, fmt.Errorf("%s game %d: %w", j.shard.Variant, j.game, err)
		}
		record.Number = j.game
		rows, err := j.shard.writer.Rows(record)
		return played{j, rows}, err
	}
}

// opening returns the opening of a game.
func (r *run) opening(s *variantSetup, game int64) Opening {
	if n := int64(len(s.openings)); n > 0 {
		return s.openings[game/r.cfg.GamesPerOpening%n]
	}
	return r.cfg.initial(s.variant)
}

// initial returns the opening of games that begin with the initial position.
func (c *Config) initial(v *engine.Variant) Opening {
	id := StartID
	if c.RandomPlies.Max > 0 {
		id = RandomID
	}
	return Opening{ID: id, Start: v.Start}
}

// add writes a game, and has its shard closed after the last one.
func (r *run) add(p played) error {
	s := p.shard
	r.progress.Variant = s.Variant
	r.progress.Games += s.found
	r.progress.Found += s.found
	s.found = 0
	if p.rows != nil {
		positions := p.rows.Positions()
		if err := s.writer.AddRows(p.rows); err != nil {
			return err
		}
		r.progress.Games++
		r.progress.Positions += int64(positions)
	}
	if p.game >= s.Last-1 {
		s.closed = true
		r.closing.Go(func() error { // a disk takes its time to sync
			defer func() { <-r.slots }()
			return s.writer.Close()
		})
	}
	r.report()
	return nil
}

// leave closes what the pool left open, err being what the pool returned.
func (r *run) leave(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	interrupted := ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, errGivenUp))
	for _, s := range r.begun {
		switch {
		case s.closed:
		case interrupted && !dataset.ShardDone(r.dir, s.Variant, s.Number): // another process may have been faster
			if err := s.writer.Suspend(); err != nil {
				return err
			}
		default:
			s.writer.Abort()
		}
	}
	if interrupted {
		return fmt.Errorf("%w after %d of %d games", ErrInterrupted, r.progress.Games, r.progress.Planned)
	}
	return err
}

// complete writes the manifest and the card of a dataset with all its shards
// and counts its games.
func (r *run) complete(ctx context.Context) ([]Tally, error) {
	if err := dataset.RemoveStale(r.dir); err != nil { // another process may have left parts
		return nil, err
	}
	m, err := dataset.ReadManifest(r.dir)
	switch {
	case err == nil && !r.played:
		err = dataset.RestoreCard(r.dir, m)
		var d *dataset.DamagedError
		if errors.As(err, &d) {
			if err = r.setAside(d); err == nil {
				err = dataset.RestoreCard(r.dir, m)
			}
		}
	case err == nil, errors.Is(err, fs.ErrNotExist):
		var plans []dataset.Plan
		for _, name := range r.cfg.Variants {
			plans = append(plans, dataset.Plan{Variant: name, Games: r.cfg.Games, ShardGames: r.cfg.ShardGames})
		}
		err = dataset.WriteManifest(ctx, r.dir, plans)
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w after all games were played", ErrInterrupted)
	}
	if err != nil {
		return nil, err
	}
	return Tallies(r.dir, r.cfg)
}

// Tallies counts the games in the finished shards of a run, in the order of its
// variants.
func Tallies(dir string, cfg Config) ([]Tally, error) {
	var tallies []Tally
	for _, name := range cfg.Variants {
		t := Tally{Variant: name}
		err := dataset.GameColumns(dir, name, []string{"plies", "outcome"}, func(g *dataset.GameRow) error {
			t.add(g.Result(), int(g.Plies))
			return nil
		})
		if err != nil {
			return nil, err
		}
		tallies = append(tallies, t)
	}
	return tallies, nil
}
