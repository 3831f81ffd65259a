package engine

// Move is a legal move with its whole effect, so that Position.Make need not
// know the game. Two moves with the same four of (from, to, captured,
// promotion) are one move (G4).
type Move struct {
	// Captured holds the captured pieces; 0 for a quiet move.
	Captured uint64
	// Effect holds the rest.
	Effect Effect
}

// Effect is what a move does besides capturing, in one word: the squares it
// leaves and reaches, and what it does to the rule state. Its bits are arranged
// for Position.MakeInto: those that begin a count anew lie where State has the
// lowest bit of that count.
//
//	bits 0-5    the square the piece reaches
//	bits 8-13   the square it leaves
//	bit 16      the piece is a king after the move
//	bit 17      the move made it one
//	bits 18-19  length of its king run after the move
//	bits 24, 33, 42  begin the counts of State anew
type Effect uint64

// The effects a generator gives to its moves.
const (
	// QuietMan is a man's move.
	QuietMan = resetMan | EndsRoad
	// QuietKing is a king's move.
	QuietKing = becomesKing | EndsRoad
	// ManCaptures is a man's capture, if it stays a man.
	ManCaptures = resetChange | resetMan | EndsRoad
	// KingCaptures is a king's capture.
	KingCaptures = becomesKing | resetChange | resetMan | EndsRoad
	// Promotion is added to the effect of a man that becomes a king (C7, R8, F8).
	Promotion = becomesKing | promotes | resetChange
	// EndsRoad is in every effect but those of the moves before and after which
	// three pieces stand against a lone king on the main road (R10).
	EndsRoad Effect = 1 << roadShift

	becomesKing Effect = 1 << 16
	promotes    Effect = 1 << 17
	effectRun          = 18
	resetChange Effect = 1 << changeShift
	resetMan    Effect = 1 << manShift
)

// Run is added to the effect of a quiet king move after which its king has
// made that many of them in a row, 1..3 (F9).
func Run(length uint8) Effect { return Effect(length&3) << effectRun }

// NewMove makes a move of its parts.
func NewMove(from, to Square, captured uint64, e Effect) Move {
	return Move{captured, e | Effect(from)<<8 | Effect(to)}
}

// To returns the square the piece reaches.
func (m Move) To() Square { return Square(m.Effect & 63) }

// From returns the square the piece leaves.
func (m Move) From() Square { return Square(m.Effect >> 8 & 63) }

// Run returns the length of the king run (F9) of the moving side after the
// move, 0..3; the king then stands on To.
func (m Move) Run() uint8 { return uint8(m.Effect >> effectRun & 3) }

// IsCapture reports whether the move captures.
func (m Move) IsCapture() bool { return m.Captured != 0 }

// Promotes reports whether the move makes a man a king.
func (m Move) Promotes() bool { return m.Effect&promotes != 0 }

// Same reports whether two moves are one under article G4.
func (m Move) Same(o Move) bool {
	const squares = 63<<8 | 63
	return m.Captured == o.Captured && (m.Effect^o.Effect)&(squares|promotes) == 0
}
