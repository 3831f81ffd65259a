package eval

import (
	"fmt"

	"draughtlab/engine"
)

// A pattern is the occupancy of a region of eight squares by men, read as a
// number in base 3: per square 0 neither, 1 an own man, 2 an enemy man. Kings
// count as empty squares.
const (
	patternSquares = 8
	tableSize      = 6561 // 3^8
)

// strip is a row of regions of one shape that begin on the same rank: width
// squares on each of height ranks. They are read together: code gives for the
// set of men on one rank the base-3 digits it adds to each region, in lanes of
// 16 bits, one a region.
type strip struct {
	rank, height int
	power        uint64       // 3^width
	code         *[256]uint64 // a rank has at most eight squares
	lanes        []lane
	table        [4]uint32 // by lane: the entry at which its table begins
}

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
		f.addStrip(0, 2, []lane{{0, false, 0}, {1, false, 1}, {2, false, 2}})
		f.addStrip(2, 2, []lane{{0, false, 0}, {1, false, 1}})
	case "frisian":
		blocks := []lane{{0, false, 0}, {1, false, 1}, {2, false, 2}, {3, false, 3}}
		f.addStrip(0, 2, blocks)
		f.addStrip(2, 2, blocks)
	}
}

// addStrip adds the regions of a strip, with a table for each number among the
// tables of its lanes.
func (f *Features) addStrip(rank, width int, lanes []lane) {
	s := strip{rank: rank, height: patternSquares / width, power: 1, lanes: lanes}
	for range width {
		s.power *= 3
	}
	s.code = new([256]uint64)
	for set := range s.code[:f.rankMask+1] {
		for i, l := range lanes {
			digits, digit := uint64(0), uint64(1)
			for x := range width {
				if l.mirrored {
					x = width - 1 - x
				}
				digits += digit * uint64(set>>(l.first+x)&1)
				digit *= 3
			}
			s.code[set] |= digits << (16 * i)
		}
	}
	tables := 0
	for i, l := range lanes {
		s.table[i] = uint32((f.tables + l.table) * tableSize)
		tables = max(tables, l.table+1)
	}
	for i := f.tables; i < f.tables+tables; i++ {
		f.regions = append(f.regions, f.regionName(rank, width, lanes, i-f.tables))
	}
	f.tables += tables
	f.readings += len(lanes)
	f.strips = append(f.strips, s)
}

// regionName names the region that a table of a strip reads without mirroring,
// by its corners.
func (f *Features) regionName(rank, width int, lanes []lane, table int) string {
	for _, l := range lanes {
		if l.table == table && !l.mirrored {
			lower := engine.Square(f.shift[rank]) + engine.Square(l.first)
			upper := engine.Square(f.shift[rank+patternSquares/width-1]) + engine.Square(l.first+width-1)
			return fmt.Sprintf("%s-%s", f.board.Name(lower), f.board.Name(upper))
		}
	}
	panic("eval: table without a region")
}

// gatherPatterns sets the pattern entries of s, whose views are set.
func (f *Features) gatherPatterns(s *sample) {
	f.read(&s.view[engine.White], &s.pattern[engine.White])
	f.read(&s.view[engine.Black], &s.pattern[engine.Black])
}

// read sets the entries one side reads.
func (f *Features) read(w *view, out *[maxReadings]uint32) {
	n := 0
	for i := range f.strips {
		s := &f.strips[i]
		var index uint64
		for y := s.rank + s.height - 1; y >= s.rank; y-- {
			shift := f.shift[y] & 63
			index = index*s.power + s.code[uint8(w.men>>shift&f.rankMask)] + 2*s.code[uint8(w.oppMen>>shift&f.rankMask)]
		}
		for l := range s.lanes {
			out[n] = s.table[l&3] + uint32(uint16(index))
			index >>= 16
			n++
		}
	}
}
