package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/variants"
	"draughtlab/selfplay"
	"draughtlab/selfplay/match"
)

// How many games a match has at most where --games does not say.
const (
	defaultMatchGames = 400
	defaultSPRTGames  = 100_000
)

// matchFlags are the flags of match before they are made match.Settings.
type matchFlags struct {
	variant, profile            string
	common                      engineSpec // limits of engines that have none
	games                       int
	sprt                        string
	alpha, beta                 float64
	openings, randomPlies, seed string
	openingPlies, maxPlies      int
	workers                     int
	tables, out                 string
	json, quiet                 bool
}

// newMatchCommand makes `draughtlab match`.
func newMatchCommand() *cobra.Command {
	f := &matchFlags{}
	cmd := &cobra.Command{
		Use:   "match A B --variant V",
		Short: "Play two engines against each other: score, Elo, SPRT",
		Long: `Plays pairs of games from the same openings with colours exchanged and tells
what A scored against B, with an Elo difference whose interval comes from the
pairs. With --sprt it stops as soon as a sequential test has decided. Games the
program stopped count as nothing.

A and B are each one of
  default           the search with its built-in weights
  untuned           the search with the weights all tuning starts from
  random            random moves
  FILE              the search with the weights in FILE
  FILE.toml         a file with the keys below
  KEY=VALUE,...     the keys below
Keys are weights (a file, default or untuned), nodes, depth, time (a move, such
as 50ms), hash (entries) and off (techniques of the search that are switched
off, with + between them). An engine without nodes, depth and time takes those
of the flags. A limit of time makes a match that cannot be repeated exactly.

With --out every pair is kept in FILE, a JSON line each behind one of settings,
and the same command goes on where it was stopped. The number of workers
changes nothing. Endgame tables end games that they say are drawn, and both
searches ask them.`,
		Example: `  draughtlab match tuned.json default --variant croda --nodes 1000
  draughtlab match default off=lmr --variant russian --nodes 5000 --sprt 0,10 \
    --out lmr.jsonl
  draughtlab match nodes=2000 nodes=1000 --variant frisian --games 200 --json
  draughtlab match new.json old.json --variant croda --time 20ms --games 1000`,
		Args: takeTwoEngines,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1]) },
	}
	f.register(cmd)
	return cmd
}

func takeTwoEngines(_ *cobra.Command, args []string) error {
	const want = "match takes two engines, A and B"
	switch len(args) {
	case 0:
		return argumentError(want)
	case 2:
		return nil
	}
	return argumentError(want + ", not " + argumentsText(args))
}

func (f *matchFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.variant, "variant", "", "game: "+strings.Join(variants.Names(), ", "))
	flags.StringVar(&f.profile, "profile", engine.Basic.String(), "draw rules: basic or federation")
	flags.Uint64Var(&f.common.nodes, "nodes", 0, "search at most so many positions a move")
	flags.IntVar(&f.common.depth, "depth", 0, "search at most so many plies deep")
	flags.DurationVar(&f.common.time, "time", 0, "search at most so long a move, such as 50ms")
	flags.IntVar(&f.games, "games", 0, fmt.Sprintf("games, an even number; with --sprt the most (default %d, with --sprt %d)", defaultMatchGames, defaultSPRTGames))
	flags.StringVar(&f.sprt, "sprt", "", "`ELO0,ELO1`: stop when the test of these two differences has decided")
	flags.Float64Var(&f.alpha, "alpha", 0.05, "probability to accept ELO1 where ELO0 is right")
	flags.Float64Var(&f.beta, "beta", 0.05, "probability to accept ELO0 where ELO1 is right")
	flags.StringVar(&f.openings, "openings", "", "`file` of openings that ends in .pdn, .fen, .txt or .csv")
	flags.IntVar(&f.openingPlies, "opening-plies", 0, "take so many plies of each game of a PDN file as an opening (default all)")
	flags.StringVar(&f.randomPlies, "random-plies", "", "random plies at the beginning, N, or MIN-MAX in steps of two (default 6-10, with --openings 0)")
	flags.StringVar(&f.seed, "seed", "", "seed, 0 to 2^64-1; drawn, told and kept in FILE if not given")
	flags.IntVar(&f.maxPlies, "max-plies", selfplay.DefaultConfig().MaxPlies, "stop a game, without an outcome, after so many plies")
	flags.IntVar(&f.workers, "workers", 0, "pairs played at a time (default one a processor)")
	addTablesFlag(flags, &f.tables)
	flags.StringVar(&f.out, "out", "", "keep the pairs in this `file`, and go on with it")
	flags.BoolVar(&f.json, "json", false, "print the result as one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "tell no progress")
	requireVariant(cmd)
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{engine.Basic.String(), engine.Federation.String()}, cobra.ShellCompDirectiveNoFileComp))
}

