package notation

import (
	"fmt"
	"strconv"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// Tag is one tag pair of a PDN game.
type Tag struct{ Name, Value string }

// MoveText is one move of a PDN game as it was written.
type MoveText struct {
	// Text is the move without its number; "-" stands for a move that was not
	// recorded.
	Text string
	// Comment is what was said after the move, its blanks collapsed.
	Comment string
	// Line is the number of the line in the file, from 1; 0 in a game that was
	// not read.
	Line int
}

// Game is one game as PDN tells it. Nothing in it has been checked against the
// rules; Replay does that.
type Game struct {
	// Number counts the games of a Reader from 1.
	Number int
	// Line is the line on which the game begins, from 1.
	Line int
	// Tags are in the order of the text.
	Tags []Tag
	// Comment is what was said before the first move, its blanks collapsed.
	Comment string
	// Moves are the moves of the main line; variations are left out.
	Moves []MoveText
	// Unrecorded is the number of moves at the end of the game that were
	// written as lone dashes; they are not in Moves.
	Unrecorded int
	// Result is the result behind the moves as it was written, "" if there was
	// none. The tag of that name may say something else; see Outcome.
	Result string
}

// Tag returns the value of the first tag of that name, "" if there is none.
func (g *Game) Tag(name string) string {
	for _, t := range g.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

func (g *Game) hasTag(name string) bool {
	for _, t := range g.Tags {
		if t.Name == name {
			return true
		}
	}
	return false
}

// Outcome returns the result from White's view. It does not guess: the result
// is unknown (engine.Unfinished) for a game without moves, without a result
// behind the moves, and where the Result tag, if there is one, disagrees with
// it. "1-0" and "2-0" are the same, and so are the two forms of a draw; "0-0"
// (both lose, or not played) is unknown.
func (g *Game) Outcome() engine.Outcome {
	if len(g.Moves) == 0 {
		return engine.Unfinished
	}
	o, ok := parseResult(g.Result)
	if !ok {
		return engine.Unfinished
	}
	if g.hasTag("Result") {
		if tagged, ok := parseResult(strings.TrimSpace(g.Tag("Result"))); !ok || tagged != o {
			return engine.Unfinished
		}
	}
	return o
}

// parseResult reads a result token; ok is false for any other text.
func parseResult(s string) (o engine.Outcome, ok bool) {
	switch s {
	case "1-0", "2-0":
		return engine.WhiteWins, true
	case "0-1", "0-2":
		return engine.BlackWins, true
	case "1/2-1/2", "1-1":
		return engine.Draw, true
	case "*", "0-0":
		return engine.Unfinished, true
	}
	return 0, false
}

// FryskGameType is the GameType number of Frysk!: Frisian rules from a start
// with five men a side, which its FEN tag gives.
const FryskGameType = 97

// gameTypes are the GameType numbers of the PDN standard, by game. Croda has
// none; its games carry the name instead, [GameType "croda"], so that a reader
// that takes a missing number for international draughts refuses them.
var gameTypes = map[int]string{25: "russian", 40: "frisian", FryskGameType: "frisian"}

// GameType returns the value of the GameType tag for games of v.
func GameType(v *engine.Variant) string {
	switch v.Name {
	case "russian":
		return "25"
	case "frisian":
		return "40"
	}
	return v.Name
}

// Variant tells which game is played from the tags GameType, a number of the
// PDN standard (what follows a comma describes the board) or a name, and
// Variant, a name. It fails if neither says so, if they disagree, and for
// games that are not played here.
func (g *Game) Variant() (*engine.Variant, error) {
	var names []string
	if t := strings.TrimSpace(g.Tag("GameType")); t != "" {
		kind, _, _ := strings.Cut(t, ",")
		name := strings.ToLower(strings.TrimSpace(kind))
		if n, err := strconv.Atoi(name); err == nil {
			name = gameTypes[n]
			if name == "" {
				return nil, fmt.Errorf("game type %q is not played here: 25 (Russian), 40 and 97 (Frisian) and croda are", clip(t))
			}
		}
		names = append(names, name)
	}
	if t := strings.ToLower(strings.TrimSpace(g.Tag("Variant"))); t != "" {
		names = append(names, strings.TrimSuffix(strings.TrimSuffix(t, " draughts"), "!"))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("neither GameType nor Variant tells which game this is")
	}
	for i, name := range names {
		if name == "frysk" {
			names[i] = "frisian"
		}
	}
	if names[0] != names[len(names)-1] {
		return nil, fmt.Errorf("the tags GameType and Variant name two games: %s and %s", clip(names[0]), clip(names[1]))
	}
	return variants.ByName(names[0])
}

// Start returns the position before the first move: that of the FEN tag, with
// the king runs of the Runs tag (see FormatRuns), or the start of the game.
func (g *Game) Start(v *engine.Variant) (engine.Position, error) {
	if !g.hasTag("FEN") {
		if kind, _, _ := strings.Cut(g.Tag("GameType"), ","); strings.TrimSpace(kind) == strconv.Itoa(FryskGameType) {
			return engine.Position{}, fmt.Errorf("a game of Frysk! needs a FEN tag")
		}
		return v.Start, nil
	}
	p, err := ParseFEN(v, g.Tag("FEN"))
	if err == nil && g.hasTag("Runs") {
		err = ParseRuns(v, &p, []byte(g.Tag("Runs")))
	}
	return p, err
}
