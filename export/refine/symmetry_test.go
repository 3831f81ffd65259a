package refine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/export/dataset"
)

// rowOf is the row of a position, made square by square.
func rowOf(v *engine.Variant, p *engine.Position) Row {
	r := Row{WhiteToMove: p.Side() == engine.White, Count: 1, LegalMoves: 1}
	for _, s := range v.Board.Squares() {
		bit := int64(1) << v.Board.Index(s)
		switch {
		case p.Men(engine.White)&s.Bit() != 0:
			r.WhiteMen |= bit
		case p.Men(engine.Black)&s.Bit() != 0:
			r.BlackMen |= bit
		case p.Pieces[engine.White]&s.Bit() != 0:
			r.WhiteKings |= bit
		case p.Pieces[engine.Black]&s.Bit() != 0:
			r.BlackKings |= bit
		}
	}
	if n, on := p.Run(engine.White); n > 0 {
		r.WhiteRun, r.WhiteRunSquare = int8(n), int8(v.Board.Index(on)+1)
	}
	if n, on := p.Run(engine.Black); n > 0 {
		r.BlackRun, r.BlackRunSquare = int8(n), int8(v.Board.Index(on)+1)
	}
	r.SinceChange, r.SinceMan, r.Road = int16(p.SinceChange()), int16(p.SinceMan()), int16(p.Road())
	return r
}

// walk calls visit with the positions of random games, of endgames as well.
func walk(t *testing.T, v *engine.Variant, games int, visit func(p *engine.Position, rng *rand.Rand)) {
	t.Helper()
	for n := range games {
		rng := rand.New(rand.NewPCG(uint64(n), 77))
		p := v.Start
		switch n % 4 {
		case 1:
			p = endgameStart(t, v)
		case 3:
			p = kingsStart(t, v)
		}
		for range 90 {
			moves := v.Generate(&p, nil)
			if len(moves) == 0 {
				break
			}
			visit(&p, rng)
			p = p.Make(moves[rng.IntN(len(moves))])
		}
	}
}

// kingsStart is a position in which an article counts.
func kingsStart(t *testing.T, v *engine.Variant) engine.Position {
	t.Helper()
	fen := map[string]string{"croda": "W:WKa1,Kb1:BKh8", "russian": "W:WKa1,Kc1,Kh2:BKf8", "frisian": "W:WK46,K47:BK9"}[v.Name]
	p, err := notation.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func position(t *testing.T, v *engine.Variant, r *Row) engine.Position {
	t.Helper()
	p, err := r.Position(v)
	if err != nil {
		t.Fatalf("%s: %+v: %v", v.Name, r, err)
	}
	return p
}

// Protects that positions taken for equal are the same game: the canonical
// image has as many lines of play (perft), the same verdict of the draw
// articles, and the outcomes of the colours exchanged where these were.
func TestCanonicalIsTheSameGame(t *testing.T) {
	buf := make([]engine.Move, 0, 4096)
	for _, v := range allVariants() {
		s, seen := symmetryOf(v), 0
		walk(t, v, 80, func(p *engine.Position, rng *rand.Rand) {
			if rng.IntN(6) > 0 {
				return
			}
			seen++
			r := rowOf(v, p)
			r.WhiteWins, r.Draws, r.BlackWins = 5, 3, 1
			c := r
			s.canonical(&c)
			q := position(t, v, &c)
			for depth := range 4 {
				if a, b := engine.Perft(v, p, depth, true, buf), engine.Perft(v, &q, depth, true, buf); a != b {
					t.Fatalf("%s: perft %d of %+v is %d, of its image %+v %d", v.Name, depth, r, a, c, b)
				}
			}
			for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
				if a, b := v.Ending(p, profile), v.Ending(&q, profile); a != b {
					t.Fatalf("%s %s: %+v ends %+v, its image %+v %+v", v.Name, profile, r, a, c, b)
				}
			}
			if !c.WhiteToMove || c.Draws != 3 || (c.WhiteWins == 5) != r.WhiteToMove || c.WhiteWins+c.BlackWins != 6 {
				t.Fatalf("%s: %+v became %+v", v.Name, r, c)
			}
		})
		if seen < 300 {
			t.Errorf("%s: only %d positions were looked at", v.Name, seen)
		}
	}
}