func (f *matchFlags) run(cmd *cobra.Command, a, b string) error {
	s, err := f.settings(cmd, a, b)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("workers") && f.workers < 1 {
		return fmt.Errorf("--workers %d: it takes 1 to %d", f.workers, selfplay.MaxWorkers)
	}
	o := match.Options{Workers: f.workers, File: f.out}
	if o.Workers == 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), selfplay.MaxWorkers)
	}
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	ctx, release := stoppable(cmd.Context(), stderr, "the running pairs")
	defer release()
	meter := &matchMeter{flags: f, settings: &s, stderr: stderr}
	o.Progress = meter.set
	r, err := match.Play(ctx, s, o)
	meter.finish()
	if other := (*match.OtherMatchError)(nil); errors.As(err, &other) {
		return otherMatch(other)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	report := newMatchReport(&s, r, a, b)
	switch {
	case err == nil:
		return report.write(stdout, f.json)
	case f.out != "":
		return fmt.Errorf("%w after %d of %d pairs (%s): run the same command again to go on", errInterrupted, r.Played(), s.Pairs, wonDrawnLost(r))
	}
	if err := report.write(stdout, f.json); err != nil {
		return err
	}
	return fmt.Errorf("stopped after %d of %d pairs, and without --out nothing was kept", r.Played(), s.Pairs)
}

// matchMeter tells of a match on stderr.
type matchMeter struct {
	flags    *matchFlags
	settings *match.Settings
	stderr   io.Writer
	begun    bool
	bar      *progress
}

// set is told how the match stands, first at its beginning.
func (m *matchMeter) set(r match.Result) {
	if m.flags.quiet {
		return
	}
	if !m.begun {
		m.begun = true
		fmt.Fprintf(m.stderr, "match: seed %d\n", m.settings.Seed)
		if m.settings.Finished(r) {
			fmt.Fprintf(m.stderr, "match: %s is complete, nothing is left to play\n", m.flags.out)
			return
		}
		m.bar = newProgress(m.stderr, false, "match", "pairs", "", int64(r.Played()), int64(m.settings.Pairs))
	}
	if m.bar == nil {
		return
	}
	m.bar.label = "match " + wonDrawnLost(r)
	if t := m.settings.SPRT; t != nil {
		m.bar.label += fmt.Sprintf(" LLR %.2f", t.LLR(r.Pairs))
	}
	m.bar.set(int64(r.Played()), 0)
}

func (m *matchMeter) finish() { m.bar.finish() }

func wonDrawnLost(r match.Result) string {
	return fmt.Sprintf("+%d =%d -%d", r.Wins, r.Draws, r.Losses)
}

