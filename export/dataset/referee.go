package dataset

import (
	"fmt"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
)

// Referee ends games by endgame tables (G7). It looks at every position of a
// game that the rules let go on, those of the opening too, and ends the game at
// the first one that the tables decide. Its zero value ends none.
type Referee struct {
	// Tables are those of the game under the rules of the profile; nil knows
	// nothing.
	Tables *endgame.Tables
	// Pieces is the greatest number of pieces in a position that it ends; what
	// else the tables cover does not matter.
	Pieces int
	// Wins says whether it ends positions that are won, too, and not only
	// those that are drawn.
	Wins bool
}

// Judge returns how a game ends in which p is on the board and not over by the
// rules: DeadDraw or TableWin with its outcome, else Ongoing. The king runs and
// clocks of p count. It allocates nothing once the tables are in memory.
func (r Referee) Judge(p *engine.Position) (engine.Termination, engine.Outcome) {
	if r.Tables == nil || p.Count() > r.Pieces {
		return engine.Ongoing, engine.Unfinished
	}
	result, ok := r.Tables.Probe(p)
	switch {
	case !ok:
	case result.Value == endgame.Draw:
		return engine.DeadDraw, engine.Draw
	case !r.Wins:
	case result.Value == endgame.Win:
		return engine.TableWin, engine.Wins(p.Side())
	default:
		return engine.TableWin, engine.Wins(p.Side().Other())
	}
	return engine.Ongoing, engine.Unfinished
}

// Stop ends g if the referee does.
func (r Referee) Stop(g *engine.Game) {
	if r.Tables == nil || g.Termination() != engine.Ongoing {
		return
	}
	// Nearly always there are too many pieces, which is seen without a copy of
	// the position on the heap.
	if p := g.Position(); p.Count() <= r.Pieces {
		r.stop(g, p)
	}
}

func (r Referee) stop(g *engine.Game, p engine.Position) {
	if t, o := r.Judge(&p); t != engine.Ongoing {
		g.Stop(t, o)
	}
}

// contradicts says how the end of a game, which the rules let go on with p on
// the board, is not the referee's; nil if it is, or if there is no referee who
// could know.
func (r Referee) contradicts(p *engine.Position, t engine.Termination, o engine.Outcome) error {
	if r.Tables == nil {
		return nil
	}
	tables, outcome := r.Judge(p)
	switch {
	case tables == t && outcome == o, tables == engine.Ongoing && !byTable(t):
		return nil
	case tables == engine.Ongoing:
		return fmt.Errorf("%s %s, but tables of %d pieces end no game with these %d", t, o, r.Pieces, p.Count())
	}
	return fmt.Errorf("the endgame tables say %s %s, the game says %s %s", tables, outcome, t, o)
}

// byTable reports whether a game ended by endgame tables.
func byTable(t engine.Termination) bool {
	return t == engine.DeadDraw || t == engine.TableWin
}
