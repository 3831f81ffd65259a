package drawrate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"
)

// Options say how a report is made. Zero values stand for the defaults.
type Options struct {
	Level     float64 // confidence level of every interval, in (0,1); default 0.95
	Resamples int     // bootstrap resamples, MinResamples to MaxResamples; default 10000
	Seed      uint64  // of the bootstrap
	// Order has the variants in the order of the rows; those not in it come
	// after them, by name.
	Order []string
}

// The range of Options.Resamples. All rates of the resamples are held in memory.
const (
	MinResamples = 1000
	MaxResamples = 1_000_000
)

// Report is everything a Tally tells. Rates, intervals and standard errors are
// fractions, not percent. A number that cannot be estimated is null.
type Report struct {
	Level       float64      `json:"level"`       // confidence level of every interval
	Resamples   int          `json:"resamples"`   // of each bootstrap interval
	Seed        uint64       `json:"seed"`        // of the bootstrap
	Games       []Row        `json:"games"`       // by variant (Options.Order) and profile; those without estimate last
	Differences []Difference `json:"differences"` // of each pair of rows that have an estimate, in their order
	Methods     []Method     `json:"methods"`     // how each number was made
}

// Row is one game under one draw profile. Interval fields are [0,1] when no game
// was finished.
type Row struct {
	Variant  string `json:"variant"`
	Profile  string `json:"profile"`
	Games    int64  `json:"games"`    // all games
	Finished int64  `json:"finished"` // games with a result: White + Draw + Black
	Counts
	DistinctGames  int64      `json:"distinct_games"` // different by start position and moves
	Openings       int64      `json:"openings"`       // different openings
	MeanPlies      *float64   `json:"mean_plies"`     // mean length of finished games
	DrawRate       *float64   `json:"draw_rate"`      // Draw / Finished
	Wilson         Interval   `json:"wilson"`
	Jeffreys       Interval   `json:"jeffreys"`
	ClopperPearson Interval   `json:"clopper_pearson"`
	ByOpening      *ByOpening `json:"by_opening"` // null with fewer than 2 openings
	Bootstrap      *Interval  `json:"bootstrap"`  // null where resampling shows no spread
	Bounds         Bounds     `json:"bounds"`
	Terminations   []End      `json:"terminations"` // by class, then name
	Classes        []End      `json:"classes"`      // the terminations summed by class
	Notes          []string   `json:"notes"`        // warnings about this row's numbers
}

// Bounds are the draw rate under the three ways to count games cut off.
// LeftOut is the headline.
type Bounds struct {
	LeftOut   Bound `json:"left_out"`
	NoneDrawn Bound `json:"none_drawn"`
	AllDrawn  Bound `json:"all_drawn"`
}

// Bound is a draw rate, Draws / Games, with Wilson's interval.
type Bound struct {
	Draws  int64    `json:"draws"`
	Games  int64    `json:"games"`
	Rate   *float64 `json:"rate"`
	Wilson Interval `json:"wilson"`
}

// End counts the games that ended in one way. Termination is empty when all of a
// class are counted together.
type End struct {
	Termination string `json:"termination,omitempty"`
	Class       string `json:"class"`
	Games       int64  `json:"games"`
	Counts
}

// Difference is the draw rate of A less the draw rate of B.
type Difference struct {
	A                 Name      `json:"a"`
	B                 Name      `json:"b"`
	Difference        float64   `json:"difference"`
	Newcombe          Interval  `json:"newcombe"`
	MiettinenNurminen Interval  `json:"miettinen_nurminen"`
	ByOpening         *Interval `json:"by_opening"` // from the rows' by_opening intervals; null if one has none
	// Bounds are the lowest and the highest difference that counting the games
	// cut off as drawn or not, on either side, can give.
	Bounds Interval `json:"bounds"`
	// BoundsNewcombe goes from the lower end of Newcombe's interval of the lowest
	// difference to the upper end of that of the highest.
	BoundsNewcombe Interval `json:"bounds_newcombe"`
	// SameGames counts the different games that are in both rows, of one variant
	// under two profiles; the intervals take them as independent.
	SameGames int64 `json:"same_games"`
}

// Name identifies a row.
type Name struct {
	Variant string `json:"variant"`
	Profile string `json:"profile"`
}

// Report makes the report of all games counted so far. It fails on an option
// out of range only.
func (t *Tally) Report(o Options) (Report, error) {
	o.Level = cmp.Or(o.Level, DefaultLevel)
	o.Resamples = cmp.Or(o.Resamples, 10000)
	if err := check(0, 0, o.Level); err != nil {
		return Report{}, err
	}
	if o.Resamples < MinResamples || o.Resamples > MaxResamples {
		return Report{}, fmt.Errorf("%d bootstrap resamples: %d to %d are possible", o.Resamples, MinResamples, MaxResamples)
	}
	r := Report{
		Level: o.Level, Resamples: o.Resamples, Seed: o.Seed,
		Games: []Row{}, Differences: []Difference{}, Methods: methods(o),
	}
	for key, tally := range t.rows {
		r.Games = append(r.Games, tally.report(key, o))
	}
	slices.SortFunc(r.Games, func(a, b Row) int { return compareRows(a, b, o.Order) })
	r.addDifferences()
	for i := range r.Differences {
		if d := &r.Differences[i]; d.A.Variant == d.B.Variant {
			d.SameGames = t.rows[rowKey{d.A.Variant, d.A.Profile}].sameGames(t.rows[rowKey{d.B.Variant, d.B.Profile}])
		}
	}
	return r, nil
}

