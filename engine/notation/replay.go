package notation

import (
	"fmt"

	"draughtlab/engine"
)

// Replayed is a game played through the rules.
type Replayed struct {
	// Start is the position before the first move, Final that after the last
	// of Moves.
	Start, Final engine.Position
	// Moves are the legal moves, up to the first that is not.
	Moves []engine.Move
	// Illegal is the first move that cannot be played; nil if there is none.
	Illegal *IllegalMove
	// Article is the first draw article, or the program's repetition rule
	// (G6), by which the game would have ended, and ArticlePly after how many
	// plies. Players go on regardless, so the replay does too. It is
	// engine.Ongoing if there was none; a win by G3 is not one.
	Article    engine.Termination
	ArticlePly int
}

// IllegalMove is a move that the rules refuse.
type IllegalMove struct {
	// Ply counts the moves of both sides from 1.
	Ply int
	// Text is the move as it was written, Line its line in the file.
	Text string
	Line int
	// Reason says why, naming the move.
	Reason string
}

// Replay plays the moves of a game. It looks only at whether each move is
// legal: no draw article ends a game in which the players went on, but the
// first that applies under profile is told. It fails if the start cannot be
// read.
func Replay(v *engine.Variant, profile engine.Profile, g *Game) (*Replayed, error) {
	start, err := g.Start(v)
	if err != nil {
		return nil, err
	}
	out := &Replayed{Start: start, Final: start}
	judge := engine.NewGame(v, profile, start, 0)
	var legal []engine.Move
	for i, text := range g.Moves {
		if t := judge.Termination(); t != engine.Ongoing && t != engine.NoMoves && out.Article == engine.Ongoing {
			out.Article, out.ArticlePly = t, i
		}
		legal = v.Generate(&out.Final, legal[:0])
		m, err := ParseMove(v, &out.Final, legal, text.Text)
		if text.Text == "-" {
			err = fmt.Errorf("the move was not recorded")
		}
		if err != nil {
			out.Illegal = &IllegalMove{Ply: i + 1, Text: text.Text, Line: text.Line, Reason: err.Error()}
			return out, nil
		}
		if judge.Termination() == engine.Ongoing {
			if err := judge.Play(m); err != nil {
				panic(fmt.Sprintf("notation: a legal move was refused: %v", err))
			}
		}
		out.Final = out.Final.Make(m)
		out.Moves = append(out.Moves, m)
	}
	return out, nil
}
