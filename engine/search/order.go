package search

import (
	"math/bits"

	"draughtlab/engine"
)

// The ordering values: the move of the table, promotions, killers, then quiet
// moves by their history, each within ±maxHistory; captures by what they
// take.
const (
	rankKnown   = 1 << 20
	rankPromote = 1 << 19
	rankKiller  = 1 << 18
	maxHistory  = 1 << 14
)

// ordered is a move of a list in the order of search: its ordering value, then
// its place in that order, counted down, then its number in the list.
type ordered uint64

const (
	placeBits = 20 // no position has as many moves
	placeMask = 1<<placeBits - 1
	rankZero  = 1 << 22
)

func newOrdered(value int32, place, number int) ordered {
	return ordered(value+rankZero)<<(2*placeBits) | ordered(placeMask-place)<<placeBits | ordered(number)
}

// number returns the number of the move in the list.
func (o ordered) number() int { return int(o & placeMask) }

// place returns the place of the move in the order.
func (o ordered) place() int { return placeMask - int(o>>placeBits&placeMask) }

// at returns the move at another place.
func (o ordered) at(place int) ordered {
	return o&^(placeMask<<placeBits) | ordered(placeMask-place)<<placeBits
}

// rank returns moves, which are the last of s.stack, with their ordering values.
func (s *Searcher) rank(moves []engine.Move, known moveID, ply int) []ordered {
	base := len(s.stack) - len(moves)
	for len(s.order) < len(s.stack) {
		s.order = append(s.order, 0)
	}
	out := s.order[base:len(s.stack)]
	if moves[0].IsCapture() {
		kings := s.line[ply].Kings
		for i := range out {
			m := &moves[i]
			v := int32(bits.OnesCount64(m.Captured) + bits.OnesCount64(m.Captured&kings))
			if idOf(*m) == known {
				v = rankKnown
			}
			out[i] = newOrdered(v, i, i)
		}
		return out
	}
	h, killers := &s.history[s.line[ply].Side()], s.killers[ply]
	for i := range out {
		m := &moves[i]
		id := quietID(m)
		v := int32(h[id&squaresMask])
		switch {
		case id == known:
			v = rankKnown
		case m.Promotes():
			v = rankPromote
		case id == killers[0]:
			v = rankKiller + 1
		case id == killers[1]:
			v = rankKiller
		}
		out[i] = newOrdered(v, i, i)
	}
	return out
}

// success tells by the squares of quiet moves (quietID) how good they were.
type success [1 << 12]int16

const squaresMask = 1<<12 - 1

// pick brings the move of the highest value to the front, of equal ones the
// first; the one that was in front takes its place.
func pick(list []ordered, front int) ordered {
	best := list[front]
	for _, o := range list[front+1:] {
		best = max(best, o)
	}
	place := best.place()
	list[front], list[place] = best.at(front), list[front].at(place)
	return best
}

// reward remembers that the last of the quiet moves tried was the best one and
// the others were not.
func (s *Searcher) reward(moves []engine.Move, tried []ordered, depth, ply int) {
	id := quietID(&moves[tried[len(tried)-1].number()])
	if s.on.has(killers) && s.killers[ply][0] != id {
		s.killers[ply][1], s.killers[ply][0] = s.killers[ply][0], id
	}
	if !s.on.has(history) {
		return
	}
	h, bonus := &s.history[s.line[ply].Side()], min(depth*depth, 400)
	for _, o := range tried[:len(tried)-1] {
		shift(&h[quietID(&moves[o.number()])&squaresMask], -bonus)
	}
	shift(&h[id&squaresMask], bonus)
}

// shift moves h by bonus, the less the nearer it already is to its limit.
func shift(h *int16, bonus int) {
	*h += int16(bonus - int(*h)*max(bonus, -bonus)/maxHistory)
}
