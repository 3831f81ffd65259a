package search

import "draughtlab/engine"

// child makes m in the position at ply and searches the position after it to
// the given depth, within alpha and beta of the side that makes m. As a scout
// it first asks, reduced by less plies, only whether m is better than alpha.
func (s *Searcher) child(m *engine.Move, depth, alpha, beta, ply int, scout bool, less int) int {
	s.line[ply].MakeInto(*m, &s.line[ply+1])
	if scout && s.on.has(pvs) {
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
	s.length[ply] = 0
	if s.nodes >= s.check && s.halt() {
		s.stopped = true
		return 0
	}
	s.nodes++
	p := &s.line[ply]
	if s.few(p) {
		if score, ok := s.consult(p, ply); ok {
			return score
		}
	}
	var ending engine.Ending
	if p.Kings != 0 { // no article draws a game without kings
		ending = s.variant.Ending(p, s.profile)
	}
	var key uint64
	// After a capture or a man's move nothing can be a repetition.
	if depth > 0 || p.SinceMan() >= 4 {
		key = p.Key()
		s.keys = append(s.keys[:s.root+ply], key)
		if ending.Draw == engine.Ongoing && s.repeated(p, ending) {
			return 0
		}
	}
	if ending.Draw != engine.Ongoing {
		if s.lost(p) {
			return -Win + ply // G3: before any draw article
		}
		return 0
	}
	if ply >= maxPly || depth <= 0 && s.quiet(p, depth) {
		return s.leaf(p, ply)
	}
	var known moveID
	if depth > 0 {
		key = engine.WithClock(key, ending.Clock)
		e := s.table.probe(key)
		if score, ok := e.cut(depth, alpha, beta, ply); ok {
			return score
		}
		if s.on.has(hashMove) {
			known = e.move
		}
		if score, ok := s.prune(p, depth, alpha, beta); ok {
			return score
		}
	}
	base := len(s.stack)
	s.stack = s.variant.Generate(p, s.stack)
	score := -Win + ply
	if len(s.stack) > base {
		score = s.best(s.stack[base:], key, known, depth, alpha, beta, ply)
	}
	s.stack = s.stack[:base]
	return score
}

// quiet reports whether the position p, at a depth that is used up, is to be
// evaluated: its side cannot capture, nor does the other threaten to, if it is
// the first such position of the line.
func (s *Searcher) quiet(p *engine.Position, depth int) bool {
	return !s.variant.CanCapture(p, p.Side()) &&
		!(depth == 0 && s.on.has(threat) && s.variant.CanCapture(p, p.Side().Other()))
}

// leaf returns the value of a position that is not searched.
func (s *Searcher) leaf(p *engine.Position, ply int) int {
	if s.lost(p) {
		return -Win + ply
	}
	return s.value(p)
}

// lost reports whether the side to move has no move (G3).
func (s *Searcher) lost(p *engine.Position) bool {
	return !s.variant.CanMove(p, s.stack[len(s.stack):])
}

// value returns what the evaluation says of p.
func (s *Searcher) value(p *engine.Position) int {
	return max(-MaxEval, min(MaxEval, s.eval.Evaluate(p)))
}

// Down to the depth shallow the evaluation must exceed beta by futilityMargin,
// in hundredths of a man, for each ply left.
const (
	shallow        = 2
	futilityMargin = 60
)

// prune returns a score for a position so good that a search to the given
// small depth is not expected to bring it below beta (futility). It judges
// quiet positions without a threat, in null windows only.
func (s *Searcher) prune(p *engine.Position, depth, alpha, beta int) (score int, ok bool) {
	if depth > shallow || beta-alpha > 1 || beta > MaxEval || beta < -MaxEval || !s.on.has(futility) ||
		s.variant.CanCapture(p, p.Side()) || s.variant.CanCapture(p, p.Side().Other()) {
		return 0, false
	}
	score = s.value(p) - futilityMargin*depth
	return score, score >= beta && !s.lost(p)
}

// best searches moves, those of the position at ply and the last of s.stack.
func (s *Searcher) best(moves []engine.Move, key uint64, known moveID, depth, alpha, beta, ply int) int {
	var only [1]ordered
	order := only[:]
	if len(moves) > 1 {
		order = s.rank(moves, known, ply)
	}
	quiet := !moves[0].IsCapture()
	best, bestMove, kind := -Win, moveID(0), upperBound
	next := depth - 1
	if len(moves) == 1 && depth > 0 && ply < s.horizon && s.on.has(extension) {
		next = depth // a forced reply costs nothing
	}
	for i := range moves {
		m, less := &moves[0], 0
		if len(moves) > 1 {
			m = &moves[pick(order, i).number()]
		}
		if quiet && i > 0 && !m.Promotes() && s.on.has(lmr) {
			less = reduction(depth, i)
		}
		score := s.child(m, next, alpha, beta, ply, i > 0, less)
		if s.stopped {
			return 0
		}
		best = max(best, score)
		if score <= alpha {
			continue
		}
		alpha, bestMove, kind = score, idOf(*m), exact
		s.record(*m, ply)
		if score >= beta {
			kind = lowerBound
			if quiet && depth > 0 {
				s.reward(moves, order[:i+1], depth, ply)
			}
			break
		}
	}
	if depth > 0 && s.on.has(hashTable) {
		s.table.store(entry{key: key, move: bestMove, score: toTable(best, ply), depth: uint8(min(depth, 255)), bound: kind})
	}
	return best
}

// reduction returns by how many plies less the move number i of a quiet
// position, counted from 0, is searched.
func reduction(depth, i int) int {
	switch {
	case depth < 2 || i < 2:
		return 0
	case depth < 4 || i < 4:
		return 1
	case i < 8:
		return 2
	}
	return 2 + depth/6
}

// record makes m, followed by the line found behind it, the line of ply.
func (s *Searcher) record(m engine.Move, ply int) {
	s.pv[ply][0] = m
	s.length[ply] = 1 + copy(s.pv[ply][1:], s.pv[ply+1][:s.length[ply+1]])
}

// repeated reports that p, whose key is the last of s.keys, occurred before in
// the game or the line, where the game would apply its repetition rule: where
// repetition is no article it waits while a draw clock counts (G6).
func (s *Searcher) repeated(p *engine.Position, ending engine.Ending) bool {
	if ending.Clock != 0 && !s.variant.RepetitionIsArticle(s.profile) {
		return false
	}
	last := len(s.keys) - 1
	first := last - int(p.SinceMan()) // no capture or man's move can be undone
	if p.SinceMan() == 255 {
		first = 0
	}
	for i := last - 2; i >= max(first, 0); i -= 2 {
		if s.keys[i] == s.keys[last] {
			return true
		}
	}
	return false
}
