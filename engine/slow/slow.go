// Package slow is the slow, obvious move generator that checks the fast ones: a
// board of cells, files and ranks, and every way of making every move, one after
// the other. It was written from engine/RULES.md and shares nothing with the
// generators it checks but the names of squares. It is for tests and for
// verifying endgame tables, a thousand times too slow for anything else.
//
// Start at Moves.
package slow

import (
	"math/bits"
	"strconv"

	"draughtlab/engine"
)

// rules are the facts of one game.
type rules struct {
	size     int
	manSteps [][2]int // of White; Black's are the same turned round
	kingDirs [][2]int // quiet king moves
	capture  [][2]int // all captures
	inPass   bool     // R8: a man on the base in mid-capture is a king at once
	choose   bool     // R7: of the landing squares, those from which it goes on
	// rank orders captures: only those of the highest rank are legal.
	rank func(kings, men int, byKing bool) int
}

var (
	diagonal   = [][2]int{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}}
	orthogonal = [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}

	games = map[string]*rules{
		"croda": {
			size:     8,
			manSteps: [][2]int{{-1, 1}, {0, 1}, {1, 1}},                       // C2
			kingDirs: orthogonal,                                              // C4
			capture:  orthogonal,                                              // C3, C5
			rank:     func(kings, men int, _ bool) int { return kings + men }, // C6
		},
		"russian": {
			size:     8,
			manSteps: [][2]int{{-1, 1}, {1, 1}},                     // R2
			kingDirs: diagonal,                                      // R4
			capture:  diagonal,                                      // R3, R5
			inPass:   true,                                          // R8
			choose:   true,                                          // R7
			rank:     func(kings, men int, _ bool) int { return 0 }, // R6
		},
		"frisian": {
			size:     10,
			manSteps: [][2]int{{-1, 1}, {1, 1}},                                                      // F2
			kingDirs: diagonal,                                                                       // F4
			capture:  [][2]int{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}, {2, 0}, {-2, 0}, {0, 2}, {0, -2}}, // F3, F5
			rank: func(kings, men int, byKing bool) int { // F6, F7
				// n kings are worth more than 2n-1 men and less than 2n.
				worth := 1000 * (2*kings + men)
				worth -= 10 * kings
				if byKing {
					worth++
				}
				return worth
			},
		},
	}
)

// Move is a move under G4. Squares are those of a dataset (engine.Board.Index),
// captured ones the bits of that number.
type Move struct {
	From, To int
	Captured uint64
	Promotes bool
}

// Moves returns every legal move of p with the number of ways of making it. It
// gives up, and returns false, if there are more than maxJumps jumps to follow;
// 0 means no limit.
func Moves(v *engine.Variant, p *engine.Position, maxJumps int) (map[Move]int, bool) {
	g := newGame(v, p)
	if maxJumps > 0 {
		g.maxJumps = maxJumps
	}
	return g.moves()
}

// Of returns the move of another generator as a Move.
func Of(v *engine.Variant, m engine.Move) Move {
	return Move{v.Board.Index(m.From()), v.Board.Index(m.To()), v.Board.Pack(m.Captured), m.Promotes()}
}

// Rank orders captures of so many kings and men: only those of the highest rank
// are legal.
func Rank(v *engine.Variant, kings, men int, byKing bool) int {
	return games[v.Name].rank(kings, men, byKing)
}

// Generate returns the moves as a generator of engine.Variant does, each with its
// effect, which is written here from F9, R9 and F10. Of the effects only that of
// R10 (engine.KeepsRoad) is left out.
func Generate(v *engine.Variant) func(p *engine.Position, buf []engine.Move) []engine.Move {
	square := map[int]engine.Square{}
	for _, s := range v.Board.Squares() {
		square[v.Board.Index(s)] = s
	}
	return func(p *engine.Position, buf []engine.Move) []engine.Move {
		g := newGame(v, p)
		found, _ := g.moves()
		for m := range found {
			from, captured := square[m.From], uint64(0)
			for n, s := range square {
				if m.Captured>>n&1 != 0 {
					captured |= s.Bit()
				}
			}
			effect := g.effect(p.Kings&from.Bit() != 0, captured != 0, m.Promotes)
			if captured == 0 && effect == engine.QuietKing && v.Name == "frisian" && g.men > 0 { // F9
				length, at := p.Run(p.Side())
				if at != from {
					length = 0
				}
				effect |= engine.Run(length + 1)
			}
			if captured != 0 && lastOfCount(v, p) {
				effect |= engine.KeepsCount
			}
			buf = append(buf, engine.NewMove(from, square[m.To], captured, effect))
		}
		return buf
	}
}

