package drawrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Table is a table of a report. Its first Left columns (one, if Left is 0) are
// aligned left, the others right. A row of a single cell is a heading.
type Table struct {
	Header []string
	Rows   [][]string
	Left   int
}

func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// style is how numbers are written: plain in a terminal, typeset in HTML. Digits
// are not grouped in either.
type style struct {
	dash  string // between the ends of an interval
	minus string
}

var (
	plain   = style{dash: "-", minus: "-"}
	typeset = style{dash: "–", minus: "−"}
)

func (r Report) ratesTable(s style) Table {
	t := Table{Header: []string{"Game", "Finished", "White", "Draw", "Black", "Draw rate %", "Wilson %"}}
	for _, row := range r.Games {
		t.add(r.name(row.Variant, row.Profile), whole(row.Finished), whole(row.White), whole(row.Draw),
			whole(row.Black), s.rate(row.DrawRate, row.Wilson), s.interval(row.Wilson))
	}
	return t
}

func (r Report) boundsTable(s style) Table {
	t := Table{Header: []string{"Games cut off", "games", "left out %", "none drawn %", "all drawn %"}}
	for _, row := range r.Games {
		cells := []string{r.name(row.Variant, row.Profile), whole(row.Unfinished)}
		for _, b := range []Bound{row.Bounds.LeftOut, row.Bounds.NoneDrawn, row.Bounds.AllDrawn} {
			cells = append(cells, s.rate(b.Rate, b.Wilson)+" ("+s.interval(b.Wilson)+")")
		}
		t.add(cells...)
	}
	return t
}

// causesTable splits each draw rate by the class of what made the draw. It is
// empty when there are no draws.
func (r Report) causesTable(s style) Table {
	var causes []string
	for _, row := range r.Games {
		for _, e := range row.Classes {
			if e.Draw > 0 && !slices.Contains(causes, e.Class) {
				causes = append(causes, e.Class)
			}
		}
	}
	slices.SortFunc(causes, compareClasses)
	if len(causes) == 0 {
		return Table{}
	}
	t := Table{Header: append([]string{"Drawn by, % of finished"}, causes...)}
	for _, row := range r.Games {
		cells := []string{r.name(row.Variant, row.Profile)}
		for _, cause := range causes {
			var draws int64
			for _, e := range row.Classes {
				if e.Class == cause {
					draws = e.Draw
				}
			}
			var share *float64
			if part, ok := Rate(draws, row.Finished); ok {
				share = &part
			}
			cells = append(cells, s.rate(share, row.Wilson))
		}
		t.add(cells...)
	}
	return t
}

func (r Report) endsTable(s style) Table {
	t := Table{Header: []string{"How games ended", "class", "White", "Draw", "Black", "cut off"}, Left: 2}
	for _, row := range r.Games {
		t.add(r.name(row.Variant, row.Profile))
		for _, e := range row.Terminations {
			t.add("  "+e.Termination, e.Class, whole(e.White), whole(e.Draw), whole(e.Black), whole(e.Unfinished))
		}
	}
	return t
}

// otherIntervals heads intervalsTable.
const otherIntervals = "Other intervals"

// countedGames says which games the numbers of intervalsTable count.
const countedGames = "Games, different games and openings count all games, cut-off ones too; " +
	"mean plies, intervals and effective games count the finished ones only."

func (r Report) intervalsTable(s style) Table {
	t := Table{Header: []string{otherIntervals, "%", ""}, Left: 3}
	for _, row := range r.Games {
		size := fmt.Sprintf("%s: games %s, different %s, openings %s", r.name(row.Variant, row.Profile),
			whole(row.Games), whole(row.DistinctGames), whole(row.Openings))
		if row.MeanPlies != nil {
			size += ", mean plies " + decimal(*row.MeanPlies, 1)
		}
		t.add(size)
		t.add("  Jeffreys", s.interval(row.Jeffreys), "")
		t.add("  Clopper-Pearson", s.interval(row.ClopperPearson), "")
		if o := row.ByOpening; o != nil {
			effect := "not known"
			if o.DesignEffect != nil {
				effect = decimal(*o.DesignEffect, 2)
			}
			t.add("  by opening", s.interval(o.Interval),
				fmt.Sprintf("design effect %s, %s effective games", effect, whole(int64(o.EffectiveGames))))
		}
		if row.Bootstrap != nil {
			t.add("  bootstrap", s.interval(*row.Bootstrap),
				fmt.Sprintf("%s resamples of openings, seed %d", whole(int64(r.Resamples)), r.Seed))
		}
	}
	return t
}

