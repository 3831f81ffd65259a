package endgame

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"draughtlab/engine"
)

// Value is the outcome of a position under best play, for the side to move.
type Value int8

// The values.
const (
	Loss Value = iota - 1
	Draw
	Win
)

// String returns "loss", "draw" or "win".
func (v Value) String() string { return [...]string{"loss", "draw", "win"}[v+1] }

// Result is what a table says of a position.
type Result struct {
	// Value is for the side to move.
	Value Value
	// Distance is the number of plies to the end of the game if the winner
	// hurries and the loser delays; 0 for a draw.
	Distance int
}

// String says it in words: "draw", "win in 3 plies".
func (r Result) String() string {
	switch {
	case r.Value == Draw:
		return r.Value.String()
	case r.Distance == 1:
		return r.Value.String() + " in 1 ply"
	}
	return fmt.Sprintf("%s in %d plies", r.Value, r.Distance)
}

// result reads a code: 0 is a draw, else one more than the distance, which is
// odd for a win.
func result(code int) Result {
	switch {
	case code == 0:
		return Result{}
	case code%2 == 0:
		return Result{Win, code - 1}
	}
	return Result{Loss, code - 1}
}

// codes are the codes of an ending's states, in one byte each if all fit.
type codes struct {
	narrow []uint8
	wide   []uint16
}

// at returns the code of a state.
func (c *codes) at(i int) int {
	if c.narrow != nil {
		return int(c.narrow[i])
	}
	return int(c.wide[i])
}

// ending is one material with both sides to move, as kept in one file.
type ending struct {
	material Material
	slices   []*slice // White to move, Black to move; one if both sides have the same
	path     string   // of the file; "" in memory only
	codes    atomic.Pointer[codes]
	broken   atomic.Bool // its file could not be read
}

// newEnding makes the index of a canonical material.
func newEnding(v *engine.Variant, g *geometry, rules Rules, m Material) *ending {
	e := &ending{material: m}
	limit := clockLimit(v, rules, m)
	offset := 0
	for _, m := range []Material{m, m.swap()} {
		s := newSlice(g, m, g.runs && rules != Free, limit)
		s.ending, s.offset = e, offset
		e.slices = append(e.slices, s)
		offset += s.states()
		if m == m.swap() {
			break
		}
	}
	return e
}

// states is the number of states of all slices.
func (e *ending) states() int {
	n := 0
	for _, s := range e.slices {
		n += s.states()
	}
	return n
}

// Tables answers probes of one game under one set of rules. Any number of
// goroutines may use it at once.
type Tables struct {
	variant  *engine.Variant
	rules    Rules // as asked for
	kept     Rules // as kept in files
	geometry *geometry
	slices   [keys]*slice // by material with the side to move first
	endings  []*ending
	pieces   int
	pure     *Tables // for positions with more pieces (federation), or nil

	reading sync.Mutex // held while a file is read
	failure error
}

// newTables returns empty tables.
func newTables(v *engine.Variant, rules Rules) *Tables {
	return &Tables{variant: v, rules: rules, kept: rules.kept(v), geometry: newGeometry(v)}
}

// add puts an ending in.
func (t *Tables) add(e *ending) {
	t.endings = append(t.endings, e)
	for i, m := range []Material{e.material, e.material.swap()} {
		t.slices[m.key()] = e.slices[i%len(e.slices)]
	}
	t.pieces = 0
	for n := 2; n <= MaxPieces; n++ {
		for _, m := range Materials(n) {
			if t.slices[m.key()] == nil {
				return
			}
		}
		t.pieces = n
	}
}

// Variant returns the game.
func (t *Tables) Variant() *engine.Variant { return t.variant }

// Rules returns the rules asked for.
func (t *Tables) Rules() Rules { return t.rules }

// Pieces returns the number of pieces up to which every material is covered;
// some materials of more pieces may be covered as well.
func (t *Tables) Pieces() int {
	if t.pure != nil {
		return max(t.pieces, t.pure.pieces)
	}
	return t.pieces
}

