package main

import (
	"fmt"
	"os"
	"strings"

	"draughtlab/engine"
)

// boardSigns are what a board is drawn with: men and kings by colour, empty.
type boardSigns struct {
	men, kings [2]string
	empty      string
}

// signsFor returns draughtsmen where the terminal can show them, else letters.
func signsFor(ascii bool) boardSigns {
	if ascii || !localeIsUTF8() {
		return boardSigns{men: [2]string{"w", "b"}, kings: [2]string{"W", "B"}, empty: "."}
	}
	return boardSigns{men: [2]string{"⛀", "⛂"}, kings: [2]string{"⛁", "⛃"}, empty: "·"}
}

// localeIsUTF8 reports whether the locale's character set is UTF-8, by the
// variable of POSIX that decides.
func localeIsUTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			value = strings.ToLower(value)
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// drawBoard draws a position with coordinates: ranks and files, or on a
// numbered board the first and last number of each row. bottom is the side
// that sits at the bottom.
func drawBoard(v *engine.Variant, p *engine.Position, bottom engine.Color, signs boardSigns) string {
	b := v.Board
	var out strings.Builder
	for row := range b.Size {
		y := b.Size - 1 - row
		if bottom == engine.Black {
			y = row
		}
		var cells, names []string
		for column := range b.Size {
			x := column
			if bottom == engine.Black {
				x = b.Size - 1 - column
			}
			s, ok := b.At(x, y)
			if !ok {
				cells = append(cells, " ")
				continue
			}
			cells = append(cells, signs.of(p, s))
			names = append(names, b.Name(s))
		}
		left, right := fmt.Sprintf("%2d", y+1), ""
		if b.Numeric {
			left, right = fmt.Sprintf("%2s", names[0]), "  "+names[len(names)-1]
		}
		fmt.Fprintf(&out, "%s  %s%s\n", left, strings.Join(cells, " "), right)
	}
	if !b.Numeric {
		files := strings.Split("abcdefghij"[:b.Size], "")
		if bottom == engine.Black {
			for i, j := 0, len(files)-1; i < j; i, j = i+1, j-1 {
				files[i], files[j] = files[j], files[i]
			}
		}
		fmt.Fprintf(&out, "    %s\n", strings.Join(files, " "))
	}
	return out.String()
}

// of returns the sign of what stands on a square.
func (signs *boardSigns) of(p *engine.Position, s engine.Square) string {
	for c := range 2 {
		switch {
		case p.Pieces[c]&p.Kings&s.Bit() != 0:
			return signs.kings[c]
		case p.Pieces[c]&s.Bit() != 0:
			return signs.men[c]
		}
	}
	return signs.empty
}

// columns is the width of text meant for people.
const columns = 80

// wrapWords puts words into lines of at most 80 columns, each behind indent.
func wrapWords(words []string, indent string) string {
	var out strings.Builder
	width := 0
	for i, w := range words {
		n := len([]rune(w))
		switch {
		case i == 0 || width+1+n > columns:
			if i > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(indent + w)
			width = len(indent) + n
		default:
			out.WriteString(" " + w)
			width += 1 + n
		}
	}
	return out.String() + "\n"
}

// colorNames are the sides as people call them.
var colorNames = [2]string{"White", "Black"}
