package engine

import "fmt"

// Game is a game in progress: its moves, its history for the repetition rule,
// and the articles in force. It is not safe for concurrent use; Reset lets one
// Game serve many games without allocating.
type Game struct {
	variant  *Variant
	profile  Profile
	plyLimit int

	start   Position
	current Position
	moves   []Move
	keys    []uint64 // keys[i]: position before move i; the last one is current
	legal   []Move
	over    Termination
	outcome Outcome
}

// NewGame starts a game from the given position. After plyLimit plies the
// program ends it without an outcome (G6); 0 means no limit.
func NewGame(v *Variant, profile Profile, start Position, plyLimit int) *Game {
	g := &Game{variant: v, profile: profile, plyLimit: plyLimit}
	g.Reset(start)
	return g
}

// Reset starts another game from the given position.
func (g *Game) Reset(start Position) {
	g.start, g.current = start, start
	g.moves, g.keys = g.moves[:0], append(g.keys[:0], start.Key())
	g.judge()
}

// Variant returns the game's variant.
func (g *Game) Variant() *Variant { return g.variant }

// Profile returns the rule profile in force.
func (g *Game) Profile() Profile { return g.profile }

// Start returns the position the game began with.
func (g *Game) Start() Position { return g.start }

// Position returns the current position.
func (g *Game) Position() Position { return g.current }

// Moves returns the moves made so far; the slice belongs to the game.
func (g *Game) Moves() []Move { return g.moves }

// Legal returns the legal moves of the current position, none once the game is
// over; the slice belongs to the game and lasts until the next Play.
func (g *Game) Legal() []Move {
	if g.over != Ongoing {
		return nil
	}
	return g.legal
}

// Keys returns the keys of all positions of the game up to the current one,
// which is last; the slice belongs to the game.
func (g *Game) Keys() []uint64 { return g.keys }

// Termination says by what the game ended, or Ongoing.
func (g *Game) Termination() Termination { return g.over }

// Outcome returns the result from White's view; Unfinished while the game goes
// on and after a ply limit.
func (g *Game) Outcome() Outcome { return g.outcome }

// Play makes a move. It fails, and changes nothing, if the game is over or the
// move is not legal now.
func (g *Game) Play(m Move) error {
	if g.over != Ongoing {
		return fmt.Errorf("the game is over (%s)", g.over)
	}
	for _, l := range g.legal {
		if l.Same(m) {
			g.current = g.current.Make(l)
			g.moves, g.keys = append(g.moves, l), append(g.keys, g.current.Key())
			g.judge()
			return nil
		}
	}
	b := g.variant.Board
	return fmt.Errorf("illegal move from %s to %s", b.Name(m.From()), b.Name(m.To()))
}

// Stop ends a game that still goes on by a decision from outside the rules: an
// endgame table or an adjudication.
func (g *Game) Stop(t Termination, o Outcome) {
	if g.over == Ongoing {
		g.over, g.outcome = t, o
	}
}

// judge looks at the current position: first for a win (G3), then at the draw
// articles, then at repetition and the ply limit.
func (g *Game) judge() {
	g.over, g.outcome = Ongoing, Unfinished
	g.legal = g.variant.Generate(&g.current, g.legal[:0])
	if len(g.legal) == 0 {
		g.over, g.outcome = NoMoves, Wins(g.current.Side().Other())
		return
	}
	ending := g.variant.Ending(&g.current, g.profile)
	switch {
	case ending.Draw != Ongoing:
		g.over, g.outcome = ending.Draw, Draw
	case g.repeated(ending):
		g.over, g.outcome = Repetition, Draw
	case g.plyLimit > 0 && len(g.moves) >= g.plyLimit:
		g.over = PlyLimit
	}
}

// repeated reports the third occurrence of the current position. Where
// repetition is no article, it is the program's means against endless games
// (G6) and waits while a counting article is at work that will end the game.
func (g *Game) repeated(ending Ending) bool {
	if ending.Clock != 0 && !g.variant.RepetitionIsArticle(g.profile) {
		return false
	}
	last := len(g.keys) - 1
	reach := int(g.current.SinceMan()) // no capture or man's move can be undone
	if reach == 255 {
		reach = last
	}
	seen := 1
	for i := last - 2; i >= max(0, last-reach); i -= 2 {
		if g.keys[i] == g.keys[last] {
			if seen++; seen == 3 {
				return true
			}
		}
	}
	return false
}
