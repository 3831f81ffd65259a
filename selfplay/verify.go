package selfplay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/search"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// Verify proves the dataset of a run as dataset.Verify does, and that it is
// what config.json says: as many games, with the seeds, openings, players and
// limits that follow from it, ended by endgame tables wherever those say so.
// The tables are those in tablesDir, or the default ones if it is empty. Which
// opening of a file a game had is not known without that file and not compared.
func Verify(ctx context.Context, dir, tablesDir string, progress func(dataset.Progress)) (dataset.Report, error) {
	var expect []dataset.Expect
	cfg, bad := ReadConfig(dir)
	if bad == nil {
		for _, name := range cfg.Variants {
			e, err := cfg.expect(ctx, name, tablesDir)
			if err != nil {
				return dataset.Report{}, err
			}
			expect = append(expect, e)
		}
	}
	report, err := dataset.Verify(ctx, dir, progress, expect...)
	if err != nil || bad == nil {
		return report, err
	}
	path := dataset.Join(dir, dataset.ConfigFile)
	if !slices.ContainsFunc(report.Problems, func(p dataset.Problem) bool { return p.File == path }) {
		fault := strings.TrimPrefix(bad.Error(), path+": ")
		report.Problems = append([]dataset.Problem{{File: path, Fault: fault}}, report.Problems...)
	}
	return report, nil
}

// expected is what a config says of the games of one variant.
type expected struct {
	cfg     *Config
	variant *engine.Variant
	profile engine.Profile
	referee dataset.Referee
}

func (c *Config) expect(ctx context.Context, name, tablesDir string) (dataset.Expect, error) {
	v, err := variants.ByName(name)
	if err != nil {
		return dataset.Expect{}, err
	}
	profile, err := engine.ParseProfile(c.Profile)
	if err != nil {
		return dataset.Expect{}, err
	}
	referee, err := c.referee(ctx, v, profile, tablesDir)
	if err != nil {
		return dataset.Expect{}, err
	}
	e := expected{c, v, profile, referee}
	return dataset.Expect{
		Referee: referee,
		Plan:    dataset.Plan{Variant: name, Games: c.Games, ShardGames: c.ShardGames},
		Game:    e.game, Position: e.position,
	}, nil
}

// game compares the row of a game.
func (e expected) game(row *dataset.GameRow) error {
	c := e.cfg
	for _, column := range []struct {
		name       string
		have, want any
	}{
		{"seed", uint64(row.Seed), GameSeed(c.Seed, e.variant.Name, row.Game)},
		{"profile", row.Profile, c.Profile},
		{"ply_limit", int(row.PlyLimit), c.MaxPlies},
		{"engine", row.Engine, c.Engine()},
		{"weights_hash", row.WeightsHash, c.Weights[e.variant.Name].Hash},
	} {
		if column.have != column.want {
			return fmt.Errorf("column %s is %v, the configuration says %v", column.name, column.have, column.want)
		}
	}
	if c.TablePieces == 0 && row.TablePieces != 0 {
		return fmt.Errorf("column table_pieces is %d, the configuration has no endgame tables", row.TablePieces)
	}
	if _, fromFile := c.Openings[e.variant.Name]; fromFile {
		return nil
	}
	return e.opening(row)
}

// opening plays again what follows from the seed alone: the opening, and with
// random players the whole game.
func (e expected) opening(row *dataset.GameRow) error {
	o, table := e.cfg.initial(e.variant), NewTable(e.variant, e.profile, e.cfg.MaxPlies, e.referee)
	if row.Opening != o.ID {
		return fmt.Errorf("column opening is %q, the configuration says %q", row.Opening, o.ID)
	}
	if start := notation.FormatFEN(e.variant, &o.Start); row.StartFEN != start {
		return fmt.Errorf("column start_fen is %q, the configuration says %q", row.StartFEN, start)
	}
	seed := uint64(row.Seed)
	if err := table.open(newRand(seed), o, e.cfg.RandomPlies); err != nil {
		return err
	}
	if n := len(table.game.Moves()); int(row.OpeningPlies) != n {
		return fmt.Errorf("column opening_plies is %d, the seed gives %d", row.OpeningPlies, n)
	}
	if e.cfg.Player.Kind == Random {
		if _, err := table.Play(seed, o, e.cfg.RandomPlies, randomPlayer{}, randomPlayer{}); err != nil {
			return err
		}
	}
	have, p := strings.Fields(row.Moves), o.Start
	for i, m := range table.game.Moves() {
		text := notation.FormatMove(e.variant, &p, m, e.variant.Generate(&p, nil))
		if i >= len(have) || have[i] != text {
			return fmt.Errorf("column moves: ply %d is not %s, as the seed gives", i, text)
		}
		p = p.Make(m)
	}
	return nil
}

// position checks that what the player found is within its limits.
func (e expected) position(g *dataset.GameRow, row *dataset.PositionRow) error {
	player, searched := e.cfg.Player, row.Score != nil || row.WinIn != nil
	const mostWinIn = search.Win - search.MaxEval
	switch {
	case searched != (player.Kind == Search && row.Ply >= g.OpeningPlies):
		return fmt.Errorf("columns score and win_in: a position after the opening has one of them if the engine searches, others none")
	case !searched:
		return nil
	case row.Score != nil && (*row.Score < -search.MaxEval || *row.Score > search.MaxEval):
		return fmt.Errorf("column score is %d, scores are from %d to %d", *row.Score, -search.MaxEval, search.MaxEval)
	case row.WinIn != nil && (*row.WinIn <= -mostWinIn || *row.WinIn >= mostWinIn):
		return fmt.Errorf("column win_in is %d, the longest proven win takes less than %d plies", *row.WinIn, mostWinIn)
	case row.Depth < 0 || int(row.Depth) > maxDepth || player.Depth > 0 && int(row.Depth) > player.Depth:
		return fmt.Errorf("column depth is %d, over the limit of %s", row.Depth, player)
	case row.Nodes < 1:
		return fmt.Errorf("column nodes is %d in a position that was searched", row.Nodes)
	case player.Nodes > 0 && uint64(row.Nodes) > player.Nodes && row.Depth > 0 && row.LegalMoves > 1:
		// Only the first move may take more, which leaves depth 0.
		return fmt.Errorf("column nodes is %d, over the limit of %s", row.Nodes, player)
	}
	return nil
}
