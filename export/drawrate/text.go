package drawrate

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// textWidth is the number of columns WriteText keeps to.
const textWidth = 80

// WriteText writes the report as tables at most 80 columns wide, rates in
// percent, in ASCII but for what the caller's own names hold.
func WriteText(w io.Writer, r Report) error {
	var b strings.Builder
	title := "Draw rates: draws / finished games"
	if p, same := r.profile(); same && p != "" {
		title += ", profile " + p
	}
	fmt.Fprintf(&b, "%s\nIntervals at %s; Wilson unless named otherwise\n", title, percentLevel(r.Level))
	b.WriteString("Cut off (no result: the program stopped the game): in no rate, see the bounds\n")
	for _, t := range []Table{
		r.ratesTable(plain), r.boundsTable(plain), r.causesTable(plain),
		r.endsTable(plain), r.intervalsTable(plain), r.differencesTable(plain), r.differenceBoundsTable(plain),
	} {
		if len(t.Rows) > 0 {
			b.WriteString("\n")
			t.writeText(&b)
		}
		if len(t.Rows) > 0 && t.Header[0] == otherIntervals {
			b.WriteString(wrap(countedGames, textWidth))
		}
	}
	if len(r.Games) == 0 {
		b.WriteString("\nNo games.\n")
	}
	for _, note := range r.notes(plain) {
		b.WriteString("\n" + wrap("Note, "+note.About+": "+note.Text, textWidth))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeText moves columns closer where the table would be too wide. Where that
// is not enough, first cells too long for their column get a line of their own,
// and lines still too long are broken.
func (t Table) writeText(b *strings.Builder) {
	rows := append([][]string{t.Header}, t.Rows...)
	width, total := columnWidths(rows, len(t.Header))
	gap := "  "
	if total+2*(len(width)-1) > textWidth {
		gap = " "
	}
	others := total - width[0] + len(gap)*(len(width)-1)
	width[0] = min(width[0], max(0, textWidth-others))
	for _, row := range rows {
		line, length := "", 0
		for i, cell := range row {
			size := utf8.RuneCountInString(cell)
			pad := strings.Repeat(" ", max(0, width[i]-size))
			size += len(pad)
			switch {
			case i == 0:
				line, length = cell+pad, size
				continue
			case i == 1 && length > width[0]:
				line, length = line+"\n"+strings.Repeat(" ", width[0]), width[0]
			case length+len(gap)+size > textWidth:
				line, length = strings.TrimRight(line, " ")+"\n", 0
			}
			if i < t.Left {
				line += gap + cell + pad
			} else {
				line += gap + pad + cell
			}
			length += len(gap) + size
		}
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

// columnWidths measures columns in characters; headings are not in any column.
func columnWidths(rows [][]string, columns int) (width []int, total int) {
	width = make([]int, columns)
	for _, row := range rows {
		if len(row) == 1 {
			continue
		}
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, w := range width {
		total += w
	}
	return width, total
}

// wrap breaks text between words, later lines indented.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n  ")
			column = 2
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String() + "\n"
}
