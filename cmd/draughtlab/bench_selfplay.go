package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// benchSelfplay is what bench measured of self-play in one game.
type benchSelfplay struct {
	// Games of random players into Parquet with all workers: positions a
	// second, and processor time in microseconds a position, 0 where it is not
	// known.
	Random    float64 `json:"random_positions_per_second"`
	RandomCPU float64 `json:"random_cpu_us"`
	// What each step takes, in microseconds a position of one goroutine, and
	// what both files hold of a position.
	Play    float64 `json:"play_us"`
	Rows    float64 `json:"rows_us"`
	Hash    float64 `json:"hash_us"`
	Parquet float64 `json:"parquet_us"`
	Write   float64 `json:"write_us"`
	Bytes   float64 `json:"bytes_per_position"`
	// Engine has a row for each of benchLimits.
	Engine []benchEngine `json:"engine"`
}

// benchEngine is self-play of the search with one worker.
type benchEngine struct {
	Nodes     uint64  `json:"nodes_per_move"`
	Games     float64 `json:"games_per_second"`
	Positions float64 `json:"positions_per_second"`
	// Rest is the part of the time, 0 to 1, that is not spent searching.
	Rest float64 `json:"rest"`
}

// benchLimits are the limits of the search in nodes a move.
var benchLimits = [...]uint64{100, 1000, 10000}

// stepGames is how many games are taken through one step after the other: as
// many as a shard has.
const stepGames = 2000

// measureSelfplay measures self-play in one game, each figure for about the
// given time.
func measureSelfplay(ctx context.Context, v *engine.Variant, each time.Duration, workers int) (b benchSelfplay, err error) {
	dir, err := os.MkdirTemp("", "draughtlab-bench-")
	if err != nil {
		return b, err
	}
	defer os.RemoveAll(dir)
	if err := b.steps(v, dir, each); err != nil {
		return b, err
	}
	if err := b.run(ctx, v, dir+"/run", each, workers); err != nil {
		return b, err
	}
	for _, nodes := range benchLimits {
		e, err := engineSelfplay(v, dir, nodes, each)
		if err != nil {
			return b, err
		}
		b.Engine = append(b.Engine, e)
	}
	return b, nil
}

// benchConfig returns the settings of a run without endgame tables.
func benchConfig(v *engine.Variant, player selfplay.PlayerConfig) selfplay.Config {
	c := selfplay.DefaultConfig()
	c.Variants, c.Player, c.TablePieces, c.Seed = []string{v.Name}, player, 0, 1
	return c
}

func benchSpec(v *engine.Variant, c *selfplay.Config, games int64) dataset.Spec {
	return dataset.Spec{Variant: v, Profile: engine.Basic, PlyLimit: c.MaxPlies, Engine: c.Engine(), ConfigHash: c.Hash(), Last: games}
}

