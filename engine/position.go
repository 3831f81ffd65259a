package engine

import "math/bits"

// Color is a side: White moves first in all three games.
type Color uint8

// The two sides.
const (
	White Color = iota
	Black
)

// Other returns the opponent.
func (c Color) Other() Color { return c ^ 1 }

// String returns "W" or "B", as in FEN.
func (c Color) String() string { return "WB"[c : c+1] }

// Square is the bit number of a square in the bitboards of a Position, 0..63.
// Its meaning belongs to the variant's Board, which may leave gaps ("ghost"
// squares) so that a step in any direction is one shift.
type Square uint8

// Bit returns the bitboard that holds only this square.
func (s Square) Bit() uint64 { return 1 << (s & 63) }

// Position is a position with its whole rule state: where the pieces stand,
// who is to move, and the counts the draw articles and the Frisian three-move
// rule need. It is a value of 32 bytes; Make returns the successor and leaves
// the receiver as it was.
type Position struct {
	// Pieces holds all pieces of a side, men and kings, by colour.
	Pieces [2]uint64
	// Kings holds the kings of both sides.
	Kings uint64
	// State holds who is to move and the counts the articles need.
	State
}

// Men returns the men of a side.
func (p *Position) Men(c Color) uint64 { return p.Pieces[c] &^ p.Kings }

// Own returns the pieces of the side to move, Opp those of the opponent.
func (p *Position) Own() uint64 { return p.Pieces[p.State&1] }

// Opp returns the pieces of the side that is not to move.
func (p *Position) Opp() uint64 { return p.Pieces[p.State&1^1] }

// Occupied returns the squares that hold a piece.
func (p *Position) Occupied() uint64 { return p.Pieces[White] | p.Pieces[Black] }

// Count returns the number of pieces on the board.
func (p *Position) Count() int { return bits.OnesCount64(p.Occupied()) }

// CountFilled reports whether the last ply was a capture that came when a count
// of so many plies was just full (see KeepsCount): only then has the count gone
// on although no man is there to have moved.
func (p *Position) CountFilled(plies uint8) bool {
	return p.SinceMan() == 0 && p.SinceChange() >= plies && p.Occupied() == p.Kings
}

// Make returns the position after m, which must be legal in p. It is the same
// code for every game because a move carries its whole effect.
func (p *Position) Make(m Move) Position {
	var q Position
	p.MakeInto(m, &q)
	return q
}

// MakeInto is Make into q, which must not be p. Hot loops use it: a position
// that is copied right after it was written costs four times as much. It calls
// nothing, so that it needs no stack.
func (p *Position) MakeInto(m Move, q *Position) {
	s, us := p.State, p.State&1
	from, to := m.From(), m.To()
	q.Pieces[us] = p.Pieces[us]&^(1<<from) | 1<<to
	q.Pieces[us^1] = p.Pieces[us^1] &^ m.Captured
	q.Kings = p.Kings&^m.Captured&^(1<<from) | uint64(m.Effect>>kingShift&1)<<to
	q.State = s.after(m.Effect)
	if (s|State(m.Effect))&runsMask != 0 {
		q.SetRun(Color(us), m.Run(), to)
		// The opponent's run ends if that king is captured, or the last man (F9).
		them := Color(us ^ 1)
		if _, on := q.Run(them); m.Captured&on.Bit() != 0 || q.Men(them) == 0 {
			q.SetRun(them, 0, 0)
		}
	}
}

// Key returns a hash of what makes two positions the same for the repetition
// rules: the pieces, the side to move and the Frisian king runs (F13). Clocks
// are not in it.
func (p *Position) Key() uint64 {
	return mix(mix(p.Pieces[White]^0x9e3779b97f4a7c15, p.Pieces[Black]^0xd1b54a32d192ed03)^p.Kings, uint64(p.State&(runsMask|1))^0x8cb92ba72f3d8dd7)
}

// WithClock returns a position key extended by a draw clock, for tables in
// which positions that differ only in a counting clock must not meet.
func WithClock(key uint64, clock uint32) uint64 {
	if clock == 0 {
		return key
	}
	return mix(key^0xa0761d6478bd642f, uint64(clock)^0xe7037ed1a0b428db)
}

// mix is a 64x64 -> 128 bit multiplication folded to 64 bits, the step of
// wyhash (Wang Yi). Its arguments are first spread so that a zero in one does
// not erase the other.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a*0x2d358dccaa6c78a5+b, b*0x8bb84b93962eacc9+bits.RotateLeft64(a, 32))
	return hi ^ lo
}
