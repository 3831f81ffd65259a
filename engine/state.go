package engine

// State is the rule state of a position in one word, so that making a move
// costs a few instructions: who is to move, the Frisian king runs, and the
// counts of the draw articles. Its zero value is White to move in a position
// without history.
//
//	bit 0       side to move
//	bits 16-23  White's king run: its length (2 bits), its square (6 bits)
//	bits 24-31  Black's
//	bits 32-39  plies since a capture or promotion
//	bits 41-48  plies since a capture or a man's move
//	bits 50-57  plies on the main road
//
// A count is followed by a bit that is 0 but for the moment in which 255 is
// brought back from 256.
type State uint64

const (
	runShift    = 16
	changeShift = 32
	manShift    = 41
	roadShift   = 50

	runsMask   State = 0xffff << runShift
	changeMask State = 0xff << changeShift
	manMask    State = 0xff << manShift
	roadMask   State = 0xff << roadShift
	eachCount  State = 1<<changeShift | 1<<manShift | 1<<roadShift
)

// ToMove is the state of a position without history in which c is to move.
func ToMove(c Color) State { return State(c & 1) }

// Side returns the side to move.
func (s State) Side() Color { return Color(s & 1) }

// SinceChange returns the plies since the last capture or promotion, or the
// start of the game; it stops at 255.
func (s State) SinceChange() uint8 { return uint8(s >> changeShift) }

// SinceMan returns the plies since the last capture or man's move, or the
// start of the game; it stops at 255.
func (s State) SinceMan() uint8 { return uint8(s >> manShift) }

// Road returns the plies through which three pieces have stood against a lone
// king on the main road (R10); it stops at 255.
func (s State) Road() uint8 { return uint8(s >> roadShift) }

// Run returns the king run of a side (F9, F13): the number of consecutive
// quiet moves, 0..3, that it has made with the king on that square. Both are 0
// where no run counts: in Croda and Russian, and for a side without men.
func (s State) Run(c Color) (length uint8, on Square) {
	run := uint8(s >> (runShift + 8*(c&1)))
	return run & 3, Square(run >> 2)
}

// HasRuns reports whether a king run counts for either side.
func (s State) HasRuns() bool { return s&runsMask != 0 }

// SetSide sets the side to move.
func (s *State) SetSide(c Color) { *s = *s&^1 | ToMove(c) }

// SetRun sets the king run of a side: length 0..3, and the king's square,
// which does not count if length is 0.
func (s *State) SetRun(c Color, length uint8, on Square) {
	if length&3 == 0 {
		on = 0
	}
	shift := runShift + 8*(c&1)
	*s = *s&^(0xff<<shift) | State(length&3|uint8(on)<<2)<<shift
}

// ClearRuns ends the king runs of both sides.
func (s *State) ClearRuns() { *s &^= runsMask }

// SetCounts sets the three counts, in plies.
func (s *State) SetCounts(sinceChange, sinceMan, road uint8) {
	*s = *s&^(changeMask|manMask|roadMask) |
		State(sinceChange)<<changeShift | State(sinceMan)<<manShift | State(road)<<roadShift
}

// after returns the state after a move with effect e but for the king runs:
// each count goes on or begins anew, and the other side is to move.
func (s State) after(e Effect) State {
	s += eachCount
	s -= s >> 8 & eachCount // 256 is 255
	s &= State(e) | ^(changeMask | manMask | roadMask)
	return s ^ 1
}
