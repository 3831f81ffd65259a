package drawrate

import (
	"fmt"
	"strconv"
	"strings"
)

// Method says how one kind of number in a report was made.
type Method struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
}

func methods(o Options) []Method {
	return []Method{
		{"Draw rate", "Draws divided by finished games. Games cut off are left out.", ""},
		{"Bounds", "The draw rate if every game cut off had been drawn, and if none had. " +
			"Intervals of bounds are Wilson's. Of a difference: the lowest and the highest that counting the games " +
			"cut off on either side as drawn or not can give.", ""},
		{
			"Wilson", "Score interval without continuity correction. The headline interval.",
			"Wilson 1927, J. Am. Stat. Assoc. 22, 209-212",
		},
		{
			"Jeffreys", "Central interval of the Beta(d + 1/2, n - d + 1/2) posterior, " +
				"not adjusted at 0 or n draws.",
			"Brown, Cai and DasGupta 2001, Stat. Sci. 16, 101-133",
		},
		{
			"Clopper-Pearson", "Exact: it covers the true rate at least as often as the level says, " +
				"and is wider than needed.",
			"Clopper and Pearson 1934, Biometrika 26, 404-413",
		},
		{
			"By opening", "Wilson's interval with the number of independent games that would give the " +
				"standard error found between openings (at most the games played), and Student's t with " +
				"openings - 1 degrees of freedom. Where all games or none were drawn, games from one " +
				"opening count as copies.",
			"Korn and Graubard 1998, Surv. Methodol. 24, 193-201; " +
				"Dean and Pagano 2015, J. Surv. Stat. Methodol. 3, 484-503",
		},
		{
			"Bootstrap", fmt.Sprintf("Percentile interval of %d resamples of whole openings, seed %d. "+
				"Too narrow with few openings.", o.Resamples, o.Seed),
			"Davison and Hinkley 1997, Bootstrap Methods and their Application, 3.8",
		},
		{
			"Newcombe", "Difference of two rates from their Wilson intervals: method 10, hybrid score, " +
				"no continuity correction. By opening: the same from the by-opening intervals.",
			"Newcombe 1998, Stat. Med. 17, 873-890; Zou and Donner 2008, Stat. Med. 27, 1693-1702",
		},
		{
			"Miettinen-Nurminen", "Difference of two rates: score test inverted, variance times N/(N - 1).",
			"Miettinen and Nurminen 1985, Stat. Med. 4, 213-226",
		},
		{"Level", "Every interval is at " + percentLevel(o.Level) + " by itself. Differences take the two sets of " +
			"games to be independent and are not corrected for being several.", ""},
	}
}

// percentLevel writes 0.95 as "95 %".
func percentLevel(level float64) string {
	return strconv.FormatFloat(100*level, 'g', 8, 64) + " %"
}

// wideningEffect is the design effect above which a note says that games from
// one opening resemble each other: intervals 10 % too narrow.
const wideningEffect = 1.21

// notes warns where the row's numbers say less than they seem to.
func (r *Row) notes(players []string) []string {
	notes := []string{}
	if len(players) > 1 {
		notes = append(notes, playersNote(players))
	}
	if r.Finished == 0 {
		return append(notes, "No finished games: no estimate.")
	}
	if repeats := r.Games - r.DistinctGames; 100*repeats > r.Games {
		note := fmt.Sprintf("%d of %d games repeat another move for move and add no information", repeats, r.Games)
		if r.ByOpening != nil {
			note += ": read the interval by opening"
		}
		notes = append(notes, note+".")
	}
	if r.ByOpening == nil {
		return append(notes, "All finished games are from one opening: the intervals say nothing about others.")
	}
	if n := r.ByOpening.Openings; n < FewOpenings {
		notes = append(notes, fmt.Sprintf(
			"Few openings (%d): the bootstrap interval is too narrow; read the interval by opening.", n))
	}
	if e := r.ByOpening.DesignEffect; e != nil && *e > wideningEffect {
		notes = append(notes, fmt.Sprintf(
			"Games from one opening resemble each other (design effect %.2f): Wilson, Jeffreys and "+
				"Clopper-Pearson are too narrow; read the interval by opening.", *e))
	}
	return notes
}

// playersNote names the players, a few of them where they are many.
func playersNote(players []string) string {
	const most = 4
	note := fmt.Sprintf("Games of %d different players are counted together: %s",
		len(players), strings.Join(players[:min(most, len(players))], "; "))
	if more := len(players) - most; more > 0 {
		note += fmt.Sprintf("; and %d more", more)
	}
	return note + "."
}

// note is a warning about a row or a difference.
type note struct{ About, Text string }

// notes returns the notes of all rows, then those of the differences.
func (r Report) notes(s style) []note {
	var notes []note
	for _, row := range r.Games {
		for _, text := range row.Notes {
			notes = append(notes, note{r.name(row.Variant, row.Profile), text})
		}
	}
	for _, d := range r.Differences {
		for _, text := range d.notes(s) {
			notes = append(notes, note{r.differenceName(d, s), text})
		}
	}
	return notes
}

// notes warns where games cut off can turn the difference, and where the two
// rows are not independent.
func (d Difference) notes(s style) []string {
	var notes []string
	switch {
	case d.Difference != 0 && !d.Bounds.excludes(0):
		notes = append(notes, "The cut-off games decide the sign: "+s.differenceBounds(d)+".")
	case d.Newcombe.excludes(0) && !d.BoundsNewcombe.excludes(0):
		notes = append(notes, "The cut-off games decide whether Newcombe's interval leaves out 0: "+
			"drawn or not, its ends lie from "+s.signedInterval(d.BoundsNewcombe)+".")
	}
	if d.SameGames > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d games are the same in both: the difference's intervals take them as independent.", d.SameGames))
	}
	return notes
}