// Protects that all images of a position have one canonical row, that this is
// its own, and that two positions which are no images of each other differ. The
// judge is a text made of the names of squares.
func TestCanonicalIsOneForAllImages(t *testing.T) {
	skipSlowJudge(t)
	for _, v := range allVariants() {
		s := symmetryOf(v)
		text := map[key]string{}
		walk(t, v, 30, func(p *engine.Position, _ *rand.Rand) {
			r := rowOf(v, p)
			images := []Row{r, r}
			s.exchange(&images[1])
			if v.Name == "croda" {
				for _, i := range images {
					i.WhiteMen, i.WhiteKings, i.BlackMen, i.BlackKings = mirror(i.WhiteMen), mirror(i.WhiteKings), mirror(i.BlackMen), mirror(i.BlackKings)
					images = append(images, i)
				}
			}
			first := r
			s.canonical(&first)
			for _, i := range images {
				c := i
				s.canonical(&c)
				if keyOf(&c) != keyOf(&first) {
					t.Fatalf("%s: images %+v and %+v have other canonical rows", v.Name, r, i)
				}
				q := position(t, v, &i)
				if canonicalText(v, &q) != canonicalText(v, p) {
					t.Fatalf("%s: %+v is no image of %+v", v.Name, i, r)
				}
			}
			want := canonicalText(v, p) + fmt.Sprint(p.SinceChange(), p.SinceMan(), p.Road())
			if have, ok := text[keyOf(&first)]; ok && have != want {
				t.Fatalf("%s: one key for %q and %q", v.Name, have, want)
			}
			text[keyOf(&first)] = want
		})
	}
}

// canonicalText names a position without its clocks, equal for all images: of
// the texts of its images the smallest. It uses files and ranks only.
func canonicalText(v *engine.Variant, p *engine.Position) string {
	var texts []string
	mirrors := []bool{false}
	if v.Name == "croda" {
		mirrors = append(mirrors, true)
	}
	for _, turned := range []bool{false, true} {
		for _, mirrored := range mirrors {
			texts = append(texts, imageText(v, p, turned, mirrored))
		}
	}
	return slices.Min(texts)
}

