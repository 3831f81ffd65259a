package eval

import (
	"fmt"

	"draughtlab/engine"
)

// Evaluator evaluates positions of one game with given weights. It keeps no
// state between calls and may be shared by any number of goroutines.
type Evaluator struct {
	f      *Features
	scalar []packed
	// pattern has an entry more than there are features in each table, a
	// zero for the empty region; it is empty if all patterns weigh nothing.
	pattern []packed
}

// packed is opening<<32 + endgame: sums and multiples of both at once.
type packed int64

func pack(opening, endgame int16) packed { return packed(opening)<<32 + packed(endgame) }

// at returns the value at a phase, times MaxPhase.
func (w packed) at(phase int) int {
	endgame := int32(w)
	opening := (w - packed(endgame)) >> 32
	return int(opening)*phase + int(endgame)*(MaxPhase-phase)
}

// NewEvaluator makes an evaluator; w must be weights of the game v.
func NewEvaluator(v *engine.Variant, w *Weights) *Evaluator {
	if w.Variant != v.Name {
		panic(fmt.Sprintf("eval: weights of %q for %s", w.Variant, v.Name))
	}
	f := w.features()
	e := &Evaluator{f: f}
	for i := range f.names {
		e.scalar = append(e.scalar, pack(w.Opening[i], w.Endgame[i]))
	}
	table, any := make([]packed, f.tables*tableSize), false
	for entry := range table {
		if entry%tableSize != 0 {
			i := f.patternIndex(uint32(entry))
			table[entry] = pack(w.Opening[i], w.Endgame[i])
			any = any || table[entry] != 0
		}
	}
	if any {
		e.pattern = table
	}
	return e
}

// Evaluate returns the value of p in hundredths of a man from the view of the
// side to move: the weighted sum of its features, interpolated by phase and
// rounded towards zero. It allocates nothing.
func (e *Evaluator) Evaluate(p *engine.Position) int {
	var s sample
	e.f.gather(p, &s)
	var sum packed
	values := s.scalar[:len(e.scalar)]
	for i, w := range e.scalar {
		sum += w * packed(values[i])
	}
	if len(e.pattern) != 0 {
		e.f.gatherPatterns(&s)
		for i := range e.f.readings {
			i %= maxReadings
			sum += e.pattern[s.pattern[engine.White][i]] - e.pattern[s.pattern[engine.Black][i]]
		}
	}
	score := sum.at(s.phase) / MaxPhase
	if p.Side == engine.Black {
		return -score
	}
	return score
}
