package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
)

// place makes a position from lists of squares, K before a king.
func place(t testing.TB, v *engine.Variant, side engine.Color, white, black string) engine.Position {
	t.Helper()
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
	if err := v.Check(&p); err != nil {
		t.Fatal(err)
	}
	return p
}

func variant(t testing.TB, name string) *engine.Variant {
	t.Helper()
	v, err := variants.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newSearcher(v *engine.Variant) *Searcher { return New(v, eval.Default(v), Options{}) }

// unsound are the techniques that may change scores; the table is the last.
var unsound = []string{"futility", "lmr", "table"}

// randomGame plays up to plies random moves; ok is false if the game is over.
func randomGame(g *engine.Game, r *rand.Rand, plies int) (ok bool) {
	g.Reset(g.Variant().Start)
	for range plies {
		legal := g.Legal()
		if len(legal) == 0 {
			return false
		}
		if err := g.Play(legal[r.IntN(len(legal))]); err != nil {
			panic(err)
		}
	}
	return g.Termination() == engine.Ongoing
}

// show writes a move for messages.
func show(v *engine.Variant, m engine.Move) string {
	return fmt.Sprintf("%s%s%s", v.Board.Name(m.From()), map[bool]string{true: "x", false: "-"}[m.IsCapture()], v.Board.Name(m.To()))
}

// minimax is the score of p by its definition: no bounds, no table, no order.
// A position at depth 0 in which the opponent threatens to capture counts as
// one in which the side to move must capture: all its moves are searched; not
// in Frisian, which does without.
// line holds the keys of the game and of the line up to p.
type minimax struct {
	v       *engine.Variant
	e       *eval.Evaluator
	profile engine.Profile
	horizon int
}

func (x *minimax) score(p engine.Position, line []uint64, depth, ply int) int {
	moves := x.v.Generate(&p, nil)
	if len(moves) == 0 {
		return -Win + ply
	}
	if ply > 0 {
		ending := x.v.Ending(&p, x.profile)
		if ending.Draw != engine.Ongoing {
			return 0
		}
		if ending.Clock == 0 || x.v.RepetitionIsArticle(x.profile) {
			for i := len(line) - 3; i >= 0; i -= 2 {
				if line[i] == p.Key() {
					return 0
				}
			}
		}
		if depth <= 0 && !moves[0].IsCapture() && (depth < 0 || x.v.Name == "frisian" || !x.threatened(p)) {
			return x.e.Evaluate(&p)
		}
		if len(moves) == 1 && depth > 0 && ply < x.horizon {
			depth++
		}
	}
	best := -Win
	for _, m := range moves {
		q := p.Make(m)
		best = max(best, -x.score(q, append(line[:len(line):len(line)], q.Key()), depth-1, ply+1))
	}
	return best
}

// threatened reports whether the opponent could capture if it were to move.
func (x *minimax) threatened(p engine.Position) bool {
	p.SetSide(p.Side().Other())
	moves := x.v.Generate(&p, nil)
	return len(moves) > 0 && moves[0].IsCapture()
}

// win returns the number of plies, at most limit, in which the side to move
// wins by force; 0 if it does not.
func (x *minimax) win(p engine.Position, limit int) int {
	for n := 1; n <= limit; n += 2 {
		if x.forces(p, n) {
			return n
		}
	}
	return 0
}

// forces reports whether the side to move wins within n plies.
func (x *minimax) forces(p engine.Position, n int) bool {
	for _, m := range x.v.Generate(&p, nil) {
		q := p.Make(m)
		replies := x.v.Generate(&q, nil)
		lost := true
		if len(replies) > 0 {
			lost = n > 2 && x.v.Ending(&q, x.profile).Draw == engine.Ongoing
			for i := 0; lost && i < len(replies); i++ {
				r := q.Make(replies[i])
				lost = len(x.v.Generate(&r, nil)) > 0 && x.v.Ending(&r, x.profile).Draw == engine.Ongoing && x.forces(r, n-2)
			}
		}
		if lost {
			return true
		}
	}
	return false
}