// settings makes the flags the settings of a match.
func (f *matchFlags) settings(cmd *cobra.Command, a, b string) (s match.Settings, err error) {
	given := cmd.Flags().Changed
	if s.Variant, err = variants.ByName(f.variant); err != nil {
		return s, err
	}
	if s.Profile, err = engine.ParseProfile(f.profile); err != nil {
		return s, err
	}
	for _, flag := range []string{"nodes", "depth", "time"} {
		if text := cmd.Flags().Lookup(flag).Value.String(); given(flag) && (text == "0" || text == "0s") {
			return s, fmt.Errorf("--%s 0 is no limit: give more, or leave it out", flag)
		}
	}
	if s.A, err = newMatchEngine(s.Variant, a, f.common); err != nil {
		return s, fmt.Errorf("engine A, %s: %w", a, err)
	}
	if s.B, err = newMatchEngine(s.Variant, b, f.common); err != nil {
		return s, fmt.Errorf("engine B, %s: %w", b, err)
	}
	if s.Referee, err = openReferee(cmd.Context(), cmd.ErrOrStderr(), f.tables, s.Variant, s.Profile); err != nil {
		return s, err
	}
	if s.SPRT, err = f.test(cmd); err != nil {
		return s, err
	}
	if err := f.begin(cmd, &s); err != nil {
		return s, err
	}
	if s.Pairs, err = f.pairs(cmd, &s); err != nil {
		return s, err
	}
	if s.Seed, err = f.matchSeed(); err != nil {
		return s, err
	}
	if s.MaxPlies = f.maxPlies; f.maxPlies < 1 {
		return s, fmt.Errorf("--max-plies %d: it takes 1 or more", f.maxPlies)
	}
	return s, s.Validate()
}

// test returns the SPRT that is asked for, or nil.
func (f *matchFlags) test(cmd *cobra.Command) (*match.SPRT, error) {
	if !cmd.Flags().Changed("sprt") {
		for _, flag := range []string{"alpha", "beta"} {
			if cmd.Flags().Changed(flag) {
				return nil, fmt.Errorf("--%s without --sprt: give the two differences to be told apart", flag)
			}
		}
		return nil, nil
	}
	low, high, _ := strings.Cut(f.sprt, ",")
	elo0, err0 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	elo1, err1 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if err0 != nil || err1 != nil {
		return nil, fmt.Errorf("--sprt %q: it takes two Elo differences such as 0,5", f.sprt)
	}
	t := &match.SPRT{Elo0: elo0, Elo1: elo1, Alpha: f.alpha, Beta: f.beta}
	return t, t.Validate()
}

// begin puts into the settings how the games begin.
func (f *matchFlags) begin(cmd *cobra.Command, s *match.Settings) (err error) {
	if f.openings != "" {
		data, err := os.ReadFile(f.openings)
		if err != nil {
			return err
		}
		if s.Openings, err = selfplay.ReadOpenings(s.Variant, s.Profile, f.openings, data, f.openingPlies); err != nil {
			return err
		}
	} else if cmd.Flags().Changed("opening-plies") {
		return errors.New("--opening-plies without --openings: name a file or leave the number out")
	}
	switch {
	case f.randomPlies != "":
		s.RandomPlies, err = parseRange(f.randomPlies)
	case f.openings == "":
		s.RandomPlies = selfplay.DefaultConfig().RandomPlies
	}
	return err
}

// pairs returns the number of pairs that --games stands for.
func (f *matchFlags) pairs(cmd *cobra.Command, s *match.Settings) (int, error) {
	if cmd.Flags().Changed("games") {
		if f.games < 2 || f.games%2 != 0 {
			return 0, fmt.Errorf("--games %d: games are played in pairs, give an even number from 2", f.games)
		}
		return f.games / 2, nil
	}
	pairs := defaultMatchGames / 2
	if s.SPRT != nil {
		pairs = defaultSPRTGames / 2
	}
	if len(s.Openings) > 0 && s.RandomPlies.Max == 0 { // each opening once
		pairs = min(pairs, len(s.Openings))
	}
	return pairs, nil
}

// matchSeed returns the seed that was given, else that of the file the match
// goes on with, else a new one.
func (f *matchFlags) matchSeed() (uint64, error) {
	if f.seed != "" {
		seed, err := strconv.ParseUint(f.seed, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("--seed %q: it takes a whole number from 0 to 2^64-1", f.seed)
		}
		return seed, nil
	}
	if f.out == "" {
		return selfplay.NewSeed(), nil
	}
	seed, err := match.SeedOf(f.out)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.EOF) { // none, or killed before its first line was whole
		return selfplay.NewSeed(), nil
	}
	return seed, err
}
