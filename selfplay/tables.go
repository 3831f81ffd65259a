package selfplay

import (
	"context"
	"fmt"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/export/dataset"
)

// OpenTables returns endgame tables of up to so many pieces for games under a
// profile, in memory, or nil if pieces is 0. They are those in dir or, if dir is
// empty, the default ones, which are built when they are first needed
// (endgame.Default). Those in dir may cover more pieces, but not fewer.
func OpenTables(ctx context.Context, v *engine.Variant, profile engine.Profile, dir string, pieces int) (*endgame.Tables, error) {
	rules := endgame.ForProfile(profile)
	switch {
	case pieces == 0:
		return nil, nil
	case dir == "" && pieces > endgame.DefaultPieces:
		return nil, fmt.Errorf("endgame tables of %d pieces are needed, and of more than %d there are none by default: name the directory that has them with --tables", pieces, endgame.DefaultPieces)
	case dir == "":
		t, err := endgame.Default(ctx, v, rules)
		if err != nil {
			return nil, fmt.Errorf("endgame tables of %s: %w", v.Name, err)
		}
		return t, nil
	}
	t, err := endgame.Open(dir, v, rules)
	if err != nil {
		return nil, err
	}
	if t.Pieces() < pieces {
		return nil, fmt.Errorf("%s has all %s tables of up to %d pieces, %d are needed: name another directory, or make them with: %s",
			dir, v.Name, t.Pieces(), pieces, endgame.BuildCommand(v, rules, fmt.Sprintf("--pieces %d", pieces), dir))
	}
	return t, t.Load(pieces)
}

// TablesIn returns the number of pieces up to which dir has all endgame tables
// of each of the games under a profile, and the greatest number of pieces of any
// of these tables. It fails if it has none of one of them.
func TablesIn(dir string, profile engine.Profile, games []*engine.Variant) (pieces, most int, err error) {
	pieces = endgame.MaxPieces
	for _, v := range games {
		rules := endgame.ForProfile(profile)
		t, err := endgame.Open(dir, v, rules)
		if err != nil {
			return 0, 0, err
		}
		if t.Pieces() == 0 {
			return 0, 0, fmt.Errorf("%s has not all %s tables of any number of pieces: make them with: %s",
				dir, v.Name, endgame.BuildCommand(v, rules, fmt.Sprintf("--pieces %d", endgame.DefaultPieces), dir))
		}
		pieces, most = min(pieces, t.Pieces()), max(most, t.MostPieces())
	}
	return pieces, most, nil
}

// referee returns who ends the games of a variant by endgame tables.
func (c *Config) referee(ctx context.Context, v *engine.Variant, profile engine.Profile, dir string) (dataset.Referee, error) {
	t, err := OpenTables(ctx, v, profile, dir, c.TablePieces)
	return dataset.Referee{Tables: t, Pieces: c.TablePieces, Wins: c.TableWins}, err
}
