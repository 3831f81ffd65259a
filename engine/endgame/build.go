package endgame

import (
	"context"
	"fmt"
	"sync/atomic"

	"draughtlab/engine"
)

// Progress tells how far a Build has come: a table has just been made, or found
// to be there.
type Progress struct {
	Rules    Rules
	Material Material
	States   int  // of this table
	Made     bool // or found
	Done     int  // tables
	Total    int
}

// Build makes the tables of all materials of up to so many pieces, each a file
// in dir, and leaves those that are there as they are: a Build that was
// interrupted goes on where it was. The files do not depend on the number of
// workers. It needs five or six bytes for every state of the largest table and
// one or two for each of those that its captures and promotions reach. Under
// federation rules of Russian it makes the exact tables of up to three pieces and
// the pure ones (see the package comment). progress may be nil.
func Build(ctx context.Context, dir string, v *engine.Variant, rules Rules, pieces, workers int, progress func(Progress)) error {
	if pieces < 2 || pieces > MaxPieces {
		return fmt.Errorf("tables of %d pieces: make them of 2 to %d", pieces, MaxPieces)
	}
	return buildAll(ctx, dir, v, plan(v, rules, Materials(pieces)), workers, progress)
}

// BuildMaterial is Build for one material and all those that captures and
// promotions lead to from it.
func BuildMaterial(ctx context.Context, dir string, v *engine.Variant, rules Rules, m Material, workers int, progress func(Progress)) error {
	return buildAll(ctx, dir, v, plan(v, rules, needed(m)), workers, progress)
}

// buildAll makes the tables of a plan.
func buildAll(ctx context.Context, dir string, v *engine.Variant, plan []Planned, workers int, progress func(Progress)) error {
	var t *Tables
	for i, j := range plan {
		if t == nil || t.kept != j.Rules {
			t = newTables(v, j.Rules)
		}
		e, made, err := t.obtain(ctx, dir, j.Material, workers)
		if err != nil {
			return err
		}
		t.add(e)
		t.unload()
		if progress != nil {
			progress(Progress{j.Rules, j.Material, e.states(), made, i + 1, len(plan)})
		}
	}
	return nil
}

// Planned is a table that a build makes, or finds.
type Planned struct {
	Rules    Rules
	Material Material
	States   int
	Memory   int // bytes at most while it is made
}

// Plan lists what Build does, in its order; PlanMaterial what BuildMaterial does.
func Plan(v *engine.Variant, rules Rules, pieces int) []Planned {
	return plan(v, rules, Materials(pieces))
}

// PlanMaterial is Plan for BuildMaterial.
func PlanMaterial(v *engine.Variant, rules Rules, m Material) []Planned {
	return plan(v, rules, needed(m))
}

// plan lists the tables of the given materials.
func plan(v *engine.Variant, rules Rules, list []Material) []Planned {
	var out []Planned
	g := newGeometry(v)
	add := func(kept Rules) {
		states := map[Material]int{}
		for _, m := range list {
			if m.Pieces() > Solved(v, kept) {
				continue
			}
			states[m] = newEnding(v, g, kept, m).states()
			memory := 4 * states[m]
			for _, other := range needed(m) {
				memory += 2 * states[other]
			}
			out = append(out, Planned{kept, m, states[m], memory})
		}
	}
	add(rules.kept(v))
	if rules.kept(v) == Federation {
		add(Pure)
	}
	return out
}

// Solved returns the number of pieces up to which all placements are solved under
// these rules: MaxPieces but for the federation's of Russian.
func Solved(v *engine.Variant, rules Rules) int {
	if rules.kept(v) == Federation {
		return federationPieces
	}
	return MaxPieces
}

