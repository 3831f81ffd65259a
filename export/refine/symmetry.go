package refine

import (
	"cmp"
	"math/bits"
	"slices"

	"draughtlab/engine"
)

// symmetry is what maps a game onto itself, on bitboards in dataset order. In
// all three games the colours can be exchanged with the board turned by 180
// degrees. Where all squares of the board are used (Croda), left and right can
// be exchanged, too; a mirrored board of dark squares has light ones. There are
// no others: men move towards one edge.
type symmetry struct {
	variant  *engine.Variant
	last     uint // the highest bit: turning takes bit i to last-i
	mirrored bool // bit 8*rank+file, all squares used
}

func symmetryOf(v *engine.Variant) symmetry {
	squares := v.Board.Squares()
	return symmetry{
		variant:  v,
		last:     uint(v.Board.Index(squares[len(squares)-1])),
		mirrored: v.Board.Size == 8 && len(squares) == 64,
	}
}

// canonical turns a row into the one that stands for all its images: White is
// to move, and of two mirror images the one with the smaller bitboards, as
// unsigned numbers in the order of the columns. Outcomes go with their colours;
// scores are the mover's and stay.
func (s symmetry) canonical(r *Row) {
	if !r.WhiteToMove {
		s.exchange(r)
	}
	if s.mirrored {
		m := *r
		m.WhiteMen, m.WhiteKings = mirror(r.WhiteMen), mirror(r.WhiteKings)
		m.BlackMen, m.BlackKings = mirror(r.BlackMen), mirror(r.BlackKings)
		if keyOf(&m).compare(keyOf(r)) < 0 {
			*r = m // a mirrored board has no king runs, whose squares would change
		}
	}
}

// exchange exchanges the colours and turns the board.
func (s symmetry) exchange(r *Row) {
	r.WhiteMen, r.BlackMen = s.turn(r.BlackMen), s.turn(r.WhiteMen)
	r.WhiteKings, r.BlackKings = s.turn(r.BlackKings), s.turn(r.WhiteKings)
	r.WhiteRunSquare, r.BlackRunSquare = s.turnSquare(r.BlackRunSquare), s.turnSquare(r.WhiteRunSquare)
	r.WhiteRun, r.BlackRun = r.BlackRun, r.WhiteRun
	r.WhiteWins, r.BlackWins = r.BlackWins, r.WhiteWins
	r.WhiteToMove = !r.WhiteToMove
}

func (s symmetry) turn(bb int64) int64 { return int64(bits.Reverse64(uint64(bb)) >> (63 - s.last)) }

// turnSquare turns the square of a king run: bit plus 1, 0 without a run.
func (s symmetry) turnSquare(square int8) int8 {
	if square == 0 {
		return 0
	}
	return int8(s.last) + 2 - square
}

// mirror exchanges left and right where bit 8*rank+file is a square.
func mirror(bb int64) int64 { return int64(bits.ReverseBytes64(bits.Reverse64(uint64(bb)))) }

// key is what makes two canonical rows the same position.
type key struct {
	boards [4]uint64
	// state holds the king runs, then the draw clocks, a byte each.
	state uint64
}

// keyOf returns the key of a canonical row, whose clocks check has looked at.
func keyOf(r *Row) key {
	k := key{boards: [4]uint64{uint64(r.WhiteMen), uint64(r.WhiteKings), uint64(r.BlackMen), uint64(r.BlackKings)}}
	for _, b := range [...]uint8{
		uint8(r.WhiteRunSquare), uint8(r.WhiteRun), uint8(r.BlackRunSquare), uint8(r.BlackRun),
		uint8(r.SinceChange), uint8(r.SinceMan), uint8(r.Road),
	} {
		k.state = k.state<<8 | uint64(b)
	}
	return k
}

// boardKey returns the key of a row's position without its draw clocks.
func (s symmetry) boardKey(r Row) key {
	r.SinceChange, r.SinceMan, r.Road = 0, 0, 0
	s.canonical(&r)
	return keyOf(&r)
}

// hash returns a hash of a position that never changes: it is in files.
func (k key) hash() uint64 {
	h := spread(k.state)
	for _, bb := range k.boards {
		h = spread(h ^ bb)
	}
	return h
}

// compare orders keys.
func (k key) compare(o key) int {
	return cmp.Or(slices.Compare(k.boards[:], o.boards[:]), cmp.Compare(k.state, o.state))
}

// dropIdleClocks sets the draw clocks of a row to 0 unless an article counts
// them in this position: the course of the game does not depend on them, since
// an article begins to count anew when it comes to work.
func (s symmetry) dropIdleClocks(r *Row, profile engine.Profile) error {
	if r.SinceChange|r.SinceMan|r.Road == 0 {
		return nil
	}
	p, err := r.Position(s.variant)
	if err != nil {
		return err
	}
	if s.variant.Ending(&p, profile).Clock == 0 {
		r.SinceChange, r.SinceMan, r.Road = 0, 0, 0
	}
	return nil
}

// spread is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", 2014), after one step of its counter.
func spread(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
