package engine

import (
	"math/bits"
	"slices"
)

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
// leaves and reaches, and what it does to the rule state. Its upper half lies as
// that of State: a count whose bits are set goes on, another begins anew.
//
//	bits 0-5    the square the piece reaches
//	bits 6-11   the square it leaves
//	bit 12      the piece is a king after the move
//	bit 13      the move made it one
//	bits 16-17  length of its king run after the move
//	bits 32-57  the counts of State that go on
type Effect uint64

// The effects a generator gives to its moves.
const (
	// QuietMan is a man's move.
	QuietMan = keepsChange
	// QuietKing is a king's move.
	QuietKing = becomesKing | keepsChange | keepsMan
	// ManCaptures is a man's capture, if it stays a man.
	ManCaptures Effect = 0
	// KingCaptures is a king's capture.
	KingCaptures = becomesKing
	// ManPromotes is a man's quiet move to the base of the opponent, and
	// CapturePromotes its capture by which it becomes a king (C7, R8, F8).
	ManPromotes     = becomesKing | promotes
	CapturePromotes = becomesKing | promotes
	// KeepsCount is added to the capture that is the last ply an article counts:
	// the count is full for all that the material has changed (R9, F10).
	KeepsCount = keepsChange
	// KeepsRoad is added to moves before and after which three pieces stand
	// against a lone king on the main road (R10).
	KeepsRoad = Effect(roadMask)

	becomesKing Effect = 1 << kingShift
	promotes    Effect = 1 << 13
	keepsChange        = Effect(changeMask)
	keepsMan           = Effect(manMask)

	fromShift = 6
	kingShift = 12
)

// Run is added to the effect of a quiet king move after which its king has
// made that many of them in a row, 1..3 (F9).
func Run(length uint8) Effect { return Effect(length&3) << runShift }

// KeepCount adds KeepsCount to moves.
func KeepCount(moves []Move) {
	for i := range moves {
		moves[i].Effect |= KeepsCount
	}
}

// NewMove makes a move of its parts.
func NewMove(from, to Square, captured uint64, e Effect) Move {
	return Move{captured, e | Effect(from)<<fromShift | Effect(to)}
}

// Steps appends a man's move with effect e to each of the squares of to, from
// the square that lies back beyond it.
func Steps(buf []Move, to uint64, back int, e Effect) []Move {
	return each(buf, to, e+Effect(back<<fromShift), 1<<fromShift+1)
}

// Slides appends a king's move with effect e from a square to each of the
// squares of to.
func Slides(buf []Move, from Square, to uint64, e Effect) []Move {
	return each(buf, to, e+Effect(from)<<fromShift, 1)
}

// each appends for each square of to, from the lowest, a quiet move whose effect
// is base and factor times the square.
func each(buf []Move, to uint64, base, factor Effect) []Move {
	n := len(buf)
	if cap(buf)-n < 64 {
		buf = grow(buf)
	}
	buf = buf[:cap(buf)]
	for ; to != 0; to &= to - 1 {
		buf[n] = Move{Effect: base + factor*Effect(bits.TrailingZeros64(to))}
		n++
	}
	return buf[:n]
}

// grow makes room for a move to each square. It is kept apart so that each, which
// rarely calls it, stays small.
//
//go:noinline
func grow(buf []Move) []Move { return slices.Grow(buf, 64) }

// To returns the square the piece reaches.
func (m Move) To() Square { return Square(m.Effect & 63) }

// From returns the square the piece leaves.
func (m Move) From() Square { return Square(m.Effect >> fromShift & 63) }

// Run returns the length of the king run (F9) of the moving side after the
// move, 0..3; the king then stands on To.
func (m Move) Run() uint8 { return uint8(m.Effect >> runShift & 3) }

// IsCapture reports whether the move captures.
func (m Move) IsCapture() bool { return m.Captured != 0 }

// Promotes reports whether the move makes a man a king.
func (m Move) Promotes() bool { return m.Effect&promotes != 0 }

// Same reports whether two moves are one under article G4.
func (m Move) Same(o Move) bool {
	const squares = 63<<fromShift | 63
	return m.Captured == o.Captured && (m.Effect^o.Effect)&(squares|promotes) == 0
}
