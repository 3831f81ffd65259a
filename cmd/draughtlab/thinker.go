package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/engine/notation"
	"draughtlab/engine/search"
	"draughtlab/export/dataset"
)

// thinkFlags are the flags of commands in which the engine thinks for a
// person: limits, rules and settings.
type thinkFlags struct {
	profile, weights string
	tables           string
	depth, hash      int
	nodes            int64
	time             time.Duration
	ascii            bool
	cmd              *cobra.Command
}

// thinkNodes is the limit where no flag sets one; it takes about a second.
const thinkNodes = 1_000_000

func (o *thinkFlags) add(cmd *cobra.Command) {
	o.cmd = cmd
	f := cmd.Flags()
	f.Int64Var(&o.nodes, "nodes", 0, fmt.Sprintf("search so many positions; %d if no limit is given", thinkNodes))
	f.IntVar(&o.depth, "depth", 0, "search so many plies deep, at most 64")
	f.DurationVar(&o.time, "time", 0, "think so long, as 500ms or 10s")
	f.StringVar(&o.weights, "weights", "", "weights `file`; the built-in ones if not given")
	f.StringVar(&o.profile, "profile", engine.Basic.String(), "draw articles in force: basic or federation")
	addTablesFlag(f, &o.tables)
	f.IntVar(&o.hash, "hash", 16, "size of the hash table in `MB`, 1 to 4096")
	f.BoolVar(&o.ascii, "ascii", false, "draw the board with letters")
}

// check refuses limits that are none.
func (o *thinkFlags) check() error {
	switch {
	case o.nodes < 0:
		return fmt.Errorf("--nodes %d: give 1 or more", o.nodes)
	case o.depth < 0 || o.depth > 64:
		return fmt.Errorf("--depth %d: give 1 to 64", o.depth)
	case o.time < 0:
		return fmt.Errorf("--time %s: give a time such as 500ms", o.time)
	case o.hash < 1 || o.hash > 4096:
		return fmt.Errorf("--hash %d: give 1 to 4096 MB", o.hash)
	}
	return nil
}

// thinker is an engine with the limits of one move.
type thinker struct {
	variant  *engine.Variant
	profile  engine.Profile
	searcher *search.Searcher
	referee  dataset.Referee
	flags    thinkFlags
	stop     func() bool // asked in every search
}

// thinker makes the engine the flags describe.
func (o *thinkFlags) thinker(ctx context.Context, v *engine.Variant, stop func() bool) (*thinker, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	profile, err := engine.ParseProfile(o.profile)
	if err != nil {
		return nil, err
	}
	w := eval.Default(v)
	if o.weights != "" {
		if w, err = readWeights(o.weights, v); err != nil {
			return nil, err
		}
	}
	referee, err := openAdviser(ctx, o.cmd.ErrOrStderr(), o.tables, v, profile)
	if err != nil {
		return nil, err
	}
	s := search.New(v, w, search.Options{Profile: profile, HashEntries: hashEntries(o.hash), Tables: referee.Tables, TablePieces: referee.Pieces})
	return &thinker{variant: v, profile: profile, searcher: s, referee: referee, flags: *o, stop: stop}, nil
}

// think searches a position with a legal move that is not among except. keys
// are those of the game (engine.Game.Keys).
func (t *thinker) think(p engine.Position, keys []uint64, except []engine.Move, deep bool) (search.Result, error) {
	o := t.flags
	if o.nodes == 0 && o.depth == 0 && o.time == 0 {
		o.nodes = thinkNodes
	}
	clock := newSearchClock(time.Now, timeControl{move: o.time})
	clock.start()
	return t.searcher.Search(p, keys, search.Limits{
		Nodes: uint64(o.nodes), Depth: o.depth, Except: except, Deep: deep,
		Stop: func() bool { return t.stop() || clock.stop() },
	})
}

// toTheEnd returns a line from p that leads to a proven win or loss with the
// moves that endgame tables know after it.
func (t *thinker) toTheEnd(p engine.Position, r search.Result) []engine.Move {
	line := slices.Clip(r.PV)
	for _, m := range line {
		p = p.Make(m)
	}
	if r.WinIn == 0 || t.referee.Tables == nil || p.Count() > t.referee.Pieces {
		return line
	}
	return append(line, t.referee.Tables.Line(&p)...)
}

// lineText writes the moves of a line from p.
func lineText(v *engine.Variant, p engine.Position, moves []engine.Move) []string {
	out := make([]string, 0, len(moves))
	var legal []engine.Move
	for _, m := range moves {
		legal = v.Generate(&p, legal[:0])
		out = append(out, notation.FormatMove(v, &p, m, legal))
		p = p.Make(m)
	}
	return out
}

// scoreText writes a score for people, from the view of the side to move.
func scoreText(r search.Result) string {
	switch {
	case r.WinIn > 0:
		return "wins in " + plies(r.WinIn)
	case r.WinIn < 0:
		return "loses in " + plies(-r.WinIn)
	}
	return fmt.Sprintf("%+.2f", float64(r.Score)/100)
}

func plies(n int) string {
	if n == 1 {
		return "1 ply"
	}
	return fmt.Sprintf("%d plies", n)
}

// endText tells by what a game ended, with the article: "Black has no legal
// move (G3)".
func endText(g *engine.Game) string {
	v, t := g.Variant(), g.Termination()
	if t == engine.NoMoves {
		p := g.Position()
		return fmt.Sprintf("%s has no legal move (G3)", colorNames[p.Side()])
	}
	return fmt.Sprintf("%s (%s)", t, articleOf(v, g.Profile(), t))
}

// articleOf returns the article of RULES.md behind a termination.
func articleOf(v *engine.Variant, profile engine.Profile, t engine.Termination) string {
	federation := profile == engine.Federation
	switch t {
	case engine.NoMoves:
		return "G3"
	case engine.Repetition:
		switch {
		case !v.RepetitionIsArticle(profile):
			return "G6"
		case v.Name == "croda":
			return "C8"
		}
		return "R10"
	case engine.PlyLimit:
		return "G6"
	case engine.DeadDraw, engine.TableWin:
		return "G7"
	case engine.Lone1v1:
		if federation {
			return "F11"
		}
		return "F10"
	case engine.Kings2v1:
		return "F10"
	case engine.Kings3v1:
		if federation {
			return "R10"
		}
		return "R9"
	}
	return "R10" // the rest are counts of the Russian federation profile
}

// outcomeText is the result for people.
func outcomeText(o engine.Outcome) string {
	switch o {
	case engine.WhiteWins:
		return "White wins"
	case engine.BlackWins:
		return "Black wins"
	case engine.Draw:
		return "Draw"
	}
	return "No result"
}

// titleOf writes a game's name with a capital.
func titleOf(v *engine.Variant) string { return strings.ToUpper(v.Name[:1]) + v.Name[1:] }
