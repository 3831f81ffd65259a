package eval

import (
	"math/bits"

	"draughtlab/engine"
)

// A pattern is the occupancy of a region of eight squares by men, read as a
// number in base 3: per square 0 neither, 1 an own man, 2 an enemy man. Kings
// count as empty squares.
const (
	patternSquares = 8
	tableSize      = 6561 // 3^8
)

// strip is a row of regions of one shape that begin on the same rank. They are
// read together, in lanes of 16 bits, one a region.
type strip struct {
	rank  int
	width int // two squares on each of four ranks, or four on two
	lanes []lane
	table int // number of its first table
}

// rankDigits is what a set of men on a rank adds to the regions of a tall and of
// a wide strip that begin there.
type rankDigits struct{ tall, wide uint64 }

// lane is one region of a strip. It begins with the square first of each rank,
// counted from the left. A mirrored one is read from right to left.
type lane struct {
	first    int
	mirrored bool
	table    int // regions of a strip with the same table share their weights
}

// addPatterns sets the regions of a game. Each is read from both sides' view,
// so of two regions that are each other's rotation only one is listed.
func (f *Features) addPatterns(game string) {
	switch game {
	case "croda":
		// Croda has no left and right: mirrored regions share a table. Tall
		// regions see captures along files, wide ones along ranks.
		tall := []lane{{0, false, 0}, {2, false, 1}, {4, true, 1}, {6, true, 0}}
		wide := []lane{{0, false, 0}, {2, false, 1}, {2, true, 1}, {4, true, 0}}
		f.addStrip(0, 2, tall)
		f.addStrip(2, 2, tall)
		f.addStrip(0, 4, wide)
		f.addStrip(2, 4, wide)
	case "russian":
		// 4x4 blocks. On ranks 3-6 the right block is the left one rotated.
		blocks := []lane{{0, false, 0}, {1, false, 1}, {2, false, 2}}
		f.addStrip(0, 2, blocks)
		f.addStrip(2, 2, blocks[:2])
	case "frisian":
		blocks := []lane{{0, false, 0}, {1, false, 1}, {2, false, 2}, {3, false, 3}}
		f.addStrip(0, 2, blocks)
		f.addStrip(2, 2, blocks)
	}
}

// addStrip adds the regions of a strip, with a table for each number among the
// tables of its lanes.
func (f *Features) addStrip(rank, width int, lanes []lane) {
	t := strip{rank, width, lanes, f.tables}
	for _, l := range lanes {
		if t.table+l.table == f.tables { // no lane before it has its table
			lower, upper := f.square(&t, l, 0), f.square(&t, l, patternSquares-1)
			f.regions = append(f.regions, f.board.Name(lower)+"-"+f.board.Name(upper))
			f.tables++
		}
	}
	f.strips = append(f.strips, t)
}

// Two ranks of Russian take 9 bits, and their squares lie in all of them; two of
// Frisian take 13, and their squares lie in the lowest 11.
const (
	russianPair, russianMask = 9, 1<<9 - 1
	frisianPair, frisianMask = 13, 1<<11 - 1
	maxPair                  = frisianMask + 1
)

// addCodes makes the codes from the strips on White's first rank; those on its
// third have the same lanes or fewer. Black's are for sets as White sees them.
func (f *Features) addCodes() {
	for i, t := range f.strips {
		for k, l := range t.lanes {
			f.offset[i] += uint64((t.table+l.table)*tableSize) << (16 * k)
		}
	}
	last := f.board.Size - 1
	if f.straight {
		for set := range uint64(256) {
			turned := f.board.Rotate(set << f.shift[last])
			for c, men := range []uint64{set << f.shift[0], turned} {
				f.byRank[c][set] = rankDigits{f.digits(&f.strips[0], men), f.digits(&f.strips[2], men)}
			}
		}
		return
	}
	first, top := min(f.shift[0], f.shift[1]), min(f.shift[last], f.shift[last-1])
	for set := range uint64(maxPair) {
		if set<<first&^(f.ranks[0]|f.ranks[1]) == 0 {
			f.byPair[engine.White][set] = f.digits(&f.strips[0], set<<first)
			f.byPair[engine.Black][set] = f.digits(&f.strips[0], f.board.Rotate(set<<top))
		}
	}
}

