package notation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// squareReader reads square names leniently and holds a text to one form: on
// the Russian board the squares may be numbers (1 = b8 … 32 = g1) instead of
// chess names, but not both in one text.
type squareReader struct {
	v       *engine.Variant
	named   bool // a chess name was seen
	numeric bool // a number was seen on a board with chess names
}

// read returns the square of that name. Letters may be upper case, numbers may
// have leading zeros.
func (r *squareReader) read(text string) (engine.Square, error) {
	if text == "" {
		return 0, fmt.Errorf("a square is missing")
	}
	if strings.Trim(text, "0123456789") != "" {
		s, err := r.v.Board.Parse(strings.ToLower(text))
		if err != nil {
			return 0, fmt.Errorf("no square %q in %s", text, r.v.Name)
		}
		r.named = true
		return s, r.check()
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > len(numbers(r.v)) || n < 1 {
		return 0, fmt.Errorf("no square %q in %s", text, r.v.Name)
	}
	r.numeric = !r.v.Board.Numeric
	return numbers(r.v)[n-1], r.check()
}

func (r *squareReader) check() error {
	if r.named && r.numeric {
		return fmt.Errorf("chess names and numbers are mixed: use one of them")
	}
	return nil
}

// orders are the two orders in which texts name the squares of a game.
type orders struct {
	// byName is the order of strict FEN: by number on a numbered board, else
	// by file and then rank (a1, a2, … h8).
	byName []engine.Square
	// byNumber counts row by row from the top left; empty for Croda, whose
	// squares have no numbers.
	byNumber []engine.Square
}

// ordersOf is made once from the boards and never changed.
var ordersOf = func() map[string]orders {
	out := map[string]orders{}
	for _, v := range variants.All() {
		var o orders
		for y := v.Board.Size - 1; y >= 0; y-- {
			for x := range v.Board.Size {
				if s, ok := v.Board.At(x, y); ok {
					o.byNumber = append(o.byNumber, s)
				}
			}
		}
		o.byName = slices.Clone(o.byNumber)
		if !v.Board.Numeric {
			slices.SortFunc(o.byName, func(a, b engine.Square) int {
				return strings.Compare(v.Board.Name(a), v.Board.Name(b))
			})
		}
		if v.Name == "croda" {
			o.byNumber = nil
		}
		out[v.Name] = o
	}
	return out
}()

func byName(v *engine.Variant) []engine.Square  { return ordersOf[v.Name].byName }
func numbers(v *engine.Variant) []engine.Square { return ordersOf[v.Name].byNumber }
