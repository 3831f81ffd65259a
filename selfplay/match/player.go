package match

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/search"
	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// player makes the engine a player, which belongs to one goroutine.
func (e *Engine) player(v *engine.Variant, profile engine.Profile, r dataset.Referee) selfplay.Player {
	if e.Kind == selfplay.Random {
		return e.PlayerConfig.New(v, profile, nil, r, nil)
	}
	w := e.Weights
	if w == nil {
		w = eval.Default(v)
	}
	return &searcher{
		search: search.New(v, w, search.Options{Profile: profile, HashEntries: e.HashEntries, Off: e.Off, Tables: r.Tables, TablePieces: r.Pieces}),
		limits: search.Limits{Nodes: e.Nodes, Depth: e.Depth},
		time:   e.Time,
	}
}

// checkOff refuses switches that the search does not have.
func checkOff(off []string) error {
	for _, name := range off {
		if !slices.Contains(search.Techniques(), name) {
			return fmt.Errorf("the search has no technique %q that can be switched off: it has %s", name, strings.Join(search.Techniques(), ", "))
		}
	}
	return nil
}

// searcher is a player that searches. It counts its nodes and, unlike those of
// self-play, may look at the clock.
type searcher struct {
	search *search.Searcher
	limits search.Limits
	time   time.Duration
}

func (s *searcher) NewGame() { s.search.Clear() }

func (s *searcher) Choose(g *engine.Game, _ *rand.Rand) (engine.Move, dataset.Eval, error) {
	limits := s.limits
	if s.time > 0 {
		begin := time.Now()
		limits.Stop = func() bool { return time.Since(begin) >= s.time }
	}
	r, err := s.search.Search(g.Position(), g.Keys(), limits)
	return r.Move, dataset.Eval{Searched: true, Nodes: uint32(min(r.Nodes, math.MaxUint32))}, err
}
