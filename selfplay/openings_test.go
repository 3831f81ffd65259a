package selfplay

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"draughtlab/engine"
	"draughtlab/engine/notation"
	"draughtlab/engine/variants"
)

func variant(t *testing.T, name string) *engine.Variant {
	t.Helper()
	v, err := variants.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// outline tells an opening as its id, start and moves.
func outline(v *engine.Variant, openings []Opening) []string {
	var out []string
	for _, o := range openings {
		text := o.ID
		if o.Start != v.Start {
			text += " from " + notation.FormatFEN(v, &o.Start)
		}
		p := o.Start
		for _, m := range o.Moves {
			text += " " + notation.FormatMove(v, &p, m, v.Generate(&p, nil))
			p = p.Make(m)
		}
		out = append(out, text)
	}
	return out
}

// Protects the three formats, the order of the openings, and that of openings
// with the same last position only the first is kept.
func TestReadOpenings(t *testing.T) {
	table, err := os.ReadFile("testdata/openings.csv")
	if err != nil {
		t.Fatal(err)
	}
	const pdn = `[GameType "25"]

1. c3-d4 d6-c5 2. b2-c3 *

[GameType "25"]
[FEN "W:Wa1,c3:Bb6,h8."]

1. c3-d4 b6-a5 *

[Event "no game type"]

1. c3-d4 d6-c5 2. d2-c3 *
`
	for _, c := range []struct {
		file, text string
		plies      int
		want       []string
	}{
		{"o.csv", string(table), 0, []string{
			"idf-745 I-1 a3-b4",
			"idf-745 I-4 a3-b4 b6-a5 b2-a3 a7-b6 a1-b2 d6-c5",
			"idf-745 II-2 from W:Wa3,a5,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Bb6,b8,c7,d6,d8,e7,f6,f8,g7,h4,h6,h8",
		}},
		{"o.fen", "# two\nW:Wa1:Bb6\n\nB:Wa1:Bb6\nW:Wa1:Bb6.\n", 0, []string{"line 2 from W:Wa1:Bb6", "line 4 from B:Wa1:Bb6"}},
		{"o.TXT", "\ufeffW:WKa1:Bb6\r\n", 0, []string{"line 1 from W:WKa1:Bb6"}},
		{"o.pdn", pdn, 0, []string{"game 1 c3-d4 d6-c5 b2-c3", "game 2 from W:Wa1,c3:Bb6,h8 c3-d4 b6-a5", "game 3 c3-d4 d6-c5 d2-c3"}},
		{"o.pdn", pdn, 1, []string{"game 1 c3-d4", "game 2 from W:Wa1,c3:Bb6,h8 c3-d4"}},
	} {
		v := variant(t, "russian")
		openings, err := ReadOpenings(v, engine.Basic, c.file, []byte(c.text), c.plies)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if diff := cmp.Diff(c.want, outline(v, openings)); diff != "" {
			t.Errorf("%s, %d plies: %s", c.file, c.plies, diff)
		}
	}
}

// Protects the user: a bad line is named with its file, number and fault, and
// no opening is left out in silence.
func TestBadOpenings(t *testing.T) {
	const header = "id,kind,moves,fen\n"
	for _, c := range []struct{ file, text, want string }{
		{"o.epd", "x", "ends in .pdn"},
		{"o.fen", "# nothing\n", "no opening"},
		{"o.fen", "W:Wa1:Bb6\nW:Wa9:Bb6\n", "o.fen:2: "},
		{"o.fen", "W:Wa1:Bb6\n" + strings.Repeat("x", 70000), "o.fen:2: a line of 70000 bytes is no FEN"},
		{"o.fen", "B:Wa1:B\n", "o.fen:1: opening line 1: the game is over (no-moves)"},
		{"o.csv", "", "header"},
		{"o.csv", "id,moves,fen\n", `no column "kind"`},
		{"o.csv", header + "1,normal,c3-d5,W:Wa1:Bb6\n", "o.csv:2: opening 1, ply 0: "},
		{"o.csv", header + "1,normal,c3-d4,W:Wa1:Bb6\n", "its moves lead to"},
		{"o.csv", header + "1,other,,W:Wa1:Bb6\n", `kind "other"`},
		{"o.csv", header + "1,normal\n", "wrong number of fields"},
		{"o.pdn", "[GameType \"40\"]\n\n1. 31-26 *\n", "a game of frisian, not of russian"},
		{"o.pdn", "[GameType \"25\"]\n\n1. c3-d4 a7-b6 *\n", "ply 1"},
	} {
		_, err := ReadOpenings(variant(t, "russian"), engine.Basic, c.file, []byte(c.text), 0)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file) {
			t.Errorf("%s %q: error %v, want one with %q", c.file, c.text, err, c.want)
		}
	}
}

