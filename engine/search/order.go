package search

import (
	"math/bits"

	"draughtlab/engine"
)

// The ordering values: the move of the table, promotions, killers, then quiet
// moves by their histories, each within ±maxHistory; captures by what they
// take.
const (
	rankKnown   = 1 << 24
	rankPromote = 1 << 22
	rankKiller  = 1 << 20
	maxHistory  = 1 << 14
)

// rank returns the ordering values of moves, which are the last of s.stack.
func (s *Searcher) rank(moves []engine.Move, known moveID, ply int) []int32 {
	base := len(s.stack) - len(moves)
	for len(s.order) < len(s.stack) {
		s.order = append(s.order, 0)
	}
	order := s.order[base:len(s.stack)]
	if moves[0].IsCapture() {
		kings := s.line[ply].Kings
		for i, m := range moves {
			order[i] = int32(bits.OnesCount64(m.Captured) + bits.OnesCount64(m.Captured&kings))
			if idOf(m) == known {
				order[i] = rankKnown
			}
		}
		return order
	}
	h := s.histories(ply)
	killers := s.killers[ply]
	for i, m := range moves {
		id := idOf(m)
		v := h.value(m)
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
		order[i] = v
	}
	return order
}

// histories are the tables that tell how good the quiet moves of the side to
// move at some ply were: by their squares, and there by the square to which the
// last move went (reply) or its own one before (sequel).
type histories struct {
	squares       *[64][64]int16
	reply, sequel *[64][64]int16
	squaresBefore uint64 // the squares to which those two moves went
}

func (s *Searcher) histories(ply int) histories {
	last, before := s.made[ply+1]&63, s.made[ply]&63
	return histories{&s.history[s.line[ply].Side()], &s.reply[last], &s.sequel[before], last.Bit() | before.Bit()}
}

func (h *histories) value(m engine.Move) int32 {
	f, t := m.From()&63, m.To()&63
	return int32(h.squares[f][t]) + int32(h.reply[f][t]) + int32(h.sequel[f][t])
}

// pick brings the move of the highest value to the front; of equal ones the
// first.
func pick(moves []engine.Move, order []int32) {
	best, high := 0, order[0]
	for i, v := range order {
		if v > high {
			best, high = i, v
		}
	}
	if best != 0 {
		moves[0], moves[best] = moves[best], moves[0]
		order[0], order[best] = order[best], order[0]
	}
}

// reward remembers that the last of the quiet moves tried was the best one and
// the others were not.
func (s *Searcher) reward(tried []engine.Move, depth, ply int) {
	m := tried[len(tried)-1]
	h := s.histories(ply)
	if id := idOf(m); s.on.has(killers) && s.killers[ply][0] != id {
		s.killers[ply][1], s.killers[ply][0] = s.killers[ply][0], id
	}
	bonus := min(depth*depth, 400)
	for _, t := range tried[:len(tried)-1] {
		s.learn(&h, t, -bonus)
	}
	s.learn(&h, m, bonus)
}

// learn shifts the histories of m by bonus.
func (s *Searcher) learn(h *histories, m engine.Move, bonus int) {
	f, t := m.From()&63, m.To()&63
	if s.on.has(history) {
		shift(&h.squares[f][t], bonus)
	}
	if s.on.has(continuation) {
		s.touched |= h.squaresBefore
		shift(&h.reply[f][t], bonus)
		shift(&h.sequel[f][t], bonus)
	}
}

// shift moves h by bonus, the less the nearer it already is to its limit.
func shift(h *int16, bonus int) {
	*h += int16(bonus - int(*h)*max(bonus, -bonus)/maxHistory)
}
