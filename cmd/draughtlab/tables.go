package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/spf13/pflag"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// addTablesFlag adds --tables, whose text parseTables reads.
func addTablesFlag(flags *pflag.FlagSet, text *string) {
	flags.StringVar(text, "tables", strconv.Itoa(endgame.DefaultPieces),
		fmt.Sprintf("endgame tables: pieces of the built-in ones (2 or %d; 0 is none), or a `directory` with larger ones", endgame.DefaultPieces))
}

// parseTables reads --tables: a number of pieces of the default tables, or else
// a directory; a directory's number of pieces is 0 here.
func parseTables(text string) (dir string, pieces int, err error) {
	pieces, err = strconv.Atoi(text)
	switch {
	case err != nil:
		return text, 0, nil
	case pieces != 0 && (pieces < 2 || pieces > endgame.DefaultPieces):
		return "", 0, fmt.Errorf("--tables %s: the built-in endgame tables have 2 or %d pieces, 0 is none: name a directory for larger ones (./%s if it is called so)", text, endgame.DefaultPieces, text)
	}
	return "", pieces, nil
}

// tablesOfRun reads --tables for a run in out. From a directory it takes as many
// pieces as the run was begun with, or for a new one all that it has of each of
// the games.
func tablesOfRun(text, out string, profile engine.Profile, games []*engine.Variant) (dir string, pieces int, err error) {
	if dir, pieces, err = parseTables(text); err != nil || dir == "" {
		return dir, pieces, err
	}
	if out != "" {
		old, err := selfplay.ReadConfig(out)
		if err == nil && old.TablePieces > 0 {
			return dir, old.TablePieces, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", 0, err
		}
	}
	pieces, err = selfplay.TablesIn(dir, profile, games)
	return dir, pieces, err
}

// openReferee returns the endgame tables that --tables asks for, for one game,
// as one who ends drawn games.
func openReferee(ctx context.Context, text string, v *engine.Variant, profile engine.Profile) (dataset.Referee, error) {
	dir, pieces, err := tablesOfRun(text, "", profile, []*engine.Variant{v})
	if err != nil {
		return dataset.Referee{}, err
	}
	t, err := selfplay.OpenTables(ctx, v, profile, dir, pieces)
	return dataset.Referee{Tables: t, Pieces: pieces}, err
}
