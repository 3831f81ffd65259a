package tune

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/export/dataset"
	"draughtlab/export/refine"
)

// Selection says which positions of a dataset are used.
type Selection struct {
	// Holdout is the share of games kept for judging, 0 to 0.5. A game is in
	// the holdout by the hash of its number.
	Holdout float64 `json:"holdout"`
	// MaxPositions bounds training and holdout positions together. If there
	// are more, those are used whose hash of (game, ply) is below a threshold,
	// which is halved until they fit: about half of MaxPositions or more
	// remain, and which ones does not depend on the order of reading.
	MaxPositions int `json:"max_positions"`
	// PerGame bounds the positions of one game, those with the smallest hash
	// of (game, ply); 0 means all.
	PerGame int `json:"per_game"`
	// Unsearched takes positions that no engine looked at, except opening
	// moves.
	Unsearched bool `json:"unsearched"`
}

// Use counts what became of the rows of a dataset.
type Use struct {
	// Rows is the number of rows read. Each is in one of the next six counts
	// by the first reason that holds, or in Candidates.
	Rows       int64 `json:"rows"`
	NoOutcome  int64 `json:"no_outcome"`
	CaptureDue int64 `json:"capture_due"`
	Opening    int64 `json:"opening"`
	Unsearched int64 `json:"unsearched"`
	Proven     int64 `json:"proven"`
	PerGame    int64 `json:"over_per_game"`
	Candidates int64 `json:"candidates"`
	// SampleShare is the share of the candidates' hashes that is used.
	SampleShare float64 `json:"sample_share"`
	Train       Part    `json:"train"`
	Holdout     Part    `json:"holdout"`
}

// Part counts the positions of training or holdout, by the outcome of their
// game from White's view, and the games that gave candidates.
type Part struct {
	Games     int64 `json:"games"`
	Positions int   `json:"positions"`
	WhiteWins int   `json:"white_wins"`
	Draws     int   `json:"draws"`
	BlackWins int   `json:"black_wins"`
}

// data is a dataset as the tuner holds it.
type data struct {
	train, holdout *Matrix
	use            Use

	// Set by reduce: the training positions each feature occurs in, and the
	// features left in the matrices.
	counts []int32
	tuned  []int
}

// load streams the positions of one variant of a run or a training set through
// the features, once.
func load(ctx context.Context, dir string, v *engine.Variant, f *eval.Features, s Selection) (*data, error) {
	if refine.IsSet(dir) {
		return loadSet(ctx, dir, v, f, s)
	}
	l, err := newLoader(v, f, s)
	if err != nil {
		return nil, err
	}
	if s.Unsearched {
		next, stop := iter.Pull2(games(dir, v))
		defer stop()
		l.nextGame = next
	}
	err = dataset.Positions(dir, v.Name, func(r *dataset.PositionRow) error {
		if l.use.Rows%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return l.add(r)
	})
	if err == nil {
		err = l.endGame()
	}
	if err != nil {
		return nil, err
	}
	return l.finish(), nil
}

