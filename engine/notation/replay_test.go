package notation_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// readAll reads all games of a text; none may be damaged.
func readAll(t testing.TB, r io.Reader) []*notation.Game {
	t.Helper()
	var games []*notation.Game
	reader := notation.NewReader(r)
	for {
		g, err := reader.Next()
		if err == io.EOF {
			return games
		}
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, g)
	}
}

func readFile(t testing.TB, path string) []*notation.Game {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return readAll(t, f)
}

func byName(t testing.TB, name string) *engine.Variant {
	t.Helper()
	v, err := variants.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestShortGames protects replay on recorded games: every move is legal, the
// plies are counted, and the Czech game leaves the Russian rules at ply 15.
func TestShortGames(t *testing.T) {
	plies := []int{18, 34, 18, 65, 43}
	games := readFile(t, "testdata/short.pdn")
	if len(games) != len(plies)+1 {
		t.Fatalf("%d games", len(games))
	}
	for i, g := range games[:len(plies)] {
		v, err := g.Variant()
		if err != nil {
			t.Fatal(err)
		}
		out, err := notation.Replay(v, engine.Basic, g)
		if err != nil || out.Illegal != nil || len(out.Moves) != plies[i] {
			t.Errorf("game %d: %v, illegal %+v, %d plies, want %d", g.Number, err, out.Illegal, len(out.Moves), plies[i])
		}
	}
	czech := games[len(plies)]
	if _, err := czech.Variant(); err == nil || !strings.Contains(err.Error(), `"29"`) {
		t.Errorf("the Czech game type is not refused: %v", err)
	}
	out, err := notation.Replay(byName(t, "russian"), engine.Basic, czech)
	if err != nil || out.Illegal == nil || out.Illegal.Ply != 15 || out.Illegal.Text != "b2-a3" || out.Illegal.Line != czech.Moves[14].Line {
		t.Errorf("the Czech game: %v, %+v", err, out.Illegal)
	}
}

// sharedGames skips a test where the collection of recorded games, which the
// project does not hold for its licences, is not beside the project.
func sharedGames(t *testing.T) string {
	const dir = "../../../shared/games"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the collection of recorded games is not here (%s): this test needs it", dir)
	}
	return dir
}

// TestRecordedGames protects rules and notation at once: all recorded Russian
// and Frisian games are legal, with the plies their index gives.
func TestRecordedGames(t *testing.T) {
	dir := sharedGames(t)
	for _, c := range []struct {
		files        string
		games, plies int
	}{
		{"russian-*.pdn", 219, 585 + 2648 + 8730 + 75},
		{"frisian-*.pdn", 18, 957 + 187 + 188},
		{"frysk-*.pdn", 27, 1289 + 112},
	} {
		files, _ := filepath.Glob(filepath.Join(dir, c.files))
		games, plies := 0, 0
		for _, file := range files {
			for _, g := range readFile(t, file) {
				v, err := g.Variant()
				if err != nil {
					t.Fatal(err)
				}
				out, err := notation.Replay(v, engine.Basic, g)
				if err != nil || out.Illegal != nil {
					t.Errorf("%s game %d: %v %+v", file, g.Number, err, out.Illegal)
					continue
				}
				games++
				plies += len(out.Moves)
			}
		}
		if games != c.games || plies != c.plies {
			t.Errorf("%s: %d games of %d plies, want %d of %d", c.files, games, plies, c.games, c.plies)
		}
	}
}

// TestCzechGames protects the refusals: every Czech game is stopped at the ply
// and move its tag names.
func TestCzechGames(t *testing.T) {
	games := readFile(t, filepath.Join(sharedGames(t), "czech-1.pdn"))
	if len(games) != 40 {
		t.Errorf("%d games, want 40", len(games))
	}
	for _, g := range games {
		out, err := notation.Replay(byName(t, "russian"), engine.Basic, g)
		if err != nil || out.Illegal == nil {
			t.Errorf("game %d is not refused: %v", g.Number, err)
			continue
		}
		if got := fmt.Sprintf("ply %d %s", out.Illegal.Ply, out.Illegal.Text); got != g.Tag("FirstIllegalUnderRussian") {
			t.Errorf("game %d is refused at %q, want %q", g.Number, got, g.Tag("FirstIllegalUnderRussian"))
		}
	}
}

