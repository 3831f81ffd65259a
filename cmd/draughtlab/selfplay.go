package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"draughtlab/engine"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// selfplayFlags are the flags of selfplay before they are made a
// selfplay.Config.
type selfplayFlags struct {
	config                    selfplay.Config
	engine, seed, randomPlies string
	openings, weights         []string
	workers                   int
	tables, out, configFile   string
	shards                    string
	plan, quiet               bool
}

// newSelfplayCommand makes `draughtlab selfplay`.
func newSelfplayCommand() *cobra.Command {
	f := &selfplayFlags{config: selfplay.DefaultConfig()}
	cmd := &cobra.Command{
		Use:   "selfplay --variant V[,V...] --nodes N --out DIR",
		Short: "Play games against itself and keep them in Parquet",
		Long: `Plays games of one or more variants and keeps every position and outcome in
DIR. The games are a function of the settings only, which DIR/config.json keeps:
the number of workers changes nothing, and neither does an interruption. The
same command goes on where it was stopped. The first SIGINT or SIGTERM finishes
the running games, or gives them up if they take more than some seconds (exit
code 75); a second one stops at once. A damaged file in DIR is set aside in
DIR/damaged and made anew. --out alone goes on with the run in DIR. A larger run
needs another seed, or its first games are those of the smaller one.

DIR may be a prefix in a bucket, s3://BUCKET/PREFIX; credentials, region and
endpoint come from the environment as for the AWS tools.

Games are kept shard by shard: until its last game is played, a shard is a
hidden file that stats, verify and export do not count. Fewer --shard-games make
finished games visible sooner.

Several processes, on several machines, can share a run: --plan writes
config.json and tells how many shards there are, --out DIR --shards 0-9 plays
some of them, and --out DIR alone plays what is missing of all, checks what is
there and completes the dataset. "draughtlab submit" has batch systems do so.

--config takes the config.json of another run, to make the same dataset again,
or a TOML file with flags as keys, such as: variant = ["croda"], nodes = 1000.

--openings takes PDN games, a FEN a line, or CSV with the columns id, kind,
moves and fen: kind normal is moves from the initial position, displaced-start
the position fen.

Endgame tables of 3 pieces end a game where they say that it is drawn under its
articles (dead-draw), with --table-wins also where they say who wins
(table-win); the search asks them as well. They are built at first use, in
seconds, and kept in the user's cache. --tables names a directory of larger ones
made by "draughtlab endgame build"; the run takes as many pieces as it has every
material of, in each game, and leaves larger tables out. config.json keeps the
number.`,
		Example: `  draughtlab selfplay --variant croda --games 1000 --nodes 1000 --out runs/croda
  draughtlab selfplay --variant russian --games 200 --depth 6 \
      --openings openings.csv --out runs/ru
  draughtlab selfplay --variant croda,russian,frisian --engine random \
      --games 5000 --out runs/random
  draughtlab selfplay --config runs/croda/config.json --out runs/again`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.register(cmd)
	return cmd
}

func (f *selfplayFlags) register(cmd *cobra.Command) {
	c, flags := &f.config, cmd.Flags()
	flags.StringSliceVar(&c.Variants, "variant", nil, "games to play: "+strings.Join(variants.Names(), ", "))
	flags.Int64Var(&c.Games, "games", 1000, "games of each variant")
	flags.StringVar(&f.engine, "engine", selfplay.Search, "who plays: search, or random")
	flags.Uint64Var(&c.Player.Nodes, "nodes", 0, "search at most so many positions a move")
	flags.IntVar(&c.Player.Depth, "depth", 0, "search at most so many plies deep")
	flags.IntVar(&c.Player.HashEntries, "hash-entries", c.Player.HashEntries, "size of the search's hash table, a power of two (16 bytes each, one table a worker)")
	flags.StringArrayVar(&f.weights, "weights", nil, "evaluation weights, [VARIANT=]FILE; the built-in ones if not given, or untuned")
	flags.StringVar(&f.seed, "seed", "", "run seed, 0 to 2^64-1; drawn and kept in DIR if not given")
	flags.StringVar(&c.Profile, "profile", c.Profile, "draw rules: basic or federation")
	flags.StringVar(&f.randomPlies, "random-plies", "", "random plies at the beginning, N, or MIN-MAX in steps of two (default 6-10, with --openings 0)")
	flags.StringArrayVar(&f.openings, "openings", nil, "openings, [VARIANT=]FILE ending in .pdn, .fen, .txt or .csv")
	flags.IntVar(&c.OpeningPlies, "opening-plies", 0, "take so many plies of each game of a PDN file as an opening (default all)")
	flags.Int64Var(&c.GamesPerOpening, "games-per-opening", c.GamesPerOpening, "games in a row from the same opening of a file")
	addTablesFlag(flags, &f.tables)
	flags.BoolVar(&c.TableWins, "table-wins", false, "end a game, with its outcome, where endgame tables say who wins, too")
	flags.IntVar(&c.MaxPlies, "max-plies", c.MaxPlies, "stop a game, without an outcome, after so many plies")
	flags.Int64Var(&c.ShardGames, "shard-games", c.ShardGames, "games a file")
	flags.IntVar(&f.workers, "workers", 0, "games played at a time (default one a processor)")
	flags.StringVar(&f.out, "out", "", "directory of the run, or s3://BUCKET/PREFIX")
	flags.StringVar(&f.configFile, "config", "", "config.json of a run, or TOML file with these flags as keys; flags given here win over TOML")
	flags.BoolVar(&f.plan, "plan", false, "write DIR/config.json and play nothing")
	flags.StringVar(&f.shards, "shards", "", "play only these shards of the plan, such as 0-3,17")
	flags.BoolVar(&f.quiet, "quiet", false, "tell no progress")
	for flag, values := range map[string][]string{
		"variant": variants.Names(),
		"engine":  {selfplay.Search, selfplay.Random},
		"profile": {engine.Basic.String(), engine.Federation.String()},
	} {
		// It fails only for a flag that is not there.
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

func (f *selfplayFlags) run(cmd *cobra.Command) error {
	stderr := cmd.ErrOrStderr()
	ctx, release := stoppable(cmd.Context(), stderr, "the running games")
	defer release()
	options, err := f.settings(cmd)
	if err != nil {
		return err
	}
	if f.plan {
		if err := f.printPlan(cmd.OutOrStdout()); err != nil {
			return err
		}
		return f.noteRepeats(stderr)
	}
	begun := false
	var meter *progress
	var last selfplay.Progress
	options.Note = func(text string) { fmt.Fprintf(stderr, "selfplay: %s\n", text) }
	options.Progress = func(p selfplay.Progress) {
		last = p
		if p.Checking > 0 && !f.quiet {
			if meter != nil && isTerminal(stderr) {
				fmt.Fprintln(stderr) // a bar stands there
			}
			fmt.Fprintf(stderr, "selfplay: reading %s written before\n", plural(int64(p.Checking), "shard"))
		}
		if !begun {
			begun, meter = true, f.begin(stderr, p)
		}
		meter.setFound(p.Found) // grows when a suspended shard is taken up
		meter.set(p.Games, p.Positions)
	}
	tallies, err := selfplay.Run(ctx, f.out, f.config, options)
	meter.finish()
	switch {
	case errors.Is(err, selfplay.ErrInterrupted) && last.Planned == 0:
		return fmt.Errorf("%w before the first game: run the same command again", errInterrupted)
	case errors.Is(err, selfplay.ErrInterrupted):
		return fmt.Errorf("%w after %d of %d games: run the same command again to go on", errInterrupted, last.Games, last.Planned)
	}
	if err := stoppedAtTables(err); err != nil {
		return err
	}
	if meter == nil && !f.quiet && options.Shards == nil {
		fmt.Fprintf(stderr, "selfplay: %s is complete, nothing was left to play\n", f.out)
	}
	if options.Shards != nil {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "shards %s of %d: %d games done\n",
			selfplay.FormatShards(options.Shards), f.config.PlanSize(), last.Games)
		return err
	}
	for _, t := range tallies {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %d games: White %d, draws %d, Black %d, unfinished %d; %d positions\n",
			t.Variant, t.Games, t.WhiteWins, t.Draws, t.BlackWins, t.Unfinished, t.Positions)
		if err != nil {
			return fmt.Errorf("all games are in %s, but the summary cannot be written: %w", f.out, err)
		}
	}
	return nil
}

// settings makes the flags, and the config they name, a config and options.
func (f *selfplayFlags) settings(cmd *cobra.Command) (options selfplay.Options, err error) {
	complete := f.complete
	own, err := f.ownConfig(cmd)
	if err != nil {
		return options, err
	}
	if own || cmd.Flags().Changed("config") {
		text, err := dataset.ReadFile(f.configFile, maxSettings)
		if err != nil {
			return options, err
		}
		// JSON begins with a brace, which TOML never does: config.json may have
		// another name by now.
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || filepath.Base(f.configFile) == dataset.ConfigFile {
			complete = func(cmd *cobra.Command) (selfplay.Options, error) { return f.again(cmd, text) }
		} else if err := applyConfigFile(cmd, f.configFile, text); err != nil {
			return options, err
		}
	}
	if f.out == "" {
		return options, errors.New("no --out: name the directory of the run")
	}
	if options, err = complete(cmd); err != nil || f.shards == "" {
		return options, err
	}
	if options.Shards, err = selfplay.ParseShards(f.shards, f.config.PlanSize()); err != nil {
		return options, fmt.Errorf("--%w", err)
	}
	return options, nil
}

// printPlan begins a run without playing and tells of its shards.
func (f *selfplayFlags) printPlan(out io.Writer) error {
	if f.shards != "" {
		return errors.New("--plan with --shards: --plan plays nothing; leave one of them out")
	}
	if err := f.config.Claim(f.out); err != nil {
		return err
	}
	n := f.config.PlanSize()
	_, err := fmt.Fprintf(out, "%s: %s, 0-%d: %d games each of %s, %d games a shard; seed %d\n", dataset.Join(f.out, dataset.ConfigFile),
		plural(int64(n), "shard"), n-1, f.config.Games, strings.Join(f.config.Variants, ", "), f.config.ShardGames, f.config.Seed)
	return err
}

// noteRepeats tells where so many openings repeat each other that a good part
// of the games will be the same.
func (f *selfplayFlags) noteRepeats(stderr io.Writer) error {
	const many = 0.05
	repeats, err := f.config.OpeningRepeats()
	if err != nil || f.quiet {
		return err
	}
	for _, r := range repeats {
		if share := float64(r.Repeated) / float64(r.Games); share > many {
			fmt.Fprintf(stderr, "selfplay: note: of the first %d of %d openings of %s %.0f %% repeat another, and equal openings give equal games, which add nothing; the more games, the more repeats: raise --random-plies\n",
				r.Games, f.config.Games, r.Variant, 100*share)
		}
	}
	return nil
}

// ownConfig takes the config of the run in --out if there is one and no other
// games are asked for, so that --out alone goes on with it.
func (f *selfplayFlags) ownConfig(cmd *cobra.Command) (bool, error) {
	if f.out == "" || cmd.Flags().Changed("config") || cmd.Flags().Changed("variant") {
		return false, nil
	}
	held, err := dataset.Holds(f.out, dataset.ConfigFile)
	if err != nil || !held {
		return false, err
	}
	f.configFile = dataset.Join(f.out, dataset.ConfigFile)
	return true, nil
}

// begin tells what is about to happen and returns what tells the rest.
func (f *selfplayFlags) begin(stderr io.Writer, p selfplay.Progress) *progress {
	if f.quiet {
		return nil
	}
	fmt.Fprintf(stderr, "selfplay: seed %d\n", f.config.Seed)
	if p.Games == p.Planned {
		return nil
	}
	if p.Found == 0 && f.shards == "" {
		_ = f.noteRepeats(stderr) // an error meets whoever plays the games
	}
	return newProgress(stderr, f.quiet, "selfplay", "games", "positions", p.Found, p.Planned)
}

// complete makes the flags a whole config, and returns the options that are not
// part of it.
func (f *selfplayFlags) complete(cmd *cobra.Command) (selfplay.Options, error) {
	var o selfplay.Options
	c, given := &f.config, cmd.Flags().Changed
	var err error
	if c.Variants, err = selfplay.OrderVariants(c.Variants); err != nil {
		return o, err
	}
	if o.Workers = f.workers; given("workers") && f.workers < 1 {
		return o, fmt.Errorf("--workers %d: it takes 1 to %d", f.workers, selfplay.MaxWorkers)
	}
	for _, flag := range []string{"seed", "random-plies"} {
		if given(flag) && cmd.Flags().Lookup(flag).Value.String() == "" {
			return o, fmt.Errorf("--%s has an empty value: give one, or leave the flag out", flag)
		}
	}
	for _, flag := range []string{"nodes", "depth"} {
		if given(flag) && cmd.Flags().Lookup(flag).Value.String() == "0" {
			return o, fmt.Errorf("--%s 0 is no limit: give 1 or more, or leave it out", flag)
		}
	}
	c.Player.Kind = f.engine
	if f.engine == selfplay.Random {
		if given("hash-entries") {
			return o, errors.New("--hash-entries with --engine random: a random player has no hash table")
		}
		c.Player.HashEntries = 0
	}
	if f.randomPlies != "" {
		if c.RandomPlies, err = parseRange(f.randomPlies); err != nil {
			return o, err
		}
	} else if len(f.openings) > 0 {
		c.RandomPlies = selfplay.Range{}
	}
	if o.OpeningPaths, err = f.byVariant("openings", f.openings); err != nil {
		return o, err
	}
	if o.WeightsPaths, err = f.byVariant("weights", f.weights); err != nil {
		return o, err
	}
	if o.TablesDir, err = f.takeTables(cmd.ErrOrStderr()); err != nil {
		return o, err
	}
	if err := f.nameFiles(o); err != nil {
		return o, err
	}
	if c.Seed, err = f.runSeed(); err != nil {
		return o, err
	}
	return o, c.Validate()
}

// takeTables puts the number of pieces of the endgame tables into the config and
// returns their directory, which is empty for the default ones.
func (f *selfplayFlags) takeTables(stderr io.Writer) (dir string, err error) {
	profile, err := engine.ParseProfile(f.config.Profile)
	if err != nil {
		return "", err
	}
	games, err := variantsNamed(f.config.Variants)
	if err != nil {
		return "", err
	}
	dir, f.config.TablePieces, err = tablesOfRun(stderr, f.tables, f.out, profile, games)
	return dir, err
}

// again takes the text of another run's config as it is. Only flags that decide
// nothing about the games, or where their files are, may stand beside it.
func (f *selfplayFlags) again(cmd *cobra.Command, text []byte) (o selfplay.Options, err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains([]string{"config", "out", "workers", "quiet", "openings", "weights", "tables", "shards", "plan"}, flag.Name) {
			err = fmt.Errorf("--%s with --config %s: that run's settings decide it; leave one of them out", flag.Name, f.configFile)
		}
	})
	if err != nil {
		return o, err
	}
	if f.config, err = selfplay.ParseConfig(f.configFile, text); err != nil {
		return o, err
	}
	if o.Workers = f.workers; cmd.Flags().Changed("workers") && f.workers < 1 {
		return o, fmt.Errorf("--workers %d: it takes 1 to %d", f.workers, selfplay.MaxWorkers)
	}
	if o.OpeningPaths, err = f.byVariant("openings", f.openings); err != nil {
		return o, err
	}
	if o.WeightsPaths, err = f.byVariant("weights", f.weights); err != nil {
		return o, err
	}
	if !cmd.Flags().Changed("tables") {
		return o, mendConfigured(cmd.ErrOrStderr(), f.config)
	}
	dir, pieces, err := parseTables(f.tables)
	if err == nil && dir == "" && pieces != f.config.TablePieces {
		err = fmt.Errorf("--tables %s with --config %s: that run has tables of %d pieces; name their directory or leave the flag out", f.tables, f.configFile, f.config.TablePieces)
	}
	if err == nil && dir == "" {
		err = mendConfigured(cmd.ErrOrStderr(), f.config)
	}
	o.TablesDir = dir
	return o, err
}