func imageText(v *engine.Variant, p *engine.Position, turned, mirrored bool) string {
	place := func(s engine.Square) string {
		x, y := v.Board.XY(s)
		if turned {
			x, y = v.Board.Size-1-x, v.Board.Size-1-y
		}
		if mirrored {
			x = v.Board.Size - 1 - x
		}
		return fmt.Sprintf("%d.%d", x, y)
	}
	var parts []string
	for _, c := range []engine.Color{engine.White, engine.Black} {
		name := c
		if turned {
			name = c.Other()
		}
		for _, s := range v.Board.Squares() {
			if p.Pieces[c]&s.Bit() != 0 {
				parts = append(parts, fmt.Sprint(name, p.Kings&s.Bit() != 0, place(s)))
			}
		}
		if n, on := p.Run(c); n > 0 {
			parts = append(parts, fmt.Sprint("run", name, n, place(on)))
		}
		if c == p.Side() {
			parts = append(parts, "move"+name.String())
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// Protects the clocks that dedupe drops: played on by the same moves, the draw
// articles say the same of both positions to the end.
func TestIdleClocksDoNotMatter(t *testing.T) {
	for _, v := range allVariants() {
		s := symmetryOf(v)
		for _, profile := range []engine.Profile{engine.Basic, engine.Federation} {
			dropped, kept := 0, 0
			walk(t, v, 60, func(p *engine.Position, rng *rand.Rand) {
				r := rowOf(v, p)
				c := r
				if err := s.dropIdleClocks(&c, profile); err != nil {
					t.Fatal(err)
				}
				if c == r {
					if r.SinceChange|r.SinceMan|r.Road != 0 {
						kept++
					}
					return
				}
				dropped++
				if rng.IntN(8) > 0 {
					return
				}
				with, without := *p, position(t, v, &c)
				for range 80 {
					moves := v.Generate(&with, nil)
					if len(moves) == 0 {
						return
					}
					a, b := v.Ending(&with, profile), v.Ending(&without, profile)
					if a != b {
						t.Fatalf("%s %s: without the clocks of %+v a game ends %+v instead of %+v", v.Name, profile, r, b, a)
					}
					if a.Draw != engine.Ongoing {
						return
					}
					m := moves[rng.IntN(len(moves))]
					with, without = with.Make(m), without.Make(m)
				}
			})
			if dropped < 100 || (kept == 0) != (v.Name == "croda") { // no article of Croda counts
				t.Errorf("%s %s: %d clocks were dropped, %d kept", v.Name, profile, dropped, kept)
			}
		}
	}
}

// Protects hashes that stand in files: they must never change.
func TestHashesAreFixed(t *testing.T) {
	for _, c := range []struct {
		variant string
		hash    uint64
	}{{"croda", 0xc7c760366b2de19d}, {"russian", 0xfda14452b0f5d053}, {"frisian", 0x716c565151c795a2}} {
		for _, v := range allVariants() {
			if v.Name != c.variant {
				continue
			}
			if got := symmetryOf(v).boardKey(rowOf(v, &v.Start)).hash(); got != c.hash {
				t.Errorf("%s: the initial position has the hash %#x, it was %#x", v.Name, got, c.hash)
			}
		}
	}
}

// Protects rows on their way through temporary files.
func TestRecordRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		r := Row{
			WhiteMen: int64(rng.Uint64()), WhiteKings: int64(rng.Uint64()), BlackMen: int64(rng.Uint64()), BlackKings: int64(rng.Uint64()),
			WhiteToMove: rng.IntN(2) > 0, WhiteRunSquare: int8(rng.IntN(65)), WhiteRun: int8(rng.IntN(4)), BlackRunSquare: int8(rng.IntN(65)), BlackRun: int8(rng.IntN(4)),
			SinceChange: int16(rng.IntN(256)), SinceMan: int16(rng.IntN(256)), Road: int16(rng.IntN(256)),
			LegalMoves: int16(rng.IntN(1 << 15)), CaptureDue: rng.IntN(2) > 0,
			Count: rng.Int64N(maxCount), WhiteWins: rng.Int64N(maxCount), Draws: rng.Int64N(maxCount), BlackWins: rng.Int64N(9),
			Scored: rng.Int64N(9), ScoreSum: rng.Int64() - rng.Int64(), ProvenWins: rng.Int64N(9), ProvenLosses: rng.Int64N(maxCount),
			Source: rng.Int32(), Game: rng.Int64(), Ply: rng.Int32(), OpeningPlies: rng.Int32(), Opening: int64(rng.Uint64()), OneOpening: rng.IntN(2) > 0,
		}
		b := appendRecord(nil, &r)
		var back Row
		if err := readRecord(b, &back); err != nil || back != r {
			t.Fatalf("%+v came back as %+v, %v", r, back, err)
		}
		for _, bad := range [][]byte{b[:len(b)-1], b[:20], append(b, 0)} {
			if readRecord(bad, &back) == nil {
				t.Fatalf("a record of %d bytes of %d was read", len(bad), len(b))
			}
		}
	}
}

// Protects what is documented of outcomes and scores of a single position.
func TestPlainRow(t *testing.T) {
	won, score, winIn, lossIn := int8(1), int16(-30), int16(3), int16(-2)
	for _, c := range []struct {
		in   dataset.PositionRow
		want Row
	}{
		{dataset.PositionRow{Outcome: &won, Score: &score}, Row{WhiteWins: 1, Scored: 1, ScoreSum: -30}},
		{dataset.PositionRow{WinIn: &winIn}, Row{ProvenWins: 1}},
		{dataset.PositionRow{WinIn: &lossIn}, Row{ProvenLosses: 1}},
		{dataset.PositionRow{Outcome: new(int8)}, Row{Draws: 1}},
	} {
		c.want.Count, c.want.OneOpening = 1, true
		if got := plainRow(&c.in); got != c.want {
			t.Errorf("%+v became %+v, want %+v", c.in, got, c.want)
		}
	}
}
