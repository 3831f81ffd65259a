package eval

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// positions returns positions of random games, the same in every run.
func positions(v *engine.Variant, games int) []engine.Position {
	var out []engine.Position
	r := rand.New(rand.NewPCG(1, 2))
	g := engine.NewGame(v, engine.Basic, v.Start, 200)
	for range games {
		g.Reset(v.Start)
		for g.Termination() == engine.Ongoing {
			out = append(out, g.Position())
			legal := g.Legal()
			if err := g.Play(legal[r.IntN(len(legal))]); err != nil {
				panic(err)
			}
		}
		out = append(out, g.Position())
	}
	return out
}

// randomWeights gives every feature a value, the extremes among them.
func randomWeights(v *engine.Variant, seed uint64) *Weights {
	r := rand.New(rand.NewPCG(seed, 0))
	w := Default(v)
	for i := range w.Opening {
		w.Opening[i], w.Endgame[i] = int16(r.Uint32()), int16(r.Uint32())
	}
	return w
}

// mapped returns p with each square moved by to, and colours swapped if swap.
func mapped(v *engine.Variant, p engine.Position, swap bool, to func(engine.Square) engine.Square) engine.Position {
	move := func(bb uint64) (out uint64) {
		for _, s := range v.Board.Squares() {
			if bb&s.Bit() != 0 {
				out |= to(s).Bit()
			}
		}
		return out
	}
	q := engine.Position{Pieces: [2]uint64{move(p.Pieces[0]), move(p.Pieces[1])}, Kings: move(p.Kings), State: engine.ToMove(p.Side())}
	if swap {
		q.Pieces[0], q.Pieces[1] = q.Pieces[1], q.Pieces[0]
		q.SetSide(q.Side().Other())
	}
	return q
}

// Search and tuner must not disagree: Evaluate is the weighted sum of Trace,
// interpolated and rounded towards zero.
func TestEvaluateIsTraceTimesWeights(t *testing.T) {
	for _, v := range variants.All() {
		f, w := For(v), randomWeights(v, 1)
		e := NewEvaluator(v, w)
		phases := map[int]bool{}
		var terms []Term
		for _, p := range positions(v, 100) {
			var phase, sum int
			terms, phase = f.Trace(&p, terms[:0])
			for _, x := range terms {
				if x.Value == 0 || int(x.Index) >= f.Len() {
					t.Fatalf("%s: term %+v", v.Name, x)
				}
				sum += int(x.Value) * (int(w.Opening[x.Index])*phase + int(w.Endgame[x.Index])*(MaxPhase-phase))
			}
			want := sum / MaxPhase
			if p.Side() == engine.Black {
				want = -want
			}
			if got := e.Evaluate(&p); got != want {
				t.Fatalf("%s: %+v: Evaluate %d, Trace %d", v.Name, p, got, want)
			}
			phases[phase] = true
		}
		if len(phases) < 15 || !phases[MaxPhase] {
			t.Errorf("%s: phases %v", v.Name, phases)
		}
	}
}

// Both colours are judged alike: a turned board with swapped colours has the
// same value for its side to move. In Croda left and right are alike too.
func TestSymmetry(t *testing.T) {
	for _, v := range variants.All() {
		e := NewEvaluator(v, randomWeights(v, 2))
		mirror := func(s engine.Square) engine.Square {
			x, y := v.Board.XY(s)
			m, _ := v.Board.At(v.Board.Size-1-x, y)
			return m
		}
		for _, p := range positions(v, 50) {
			q := mapped(v, p, true, v.Board.RotateSquare)
			if a, b := e.Evaluate(&p), e.Evaluate(&q); a != b {
				t.Fatalf("%s: %+v is worth %d, turned %d", v.Name, p, a, b)
			}
			if v.Name != "croda" {
				continue
			}
			q = mapped(v, p, false, mirror)
			if a, b := e.Evaluate(&p), e.Evaluate(&q); a != b {
				t.Fatalf("croda: %+v is worth %d, mirrored %d", p, a, b)
			}
		}
	}
}

