package search

import (
	"math/bits"

	"draughtlab/engine"
)

// child makes m in the position at ply and searches the position after it to
// the given depth, within alpha and beta of the side that makes m. As a scout
// it first asks, reduced by less plies, only whether m is better than alpha.
func (s *Searcher) child(m engine.Move, depth, alpha, beta, ply int, scout bool, less int) int {
	s.line[ply].MakeInto(m, &s.line[ply+1])
	if scout {
		score := -s.node(depth-less, -alpha-1, -alpha, ply+1)
		if score > alpha && less > 0 && !s.stopped {
			score = -s.node(depth, -alpha-1, -alpha, ply+1)
		}
		if score <= alpha || score >= beta || s.stopped {
			return score
		}
	}
	return -s.node(depth, -beta, -alpha, ply+1)
}

// node returns the score of the position at ply from the view of its side to
// move: exact between alpha and beta, else a bound.
func (s *Searcher) node(depth, alpha, beta, ply int) int {
	s.pv[ply].n = 0
	if s.nodes >= s.check && s.halt() {
		s.stopped = true
		return 0
	}
	s.nodes++
	p := &s.line[ply]
	ending := s.variant.Ending(p, s.profile)
	var key uint64
	// After a capture or a man's move nothing can be a repetition.
	if depth > 0 || p.SinceMan >= 4 {
		key = p.Key()
		s.keys = append(s.keys[:s.root+ply], key)
		if ending.Draw == engine.Ongoing && s.repeated(p, ending) {
			return 0
		}
	}
	var known entry
	if depth > 0 && ending.Draw == engine.Ongoing {
		key = engine.WithClock(key, ending.Clock)
		known = s.table.probe(key)
		if score, ok := known.cut(depth, alpha, beta, ply); ok {
			return score
		}
	}
	base := len(s.stack)
	s.stack = s.variant.Generate(p, s.stack)
	moves := s.stack[base:]
	var score int
	switch {
	case len(moves) == 0: // G3: before any draw article
		score = -Win + ply
	case ending.Draw != engine.Ongoing:
		score = 0
	case ply >= maxPly, depth <= 0 && !moves[0].IsCapture():
		score = max(-MaxEval, min(MaxEval, s.eval.Evaluate(p)))
	default:
		score = s.best(moves, key, known.move, depth, alpha, beta, ply)
	}
	s.stack = s.stack[:base]
	return score
}

// best searches moves, those of the position at ply and the last of s.stack.
func (s *Searcher) best(moves []engine.Move, key uint64, known moveID, depth, alpha, beta, ply int) int {
	order := s.rank(moves, known, ply)
	quiet := !moves[0].IsCapture()
	best, bestMove, kind := -Win, moveID(0), upperBound
	next := depth - 1
	if len(moves) == 1 && depth > 0 && ply < s.horizon {
		next = depth // a forced reply costs nothing
	}
	for i := range moves {
		pick(moves[i:], order[i:])
		m, less := moves[i], 0
		if quiet && depth >= 3 && i >= 3 && !m.Promotes() && !s.noReductions {
			less = 1
			if depth >= 6 && i >= 8 {
				less = 2
			}
		}
		score := s.child(m, next, alpha, beta, ply, i > 0, less)
		if s.stopped {
			return 0
		}
		best = max(best, score)
		if score <= alpha {
			continue
		}
		alpha, bestMove, kind = score, idOf(m), exact
		s.record(m, ply)
		if score >= beta {
			kind = lowerBound
			if quiet {
				s.reward(moves[:i+1], depth, ply)
			}
			break
		}
	}
	if depth > 0 && !s.noTable {
		s.table.store(entry{key: key, move: bestMove, score: toTable(best, ply), depth: uint8(min(depth, 255)), bound: kind})
	}
	return best
}

// record makes m, followed by the line found behind it, the line of ply.
func (s *Searcher) record(m engine.Move, ply int) {
	to, from := &s.pv[ply], &s.pv[ply+1]
	to.moves[0] = m
	to.n = 1 + copy(to.moves[1:], from.moves[:from.n])
}

// repeated reports that p, whose key is the last of s.keys, occurred before in
// the game or the line, where the game would apply its repetition rule: where
// repetition is no article it waits while a draw clock counts (G6).
func (s *Searcher) repeated(p *engine.Position, ending engine.Ending) bool {
	if ending.Clock != 0 && !s.variant.RepetitionIsArticle(s.profile) {
		return false
	}
	last := len(s.keys) - 1
	first := last - int(p.SinceMan) // no capture or man's move can be undone
	if p.SinceMan == 255 {
		first = 0
	}
	for i := last - 2; i >= max(first, 0); i -= 2 {
		if s.keys[i] == s.keys[last] {
			return true
		}
	}
	return false
}

// The ordering values: captures by what they take, promotions, killers, then
// quiet moves by their history, which stays within ±maxHistory.
const (
	rankKnown   = 1 << 24
	rankCapture = 1 << 16
	rankPromote = 1 << 22
	rankKiller  = 1 << 20
	maxHistory  = 1 << 14
)

// rank returns the ordering values of moves, which are the last of s.stack.
func (s *Searcher) rank(moves []engine.Move, known moveID, ply int) []int32 {
	p, base := &s.line[ply], len(s.stack)-len(moves)
	for len(s.order) < len(s.stack) {
		s.order = append(s.order, 0)
	}
	order := s.order[base:len(s.stack)]
	killers, history := s.killers[ply], &s.history[p.Side&1]
	for i, m := range moves {
		v := int32(history[m.From&63][m.To&63])
		switch id := idOf(m); {
		case id == known:
			v = rankKnown
		case m.Captured != 0:
			v = rankCapture * int32(bits.OnesCount64(m.Captured)+bits.OnesCount64(m.Captured&p.Kings))
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

// pick brings the move of the highest value to the front; of equal ones the
// first.
func pick(moves []engine.Move, order []int32) {
	best := 0
	for i, v := range order {
		if v > order[best] {
			best = i
		}
	}
	moves[0], moves[best] = moves[best], moves[0]
	order[0], order[best] = order[best], order[0]
}

// reward remembers that the last of the quiet moves tried was the best one and
// the others were not.
func (s *Searcher) reward(tried []engine.Move, depth, ply int) {
	m := tried[len(tried)-1]
	if id := idOf(m); s.killers[ply][0] != id {
		s.killers[ply][1], s.killers[ply][0] = s.killers[ply][0], id
	}
	history := &s.history[s.line[ply].Side&1]
	bonus := min(depth*depth, 400)
	for _, t := range tried[:len(tried)-1] {
		shift(&history[t.From&63][t.To&63], -bonus)
	}
	shift(&history[m.From&63][m.To&63], bonus)
}

// shift moves h by bonus, the less the nearer it already is to its limit.
func shift(h *int16, bonus int) {
	*h += int16(bonus - int(*h)*max(bonus, -bonus)/maxHistory)
}
