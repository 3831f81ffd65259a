package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
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
		fmt.Sprintf("endgame tables: pieces of the built-in ones (2 or %d; 0 is none), or a `directory` with larger ones (selfplay, study and match take those up to the pieces of which every material is there)", endgame.DefaultPieces))
}

// parseTables reads --tables: a number of pieces of the default tables, or else
// a directory; a directory's number of pieces is 0 here. It does not look at them.
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
// the games; it says on stderr if that leaves larger ones out.
func tablesOfRun(stderr io.Writer, text, out string, profile engine.Profile, games []*engine.Variant) (dir string, pieces int, err error) {
	if dir, pieces, err = parseTables(text); err != nil {
		return dir, pieces, err
	}
	if dir == "" {
		mendDefault(stderr, profile, games, pieces)
		return dir, pieces, nil
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
	pieces, most, err := selfplay.TablesIn(dir, profile, games)
	if err == nil && most > pieces {
		fmt.Fprintf(stderr, "draughtlab: note: of the endgame tables in %s those of up to %d pieces are used; of more, up to %d, not every material of each game is there\n", dir, pieces, most)
	}
	return dir, pieces, err
}

// mendCache removes those planned tables from the user's cache directory that
// are damaged, so that they are made again, and says so on stderr.
func mendCache(stderr io.Writer, v *engine.Variant, plan []endgame.Planned) {
	dir, err := endgame.CacheDir()
	if err != nil {
		return // so there is nothing in it
	}
	bad := endgame.Damaged(dir, v, plan)
	for _, path := range slices.Sorted(maps.Keys(bad)) {
		if os.Remove(path) == nil {
			fmt.Fprintf(stderr, "draughtlab: note: the cache is mended, this file is made again: %s\n", oneLine(bad[path].Error(), nil))
		}
	}
}

// mendDefault mends the tables that endgame.Default gives to games, if any of
// them are asked for.
func mendDefault(stderr io.Writer, profile engine.Profile, games []*engine.Variant, pieces int) {
	if pieces == 0 {
		return
	}
	for _, v := range games {
		mendCache(stderr, v, endgame.Plan(v, endgame.ForProfile(profile), endgame.DefaultPieces))
	}
}

// mendConfigured mends the tables that endgame.Default gives to a run.
func mendConfigured(stderr io.Writer, c selfplay.Config) error {
	profile, err := engine.ParseProfile(c.Profile)
	if err != nil {
		return err
	}
	games, err := variantsNamed(c.Variants)
	if err != nil {
		return err
	}
	mendDefault(stderr, profile, games, c.TablePieces)
	return nil
}

// openReferee returns the endgame tables that --tables asks for, for one game,
// as one who ends drawn games.
func openReferee(ctx context.Context, stderr io.Writer, text string, v *engine.Variant, profile engine.Profile) (dataset.Referee, error) {
	dir, pieces, err := tablesOfRun(stderr, text, "", profile, []*engine.Variant{v})
	if err != nil {
		return dataset.Referee{}, err
	}
	t, err := selfplay.OpenTables(ctx, v, profile, dir, pieces)
	return dataset.Referee{Tables: t, Pieces: pieces}, stoppedAtTables(err)
}

// openAdviser is openReferee for commands that keep no games: from a directory it
// takes all tables, even if not every material of so many pieces is there.
func openAdviser(ctx context.Context, stderr io.Writer, text string, v *engine.Variant, profile engine.Profile) (dataset.Referee, error) {
	dir, pieces, err := parseTables(text)
	if err != nil {
		return dataset.Referee{}, err
	}
	if dir == "" {
		mendDefault(stderr, profile, []*engine.Variant{v}, pieces)
		t, err := selfplay.OpenTables(ctx, v, profile, "", pieces)
		return dataset.Referee{Tables: t, Pieces: pieces}, stoppedAtTables(err)
	}
	t, err := endgame.Open(dir, v, endgame.ForProfile(profile))
	if err != nil {
		return dataset.Referee{}, err
	}
	return dataset.Referee{Tables: t, Pieces: t.MostPieces()}, t.Load(t.MostPieces())
}

// stoppedAtTables says what to do if the error is that endgame tables could not
// be made because the command was stopped.
func stoppedAtTables(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: run the same command again", errInterrupted)
	}
	return err
}
