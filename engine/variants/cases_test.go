package variants_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// ruleCase is a line of cases.jsonl: a fault once reported against another
// program.
type ruleCase struct {
	ID, Variant, Source, Symptom string
	Input                        struct {
		FEN      string
		KingRuns string `json:"king_runs"` // "W=37:3"
		Line     string
		Apply    []string
		Counter  string
	}
	Expected struct {
		Legal         []string
		Count         int
		DistinctPaths int      `json:"distinct_paths"`
		PerftMerged   []uint64 `json:"perft_merged"`
		PerftPaths    []uint64 `json:"perft_paths"`
	}
}

// byHand are the cases that are no list of moves; each has a test of its own,
// named here.
var byHand = map[string]string{
	"rus-perft":                   "TestPerftCase",
	"fri-ban-counter-resets":      "engine/frisian TestF9",
	"fri-2v1-seven-moves":         "engine/frisian TestF10",
	"any-push-twice":              "TestPlayTwice",
	"any-fen-man-on-crown-row":    "TestManOnCrown",
	"rus-partial-capture-history": "TestWholeCapture",
	"rus-15-moves-plies":          "engine/russian TestR9",
}

// unchecked are cases whose positions only a generator can be asked about:
// they have a man on its crowning rank.
var unchecked = map[string]bool{"fri-edge-horizontal": true, "fri-edge-horizontal-no": true}

// writtenAs returns the text among texts that is one of the ways of making m.
// The cases choose among them by no rule.
func writtenAs(v *engine.Variant, p *engine.Position, m engine.Move, texts []string) (out string) {
	v.Routes(p, m, func(route []engine.Square) bool {
		var names []string
		for _, s := range route {
			names = append(names, v.Board.Name(s))
		}
		name := strings.Join(names, "-")
		if m.IsCapture() {
			name = strings.Join(names, "x")
		}
		if m.Promotes() {
			name += " =K"
		}
		if slices.Contains(texts, name) {
			out = name
		}
		return out == ""
	})
	return out
}

func ruleCases(t *testing.T) []ruleCase {
	f, err := os.Open("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []ruleCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c ruleCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("cases.jsonl:%d: %v", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases
}

// TestCases protects against faults that other programs had.
func TestCases(t *testing.T) {
	cases := ruleCases(t)
	if len(cases) != 42 {
		t.Fatalf("%d cases, want 42", len(cases))
	}
	for _, c := range cases {
		if byHand[c.ID] != "" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			v := byName(t, c.Variant)
			p, err := parseFEN(v, c.Input.FEN)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.Check(&p); err != nil && !unchecked[c.ID] {
				t.Fatal(err)
			}
			if side, run, ok := strings.Cut(c.Input.KingRuns, "="); ok {
				var square, n int
				if _, err := fmt.Sscanf(run, "%d:%d", &square, &n); err != nil {
					t.Fatal(err)
				}
				runs{side: {square, n}}.set(t, v, &p)
			}
			moves := legal(v, &p)
			if len(moves) != c.Expected.Count || len(moves) != len(c.Expected.Legal) {
				t.Errorf("%s: %d moves, want %d", c.Input.FEN, len(moves), c.Expected.Count)
			}
			found := map[string]bool{}
			for _, m := range moves {
				found[writtenAs(v, &p, m, c.Expected.Legal)] = true
			}
			for _, want := range c.Expected.Legal {
				if !found[want] {
					t.Errorf("%s: no move %s", c.Input.FEN, want)
				}
			}
			if paths, _ := compare(t, v, &p, moves, 1<<40); c.Expected.DistinctPaths != 0 && paths != c.Expected.DistinctPaths {
				t.Errorf("%s: %d paths, want %d", c.Input.FEN, paths, c.Expected.DistinctPaths)
			}
		})
	}
}

// TestPerftCase is rus-perft: merged moves and distinct paths differ from
// depth 8 on.
func TestPerftCase(t *testing.T) {
	for _, c := range ruleCases(t) {
		if c.ID != "rus-perft" {
			continue
		}
		v := byName(t, c.Variant)
		start := v.Start
		for i, want := range c.Expected.PerftMerged {
			if got := engine.Perft(v, &start, i+1, true, nil); got != want {
				t.Errorf("depth %d: %d moves, want %d", i+1, got, want)
			}
		}
		for i, want := range c.Expected.PerftPaths[:4] {
			if got := slowPerft(v, start, i+1); got != want {
				t.Errorf("depth %d: %d paths, want %d", i+1, got, want)
			}
		}
	}
}

// TestPlayTwice is any-push-twice: a move that is not legal any more is an
// error and changes nothing.
func TestPlayTwice(t *testing.T) {
	v := byName(t, "frisian")
	g := engine.NewGame(v, engine.Basic, mustFEN(t, v, "W:WK2,25:B14,15,16"), 0)
	m := g.Legal()[0]
	if err := g.Play(m); err != nil {
		t.Fatal(err)
	}
	before, key := g.Position(), len(g.Keys())
	if err := g.Play(m); err == nil {
		t.Error("the same move was played twice")
	}
	if g.Position() != before || len(g.Moves()) != 1 || len(g.Keys()) != key {
		t.Error("a refused move changed the game")
	}
}

// TestManOnCrown is any-fen-man-on-crown-row: such a position is refused, a
// man on the opponent's crowning rank is not.
func TestManOnCrown(t *testing.T) {
	v := byName(t, "frisian")
	if _, err := readFEN(v, "W:W4:B49"); err == nil || !strings.Contains(err.Error(), "crowning rank: 4") {
		t.Errorf("W:W4:B49: error %v, want one that names square 4", err)
	}
	mustFEN(t, v, "W:W49:B4")
	for _, v := range variants.All() {
		for c := range engine.Color(2) {
			for _, s := range v.Board.Squares() {
				p := engine.Position{State: engine.ToMove(c)}
				p.Pieces[c] = s.Bit()
				if got := v.Check(&p) != nil; got != (v.Board.Crown[c]&s.Bit() != 0) {
					t.Errorf("%s man of %s on %s: refused %v", v.Name, c, v.Board.Name(s), got)
				}
			}
		}
	}
}

// TestWholeCapture is rus-partial-capture-history: a capture of four jumps is
// one move; history, clocks and side to move change once.
func TestWholeCapture(t *testing.T) {
	v := byName(t, "russian")
	g := engine.NewGame(v, engine.Basic, mustFEN(t, v, "W:We3:Bd4,d6,f6,f4,a7"), 0)
	if len(g.Legal()) != 1 {
		t.Fatalf("%d moves, want one", len(g.Legal()))
	}
	m := g.Legal()[0]
	for _, hop := range []string{"g5", "c5"} {
		to, err := v.Board.Parse(hop)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Play(engine.NewMove(m.From(), to, m.Captured&-m.Captured, engine.ManCaptures)); err == nil {
			t.Errorf("the hop to %s was accepted alone", hop)
		}
	}
	if err := g.Play(m); err != nil {
		t.Fatal(err)
	}
	p := g.Position()
	if len(g.Moves()) != 1 || len(g.Keys()) != 2 || p.Side() != engine.Black || p.SinceChange() != 0 || p.SinceMan() != 0 || p.Count() != 2 {
		t.Errorf("after one capture: %d moves, %d keys, position %+v", len(g.Moves()), len(g.Keys()), p)
	}
}
