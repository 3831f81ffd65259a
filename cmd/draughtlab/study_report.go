package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"draughtlab/export/drawrate"
	"draughtlab/selfplay"
	"draughtlab/tune"
)

// reportParts is what a study's report shows besides the draw rates.
type reportParts struct {
	cfg     selfplay.Config
	content string // hash of the dataset's content
	tuned   []*tune.Result
	matches []*playedMatch
}

// sections are the parts of the HTML report behind the draw rates.
func (p reportParts) sections() ([]drawrate.Section, error) {
	c := p.cfg
	out := []drawrate.Section{{
		Title: "How the games were played",
		Text: fmt.Sprintf(`Both sides of every game were played by %s with the built-in weights, under the %s rules. `+
			`Each game began with %d to %d random moves from the initial position, its seed being a function of the run seed %d, `+
			`the variant and the number of the game. Games were cut off after %d plies. %s`,
			c.Player, c.Profile, c.RandomPlies.Min, c.RandomPlies.Max, c.Seed, c.MaxPlies, tablesSentence(c.TablePieces)),
	}, p.matchSection()}
	for _, r := range p.tuned {
		var curve bytes.Buffer
		if err := r.WriteSVG(&curve); err != nil {
			return nil, err
		}
		t := &drawrate.Table{Header: []string{"Moved most", "Positions", "Opening", "tuned", "Endgame", "tuned"}}
		for _, w := range r.Moved(12) {
			t.Rows = append(t.Rows, []string{
				w.Name, fmt.Sprint(w.Count), realMinus(fmt.Sprint(w.StartOpening)), realMinus(fmt.Sprint(w.Opening)),
				realMinus(fmt.Sprint(w.StartEndgame)), realMinus(fmt.Sprint(w.Endgame)),
			})
		}
		out = append(out, drawrate.Section{
			Title: "Tuning: " + title(r.Variant),
			Text: fmt.Sprintf(`Texel's method: %d quiet positions of %d games, %d positions of %d games held out. `+
				`Cross-entropy on the held-out games %.5f before, %.5f after (weights in whole hundredths of a man). `+
				`Of %d features %d were tuned; the others occur too seldom and kept their weights.`,
				r.Use.Train.Positions, r.Use.Train.Games, r.Use.Holdout.Positions, r.Use.Holdout.Games,
				r.Before.Holdout, r.Rounded.Holdout, r.Features.All, r.Features.Tuned),
			SVG:   curve.Bytes(),
			Table: t,
		})
	}
	return append(out, p.provenance()), nil
}

// tablesSentence says what endgame tables did to the games of a study.
func tablesSentence(pieces int) string {
	if pieces == 0 {
		return "No endgame tables were used."
	}
	return fmt.Sprintf("Positions of up to %d pieces were looked up in endgame tables, exact under these rules, by the search, "+
		"and a game was ended as drawn where they say so (class table).", pieces)
}

func (p reportParts) matchSection() drawrate.Section {
	t := &drawrate.Table{Header: []string{"Game", "Games", "Won", "Drawn", "Lost", "Cut off", "Pairs", "Elo (95 %)"}}
	for _, m := range p.matches {
		t.Rows = append(t.Rows, []string{
			title(m.Variant), fmt.Sprint(m.Games()), fmt.Sprint(m.Wins), fmt.Sprint(m.Draws), fmt.Sprint(m.Losses),
			fmt.Sprint(m.Unfinished), fmt.Sprint(m.Pairs.N()), realMinus(m.eloText()),
		})
	}
	return drawrate.Section{
		Title: "Tuned against untuned weights",
		Text: "Pairs of games from the same random opening with colours exchanged, the same search on both sides. " +
			"The Elo difference is that of the logistic model; its interval comes from the scores of the pairs. " +
			pairsCounted,
		Table: t,
	}
}

func (p reportParts) provenance() drawrate.Section {
	b := thisBuild()
	t := &drawrate.Table{Header: []string{"What", "Hash or version"}, Left: 2}
	t.Rows = [][]string{
		{"dataset content", p.content},
		{"configuration", p.cfg.Hash()},
		{"draughtlab", b.Version + " " + b.Commit},
		{"schema version", fmt.Sprint(b.Schema)},
	}
	for _, r := range p.tuned {
		t.Rows = append(t.Rows, []string{"weights " + r.Variant + ", untuned", r.Start}, []string{"weights " + r.Variant + ", tuned", r.Tuned})
	}
	return drawrate.Section{
		Title: "Provenance",
		Text:  "The dataset is a function of config.json: the same configuration gives the same content hash on any machine.",
		Table: t,
	}
}

// pairsCounted says what the column of pairs counts.
const pairsCounted = "Elo counts the pairs of which both games have a result; a pair with a game cut off is left out whole."

// writeMatches prints the matches as a table of at most 80 columns.
func (p reportParts) writeMatches(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\nTuned against untuned weights, same search, paired openings\n%-9s %6s %6s %6s %6s %8s %6s  %s\n",
		"Game", "games", "won", "drawn", "lost", "cut off", "pairs", "Elo (95 %)")
	for _, m := range p.matches {
		if err == nil {
			_, err = fmt.Fprintf(w, "%-9s %6d %6d %6d %6d %8d %6d  %s\n",
				title(m.Variant), m.Games(), m.Wins, m.Draws, m.Losses, m.Unfinished, m.Pairs.N(), m.eloText())
		}
	}
	if err == nil {
		_, err = fmt.Fprintln(w, strings.Replace(pairsCounted, "; ", ";\n", 1))
	}
	return err
}

// eloText gives the difference and its interval; -Inf and +Inf are where no
// point, or every point, is within the interval.
func (m *playedMatch) eloText() string {
	if m.Pairs.N() == 0 {
		return "none"
	}
	elo, low, high := m.Pairs.Elo(z95)
	return fmt.Sprintf("%+.0f (%+.0f to %+.0f)", elo, low, high)
}

// realMinus typesets numbers for HTML.
func realMinus(numbers string) string { return strings.ReplaceAll(numbers, "-", "\u2212") }

// title returns a variant's name with a capital.
func title(variant string) string { return strings.ToUpper(variant[:1]) + variant[1:] }