// games yields the games of a variant in the order of their positions.
func games(dir string, v *engine.Variant) iter.Seq2[dataset.GameRow, error] {
	return func(yield func(dataset.GameRow, error) bool) {
		err := dataset.Games(dir, v.Name, func(g *dataset.GameRow) error {
			if !yield(*g, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(dataset.GameRow{}, err)
		}
	}
}

var errStopped = fmt.Errorf("no more games wanted")

// loader turns rows into the two matrices.
type loader struct {
	variant   *engine.Variant
	features  *eval.Features
	selection Selection
	nextGame  func() (dataset.GameRow, error, bool) // only for unsearched positions

	game         int64
	openingPlies int32
	found        int         // candidates of the current game
	candidates   []candidate // those of them below the threshold
	buf          []eval.Term

	parts     [2]part // training and holdout
	threshold uint64
	use       Use
}

type part struct {
	matrix *Matrix
	hashes []uint64 // of the matrix's rows
	games  int64
}

// candidate is a position that may be used; its row has no terms yet.
type candidate struct {
	hash     uint64
	ply      int32
	position engine.Position
	row      Row
}

func newLoader(v *engine.Variant, f *eval.Features, s Selection) (*loader, error) {
	if !(s.Holdout >= 0 && s.Holdout <= 0.5) {
		return nil, fmt.Errorf("holdout %v: it takes a share of the games from 0 to 0.5", s.Holdout)
	}
	if s.MaxPositions < 1 || s.PerGame < 0 {
		return nil, fmt.Errorf("%d positions, %d a game: take at least 1 position, and 0 (all) or more a game", s.MaxPositions, s.PerGame)
	}
	l := &loader{variant: v, features: f, selection: s, threshold: 1<<64 - 1, game: -1}
	for i := range l.parts {
		var err error
		if l.parts[i].matrix, err = NewMatrix(f.Len()); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	return l, nil
}

// add takes one row; the rows of a game come one after the other.
func (l *loader) add(r *dataset.PositionRow) error {
	if r.Game != l.game {
		if err := l.endGame(); err != nil {
			return err
		}
		if err := l.beginGame(r.Game); err != nil {
			return err
		}
	}
	l.use.Rows++
	if o := r.Outcome; o != nil && (*o < int8(engine.BlackWins) || *o > int8(engine.WhiteWins)) {
		return fmt.Errorf("%s: game %d ply %d: column outcome is %d, which is none: run verify", l.variant.Name, r.Game, r.Ply, *o)
	}
	switch searched := r.Score != nil || r.WinIn != nil; {
	case r.Result() == engine.Unfinished:
		l.use.NoOutcome++
	case r.CaptureDue:
		l.use.CaptureDue++
	case r.Ply < l.openingPlies:
		l.use.Opening++
	case !searched && !l.selection.Unsearched:
		l.use.Unsearched++
	case r.WinIn != nil:
		l.use.Proven++
	default:
		return l.addCandidate(r)
	}
	return nil
}

// maxClock is where the clocks of a position stop.
const maxClock = 255

// addCandidate keeps a position for endGame. The score, which the dataset
// states from the side to move, becomes White's.
func (l *loader) addCandidate(r *dataset.PositionRow) error {
	l.found++
	c := candidate{hash: positionHash(r.Game, r.Ply), ply: r.Ply, row: Row{Outcome: r.Result()}}
	if c.hash > l.threshold {
		return nil
	}
	for _, clock := range []struct {
		name  string
		plies int16
	}{{"since_change", r.SinceChange}, {"since_man", r.SinceMan}, {"road", r.Road}} {
		if clock.plies < 0 || clock.plies > maxClock {
			return fmt.Errorf("%s: game %d ply %d: column %s is %d, it ends at %d: run verify", l.variant.Name, r.Game, r.Ply, clock.name, clock.plies, maxClock)
		}
	}
	var err error
	if c.position, err = r.Position(l.variant); err != nil {
		return fmt.Errorf("%s: %w", l.variant.Name, err)
	}
	if r.Score != nil {
		c.row.Scored, c.row.Score = true, int(*r.Score)
		if !r.WhiteToMove {
			c.row.Score = -c.row.Score
		}
	}
	l.candidates = append(l.candidates, c)
	return nil
}

// beginGame looks up how many plies of the game are its opening, which only
// matters where unsearched positions are taken.
func (l *loader) beginGame(game int64) error {
	l.game = game
	if l.nextGame == nil {
		return nil
	}
	for {
		g, err, ok := l.nextGame()
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: game %d has positions but no row in the games table; run verify", l.variant.Name, game)
		}
		if g.Game == game {
			l.openingPlies = g.OpeningPlies
			return nil
		}
	}
}

// endGame moves the candidates of the current game into its matrix. Of those
// below the threshold the PerGame smallest are the same as of all.
func (l *loader) endGame() error {
	if l.found == 0 {
		return nil
	}
	used := l.found
	if k := l.selection.PerGame; k > 0 && used > k {
		slices.SortFunc(l.candidates, func(a, b candidate) int { return cmp.Compare(a.hash, b.hash) })
		l.candidates = l.candidates[:min(k, len(l.candidates))]
		used = k
	}
	l.use.Candidates += int64(used)
	l.use.PerGame += int64(l.found - used)
	to := &l.parts[0]
	if inHoldout(l.game, l.selection.Holdout) {
		to = &l.parts[1]
	}
	to.games++
	for i := range l.candidates {
		c := &l.candidates[i]
		l.buf, c.row.Phase = l.features.Trace(&c.position, l.buf[:0])
		c.row.Terms = l.buf
		if err := to.matrix.Add(c.row); err != nil {
			return fmt.Errorf("%s game %d ply %d: %w", l.variant.Name, l.game, c.ply, err)
		}
		to.hashes = append(to.hashes, c.hash)
	}
	l.found, l.candidates = 0, l.candidates[:0]
	l.thin()
	return nil
}

// thin lowers the threshold until the positions fit.
func (l *loader) thin() {
	for l.parts[0].matrix.Rows()+l.parts[1].matrix.Rows() > l.selection.MaxPositions {
		l.threshold /= 2
		for i := range l.parts {
			l.parts[i].thin(l.threshold)
		}
	}
}

// thin drops the rows whose hash is above the threshold.
func (p *part) thin(threshold uint64) {
	p.matrix.keep(func(i int) bool { return p.hashes[i] <= threshold })
	p.hashes = slices.DeleteFunc(p.hashes, func(h uint64) bool { return h > threshold })
}

func (l *loader) finish() *data {
	d := &data{train: l.parts[0].matrix, holdout: l.parts[1].matrix, use: l.use}
	d.use.SampleShare = (float64(l.threshold) + 1) / (1 << 64)
	d.use.Train = l.parts[0].count()
	d.use.Holdout = l.parts[1].count()
	return d
}

func (p *part) count() Part {
	won, drawn, lost := p.matrix.outcomes()
	return Part{Games: p.games, Positions: p.matrix.Rows(), WhiteWins: won, Draws: drawn, BlackWins: lost}
}

// inHoldout tells whether a game is in the holdout of that share.
func inHoldout(game int64, share float64) bool {
	return float64(spread(uint64(game)^0x686f6c646f757421)>>11) < share*(1<<53)
}

// positionHash orders the positions of a dataset at random but for good.
func positionHash(game int64, ply int32) uint64 {
	return spread(spread(uint64(game)) + uint64(ply))
}

// spread is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", 2014), after one step of its counter.
func spread(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
