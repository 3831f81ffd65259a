package notation_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// randomGame draws moves from the start of a game, and then a ply at which to
// begin; the clocks of that position are set to 0, as FEN has no place for them.
func randomGame(t *rapid.T, v *engine.Variant) (start engine.Position, moves []engine.Move) {
	positions := []engine.Position{v.Start}
	for range rapid.IntRange(0, 100).Draw(t, "plies") {
		p := positions[len(positions)-1]
		legal := v.Generate(&p, nil)
		if len(legal) == 0 {
			break
		}
		m := rapid.SampledFrom(legal).Draw(t, "move")
		moves, positions = append(moves, m), append(positions, p.Make(m))
	}
	begin := rapid.IntRange(0, len(moves)).Draw(t, "begin")
	start = positions[begin]
	start.SetCounts(0, 0, 0)
	return start, moves[begin:]
}

// TestGameRoundTrip protects that what Write writes, of any game, the reader
// reads back the same: tags, comments, moves, result; and that it replays to
// the same moves from the same start.
func TestGameRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(variants.All()).Draw(t, "variant")
		start, moves := randomGame(t, v)
		outcome := rapid.SampledFrom([]engine.Outcome{engine.WhiteWins, engine.Draw, engine.BlackWins, engine.Unfinished}).Draw(t, "outcome")
		if len(moves) == 0 {
			outcome = engine.Unfinished
		}
		event := rapid.StringMatching(`[ -~éж\\"]{0,30}`).Draw(t, "event")
		g, err := notation.NewGame(v, start, moves, outcome, notation.Tag{Name: "Event", Value: event})
		if err != nil {
			t.Fatal(err)
		}
		comment := rapid.StringMatching(`([!-|~é;(\[%]{1,90}( [!-|~]{1,9})*)?`)
		g.Comment = comment.Draw(t, "comment")
		for i := range g.Moves {
			if rapid.IntRange(0, 9).Draw(t, "commented") == 0 {
				g.Moves[i].Comment = comment.Draw(t, "comment")
			}
		}
		back, text := writeAndRead(t, g)
		if g.Number, g.Line = 1, 1; !cmp.Equal(g, back) {
			t.Fatalf("%s\n%s", text, cmp.Diff(g, back))
		}
		played, err := notation.Replay(v, engine.Basic, back)
		if err != nil || played.Illegal != nil || played.Start != start || len(played.Moves) != len(moves) {
			t.Fatalf("%v %+v\n%s", err, played, text)
		}
		for i, m := range played.Moves {
			if !m.Same(moves[i]) {
				t.Fatalf("ply %d is another move\n%s", i+1, text)
			}
		}
	})
}

// writeAndRead returns the game after a round trip, without line numbers.
func writeAndRead(t interface {
	Helper()
	Fatalf(string, ...any)
}, g *notation.Game,
) (*notation.Game, string) {
	t.Helper()
	var text bytes.Buffer
	if err := notation.Write(&text, g); err != nil {
		t.Fatalf("%v", err)
	}
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "[") && strings.Contains(line, " ") && utf8.RuneCountInString(line) > 80 {
			t.Fatalf("a line has more than 80 characters: %s", line)
		}
	}
	r := notation.NewReader(iotest.OneByteReader(bytes.NewReader(text.Bytes())))
	back, err := r.Next()
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if _, err := r.Next(); err != io.EOF {
		t.Fatalf("something follows the game: %v\n%s", err, text.String())
	}
	for i := range back.Moves {
		back.Moves[i].Line = 0
	}
	return back, text.String()
}

// TestPositionRoundTrip protects that FEN and runs keep all of a position but
// its clocks.
func TestPositionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(variants.All()).Draw(t, "variant")
		want, _ := randomGame(t, v)
		got, err := notation.ParseFEN(v, notation.FormatFEN(v, &want))
		if err == nil {
			err = notation.ParseRuns(v, &got, []byte(notation.FormatRuns(v, &want)))
		}
		if err != nil || got != want {
			t.Fatalf("%s: %v", notation.FormatFEN(v, &want), err)
		}
	})
}

