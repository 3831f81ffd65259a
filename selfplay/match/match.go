// Package match plays one engine against another in pairs of games: both games
// of a pair begin with the same opening, with colours exchanged. It counts what
// the pairs scored and turns that into a rating difference.
//
// It writes no files and knows nothing of flags. Start reading at Play, then at
// Pairs.
package match

import (
	"context"
	"fmt"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/selfplay"
)

// Engine is one of the two players.
type Engine struct {
	selfplay.PlayerConfig
	// Weights are those of a search; nil takes eval.Default.
	Weights *eval.Weights
}

func (e Engine) player(v *engine.Variant, profile engine.Profile) selfplay.Player {
	w := e.Weights
	if w == nil {
		w = eval.Default(v)
	}
	return e.PlayerConfig.New(v, profile, w)
}

// Settings say what a match plays. The result depends on them only, Workers
// apart.
type Settings struct {
	Variant *engine.Variant
	Profile engine.Profile
	// A and B play each other; all counts are from A's view.
	A, B Engine
	// Pairs is the number of game pairs, at least 1.
	Pairs int
	// Seed decides the random plies of each pair.
	Seed uint64
	// Openings are taken in turn, one a pair; without any, games begin with
	// the initial position. RandomPlies follow the opening, the same in both
	// games of a pair.
	Openings    []selfplay.Opening
	RandomPlies selfplay.Range
	// MaxPlies ends a game without an outcome; 0 means no limit.
	MaxPlies int
	// Workers is the number of pairs played at a time, 1 to selfplay.MaxWorkers.
	Workers int
}

func (s *Settings) check() error {
	for _, e := range []Engine{s.A, s.B} {
		if err := e.Validate(); err != nil {
			return fmt.Errorf("match: %w", err)
		}
		if e.Weights != nil && e.Weights.Variant != s.Variant.Name {
			return fmt.Errorf("match: weights of %s for a match of %s", e.Weights.Variant, s.Variant.Name)
		}
	}
	r := s.RandomPlies
	switch {
	case s.Pairs < 1:
		return fmt.Errorf("match: %d game pairs: it takes 1 or more", s.Pairs)
	case s.Workers < 1 || s.Workers > selfplay.MaxWorkers:
		return fmt.Errorf("match: %d workers: it takes 1 to %d", s.Workers, selfplay.MaxWorkers)
	case r.Min < 0 || r.Max < r.Min:
		return fmt.Errorf("match: random plies from %d to %d", r.Min, r.Max)
	case s.MaxPlies < 0:
		return fmt.Errorf("match: a limit of %d plies", s.MaxPlies)
	}
	if err := selfplay.CheckMemory(s.Workers, s.A.PlayerConfig, s.B.PlayerConfig); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	return nil
}

// Result is how a match stands, from A's view.
type Result struct {
	// Wins, Draws and Losses count games; Unfinished those the program
	// stopped, which count as nothing.
	Wins, Draws, Losses, Unfinished int
	// Pairs counts the pairs of which both games have an outcome.
	Pairs Pairs
}

// Games returns the number of games played.
func (r Result) Games() int { return r.Wins + r.Draws + r.Losses + r.Unfinished }

// add counts a pair, given as A's points of each game in half points, or -1 for
// a game without an outcome.
func (r *Result) add(pair [2]int) {
	for _, points := range pair {
		switch points {
		case 0:
			r.Losses++
		case 1:
			r.Draws++
		case 2:
			r.Wins++
		default:
			r.Unfinished++
		}
	}
	if pair[0] >= 0 && pair[1] >= 0 {
		r.Pairs[pair[0]+pair[1]]++
	}
}

// Play plays a match and returns its result. After each pair, in their order,
// progress is told how the match stands, if it is not nil. When ctx ends the
// running pairs are finished and the result so far is returned with the
// context's error.
func Play(ctx context.Context, s Settings, progress func(Result)) (Result, error) {
	var r Result
	if err := s.check(); err != nil {
		return r, err
	}
	pairs := func(_ context.Context, yield func(int) bool) error {
		for i := range s.Pairs {
			if !yield(i) {
				break
			}
		}
		return nil
	}
	err := selfplay.InOrder(ctx, s.Workers, pairs, s.newWorker, func(pair [2]int) error {
		r.add(pair)
		if progress != nil {
			progress(r)
		}
		return nil
	})
	return r, err
}

// newWorker returns the function with which one worker plays pairs.
func (s *Settings) newWorker() func(pair int) ([2]int, error) {
	table := selfplay.NewTable(s.Variant, s.Profile, s.MaxPlies)
	a, b := s.A.player(s.Variant, s.Profile), s.B.player(s.Variant, s.Profile)
	return func(pair int) (points [2]int, err error) {
		opening := selfplay.Opening{ID: selfplay.StartID, Start: s.Variant.Start}
		if len(s.Openings) > 0 {
			opening = s.Openings[pair%len(s.Openings)]
		}
		seed := selfplay.GameSeed(s.Seed, s.Variant.Name, int64(pair))
		for i, white := range []selfplay.Player{a, b} {
			black := b
			if i == 1 {
				black = a
			}
			game, err := table.Play(seed, opening, s.RandomPlies, white, black)
			if err != nil {
				return points, fmt.Errorf("match, pair %d: %w", pair, err)
			}
			points[i] = pointsOfA(game.Outcome, i == 0)
		}
		return points, nil
	}
}

// pointsOfA returns A's half points, or -1 without an outcome.
func pointsOfA(o engine.Outcome, white bool) int {
	switch {
	case o == engine.Unfinished:
		return -1
	case white:
		return 1 + int(o)
	}
	return 1 - int(o)
}
