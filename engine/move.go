package engine

// Flags of a Move.
const (
	// FlagKing: the piece is a king after the move.
	FlagKing uint8 = 1 << iota
	// FlagPromotes: the move made a man a king (C7, R8, F8).
	FlagPromotes
	// FlagMan: the moving piece was a man before the move.
	FlagMan
	// FlagRoad: three pieces v a lone king on the main road stood before the
	// move and stand after it (R10); only Russian sets it.
	FlagRoad
)

// RunShift is the place in a move's flags of the king run (F9) of the moving
// side after the move: 0..3 quiet moves with the king that then stands on To.
const RunShift = 4

// Move is a legal move with its whole effect, so that Position.Make need not
// know the game. Two moves with the same four of (from, to, captured,
// promotion) are one move (G4). It has four fields because the compiler keeps
// no struct of more in registers.
type Move struct {
	// Captured holds the captured pieces; 0 for a quiet move.
	Captured uint64
	From, To Square
	Flags    uint8
}

// Run returns the length of the king run (F9) of the moving side after the
// move, 0..3; the king then stands on To.
func (m Move) Run() uint8 { return m.Flags >> RunShift }

// IsCapture reports whether the move captures.
func (m Move) IsCapture() bool { return m.Captured != 0 }

// Promotes reports whether the move makes a man a king.
func (m Move) Promotes() bool { return m.Flags&FlagPromotes != 0 }

// Same reports whether two moves are one under article G4.
func (m Move) Same(o Move) bool {
	return m.From == o.From && m.To == o.To && m.Captured == o.Captured && m.Promotes() == o.Promotes()
}
