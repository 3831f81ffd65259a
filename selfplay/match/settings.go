package match

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"draughtlab/engine"
	"draughtlab/engine/eval"
	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// Version is the version of the match files this program writes and reads.
const Version = 1

// maxPairs bounds the length of a match.
const maxPairs = 1 << 30

// Engine is one of the two players.
type Engine struct {
	selfplay.PlayerConfig
	// Time is the time a search may take for a move, in whole milliseconds; 0
	// is no limit. With it a match cannot be repeated exactly: it is for
	// measuring strength at equal time, never for datasets.
	Time time.Duration
	// Off names techniques of the search that are switched off, in the order
	// of their names.
	Off []string
	// Weights are those of a search; nil takes eval.Default. WeightsName says
	// where they are from.
	Weights     *eval.Weights
	WeightsName string
}

// validate reports the first thing wrong with the engine.
func (e *Engine) validate(v *engine.Variant) error {
	c := e.PlayerConfig
	if e.Time != 0 && c.Kind == selfplay.Search && c.Nodes == 0 && c.Depth == 0 {
		c.Depth = 1 // the time is limit enough
	}
	if err := c.Validate(); err != nil {
		return err
	}
	switch {
	case e.Time < 0 || e.Time%time.Millisecond != 0 || e.Time > time.Hour:
		return fmt.Errorf("a time of %s a move: it takes whole milliseconds up to an hour", e.Time)
	case e.Kind == selfplay.Random && (e.Time != 0 || len(e.Off) > 0 || e.Weights != nil):
		return fmt.Errorf("a random player takes no time, no weights and no switches: leave them out")
	case e.Weights != nil && e.Weights.Variant != v.Name:
		return fmt.Errorf("weights of %s for a match of %s", e.Weights.Variant, v.Name)
	case !slices.IsSorted(e.Off):
		return fmt.Errorf("switches %s are not in the order of their names", strings.Join(e.Off, ", "))
	}
	return checkOff(e.Off)
}

// Settings are all that decides a match: its games are a function of them,
// unless an engine has a limit of time.
type Settings struct {
	Variant *engine.Variant
	Profile engine.Profile
	// A and B play each other; all counts are from A's view.
	A, B Engine
	// Pairs is the number of game pairs, at least 1; with an SPRT, the most
	// that are played.
	Pairs int
	// SPRT ends the match when it has decided; nil plays all pairs.
	SPRT *SPRT
	// Seed decides the random plies of each pair and the order of the
	// openings.
	Seed uint64
	// Openings are taken in turn, one a pair, in an order that depends on the
	// seed; without any, games begin with the initial position. RandomPlies
	// follow the opening, the same in both games of a pair.
	Openings    []selfplay.Opening
	RandomPlies selfplay.Range
	// MaxPlies ends a game without an outcome; 0 means no limit.
	MaxPlies int
	// Referee ends games by endgame tables, and searches ask its tables.
	Referee dataset.Referee
}

// Validate reports the first thing wrong with the settings.
func (s *Settings) Validate() error {
	for _, e := range []struct {
		name   string
		engine *Engine
	}{{"A", &s.A}, {"B", &s.B}} {
		if err := e.engine.validate(s.Variant); err != nil {
			return fmt.Errorf("engine %s: %w", e.name, err)
		}
	}
	if s.SPRT != nil {
		if err := s.SPRT.Validate(); err != nil {
			return err
		}
	}
	r, different := s.RandomPlies, max(len(s.Openings), 1)
	switch {
	case s.Pairs < 1 || s.Pairs > maxPairs:
		return fmt.Errorf("%d game pairs: it takes 1 to %d", s.Pairs, maxPairs)
	case r.Min < 0 || r.Max < r.Min:
		return fmt.Errorf("random plies from %d to %d: it takes a range from a smaller to a greater number, 0 or more", r.Min, r.Max)
	case s.MaxPlies < 0:
		return fmt.Errorf("a limit of %d plies a game: it takes 1 or more, or 0 for none", s.MaxPlies)
	case s.MaxPlies > 0 && r.Max >= s.MaxPlies:
		return fmt.Errorf("%d random plies leave nothing to play in games of at most %d plies", r.Max, s.MaxPlies)
	case s.Pairs > different && r.Max == 0 && s.A.Kind == selfplay.Search && s.B.Kind == selfplay.Search:
		return fmt.Errorf("%d pairs from %d openings without random plies would repeat games: add random plies or play fewer games", s.Pairs, different)
	}
	return nil
}

