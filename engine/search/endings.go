package search

import (
	"fmt"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
)

// setEndings takes the tables of the options over. It panics at tables of
// another game or other rules, and at such as cover too few pieces: what the
// search finds would not be what its options say.
func (s *Searcher) setEndings(t *endgame.Tables, pieces int) {
	if t == nil || pieces == 0 {
		return
	}
	if t.Variant() != s.variant || t.Rules() != endgame.ForProfile(s.profile) || pieces < 0 || pieces > t.MostPieces() {
		panic(fmt.Sprintf("search: %s tables of %s rules and %d pieces for %s under the %s profile with %d pieces",
			t.Variant().Name, t.Rules(), t.MostPieces(), s.variant.Name, s.profile, pieces))
	}
	s.endings, s.tablePieces = t, pieces
}

// few reports whether the tables may be asked about a position.
func (s *Searcher) few(p *engine.Position) bool { return p.Count() <= s.tablePieces }

// consult returns the exact score of p, which has few pieces and is at ply, or
// false if the tables do not know it.
func (s *Searcher) consult(p *engine.Position, ply int) (score int, ok bool) {
	r, ok := s.endings.Probe(p)
	switch {
	case !ok:
		return 0, false
	case r.Value == endgame.Draw || ply == 1 && r.Distance > 0 && s.repeats(p):
		return 0, true
	case r.Value == endgame.Win:
		return Win - ply - r.Distance, true
	}
	return -Win + ply + r.Distance, true
}

// repeats reports that the game would end by repetition with p after its next
// move, as p was on the board twice. Tables know nothing of the past; further on
// in the line it does not matter, as no win comes back to where it was.
func (s *Searcher) repeats(p *engine.Position) bool {
	if s.variant.Ending(p, s.profile).Clock != 0 && !s.variant.RepetitionIsArticle(s.profile) {
		return false
	}
	seen, key := 0, p.Key()
	for _, k := range s.keys[:s.root+1] {
		if k == key {
			seen++
		}
	}
	return seen >= 2
}

// solve chooses among the root moves by the tables alone, or returns false if
// they do not know all positions the moves lead to. The move keeps the value of
// the position and is the quickest way to a win or the slowest to a loss; of
// equal moves the evaluation likes it best.
func (s *Searcher) solve(moves []engine.Move) (r Result, ok bool) {
	best := 0
	for i := range moves {
		p := &s.line[1]
		s.line[0].MakeInto(moves[i], p)
		if !s.few(p) {
			return Result{}, false
		}
		score, ok := s.consult(p, 1)
		if !ok {
			return Result{}, false
		}
		score = -score
		worth := 0
		if score == 0 && !s.lost(p) {
			worth = -s.value(p)
		}
		if i == 0 || score > r.Score || score == r.Score && worth > best {
			r.Move, r.Score, best = moves[i], score, worth
		}
	}
	r.WinIn, r.Depth, r.Nodes, r.PV = winIn(r.Score), 1, 1, []engine.Move{r.Move}
	return r, true
}