// effect returns what a move does but for runs and counts.
func (g *game) effect(king, captures, promotes bool) engine.Effect {
	switch {
	case promotes && captures:
		return engine.CapturePromotes
	case promotes:
		return engine.ManPromotes
	case king && captures:
		return engine.KingCaptures
	case captures:
		return engine.ManCaptures
	case king:
		return engine.QuietKing
	}
	return engine.QuietMan
}

// lastOfCount reports whether the ply to be made is the last one that R9 or F10
// counts.
func lastOfCount(v *engine.Variant, p *engine.Position) bool {
	if p.Men(engine.White)|p.Men(engine.Black) != 0 {
		return false
	}
	white, black := bits.OnesCount64(p.Pieces[engine.White]), bits.OnesCount64(p.Pieces[engine.Black])
	switch v.Name {
	case "russian":
		return max(white, black) == 3 && min(white, black) == 1 && p.SinceChange() == 29
	case "frisian":
		return max(white, black) == 2 && min(white, black) == 1 && p.SinceChange() == 13
	}
	return false
}

type game struct {
	*rules
	cell [10][10]byte // by file and rank: w b men, W B kings, 0 empty
	side engine.Color
	men  int    // of the side to move
	tied [2]int // F9: file and rank of a king that may not make a quiet move, or -1, -1

	from     [2]int
	wasKing  bool
	best     int
	paths    map[Move]int
	jumps    int
	maxJumps int
}

// number gives each square the number that the dataset gives it: 8*rank+file,
// or Frisian number - 1.
func (g *game) number(x, y int) int {
	if g.size == 10 {
		return 5*(9-y) + x/2
	}
	return 8*y + x
}

// cellOf is the inverse of number, from the names of the squares.
func cellOf(size int, name string) (x, y int) {
	if size == 10 {
		n, err := strconv.Atoi(name)
		if err != nil {
			panic(err)
		}
		row := (n - 1) / 5
		return 2*((n-1)%5) + 1 - row%2, 9 - row
	}
	return int(name[0] - 'a'), int(name[1] - '1')
}

func newGame(v *engine.Variant, p *engine.Position) *game {
	g := &game{rules: games[v.Name], side: p.Side(), tied: [2]int{-1, -1}, paths: map[Move]int{}, best: -1 << 30, maxJumps: 1 << 40}
	for set := p.Occupied(); set != 0; set &= set - 1 {
		s := engine.Square(bits.TrailingZeros64(set))
		x, y := cellOf(g.size, v.Board.Name(s))
		cell := byte('w')
		if p.Pieces[engine.Black]&s.Bit() != 0 {
			cell = 'b'
		}
		if p.Kings&s.Bit() != 0 {
			cell -= 'a' - 'A'
		} else if p.Pieces[p.Side()]&s.Bit() != 0 {
			g.men++
		}
		g.cell[x][y] = cell
	}
	if length, on := p.Run(p.Side()); g.men > 0 && length >= 3 {
		g.tied[0], g.tied[1] = cellOf(g.size, v.Board.Name(on))
	}
	return g
}

func (g *game) on(x, y int) bool    { return x >= 0 && y >= 0 && x < g.size && y < g.size }
func (g *game) empty(x, y int) bool { return g.on(x, y) && g.cell[x][y] == 0 }
func (g *game) own(x, y int) bool {
	c := g.cell[x][y]
	return c != 0 && (c == 'w' || c == 'W') == (g.side == engine.White)
}
func (g *game) king(x, y int) bool { return g.cell[x][y] == 'W' || g.cell[x][y] == 'B' }

// base reports whether y is the rank on which the men of the side to move
// become kings.
func (g *game) base(y int) bool {
	if g.side == engine.White {
		return y == g.size-1
	}
	return y == 0
}

