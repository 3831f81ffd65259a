package engine

// Perft counts the move sequences of exactly depth plies from p, each move
// once (G4). Draw rules never stop it; a branch without legal moves ends. With
// bulk it counts the moves of the last ply instead of making them. buf is room
// for moves: nothing is allocated per node while it holds the moves of all
// plies on the way (4096 suffice for any position met in games).
func Perft(v *Variant, p *Position, depth int, bulk bool, buf []Move) uint64 {
	if depth <= 0 {
		return 1
	}
	c := perfter{variant: v, bulk: bulk, made: make([]Position, depth)}
	return c.count(p, depth, buf[:0])
}

// perfter counts moves. It keeps one position a ply: what a generator is handed
// through a Variant cannot stay on the stack.
type perfter struct {
	variant *Variant
	bulk    bool
	made    []Position // by the plies that are left
}

func (c *perfter) count(p *Position, depth int, buf []Move) uint64 {
	if c.bulk && depth == 1 {
		return uint64(c.variant.Count(p, buf))
	}
	base := len(buf)
	buf = c.variant.Generate(p, buf)
	moves, q := buf[base:], &c.made[depth-1]
	if depth > 1 {
		var n uint64
		for _, m := range moves {
			p.MakeInto(m, q)
			n += c.count(q, depth-1, buf)
		}
		return n
	}
	for _, m := range moves {
		p.MakeInto(m, q)
	}
	return uint64(len(moves))
}
