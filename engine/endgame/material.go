package endgame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxPieces is the greatest number of pieces of a table.
const MaxPieces = 6

// Force is the men and kings of one side.
type Force struct {
	Men, Kings int
}

// pieces returns the number of pieces.
func (f Force) pieces() int { return f.Men + f.Kings }

// String returns kings, then men: "KKM".
func (f Force) String() string { return strings.Repeat("K", f.Kings) + strings.Repeat("M", f.Men) }

// Material is what stands on the board.
type Material struct {
	White, Black Force
}

// String returns White's force and Black's: "KK v M".
func (m Material) String() string { return m.White.String() + " v " + m.Black.String() }

// ParseMaterial reads "KK v M": White's kings (K) and men (M), then Black's.
// Blanks do not matter, nor do upper and lower case or the order of letters.
func ParseMaterial(text string) (Material, error) {
	var sides [2]Force
	side := 0
	for _, r := range strings.ToUpper(text) {
		switch r {
		case ' ':
		case 'K':
			sides[side].Kings++
		case 'M':
			sides[side].Men++
		case 'V':
			side++
		default:
			return Material{}, fmt.Errorf("material %q: %q is none of K, M and v: write it like \"KM v K\"", text, r)
		}
		if side > 1 {
			break
		}
	}
	m := Material{sides[0], sides[1]}
	if side != 1 || m.White.pieces() == 0 || m.Black.pieces() == 0 || m.Pieces() > MaxPieces {
		return Material{}, fmt.Errorf("material %q: write both sides, at most %d pieces in all, like \"KM v K\"", text, MaxPieces)
	}
	return m, nil
}

// Pieces returns the number of pieces on the board.
func (m Material) Pieces() int { return m.White.pieces() + m.Black.pieces() }

// men returns the number of men on the board.
func (m Material) men() int { return m.White.Men + m.Black.Men }

// swap changes the colours.
func (m Material) swap() Material { return Material{m.Black, m.White} }

// Canonical returns m or its swap: the one under which both are kept.
func (m Material) Canonical() Material {
	if c := cmp.Or(cmp.Compare(m.White.pieces(), m.Black.pieces()), cmp.Compare(m.White.Kings, m.Black.Kings)); c < 0 {
		return m.swap()
	}
	return m
}

// key numbers materials for look-up; counts are below 8.
func (m Material) key() int {
	return m.White.Men<<9 | m.White.Kings<<6 | m.Black.Men<<3 | m.Black.Kings
}

// keys is one more than the greatest key.
const keys = 1 << 12

// Materials lists the canonical materials of at least two and at most the given
// number of pieces, with pieces on both sides, in an order in which captures and
// promotions lead only to materials further up: by pieces, then by men.
func Materials(pieces int) []Material {
	var list []Material
	for wm := range pieces {
		for wk := range pieces {
			for bm := range pieces {
				for bk := range pieces {
					m := Material{Force{wm, wk}, Force{bm, bk}}
					if wm+wk > 0 && bm+bk > 0 && m.Pieces() <= pieces && m == m.Canonical() {
						list = append(list, m)
					}
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Material) int {
		return cmp.Or(cmp.Compare(a.Pieces(), b.Pieces()), cmp.Compare(a.men(), b.men()), cmp.Compare(a.key(), b.key()))
	})
	return list
}

// needed lists m and every material that captures and promotions lead to from it,
// in the order of materials.
func needed(m Material) []Material {
	seen := map[Material]bool{}
	var visit func(m Material)
	visit = func(m Material) {
		if m = m.Canonical(); seen[m] || m.White.pieces() == 0 || m.Black.pieces() == 0 {
			return
		}
		seen[m] = true
		for _, m := range []Material{m, m.swap()} {
			visit(Material{m.White, Force{m.Black.Men - 1, m.Black.Kings}.orNone()})
			visit(Material{m.White, Force{m.Black.Men, m.Black.Kings - 1}.orNone()})
			visit(Material{Force{m.White.Men - 1, m.White.Kings + 1}.orNone(), m.Black})
		}
	}
	visit(m)
	return slices.DeleteFunc(Materials(m.Pieces()), func(m Material) bool { return !seen[m] })
}

// orNone returns f, or no pieces if one of its numbers is negative.
func (f Force) orNone() Force {
	if f.Men < 0 || f.Kings < 0 {
		return Force{}
	}
	return f
}