// digits returns what a set of men adds to the regions of a strip.
func (f *Features) digits(t *strip, set uint64) (sum uint64) {
	for i, l := range t.lanes {
		for digit, power := 0, uint64(1); digit < patternSquares; digit++ {
			if f.square(t, l, digit).Bit()&set != 0 {
				sum += power << (16 * i)
			}
			power *= 3
		}
	}
	return sum
}

// square returns the square that a digit of a region reads.
func (f *Features) square(t *strip, l lane, digit int) engine.Square {
	x := digit % t.width
	if l.mirrored {
		x = t.width - 1 - x
	}
	return engine.Square(int(f.shift[t.rank+digit/t.width]) + l.first + x)
}

// occupancy returns the men that an entry of the table of a region stands for.
func (f *Features) occupancy(t *strip, l lane, entry int) (own, opp uint64) {
	for digit := range patternSquares {
		switch bit := f.square(t, l, digit).Bit(); entry % 3 {
		case 1:
			own |= bit
		case 2:
			opp |= bit
		}
		entry /= 3
	}
	return own, opp
}

// read sets the entries that both sides read.
func (f *Features) read(white, black uint64, out *[2][maxStrips]uint64) {
	w, b := &f.byPair[engine.White], &f.byPair[engine.Black]
	switch {
	case f.straight:
		f.readRanks(engine.White, white, black, &out[engine.White])
		// Turned by 180 degrees: the bytes in reverse order, the bits by the codes.
		f.readRanks(engine.Black, bits.ReverseBytes64(black), bits.ReverseBytes64(white), &out[engine.Black])
	case f.board.Size == 8:
		const n, mask = russianPair, russianMask
		f.join(pair(w, white, black, 0, mask), pair(w, white, black, n, mask), pair(w, white, black, 2*n, mask), &out[engine.White])
		f.join(pair(b, black, white, 3*n, mask), pair(b, black, white, 2*n, mask), pair(b, black, white, n, mask), &out[engine.Black])
	default:
		const n, mask = frisianPair, frisianMask
		f.join(pair(w, white, black, 4*n, mask), pair(w, white, black, 3*n, mask), pair(w, white, black, 2*n, mask), &out[engine.White])
		f.join(pair(b, black, white, 0, mask), pair(b, black, white, n, mask), pair(b, black, white, 2*n, mask), &out[engine.Black])
	}
}

// pair reads two ranks at once, for tall regions only.
func pair(code *[maxPair]uint64, own, opp uint64, shift uint8, mask uint64) uint64 {
	return code[own>>shift&mask] + 2*code[opp>>shift&mask]
}

// join makes entries of three pairs of ranks. The second pair of a tall region
// is worth 81.
func (f *Features) join(a, b, c uint64, out *[maxStrips]uint64) {
	out[0], out[1] = a+81*b+f.offset[0], b+81*c+f.offset[1]
}

// readRanks sets the entries one side reads where a rank has eight squares and
// is a byte, its base rank the lowest.
func (f *Features) readRanks(c engine.Color, own, opp uint64, out *[maxStrips]uint64) {
	code := &f.byRank[c&1]
	t0, w0 := ranksOf8(code, own, opp)
	t1, w1 := ranksOf8(code, own>>16, opp>>16)
	t2, _ := ranksOf8(code, own>>32, opp>>32)
	out[0], out[1] = t0+81*t1+f.offset[0], t1+81*t2+f.offset[1]
	out[2], out[3] = w0+f.offset[2], w1+f.offset[3]
}

// ranksOf8 reads the lowest two ranks of eight squares, each by itself.
func ranksOf8(code *[256]rankDigits, own, opp uint64) (tall, wide uint64) {
	a, b, c, d := &code[uint8(own)], &code[uint8(opp)], &code[uint8(own>>8)], &code[uint8(opp>>8)]
	return a.tall + 2*b.tall + 9*(c.tall+2*d.tall), a.wide + 2*b.wide + 81*(c.wide+2*d.wide)
}