// moves returns every legal move with the number of ways of making it, and
// false if there are more jumps to follow than maxJumps.
func (g *game) moves() (map[Move]int, bool) {
	g.everyPiece(func(x, y int) {
		piece := g.cell[x][y]
		g.from, g.wasKing = [2]int{x, y}, g.king(x, y)
		g.cell[x][y] = 0 // G1
		g.jump(x, y, 0, g.wasKing)
		g.cell[x][y] = piece
	})
	if len(g.paths) == 0 { // G3
		g.everyPiece(g.quiet)
	}
	return g.paths, g.jumps <= g.maxJumps
}

func (g *game) everyPiece(do func(x, y int)) {
	for x := range g.size {
		for y := range g.size {
			if g.own(x, y) {
				do(x, y)
			}
		}
	}
}

// quiet adds the quiet moves of the piece at x, y.
func (g *game) quiet(x, y int) {
	add := func(tx, ty int, promotes bool) {
		g.paths[Move{From: g.number(x, y), To: g.number(tx, ty), Promotes: promotes}]++
	}
	if !g.king(x, y) {
		for _, d := range g.manSteps {
			tx, ty := x+d[0], y+d[1]
			if g.side == engine.Black {
				ty = y - d[1]
			}
			if g.empty(tx, ty) {
				add(tx, ty, g.base(ty))
			}
		}
		return
	}
	if g.tied == [2]int{x, y} {
		return
	}
	for _, d := range g.kingDirs {
		for tx, ty := x+d[0], y+d[1]; g.empty(tx, ty); tx, ty = tx+d[0], ty+d[1] {
			add(tx, ty, false)
		}
	}
}

// landings returns the piece that the moving piece, at x, y, can capture in
// direction d, and the squares on which it may land behind it.
func (g *game) landings(x, y int, d [2]int, captured uint64, king bool) (victim [2]int, land [][2]int) {
	vx, vy := x+d[0], y+d[1]
	for king && g.empty(vx, vy) {
		vx, vy = vx+d[0], vy+d[1]
	}
	if !g.on(vx, vy) || g.cell[vx][vy] == 0 || g.own(vx, vy) || captured>>g.number(vx, vy)&1 != 0 { // G2
		return victim, nil
	}
	for tx, ty := vx+d[0], vy+d[1]; g.empty(tx, ty); tx, ty = tx+d[0], ty+d[1] {
		land = append(land, [2]int{tx, ty})
		if !king {
			break
		}
	}
	return [2]int{vx, vy}, land
}

// canJump reports whether the moving piece can capture from x, y.
func (g *game) canJump(x, y int, captured uint64, king bool) bool {
	for _, d := range g.capture {
		if _, land := g.landings(x, y, d, captured, king); len(land) > 0 {
			return true
		}
	}
	return false
}

// jump follows every way of going on from x, y; where there is none the
// capture ends there.
func (g *game) jump(x, y int, captured uint64, king bool) {
	if g.jumps++; g.jumps > g.maxJumps {
		return
	}
	if !g.canJump(x, y, captured, king) {
		if captured != 0 {
			g.end(x, y, captured, king)
		}
		return
	}
	for _, d := range g.capture {
		victim, land := g.landings(x, y, d, captured, king)
		taken := captured | 1<<g.number(victim[0], victim[1])
		crowned := func(y int) bool { return king || g.inPass && g.base(y) }
		goesOn := false
		for _, l := range land {
			goesOn = goesOn || g.canJump(l[0], l[1], taken, crowned(l[1]))
		}
		for _, l := range land {
			if g.choose && goesOn && !g.canJump(l[0], l[1], taken, crowned(l[1])) {
				continue
			}
			g.jump(l[0], l[1], taken, crowned(l[1]))
		}
	}
}

// end records one way of making a capture, if it is as good as the best.
func (g *game) end(x, y int, captured uint64, king bool) {
	kings, men := 0, 0
	for cx := range g.size {
		for cy := range g.size {
			if g.cell[cx][cy] == 0 || captured>>g.number(cx, cy)&1 == 0 {
				continue
			}
			if g.king(cx, cy) {
				kings++
			} else {
				men++
			}
		}
	}
	rank := g.rank(kings, men, g.wasKing)
	if rank < g.best {
		return
	}
	if rank > g.best {
		g.best = rank
		clear(g.paths)
	}
	promotes := !g.wasKing && (king || g.base(y))
	g.paths[Move{g.number(g.from[0], g.from[1]), g.number(x, y), captured, promotes}]++
}
