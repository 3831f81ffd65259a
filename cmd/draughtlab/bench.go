package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/notation"
	"draughtlab/engine/search"
	"draughtlab/engine/variants"
)

// benchOptions are the flags of bench.
type benchOptions struct {
	variant string
	seconds float64
	json    bool
}

// benchReport is what bench measured.
type benchReport struct {
	Version string     `json:"version"`
	Commit  string     `json:"commit"`
	Go      string     `json:"go"`
	System  string     `json:"system"`
	Workers int        `json:"workers"`
	Games   []benchRow `json:"games"`
}

// benchRow is what bench measured of one game.
type benchRow struct {
	Variant string `json:"variant"`
	// Nodes a second of perft from the start: counting the moves of the last
	// ply, and making them.
	PerftBulk float64 `json:"perft_bulk_nodes_per_second"`
	PerftLeaf float64 `json:"perft_nodes_per_second"`
	// Random games to their end a second, and their mean length.
	Playouts     float64 `json:"playouts_per_second"`
	PlayoutPlies float64 `json:"playout_plies"`
	// Nanoseconds a position of random games: all its moves; its value, with
	// all patterns in use.
	Generate float64 `json:"generate_ns"`
	Evaluate float64 `json:"evaluate_ns"`
	// Nodes a second of the search, with one worker and the sum of all.
	Search    float64 `json:"search_nodes_per_second"`
	SearchAll float64 `json:"search_nodes_per_second_all_workers"`
	Ratio     float64 `json:"search_ratio"`
	// Nodes visited in the fixed positions once, and a digest of what was
	// found there: both change only when the search or the rules do.
	SearchNodes uint64 `json:"search_nodes"`
	Signature   string `json:"search_signature"`
	// Selfplay is what whole games cost.
	Selfplay benchSelfplay `json:"selfplay"`
}

