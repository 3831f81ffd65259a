// Package match plays one engine against another in pairs of games: both games
// of a pair begin with the same opening, with colours exchanged. It counts what
// the pairs scored, turns that into a rating difference, and stops when a
// sequential test has decided. A match that has a file goes on where it was
// stopped.
//
// It knows nothing of flags and writes nothing but that file. Start reading at
// Play, then Pairs and SPRT.
package match

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// Options are what changes nothing in the result of a match.
type Options struct {
	// Workers is the number of pairs played at a time, 1 to
	// selfplay.MaxWorkers.
	Workers int
	// File is the path of the match's file: a line of settings, then a line a
	// pair. Pairs that it holds are not played again. Empty keeps none.
	File string
	// Progress, if it is not nil, is told how the match stands: once at the
	// beginning, then after each pair, in their order.
	Progress func(Result)
}

// Result is how a match stands, from A's view.
type Result struct {
	// Wins, Draws and Losses count games; Unfinished those the program
	// stopped, which count as nothing.
	Wins       int `json:"wins"`
	Draws      int `json:"draws"`
	Losses     int `json:"losses"`
	Unfinished int `json:"unfinished"`
	// Pairs counts the pairs of which both games have an outcome.
	Pairs Pairs `json:"pentanomial"`
	// Repeated counts pairs that came out, move by move, as an earlier pair
	// did: they tell nothing new, and where they are many the interval of the
	// rating is too small.
	Repeated int `json:"repeated_pairs"`
	// The moves the engines chose and the positions they visited for them.
	MovesA int64 `json:"moves_a"`
	NodesA int64 `json:"nodes_a"`
	MovesB int64 `json:"moves_b"`
	NodesB int64 `json:"nodes_b"`
}

// Games returns the number of games played.
func (r Result) Games() int { return r.Wins + r.Draws + r.Losses + r.Unfinished }

// Played returns the number of pairs played, those with an unfinished game
// too.
func (r Result) Played() int { return r.Games() / 2 }

// Finished reports whether a match of these settings ends with this result.
func (s *Settings) Finished(r Result) bool {
	return r.Played() >= s.Pairs || s.SPRT != nil && s.SPRT.Decide(r.Pairs) != Undecided
}

// errFinished ends the work of the pool when the match is over.
var errFinished = errors.New("the match is over")

// Play plays a match, or what is missing of it, and returns its result.
//
// Pairs are counted in their order, whichever is played first, and the SPRT
// looks at them in that order: the result and the file depend on the settings
// only. When ctx ends, the running pairs are finished and kept, and the result
// so far is returned with the context's error.
//
// Of a match that goes on, the first pair is played again unless a clock
// decides: if it comes out differently the engines have changed, and the file
// is refused.
func Play(ctx context.Context, s Settings, o Options) (Result, error) {
	if err := s.Validate(); err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	if o.Workers < 1 || o.Workers > selfplay.MaxWorkers {
		return Result{}, fmt.Errorf("match: %d workers: it takes 1 to %d", o.Workers, selfplay.MaxWorkers)
	}
	if err := selfplay.CheckMemory(o.Workers, s.A.PlayerConfig, s.B.PlayerConfig); err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	table := selfplay.NewTable(s.Variant, s.Profile, s.MaxPlies, s.Referee)
	for _, o := range s.Openings {
		if err := table.Check(o); err != nil {
			return Result{}, fmt.Errorf("match: %w", err)
		}
	}
	s.Openings = slices.Clone(s.Openings)
	h := s.header()
	rand.New(rand.NewPCG(s.Seed, openingsStream)).Shuffle(len(s.Openings), func(i, j int) {
		s.Openings[i], s.Openings[j] = s.Openings[j], s.Openings[i]
	})
	t := &tally{settings: &s, hash: maphash.MakeSeed(), seen: map[uint64]bool{}}
	if o.File == "" {
		err := s.play(ctx, o, t, func([]byte) error { return nil })
		return t.Result, err
	}
	log, err := openLog(o.File, h, t.add)
	if err != nil {
		return Result{}, err
	}
	if err = s.unchanged(t.first, o.File); err == nil {
		err = s.play(ctx, o, t, log.append)
	}
	if closeErr := log.close(); err == nil {
		err = closeErr
	}
	return t.Result, err
}

// openingsStream tells the generator that orders the openings from others of
// the same seed.
const openingsStream = 0x6f70656e696e6773

// unchanged plays the first pair of a file again.
func (s *Settings) unchanged(first *pairRecord, path string) error {
	if first == nil || s.timed() {
		return nil
	}
	again, err := s.newWorker()(0)
	if err == nil && *again != *first {
		err = fmt.Errorf("%s: its first pair comes out differently now: the engines are not those that began the match; choose another file", path)
	}
	return err
}