// The pattern terms of a position are those that reading each region square by
// square gives; this is independent of the tables by rank.
func TestPatternsAgainstSquareBySquare(t *testing.T) {
	for _, v := range variants.All() {
		f := For(v)
		for _, p := range positions(v, 20) {
			got := map[string]int{}
			terms, _ := f.Trace(&p, nil)
			for _, x := range terms {
				if name := f.Name(int(x.Index)); strings.HasPrefix(name, "pattern ") {
					got[name] += int(x.Value)
				}
			}
			want := map[string]int{}
			turned := mapped(v, p, true, v.Board.RotateSquare)
			for i, q := range []engine.Position{p, turned} {
				q.SetSide(engine.White)
				readRegions(v, f, q, want, 1-2*i)
			}
			for name, n := range want {
				if n == 0 {
					delete(want, name)
				}
			}
			for name, n := range got {
				if n == 0 {
					delete(got, name)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s: %+v\ngot  %v\nwant %v", v.Name, p, got, want)
			}
		}
	}
}

func readRegions(v *engine.Variant, f *Features, p engine.Position, out map[string]int, sign int) {
	b := v.Board
	for _, region := range f.regions {
		var from, to string
		fmt.Sscanf(strings.Replace(region, "-", " ", 1), "%s %s", &from, &to)
		lower, _ := b.Parse(from)
		upper, _ := b.Parse(to)
		_, y0 := b.XY(lower)
		_, y1 := b.XY(upper)
		width := patternSquares / (y1 - y0 + 1)
		var rows [10][]engine.Square
		for y := range b.Size {
			for x := range b.Size {
				if s, ok := b.At(x, y); ok {
					rows[y] = append(rows[y], s)
				}
			}
		}
		first := slices.Index(rows[y0], lower)
		for _, mirrored := range []bool{false, true} {
			if mirrored && v.Name != "croda" {
				continue
			}
			text := ""
			for y := y0; y <= y1; y++ {
				for i := range width {
					x := first + i
					if mirrored {
						x = len(rows[y]) - 1 - x
					}
					s := rows[y][x]
					switch {
					case p.Men(engine.White)&s.Bit() != 0:
						text += "o"
					case p.Men(engine.Black)&s.Bit() != 0:
						text += "x"
					default:
						text += "-"
					}
				}
			}
			if text != strings.Repeat("-", patternSquares) {
				out["pattern "+region+" "+text] += sign
			}
		}
	}
}

// The scalar features mean what their names say, counted by hand.
func TestScalarFeatures(t *testing.T) {
	place := func(v *engine.Variant, side engine.Color, white, black string) engine.Position {
		p := engine.Position{State: engine.ToMove(side)}
		for c, list := range []string{white, black} {
			for name := range strings.FieldsSeq(list) {
				s, err := v.Board.Parse(strings.TrimPrefix(name, "K"))
				if err != nil {
					t.Fatal(err)
				}
				p.Pieces[c] |= s.Bit()
				if name[0] == 'K' {
					p.Kings |= s.Bit()
				}
			}
		}
		return p
	}
	for _, c := range []struct {
		game, white, black string
		side               engine.Color
		want               string
	}{
		// a3 can step to b4; g7 to f8, h8 and is past everything; f6 cannot
		// step (g7 own, e7 enemy). e7, to Black a man on d2, can step to d6
		// only. The base ranks of both are open. Left and right: White has 1
		// and 2, Black 1 and 0, the same difference.
		{
			"russian", "a3 f6 g7 Ka1", "e7", engine.White,
			"man 2, king 1, first king 1, side to move 1, tempo 12, free step 2, blocked man 1, runaway man 1, " +
				"man on rank 2 -1, man on rank 3 1, man on rank 6 1, man on rank 7 1, " +
				"man on file a or h 1, man on file b or g 1, man on file c or f 1, man on file d or e -1, " +
				"king at distance 0 from the edge 1, king on the long diagonal 1",
		},
		// Croda: a2 has steps a3, b3; Black's h7 steps g6 and h6.
		{
			"croda", "a2", "h7 Kd5", engine.Black,
			"king -1, first king -1, side to move -1, king at distance 3 from the edge -1",
		},
		// Frisian: 33 steps to 29 only, 8 to 12 and 13. 46 is to Black what 5
		// is to White; both and 28 are on the long diagonal.
		{
			"frisian", "33 K5", "8 K46 K28", engine.Black,
			"king -1, side to move -1, tempo 2, free step -1, man on rank 2 -1, man on rank 4 1, " +
				"king at distance 4 from the edge -1, king on the long diagonal -1",
		},
	} {
		v, err := variants.ByName(c.game)
		if err != nil {
			t.Fatal(err)
		}
		p := place(v, c.side, c.white, c.black)
		f := For(v)
		terms, _ := f.Trace(&p, nil)
		var got []string
		for _, x := range terms {
			if name := f.Name(int(x.Index)); !strings.HasPrefix(name, "pattern ") {
				got = append(got, fmt.Sprintf("%s %d", name, x.Value))
			}
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s W %s B %s:\ngot  %s\nwant %s", c.game, c.white, c.black, text, c.want)
		}
	}
}

// Features are stable: datasets and weights files refer to them. A change of
// this list makes all weights files void, which Read reports.
func TestFeatureSets(t *testing.T) {
	want := map[string]string{
		"croda":   "52505 4b744c2fb7d97a78",
		"russian": "32826 95c19ab4d4593993",
		"frisian": "52510 d87f98c95501b774",
	}
	for _, v := range variants.All() {
		f, seen := For(v), map[string]bool{}
		for i := range f.Len() {
			if name := f.Name(i); name == "" || seen[name] {
				t.Fatalf("%s: feature %d is called %q", v.Name, i, name)
			} else {
				seen[name] = true
			}
		}
		if got := fmt.Sprintf("%d %s", f.Len(), f.FeatureSet()); got != want[v.Name] {
			t.Errorf("%s: features %s, want %s", v.Name, got, want[v.Name])
		}
	}
}

// Untuned weights know nothing of patterns, and the start is even.
func TestUntuned(t *testing.T) {
	for _, v := range variants.All() {
		f, w := For(v), Untuned(v)
		for i := range f.Len() {
			if strings.HasPrefix(f.Name(i), "pattern ") && (w.Opening[i] != 0 || w.Endgame[i] != 0) {
				t.Fatalf("%s: %s weighs something", v.Name, f.Name(i))
			}
		}
		p := v.Start
		e := NewEvaluator(v, w)
		if got := e.Evaluate(&p); got != 5 {
			t.Errorf("%s: start is worth %d to the side to move", v.Name, got)
		}
		p.Pieces[engine.Black] &= p.Pieces[engine.Black] - 1
		if got := e.Evaluate(&p); got < 80 || got > 120 {
			t.Errorf("%s: a man up is worth %d", v.Name, got)
		}
	}
}

func TestEvaluateAllocatesNothing(t *testing.T) {
	for _, v := range variants.All() {
		f, e, p := For(v), NewEvaluator(v, randomWeights(v, 3)), v.Start
		terms := make([]Term, 0, 200)
		if n := testing.AllocsPerRun(100, func() { e.Evaluate(&p); terms, _ = f.Trace(&p, terms[:0]) }); n != 0 {
			t.Errorf("%s: %v allocations", v.Name, n)
		}
	}
}

// A file gives back the weights and the provenance, and equal weights give
// equal bytes; the hash depends on every value and not on the provenance.
func TestWeightsFile(t *testing.T) {
	for _, v := range variants.All() {
		w := randomWeights(v, 4)
		w.Opening[1], w.Endgame[1] = 0, 0
		w.Provenance = map[string]string{"b": "2 \"quoted\" ünd", "a": "1"}
		var first, second bytes.Buffer
		if err := w.Write(&first); err != nil {
			t.Fatal(err)
		}
		r, err := Read(bytes.NewReader(first.Bytes()), v)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Opening, w.Opening) || !slices.Equal(r.Endgame, w.Endgame) || fmt.Sprint(r.Provenance) != fmt.Sprint(w.Provenance) {
			t.Fatalf("%s: weights changed", v.Name)
		}
		if err := r.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%s: the second text differs (%v)", v.Name, err)
		}
		hash := w.Hash()
		r.Provenance = nil
		if len(hash) != 16 || r.Hash() != hash {
			t.Errorf("%s: hashes %s and %s", v.Name, hash, r.Hash())
		}
		if r.Endgame[len(r.Endgame)-1]++; r.Hash() == hash {
			t.Errorf("%s: the hash overlooks the last weight", v.Name)
		}
	}
}

