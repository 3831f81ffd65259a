package eval

import (
	"fmt"
	"math/bits"

	"draughtlab/engine"
)

// Evaluator evaluates positions of one game with given weights. It keeps no
// state between calls and may be shared by any number of goroutines.
type Evaluator struct {
	f                                 *Features
	scalar                            []packed
	free, blocked, past, uneven, open packed        // of scalar
	first                             packed        // firstKing of scalar
	king                              [2][64]packed // by colour and square, without firstKing
	// What each occupancy of the regions is worth, with the additive features
	// of its men: table by table.
	table *[1 << 16]packed
	lanes [maxStrips]int // by strip
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
	e.free, e.blocked, e.past = e.scalar[freeStep], e.scalar[blockedMan], e.scalar[runaway]
	e.uneven, e.open = e.scalar[imbalance], e.scalar[openBase]
	e.first = e.scalar[firstKing]
	for _, s := range f.board.Squares() {
		var all scalars
		f.gatherKings(&engine.Position{Pieces: [2]uint64{s.Bit(), 0}, Kings: s.Bit()}, &all)
		all[firstKing] = 0
		e.king[engine.White][s] = dot(e.scalar, all[:])
		e.king[engine.Black][f.board.RotateSquare(s)] = -e.king[engine.White][s]
	}
	e.table = new([1 << 16]packed)
	taken := f.far[engine.White] // squares whose men are counted: those of the far half in the other side's view
	for i := range f.strips {
		t := &f.strips[i]
		e.lanes[i] = len(t.lanes)
		for _, l := range t.lanes {
			if !l.mirrored { // else another lane has the same table
				e.fill(w, t, l, taken)
			}
			_, region := f.occupancy(t, l, tableSize-1)
			taken |= region
		}
	}
	return e
}

// fill sets the table of a region; men on the squares of taken add nothing.
func (e *Evaluator) fill(w *Weights, t *strip, l lane, taken uint64) {
	number := t.table + l.table
	for entry := 1; entry < tableSize; entry++ {
		var all scalars
		own, opp := e.f.occupancy(t, l, entry)
		e.f.gatherMen(own&^taken, e.f.board.Rotate(opp&^taken), &all)
		i := e.f.patternIndex(number, entry)
		e.table[number*tableSize+entry] = pack(w.Opening[i], w.Endgame[i]) + dot(e.scalar, all[:])
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
	sum := e.scalar[sideToMove] * packed(1-2*int(p.Side()))
	sum += e.free*packed(s.free) + e.blocked*packed(s.blocked) + e.past*packed(s.past)
	sum += e.uneven*packed(s.uneven) + e.open*packed(s.open)
	if p.Kings != 0 {
		sum += e.kings(p)
	}
	for i, lanes := range e.lanes {
		if lanes == 0 {
			break
		}
		white, black := s.pattern[engine.White][i], s.pattern[engine.Black][i]
		sum += e.table[uint16(white)] - e.table[uint16(black)]
		sum += e.table[uint16(white>>16)] - e.table[uint16(black>>16)]
		if lanes > 2 {
			sum += e.table[uint16(white>>32)] - e.table[uint16(black>>32)]
		}
		if lanes > 3 {
			sum += e.table[white>>48] - e.table[black>>48]
		}
	}
	score := sum.at(s.phase) / MaxPhase
	if p.Side() == engine.Black {
		return -score
	}
	return score
}

// kings returns what the features of kings are worth.
func (e *Evaluator) kings(p *engine.Position) (sum packed) {
	for c, first := range [2]packed{e.first, -e.first} {
		kings := p.Pieces[c] & p.Kings
		if kings == 0 {
			continue
		}
		sum += first
		for ; kings != 0; kings &= kings - 1 {
			sum += e.king[c][bits.TrailingZeros64(kings)]
		}
	}
	return sum
}
