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
	strips []tables
}

// tables are those that the lanes of a strip read: what each occupancy is
// worth, with the additive features of its men. Lanes that a strip lacks read
// the same entry for both sides.
type tables [4]*[tableSize]packed

// packed is opening<<32 + endgame: sums and multiples of both at once.
type packed int64

func pack(opening, endgame int16) packed { return packed(opening)<<32 + packed(endgame) }

// at returns the value at a phase, times MaxPhase.
func (w packed) at(phase int) int {
	endgame := int32(w)
	opening := (w - packed(endgame)) >> 32
	return int(opening)*phase + int(endgame)*(MaxPhase-phase)
}

// NewEvaluator makes an evaluator in some milliseconds; w must be weights of the
// game v.
func NewEvaluator(v *engine.Variant, w *Weights) *Evaluator {
	if w.Variant != v.Name {
		panic(fmt.Sprintf("eval: weights of %q for %s", w.Variant, v.Name))
	}
	f := w.features()
	e := &Evaluator{f: f}
	for i := range f.names {
		e.scalar = append(e.scalar, pack(w.Opening[i], w.Endgame[i]))
	}
	table := make([][tableSize]packed, f.tables)
	taken := f.far // squares whose men are counted: those of the far half in the other side's view
	for i := range f.strips {
		t, read := &f.strips[i], tables{&table[0], &table[0], &table[0], &table[0]}
		for k, l := range t.lanes {
			read[k] = &table[t.table+l.table]
			if !l.mirrored { // else another lane has the same table
				e.fill(read[k], w, t, l, taken)
			}
			_, region := f.occupancy(t, l, tableSize-1)
			taken |= region
		}
		e.strips = append(e.strips, read)
	}
	return e
}

// fill sets the table of a region; men on the squares of taken add nothing.
func (e *Evaluator) fill(table *[tableSize]packed, w *Weights, t *strip, l lane, taken uint64) {
	for entry := 1; entry < tableSize; entry++ {
		var s sample
		own, opp := e.f.occupancy(t, l, entry)
		e.f.gatherMen(own&^taken, e.f.board.Rotate(opp&^taken), &s)
		i := e.f.patternIndex(t.table+l.table, entry)
		table[entry] = pack(w.Opening[i], w.Endgame[i]) + dot(e.scalar, s.scalar[:])
	}
}

// dot returns the sum of values by weights.
func dot(weights []packed, values []int16) (sum packed) {
	values = values[:len(weights)]
	for i, w := range weights {
		sum += w * packed(values[i])
	}
	return sum
}

// Evaluate returns the value of p in hundredths of a man from the view of the
// side to move: the weighted sum of its features, interpolated by phase and
// rounded towards zero. It allocates nothing.
func (e *Evaluator) Evaluate(p *engine.Position) int {
	var s sample
	e.f.gather(p, &s)
	sum := dot(e.scalar[sideToMove:firstRank], s.scalar[sideToMove:])
	if p.Kings != 0 {
		sum += dot(e.scalar[:sideToMove], s.scalar[:]) + dot(e.scalar[e.f.firstRing:], s.scalar[e.f.firstRing:])
	}
	for i := range e.strips {
		t, white, black := &e.strips[i], s.pattern[engine.White][i&3], s.pattern[engine.Black][i&3]
		sum += t[0][uint16(white)] - t[0][uint16(black)]
		sum += t[1][uint16(white>>16)] - t[1][uint16(black>>16)]
		sum += t[2][uint16(white>>32)] - t[2][uint16(black>>32)]
		sum += t[3][white>>48] - t[3][black>>48]
	}
	score := sum.at(s.phase) / MaxPhase
	if p.Side() == engine.Black {
		return -score
	}
	return score
}
