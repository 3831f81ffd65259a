package endgame

import (
	"fmt"
	"math/bits"

	"draughtlab/engine"
)

// Rules say which articles a table obeys. Every one of them has the moves of
// the game's generator; Free alone leaves out the three-move rule.
type Rules uint8

const (
	// Pure: no draw article; a player without a move loses, all else is a draw.
	Pure Rules = iota
	// Basic: the draw articles of the rule sheet (engine.Basic).
	Basic
	// Federation: the federation's draw articles too (engine.Federation).
	Federation
	// Free: Pure without the Frisian three-move rule (F9), to measure what that
	// rule does. No game is played by it.
	Free
)

var rulesNames = [...]string{"pure", "basic", "federation", "free"}

// String returns "pure", "basic", "federation" or "free".
func (r Rules) String() string { return rulesNames[r] }

// ParseRules reads the name of a rule set.
func ParseRules(s string) (Rules, error) {
	for i, n := range rulesNames {
		if s == n {
			return Rules(i), nil
		}
	}
	return 0, fmt.Errorf("unknown rules %q: use pure, basic, federation or free", s)
}

// ForProfile returns the rules under which games of that profile are played.
func ForProfile(p engine.Profile) Rules {
	if p == engine.Federation {
		return Federation
	}
	return Basic
}

// profile returns the draw articles of r, or false if it has none.
func (r Rules) profile() (engine.Profile, bool) {
	switch r {
	case Basic:
		return engine.Basic, true
	case Federation:
		return engine.Federation, true
	}
	return 0, false
}

// kept returns the rules under whose name the tables of r are kept, which are
// the same for rules that do not differ in that game: Croda has no article that
// counts (C8, C9), the two profiles of Frisian say the same (F11), and F9 is
// Frisian.
func (r Rules) kept(v *engine.Variant) Rules {
	switch {
	case v.Name == "croda" || v.Name == "russian" && r == Free:
		return Pure
	case v.Name == "frisian" && r == Federation:
		return Basic
	}
	return r
}

// federationPieces is the greatest number of pieces for which tables of the
// Russian federation's articles are made (see the package comment).
const federationPieces = 3

// clockLimit returns the number of plies since the last change of material after
// which an article draws this material, or 0 if none counts them. It asks the
// game's Ending about one placement, as such articles look at the material only.
func clockLimit(v *engine.Variant, rules Rules, m Material) int {
	profile, any := rules.profile()
	if !any {
		return 0
	}
	p := anyPlacement(v, m)
	if v.Ending(&p, profile).Clock == 0 {
		return 0
	}
	for limit := 1; limit < 255; limit++ {
		setClock(&p, uint8(limit))
		if v.Ending(&p, profile).Draw != engine.Ongoing {
			return limit
		}
	}
	return 0
}

// anyPlacement puts the pieces of m on the first squares where they may stand.
func anyPlacement(v *engine.Variant, m Material) engine.Position {
	var p engine.Position
	put := func(c engine.Color, n int, squares, kings uint64) {
		for free := squares &^ p.Occupied(); n > 0; n, free = n-1, free&(free-1) {
			p.Pieces[c] |= free & -free
			p.Kings |= free & -free & kings
		}
	}
	for c, f := range []Force{m.White, m.Black} {
		put(engine.Color(c), f.Men, v.Board.All&^v.Board.Crown[c], 0)
		put(engine.Color(c), f.Kings, v.Board.All, ^uint64(0))
	}
	return p
}

// horizon returns a number of plies from p before which no article of R10 can
// draw a Russian game: a win within it is certain. A count goes up by at most one
// a ply, and one that starts after a change of material starts at 0.
func horizon(p *engine.Position) int {
	sinceChange, sinceMan, road := clocks(p)
	limit := 120 // Balance60
	switch n := bits.OnesCount64(p.Occupied()); {
	case n <= 3:
		limit = 10 // LoneKing5
	case n == 4 && p.Kings == p.Occupied():
		limit = 30 // Kings3v1
	case n <= 5:
		limit = 60 // Balance30
	}
	return min(limit-sinceChange, 30-sinceMan, 10-road, 10) // KingsOnly15, MainRoad5, LoneKing5
}
