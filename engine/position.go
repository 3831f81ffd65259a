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
	// Side is the side to move.
	Side Color
	// RunLength counts, by colour, the consecutive quiet moves (0..3) that
	// side has made with the king on RunSquare (F9, F13). It is 0, and
	// RunSquare too, where no run counts: in Croda and Russian, and for a
	// side without men.
	RunLength [2]uint8
	RunSquare [2]Square
	// SinceChange counts plies since the last capture or promotion, or the
	// start of the game; it stops at 255.
	SinceChange uint8
	// SinceMan counts plies since the last capture or man's move, or the
	// start of the game; it stops at 255.
	SinceMan uint8
	// Road counts plies through which three pieces have stood against a lone
	// king on the main road (R10); it stops at 255.
	Road uint8
}

// Men returns the men of a side.
func (p *Position) Men(c Color) uint64 { return p.Pieces[c] &^ p.Kings }

// Own returns the pieces of the side to move, Opp those of the opponent.
func (p *Position) Own() uint64 { return p.Pieces[p.Side&1] }

// Opp returns the pieces of the side that is not to move.
func (p *Position) Opp() uint64 { return p.Pieces[p.Side&1^1] }

// Occupied returns the squares that hold a piece.
func (p *Position) Occupied() uint64 { return p.Pieces[White] | p.Pieces[Black] }

// Count returns the number of pieces on the board.
func (p *Position) Count() int { return bits.OnesCount64(p.Occupied()) }

// Make returns the position after m, which must be legal in p. It is the same
// code for every game because a move carries its whole effect.
func (p *Position) Make(m Move) Position {
	var q Position
	p.MakeInto(m, &q)
	return q
}

// MakeInto is Make into q, which must not be p. Hot loops use it: a position
// that is copied right after it was written costs four times as much.
func (p *Position) MakeInto(m Move, q *Position) {
	us, them := p.Side&1, p.Side&1^1
	from, to := m.From.Bit(), m.To.Bit()
	q.Pieces[us] = p.Pieces[us]&^from | to
	q.Pieces[them] = p.Pieces[them] &^ m.Captured
	q.Kings = p.Kings&^(from|m.Captured) | uint64(m.Flags&FlagKing)<<(m.To&63)
	q.Side = them
	q.RunLength[us], q.RunSquare[us] = m.Run(), 0
	if m.Run() != 0 {
		q.RunSquare[us] = m.To
	}
	q.RunLength[them], q.RunSquare[them] = p.RunLength[them], p.RunSquare[them]
	q.SinceChange, q.SinceMan, q.Road = min(p.SinceChange, 254)+1, min(p.SinceMan, 254)+1, 0
	if m.Flags&FlagRoad != 0 {
		q.Road = min(p.Road, 254) + 1
	}
	if m.Flags&FlagMan != 0 {
		q.SinceMan = 0
	}
	if m.Flags&FlagPromotes != 0 {
		q.SinceChange = 0
	}
	if m.Captured == 0 {
		return
	}
	q.SinceChange, q.SinceMan = 0, 0
	if q.RunLength[them] != 0 && (m.Captured&q.RunSquare[them].Bit() != 0 || q.Pieces[them]&^q.Kings == 0) {
		q.RunLength[them], q.RunSquare[them] = 0, 0 // the king was captured, or the last man (F9)
	}
}

// Key returns a hash of what makes two positions the same for the repetition
// rules: the pieces, the side to move and the Frisian king runs (F13). Clocks
// are not in it.
func (p *Position) Key() uint64 {
	state := uint64(p.Side) | uint64(p.RunLength[0])<<8 | uint64(p.RunLength[1])<<16 |
		uint64(p.RunSquare[0])<<24 | uint64(p.RunSquare[1])<<32
	return mix(mix(p.Pieces[White]^0x9e3779b97f4a7c15, p.Pieces[Black]^0xd1b54a32d192ed03)^p.Kings, state^0x8cb92ba72f3d8dd7)
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
