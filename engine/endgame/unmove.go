package endgame

import (
	"math/bits"

	"draughtlab/engine"
)

// predecessors appends the states from which a quiet move that is no promotion
// leads to the given state, each as often as such moves do. Some of them may be
// states in which no quiet move is allowed, because a capture is due.
func (b *builder) predecessors(state int, buf []int) []int {
	r, n := b.reader(state)
	w := r.view(n)
	if r.clocks > 1 && w.clock == 0 {
		return buf // the material has just changed
	}
	u := unmover{geometry: b.tables.geometry, to: b.ending.other(r.slice), buf: buf}
	u.turn(&w)
	u.men()
	u.kings()
	return u.buf
}

// unmover takes back moves of the side that has just moved.
type unmover struct {
	*geometry
	to    *slice // holds the states before the move
	w     view   // the position, seen by the side that moves
	after run    // that side's run after the move
	opp   int    // the number of the opponent's run
	buf   []int
}

// turn makes u.w of a view by the side to move after the move.
func (u *unmover) turn(w *view) {
	for i, set := range w.set {
		u.w.set[(i+groups/2)%groups] = u.board.Rotate(set)
	}
	for i, r := range w.run {
		u.w.run[1-i] = run{r.length, u.board.RotateSquare(r.square)}
	}
	if w.clock > 0 {
		u.w.clock = w.clock - 1
	}
	u.after = u.w.run[0]
	if u.to.runs[1] > 1 {
		u.opp = u.w.run[1].number(u.w.set[oppKings])
	}
}

// men takes back the moves of men. They end a run (F9), so before the move there
// may have been any.
func (u *unmover) men() {
	if u.after.length != 0 {
		return
	}
	men, empty := u.w.set[ownMen], ^u.w.occupied()
	for set := men; set != 0; set &= set - 1 {
		to := set & -set
		for origins := u.manFrom[bits.TrailingZeros64(set)&63] & empty; origins != 0; origins &= origins - 1 {
			u.w.set[ownMen] = men&^to | origins&-origins
			first, step := u.states()
			for n := range u.to.runs[0] {
				u.buf = append(u.buf, first+n*step)
			}
		}
	}
	u.w.set[ownMen] = men
}

// kings takes back the moves of kings.
func (u *unmover) kings() {
	kings, occupied := u.w.set[ownKings], u.w.occupied()
	movers := kings
	if u.to.runs[0] > 1 {
		if movers = 0; u.after.length != 0 {
			movers = u.after.square.Bit()
		}
	}
	for ; movers != 0; movers &= movers - 1 {
		to := engine.Square(bits.TrailingZeros64(movers))
		for d := range u.geometry.kings.N {
			for from := u.geometry.kings.Until(d, to, occupied); from != 0; from &= from - 1 {
				u.w.set[ownKings] = kings&^to.Bit() | from&-from
				u.king(engine.Square(bits.TrailingZeros64(from)))
			}
		}
	}
	u.w.set[ownKings] = kings
}

// king adds the states before a king's move from that square, where it stands
// again: its run was shorter by one; before its first move there was no run, or
// one of another king (F9).
func (u *unmover) king(from engine.Square) {
	first, step := u.states()
	if u.to.runs[0] == 1 {
		u.buf = append(u.buf, first)
		return
	}
	if u.after.length > 1 {
		n := run{u.after.length - 1, from}.number(u.w.set[ownKings])
		u.buf = append(u.buf, first+n*step)
		return
	}
	own := run{1, from}.number(u.w.set[ownKings])
	for n := range u.to.runs[0] {
		if n < own || n > own+2 {
			u.buf = append(u.buf, first+n*step)
		}
	}
}

// states returns the state of u.w without a run of the side to move; each number
// of a run adds step.
func (u *unmover) states() (first, step int) {
	w := view{set: u.w.set}
	u.to.orient(&w)
	step = u.to.runs[1] * u.to.clocks
	return u.to.offset + u.to.placement(&w)*u.to.extras() + u.opp*u.to.clocks + int(u.w.clock), step
}