// The official Russian tables, where they are at hand: 842 different positions
// in 1777 rows.
func TestRussianOpeningTables(t *testing.T) {
	const path = "../../shared/games/russian-openings.csv"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the opening tables are not here: %v", err)
	}
	openings, err := ReadOpenings(variant(t, "russian"), engine.Basic, path, data, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(openings) != 842 || len(rows) != 1778 {
		t.Errorf("%d openings of %d rows, want 842 of 1777", len(openings), len(rows)-1)
	}
}

// openingConfig is a run over a file of openings, with the options to run it.
func openingConfig(t *testing.T, games int64, text string) (Config, Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "o.fen")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ref, err := NewFileRef(path)
	if err != nil {
		t.Fatal(err)
	}
	cfg := randomConfig(games, "russian")
	cfg.RandomPlies = Range{}
	cfg.Openings = map[string]FileRef{"russian": ref}
	return cfg, Options{OpeningPaths: map[string]string{"russian": path}, Workers: 2}
}

const sixOpenings = "W:Wa1,c3:Bb6,h8\nW:Wa1,c3:Bd6,h8\nW:Wa1,c3:Bf6,h8\nW:Wa1,c3:Bh6,h8\nW:Wa1,e3:Bb6,h8\nW:Wa1,e3:Bh6,h8\n"

// Protects the choice of openings: in turn, so many games each, in an order
// that the seed shuffles.
func TestOpeningOrder(t *testing.T) {
	cfg, opt := openingConfig(t, 24, sixOpenings)
	cfg.GamesPerOpening = 2
	order := func(seed uint64) (ids []string) {
		cfg.Seed = seed
		for _, g := range play(t, t.TempDir(), cfg, opt)["russian"] {
			ids = append(ids, g.Opening)
		}
		return ids
	}
	ids := order(1)
	seen := map[string]int{}
	for i, id := range ids {
		if id != ids[i%12] || id != ids[i/2*2] {
			t.Errorf("game %d has %s in %v", i, id, ids)
		}
		seen[id]++
	}
	if len(seen) != 6 {
		t.Errorf("openings used: %v", seen)
	}
	if cmp.Equal(ids, order(2)) {
		t.Errorf("seeds 1 and 2 have the same order %v", ids)
	}
}

// Protects a run whose openings come from a file: it is a function of its
// config, so a file that has changed is refused.
func TestOpeningFileChanged(t *testing.T) {
	cfg, opt := openingConfig(t, 5, sixOpenings)
	if err := os.WriteFile(opt.OpeningPaths["russian"], []byte("W:Wa1:Bb6\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Run(t.Context(), dir, cfg, opt); err == nil || !strings.Contains(err.Error(), "not the file this run began with") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory was made all the same")
	}
}

// Protects statistics from the same game counted many times (case
// st-repeated-openings): a search repeats itself from the same opening.
func TestRepeatedGamesRefused(t *testing.T) {
	cfg, opt := openingConfig(t, 7, sixOpenings)
	cfg.Player = PlayerConfig{Kind: Search, Nodes: 10, HashEntries: 16}
	ref, err := NewWeightsRef(variant(t, "russian"), "")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Weights = map[string]WeightsRef{"russian": ref}
	if _, err := Run(t.Context(), t.TempDir(), cfg, opt); err == nil || !strings.Contains(err.Error(), "would repeat games") {
		t.Errorf("7 games from 6 openings: error %v", err)
	}
	cfg.Games = 6
	if _, err := Run(t.Context(), t.TempDir(), cfg, opt); err != nil {
		t.Error(err)
	}
}

// Protects the promise that an opening leaves a game to play: from here a third
// of the random moves ends the game at once.
func TestRandomPliesAreRedrawn(t *testing.T) {
	cfg, opt := openingConfig(t, 50, "W:Wc3,a1:Bd4,h8\nW:Wg3:Bh6\n")
	cfg.RandomPlies = Range{1, 2}
	for _, g := range play(t, t.TempDir(), cfg, opt)["russian"] {
		if g.Plies <= g.OpeningPlies {
			t.Errorf("game %d from %s: %d plies, %d of them the opening: %s", g.Game, g.StartFEN, g.Plies, g.OpeningPlies, g.Moves)
		}
	}
	cfg, opt = openingConfig(t, 1, "W:Wc3:Bd4\n") // a capture that ends the game is due
	cfg.RandomPlies = Range{1, 1}
	if _, err := Run(t.Context(), t.TempDir(), cfg, opt); err == nil || !strings.Contains(err.Error(), "left a game to play") {
		t.Errorf("error %v", err)
	}
}