// obtain returns the ending of m, from its file or else made and, unless dir is
// "", written to it.
func (t *Tables) obtain(ctx context.Context, dir string, m Material, workers int) (e *ending, made bool, err error) {
	e = newEnding(t.variant, t.geometry, t.kept, m)
	if dir != "" {
		e.path = FileName(dir, t.variant, t.kept, m)
		if found, err := checkFile(e.path, t.variant, t.kept, e); found || err != nil {
			return e, false, err
		}
	}
	c, err := t.solve(ctx, e, workers)
	if err != nil {
		return nil, false, err
	}
	if dir == "" {
		e.codes.Store(c)
		return e, true, nil
	}
	return e, true, writeFile(e.path, t.variant, t.kept, e, c)
}

// A word is what the analysis knows of a state:
//
//	bits 0-11   code (see result), or of an undecided state 0
//	bits 12-19  quiet moves within the material whose value is not yet known
//	            to be a win of the opponent; closed or safe instead
//	bits 20-31  distance of a loss at least, from the other moves
//
// A state whose code is above the one being worked on may still get a lower one:
// that of a win through a capture or promotion far from the end.
const (
	codeMask  = 1<<12 - 1
	oneLeft   = 1 << 12
	leftMask  = 0xff << 12
	closed    = 255 << 12 // no quiet move counts: a capture is due, or it is over
	safe      = 254 << 12 // a promotion draws: no loss
	lossShift = 20
	maxCode   = codeMask - 2
)

// builder makes one ending.
type builder struct {
	tables  *Tables
	ending  *ending
	words   []uint32 // by state; read and changed atomically
	readers []*reader
	workers int
}

// solve makes the codes of an ending whose captures and promotions lead to
// endings that t has.
func (t *Tables) solve(ctx context.Context, e *ending, workers int) (*codes, error) {
	b := &builder{tables: t, ending: e, words: make([]uint32, e.states()), workers: workers}
	for _, s := range e.slices {
		b.readers = append(b.readers, s.reader(t.geometry.board))
	}
	if err := parallel(ctx, b.workers, len(b.words), b.begin); err != nil {
		return nil, err
	}
	for code := uint32(1); code != 0; {
		if code > maxCode {
			return nil, fmt.Errorf("endgame %s of %s: a win of more than %d plies", e.material, t.variant.Name, maxCode-2)
		}
		next, err := b.spread(ctx, code)
		if err != nil {
			return nil, err
		}
		code = next
	}
	if err := t.Err(); err != nil {
		return nil, err
	}
	return b.codes(), nil
}

// reader returns the reader of the slice that holds a state, and the state's
// number in it.
func (b *builder) reader(state int) (*reader, int) {
	r := b.readers[0]
	if state >= r.states() {
		r = b.readers[1]
	}
	return r, state - r.offset
}

// other returns the slice with the other side to move.
func (e *ending) other(s *slice) *slice {
	if s == e.slices[0] {
		return e.slices[len(e.slices)-1]
	}
	return e.slices[0]
}

// begin sets the words of the states from..to-1: what the rules say of a state
// by itself and through moves that leave the material. The states of a placement
// have the same moves, but where a king may not move (F9), or where a capture is
// the last ply of a count (R9, F10).
func (b *builder) begin(from, to int) {
	var free, bound [512]engine.Move
	var moves []engine.Move // of the placement whose first state is placed
	placed := -1
	for i := from; i < to; i++ {
		r, n := b.reader(i)
		w := r.view(n)
		if w.overlap() {
			b.words[i] = closed
			continue
		}
		p := w.position()
		if w.run[0].length == 3 || int(w.clock) == r.clocks-2 {
			b.words[i] = b.tables.word(&p, b.tables.variant.Generate(&p, bound[:0]))
			continue
		}
		if first := i - n%r.extras(); first != placed {
			placed, moves = first, b.tables.variant.Generate(&p, free[:0])
		}
		b.words[i] = b.tables.word(&p, moves)
	}
}