// What Read must refuse, and the words that tell why.
func TestReadRefuses(t *testing.T) {
	v, _ := variants.ByName("russian")
	var good bytes.Buffer
	if err := Untuned(v).Write(&good); err != nil {
		t.Fatal(err)
	}
	text := good.String()
	if _, err := Read(strings.NewReader(text), v); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"variant": "russian"`, `"variant": "croda"`, `weights of "croda", not of russian`},
		{`"format": 1`, `"format": 2`, "format 2"},
		{`"feature_set": "`, `"feature_set": "0`, "feature set"},
		{`"feature": "king"`, `"feature": "queen"`, `"queen"`},
		{`"feature": "king"`, `"feature": "man"`, `"man"`},
		{`"opening": 100`, `"opening": 100.5`, "100.5"},
		{`"opening": 100`, `"opening": NaN`, "invalid character"},
		{`"opening": 100`, `"opening": 40000`, "40000"},
		{`"opening": 100`, `"opening": []`, "weights.opening: got array"},
		{text, "[]", "want a JSON object, got array"},
		{"{\"feature\": \"man\", \"opening\": 100, \"endgame\": 100},\n", "", "its line is lost"},
		{`"opening": 100, `, ``, "lacks"},
		{`"opening": 100`, `"opening": null`, "lacks"},
		{`"opening": 100`, `"middle": 100`, "middle"},
		{"]\n}", "]\n} {}", "follows"},
		{"]\n}", "]", "EOF"},
		{text, "", "EOF"},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Fatalf("nothing to replace: %s", c.old)
		}
		if _, err := Read(strings.NewReader(bad), v); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "eval.") {
			t.Errorf("%s -> %s: error %v, want %q", c.old, c.new, err, c.want)
		}
	}
}
