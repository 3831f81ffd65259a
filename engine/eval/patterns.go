package eval

import "draughtlab/engine"

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

// code is what a set of men adds to the regions of a tall and of a wide strip.
type code struct{ tall, wide uint64 }

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

// addCodes makes the codes from the strips on White's first rank; those on its
// third have the same lanes or fewer.
func (f *Features) addCodes() {
	f.used = 1<<(16*len(f.strips[1].lanes)) - 1
	f.mask = (f.ranks[0] | f.ranks[1]) >> f.pairs[0]
	if f.single = f.mask == 0xffff; f.single {
		f.mask = 0xff
	}
	f.code = make([]code, f.mask+1)
	for set := range f.code {
		f.code[set].tall = f.digits(&f.strips[0], uint64(set)<<f.pairs[0])
		if len(f.strips) > 2 {
			f.code[set].wide = f.digits(&f.strips[2], uint64(set)<<f.pairs[0])
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

// read sets the entries one side reads. The second pair of ranks is worth 81
// to a tall region.
func (f *Features) read(own, opp uint64, out *[maxStrips]uint64) {
	if f.single {
		a, b, c := f.ranksOf8(own, opp), f.ranksOf8(own>>16, opp>>16), f.ranksOf8(own>>32, opp>>32)
		*out = [maxStrips]uint64{a.tall + 81*b.tall, b.tall + 81*c.tall, a.wide, b.wide}
		return
	}
	a := f.pair(own>>(f.pairs[0]&63), opp>>(f.pairs[0]&63))
	b := f.pair(own>>(f.pairs[1]&63), opp>>(f.pairs[1]&63))
	c := f.pair(own>>(f.pairs[2]&63), opp>>(f.pairs[2]&63))
	out[0], out[1] = a+81*b, (b+81*c)&f.used
}

// pair reads the lowest two ranks at once, for tall regions only.
func (f *Features) pair(own, opp uint64) uint64 {
	return f.code[own&f.mask].tall + 2*f.code[opp&f.mask].tall
}

// ranksOf8 reads the lowest two ranks of eight squares, each by itself.
func (f *Features) ranksOf8(own, opp uint64) code {
	a, b, c, d := &f.code[uint8(own)], &f.code[uint8(opp)], &f.code[uint8(own>>8)], &f.code[uint8(opp>>8)]
	return code{a.tall + 2*b.tall + 9*(c.tall+2*d.tall), a.wide + 2*b.wide + 81*(c.wide+2*d.wide)}
}
