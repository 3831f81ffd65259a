package search

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/eval"
)

// Version changes whenever the search, or the evaluation with the same weights,
// may choose another move or tell another score: a dataset that was begun with
// one version is not gone on with by another.
const Version = 3

// Scores are in hundredths of a man from the view of the side to move. A win
// in n plies is Win-n; scores that are no proven win or loss stay within
// minus MaxEval to MaxEval.
const (
	Win     = 30000
	MaxEval = Win - 1000
)

const (
	maxPly   = 128 // of a line, with its extensions and captures
	maxDepth = 64  // of an iteration
)

// Limits bounds one search; 0 means no limit, and at least one of Nodes, Depth
// and Stop must be set.
type Limits struct {
	// Nodes is the number of positions visited. The first move is always
	// followed to quiet positions, even if that takes more.
	Nodes uint64
	// Depth is the number of plies of the last iteration; more than 64 count
	// as 64.
	Depth int
	// Stop is asked about every 1,024 nodes; once it answers true, the search
	// ends as at a limit of nodes, or with any move if it has none yet. It is
	// for play by the clock and for analysis: what it stops cannot be
	// repeated, so datasets never use it.
	Stop func() bool
	// Progress, if set, is called after each iteration; it must not keep PV.
	Progress func(Result)
	// Except lists moves of the position that are left out, for a second
	// line beside the best.
	Except []engine.Move
	// Deep searches a move without alternative as far as any other.
	Deep bool
}

// Options are the settings of a Searcher.
type Options struct {
	// Profile says which draw articles are in force.
	Profile engine.Profile
	// HashEntries is the size of the hash table in entries of 16 bytes, a
	// power of two from 4; 0 means 65536.
	HashEntries int
	// Off names techniques that are not to be used (Techniques).
	Off []string
	// Tables give the exact value of positions of up to TablePieces pieces,
	// and never of more, whatever else they cover; 0 or nil asks none. They
	// must be of the game and of the profile's rules, cover a material of so
	// many pieces or more, and have all up to there in memory
	// (endgame.Tables.Load); what they do not cover is searched.
	Tables      *endgame.Tables
	TablePieces int
}

// Result is what a search found.
type Result struct {
	Move engine.Move
	// Score is in hundredths of a man from the view of the side to move.
	Score int
	// WinIn is the number of plies of the win found, or minus that of the
	// loss; 0 where neither is proven. A shorter win may exist.
	WinIn int
	// Depth is the last iteration that was completed; 0 if none was.
	Depth int
	// Nodes counts positions visited.
	Nodes uint64
	// PV is the line expected, beginning with Move.
	PV []engine.Move
}

// Searcher searches positions of one game, one at a time. Between the moves of
// a game it keeps its hash table; Clear forgets it.
type Searcher struct {
	variant *engine.Variant
	eval    *eval.Evaluator
	profile engine.Profile
	on      technique
	table   table

	endings     *endgame.Tables
	tablePieces int // endings are asked about positions of at most so many

	nodes, limit uint64
	check        uint64 // number of nodes from which halt is to be asked
	stop         func() bool
	started      bool // a first root move has been searched: the limit counts
	stopped      bool // the limit was reached: unwind, results are void
	horizon      int  // ply from which lines are not extended any more

	keys    []uint64 // of the game, then of the current line
	line    [maxPly + 2]engine.Position
	root    int           // keys[root] is that of the position searched
	stack   []engine.Move // move lists of the current line, one behind the other
	order   []ordered     // the order of stack's moves
	killers [maxPly + 1][2]moveID
	history [2]success // by side to move
	// pv[ply] is the principal variation from ply on, length[ply] moves long.
	pv     [maxPly + 1][maxPly]engine.Move
	length [maxPly + 1]int
}

// New returns a searcher; w must be weights of the game v. It panics if
// HashEntries is not a power of two from 4, at an unknown technique, and at
// Tables that do not fit.
func New(v *engine.Variant, w *eval.Weights, o Options) *Searcher {
	if o.HashEntries == 0 {
		o.HashEntries = 1 << 16
	}
	if o.HashEntries < 4 || o.HashEntries&(o.HashEntries-1) != 0 {
		panic(fmt.Sprintf("search: %d hash entries", o.HashEntries))
	}
	s := &Searcher{
		variant: v, eval: eval.NewEvaluator(v, w), profile: o.Profile, table: newTable(o.HashEntries),
		on:    techniquesBut(o.Off, v.Name),
		keys:  make([]uint64, 0, 1024),
		stack: make([]engine.Move, 0, 64*maxPly), order: make([]ordered, 0, 64*maxPly),
	}
	s.setEndings(o.Tables, o.TablePieces)
	return s
}

// Clear forgets all earlier searches, as if the searcher were new.
func (s *Searcher) Clear() {
	s.table.clear()
	clear(s.history[:])
}

