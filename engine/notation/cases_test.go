package notation_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
)

// notationCase is a row of testdata/cases.jsonl: a fault of other programs that
// was reported in public, with the text that showed it.
type notationCase struct{ ID, Variant, Input string }

// fen reads a case's FEN and returns its strict form, "" if it is refused.
func (c notationCase) fen(t *testing.T, text string) string {
	v := byName(t, c.Variant)
	p, err := notation.ParseFEN(v, text)
	if err != nil {
		return ""
	}
	return notation.FormatFEN(v, &p)
}

// replay reads the case's only game and replays it; all moves must be legal.
func (c notationCase) replay(t *testing.T) (*notation.Game, *notation.Replayed) {
	t.Helper()
	if c.Variant == "any" {
		c.Variant = "russian"
		if strings.Contains(c.Input, "31-26") {
			c.Variant = "frisian"
		}
	}
	games := readAll(t, strings.NewReader(c.Input))
	if len(games) != 1 {
		t.Fatalf("%d games", len(games))
	}
	out, err := notation.Replay(byName(t, c.Variant), engine.Basic, games[0])
	if err != nil || out.Illegal != nil {
		t.Fatalf("%v %+v", err, out.Illegal)
	}
	return games[0], out
}

// strict returns the moves played in strict text.
func strict(v *engine.Variant, r *notation.Replayed) string {
	var texts []string
	p := r.Start
	for _, m := range r.Moves {
		texts = append(texts, notation.FormatMove(v, &p, m, v.Generate(&p, nil)))
		p = p.Make(m)
	}
	return strings.Join(texts, " ")
}

// TestCases protects against the faults collected in testdata/cases.jsonl; each
// row must have its check here.
func TestCases(t *testing.T) {
	f, err := os.Open("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		var c notationCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			if strings.HasPrefix(c.ID, "fen-") {
				checkFENCase(t, c)
			} else {
				checkPDNCase(t, c)
			}
		})
	}
	if n != 17 {
		t.Errorf("%d cases, want 17", n)
	}
}

func checkPDNCase(t *testing.T, c notationCase) {
	check := func(ok bool, got any) {
		t.Helper()
		if !ok {
			t.Errorf("got %v", got)
		}
	}
	switch c.ID {
	case "pdn-placeholder-moves":
		g, _ := c.replay(t)
		check(len(g.Moves) == 0 && g.Unrecorded == 6 && g.Outcome() == engine.Unfinished, g)
	case "pdn-upper-case-dash-capture":
		_, out := c.replay(t)
		v := byName(t, c.Variant)
		got := strict(v, out)
		check(got == "c3-b4 d6-e5 g3-f4 e5xg3 h2xf4 f6-e5", got)
		fen := notation.FormatFEN(v, &out.Final)
		check(strings.HasPrefix(fen, "W:Wa1,a3,b2,b4,c1,d2,e1,e3,f2,f4,g1:B") && out.Final.Count() == 22, fen)
	case "pdn-zero-padded":
		_, out := c.replay(t)
		got := strict(byName(t, c.Variant), out)
		check(len(out.Moves) == 12 && strings.HasSuffix(got, "12x41 46x37 7-12"), got)
	case "pdn-result-or-move":
		g, out := c.replay(t)
		check(len(out.Moves) == 2 && g.Result == "1-1" && g.Outcome() == engine.Draw, g)
	case "pdn-star-forced":
		g, out := c.replay(t)
		check(len(out.Moves) == 3 && g.Result == "*", g)
	case "pdn-header-only-games":
		games := readAll(t, strings.NewReader(c.Input))
		check(len(games) == 2 && len(games[0].Moves) == 0 && games[0].Outcome() == engine.Unfinished &&
			len(games[1].Moves) == 2 && games[1].Outcome() == engine.WhiteWins, games)
	case "pdn-result-mismatch":
		g, _ := c.replay(t)
		check(g.Outcome() == engine.Unfinished, g)
	case "pdn-tag-forms":
		g, _ := c.replay(t)
		want := []notation.Tag{{Name: "Event", Value: `a "b"`}, {Name: "Date", Value: "1950."}, {Name: "Round"}}
		check(slices.Equal(g.Tags, want), g.Tags)
	case "pdn-times-sign":
		_, out := c.replay(t)
		got := strict(byName(t, c.Variant), out)
		check(strings.HasSuffix(got, "32-27 17x37 41x32"), got)
	case "pdn-long-capture-man":
		checkLongCapture(t)
	case "pdn-no-separator":
		_, out := c.replay(t)
		got := strict(byName(t, c.Variant), out)
		check(got == "a3-b4 b6-a5", got)
	default:
		t.Error("this case has no check")
	}
}

// checkLongCapture plays the case pdn-long-capture-man, whose input is prose.
func checkLongCapture(t *testing.T) {
	v := byName(t, "frisian")
	g := readAll(t, strings.NewReader("33-29 17-21 29-23 13x33 38x29 12-17 32-27 21x32 *"))[0]
	out, err := notation.Replay(v, engine.Basic, g)
	if err != nil || out.Illegal != nil {
		t.Fatalf("%v %+v", err, out.Illegal)
	}
	legal := v.Generate(&out.Final, nil)
	for _, text := range []string{"42x22x13x24", "42x24", "42-22, 22-13, 13-24"} {
		m, err := notation.ParseMove(v, &out.Final, legal, text)
		if err != nil || notation.FullMove(v, &out.Final, m) != "42x22x13x24" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func checkFENCase(t *testing.T, c notationCase) {
	want := map[string][]string{
		"fen-trailing-dot":       {"W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8"},
		"fen-doubled-turn":       {"W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20"},
		"fen-empty-side":         {"B:W50:B", "W:W:BK47"},
		"fen-extra-fields":       {"W:W18,K37:BK35"},
		"fen-colon-after-colour": {""},
		"fen-numeric-in-algebraic-variant": {
			"B:Wa1,b2,b4,e3,f2,f4,h6:Bb8,c5,d6,e7,f6,f8,g7,h8,Ka5", "",
		},
	}[c.ID]
	text := strings.TrimSuffix(strings.TrimPrefix(c.Input, `[FEN "`), `"]`)
	inputs := strings.Split(text, " | ")
	if len(inputs) != len(want) {
		t.Fatalf("%d inputs, %d checks", len(inputs), len(want))
	}
	for i, input := range inputs {
		if got := c.fen(t, input); got != want[i] {
			t.Errorf("%s is read as %q, want %q", input, got, want[i])
		}
	}
}
