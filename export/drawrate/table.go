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

// style is how numbers are written: plain in a terminal, typeset in HTML.
type style struct {
	dash  string // between the ends of an interval
	minus string
	group string // between groups of three digits
}

var (
	plain   = style{dash: "-", minus: "-"}
	typeset = style{dash: "–", minus: "−", group: "\u202f"}
)

func (r Report) ratesTable(s style) Table {
	t := Table{Header: []string{"Game", "Finished", "White", "Draw", "Black", "Draw rate %", "Wilson %"}}
	for _, row := range r.Games {
		t.add(r.name(row.Variant, row.Profile), s.whole(row.Finished), s.whole(row.White), s.whole(row.Draw),
			s.whole(row.Black), s.rate(row.DrawRate, row.Wilson), s.interval(row.Wilson))
	}
	return t
}

func (r Report) boundsTable(s style) Table {
	t := Table{Header: []string{"Games cut off", "games", "left out %", "none drawn %", "all drawn %"}}
	for _, row := range r.Games {
		cells := []string{r.name(row.Variant, row.Profile), s.whole(row.Unfinished)}
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
			t.add("  "+e.Termination, e.Class, s.whole(e.White), s.whole(e.Draw), s.whole(e.Black), s.whole(e.Unfinished))
		}
	}
	return t
}

func (r Report) intervalsTable(s style) Table {
	t := Table{Header: []string{"Other intervals", "%", ""}, Left: 3}
	for _, row := range r.Games {
		size := fmt.Sprintf("%s: games %s, different %s, openings %s", r.name(row.Variant, row.Profile),
			s.whole(row.Games), s.whole(row.DistinctGames), s.whole(row.Openings))
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
				fmt.Sprintf("design effect %s, %s effective games", effect, s.whole(int64(o.EffectiveGames))))
		}
		if row.Bootstrap != nil {
			t.add("  bootstrap", s.interval(*row.Bootstrap),
				fmt.Sprintf("%s resamples of openings, seed %d", s.whole(int64(r.Resamples)), r.Seed))
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
		t.add(r.name(d.A.Variant, d.A.Profile)+" "+s.minus+" "+r.name(d.B.Variant, d.B.Profile),
			s.signed(d.Difference, d.Newcombe), s.signedInterval(d.Newcombe),
			s.signedInterval(d.MiettinenNurminen), byOpening)
	}
	return t
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

func (s style) whole(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + s.group + text[i:]
	}
	return text
}

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

func (s style) signedInterval(i Interval) string {
	return s.signed(i.Low, i) + " to " + s.signed(i.High, i)
}
