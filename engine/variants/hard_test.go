package variants_test

import (
	"math/bits"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/slow"
	"draughtlab/engine/variants"
)

// hardest are positions found by search to have the most states (square and
// captured pieces) that a generator can meet on the way: up to 138,130 in
// Croda and 533,530 in Frisian, with more routes than can be counted. moves is
// the number of legal moves.
var hardest = []struct {
	game, fen string
	moves     int
}{
	{"croda", "W:WKe4:BKa1,Kd1,Kf1,Kc2,Kf2,Kb3,Ke3,Kg3,Kh3,Kd4,Kf4,Kc5,Ke5,Kg5,Ka6,Kb6,Kd6,Kf6,Kh6,Kd7,Kg7,Kd8", 19},
	{"croda", "W:WKf1:BKc1,Kg1,Kb2,Ke2,Kf2,Kh2,Kd3,Kg3,Ka4,Kc4,Ke4,Kg4,Kd5,Kg5,Ka6,Kb6,Kc6,Ke6,Kf6,Kh6,Kd7,Kg7,Kb8,Kg8", 20},
	{"frisian", "W:WK35:BK3,K7,K12,K13,K14,K15,K19,K21,K23,K24,K26,K27,K28,K30,K32,K37,K41,K43,K44,K48", 30},
	{"frisian", "W:WK31:BK3,K7,K12,K13,K14,K15,K19,K21,K23,K24,K26,K27,K28,K30,K32,K37,K41,K43,K44,K48", 30},
}

// TestHardest protects against captures whose cost grows with the number of
// routes: such positions would never come to an end.
func TestHardest(t *testing.T) {
	for _, h := range hardest {
		v := byName(t, h.game)
		p := mustFEN(t, v, h.fen)
		if got := len(legal(v, &p)); got != h.moves {
			t.Errorf("%s: %d moves, want %d", h.fen, got, h.moves)
		}
		checkSweep(t, v, &p)
	}
}

// sweep finds all captures of a position by engine.Sweep alone, and keeps
// those that the slow generator's rules rank highest.
func sweep(v *engine.Variant, p *engine.Position) map[slow.Move]bool {
	best, out := 0, map[slow.Move]bool{}
	for own := p.Own(); own != 0; own &= own - 1 {
		from := engine.Square(bits.TrailingZeros64(own))
		wasKing := p.Kings&from.Bit() != 0
		s := engine.Sweep{
			Capture: v.Capture, From: from, King: wasKing, Opp: p.Opp(),
			Empty: v.Board.All&^p.Occupied() | from.Bit(), Choice: v.PromotesInPassing, // R7, of Russian alone as R8 is
		}
		if v.PromotesInPassing {
			s.Crown = v.Board.Crown[p.Side()]
		}
		s.Each(func(to engine.Square, captured uint64, king bool) {
			kings := bits.OnesCount64(captured & p.Kings)
			rank := slow.Rank(v, kings, bits.OnesCount64(captured)-kings, wasKing)
			if len(out) == 0 || rank > best {
				best = rank
				clear(out)
			}
			if rank == best {
				promotes := !wasKing && (king || v.Board.Crown[p.Side()]&to.Bit() != 0)
				out[slow.Move{From: v.Board.Index(from), To: v.Board.Index(to), Captured: v.Board.Pack(captured), Promotes: promotes}] = true
			}
		})
	}
	return out
}

// checkSweep compares Sweep with the generator.
func checkSweep(t *testing.T, v *engine.Variant, p *engine.Position) {
	t.Helper()
	got, captures := sweep(v, p), 0
	for _, m := range legal(v, p) {
		if !m.IsCapture() {
			break
		}
		if captures++; !got[slow.Of(v, m)] {
			t.Errorf("%s %s: Sweep does not find %s", v.Name, writeFEN(v, p), text(v, p, m))
		}
	}
	if captures != len(got) {
		t.Errorf("%s %s: Sweep finds %d captures, want %d", v.Name, writeFEN(v, p), len(got), captures)
	}
}

// TestSweep protects the way of finding captures that the generators take
// when there are very many: on positions where they do not take it, it must
// find the same.
func TestSweep(t *testing.T) {
	for _, row := range vectorRows(t) {
		v, p := row.position(t)
		checkSweep(t, v, &p)
	}
	n := 10_000
	if testing.Short() {
		n = 1_000
	}
	for _, v := range variants.All() {
		r := rand.New(rand.NewPCG(8, 8))
		for range n {
			p := randomPlacement(v, r)
			checkSweep(t, v, &p)
		}
	}
}

// TestAllocations protects the speed: move generation allocates nothing while
// its buffer has room, in no position whatever.
func TestAllocations(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would empty the tables kept by Sweep
	buf := make([]engine.Move, 0, 4096)
	check := func(v *engine.Variant, p engine.Position) {
		if n := testing.AllocsPerRun(1, func() { v.Generate(&p, buf) }); n != 0 {
			t.Errorf("%s %s: %v allocations", v.Name, writeFEN(v, &p), n)
		}
	}
	for _, row := range vectorRows(t) {
		v, p := row.position(t)
		check(v, p)
	}
	var file map[string][]perftPosition
	readJSON(t, "perft_positions.json.gz", &file)
	for name, rows := range file {
		v := byName(t, name)
		for _, r := range rows {
			check(v, mustFEN(t, v, r.FEN))
		}
	}
	for _, h := range hardest {
		v := byName(t, h.game)
		check(v, mustFEN(t, v, h.fen))
	}
}

// BenchmarkHardest measures one generation of each of the hardest positions.
func BenchmarkHardest(b *testing.B) {
	for _, h := range hardest {
		b.Run(h.game, func(b *testing.B) {
			v := byName(b, h.game)
			p := mustFEN(b, v, h.fen)
			buf := make([]engine.Move, 0, 4096)
			for b.Loop() {
				v.Generate(&p, buf)
			}
		})
	}
}
