package variants_test

import (
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/slow"
	"draughtlab/engine/variants"
)

// Perft stops before a depth with more than this many moves. With
// DRAUGHTLAB_DEEP=1 there is no limit but the vectors'.
func perftLimit() uint64 {
	switch {
	case os.Getenv("DRAUGHTLAB_DEEP") != "":
		return 1 << 62
	case testing.Short():
		return 100_000
	}
	return 3_000_000
}

// slowPathsLimit is the same for counting paths by the slow generator, which
// is a thousand times slower.
func slowPathsLimit() uint64 {
	switch {
	case os.Getenv("DRAUGHTLAB_DEEP") != "":
		return 300_000
	case testing.Short():
		return 1_000
	}
	return 10_000
}

// slowPerft counts paths: every way of making every move.
func slowPerft(v *engine.Variant, p engine.Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	var n uint64
	paths, _ := slow.Moves(v, &p, 0)
	if depth == 1 {
		for _, ways := range paths {
			n += uint64(ways)
		}
		return n
	}
	for _, m := range legal(v, &p) {
		n += uint64(paths[slow.Of(v, m)]) * slowPerft(v, p.Make(m), depth-1)
	}
	return n
}

// checkPerft compares perft counts from depth 1 on, and path counts where they
// are given.
func checkPerft(t *testing.T, v *engine.Variant, p engine.Position, moves, paths []uint64) {
	t.Helper()
	buf := make([]engine.Move, 0, 4096)
	for i, want := range moves {
		if want > perftLimit() {
			break
		}
		if got := engine.Perft(v, &p, i+1, true, buf); got != want {
			t.Errorf("%s depth %d: %d moves, want %d", writeFEN(v, &p), i+1, got, want)
		}
	}
	for i, want := range paths {
		if want > slowPathsLimit() || i >= len(moves) {
			break
		}
		if got := slowPerft(v, p, i+1); got != want {
			t.Errorf("%s depth %d: %d paths, want %d", writeFEN(v, &p), i+1, got, want)
		}
	}
}

// TestPerft protects the generators and Make together, over many plies.
func TestPerft(t *testing.T) {
	type row struct {
		Label, FEN string
		Runs       runs
		Perft      [][3]uint64 // depth, moves, paths
	}
	var file struct {
		Variants map[string]struct {
			Start     row
			Positions []row
		}
	}
	readJSON(t, "perft.json", &file)
	for _, v := range variants.All() {
		rows := append([]row{file.Variants[v.Name].Start}, file.Variants[v.Name].Positions...)
		if len(rows) < 29 {
			t.Fatalf("%s: only %d positions", v.Name, len(rows))
		}
		for i, r := range rows {
			t.Run(fmt.Sprintf("%s %d %s", v.Name, i, r.Label), func(t *testing.T) {
				t.Parallel()
				p := mustFEN(t, v, r.FEN)
				r.Runs.set(t, v, &p)
				var moves, paths []uint64
				for depth, n := range r.Perft {
					if n[0] != uint64(depth+1) {
						t.Fatalf("row %d has depth %d", depth, n[0])
					}
					moves, paths = append(moves, n[1]), append(paths, n[2])
				}
				checkPerft(t, v, p, moves, paths)
				if start := v.Start; i == 0 && p != start {
					t.Errorf("the start position is %s, want %s", writeFEN(v, &start), r.FEN)
				}
			})
		}
	}
}

// perftPosition is an entry of perft_positions.json.
type perftPosition struct {
	ID, Tag, FEN string
	Moves, Paths int
	MaxCapture   int `json:"max_capture"`
	Root         []vectorMove
	Perft        []uint64
	PerftPaths   []uint64 `json:"perft_paths"`
	// Frisian: Perft knows no three-move rule (F9), PerftLock does, from run 0
	// or from Streak.
	PerftLock           []uint64 `json:"perft_lock"`
	PerftLockFromStreak []uint64 `json:"perft_lock_from_streak"`
	Streak              map[string]struct {
		Square squareName `json:"sq"`
		N      int
	}
}

// withoutRuns is Frisian without the three-move rule, to count as those do who
// leave it out.
func withoutRuns(v *engine.Variant) *engine.Variant {
	free := *v
	free.Generate = func(p *engine.Position, buf []engine.Move) []engine.Move {
		q := *p
		q.ClearRuns()
		return v.Generate(&q, buf)
	}
	free.Count = func(p *engine.Position, buf []engine.Move) int { return len(free.Generate(p, buf)) - len(buf) }
	return &free
}

// TestPerftPositions protects against positions composed to be hard: the
// longest captures, the most moves, the most paths, blocked kings.
func TestPerftPositions(t *testing.T) {
	var file map[string][]perftPosition
	readJSON(t, "perft_positions.json.gz", &file)
	for _, v := range variants.All() {
		for _, r := range file[v.Name] {
			t.Run(r.ID+" "+r.Tag, func(t *testing.T) {
				t.Parallel()
				p := mustFEN(t, v, r.FEN)
				moves := legal(v, &p)
				if len(moves) != r.Moves {
					t.Errorf("%d moves, want %d", len(moves), r.Moves)
				}
				for _, m := range moves {
					if n := bits.OnesCount64(m.Captured); n > r.MaxCapture {
						t.Errorf("%s captures %d pieces, want at most %d", text(v, &p, m), n, r.MaxCapture)
					}
				}
				if r.Root != nil {
					sameMoves(t, v, &p, moves, r.Root)
				}
				if paths, _ := compare(t, v, &p, moves, 1<<40); paths != r.Paths {
					t.Errorf("%d paths, want %d", paths, r.Paths)
				}
				if v.Name != "frisian" {
					checkPerft(t, v, p, r.Perft, r.PerftPaths)
					return
				}
				checkPerft(t, withoutRuns(v), p, r.Perft, nil)
				checkPerft(t, v, p, r.PerftLock, nil)
				streak := runs{}
				for side, run := range r.Streak {
					square, err := strconv.Atoi(string(run.Square))
					if err != nil {
						t.Fatal(err)
					}
					streak[side] = [2]int{square, run.N}
				}
				streak.set(t, v, &p)
				checkPerft(t, v, p, r.PerftLockFromStreak, nil)
			})
		}
	}
}

// BenchmarkPerft measures generator and Make; nodes are leaves.
func BenchmarkPerft(b *testing.B) {
	depth := map[string]int{"croda": 4, "russian": 7, "frisian": 6}
	for _, v := range variants.All() {
		for _, bulk := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/bulk=%v", v.Name, bulk), func(b *testing.B) {
				buf := make([]engine.Move, 0, 4096)
				var nodes uint64
				for b.Loop() {
					nodes += engine.Perft(v, &v.Start, depth[v.Name], bulk, buf)
				}
				b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
			})
		}
	}
}