// nameFiles puts the files the games depend on into the config.
func (f *selfplayFlags) nameFiles(o selfplay.Options) (err error) {
	c := &f.config
	c.Openings, c.Weights = map[string]selfplay.FileRef{}, map[string]selfplay.WeightsRef{}
	for name, path := range o.OpeningPaths {
		if c.Openings[name], err = selfplay.NewFileRef(path); err != nil {
			return err
		}
	}
	if c.Player.Kind == selfplay.Random {
		if len(f.weights) > 0 {
			return errors.New("--weights with --engine random: a random player has none")
		}
		return nil
	}
	for _, name := range c.Variants {
		v, err := variants.ByName(name)
		if err != nil {
			return err
		}
		if c.Weights[name], err = selfplay.NewWeightsRef(v, o.WeightsPaths[name]); err != nil {
			return err
		}
	}
	return nil
}

// runSeed returns the seed that was given, else that of the run in the
// directory, else a new one.
func (f *selfplayFlags) runSeed() (uint64, error) {
	if f.seed != "" {
		seed, err := strconv.ParseUint(f.seed, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("--seed %q: it takes a whole number from 0 to 2^64-1", f.seed)
		}
		return seed, nil
	}
	old, err := selfplay.ReadConfig(f.out)
	if errors.Is(err, fs.ErrNotExist) {
		return selfplay.NewSeed(), nil
	}
	return old.Seed, err
}

