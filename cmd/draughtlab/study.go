package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
	"draughtlab/export/drawrate"
	"draughtlab/selfplay"
	"draughtlab/selfplay/match"
	"draughtlab/tune"
)

// preset is the size of a study.
type preset struct {
	about      string
	games      int64  // of each variant
	nodes      uint64 // a move
	shardGames int64
	pairs      int // of the match tuned against untuned
}

var presets = map[string]preset{
	"tiny":  {"120 games a variant, seconds: to try things out", 120, 150, 60, 10},
	"quick": {"1,000 games a variant, about two minutes on two cores", 1000, 1000, 250, 100},
	"long":  {"50,000 games a variant at 2,000 nodes a move, a few hours", 50000, 2000, 1000, 1000},
}

func presetNames() []string {
	names := []string{}
	for name := range presets {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return int(presets[a].games - presets[b].games) })
	return names
}

// study is the whole pipeline in one directory. Each step leaves files that
// say what they were made from; a step whose files are there and fit is not
// done again.
type study struct {
	preset  string
	out     string
	seed    uint64
	profile string
	tables  string
	workers int
	quiet   bool

	stdout, stderr io.Writer

	tablesDir string // of the endgame tables; empty for the default ones
}

func newStudyCommand() *cobra.Command {
	s := study{}
	var sizes strings.Builder
	for _, name := range presetNames() {
		fmt.Fprintf(&sizes, "  %-6s %s\n", name, presets[name].about)
	}
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Play, verify, tune, compare and report in one directory",
		Long: `Runs the whole pipeline for all three games: plays them, writes and verifies
the dataset, tunes evaluation weights from it, plays tuned against untuned
weights, and ends with a table of draw rates and an HTML report. Run it again
to go on where it stopped; a study that is complete is only shown again.

Presets:
` + sizes.String(),
		Example: "  draughtlab study --preset quick --out runs/quick",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.stdout, s.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return s.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.preset, "preset", "quick", "size of the study: "+strings.Join(presetNames(), ", "))
	f.StringVar(&s.out, "out", "", "`directory` of the study (required)")
	f.Uint64Var(&s.seed, "seed", 1, "seed of all games")
	f.StringVar(&s.profile, "profile", "basic", "draw articles in force: basic or federation")
	addTablesFlag(f, &s.tables)
	f.IntVar(&s.workers, "workers", 0, "games played at a time; 0 is one a processor")
	f.BoolVar(&s.quiet, "quiet", false, "no progress on stderr")
	_ = cmd.MarkFlagRequired("out")
	_ = cmd.RegisterFlagCompletionFunc("preset", cobra.FixedCompletions(presetNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{"basic", "federation"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (s *study) run(parent context.Context) error {
	if s.out == "" {
		return errors.New("no --out: name the directory of the study")
	}
	if dataset.InBucket(s.out) {
		return fmt.Errorf("--out %s: a study is made in a directory; selfplay can write into a bucket", s.out)
	}
	size, ok := presets[s.preset]
	if !ok {
		return fmt.Errorf("unknown preset %q: use %s", s.preset, strings.Join(presetNames(), ", "))
	}
	if s.workers < 0 || s.workers > selfplay.MaxWorkers {
		return fmt.Errorf("--workers %d: it takes 0 to %d", s.workers, selfplay.MaxWorkers)
	}
	if s.workers == 0 {
		s.workers = min(runtime.GOMAXPROCS(0), selfplay.MaxWorkers)
	}
	cfg, err := s.config(size)
	if err != nil {
		return err
	}
	ctx, release := stoppable(parent, s.stderr, "the running games")
	defer release()
	err = s.steps(ctx, size, cfg)
	if ctx.Err() != nil && (errors.Is(err, selfplay.ErrInterrupted) || errors.Is(err, ctx.Err())) {
		return fmt.Errorf("%w: run the same command again to go on in %s", errInterrupted, s.out)
	}
	return err
}

func (s *study) config(size preset) (selfplay.Config, error) {
	cfg := selfplay.DefaultConfig()
	cfg.Variants = variants.Names()
	cfg.Profile = s.profile
	cfg.Games, cfg.ShardGames = size.games, size.shardGames
	cfg.Seed = s.seed
	cfg.Player.Nodes = size.nodes
	profile, err := engine.ParseProfile(s.profile)
	if err != nil {
		return cfg, err
	}
	if s.tablesDir, cfg.TablePieces, err = tablesOfRun(s.stderr, s.tables, s.out, profile, variants.All()); err != nil {
		return cfg, err
	}
	cfg.Weights = map[string]selfplay.WeightsRef{}
	for _, v := range variants.All() {
		ref, err := selfplay.NewWeightsRef(v, "")
		if err != nil {
			return cfg, err
		}
		cfg.Weights[v.Name] = ref
	}
	return cfg, cfg.Validate()
}

// steps does what is missing and shows the result.
func (s *study) steps(ctx context.Context, size preset, cfg selfplay.Config) error {
	fresh, err := s.play(ctx, cfg)
	if err != nil {
		return err
	}
	if err := s.verify(ctx); err != nil {
		return err
	}
	content, err := dataset.Hash(ctx, s.out)
	if err != nil {
		return err
	}
	parts := reportParts{cfg: cfg, content: content}
	for _, v := range variants.All() {
		tuned, again, err := s.tune(ctx, v, content)
		if err != nil {
			return err
		}
		fresh = fresh || again
		played, again, err := s.match(ctx, v, cfg, size.pairs, tuned)
		if err != nil {
			return err
		}
		fresh = fresh || again
		parts.tuned, parts.matches = append(parts.tuned, tuned), append(parts.matches, played)
	}
	return s.report(parts, fresh)
}

// say tells on stderr what the study is doing.
func (s *study) say(format string, args ...any) {
	if !s.quiet {
		fmt.Fprintf(s.stderr, format+"\n", args...)
	}
}

// play plays what is missing of the dataset and reports whether that was
// anything.
func (s *study) play(ctx context.Context, cfg selfplay.Config) (fresh bool, err error) {
	var bar *progress
	tallies, err := selfplay.Run(ctx, s.out, cfg, selfplay.Options{
		Workers: s.workers, TablesDir: s.tablesDir,
		Progress: func(p selfplay.Progress) {
			if p.Found == p.Planned {
				return
			}
			if bar == nil {
				bar = newProgress(s.stderr, s.quiet, "self-play", "games", "positions", p.Found, p.Planned)
			}
			fresh = true
			bar.set(p.Games, p.Positions)
		},
	})
	bar.finish()
	if err != nil {
		return fresh, err
	}
	var games, positions int64
	for _, t := range tallies {
		games, positions = games+t.Games, positions+t.Positions
	}
	s.say("dataset: %d games, %d positions in %s", games, positions, s.out)
	return fresh, nil
}

func (s *study) verify(ctx context.Context) error {
	s.say("verify: replaying every game")
	report, err := selfplay.Verify(ctx, s.out, s.tablesDir, nil)
	if err != nil {
		return err
	}
	if len(report.Problems) > 0 {
		return fmt.Errorf("%s: the dataset does not hold (%s): %s", s.out, plural(int64(len(report.Problems)), "problem"), report.Problems[0])
	}
	return nil
}

// file returns the path of a file of the study.
func (s *study) file(elements ...string) string {
	return filepath.Join(append([]string{s.out}, elements...)...)
}

// tune returns the tuning of one game from the dataset, made again unless the
// one on disk is from these very positions.
func (s *study) tune(ctx context.Context, v *engine.Variant, content string) (r *tune.Result, fresh bool, err error) {
	resultPath, weightsPath := s.file("tune", v.Name+".json"), s.file("weights", v.Name+".json")
	start := eval.Untuned(v)
	options := tune.DefaultOptions()
	var old tune.Result
	if readJSON(resultPath, &old) == nil && old.Dataset == content && old.Start == start.Hash() && old.Options == options {
		if w, err := readWeights(weightsPath, v); err == nil && w.Hash() == old.Tuned {
			return &old, false, s.draw(&old)
		}
	}
	s.say("tune: %s", v.Name)
	options.Workers = s.workers
	r, err = tune.Run(ctx, s.out, v, start, options, nil)
	if err != nil {
		return nil, false, err
	}
	var weights bytes.Buffer
	if err := r.TunedWeights().Write(&weights); err != nil {
		return nil, false, err
	}
	for _, dir := range []string{"tune", "weights"} {
		if err := os.MkdirAll(s.file(dir), 0o755); err != nil {
			return nil, false, err
		}
	}
	if err := dataset.WriteFile(weightsPath, weights.Bytes()); err != nil {
		return nil, false, err
	}
	if err := s.draw(r); err != nil {
		return nil, false, err
	}
	return r, true, writeJSON(resultPath, r)
}

// draw draws the loss curve of a tuning unless it is there as it should be.
func (s *study) draw(r *tune.Result) error {
	var curve bytes.Buffer
	if err := r.WriteSVG(&curve); err != nil {
		return err
	}
	path := s.file("tune", r.Variant+".svg")
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, curve.Bytes()) {
		return nil
	}
	return dataset.WriteFile(path, curve.Bytes())
}

// playedMatch is a match file: tuned weights (A) against the untuned ones (B),
// counts from A's view.
type playedMatch struct {
	Variant string `json:"variant"`
	A       string `json:"a_weights"`
	B       string `json:"b_weights"`
	Engine  string `json:"engine"`
	Seed    uint64 `json:"seed,string"`
	Wanted  int    `json:"pairs_wanted"`
	match.Result
	// Elo is A's advantage with its 95 % interval, from the pairs; null where
	// it is not finite.
	Elo     *float64 `json:"elo"`
	EloLow  *float64 `json:"elo_low"`
	EloHigh *float64 `json:"elo_high"`
}

// match returns the match of one game, played again unless the one on disk is
// of the same weights and settings.
func (s *study) match(ctx context.Context, v *engine.Variant, cfg selfplay.Config, pairs int, tuned *tune.Result) (m *playedMatch, fresh bool, err error) {
	path := s.file("match", v.Name+".json")
	want := playedMatch{
		Variant: v.Name, A: tuned.Tuned, B: tuned.Start, Engine: cfg.Engine(), Seed: cfg.Seed + 1, Wanted: pairs,
	}
	var old playedMatch
	if readJSON(path, &old) == nil {
		same := old
		same.Result, same.Elo, same.EloLow, same.EloHigh = match.Result{}, nil, nil, nil
		if same == want {
			return &old, false, nil
		}
	}
	weights, err := readWeights(s.file("weights", v.Name+".json"), v)
	if err != nil {
		return nil, false, err
	}
	profile, err := engine.ParseProfile(cfg.Profile)
	if err != nil {
		return nil, false, err
	}
	tables, err := selfplay.OpenTables(ctx, v, profile, s.tablesDir, cfg.TablePieces)
	if err != nil {
		return nil, false, err
	}
	bar := newProgress(s.stderr, s.quiet, "match "+v.Name, "pairs", "", 0, int64(pairs))
	want.Result, err = match.Play(ctx, match.Settings{
		Variant: v, Profile: profile,
		A: match.Engine{PlayerConfig: cfg.Player, Weights: weights}, B: match.Engine{PlayerConfig: cfg.Player, Weights: eval.Untuned(v), WeightsName: "untuned"},
		Pairs: pairs, Seed: want.Seed, RandomPlies: cfg.RandomPlies, MaxPlies: cfg.MaxPlies,
		Referee: dataset.Referee{Tables: tables, Pieces: cfg.TablePieces},
	}, match.Options{Workers: s.workers, Progress: func(r match.Result) { bar.set(int64(r.Played()), 0) }})
	bar.finish()
	if err != nil {
		return nil, false, err
	}
	elo, low, high := want.Pairs.Elo(z95)
	want.Elo, want.EloLow, want.EloHigh = finite(elo), finite(low), finite(high)
	if err := os.MkdirAll(s.file("match"), 0o755); err != nil {
		return nil, false, err
	}
	return &want, true, writeJSON(path, want)
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// report writes stats.json and report.html and prints the table.
func (s *study) report(parts reportParts, fresh bool) error {
	var tally drawrate.Tally
	if err := countDataset(&tally, io.Discard, s.stderr, s.out); err != nil {
		return err
	}
	report, err := tally.Report(drawrate.Options{Seed: 1, Order: variants.Names()})
	if err != nil {
		return err
	}
	sections, err := parts.sections()
	if err != nil {
		return err
	}
	var stats, page bytes.Buffer
	if err := drawrate.WriteJSON(&stats, report); err != nil {
		return err
	}
	if err := drawrate.WriteHTML(&page, report, "How drawish are Croda, Russian and Frisian draughts?", sections...); err != nil {
		return err
	}
	if err := dataset.WriteFile(s.file("stats.json"), stats.Bytes()); err != nil {
		return err
	}
	if err := dataset.WriteFile(s.file("report.html"), page.Bytes()); err != nil {
		return err
	}
	if err := drawrate.WriteText(s.stdout, report); err != nil {
		return err
	}
	if err := parts.writeMatches(s.stdout); err != nil {
		return err
	}
	if !fresh {
		fmt.Fprintf(s.stdout, "\nThis study was complete; nothing was played or tuned again.\n")
	}
	_, err = fmt.Fprintf(s.stdout, "\nReport: %s\n", s.file("report.html"))
	return err
}

// readJSON reads a file of the study; fields it does not know are an error, as
// the file is of another version.
func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("more than one value")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return dataset.WriteFile(path, append(text, '\n'))
}

// readWeights reads a weights file of one game, or finds built-in weights by
// their name.
func readWeights(path string, v *engine.Variant) (*eval.Weights, error) {
	if w, ok := eval.BuiltIn(v, path); ok {
		return w, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no weights file %s", path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	w, err := eval.Read(file, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}