// TestReplayPastDraw protects that an article stops no recorded game and is
// told with its ply: the third time the same kings stand on the same squares.
func TestReplayPastDraw(t *testing.T) {
	g := readAll(t, strings.NewReader(`[GameType "croda"][FEN "W:WKa1,a3:BKh8,h6"]
1. a1-b1 h8-g8 2. b1-a1 g8-h8 3. a1-b1 h8-g8 4. b1-a1 g8-h8 5. a1-b1 h8-g8 *`))[0]
	out, err := notation.Replay(byName(t, "croda"), engine.Basic, g)
	if err != nil || out.Illegal != nil || len(out.Moves) != 10 {
		t.Fatalf("%v %+v %d", err, out.Illegal, len(out.Moves))
	}
	if out.Article != engine.Repetition || out.ArticlePly != 8 {
		t.Errorf("article %s at ply %d, want repetition at 8", out.Article, out.ArticlePly)
	}
}

// TestReplayUnrecorded protects that nothing is played past a missing move.
func TestReplayUnrecorded(t *testing.T) {
	g := readAll(t, strings.NewReader("[GameType \"25\"]\n1. a3-b4 - 2. b4-c5 *"))[0]
	out, err := notation.Replay(byName(t, "russian"), engine.Basic, g)
	if err != nil || out.Illegal == nil || out.Illegal.Ply != 2 || !strings.Contains(out.Illegal.Reason, "not recorded") {
		t.Errorf("%v %+v", err, out.Illegal)
	}
}

// TestReplayRuns protects the king runs of the start: a blocked king may not
// move (F9), in the tag Runs and in lidraughts' counters alike.
func TestReplayRuns(t *testing.T) {
	for _, tags := range []string{
		"[FEN \"W:W36,K28:B5\"]\n[Runs \"{\\\"W\\\":[28,3]}\"]",
		"[FEN \"W:W36,K28:B5:H0:F9:+328+0\"]",
	} {
		g := readAll(t, strings.NewReader(tags+"\n1. 28-22 *"))[0]
		out, err := notation.Replay(byName(t, "frisian"), engine.Basic, g)
		if err != nil || out.Illegal == nil {
			t.Errorf("%s: a blocked king moved: %v", tags, err)
		}
	}
}

// TestVariantTags protects the choice of the game by its tags.
func TestVariantTags(t *testing.T) {
	for _, c := range []struct{ tags, want string }{
		{`[GameType "25"]`, "russian"},
		{`[GameType "25,W,8,8,A0,0"]`, "russian"},
		{`[GameType "40"]`, "frisian"},
		{`[GameType "97"]`, "frisian"},
		{`[GameType "97"][Variant "Frysk!"]`, "frisian"},
		{`[GameType "croda"]`, "croda"},
		{`[Variant "Croda"]`, "croda"},
		{`[Variant "Russian draughts"]`, "russian"},
		{`[GameType "25"][Variant "Russian"]`, "russian"},
		{`[GameType "25"][Variant "Croda"]`, ""},
		{`[GameType "20"]`, ""},
		{`[GameType "4x"]`, ""},
		{`[GameType ""]`, ""},
		{`[Event "?"]`, ""},
	} {
		v, err := readAll(t, strings.NewReader(c.tags))[0].Variant()
		if (err == nil) != (c.want != "") || err == nil && v.Name != c.want {
			t.Errorf("%s: %v, want %q", c.tags, err, c.want)
		}
	}
	g := readAll(t, strings.NewReader(`[GameType "97"]`))[0]
	if _, err := g.Start(byName(t, "frisian")); err == nil {
		t.Error("a game of Frysk! without FEN begins from the Frisian start")
	}
}