// play plays the pairs that t has not counted, counts them and hands each to
// keep, as a line.
func (s *Settings) play(ctx context.Context, o Options, t *tally, keep func([]byte) error) error {
	if o.Progress != nil {
		o.Progress(t.Result)
	}
	if s.Finished(t.Result) {
		return nil
	}
	pairs := func(_ context.Context, yield func(int) bool) error {
		for i := t.Played(); i < s.Pairs && yield(i); i++ {
		}
		return nil
	}
	err := selfplay.InOrder(ctx, o.Workers, pairs, s.newWorker, func(r *pairRecord) error {
		if err := t.add(r); err != nil {
			return err
		}
		if err := keep(append(mustJSON(r), '\n')); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(t.Result)
		}
		if s.Finished(t.Result) {
			return errFinished
		}
		return nil
	})
	if errors.Is(err, errFinished) {
		return nil
	}
	return err
}

// newWorker returns the function with which one worker plays pairs.
func (s *Settings) newWorker() func(pair int) (*pairRecord, error) {
	table := selfplay.NewTable(s.Variant, s.Profile, s.MaxPlies, s.Referee)
	a, b := s.A.player(s.Variant, s.Profile, s.Referee), s.B.player(s.Variant, s.Profile, s.Referee)
	return func(pair int) (*pairRecord, error) {
		opening := selfplay.Opening{ID: selfplay.StartID, Start: s.Variant.Start}
		if len(s.Openings) > 0 {
			opening = s.Openings[pair%len(s.Openings)]
		}
		r := &pairRecord{Pair: pair, Opening: opening.ID, Start: notation.FormatFEN(s.Variant, &opening.Start)}
		seed := selfplay.GameSeed(s.Seed, s.Variant.Name, int64(pair))
		for i, white := range []selfplay.Player{a, b} {
			black := b
			if i == 1 {
				black = a
			}
			game, err := table.Play(seed, opening, s.RandomPlies, white, black)
			if err != nil {
				return nil, fmt.Errorf("match, pair %d: %w", pair, err)
			}
			r.Games[i] = s.record(game, i == 0)
		}
		return r, nil
	}
}

// record returns what a match keeps of a game.
func (s *Settings) record(g *dataset.Record, aIsWhite bool) gameRecord {
	r := gameRecord{Outcome: g.Outcome.String(), Termination: g.Termination.String()}
	p, legal, moves := g.Start, []engine.Move(nil), make([]string, len(g.Moves))
	for i, m := range g.Moves {
		legal = s.Variant.Generate(&p, legal[:0])
		moves[i] = notation.FormatMove(s.Variant, &p, m, legal)
		if i >= g.OpeningPlies {
			e := &r.B
			if (p.Side() == engine.White) == aIsWhite {
				e = &r.A
			}
			e.Moves++
			e.Nodes += int64(g.Evals[i].Nodes)
		}
		p = p.Make(m)
	}
	r.Moves = strings.Join(moves, " ")
	return r
}

// tally counts pairs in their order.
type tally struct {
	Result
	settings *Settings
	first    *pairRecord // pair 0
	hash     maphash.Seed
	seen     map[uint64]bool // hashes of the pairs' moves
}

// add counts the next pair.
func (t *tally) add(r *pairRecord) error {
	if t.settings.Finished(t.Result) {
		return errors.New("a pair after the match was over")
	}
	points := [2]int{}
	for i, g := range r.Games {
		var err error
		if points[i], err = pointsOfA(g.Outcome, i == 0); err != nil {
			return err
		}
	}
	for i, g := range r.Games {
		switch points[i] {
		case 0:
			t.Losses++
		case 1:
			t.Draws++
		case 2:
			t.Wins++
		default:
			t.Unfinished++
		}
		t.MovesA, t.NodesA = t.MovesA+g.A.Moves, t.NodesA+g.A.Nodes
		t.MovesB, t.NodesB = t.MovesB+g.B.Moves, t.NodesB+g.B.Nodes
	}
	if points[0] >= 0 && points[1] >= 0 {
		t.Pairs[points[0]+points[1]]++
	}
	key := maphash.String(t.hash, r.Start+"\n"+r.Games[0].Moves+"\n"+r.Games[1].Moves)
	if t.seen[key] {
		t.Repeated++
	}
	t.seen[key] = true
	if t.first == nil {
		t.first = r
	}
	return nil
}

// pointsOfA returns A's half points in a game with a PDN result, or -1 without
// an outcome.
func pointsOfA(outcome string, white bool) (int, error) {
	points := 0
	switch outcome {
	case engine.WhiteWins.String():
		points = 2
	case engine.Draw.String():
		points = 1
	case engine.BlackWins.String():
	case engine.Unfinished.String():
		return -1, nil
	default:
		return 0, fmt.Errorf("unknown outcome %q", outcome)
	}
	if !white {
		points = 2 - points
	}
	return points, nil
}
