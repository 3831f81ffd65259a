// Package drawrate turns the outcomes of games into draw rates: intervals,
// differences between games, bounds for games cut off, how games ended, plots
// and a report in text, JSON and HTML.
//
// It does not read datasets and does not know how games were played or what an
// article of the rules says: the caller names each game's termination and the
// class it belongs to.
//
// Start at Tally, which counts games one at a time, and Report, which it makes.
// The draw rate is draws divided by finished games. A game cut off (no result:
// the program stopped the game) is in no rate: it widens the bounds (Bounds)
// instead.
package drawrate

import (
	"errors"
	"fmt"
)

// Outcome says how a game came out. The zero value is none of them.
type Outcome uint8

// The outcomes of a game. Unfinished is a game that was cut off, by a ply limit
// for example: neither a win nor a draw.
const (
	White Outcome = iota + 1
	Draw
	Black
	Unfinished
)

// Classes of terminations, for the split of the draws by their cause. A caller
// may use others; reports put these first, in this order, and the others after
// them by name.
const (
	ClassWin        = "win"        // a side lost
	ClassRule       = "rule"       // an article of the rules made it a draw
	ClassRepetition = "repetition" // the position repeated
	ClassTable      = "table"      // an endgame table says draw, or who wins
	ClassCutOff     = "cut-off"    // no result: the program stopped the game
)

// ErrGame is wrapped by the errors of Tally.Add.
var ErrGame = errors.New("impossible game")

// Game is what a draw rate needs to know of one game.
type Game struct {
	Variant     string  // which game, in lower case: "croda"
	Profile     string  // which draw rules; may be empty
	Outcome     Outcome // never zero
	Termination string  // what ended it: "repetition", "ply-limit"
	Class       string  // the kind of Termination: ClassRule, ...
	Opening     uint64  // equal for games from the same opening
	Key         uint64  // hash of start position and moves, equal for identical games
	Plies       int     // length in plies, 0 or more
	Player      string  // who played both sides, with the weights; empty if not known
}

// Counts are numbers of games by outcome.
type Counts struct {
	White      int64 `json:"white"`      // won by White
	Draw       int64 `json:"draw"`       // drawn
	Black      int64 `json:"black"`      // won by Black
	Unfinished int64 `json:"unfinished"` // cut off
}

func (c Counts) total() int64 { return c.finished() + c.Unfinished }

// finished is the number of games with a result: the draw rate's denominator.
func (c Counts) finished() int64 { return c.White + c.Draw + c.Black }

func (c *Counts) add(o Counts) {
	c.White += o.White
	c.Draw += o.Draw
	c.Black += o.Black
	c.Unfinished += o.Unfinished
}

// counts returns o as counts of one game.
func (o Outcome) counts() (Counts, error) {
	switch o {
	case White:
		return Counts{White: 1}, nil
	case Draw:
		return Counts{Draw: 1}, nil
	case Black:
		return Counts{Black: 1}, nil
	case Unfinished:
		return Counts{Unfinished: 1}, nil
	}
	return Counts{}, fmt.Errorf("%w: outcome %d", ErrGame, o)
}
