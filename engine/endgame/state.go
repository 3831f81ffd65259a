package endgame

import (
	"math/bits"

	"draughtlab/engine"
)

// The groups of like pieces of a view.
const (
	ownMen = iota
	ownKings
	oppMen
	oppKings
	groups
)

// run is the king run of a side (F9): how many quiet moves in a row (0..3) it
// has made with the king on that square.
type run struct {
	length uint8
	square engine.Square
}

// view is a position as the side to move sees it, turned as if that were White.
type view struct {
	set   [groups]uint64
	run   [2]run // of the side to move, and of its opponent
	clock uint8  // plies since the last change of material
}

// see turns a position into a view of it.
func see(b *engine.Board, p *engine.Position) view {
	us, them := p.Side(), p.Side().Other()
	w := view{
		set:   [groups]uint64{p.Pieces[us] &^ p.Kings, p.Pieces[us] & p.Kings, p.Pieces[them] &^ p.Kings, p.Pieces[them] & p.Kings},
		clock: p.SinceChange(),
	}
	w.run[0].length, w.run[0].square = p.Run(us)
	w.run[1].length, w.run[1].square = p.Run(them)
	if us == engine.Black {
		for i := range w.set {
			w.set[i] = b.Rotate(w.set[i])
		}
		for i := range w.run {
			w.run[i].square = b.RotateSquare(w.run[i].square)
		}
	}
	return w
}

// position is the inverse of see, with White to move.
func (w *view) position() engine.Position {
	p := engine.Position{
		Pieces: [2]uint64{w.set[ownMen] | w.set[ownKings], w.set[oppMen] | w.set[oppKings]},
		Kings:  w.set[ownKings] | w.set[oppKings],
	}
	for c, r := range w.run {
		p.SetRun(engine.Color(c), r.length, r.square)
	}
	setClock(&p, w.clock)
	return p
}

// setClock sets the plies since the last change of material. Since the last
// man's move none have passed: no table depends on them.
func setClock(p *engine.Position, clock uint8) { p.SetCounts(clock, 0, 0) }

// clocks returns the counts of the draw articles, in plies.
func clocks(p *engine.Position) (sinceChange, sinceMan, road int) {
	return int(p.SinceChange()), int(p.SinceMan()), int(p.Road())
}

// turned returns the position with the board and the colours turned.
func turned(b *engine.Board, p *engine.Position) engine.Position {
	q := *p
	q.SetSide(p.Side().Other())
	q.Kings = b.Rotate(p.Kings)
	for c := range engine.Color(2) {
		q.Pieces[c] = b.Rotate(p.Pieces[c.Other()])
		length, on := p.Run(c.Other())
		q.SetRun(c, length, b.RotateSquare(on))
	}
	return q
}

// overlap reports whether two groups share a square: no position.
func (w *view) overlap() bool {
	var seen uint64
	for _, s := range w.set {
		if s&seen != 0 {
			return true
		}
		seen |= s
	}
	return false
}

// occupied returns the squares that hold a piece.
func (w *view) occupied() uint64 {
	return w.set[ownMen] | w.set[ownKings] | w.set[oppMen] | w.set[oppKings]
}

// number numbers the runs of a side with these kings: 0 is none, then three for
// each king in the order of squares.
func (r run) number(kings uint64) int {
	if r.length == 0 {
		return 0
	}
	return 3*bits.OnesCount64(kings&(r.square.Bit()-1)) + int(r.length)
}

// runOf is the inverse of run.number.
func runOf(kings uint64, number int) run {
	if number == 0 {
		return run{}
	}
	for range (number - 1) / 3 {
		kings &= kings - 1
	}
	return run{uint8((number-1)%3 + 1), engine.Square(bits.TrailingZeros64(kings))}
}
