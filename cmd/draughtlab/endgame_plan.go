package main

import (
	"cmp"
	"math/bits"
	"slices"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
)

// planned is a table that a build will make or find.
type planned struct {
	material endgame.Material
	states   int
	memory   int // bytes at most while it is made
}

// planOf lists the tables of a build, in its order. engine/endgame says neither
// sizes nor order beforehand, so both are worked out here; a test compares them
// with what a build reports.
func planOf(v *engine.Variant, rules endgame.Rules, n needs) []planned {
	list := materialsOf(n.pieces)
	if n.material != nil {
		list = slices.DeleteFunc(list, func(m endgame.Material) bool { return !leadsTo(*n.material, m) && !leadsTo(swapped(*n.material), m) })
	}
	var plan []planned
	add := func(rules endgame.Rules, most int) {
		for _, m := range list {
			if m.Pieces() > most {
				continue
			}
			states := statesOf(v, rules, m)
			memory := 6 * states
			for _, other := range list {
				if other != m && (leadsTo(m, other) || leadsTo(swapped(m), other)) {
					memory += 2 * statesOf(v, rules, other)
				}
			}
			plan = append(plan, planned{m, states, memory})
		}
	}
	if !limited(v, rules) {
		add(rules, endgame.MaxPieces)
		return plan
	}
	add(rules, endgame.DefaultPieces)
	add(endgame.Pure, endgame.MaxPieces)
	return plan
}

// limited reports whether tables under these rules end at three pieces, and pure
// ones stand in for larger ones: those of the Russian federation's articles.
func limited(v *engine.Variant, rules endgame.Rules) bool {
	return rules == endgame.Federation && v.Name == "russian"
}

// materialsOf lists the materials of up to so many pieces, the larger force as
// White's, in the order of builds: by pieces, then by men.
func materialsOf(pieces int) []endgame.Material {
	var list []endgame.Material
	for wm := range pieces {
		for wk := range pieces {
			for bm := range pieces {
				for bk := range pieces {
					m := endgame.Material{White: endgame.Force{Men: wm, Kings: wk}, Black: endgame.Force{Men: bm, Kings: bk}}
					if wm+wk > 0 && bm+bk > 0 && m.Pieces() <= pieces && m == ordered(m) {
						list = append(list, m)
					}
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b endgame.Material) int {
		return cmp.Or(cmp.Compare(a.Pieces(), b.Pieces()), cmp.Compare(men(a), men(b)))
	})
	return list
}

// men returns the number of men on the board.
func men(m endgame.Material) int { return m.White.Men + m.Black.Men }

// swapped changes the colours.
func swapped(m endgame.Material) endgame.Material {
	return endgame.Material{White: m.Black, Black: m.White}
}

// ordered returns m with the larger force, or of equal ones that with more kings,
// as White's: so tables are named.
func ordered(m endgame.Material) endgame.Material {
	w, b := m.White, m.Black
	if cmp.Or(cmp.Compare(w.Men+w.Kings, b.Men+b.Kings), cmp.Compare(w.Kings, b.Kings)) < 0 {
		return swapped(m)
	}
	return m
}

// leadsTo reports whether captures and promotions lead from a to b, or b is a.
func leadsTo(a, b endgame.Material) bool {
	return becomes(a.White, b.White) && becomes(a.Black, b.Black)
}

// becomes reports whether a force becomes another by losing pieces and by men
// becoming kings.
func becomes(a, b endgame.Force) bool {
	return b.Men <= a.Men && b.Men+b.Kings <= a.Men+a.Kings
}

// statesOf returns the number of states of a table: placements, the holes of its
// index included, king runs (F9) and plies of a count.
func statesOf(v *engine.Variant, rules endgame.Rules, m endgame.Material) int {
	n, odd := 1, false
	for side, f := range []endgame.Force{m.White, m.Black} {
		n *= choose(bits.OnesCount64(v.Board.All&^v.Board.Crown[side]), f.Men) * choose(bits.OnesCount64(v.Board.All), f.Kings)
		odd = odd || f.Men%2 == 1 || f.Kings%2 == 1
		if v.Name == "frisian" && rules != endgame.Free && f.Men > 0 && f.Kings > 0 {
			n *= 1 + 3*f.Kings
		}
	}
	if odd && bits.OnesCount64(v.Board.All) == 64 {
		n /= 2 // Croda: mirror images are one
	}
	if m.White != m.Black {
		n *= 2 // either side to move
	}
	return n * (1 + countLimit(v, rules, m))
}

// choose returns the number of ways to choose k of n.
func choose(n, k int) int {
	ways := 1
	for i := range k {
		ways = ways * (n - i) / (i + 1)
	}
	return ways
}

// countLimit returns the plies after which an article draws a material in which
// nothing is taken or crowned, or 0 if none counts them.
func countLimit(v *engine.Variant, rules endgame.Rules, m endgame.Material) int {
	profile := engine.Basic
	switch rules {
	case endgame.Pure, endgame.Free:
		return 0
	case endgame.Federation:
		profile = engine.Federation
	}
	var p engine.Position
	put := func(c engine.Color, n int, kings bool) {
		for _, s := range v.Board.Squares() {
			if n == 0 {
				return
			}
			if p.Occupied()&s.Bit() != 0 || !kings && v.Board.Crown[c]&s.Bit() != 0 {
				continue
			}
			p.Pieces[c] |= s.Bit()
			if kings {
				p.Kings |= s.Bit()
			}
			n--
		}
	}
	for c, f := range []endgame.Force{m.White, m.Black} {
		put(engine.Color(c), f.Men, false)
		put(engine.Color(c), f.Kings, true)
	}
	for plies := 1; plies < 255 && v.Ending(&p, profile).Clock != 0; plies++ {
		p.SetCounts(uint8(plies), 0, 0)
		if v.Ending(&p, profile).Draw != engine.Ongoing {
			return plies
		}
	}
	return 0
}
