package variants_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/slow"
)

// squareName is a square in the vectors: "c3", 28 or "28".
type squareName string

func (n *squareName) UnmarshalJSON(b []byte) error {
	*n = squareName(strings.Trim(string(b), `"`))
	return nil
}

// runs are Frisian king runs: square and number of quiet moves, by side.
type runs map[string][2]int

// set puts runs into a position. A number above 3 binds a king as 3 does.
func (r runs) set(t testing.TB, v *engine.Variant, p *engine.Position) {
	t.Helper()
	for side, run := range r {
		c := engine.Color(strings.Index("WB", side))
		square, err := v.Board.Parse(fmt.Sprint(run[0]))
		if err != nil {
			t.Fatal(err)
		}
		p.SetRun(c, uint8(min(run[1], 3)), square)
	}
	if err := v.Check(p); err != nil {
		t.Fatal(err)
	}
}

// vectorMove is a move as moves.jsonl writes it.
type vectorMove struct {
	Notation string
	From, To squareName
	Captured []squareName
	Promotes bool
	Paths    int
}

// engineMove finds the squares of a vector's move.
func (m vectorMove) engineMove(t testing.TB, b *engine.Board) engine.Move {
	t.Helper()
	square := func(n squareName) engine.Square {
		s, err := b.Parse(string(n))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var captured uint64
	for _, c := range m.Captured {
		captured |= square(c).Bit()
	}
	var effect engine.Effect
	if m.Promotes {
		effect = engine.ManPromotes
	}
	return engine.NewMove(square(m.From), square(m.To), captured, effect)
}

// sameMoves reports moves that are in one list only (G4).
func sameMoves(t testing.TB, v *engine.Variant, p *engine.Position, got []engine.Move, want []vectorMove) {
	t.Helper()
	count := map[slow.Move]int{}
	for _, m := range want {
		count[slow.Of(v, m.engineMove(t, v.Board))]++
	}
	for _, m := range got {
		if count[slow.Of(v, m)]--; count[slow.Of(v, m)] < 0 {
			t.Errorf("%s %s: %s should not be there, or once only", v.Name, writeFEN(v, p), text(v, p, m))
		}
	}
	for m, n := range count {
		if n > 0 {
			t.Errorf("%s %s: missing %+v", v.Name, writeFEN(v, p), m)
		}
	}
}

// vectorRow is a line of moves.jsonl.
type vectorRow struct {
	Variant, FEN string
	Runs         runs
	Moves        []vectorMove
}

// position reads the row's position.
func (r vectorRow) position(t testing.TB) (*engine.Variant, engine.Position) {
	t.Helper()
	v := byName(t, r.Variant)
	p := mustFEN(t, v, r.FEN)
	r.Runs.set(t, v, &p)
	return v, p
}

// vectorRows reads testdata/moves.jsonl.gz.
func vectorRows(t testing.TB) []vectorRow {
	t.Helper()
	f, err := os.Open("testdata/moves.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	var rows []vectorRow
	for lines.Scan() {
		var row vectorRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("moves.jsonl:%d: %v", len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 7059 {
		t.Fatalf("moves.jsonl has %d rows, want 7059", len(rows))
	}
	return rows
}

// TestMoves protects the generators: every move of every vector, and no other.
// The number of paths protects the slow generator, and the text of each move
// protects Route.
func TestMoves(t *testing.T) {
	for _, row := range vectorRows(t) {
		v, p := row.position(t)
		moves := legal(v, &p)
		sameMoves(t, v, &p, moves, row.Moves)
		compare(t, v, &p, moves, 1<<40)
		paths, _ := slow.Moves(v, &p, 0)
		for _, want := range row.Moves {
			m := want.engineMove(t, v.Board)
			if n := paths[slow.Of(v, m)]; n != want.Paths {
				t.Errorf("%s %s: %s has %d paths, want %d", v.Name, row.FEN, want.Notation, n, want.Paths)
			}
			ways := 0
			v.Routes(&p, m, func([]engine.Square) bool { ways++; return true })
			if ways != want.Paths {
				t.Errorf("%s %s: %s has %d routes, want %d", v.Name, row.FEN, want.Notation, ways, want.Paths)
			}
			if got := text(v, &p, m); got != want.Notation {
				t.Errorf("%s %s: route %s, want %s", v.Name, row.FEN, got, want.Notation)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// readJSON reads a file of testdata, unpacking .gz.
func readJSON(t testing.TB, name string, into any) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoder := json.NewDecoder(f)
	if strings.HasSuffix(name, ".gz") {
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		decoder = json.NewDecoder(unzipped)
	}
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestExamples protects the worked examples of the rule sheets.
func TestExamples(t *testing.T) {
	var examples []struct {
		Label, Variant, FEN string
		Runs                runs
		Moves               [][4]json.RawMessage // from, to, captured, promotes
	}
	readJSON(t, "examples.json", &examples)
	if len(examples) != 48 {
		t.Fatalf("%d examples, want 48", len(examples))
	}
	for _, e := range examples {
		t.Run(e.Variant+" "+e.Label, func(t *testing.T) {
			v := byName(t, e.Variant)
			p := mustFEN(t, v, e.FEN)
			e.Runs.set(t, v, &p)
			var want []vectorMove
			for _, m := range e.Moves {
				var w vectorMove
				for i, into := range []any{&w.From, &w.To, &w.Captured, &w.Promotes} {
					if err := json.Unmarshal(m[i], into); err != nil {
						t.Fatal(err)
					}
				}
				want = append(want, w)
			}
			sameMoves(t, v, &p, legal(v, &p), want)
		})
	}
}
