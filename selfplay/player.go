package selfplay

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/search"
	"draughtlab/export/dataset"
)

// Kinds of player.
const (
	Search = "search" // alpha-beta with a limit of nodes or depth
	Random = "random" // each legal move with the same probability
)

// PlayerConfig says how moves are chosen. It never names a time: a game must
// come out the same on any machine.
type PlayerConfig struct {
	// Kind is Search or Random.
	Kind string `json:"kind"`
	// Nodes is the limit of positions searched a move, Depth that of plies; 0
	// is none. A search needs at least one.
	Nodes uint64 `json:"nodes"`
	Depth int    `json:"depth"`
	// HashEntries is the size of the search's hash table, a power of two.
	HashEntries int `json:"hash_entries"`
}

// DefaultHashEntries suits games of some thousand nodes a move: 1 MiB a worker.
const DefaultHashEntries = 1 << 16

// Bounds of hash tables: entries of one, and bytes of those of all workers.
const (
	maxHashEntries = 1 << 28
	maxHashBytes   = 4 << 30
	hashEntryBytes = 16
)

// CheckMemory refuses hash tables that take more memory together than a slip of
// the hand should, where each worker has one for each of these players.
func CheckMemory(workers int, players ...PlayerConfig) error {
	entries := 0
	for _, p := range players {
		entries += p.HashEntries
	}
	if bytes := int64(workers) * int64(entries) * hashEntryBytes; bytes > maxHashBytes {
		return fmt.Errorf("%d workers with %d hash entries each take %d MiB of memory, the limit is %d MiB: use fewer workers or entries", workers, entries, bytes>>20, maxHashBytes>>20)
	}
	return nil
}

// maxDepth is the greatest depth the search takes.
const maxDepth = 64

// Validate reports the first thing wrong with the settings.
func (c PlayerConfig) Validate() error {
	switch c.Kind {
	case Random:
		if c.Nodes != 0 || c.Depth != 0 || c.HashEntries != 0 {
			return fmt.Errorf("a random player takes no limit of nodes or depth and no hash table: leave them out or let the engine be %s", Search)
		}
		return nil
	case Search:
	default:
		return fmt.Errorf("unknown engine %q: use %s or %s", c.Kind, Search, Random)
	}
	switch {
	case c.Nodes == 0 && c.Depth == 0:
		return fmt.Errorf("a search needs a limit: give nodes or depth, at least 1")
	case c.Nodes > math.MaxInt32:
		return fmt.Errorf("%d nodes a move are too many: the limit is %d", c.Nodes, math.MaxInt32)
	case c.Depth < 0 || c.Depth > maxDepth:
		return fmt.Errorf("depth %d is not from 1 to %d", c.Depth, maxDepth)
	case c.HashEntries < 4 || c.HashEntries > maxHashEntries || c.HashEntries&(c.HashEntries-1) != 0:
		return fmt.Errorf("%d hash entries: it takes a power of two from 4 to %d", c.HashEntries, maxHashEntries)
	}
	return nil
}

// String returns the text that names the player in a dataset, for example
// "alphabeta nodes=1000".
func (c PlayerConfig) String() string {
	if c.Kind == Random {
		return Random
	}
	s := "alphabeta"
	if c.Nodes > 0 {
		s += fmt.Sprintf(" nodes=%d", c.Nodes)
	}
	if c.Depth > 0 {
		s += fmt.Sprintf(" depth=%d", c.Depth)
	}
	return s
}

// Player chooses the moves of one side, or of both. It belongs to one
// goroutine.
type Player interface {
	// NewGame makes the player forget everything.
	NewGame()
	// Choose returns a legal move for a game that goes on, and what was found
	// about the position. Random choices are made with rng only.
	Choose(g *engine.Game, rng *rand.Rand) (engine.Move, dataset.Eval, error)
}

// errGivenUp is the error of a player that was stopped: what a search came to
// until then must not decide a move.
var errGivenUp = errors.New("given up")

// New makes a player of a valid configuration. A random player ignores the
// weights. A search asks the tables that the referee has, and gives up as soon
// as stop, if not nil, answers true.
func (c PlayerConfig) New(v *engine.Variant, profile engine.Profile, w *eval.Weights, r dataset.Referee, stop func() bool) Player {
	if c.Kind == Random {
		return randomPlayer{}
	}
	return &searchPlayer{
		searcher: search.New(v, w, search.Options{Profile: profile, HashEntries: c.HashEntries, Tables: r.Tables, TablePieces: r.Pieces}),
		limits:   search.Limits{Nodes: c.Nodes, Depth: c.Depth, Stop: stop},
	}
}

type randomPlayer struct{}

func (randomPlayer) NewGame() {}

func (randomPlayer) Choose(g *engine.Game, rng *rand.Rand) (engine.Move, dataset.Eval, error) {
	legal := g.Legal()
	return legal[rng.IntN(len(legal))], dataset.Eval{}, nil
}

type searchPlayer struct {
	searcher *search.Searcher
	limits   search.Limits
}

func (p *searchPlayer) NewGame() { p.searcher.Clear() }

func (p *searchPlayer) Choose(g *engine.Game, _ *rand.Rand) (engine.Move, dataset.Eval, error) {
	r, err := p.searcher.Search(g.Position(), g.Keys(), p.limits)
	if err == nil && p.limits.Stop != nil && p.limits.Stop() {
		err = errGivenUp
	}
	if err != nil {
		return engine.Move{}, dataset.Eval{}, err
	}
	e := dataset.Eval{
		Searched: true,
		WinIn:    int16(r.WinIn),
		Depth:    uint8(min(r.Depth, math.MaxUint8)),
		Nodes:    uint32(min(r.Nodes, math.MaxInt32)),
	}
	if r.WinIn == 0 {
		e.Score = int16(max(math.MinInt16, min(r.Score, math.MaxInt16)))
	}
	return r.Move, e, nil
}
