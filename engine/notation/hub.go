package notation

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"draughtlab/engine"
)

// Hub reads and writes the text of positions and moves in the Hub protocol,
// version 2 (Fabien Letouzey, protocol.txt of Scan 3). Squares are numbers in
// all games, row by row from the top left: Frisian as usual, Russian 1 = b8 to
// 32 = g1, Croda 1 = a8 to 64 = h1. It is never changed after it is made.
type Hub struct {
	variant *engine.Variant
	squares []engine.Square // of a position string, in its order
	number  [64]int         // of a square in a move
	square  []engine.Square // square[n-1] has number n in a move
}

// HubOrder is how the squares of moves are numbered; position strings always
// begin at the top left.
type HubOrder uint8

const (
	// FromTop numbers moves as positions: row by row from the top left.
	FromTop HubOrder = iota
	// FromBottom numbers row by row from the bottom left (Russian 1 = a1,
	// 2 = c1 … 32 = h8), as pydraughts does in Russian moves.
	FromBottom
)

// NewHub makes the text of one game.
func NewHub(v *engine.Variant, order HubOrder) *Hub {
	h := &Hub{variant: v}
	size := v.Board.Size
	for row := range size {
		for x := range size {
			if s, ok := v.Board.At(x, size-1-row); ok {
				h.squares = append(h.squares, s)
			}
			y := size - 1 - row
			if order == FromBottom {
				y = row
			}
			if s, ok := v.Board.At(x, y); ok {
				h.square = append(h.square, s)
				h.number[s] = len(h.square)
			}
		}
	}
	return h
}

// hubPieces are the letters of men and kings, by colour.
const (
	hubMen   = "wb"
	hubKings = "WB"
)

// Position writes a position: W or B for the side to move, then a letter a
// square: w b men, W B kings, e empty. King runs and draw clocks have no place
// in it.
func (h *Hub) Position(p *engine.Position) string {
	out := []byte(p.Side().String())
	for _, s := range h.squares {
		letter := byte('e')
		for c := range 2 {
			switch {
			case p.Pieces[c]&p.Kings&s.Bit() != 0:
				letter = hubKings[c]
			case p.Pieces[c]&s.Bit() != 0:
				letter = hubMen[c]
			}
		}
		out = append(out, letter)
	}
	return string(out)
}

// ParsePosition is the inverse of Position; clocks and runs are at their start.
// It fails on another length or letter, and on what Variant.Check refuses.
func (h *Hub) ParsePosition(text string) (engine.Position, error) {
	var p engine.Position
	if len(text) != len(h.squares)+1 {
		return p, fmt.Errorf("a position of %s has %d characters, this one %d", h.variant.Name, len(h.squares)+1, len(text))
	}
	switch text[0] {
	case 'W':
	case 'B':
		p.SetSide(engine.Black)
	default:
		return p, fmt.Errorf("a position begins with W or B, not with %q", text[0])
	}
	for i, s := range h.squares {
		letter := text[i+1]
		switch man, king := strings.IndexByte(hubMen, letter), strings.IndexByte(hubKings, letter); {
		case king >= 0:
			p.Pieces[king] |= s.Bit()
			p.Kings |= s.Bit()
		case man >= 0:
			p.Pieces[man] |= s.Bit()
		case letter != 'e':
			return p, fmt.Errorf("square %d of the position holds %q: use w, b, W, B or e", i+1, letter)
		}
	}
	return p, h.variant.Check(&p)
}

// Move writes a move: "32-28", or for a capture both ends and the captured
// pieces in the order of their numbers, "28x19x23". A promotion is not told.
func (h *Hub) Move(m engine.Move) string {
	from, to := strconv.Itoa(h.number[m.From()]), strconv.Itoa(h.number[m.To()])
	if !m.IsCapture() {
		return from + "-" + to
	}
	var captured []int
	for set := m.Captured; set != 0; set &= set - 1 {
		captured = append(captured, h.number[bits.TrailingZeros64(set)])
	}
	slices.Sort(captured)
	out := from + "x" + to
	for _, n := range captured {
		out += "x" + strconv.Itoa(n)
	}
	return out
}

// ParseMove finds the move that text names among legal. The captured pieces may
// come in any order; they may be left out where the ends fit one move only.
func (h *Hub) ParseMove(legal []engine.Move, text string) (engine.Move, error) {
	capture := strings.Contains(text, "x")
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == 'x' })
	if len(fields) < 2 || !capture && len(fields) > 2 || len(fields) > len(h.square) {
		return engine.Move{}, fmt.Errorf("move %q: want from-to, or from x to x captured …", clip(text))
	}
	var named []engine.Square
	for _, f := range fields {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 || n > len(h.square) {
			return engine.Move{}, fmt.Errorf("move %q: %s has squares 1 to %d", clip(text), h.variant.Name, len(h.square))
		}
		named = append(named, h.square[n-1])
	}
	var captured uint64
	for _, s := range named[2:] {
		captured |= s.Bit()
	}
	var fit []engine.Move
	for _, m := range legal {
		if m.From() == named[0] && m.To() == named[1] && m.IsCapture() == capture && (captured == 0 || captured == m.Captured) {
			fit = append(fit, m)
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		return engine.Move{}, fmt.Errorf("move %q is not legal", clip(text))
	}
	return engine.Move{}, fmt.Errorf("move %q is ambiguous", clip(text))
}
