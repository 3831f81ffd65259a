package variants_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// army is the number of pieces a side begins with.
func army(v *engine.Variant) int { return bits.OnesCount64(v.Start.Pieces[engine.White]) }

// randomGame calls yield with the positions of a game of random moves, up to
// 300 plies.
func randomGame(v *engine.Variant, r *rand.Rand, yield func(engine.Position)) {
	p := v.Start
	var buf []engine.Move
	for range 300 {
		yield(p)
		if buf = v.Generate(&p, buf[:0]); len(buf) == 0 {
			return
		}
		p = p.Make(buf[r.IntN(len(buf))])
	}
}

// randomPlacement puts pieces anywhere, often many kings, in Frisian with
// random king runs (F13).
func randomPlacement(v *engine.Variant, r *rand.Rand) engine.Position {
	p := engine.Position{State: engine.ToMove(engine.Color(r.IntN(2)))}
	kingsIn8 := r.IntN(9)
	for c := range engine.Color(2) {
		for range 1 + r.IntN(army(v)) {
			place(v, &p, c, r.IntN(8) < kingsIn8, r.IntN(bits.OnesCount64(v.Board.All)))
		}
	}
	if v.Name == "frisian" {
		for c := range engine.Color(2) {
			setRun(&p, c, uint8(r.IntN(4)))
		}
	}
	return p
}

// place puts a piece on the nth square unless that is taken or it would be a
// man on its crowning rank.
func place(v *engine.Variant, p *engine.Position, c engine.Color, king bool, nth int) {
	s := v.Board.Squares()[nth]
	if p.Occupied()&s.Bit() != 0 || !king && v.Board.Crown[c]&s.Bit() != 0 {
		return
	}
	p.Pieces[c] |= s.Bit()
	if king {
		p.Kings |= s.Bit()
	}
}

// setRun gives a side with men and kings a run of n moves with one of its
// kings.
func setRun(p *engine.Position, c engine.Color, n uint8) {
	kings := p.Pieces[c] & p.Kings
	if n > 0 && kings != 0 && p.Men(c) != 0 {
		p.SetRun(c, n, engine.Square(bits.TrailingZeros64(kings)))
	}
}

// TestRandomPositions protects the generators where no vector looks: half the
// positions are from random games, half are random placements.
func TestRandomPositions(t *testing.T) {
	const parts = 4
	each := 30_000 // 120,000 a game
	if testing.Short() {
		each = 2_000
	}
	for _, v := range variants.All() {
		for part := range uint64(parts) {
			t.Run(fmt.Sprintf("%s/%d", v.Name, part), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(part, uint64(len(v.Name))))
				var buf, room []engine.Move
				done, tooMany := 0, 0
				check := func(p engine.Position) {
					buf = v.Generate(&p, buf[:0])
					if n := v.Count(&p, room); n != len(buf) {
						t.Errorf("Count says %d of the %d moves of %+v", n, len(buf), p)
					}
					if v.CanMove(&p, room) != (len(buf) > 0) || v.CanCapture(&p, p.Side()) != (len(buf) > 0 && buf[0].IsCapture()) {
						t.Errorf("CanMove %v, CanCapture %v, with %d moves of %+v", v.CanMove(&p, room), v.CanCapture(&p, p.Side()), len(buf), p)
					}
					if _, ok := compare(t, v, &p, buf, 100_000); !ok {
						tooMany++
					}
					done++
				}
				for done < each/2 && !t.Failed() {
					randomGame(v, r, check)
				}
				for done < each && !t.Failed() {
					check(randomPlacement(v, r))
				}
				// Where more than 100,000 jumps are to follow, the slow generator
				// gives up; that must stay a rare thing.
				if tooMany > each/1000 {
					t.Errorf("%d of %d positions were not compared", tooMany, done)
				}
			})
		}
	}
}

// rotate turns a position by 180 degrees and swaps the colours.
func rotate(b *engine.Board, p *engine.Position) engine.Position {
	q := engine.Position{
		Pieces: [2]uint64{b.Rotate(p.Pieces[1]), b.Rotate(p.Pieces[0])},
		Kings:  b.Rotate(p.Kings),
		State:  engine.ToMove(p.Side().Other()),
	}
	for c := range engine.Color(2) {
		n, on := p.Run(c)
		q.SetRun(1-c, n, b.RotateSquare(on))
	}
	return q
}

