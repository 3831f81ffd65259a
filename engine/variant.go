package engine

import (
	"fmt"
	"math/bits"
)

// Profile says which draw articles are in force (G5). Profiles are recorded
// with every game and never mixed silently.
type Profile uint8

const (
	// Basic: the articles of the rule sheet.
	Basic Profile = iota
	// Federation: the federation's articles on top of them.
	Federation
)

// String returns "basic" or "federation".
func (p Profile) String() string {
	if p == Federation {
		return "federation"
	}
	return "basic"
}

// ParseProfile reads a profile's name.
func ParseProfile(s string) (Profile, error) {
	for _, p := range []Profile{Basic, Federation} {
		if s == p.String() {
			return p, nil
		}
	}
	return 0, fmt.Errorf("unknown rule profile %q: use basic or federation", s)
}

// Variant is one game: facts, and functions specialised for it. Its value is
// never changed after it is made and may be shared by any number of
// goroutines.
type Variant struct {
	// Name is "croda", "russian" or "frisian".
	Name string
	// Board is the geometry.
	Board *Board
	// Start is the initial position.
	Start Position
	// Capture holds the lines along which pieces capture; a man captures the
	// adjacent piece, a king from any distance (C3, C5, R3, R5, F3, F5).
	Capture *Rays
	// PromotesInPassing: a man that reaches the base in mid-capture goes on
	// as a king (R8).
	PromotesInPassing bool
	// Generate appends the legal moves of p to buf, each once (G4), in an
	// order that depends on p only, and allocates nothing while buf has room.
	Generate func(p *Position, buf []Move) []Move
	// Count returns len(Generate(p, nil)) without making a list where it can;
	// buf is room for one.
	Count func(p *Position, buf []Move) int
	// CanCapture reports whether the given side could capture if it were to
	// move.
	CanCapture func(p *Position, side Color) bool
	// CanMove reports whether p has a legal move; buf is room for a list.
	CanMove func(p *Position, buf []Move) bool
	// Ending judges the draw articles that look at the position and its
	// clocks, without history. The side to move must have a legal move (a win
	// is looked at first, G3).
	Ending func(p *Position, profile Profile) Ending
	// RepetitionIsArticle tells whether the third repetition is a rule of the
	// game under that profile (C8, R10); elsewhere the program ends the game
	// by it (G6).
	RepetitionIsArticle func(profile Profile) bool
}

// Ending is what the draw articles say of a position.
type Ending struct {
	// Draw is the article by which the game is drawn now, or Ongoing.
	Draw Termination
	// Clock is 0 unless a counting article is at work; then it tells apart
	// positions that differ in their counts only.
	Clock uint32
}

// Termination says by what a game ended. Its text goes into datasets and never
// changes its meaning.
type Termination uint8

// The terminations. Comments give article, outcome and class.
const (
	// Ongoing: the game is not over.
	Ongoing Termination = iota
	// NoMoves: the side to move has no piece or no legal move and loses (G3).
	NoMoves
	// Repetition: third occurrence of a position, a draw (C8, R10, G6).
	Repetition
	// PlyLimit: the program stopped the game; it has no outcome (G6).
	PlyLimit
	// DeadDraw: an endgame table says draw (G7).
	DeadDraw
	// Lone1v1: one king against one king (F10, F11), a draw.
	Lone1v1
	// Kings2v1: two kings against one, seven moves each made (F10), a draw.
	Kings2v1
	// Kings3v1: three kings against one, 15 moves each made (R9, R10), a draw.
	Kings3v1
	// KingsOnly15: 15 moves by both sides with kings only (R10), a draw.
	KingsOnly15
	// Balance30: 4-5 pieces, kings on both sides, 30 moves (R10), a draw.
	Balance30
	// Balance60: 6-7 pieces, kings on both sides, 60 moves (R10), a draw.
	Balance60
	// MainRoad5: three pieces v a lone king on the main road, 5 moves (R10).
	MainRoad5
	// LoneKing5: one or two pieces v a lone king, 5 moves (R10), a draw.
	LoneKing5
	// Adjudicated: the program ended the game by the score; the outcome is
	// the program's opinion, not a rule's.
	Adjudicated
	// TableWin: an endgame table says that a side wins from here under the
	// articles; the game was not played to its end.
	TableWin
)

var terminationNames = [...]string{
	"ongoing", "no-moves", "repetition", "ply-limit", "dead-draw",
	"kings-1v1", "kings-2v1", "kings-3v1", "kings-only-15", "balance-30", "balance-60",
	"main-road-5", "lone-king-5", "adjudicated", "table-win",
}

// String returns the text used in datasets and reports.
func (t Termination) String() string { return terminationNames[t] }

// ParseTermination is the inverse of String.
func ParseTermination(s string) (Termination, error) {
	for i, n := range terminationNames {
		if n == s {
			return Termination(i), nil
		}
	}
	return 0, fmt.Errorf("unknown termination %q", s)
}

// Class groups terminations for statistics: "win" (no legal move), "rule" (a
// draw article), "repetition", "table" (an endgame table's draw or win),
// "cut-off" (no outcome), "adjudicated".
func (t Termination) Class() string {
	switch t {
	case NoMoves:
		return "win"
	case Repetition:
		return "repetition"
	case DeadDraw, TableWin:
		return "table"
	case PlyLimit, Ongoing:
		return "cut-off"
	case Adjudicated:
		return "adjudicated"
	}
	return "rule"
}

// Outcome is the result of a game from White's view.
type Outcome int8

// The outcomes. Unfinished games are no draws.
const (
	BlackWins  Outcome = -1
	Draw       Outcome = 0
	WhiteWins  Outcome = 1
	Unfinished Outcome = 2
)

// String returns the PDN result: "1-0", "1/2-1/2", "0-1" or "*".
func (o Outcome) String() string {
	switch o {
	case WhiteWins:
		return "1-0"
	case Draw:
		return "1/2-1/2"
	case BlackWins:
		return "0-1"
	}
	return "*"
}

// Wins returns the outcome in which c wins.
func Wins(c Color) Outcome {
	if c == White {
		return WhiteWins
	}
	return BlackWins
}

// Count returns the Ending of a counting article: drawn by t once clock has
// come to limit plies, else going on with that clock.
func Count(t Termination, clock, limit uint8) Ending {
	if clock >= limit {
		return Ending{Draw: t, Clock: uint32(clock) + 1}
	}
	return Ending{Clock: uint32(clock) + 1}
}

// Check reports what is wrong with a position of this game: a piece off the
// board or two on a square, a man on its crowning rank, a king run (F13) that
// cannot be. A side without pieces is right: it has lost.
func (v *Variant) Check(p *Position) error {
	b := v.Board
	if p.Pieces[White]&p.Pieces[Black] != 0 || p.Kings&^p.Occupied() != 0 || p.Occupied()&^b.All != 0 {
		return fmt.Errorf("pieces overlap or stand off the board")
	}
	for _, c := range []Color{White, Black} {
		if bad := p.Men(c) & b.Crown[c]; bad != 0 {
			return fmt.Errorf("%s man on its crowning rank: %s", c, b.Name(Square(bits.TrailingZeros64(bad))))
		}
		n, s := p.Run(c)
		if n == 0 && s == 0 {
			continue
		}
		if v.Name != "frisian" || n == 0 || p.Pieces[c]&p.Kings&s.Bit() == 0 {
			return fmt.Errorf("%s cannot have a run of %d king moves on %s: it takes a Frisian king on that square and 0 to 3 moves", c, n, b.Name(s))
		}
	}
	return nil
}