// Search returns the best move it finds in p. history holds the keys of the
// game up to p, which is last (engine.Game.Keys), or nothing; a position that
// occurred in it counts as a draw where the game would end by repetition. It
// fails if p has no legal move or if no limit is set.
//
// A move without alternative is returned after depth 1. A proven win or loss
// ends the search, whatever the limits leave. Where endgame tables know all
// positions the moves lead to, they choose without a search: depth 1, one node,
// and a line of one move. Where the limit of nodes breaks
// off an iteration, the best of the moves it has searched counts: the first of
// them was the best of the iteration before.
func (s *Searcher) Search(p engine.Position, history []uint64, l Limits) (Result, error) {
	if l.Nodes == 0 && l.Depth <= 0 && l.Stop == nil {
		return Result{}, errors.New("search: no limit of nodes, depth or time")
	}
	if n := len(history); n > 0 && history[n-1] != p.Key() {
		return Result{}, errors.New("search: the history does not end with the position")
	}
	s.begin(p, history, l)
	root := &s.line[0]
	s.stack = s.variant.Generate(root, s.stack)
	s.stack = slices.DeleteFunc(s.stack, func(m engine.Move) bool { return slices.ContainsFunc(l.Except, m.Same) })
	moves := s.stack
	if len(moves) == 0 {
		return Result{}, errors.New("search: no legal move")
	}
	if r, ok := s.solve(moves); ok {
		if l.Progress != nil {
			l.Progress(r)
		}
		return r, nil
	}
	depth := maxDepth
	if l.Depth > 0 {
		depth = min(l.Depth, maxDepth)
	}
	if len(moves) == 1 && !l.Deep {
		depth = 1
	}
	var r Result
	key := engine.WithClock(root.Key(), s.variant.Ending(root, s.profile).Clock)
	order := s.rank(moves, s.table.probe(key).move, 0)
	s.stack = append(s.stack, moves...)
	moves, generated := s.stack[:len(moves)], s.stack[len(moves):]
	for i := range order {
		moves[i] = generated[pick(order, i).number()]
	}
	s.stack = moves
	for d := 1; d <= depth; d++ {
		s.iterate(moves, d, &r)
		r.Nodes, r.WinIn = s.nodes, winIn(r.Score)
		if l.Progress != nil && !s.stopped {
			l.Progress(r)
		}
		if s.stopped || r.Score > MaxEval || r.Score < -MaxEval {
			break
		}
	}
	return r, nil
}

// winIn returns the number of plies of a proven win, minus that of a loss, or 0.
func winIn(score int) int {
	switch {
	case score > MaxEval:
		return Win - score
	case score < -MaxEval:
		return -(Win + score)
	}
	return 0
}

// begin prepares a search.
func (s *Searcher) begin(p engine.Position, history []uint64, l Limits) {
	s.keys = append(s.keys[:0], history...)
	if len(history) == 0 {
		s.keys = append(s.keys, p.Key())
	}
	s.root = len(s.keys) - 1
	s.line[0] = p
	s.nodes, s.limit, s.started, s.stopped = 1, l.Nodes, false, false
	s.stop, s.check = l.Stop, 0
	s.halt()
	s.stack, s.order = s.stack[:0], s.order[:0]
	clear(s.killers[:])
}

// halt reports whether the search is to end now, and sets when to ask again.
func (s *Searcher) halt() bool {
	limit := s.limit
	if limit == 0 {
		limit = math.MaxUint64
	}
	s.check = limit
	if s.stop == nil {
		return s.started && s.nodes >= limit
	}
	s.check = min(limit, s.nodes+1024)
	return s.started && s.nodes >= limit || s.stop()
}

// window is the half width of the first window of an iteration.
const window = 30

// iterate searches the root moves to one depth and records in r what it found.
// The best move is moved to the front, for the next iteration.
func (s *Searcher) iterate(moves []engine.Move, depth int, r *Result) {
	s.horizon = 2*depth + 8
	low, high := -Win, Win
	if s.on.has(aspiration) && depth >= 4 {
		low, high = r.Score-window, r.Score+window
	}
	for {
		score := s.within(moves, depth, low, high, r)
		switch {
		case s.stopped:
			return
		case score <= low && low > -Win:
			low = -Win
		case score >= high && high < Win:
			high = Win
		default:
			r.Depth = depth
			return
		}
	}
}

// within searches the root moves to one depth, between alpha and beta, and
// returns the score, or a bound outside of them. r has the best move found.
func (s *Searcher) within(moves []engine.Move, depth, alpha, beta int, r *Result) int {
	best := -Win
	for i := range moves {
		m := moves[i]
		score := s.child(&m, depth-1, alpha, beta, 0, i > 0, 0)
		if s.stopped {
			if len(r.PV) == 0 || r.Score < -MaxEval { // nothing is known, or all that is known loses: m may not
				r.Move, r.PV = m, append(r.PV[:0], m)
			}
			return 0
		}
		s.started = true
		best = max(best, score)
		if score > alpha || i == 0 && alpha == -Win {
			alpha = score
			s.record(m, 0)
			copy(moves[1:i+1], moves[:i])
			moves[0] = m
			r.Move, r.Score = m, score
			r.PV = append(r.PV[:0], s.pv[0][:s.length[0]]...)
		}
		if score >= beta {
			break
		}
	}
	return best
}