func (r Report) differencesTable(s style) Table {
	t := Table{Header: []string{"Differences", "points", "Newcombe", "Miettinen-Nurm.", "by opening"}}
	for _, d := range r.Differences {
		byOpening := "-"
		if d.ByOpening != nil {
			byOpening = s.signedInterval(*d.ByOpening)
		}
		t.add(r.differenceName(d, s),
			s.signed(d.Difference, d.Newcombe), s.signedInterval(d.Newcombe),
			s.signedInterval(d.MiettinenNurminen), byOpening)
	}
	return t
}

// differenceBoundsTable is empty when no game was cut off.
func (r Report) differenceBoundsTable(s style) Table {
	t := Table{Header: []string{"Differences, cut-off games drawn or not", "lowest to highest"}}
	if !slices.ContainsFunc(r.Games, func(row Row) bool { return row.Unfinished > 0 }) {
		return t
	}
	for _, d := range r.Differences {
		t.add(r.differenceName(d, s), s.differenceBounds(d))
	}
	return t
}

// withBounds adds the bounds to the table of differences, as its last column.
func (r Report) withBounds(t Table, s style) Table {
	t.Header = append(t.Header, "with cut-offs")
	for i, d := range r.Differences {
		t.Rows[i] = append(t.Rows[i], s.differenceBounds(d))
	}
	return t
}

func (r Report) differenceName(d Difference, s style) string {
	return r.name(d.A.Variant, d.A.Profile) + " " + s.minus + " " + r.name(d.B.Variant, d.B.Profile)
}

// profile returns the profile of all rows, if it is the same for all.
func (r Report) profile() (profile string, same bool) {
	for i, row := range r.Games {
		if i > 0 && row.Profile != profile {
			return "", false
		}
		profile = row.Profile
	}
	return profile, true
}

// name is how a row is called: with its profile only where profiles differ.
func (r Report) name(variant, profile string) string {
	first, size := utf8.DecodeRuneInString(cmp.Or(variant, "?"))
	name := string(unicode.ToUpper(first))
	if variant != "" {
		name += variant[size:]
	}
	if _, same := r.profile(); same || profile == "" {
		return name
	}
	return name + " (" + profile + ")"
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func decimal(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }

func (s style) percent(x float64, digits int) string {
	return strings.Replace(decimal(100*x, digits), "-", s.minus, 1)
}

// digits is how many decimals of a percentage an interval's width justifies.
func (i Interval) digits() int {
	if width := 100 * (i.High - i.Low); width > 0 {
		return min(5, max(2, 1-int(math.Floor(math.Log10(width)))))
	}
	return 2
}

func (s style) rate(rate *float64, i Interval) string {
	if rate == nil {
		return "-"
	}
	return s.percent(*rate, i.digits())
}

func (s style) interval(i Interval) string {
	return s.percent(i.Low, i.digits()) + s.dash + s.percent(i.High, i.digits())
}

func (s style) signed(x float64, i Interval) string {
	if x >= 0 {
		return "+" + s.percent(x, i.digits())
	}
	return s.percent(x, i.digits())
}

// differenceBounds writes a difference's bounds as precisely as the difference.
func (s style) differenceBounds(d Difference) string {
	return s.signed(d.Bounds.Low, d.Newcombe) + " to " + s.signed(d.Bounds.High, d.Newcombe)
}

func (s style) signedInterval(i Interval) string {
	return s.signed(i.Low, i) + " to " + s.signed(i.High, i)
}
