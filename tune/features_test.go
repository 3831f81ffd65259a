package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
)

// randomPositions calls visit with positions of random games, n in all.
func randomPositions(v *engine.Variant, seed uint64, n int, visit func(p engine.Position)) {
	rng := rand.New(rand.NewPCG(seed, 0))
	game := engine.NewGame(v, engine.Basic, v.Start, 300)
	for range n {
		legal := game.Legal()
		if len(legal) == 0 {
			game.Reset(v.Start)
			legal = game.Legal()
		}
		visit(game.Position())
		if err := game.Play(legal[rng.IntN(len(legal))]); err != nil {
			panic(err)
		}
	}
}

// randomIntegerWeights gives every feature weights, patterns included.
func randomIntegerWeights(v *engine.Variant, f *eval.Features) *eval.Weights {
	rng := rand.New(rand.NewPCG(11, 12))
	w := &eval.Weights{Variant: v.Name, Opening: make([]int16, f.Len()), Endgame: make([]int16, f.Len())}
	for i := range w.Opening {
		w.Opening[i], w.Endgame[i] = int16(rng.IntN(801)-400), int16(rng.IntN(801)-400)
	}
	return w
}

// Protects the tuner's view of the evaluation: on 12,000 positions of each
// game, terms times weights are exactly what the search's evaluator says, and
// the matrix gives the same value in floating point before rounding.
func TestTraceIsTheEvaluation(t *testing.T) {
	for _, v := range variants.All() {
		features := eval.For(v)
		w := randomIntegerWeights(v, features)
		e := eval.NewEvaluator(v, w)
		x, err := vector(features, w)
		if err != nil {
			t.Fatal(err)
		}
		pairs := appendPairs(nil, x)
		m := newTestMatrix(t, features.Len())
		var buf []eval.Term
		failed := 0
		randomPositions(v, 1, 12000, func(p engine.Position) {
			terms, phase := features.Trace(&p, buf[:0])
			buf = terms
			opening, endgame := 0, 0
			for _, term := range terms {
				opening += int(term.Value) * int(w.Opening[term.Index])
				endgame += int(term.Value) * int(w.Endgame[term.Index])
			}
			sum := opening*phase + endgame*(eval.MaxPhase-phase)
			white := e.Evaluate(&p)
			if p.Side() == engine.Black {
				white = -white
			}
			if err := m.Add(Row{Terms: terms, Phase: phase}); err != nil {
				t.Fatal(err)
			}
			row := m.Rows() - 1
			inMatrix := m.score(row, pairs)
			exact := float64(sum) / eval.MaxPhase / 100
			if sum/eval.MaxPhase != white || math.Abs(inMatrix-exact) > 1e-9 {
				failed++
				t.Logf("%s: terms give %d, evaluator %d, matrix %.4f", v.Name, sum/eval.MaxPhase, white, inMatrix)
			}
		})
		if failed > 0 || m.Rows() != 12000 {
			t.Errorf("%s: %d of %d positions differ", v.Name, failed, m.Rows())
		}
	}
}

// turned is p with the board turned by 180 degrees and colours exchanged.
func turned(v *engine.Variant, p engine.Position) engine.Position {
	q := p
	for c := range p.Pieces {
		q.Pieces[c] = v.Board.Rotate(p.Pieces[1-c])
		length, on := p.Run(engine.Color(1 - c))
		q.SetRun(engine.Color(c), length, v.Board.RotateSquare(on))
	}
	q.Kings = v.Board.Rotate(p.Kings)
	q.SetSide(p.Side().Other())
	return q
}

// Protects the reason for not adding mirrored copies of positions: the turned
// position has the opposite coefficients and the same phase.
func TestColourSymmetryIsInTheFeatures(t *testing.T) {
	for _, v := range variants.All() {
		features := eval.For(v)
		failed := 0
		randomPositions(v, 2, 3000, func(p engine.Position) {
			q := turned(v, p)
			sum := map[uint32]int{}
			terms, phase := features.Trace(&p, nil)
			other, otherPhase := features.Trace(&q, nil)
			for _, term := range append(terms, other...) {
				sum[term.Index] += int(term.Value)
			}
			for _, rest := range sum {
				if rest != 0 {
					failed++
					break
				}
			}
			if phase != otherPhase {
				failed++
			}
		})
		if failed > 0 {
			t.Errorf("%s: %d positions are not antisymmetric", v.Name, failed)
		}
	}
}