// TestRotation protects against a rule that one colour obeys and the other
// does not: the position seen from the other side has the same moves, with
// the same effects.
func TestRotation(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 2_000
	}
	for _, v := range variants.All() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			b := v.Board
			r := rand.New(rand.NewPCG(3, 3))
			check := func(p engine.Position) {
				q := rotate(b, &p)
				var here, there []engine.Position
				for _, m := range legal(v, &p) {
					next := p.Make(m)
					here = append(here, rotate(b, &next))
				}
				for _, m := range legal(v, &q) {
					next := q.Make(m)
					next.SetCounts(0, 0, 0)
					there = append(there, next)
				}
				byKey := func(a, b engine.Position) int {
					ka, kb := a.Key(), b.Key()
					switch {
					case ka < kb:
						return -1
					case ka > kb:
						return 1
					}
					return 0
				}
				slices.SortFunc(here, byKey)
				slices.SortFunc(there, byKey)
				if !slices.Equal(here, there) {
					t.Errorf("%s and %s have different moves", writeFEN(v, &p), writeFEN(v, &q))
				}
			}
			for range n {
				check(randomPlacement(v, r))
			}
			for range n / 200 {
				randomGame(v, r, check)
			}
			if start := v.Start; rotate(b, &start).Pieces != start.Pieces {
				t.Error("the start position is not the same from both sides")
			}
		})
	}
}

// TestKey protects hash table and repetition: two positions have the same key
// if and only if pieces, side and king runs are the same (F13).
func TestKey(t *testing.T) {
	t.Parallel()
	n := 700_000
	if testing.Short() {
		n = 50_000
	}
	type keyed struct {
		key uint64
		p   engine.Position
	}
	var all []keyed
	for _, v := range variants.All() {
		r := rand.New(rand.NewPCG(4, 4))
		add := func(p engine.Position) {
			p.SetCounts(0, 0, 0)
			all = append(all, keyed{p.Key(), p})
		}
		for want := len(all) + n*9/10; len(all) < want; {
			randomGame(v, r, add)
		}
		for range n / 20 {
			p := randomPlacement(v, r)
			add(p)
			p.SetSide(p.Side().Other())
			add(p)
		}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return 0
	})
	different := 1
	for i := range all[1:] {
		a, b := all[i], all[i+1]
		if a.key != b.key {
			different++
		} else if a.p != b.p {
			t.Errorf("the same key for %+v and %+v", a.p, b.p)
		}
	}
	if different < len(all)/2 {
		t.Errorf("only %d of %d positions are different", different, len(all))
	}
	v := byName(t, "frisian")
	p := mustFEN(t, v, "W:W36,K28,K50:B5,K1")
	keys := map[uint64]engine.Position{p.Key(): p}
	for c := range engine.Color(2) {
		for _, king := range []uint64{p.Pieces[c] & p.Kings, p.Pieces[c] & p.Kings & (p.Pieces[c]&p.Kings - 1)} {
			for n := range uint8(3) {
				q := p
				if king != 0 {
					q.SetRun(c, n+1, engine.Square(bits.TrailingZeros64(king)))
					keys[q.Key()] = q
				}
			}
		}
	}
	if len(keys) != 1+6+3 {
		t.Errorf("%d keys, want one for each of 10 king runs", len(keys))
	}
	q := p
	q.SetCounts(9, 8, 7)
	if q.Key() != p.Key() {
		t.Error("clocks are in the key")
	}
}

// fuzzBytes is the inverse of fuzzPosition.
func fuzzBytes(v *engine.Variant, p *engine.Position) []byte {
	white, _ := p.Run(engine.White)
	black, _ := p.Run(engine.Black)
	out := []byte{byte(p.Side()) | white<<1 | black<<3}
	for i, s := range v.Board.Squares() {
		for c := range p.Pieces {
			if p.Pieces[c]&s.Bit() != 0 {
				kind := byte(c)
				if p.Kings&s.Bit() != 0 {
					kind |= 2
				}
				out = append(out, byte(i)<<2|kind)
			}
		}
	}
	return out
}

// fuzzPosition makes a position of any bytes: side and lengths of runs, then
// a piece a byte.
func fuzzPosition(v *engine.Variant, data []byte) engine.Position {
	var p engine.Position
	if len(data) == 0 {
		return p
	}
	p.SetSide(engine.Color(data[0] & 1))
	for _, b := range data[1:] {
		if c := engine.Color(b & 1); bits.OnesCount64(p.Pieces[c]) < army(v) {
			place(v, &p, c, b&2 != 0, int(b>>2)%bits.OnesCount64(v.Board.All))
		}
	}
	if v.Name == "frisian" {
		setRun(&p, engine.White, data[0]>>1&3)
		setRun(&p, engine.Black, data[0]>>3&3)
	}
	return p
}

// fuzzMoves compares the two generators on positions made of bytes; seeds are
// some of the vectors.
func fuzzMoves(f *testing.F, name string) {
	v := byName(f, name)
	for i, row := range vectorRows(f) {
		if row.Variant == name && i%40 == 0 {
			_, p := row.position(f)
			f.Add(fuzzBytes(v, &p))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := fuzzPosition(v, data)
		compare(t, v, &p, legal(v, &p), 100_000)
	})
}

// The fuzz targets protect the generators like TestRandomPositions, guided by
// coverage.
func FuzzMovesCroda(f *testing.F)   { fuzzMoves(f, "croda") }
func FuzzMovesRussian(f *testing.F) { fuzzMoves(f, "russian") }
func FuzzMovesFrisian(f *testing.F) { fuzzMoves(f, "frisian") }