// word returns the first word of a position with these legal moves.
func (t *Tables) word(p *engine.Position, moves []engine.Move) uint32 {
	if len(moves) == 0 {
		return closed | 1 // loss in 0
	}
	if t.drawn(p) {
		return closed
	}
	var leave fold
	quiet := uint32(0)
	for _, m := range moves {
		if !m.IsCapture() && !m.Promotes() {
			quiet++
			continue
		}
		q := p.Make(m)
		leave.add(t.mustLookup(&q))
	}
	switch {
	case quiet == 0:
		return closed | uint32(leave.code())
	case leave.draw:
		return safe | uint32(leave.win)
	}
	return uint32(leave.loss)<<lossShift | quiet<<12 | uint32(leave.win)
}

// drawn reports whether an article draws p, in which there is a legal move.
func (t *Tables) drawn(p *engine.Position) bool {
	profile, any := t.kept.profile()
	return any && t.variant.Ending(p, profile).Draw != engine.Ongoing
}

// mustLookup is lookup of a position that a table must cover. If its file could
// not be read the code is wrong, and Err says so.
func (t *Tables) mustLookup(p *engine.Position) int {
	code, ok := t.lookup(p)
	if !ok && t.Err() == nil {
		panic(fmt.Sprintf("endgame: %s: no table for a position of %d pieces", t.variant.Name, p.Count()))
	}
	return code
}

// fold gathers the codes of a position's successors.
type fold struct {
	win  int  // least code of a win, or 0
	loss int  // distance of the longest loss, or 0
	draw bool // some move draws
}

// add takes one successor's code.
func (f *fold) add(code int) {
	switch {
	case code == 0:
		f.draw = true
	case code%2 == 0: // the opponent wins
		f.loss = max(f.loss, code)
	case f.win == 0 || code+1 < f.win:
		f.win = code + 1
	}
}

// code returns the code of the position.
func (f *fold) code() int {
	switch {
	case f.win != 0:
		return f.win
	case f.draw:
		return 0
	}
	return f.loss + 1
}

// spread tells the predecessors of all states of that code, and returns the
// least greater code of any state, or 0.
func (b *builder) spread(ctx context.Context, code uint32) (uint32, error) {
	var next atomic.Uint32
	next.Store(codeMask)
	err := parallel(ctx, b.workers, len(b.words), func(from, to int) {
		var buf []int
		least := uint32(codeMask)
		for i := from; i < to; i++ {
			c := atomic.LoadUint32(&b.words[i]) & codeMask
			if c > code {
				least = min(least, c)
			}
			if c != code {
				continue
			}
			buf = b.predecessors(i, buf[:0])
			for _, q := range buf {
				if c := b.tell(q, code); c > code {
					least = min(least, c)
				}
			}
		}
		for old := next.Load(); least < old && !next.CompareAndSwap(old, least); old = next.Load() {
		}
	})
	if next.Load() == codeMask {
		return 0, err
	}
	return next.Load(), err
}

// tell lets a state know that one of its moves leads to a state of that code. It
// returns the code that the state got by it, or 0.
func (b *builder) tell(state int, code uint32) uint32 {
	for {
		old := atomic.LoadUint32(&b.words[state])
		if old&leftMask == closed {
			return 0
		}
		word := old
		if code%2 == 1 { // the opponent loses
			if old&codeMask != 0 && old&codeMask <= code+1 {
				return 0
			}
			word = old&^codeMask | (code + 1)
		} else {
			if old&leftMask == safe || old&codeMask != 0 {
				return 0
			}
			word -= oneLeft
			if word&leftMask == 0 {
				word |= max(code, word>>lossShift) + 1
			}
		}
		if atomic.CompareAndSwapUint32(&b.words[state], old, word) {
			return word & codeMask
		}
	}
}

// codes returns the codes of all states. A hole gets that of the state before
// it, which compresses best.
func (b *builder) codes() *codes {
	greatest, last := uint32(0), uint32(0)
	for i, word := range b.words {
		r, n := b.reader(i)
		if word == closed {
			if w := r.view(n); w.overlap() {
				b.words[i] = last
				continue
			}
		}
		last = word & codeMask
		b.words[i] = last
		greatest = max(greatest, last)
	}
	c := newCodes(len(b.words), int(greatest))
	for i, word := range b.words {
		c.set(i, word)
	}
	return c
}