// steps measures what a position of a random game costs, step by step. Each
// figure is the best of some rounds: other programs can only add to it.
func (b *benchSelfplay) steps(v *engine.Variant, dir string, each time.Duration) error {
	c := benchConfig(v, selfplay.PlayerConfig{Kind: selfplay.Random})
	table := selfplay.NewTable(v, engine.Basic, c.MaxPlies, dataset.Referee{})
	player := c.Player.New(v, engine.Basic, nil, dataset.Referee{}, nil)
	records := make([]*dataset.Record, stepGames)
	var best [5]time.Duration
	var cost dataset.Cost
	for begin := time.Now(); best[0] == 0 || time.Since(begin) < each; {
		round := time.Now()
		for n := range records {
			var err error
			if records[n], err = benchGame(table, v, &c, int64(n), player); err != nil {
				return err
			}
		}
		play := time.Since(round)
		var err error
		if cost, err = dataset.MeasureCost(dir, benchSpec(v, &c, stepGames), records); err != nil {
			return err
		}
		for i, d := range [...]time.Duration{play, cost.Rows, cost.Hash, cost.Parquet, cost.Write} {
			if best[i] == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	for i, us := range [...]*float64{&b.Play, &b.Rows, &b.Hash, &b.Parquet, &b.Write} {
		*us = best[i].Seconds() * 1e6 / float64(cost.Positions)
	}
	b.Bytes = float64(cost.Bytes) / float64(cost.Positions)
	return nil
}

// benchGame plays a game as a run would.
func benchGame(table *selfplay.Table, v *engine.Variant, c *selfplay.Config, number int64, p selfplay.Player) (*dataset.Record, error) {
	o := selfplay.Opening{ID: selfplay.RandomID, Start: v.Start}
	r, err := table.Play(selfplay.GameSeed(c.Seed, v.Name, number), o, c.RandomPlies, p, p)
	if err == nil {
		r.Number = number
	}
	return r, err
}

// run measures a whole run of random players: as many games as the steps let
// expect for the time, a shard at least.
func (b *benchSelfplay) run(ctx context.Context, v *engine.Variant, dir string, each time.Duration, workers int) error {
	c := benchConfig(v, selfplay.PlayerConfig{Kind: selfplay.Random})
	perGame := (b.Play + b.Rows + b.Hash + b.Parquet + b.Write) * 1e-6 * benchGamePlies
	c.Games = max(c.ShardGames, int64(each.Seconds()*float64(workers)/perGame))
	begin, cpu := time.Now(), cpuTime()
	tallies, err := selfplay.Run(ctx, dir, c, selfplay.Options{Workers: workers})
	if err != nil {
		return err
	}
	positions := float64(tallies[0].Positions)
	b.Random = positions / time.Since(begin).Seconds()
	b.RandomCPU = (cpuTime() - cpu).Seconds() * 1e6 / positions
	return nil
}

// benchGamePlies is about the length of a random game, in plies.
const benchGamePlies = 70

// timedPlayer is a player that measures how long it searches.
type timedPlayer struct {
	selfplay.Player
	spent time.Duration
}

func (p *timedPlayer) Choose(g *engine.Game, rng *rand.Rand) (engine.Move, dataset.Eval, error) {
	begin := time.Now()
	m, e, err := p.Player.Choose(g, rng)
	p.spent += time.Since(begin)
	return m, e, err
}

// engineSelfplay plays games of the search and makes, hashes and encodes their
// rows, all in one goroutine, so that what is not search can be told. Writing is
// left out: it comes once in a shard, a few milliseconds in as many thousand.
func engineSelfplay(v *engine.Variant, dir string, nodes uint64, each time.Duration) (benchEngine, error) {
	c := benchConfig(v, selfplay.PlayerConfig{Kind: selfplay.Search, Nodes: nodes, HashEntries: selfplay.DefaultHashEntries})
	table := selfplay.NewTable(v, engine.Basic, c.MaxPlies, dataset.Referee{})
	player := &timedPlayer{Player: c.Player.New(v, engine.Basic, eval.Default(v), dataset.Referee{}, nil)}
	var games, positions int64
	var total time.Duration
	for total < each {
		var records []*dataset.Record // of a shard at most
		begin := time.Now()
		for len(records) == 0 || len(records) < stepGames && total+time.Since(begin) < each {
			r, err := benchGame(table, v, &c, games, player)
			if err != nil {
				return benchEngine{}, err
			}
			records = append(records, r)
			games++
		}
		total += time.Since(begin)
		cost, err := dataset.MeasureCost(dir, benchSpec(v, &c, games), records)
		if err != nil {
			return benchEngine{}, err
		}
		total += cost.Rows + cost.Hash + cost.Parquet
		positions += cost.Positions
	}
	seconds := total.Seconds()
	return benchEngine{
		Nodes: nodes, Games: float64(games) / seconds, Positions: float64(positions) / seconds,
		Rest: 1 - player.spent.Seconds()/seconds,
	}, nil
}

// selfplayText returns the part of the report on self-play, in 80 columns.
func (r *benchReport) selfplayText() string {
	s := fmt.Sprintf("\nRandom players into Parquet, %d workers; microseconds a position\n", r.Workers)
	s += fmt.Sprintf("%-8s %11s %6s  %6s %6s %6s %8s %6s %10s\n", "Game", "positions/s", "CPU", "play", "rows", "hash", "Parquet", "write", "bytes/pos.")
	for _, g := range r.Games {
		b := g.Selfplay
		s += fmt.Sprintf("%-8s %11.0f %6.2f  %6.2f %6.2f %6.2f %8.2f %6.2f %10.2f\n",
			title(g.Variant), b.Random, b.RandomCPU, b.Play, b.Rows, b.Hash, b.Parquet, b.Write, b.Bytes)
	}
	s += "\nSelf-play of the search, one core\n"
	s += fmt.Sprintf("%-8s %10s %12s %12s %14s\n", "Game", "nodes/move", "games/s", "positions/s", "not searching")
	for _, g := range r.Games {
		for _, e := range g.Selfplay.Engine {
			s += fmt.Sprintf("%-8s %10d %12.1f %12.0f %12.1f %%\n", title(g.Variant), e.Nodes, e.Games, e.Positions, 100*e.Rest)
		}
	}
	return s
}
