package search

import "draughtlab/engine"

// table is the hash table: buckets of four entries of 16 bytes. Forgetting
// everything is a new generation; entries of old ones count as empty.
type table struct {
	buckets    [][4]entry
	generation uint16
}

type bound uint8

const (
	noBound    bound = iota
	lowerBound       // the score is at least this
	upperBound       // at most this
	exact
)

// entry is what is known of a position. Its key is that of the position with
// its draw clock (engine.WithClock).
type entry struct {
	key        uint64
	move       moveID
	score      int16 // wins are counted from this position, not from the root
	generation uint16
	depth      uint8
	bound      bound
}

// newTable makes a table of n entries, a power of two and at least 4.
func newTable(n int) table { return table{buckets: make([][4]entry, n/4), generation: 1} }

// clear forgets everything.
func (t *table) clear() {
	t.generation++
	if t.generation == 0 {
		clear(t.buckets)
		t.generation = 1
	}
}

func (t *table) bucket(key uint64) *[4]entry { return &t.buckets[key&uint64(len(t.buckets)-1)] }

// probe returns the entry of a position, or the zero entry.
func (t *table) probe(key uint64) entry {
	for _, e := range t.bucket(key) {
		if e.key == key && e.generation == t.generation {
			return e
		}
	}
	return entry{}
}

// store keeps e in place of an older entry of the same position, else of an
// empty one, else of the shallowest of its bucket.
func (t *table) store(e entry) {
	e.generation = t.generation
	b := t.bucket(e.key)
	victim := &b[0]
	for i := range b {
		old := &b[i]
		if old.generation != t.generation || old.key == e.key {
			victim = old
			break
		}
		if old.depth < victim.depth {
			victim = old
		}
	}
	if e.move == 0 && victim.key == e.key && victim.generation == e.generation {
		e.move = victim.move
	}
	*victim = e
}

// cut returns the score of a position if e decides a search of it to the given
// depth within a window without width.
func (e entry) cut(depth, alpha, beta, ply int) (score int, ok bool) {
	if e.bound == noBound || int(e.depth) < depth || beta-alpha > 1 {
		return 0, false
	}
	score = fromTable(e.score, ply)
	return score, e.bound&lowerBound != 0 && score >= beta || e.bound&upperBound != 0 && score <= alpha
}

// toTable counts a proven win or loss from the position instead of the root.
func toTable(score, ply int) int16 {
	switch {
	case score > MaxEval:
		score += ply
	case score < -MaxEval:
		score -= ply
	}
	return int16(score)
}

// fromTable is the inverse of toTable.
func fromTable(score int16, ply int) int {
	switch {
	case score > MaxEval:
		return int(score) - ply
	case score < -MaxEval:
		return int(score) + ply
	}
	return int(score)
}

// moveID is a move in 16 bits: its squares and a digest of the captured set.
// Two moves of a position may rarely share one; it is used for ordering only.
type moveID uint16

func idOf(m engine.Move) moveID {
	return quietID(&m) | moveID(m.Captured*0x9e3779b97f4a7c15>>60)<<12
}

// quietID is idOf for quiet moves.
func quietID(m *engine.Move) moveID { return moveID(m.From()&63) | moveID(m.To()&63)<<6 }