// compareRows is a total order that looks at no rate: a missing one would
// compare as neither less nor more.
func compareRows(a, b Row, order []string) int {
	missing := func(r Row) int {
		if r.DrawRate == nil {
			return 1
		}
		return 0
	}
	place := func(r Row) int {
		if i := slices.Index(order, r.Variant); i >= 0 {
			return i
		}
		return len(order)
	}
	return cmp.Or(cmp.Compare(missing(a), missing(b)), cmp.Compare(place(a), place(b)),
		strings.Compare(a.Variant, b.Variant), strings.Compare(a.Profile, b.Profile))
}

func (t *rowTally) report(key rowKey, o Options) Row {
	c := t.counts
	row := Row{
		Variant: key.variant, Profile: key.profile,
		Games: c.total(), Finished: c.finished(), Counts: c,
		DistinctGames: int64(len(t.games.all())), Openings: int64(len(t.openings.all())),
		Jeffreys:       jeffreys(c.Draw, c.finished(), o.Level),
		ClopperPearson: clopperPearson(c.Draw, c.finished(), o.Level),
		Bounds: Bounds{
			LeftOut:   bound(c.Draw, c.finished(), o.Level),
			NoneDrawn: bound(c.Draw, c.total(), o.Level),
			AllDrawn:  bound(c.Draw+c.Unfinished, c.total(), o.Level),
		},
		Terminations: t.terminations(),
	}
	row.DrawRate, row.Wilson = row.Bounds.LeftOut.Rate, row.Bounds.LeftOut.Wilson
	row.Classes = classes(row.Terminations)
	if row.Finished > 0 {
		mean := float64(t.plies) / float64(row.Finished)
		row.MeanPlies = &mean
	}
	s := t.sample()
	row.ByOpening = s.byOpening(o.Level)
	row.Bootstrap = s.bootstrap(o.Level, o.Resamples, o.Seed, key.stream())
	row.Notes = row.notes(slices.Sorted(maps.Keys(t.players)))
	return row
}

// stream keeps a row's bootstrap the same whichever other rows a report has.
func (k rowKey) stream() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q", k.variant, k.profile)
	return h.Sum64()
}

func bound(draws, games int64, level float64) Bound {
	b := Bound{Draws: draws, Games: games, Wilson: wilson(draws, games, level)}
	if rate, ok := Rate(draws, games); ok {
		b.Rate = &rate
	}
	return b
}

func (t *rowTally) terminations() []End {
	ends := make([]End, 0, len(t.ends))
	for key, counts := range t.ends {
		ends = append(ends, End{key.termination, key.class, counts.total(), counts})
	}
	slices.SortFunc(ends, func(a, b End) int {
		return cmp.Or(compareClasses(a.Class, b.Class), strings.Compare(a.Termination, b.Termination))
	})
	return ends
}

// compareClasses puts the known classes first, in the order of their constants.
func compareClasses(a, b string) int {
	known := []string{ClassWin, ClassRule, ClassRepetition, ClassTable, ClassCutOff}
	place := func(class string) int {
		if i := slices.Index(known, class); i >= 0 {
			return i
		}
		return len(known)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a, b))
}

// classes sums sorted terminations by class.
func classes(ends []End) []End {
	sums := []End{}
	for _, end := range ends {
		if n := len(sums); n == 0 || sums[n-1].Class != end.Class {
			sums = append(sums, End{Class: end.Class})
		}
		sum := &sums[len(sums)-1]
		sum.Games += end.Games
		sum.add(end.Counts)
	}
	return sums
}

// addDifferences compares each pair of rows that have an estimate.
func (r *Report) addDifferences() {
	for i, a := range r.Games {
		for _, b := range r.Games[i+1:] {
			if a.DrawRate == nil || b.DrawRate == nil {
				continue
			}
			d := Difference{
				A: Name{a.Variant, a.Profile}, B: Name{b.Variant, b.Profile},
				Difference:        *a.DrawRate - *b.DrawRate,
				Newcombe:          combine(*a.DrawRate, a.Wilson, *b.DrawRate, b.Wilson),
				MiettinenNurminen: miettinenNurminen(a.Draw, a.Finished, b.Draw, b.Finished, r.Level),
			}
			if a.ByOpening != nil && b.ByOpening != nil {
				both := combine(*a.DrawRate, a.ByOpening.Interval, *b.DrawRate, b.ByOpening.Interval)
				d.ByOpening = &both
			}
			d.Bounds, d.BoundsNewcombe = differenceBounds(a.Bounds, b.Bounds)
			r.Differences = append(r.Differences, d)
		}
	}
}

// differenceBounds returns the lowest and the highest difference of two rates
// with games, and the ends of Newcombe's intervals around them.
func differenceBounds(a, b Bounds) (bounds, newcombe Interval) {
	between := func(a, b Bound) (float64, Interval) {
		return *a.Rate - *b.Rate, combine(*a.Rate, a.Wilson, *b.Rate, b.Wilson)
	}
	low, lowest := between(a.NoneDrawn, b.AllDrawn)
	high, highest := between(a.AllDrawn, b.NoneDrawn)
	return Interval{low, high}, Interval{lowest.Low, highest.High}
}

// WriteJSON writes the report as indented JSON, fields as documented here.
func WriteJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
