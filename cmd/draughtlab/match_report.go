package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"draughtlab/selfplay/match"
)

// matchReport is what `draughtlab match` prints at the end. Counts and Elo are
// from A's view.
type matchReport struct {
	Variant string `json:"variant"`
	Profile string `json:"profile"`
	Seed    string `json:"seed"`
	// TablePieces is the number of pieces of the endgame tables, 0 for none.
	TablePieces int         `json:"table_pieces"`
	A           matchEngine `json:"a"`
	B           matchEngine `json:"b"`
	Finished    bool        `json:"finished"`
	Games       int         `json:"games"`
	Wins        int         `json:"wins"`
	Draws       int         `json:"draws"`
	Losses      int         `json:"losses"`
	Unfinished  int         `json:"unfinished"`
	// Pairs are those of which both games have an outcome; Pentanomial has
	// them by A's points: 0, 1/2, 1, 3/2, 2.
	Pairs       int    `json:"pairs"`
	Pentanomial [5]int `json:"pentanomial"`
	// Repeated pairs came out as an earlier one, move by move.
	Repeated int `json:"repeated_pairs"`
	// Score is that of the pairs, 0 to 1 a game, with its standard error; Elo
	// comes with its 95 % interval. null is no value, or none that is finite; the
	// standard error and the interval are null where all pairs scored alike.
	Score   *float64     `json:"score"`
	ScoreSE *float64     `json:"score_se"`
	Elo     *float64     `json:"elo"`
	EloLow  *float64     `json:"elo_low"`
	EloHigh *float64     `json:"elo_high"`
	SPRT    *sprtOutcome `json:"sprt,omitempty"`

	pairs match.Pairs
}

type matchEngine struct {
	Given    string `json:"given"`
	Settings string `json:"settings"`
	// Moves are those the engine chose, Nodes the positions it visited for them.
	Moves int64 `json:"moves"`
	Nodes int64 `json:"nodes"`
}

type sprtOutcome struct {
	match.SPRT
	Lower    float64        `json:"lower"`
	Upper    float64        `json:"upper"`
	LLR      float64        `json:"llr"`
	Decision match.Decision `json:"decision"`
}

// z95 is the normal quantile of a 95 % interval.
const z95 = 1.959963984540054

// newMatchReport tells a result; a and b are the engines as they were given.
func newMatchReport(s *match.Settings, r match.Result, a, b string) *matchReport {
	m := &matchReport{
		Variant: s.Variant.Name, Profile: s.Profile.String(), Seed: strconv.FormatUint(s.Seed, 10), TablePieces: s.Referee.Pieces,
		A:        matchEngine{a, s.A.String(), r.MovesA, r.NodesA},
		B:        matchEngine{b, s.B.String(), r.MovesB, r.NodesB},
		Finished: s.Finished(r),
		Games:    r.Games(), Wins: r.Wins, Draws: r.Draws, Losses: r.Losses, Unfinished: r.Unfinished,
		Pairs: r.Pairs.N(), Pentanomial: r.Pairs, Repeated: r.Repeated,
		pairs: r.Pairs,
	}
	mean, se := r.Pairs.Score()
	elo, low, high := r.Pairs.Elo(z95)
	m.Score, m.ScoreSE = finite(mean), finite(se)
	m.Elo, m.EloLow, m.EloHigh = finite(elo), finite(low), finite(high)
	if r.Pairs.Alike() {
		m.ScoreSE, m.EloLow, m.EloHigh = nil, nil, nil
	}
	if t := s.SPRT; t != nil {
		m.SPRT = &sprtOutcome{SPRT: *t, LLR: t.LLR(r.Pairs), Decision: t.Decide(r.Pairs)}
		m.SPRT.Lower, m.SPRT.Upper = t.Bounds()
	}
	return m
}

func (m *matchReport) write(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(m)
	}
	_, err := io.WriteString(out, m.text())
	return err
}

// text returns the report for a person, 80 columns wide but for long names.
func (m *matchReport) text() string {
	s := fmt.Sprintf("%s, profile %s, seed %s, %s\n", title(m.Variant), m.Profile, m.Seed, tablesText(m.TablePieces))
	s += fmt.Sprintf("A  %s\nB  %s\n\n", m.A.Settings, m.B.Settings)
	s += fmt.Sprintf("%7s %7s %7s %7s %8s %9s  %s\n", "Games", "A won", "drawn", "B won", "cut off", "Score %", "Elo (95 %)")
	score := "none"
	if m.Score != nil {
		score = fmt.Sprintf("%.2f", 100**m.Score)
	}
	s += fmt.Sprintf("%7d %7d %7d %7d %8d %9s  %s\n\n", m.Games, m.Wins, m.Draws, m.Losses, m.Unfinished, score, m.eloText())
	s += fmt.Sprintf("%-21s %7s %7s %7s %7s %7s\n", "Pairs by A's points", "0", "0.5", "1", "1.5", "2")
	p := m.Pentanomial
	s += fmt.Sprintf("%-21d %7d %7d %7d %7d %7d\n", m.Pairs, p[0], p[1], p[2], p[3], p[4])
	if n := m.A.Nodes + m.B.Nodes; n > 0 {
		s += fmt.Sprintf("\nPositions searched a move: A %.0f, B %.0f\n", perMove(m.A), perMove(m.B))
	}
	if m.pairs.Alike() {
		s += "\nAll pairs scored alike, so no interval can be given: play more games.\n"
	} else if m.Repeated > 0 {
		s += fmt.Sprintf("\nPairs played before, move by move: %d. The interval is too small.\n", m.Repeated)
	}
	if t := m.SPRT; t != nil {
		s += fmt.Sprintf("\nSPRT of Elo %g against %g (alpha %g, beta %g): LLR %.2f of %.2f to %.2f\n%s\n",
			t.Elo0, t.Elo1, t.Alpha, t.Beta, t.LLR, t.Lower, t.Upper, t.sentence())
	}
	return s
}

func (t *sprtOutcome) sentence() string {
	switch t.Decision {
	case match.AcceptElo0:
		return fmt.Sprintf("Decided: Elo %g is accepted, %g is rejected.", t.Elo0, t.Elo1)
	case match.AcceptElo1:
		return fmt.Sprintf("Decided: Elo %g is accepted, %g is rejected.", t.Elo1, t.Elo0)
	}
	return "Undecided."
}

// tablesText names endgame tables.
func tablesText(pieces int) string {
	if pieces == 0 {
		return "no endgame tables"
	}
	return fmt.Sprintf("endgame tables of %d pieces", pieces)
}

func perMove(e matchEngine) float64 { return float64(e.Nodes) / math.Max(float64(e.Moves), 1) }

// eloText gives the difference and its interval; -Inf and +Inf are where no
// point, or every point, is within the interval.
func (m *matchReport) eloText() string {
	if m.Score == nil {
		return "none"
	}
	elo, low, high := m.pairs.Elo(z95)
	if m.pairs.Alike() {
		return signed(elo) + " (no interval)"
	}
	return fmt.Sprintf("%s (%s to %s)", signed(elo), signed(low), signed(high))
}

func signed(x float64) string {
	if math.IsInf(x, 0) {
		return fmt.Sprintf("%+.0f", x)
	}
	return fmt.Sprintf("%+.1f", x)
}