// MostPieces returns the greatest number of pieces of a material that is
// covered, others of as many pieces or fewer or not; 0 if none is.
func (t *Tables) MostPieces() int {
	most := 0
	for _, e := range t.endings {
		most = max(most, e.material.Pieces())
	}
	if t.pure != nil {
		most = max(most, t.pure.MostPieces())
	}
	return most
}

// Covers reports whether the material has a table of its own.
func (t *Tables) Covers(m Material) bool {
	return t.slices[m.key()] != nil || t.pure != nil && t.pure.Covers(m)
}

// Probe returns the result of p with its king runs and clocks, or false if no
// table covers it or, under federation articles, if an article may spoil the win
// (see the package comment). It allocates nothing, but for the first probe of a
// material, which reads its file.
func (t *Tables) Probe(p *engine.Position) (Result, bool) {
	code, ok := t.lookup(p)
	if ok {
		return result(code), true
	}
	if t.pure == nil {
		return Result{}, false
	}
	if code, ok = t.pure.lookup(p); !ok || code != 0 && code-1 > horizon(p) {
		return Result{}, false
	}
	return result(code), true
}

// lookup returns the code of p, or false if no table covers it.
func (t *Tables) lookup(p *engine.Position) (int, bool) {
	w := see(t.geometry.board, p)
	if w.set[ownMen]|w.set[ownKings] == 0 {
		return 1, true // a player without pieces loses
	}
	s := t.slices[key(&w)]
	if s == nil {
		return 0, false
	}
	c := s.ending.codes.Load()
	if c == nil {
		if c = t.load(s.ending); c == nil {
			return 0, false
		}
	}
	code := c.at(s.offset + s.state(&w))
	if code != 1 && p.CountFilled(1) && t.drawn(p) {
		return 0, true // by the capture that led to p, whatever p is
	}
	return code, true
}

// key is the Material.key of a view, or 0, which is no material's, if a group is
// too large for one.
func key(w *view) int {
	n, most := 0, 0
	for _, set := range w.set {
		k := bits.OnesCount64(set)
		n, most = n<<3|k, most|k
	}
	if most >= 8 {
		return 0
	}
	return n
}

// load reads an ending's file, or returns nil if it cannot be read.
func (t *Tables) load(e *ending) *codes {
	t.reading.Lock()
	defer t.reading.Unlock()
	if c := e.codes.Load(); c != nil || e.broken.Load() {
		return c
	}
	c, err := readFile(e.path, t.variant, t.kept, e)
	if err != nil {
		e.broken.Store(true)
		if t.failure == nil {
			t.failure = err
		}
		return nil
	}
	e.codes.Store(c)
	return c
}

// Load reads all files of materials of up to so many pieces into memory, so that
// no later probe of them reads a file.
func (t *Tables) Load(pieces int) error {
	for _, e := range t.endings {
		if e.material.Pieces() <= pieces && e.codes.Load() == nil {
			t.load(e)
		}
	}
	if t.pure != nil {
		if err := t.pure.Load(pieces); err != nil {
			return err
		}
	}
	return t.Err()
}

// Err returns the first error of a file that a probe could not read; the probes
// of its material return false.
func (t *Tables) Err() error {
	t.reading.Lock()
	defer t.reading.Unlock()
	if t.failure == nil && t.pure != nil {
		return t.pure.Err()
	}
	return t.failure
}

// unload forgets what can be read again.
func (t *Tables) unload() {
	for _, e := range t.endings {
		if e.path != "" {
			e.codes.Store(nil)
		}
	}
}

// find returns the slice of a material whose first force is to move.
func (t *Tables) find(m Material) (*slice, error) {
	s := t.slices[m.key()]
	if s == nil {
		return nil, fmt.Errorf("no %s table of %s (%s rules)", t.variant.Name, m.Canonical(), t.rules)
	}
	if s.ending.codes.Load() == nil && t.load(s.ending) == nil {
		return nil, t.Err()
	}
	return s, nil
}
