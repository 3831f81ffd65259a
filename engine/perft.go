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
	// One position a ply: what a generator is handed through Variant cannot
	// stay on the stack.
	path := make([]Position, depth+1)
	path[0] = *p
	return perft(v, path, bulk, buf[:0])
}

// perft counts from path[0], with room in path for the positions to come.
func perft(v *Variant, path []Position, bulk bool, buf []Move) uint64 {
	if len(path) == 1 {
		return 1
	}
	base := len(buf)
	buf = v.Generate(&path[0], buf)
	if bulk && len(path) == 2 {
		return uint64(len(buf) - base)
	}
	var n uint64
	for i := base; i < len(buf); i++ {
		path[0].MakeInto(buf[i], &path[1])
		n += perft(v, path[1:], bulk, buf)
	}
	return n
}