// timed reports whether a clock decides moves.
func (s *Settings) timed() bool { return s.A.Time != 0 || s.B.Time != 0 }

// header is the first line of a match file: the settings.
type header struct {
	Version     int            `json:"match_version"`
	Variant     string         `json:"variant"`
	Profile     string         `json:"profile"`
	A           engineHeader   `json:"a"`
	B           engineHeader   `json:"b"`
	Pairs       int            `json:"pairs"`
	SPRT        *SPRT          `json:"sprt"`
	Seed        uint64         `json:"seed,string"`
	Openings    openingsHeader `json:"openings"`
	RandomPlies selfplay.Range `json:"random_plies"`
	MaxPlies    int            `json:"max_plies"`
	// TablePieces is 0, and left out, without endgame tables.
	TablePieces int  `json:"table_pieces,omitempty"`
	TableWins   bool `json:"table_wins,omitempty"`
}

type engineHeader struct {
	selfplay.PlayerConfig
	TimeMS  int64               `json:"time_ms"`
	Off     []string            `json:"off"`
	Weights selfplay.WeightsRef `json:"weights"`
}

// openingsHeader names the openings by their content.
type openingsHeader struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"`
}

// header returns the settings as the first line of a file has them.
func (s *Settings) header() header {
	h := header{
		Version: Version, Variant: s.Variant.Name, Profile: s.Profile.String(),
		A: s.A.header(s.Variant), B: s.B.header(s.Variant),
		Pairs: s.Pairs, SPRT: s.SPRT, Seed: s.Seed, RandomPlies: s.RandomPlies, MaxPlies: s.MaxPlies,
		TablePieces: s.Referee.Pieces, TableWins: s.Referee.Wins,
	}
	if h.Openings.Count = len(s.Openings); h.Openings.Count > 0 {
		sum := sha256.Sum256(mustJSON(s.Openings))
		h.Openings.SHA256 = hex.EncodeToString(sum[:])
	}
	return h
}

func (e *Engine) header(v *engine.Variant) engineHeader {
	h := engineHeader{PlayerConfig: e.PlayerConfig, TimeMS: e.Time.Milliseconds(), Off: append([]string{}, e.Off...)}
	switch {
	case e.Kind != selfplay.Search:
	case e.Weights == nil:
		h.Weights = selfplay.WeightsRef{Name: selfplay.DefaultWeights, Hash: eval.Default(v).Hash()}
	default:
		h.Weights = selfplay.WeightsRef{Name: e.WeightsName, Hash: e.Weights.Hash()}
	}
	return h
}

// String names the engine in a few words, for example
// "alphabeta nodes=1000 weights=default".
func (e *Engine) String() string {
	if e.Kind != selfplay.Search {
		return e.Kind
	}
	s := e.PlayerConfig.String()
	if e.Time != 0 {
		s += fmt.Sprintf(" time=%s", e.Time)
	}
	name := e.WeightsName
	if e.Weights == nil {
		name = selfplay.DefaultWeights
	}
	s += " weights=" + name
	if e.HashEntries != selfplay.DefaultHashEntries {
		s += fmt.Sprintf(" hash=%d", e.HashEntries)
	}
	if len(e.Off) > 0 {
		s += " off=" + strings.Join(e.Off, "+")
	}
	return s
}

// mustJSON encodes a value of plain fields.
func mustJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
