package selfplay

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"draughtlab/engine"
	"draughtlab/export/dataset"
)

// Opening is where a game begins and the moves that are made before the
// players choose.
type Opening struct {
	// ID names the opening in the dataset.
	ID string
	// Start is the position before Moves.
	Start engine.Position
	Moves []engine.Move
}

// IDs of openings that come from no file.
const (
	StartID  = "start"  // the initial position
	RandomID = "random" // random moves from the initial position
)

// Range is a number of plies from Min to Max in steps of two: Min, Min+2, and so
// on. With an even Min both sides have always made equally many random moves,
// so that neither has more bad ones behind it when the players begin.
type Range struct {
	Min int `json:"min"`
	Max int `json:"max"`
}

func (r Range) draw(rng *rand.Rand) int { return r.Min + 2*rng.IntN((r.Max-r.Min)/2+1) }

// maxRedraws bounds the search for random moves that leave a game to play. In
// an ordinary opening the first draw is nearly always right.
const maxRedraws = 1000

// Table is where games of one variant are played, one after the other. It
// belongs to one goroutine.
type Table struct {
	game    *engine.Game
	referee dataset.Referee
	evals   []dataset.Eval
}

// NewTable makes a table for games that the referee ends where endgame tables
// decide, and that are stopped, without an outcome, after maxPlies plies (0:
// never).
func NewTable(v *engine.Variant, profile engine.Profile, maxPlies int, r dataset.Referee) *Table {
	return &Table{game: engine.NewGame(v, profile, v.Start, maxPlies), referee: r}
}

// Check reports an opening that cannot be played: an illegal move, or a game
// that is over at its end or before, by the rules or by endgame tables.
func (t *Table) Check(o Opening) error {
	t.game.Reset(o.Start)
	t.referee.Stop(t.game)
	for i, m := range o.Moves {
		if t.game.Termination() != engine.Ongoing {
			break
		}
		if err := t.play(m); err != nil {
			return fmt.Errorf("opening %s, ply %d: %w", o.ID, i, err)
		}
	}
	end := t.game.Termination()
	switch {
	case end == engine.Ongoing:
		return nil
	case end.Class() == "table":
		return fmt.Errorf("opening %s: endgame tables say how it ends (%s) after %d plies: leave it out, or play without tables", o.ID, end, len(t.game.Moves()))
	}
	return fmt.Errorf("opening %s: the game is over (%s) after %d plies: leave it out", o.ID, end, len(t.game.Moves()))
}

// play makes a move and lets the referee look at the position.
func (t *Table) play(m engine.Move) error {
	if err := t.game.Play(m); err != nil {
		return err
	}
	t.referee.Stop(t.game)
	return nil
}

// Play plays one game: the opening's moves, then random moves as many as the
// seed says within plies, then the players' moves until the game is over. Random
// moves that would end the game are drawn again. The players are told that a
// new game begins; they may be one. The number of the record is left 0.
func (t *Table) Play(seed uint64, o Opening, plies Range, white, black Player) (*dataset.Record, error) {
	rng := newRand(seed)
	if err := t.open(rng, o, plies); err != nil {
		return nil, err
	}
	opening := len(t.game.Moves())
	t.evals = append(t.evals[:0], make([]dataset.Eval, opening)...)
	players := [2]Player{white, black}
	for _, p := range players {
		p.NewGame()
	}
	for t.game.Termination() == engine.Ongoing {
		side := t.game.Position().Side()
		m, e, err := players[side].Choose(t.game, rng)
		if err == nil {
			err = t.play(m)
		}
		if err != nil {
			return nil, fmt.Errorf("opening %s, seed %d, ply %d: %w", o.ID, seed, len(t.game.Moves()), err)
		}
		t.evals = append(t.evals, e)
	}
	return &dataset.Record{
		Seed:         seed,
		Opening:      o.ID,
		OpeningPlies: opening,
		Start:        t.game.Start(),
		Moves:        slices.Clone(t.game.Moves()),
		Evals:        slices.Clone(t.evals),
		Termination:  t.game.Termination(),
		Outcome:      t.game.Outcome(),
	}, nil
}

// open sets up the opening and adds random moves.
func (t *Table) open(rng *rand.Rand, o Opening, plies Range) error {
	for range maxRedraws {
		if err := t.Check(o); err != nil {
			return err
		}
		for n := plies.draw(rng); n > 0 && t.game.Termination() == engine.Ongoing; n-- {
			legal := t.game.Legal()
			if err := t.play(legal[rng.IntN(len(legal))]); err != nil {
				return fmt.Errorf("opening %s: %w", o.ID, err)
			}
		}
		if t.game.Termination() == engine.Ongoing {
			return nil
		}
	}
	return fmt.Errorf("opening %s: no draw of %d to %d random plies in %d left a game to play: use fewer random plies", o.ID, plies.Min, plies.Max, maxRedraws)
}
