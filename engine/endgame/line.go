package endgame

import (
	"cmp"
	"slices"

	"draughtlab/engine"
)

// Choice is a legal move and what it leads to.
type Choice struct {
	Move engine.Move
	// Result is that of the move, for the side that makes it: the distance
	// counts the move. It means nothing if it is not Known.
	Result Result
	Known  bool
}

// Choices returns the legal moves of p, best first: wins, the quickest first,
// draws, losses, the slowest first, and those of which no table knows the result;
// equal ones in the generator's order. Where an article draws p there are none.
func (t *Tables) Choices(p *engine.Position) []Choice {
	moves := t.variant.Generate(p, nil)
	if len(moves) > 0 && t.drawn(p) {
		return nil
	}
	list := make([]Choice, 0, len(moves))
	for _, m := range moves {
		q := p.Make(m)
		r, known := t.Probe(&q)
		r.Value = -r.Value
		if r.Value != Draw {
			r.Distance++
		}
		list = append(list, Choice{m, r, known})
	}
	slices.SortStableFunc(list, func(a, b Choice) int { return cmp.Compare(a.rank(), b.rank()) })
	return list
}

// rank orders choices, the best lowest.
func (c Choice) rank() int {
	switch {
	case !c.Known:
		return 2 * codeMask
	case c.Result.Value == Draw:
		return 0
	case c.Result.Value == Win:
		return c.Result.Distance - codeMask
	}
	return codeMask - c.Result.Distance
}

// Line returns the best moves of both sides from p to the end of the game, or
// none if p is drawn or covered by no table.
func (t *Tables) Line(p *engine.Position) []engine.Move {
	var line []engine.Move
	at := *p
	for r, ok := t.Probe(p); ok && r.Value != Draw && len(line) < r.Distance; {
		choices := t.Choices(&at)
		line = append(line, choices[0].Move)
		at = at.Make(choices[0].Move)
	}
	return line
}
