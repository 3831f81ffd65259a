package dataset

import "draughtlab/engine"

// Record is one game as it was played, from which the rows of the games and
// the positions table are made.
type Record struct {
	// Number is the number of the game in its run and variant, from 0.
	Number int64
	// Seed is the seed that game was played with, a function of run seed,
	// variant and number.
	Seed uint64
	// Opening names where the game began: "start", "random", or the id of a
	// line of an opening file.
	Opening string
	// OpeningPlies is how many of Moves were not chosen by an engine: the
	// moves of the opening.
	OpeningPlies int
	// Start is the position before the first move.
	Start engine.Position
	// Moves are all moves from Start; Evals has one entry a move.
	Moves []engine.Move
	Evals []Eval
	// Termination and Outcome are those of engine.Game, or the referee's.
	Termination engine.Termination
	Outcome     engine.Outcome
}

// Eval is what the engine found before it made a move; the zero value stands
// for a move that was not searched (an opening move, a random player).
type Eval struct {
	// Searched tells whether an engine looked at the position.
	Searched bool
	// Score is in hundredths of a man from the view of the side to move. It
	// has a meaning only if WinIn is 0.
	Score int16
	// WinIn is the number of plies to a proven win of the side to move, or
	// minus that to a proven loss; 0 where neither is proven.
	WinIn int16
	// Depth is the last completed iteration in plies, Nodes the positions
	// searched for this move.
	Depth uint8
	Nodes uint32
}
