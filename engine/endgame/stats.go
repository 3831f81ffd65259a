package endgame

import (
	"draughtlab/engine"
	"draughtlab/engine/notation"
)

// Stats counts all placements of a material with one side to move, without king
// runs and with clocks at 0.
type Stats struct {
	Variant  string       `json:"variant"`
	Rules    string       `json:"rules"`
	Material string       `json:"material"` // White's, then Black's
	Side     engine.Color `json:"-"`
	ToMove   string       `json:"stm"`

	Positions int64 `json:"positions"`
	WhiteWins int64 `json:"white_wins"`
	Draws     int64 `json:"draws"`
	BlackWins int64 `json:"black_wins"`

	LongestWhite Longest `json:"longest_white"`
	LongestBlack Longest `json:"longest_black"`
}

// Longest is the longest win of a side.
type Longest struct {
	// Plies is its distance to the end of the game, or -1 if there is no win.
	Plies int `json:"plies"`
	// Leave is, in an ending that an article counts, the greatest number of
	// plies up to the winner's move by which the material has changed or the
	// game is over; else it is Plies.
	Leave int `json:"leave"`
	// FEN is a position of a win of that many Plies.
	FEN string `json:"fen,omitempty"`
}

// Stats counts a material: first with White to move, then with Black.
func (t *Tables) Stats(m Material) ([2]Stats, error) {
	var out [2]Stats
	for _, side := range []engine.Color{engine.White, engine.Black} {
		seen := m
		if side == engine.Black {
			seen = m.swap()
		}
		s, err := t.find(seen)
		if err != nil {
			return out, err
		}
		out[side] = t.count(s, side)
		out[side].Material = m.String()
	}
	return out, nil
}

// count counts one slice, whose side to move is the given one.
func (t *Tables) count(s *slice, side engine.Color) Stats {
	out := Stats{Variant: t.variant.Name, Rules: t.kept.String(), Side: side, ToMove: side.String()}
	best := [2]*Longest{&out.LongestWhite, &out.LongestBlack}
	example := [2]int{-1, -1}
	var count [3]int64
	each := int64(1)
	if s.lead >= 0 {
		each = 2 // the mirror images are not in the table
	}
	for _, b := range best {
		b.Plies, b.Leave = -1, -1
	}
	r, c := s.reader(t.geometry.board), s.ending.codes.Load()
	for state := 0; state < s.states(); state += s.extras() {
		if w := r.view(state); w.overlap() {
			continue
		}
		code := c.at(s.offset + state)
		res := result(code)
		count[res.Value+1]++
		if res.Value == Draw {
			continue
		}
		winner := side
		if res.Value == Loss {
			winner = side.Other()
		}
		b := best[winner]
		b.Leave = max(b.Leave, s.leave(c, state))
		if res.Distance > b.Plies {
			b.Plies, example[winner] = res.Distance, state
		}
	}
	for i, state := range example {
		if state >= 0 {
			best[i].FEN = t.fen(r, state, side)
		}
	}
	out.Draws, out.WhiteWins, out.BlackWins = each*count[1], each*count[2], each*count[0]
	if side == engine.Black {
		out.WhiteWins, out.BlackWins = out.BlackWins, out.WhiteWins
	}
	out.Positions = out.WhiteWins + out.Draws + out.BlackWins
	return out
}

// leave returns the plies that a win or loss with clock 0 needs up to the
// winner's move by which the material has changed or the game is over. With fewer
// plies left it is drawn, so the clocks tell. Where no article counts it is the
// distance.
func (s *slice) leave(c *codes, state int) int {
	distance := result(c.at(s.offset + state)).Distance
	if s.clocks == 1 {
		return distance
	}
	n := s.clocks - 1
	for clock := 1; clock < s.clocks && c.at(s.offset+state+clock) != 0; clock++ {
		n--
	}
	return n + (n^distance)&1 // the winner's plies are as odd or even as the last
}

// fen writes a state of a slice whose side to move is the given one.
func (t *Tables) fen(r *reader, state int, side engine.Color) string {
	w := r.view(state)
	p := w.position()
	if side == engine.Black {
		p = turned(t.geometry.board, &p)
	}
	return notation.FormatFEN(t.variant, &p)
}
