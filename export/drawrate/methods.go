package drawrate

import (
	"fmt"
	"strconv"
)

// Method says how one kind of number in a report was made.
type Method struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
}

func methods(o Options) []Method {
	return []Method{
		{"Draw rate", "Draws divided by finished games. Games that were cut off are left out.", ""},
		{"Bounds", "The draw rate if every game cut off had been drawn, and if none had. " +
			"Intervals of bounds are Wilson's.", ""},
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
func (r *Row) notes() []string {
	notes := []string{}
	if r.Finished == 0 {
		return append(notes, "No finished games: no estimate.")
	}
	if repeats := r.Games - r.DistinctGames; repeats > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d of %d games repeat another move for move and add no information: read the interval by opening.",
			repeats, r.Games))
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