// TestWriteGolden protects the look of the strict form.
func TestWriteGolden(t *testing.T) {
	v := byName(t, "russian")
	p, err := notation.ParseFEN(v, "B:Wa1:Bh6,c7")
	if err != nil {
		t.Fatal(err)
	}
	start := p
	var moves []engine.Move
	for _, text := range []string{"c7-b6", "a1-b2", "h6-g5"} {
		legal := v.Generate(&p, nil)
		m, err := notation.ParseMove(v, &p, legal, text)
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
		p = p.Make(m)
	}
	g, err := notation.NewGame(v, start, moves, engine.Draw, notation.Tag{Name: "Event", Value: `a "b" \`})
	if err != nil {
		t.Fatal(err)
	}
	g.Moves[1].Comment = "agreed;  a (comment) that is so long that the line must be broken before its end"
	var out bytes.Buffer
	if err := notation.Write(&out, g); err != nil {
		t.Fatal(err)
	}
	want := `[Event "a \"b\" \\"]
[GameType "25"]
[Result "1/2-1/2"]
[FEN "B:Wa1:Bc7,h6"]

1... c7-b6 2. a1-b2 {agreed; a (comment) that is so long that the line must be
broken before its end} 2... h6-g5 1/2-1/2

`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestWriteRefuses protects that nothing is written that would be read back
// as something else.
func TestWriteRefuses(t *testing.T) {
	for name, g := range map[string]*notation.Game{
		"tag name":          {Tags: []notation.Tag{{Name: "My Tag"}}},
		"no tag name":       {Tags: []notation.Tag{{}}},
		"line break in tag": {Tags: []notation.Tag{{Name: "A", Value: "x\ny"}}},
		"tag twice":         {Tags: []notation.Tag{{Name: "A"}, {Name: "A"}}},
		"tag not UTF-8":     {Tags: []notation.Tag{{Name: "A", Value: "\xff"}}},
		"brace":             {Comment: "a } b"},
		"brace in a move's": {Moves: []notation.MoveText{{Text: "c3-d4", Comment: "}"}}},
		"two words":         {Moves: []notation.MoveText{{Text: "c3 d4"}}},
		"result as move":    {Moves: []notation.MoveText{{Text: "1-0"}}},
		"number as move":    {Moves: []notation.MoveText{{Text: "12.c3-d4"}}},
		"empty move":        {Moves: []notation.MoveText{{}}},
		"bracket in move":   {Moves: []notation.MoveText{{Text: "c3[d4"}}},
	} {
		if err := notation.Write(io.Discard, g); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

// TestWriteResult protects that tag and text agree whatever the game says.
func TestWriteResult(t *testing.T) {
	g := &notation.Game{
		Tags:   []notation.Tag{{Name: "Result", Value: "2-0"}},
		Moves:  []notation.MoveText{{Text: "c3-d4"}},
		Result: "0-1",
	}
	back, _ := writeAndRead(t, g)
	if back.Tag("Result") != "*" || back.Result != "*" {
		t.Errorf("a contradiction is written as %q and %q", back.Tag("Result"), back.Result)
	}
	if g.Tags[0].Value != "2-0" {
		t.Error("Write changed the game")
	}
	g.Tags[0].Value = "0-2"
	if back, _ = writeAndRead(t, g); back.Tag("Result") != "0-1" || back.Result != "0-1" {
		t.Errorf("0-2 is written as %q and %q", back.Tag("Result"), back.Result)
	}
}

// TestNewGameRefuses protects the writer from games that are no games.
func TestNewGameRefuses(t *testing.T) {
	v := byName(t, "croda")
	m := v.Generate(&v.Start, nil)[0]
	if _, err := notation.NewGame(v, v.Start, []engine.Move{m, m}, engine.Unfinished); err == nil || !strings.Contains(err.Error(), "ply 2") {
		t.Errorf("an illegal move: %v", err)
	}
}