// byVariant reads [VARIANT=]FILE values; the variant may be left out where only
// one is played.
func (f *selfplayFlags) byVariant(flag string, values []string) (map[string]string, error) {
	paths := map[string]string{}
	for _, value := range values {
		name, path, ok := strings.Cut(value, "=")
		if !ok || !slices.Contains(variants.Names(), name) {
			if err := unknownGame(name, value, ok); err != nil {
				return nil, fmt.Errorf("--%s %s: %w", flag, value, err)
			}
			if len(f.config.Variants) != 1 {
				return nil, fmt.Errorf("--%s %s: several variants are played: write VARIANT=%s", flag, value, value)
			}
			name, path = f.config.Variants[0], value
		}
		if !slices.Contains(f.config.Variants, name) {
			return nil, fmt.Errorf("--%s %s: %s is not played", flag, value, name)
		}
		if path == "" {
			return nil, fmt.Errorf("--%s %s: no file", flag, value)
		}
		if paths[name] != "" {
			return nil, fmt.Errorf("--%s %s: %s has %s already", flag, value, name, paths[name])
		}
		paths[name] = path
	}
	return paths, nil
}

// unknownGame tells a [VARIANT=]FILE value with an unknown game from a file that
// has an equals sign in its name, which is there or has a directory before it.
func unknownGame(name, value string, hasName bool) error {
	if !hasName || strings.ContainsRune(name, filepath.Separator) {
		return nil
	}
	if _, err := os.Lstat(value); err == nil {
		return nil
	}
	_, err := variants.ByName(name)
	return err
}

// parseRange reads "6" or "4-8".
func parseRange(text string) (selfplay.Range, error) {
	low, high, two := strings.Cut(text, "-")
	if !two {
		high = low
	}
	a, errA := strconv.Atoi(low)
	b, errB := strconv.Atoi(high)
	if errA != nil || errB != nil {
		return selfplay.Range{}, fmt.Errorf("--random-plies %q: it takes a number of plies or a range such as 4-8", text)
	}
	return selfplay.Range{Min: a, Max: b}, nil
}