// newBenchCommand makes `draughtlab bench`.
func newBenchCommand() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of generator, evaluation, search, self-play",
		Long: fmt.Sprintf(`Measures how fast this machine counts (perft), plays random games, generates
moves, evaluates and searches, in each game. The search visits %d nodes in
each of the same positions, with one worker and with one a processor, in turns.
Its signature tells whether two builds search alike: it depends on no clock.

Then it plays games against itself, without endgame tables, into the directory
for temporary files: of random players with one worker a processor, and what
the steps take when done one after the other (playing, playing again by the
rules and making rows, their hash, Parquet with Zstandard, writing and syncing);
and of the search in one goroutine, with the part of the time that is not
search: all those steps but the last.

Other programs on the machine change the figures; compare ratios of one run.`, benchNodes),
		Example: `  draughtlab bench
  draughtlab bench --variant frisian --seconds 3 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.variant, "variant", "", "game: "+strings.Join(variants.Names(), ", ")+" (default all)")
	f.Float64Var(&o.seconds, "seconds", 1, "time for each of the twelve figures of a game, at least")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeVariant(cmd)
	return cmd
}

func (o *benchOptions) run(ctx context.Context, out io.Writer) error {
	games := variants.All()
	if o.variant != "" {
		v, err := variants.ByName(o.variant)
		if err != nil {
			return err
		}
		games = []*engine.Variant{v}
	}
	if !(o.seconds > 0 && o.seconds <= 3600) {
		return fmt.Errorf("--seconds %g: it takes a number above 0, up to 3600", o.seconds)
	}
	b := thisBuild()
	report := benchReport{
		Version: b.Version, Commit: b.Commit, Go: b.Go,
		System: runtime.GOOS + "/" + runtime.GOARCH, Workers: runtime.GOMAXPROCS(0),
	}
	for _, v := range games {
		each := time.Duration(o.seconds * float64(time.Second))
		row, err := bench(v, each, report.Workers)
		if err == nil {
			row.Selfplay, err = measureSelfplay(ctx, v, each, report.Workers)
		}
		if err != nil {
			return err
		}
		report.Games = append(report.Games, row)
	}
	if o.json {
		return json.NewEncoder(out).Encode(report)
	}
	_, err := io.WriteString(out, report.text())
	return err
}

// text returns the report for a person, in 80 columns.
func (r *benchReport) text() string {
	s := fmt.Sprintf("draughtlab %s %s, %s %s, %d workers\n\n", r.Version, r.Commit, r.Go, r.System, r.Workers)
	s += fmt.Sprintf("%-8s %12s %12s %10s %7s %11s %11s\n", "", "perft bulk", "every leaf", "playouts", "plies", "generate", "evaluate")
	s += fmt.Sprintf("%-8s %12s %12s %10s %7s %11s %11s\n", "Game", "Mnodes/s", "Mnodes/s", "games/s", "a game", "ns", "ns")
	for _, g := range r.Games {
		s += fmt.Sprintf("%-8s %12.1f %12.1f %10.0f %7.1f %11.1f %11.1f\n",
			title(g.Variant), g.PerftBulk/1e6, g.PerftLeaf/1e6, g.Playouts, g.PlayoutPlies, g.Generate, g.Evaluate)
	}
	s += fmt.Sprintf("\n%-8s %14s %14s\n", "", "search", fmt.Sprintf("%d workers", r.Workers))
	s += fmt.Sprintf("%-8s %14s %14s %7s %12s %18s\n", "Game", "knodes/s", "knodes/s", "ratio", "nodes", "signature")
	for _, g := range r.Games {
		s += fmt.Sprintf("%-8s %14.0f %14.0f %7.2f %12d %18s\n",
			title(g.Variant), g.Search/1e3, g.SearchAll/1e3, g.Ratio, g.SearchNodes, g.Signature)
	}
	return s + r.selfplayText()
}

// benchDepth is the depth of perft from the start; engine/variants measures
// the same.
var benchDepth = map[string]int{"croda": 4, "russian": 7, "frisian": 6}

// bench measures one game, each figure for about the given time.
func bench(v *engine.Variant, each time.Duration, workers int) (benchRow, error) {
	row := benchRow{Variant: v.Name}
	buf := make([]engine.Move, 0, perftMoves)
	depth := benchDepth[v.Name]
	row.PerftBulk = perSecond(each, func() uint64 { return engine.Perft(v, &v.Start, depth, true, buf) })
	row.PerftLeaf = perSecond(each, func() uint64 { return engine.Perft(v, &v.Start, depth, false, buf) })

	rng, plies, games := rand.New(rand.NewPCG(1, 0)), 0, 0
	row.Playouts = perSecond(each, func() uint64 {
		plies += playout(v, rng, buf, nil)
		games++
		return 1
	})
	row.PlayoutPlies = float64(plies) / float64(games)

	positions := playoutPositions(v)
	row.Generate = 1e9 / perSecond(each, func() uint64 { return generateAll(v, positions, buf) })
	e := eval.NewEvaluator(v, eval.Default(v))
	row.Evaluate = 1e9 / perSecond(each, func() uint64 { return evaluateAll(e, positions) })

	set, err := searchPositions(v)
	if err != nil {
		return row, err
	}
	row.SearchNodes, row.Signature, err = signature(newBenchSearcher(v), v, set)
	if err != nil {
		return row, err
	}
	row.Search, row.SearchAll = searchSpeeds(v, set, each, workers)
	row.Ratio = row.SearchAll / row.Search
	return row, nil
}

// perSecond does work for at least the given time, and at least once, and
// returns how much was done a second, by what work returns.
func perSecond(each time.Duration, work func() uint64) float64 {
	done, begin := uint64(0), time.Now()
	for {
		done += work()
		if spent := time.Since(begin); spent >= each {
			return float64(done) / spent.Seconds()
		}
	}
}

// maxPlayout bounds a random game; hardly one in a million comes near it.
const maxPlayout = 1000

// playout plays random moves from the start until a side has no move or an
// article says draw, repetition apart, and returns the number of plies. visit,
// if it is not nil, is shown each position with a move.
func playout(v *engine.Variant, rng *rand.Rand, buf []engine.Move, visit func(p *engine.Position)) int {
	line := [2]engine.Position{v.Start}
	for ply := range maxPlayout {
		p := &line[ply&1]
		moves := v.Generate(p, buf[:0])
		if len(moves) == 0 || v.Ending(p, engine.Basic).Draw != engine.Ongoing {
			return ply
		}
		if visit != nil {
			visit(p)
		}
		p.MakeInto(moves[rng.IntN(len(moves))], &line[ply&1^1])
	}
	return maxPlayout
}

// playoutPositions returns the positions of some random games, enough that no
// branch of a generator is learnt by heart.
func playoutPositions(v *engine.Variant) (positions []engine.Position) {
	rng, buf := rand.New(rand.NewPCG(2, 0)), make([]engine.Move, 0, perftMoves)
	for len(positions) < 1<<14 {
		playout(v, rng, buf, func(p *engine.Position) { positions = append(positions, *p) })
	}
	return positions
}

// generateAll generates the moves of all positions and returns their number.
func generateAll(v *engine.Variant, positions []engine.Position, buf []engine.Move) uint64 {
	for i := range positions {
		buf = v.Generate(&positions[i], buf[:0])
	}
	return uint64(len(positions))
}

// evaluateAll evaluates all positions and returns their number.
func evaluateAll(e *eval.Evaluator, positions []engine.Position) uint64 {
	for i := range positions {
		e.Evaluate(&positions[i])
	}
	return uint64(len(positions))
}

// benchNodes is the limit of the search in each position.
const benchNodes = 50_000

func newBenchSearcher(v *engine.Variant) *search.Searcher {
	return search.New(v, eval.Default(v), search.Options{})
}

// searchAll searches each position from an empty table, shows what it finds to
// found, if that is not nil, and returns the number of nodes.
func searchAll(s *search.Searcher, set []engine.Position, found func(p *engine.Position, r search.Result)) (nodes uint64, err error) {
	for i := range set {
		s.Clear()
		r, err := s.Search(set[i], nil, search.Limits{Nodes: benchNodes})
		if err != nil {
			return nodes, err
		}
		nodes += r.Nodes
		if found != nil {
			found(&set[i], r)
		}
	}
	return nodes, nil
}

// signature searches the positions once and returns the number of nodes and a
// digest of what was found.
func signature(s *search.Searcher, v *engine.Variant, set []engine.Position) (nodes uint64, digest string, err error) {
	h := fnv.New64a()
	nodes, err = searchAll(s, set, func(p *engine.Position, r search.Result) {
		fmt.Fprintln(h, notation.FullMove(v, p, r.Move), r.Score, r.Depth, r.Nodes)
	})
	return nodes, fmt.Sprintf("%016x", h.Sum64()), err
}

// benchRounds is how often the search with one worker and that with all take
// turns, so that a machine whose speed drifts spoils no ratio.
const benchRounds = 3

// searchSpeeds returns the nodes a second of one worker and the sum of those of
// all workers, which share nothing.
func searchSpeeds(v *engine.Variant, set []engine.Position, each time.Duration, workers int) (one, all float64) {
	searchers := make([]*search.Searcher, workers)
	for i := range searchers {
		searchers[i] = newBenchSearcher(v)
	}
	for range benchRounds {
		one += speedOf(searchers[:1], set, each/benchRounds)
		all += speedOf(searchers, set, each/benchRounds)
	}
	return one / benchRounds, all / benchRounds
}

// speedOf returns the sum of the searchers' nodes a second, all at work at once.
func speedOf(searchers []*search.Searcher, set []engine.Position, each time.Duration) float64 {
	speeds := make([]float64, len(searchers))
	var pool sync.WaitGroup
	for i, s := range searchers {
		pool.Go(func() {
			speeds[i] = perSecond(each, func() uint64 {
				nodes, err := searchAll(s, set, nil)
				if err != nil {
					panic(err) // it was searched before, for the signature
				}
				return nodes
			})
		})
	}
	pool.Wait()
	sum := 0.0
	for _, x := range speeds {
		sum += x
	}
	return sum
}

// searchPositions returns the fixed positions of one game.
func searchPositions(v *engine.Variant) ([]engine.Position, error) {
	var set []engine.Position
	for _, fen := range benchFENs[v.Name] {
		p, err := notation.ParseFEN(v, fen)
		if err != nil {
			return nil, err
		}
		set = append(set, p)
	}
	return set, nil
}

// benchFENs are positions of games of the search with itself (300 nodes a
// move) from random openings, from the start to the endgame, in none of which
// a side is far ahead.
var benchFENs = map[string][]string{
	"croda": {
		"W:Wa1,a2,a3,b1,b2,b3,c1,c2,c3,d1,d2,d3,e1,e2,e3,f1,f2,f3,g1,g2,g3,h1,h2,h3:Ba6,a7,a8,b6,b7,b8,c6,c7,c8,d6,d7,d8,e6,e7,e8,f6,f7,f8,g6,g7,g8,h6,h7,h8",
		"W:Wa1,a2,a3,a4,b1,b2,c1,c2,c3,c4,d1,d2,d3,e1,e2,e3,f1,f2,g1,g2,g3,h1,h2,h3:Ba6,a7,a8,b6,b7,b8,c7,c8,d7,d8,e7,e8,f6,f7,f8,g5,g6,g7,g8,h7,h8",
		"W:Wa1,a2,a3,b1,b2,b3,c1,c2,c3,d1,d2,e1,e3,f1,f2,f3,g1,g2,h1,h2:Ba7,a8,b5,b6,b7,b8,c6,c7,c8,d7,d8,e6,e8,f7,f8,g6,g7,g8,h4,h7,h8",
		"W:Wa1,b1,b2,b3,c1,c2,c3,d1,d2,d3,e1,e2,f1,f4,g1,g2,h1,h2,h3:Ba5,a8,b7,b8,c6,c7,c8,d6,d7,d8,e7,e8,f6,f7,f8,g6,g7,g8,h5,h8",
		"W:Wa1,a2,a3,b1,b4,c1,c2,d1,d2,e1,e2,f1,f4,g1,g2,g3,h1,h3:Ba6,a7,a8,b8,c6,c7,c8,d7,d8,e5,e6,e7,e8,f6,g7,g8,h7,h8",
		"B:Wa1,a3,b1,b3,c1,c3,d1,d3,e1,e2,e3,f1,f3,g1,g3,h1,h3,h4:Ba6,b6,b8,c6,c8,d5,d6,d7,d8,e7,e8,f6,f8,g5,g6,g8,h7,h8",
		"W:Wa3,b1,b3,c1,c2,c3,d1,d2,d4,e1,f1,g1,h3:Ba7,a8,b6,b8,c6,c8,d7,d8,e5,e8,f8,g8,h6,h7,h8",
		"B:Wa1,a3,a5,c1,d1,d3,d4,e1,e3,f1,f3,g1,g3,g4,h3:Ba8,b5,b8,c5,c8,d6,d8,e5,e6,e8,f5,f8,g6,h5,h6,h8",
		"W:Wa2,a5,b1,b3,c1,c3,d1,e1,e4,f1,g1,h1,h4:Ba8,b5,b8,c5,c8,d5,d8,e8,f5,f8,g5,g8,h8",
		"B:Wb1,b2,c4,d1,d4,f1,g4,h1,h4:Ba5,b5,c6,c8,d8,e8,f5,g7",
	},
	"russian": {
		"W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8",
		"W:Wa1,a3,b2,c1,c3,e1,f2,g1,g3,h2:Ba7,b8,c7,d6,d8,e5,e7,f6,f8,g5,g7,h8",
		"W:Wa1,a5,c1,d2,d4,e1,g1,g3,h2:Bb8,c7,d6,d8,f6,f8,g7,h6,h8",
		"W:Wa1,b4,c1,c3,e1,e3,g1,h2:Bb6,b8,d6,d8,f6,h6,h8",
		"W:Wa1,a3,c1,c3,e3,f2,f4,g3,h2:Ba7,b6,c5,d6,e5,f8,h4,h6,h8",
		"B:Wa1,a3,b4,e1,g3:Bb6,b8,e7,f8",
		"W:Wa1,c1,c3,f2,f4:Ba3,a5,c5,f6,f8,h4",
		"B:Wc1,c3,e3,e5,h4:Ba3,c5,c7,f8",
		"W:Wa7,b4,f6,g1:Bd4,h8,Ka3",
		"W:Wc1,c5,h4,h6:Ba3,Ka1",
	},
	"frisian": {
		"W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
		"W:W31,32,33,34,35,36,37,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,8,9,10,11,12,13,14,15,16,18,19,20,22",
		"W:W31,35,36,37,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,15,16,20,22",
		"W:W27,36,37,38,39,41,42,43,44,45,46,47,48,49,50:B1,2,3,5,6,7,8,10,11,12,13,15,16,40",
		"W:W32,34,36,37,40,42,43,44,45,46,47,48,49,50:B1,3,4,6,7,8,9,10,11,12,13,14,19,25,41",
		"B:W33,42,43,45,46,47,48,50:B1,2,3,4,5,7,9,10,12,20",
		"W:W27,32,34,36,38,39,42,44,45,46,48,50:B1,2,3,4,6,10,11,12,13,14,16,23,25",
		"B:W7,31,34,45,46,48,49:B1,2,4,5,14,15,16",
		"W:W26,30,33,34,36,38,42,43,46:B2,6,7,11,13,17,19,25,32",
		"W:W23,33,36,50:B10,17,20,27",
	},
}
