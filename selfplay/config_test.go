package selfplay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// randomConfig is a run of random players without endgame tables, the fastest
// there is.
func randomConfig(games int64, names ...string) Config {
	c := DefaultConfig()
	c.Variants, c.Games, c.Seed = names, games, 1
	c.Player = PlayerConfig{Kind: Random}
	c.ShardGames, c.TablePieces = 25, 0
	return c
}

// Protects the saved form, and with it the config hash in every file: a change
// here makes old runs impossible to go on with.
func TestConfigText(t *testing.T) {
	c := randomConfig(100, "croda")
	c.Seed = 1<<64 - 1
	c.Openings = map[string]FileRef{"croda": {Name: "a.fen", SHA256: "00"}}
	c.SearchVersion, c.TablePieces, c.TableWins = 7, 3, true
	const want = `{
  "config_version": 2,
  "search_version": 7,
  "variants": [
    "croda"
  ],
  "profile": "basic",
  "games": 100,
  "seed": "18446744073709551615",
  "player": {
    "kind": "random",
    "nodes": 0,
    "depth": 0,
    "hash_entries": 0
  },
  "table_pieces": 3,
  "table_wins": true,
  "random_plies": {
    "min": 6,
    "max": 10
  },
  "openings": {
    "croda": {
      "name": "a.fen",
      "sha256": "00"
    }
  },
  "games_per_opening": 1,
  "max_plies": 300,
  "shard_games": 25
}
`
	if diff := cmp.Diff(want, string(c.Text())); diff != "" {
		t.Error(diff)
	}
	back, err := ParseConfig("config.json", c.Text())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, back); diff != "" {
		t.Error(diff)
	}
}

// Protects the user from runs that cannot be what was meant: each mistake is
// told in one line that names it.
func TestConfigValidate(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(*Config)
	}{
		{"config version 3", func(c *Config) { c.Version = 3 }},
		{"config version 0", func(c *Config) { c.Version = 0 }},
		{"a config of version 1", func(c *Config) { c.Version, c.TablePieces = 1, 3 }},
		{"tables of 1 pieces", func(c *Config) { c.TablePieces = 1 }},
		{"tables of 7 pieces", func(c *Config) { c.TablePieces = 7 }},
		{"but no tables", func(c *Config) { c.TablePieces, c.TableWins = 0, true }},
		{"no variant", func(c *Config) { c.Variants = nil }},
		{`unknown variant "chess": use croda, russian, frisian`, func(c *Config) { c.Variants = []string{"chess"} }},
		{"named twice", func(c *Config) { c.Variants = []string{"croda", "croda"} }},
		{"not in the order", func(c *Config) { c.Variants = []string{"russian", "croda"} }},
		{"profile", func(c *Config) { c.Profile = "club" }},
		{"0 games a variant", func(c *Config) { c.Games = 0 }},
		{"-1 games a variant", func(c *Config) { c.Games = -1 }},
		{"unknown engine", func(c *Config) { c.Player.Kind = "monte-carlo" }},
		{"random player takes no limit", func(c *Config) { c.Player.Nodes = 100 }},
		{"needs a limit", func(c *Config) { c.Player = PlayerConfig{Kind: Search, HashEntries: 16} }},
		{"depth -1", func(c *Config) { c.Player = PlayerConfig{Kind: Search, HashEntries: 16, Depth: -1} }},
		{"depth 65", func(c *Config) { c.Player = PlayerConfig{Kind: Search, HashEntries: 16, Depth: 65} }},
		{"power of two", func(c *Config) { c.Player = PlayerConfig{Kind: Search, HashEntries: 17, Depth: 1} }},
		{"needs weights", func(c *Config) { c.Player = PlayerConfig{Kind: Search, HashEntries: 16, Depth: 1} }},
		{"weights for croda, but a random player", func(c *Config) { c.Weights = map[string]WeightsRef{"croda": {}} }},
		{"weights for frisian, which is not played", func(c *Config) { c.Weights = map[string]WeightsRef{"frisian": {}} }},
		{"openings for frisian, which is not played", func(c *Config) { c.Openings = map[string]FileRef{"frisian": {}} }},
		{"limit of 0 plies", func(c *Config) { c.MaxPlies = 0 }},
		{"random plies from 8 to 4", func(c *Config) { c.RandomPlies = Range{8, 4} }},
		{"random plies from -1", func(c *Config) { c.RandomPlies = Range{-1, 4} }},
		{"leave nothing to play", func(c *Config) { c.MaxPlies = 8 }},
		{"0 games an opening", func(c *Config) { c.GamesPerOpening = 0 }},
		{"without a file of openings", func(c *Config) { c.GamesPerOpening = 2 }},
		{"without a file of openings", func(c *Config) { c.OpeningPlies = 2 }},
		{"0 games a shard", func(c *Config) { c.ShardGames = 0 }},
		{"make more than", func(c *Config) { c.Games = 1 << 39 }},
		{"would all be the same", func(c *Config) {
			c.Player, c.RandomPlies = PlayerConfig{Kind: Search, HashEntries: 16, Depth: 1}, Range{}
			c.Weights = map[string]WeightsRef{"croda": {}}
		}},
	} {
		cfg := randomConfig(10, "croda")
		if err := cfg.Validate(); err != nil {
			t.Fatal(err)
		}
		c.spoil(&cfg)
		err := cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// Protects a run from being mixed with another: the directory is refused, the
// message names the setting that differs, and nothing is changed.
func TestClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	cfg := randomConfig(10, "croda", "frisian")
	for range 2 {
		if err := cfg.Claim(dir); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Config){
		`seed = "1", not "2"`:                             func(c *Config) { c.Seed = 2 },
		`random_plies.max = 10, not 9`:                    func(c *Config) { c.RandomPlies.Max = 9 },
		`variants = ["croda","frisian"], not ["frisian"]`: func(c *Config) { c.Variants = []string{"frisian"} },
		`openings.croda.name = none, not "x.fen"`:         func(c *Config) { c.Openings = map[string]FileRef{"croda": {"x.fen", "0"}} },
	} {
		other := cfg
		change(&other)
		if err := other.Claim(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("error %v, want one with %s", err, want)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the config was changed (%v)", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("files were left: %v", files)
	}
}

// Protects data whose config is lost or damaged from being written over.
func TestClaimRefuses(t *testing.T) {
	cfg := randomConfig(10, "croda")
	for want, prepare := range map[string]func(dir string) error{
		"holds games but no config.json": func(dir string) error { return os.Mkdir(filepath.Join(dir, "games"), 0o755) },
		"holds DATASET.md but no config.json": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "DATASET.md"), []byte("mine"), 0o644)
		},
		"put its text back": func(dir string) error { return write(dir, "") },
		"games cannot be a string": func(dir string) error {
			return write(dir, strings.Replace(string(cfg.Text()), `"games": 10`, `"games": "x"`, 1))
		},
		"longer than":      func(dir string) error { return write(dir, strings.Repeat(" ", maxConfigFile+1)) },
		"config version 7": func(dir string) error { return write(dir, `{"config_version": 7}`) },
		"unexpected end":   func(dir string) error { return write(dir, string(cfg.Text()[:40])) },
		"unknown field":    func(dir string) error { return write(dir, `{"config_version": 1, "colour": 1}`) },
		"was edited":       func(dir string) error { return write(dir, string(cfg.Text())+"\n") },
		"is a directory":   func(dir string) error { return os.Mkdir(filepath.Join(dir, "config.json"), 0o755) },
	} {
		dir := t.TempDir()
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		if err := cfg.Claim(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cfg.Claim(filepath.Join(file, "run")); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a directory below a file: error %v", err)
	}
}

func write(dir, text string) error {
	return os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o644)
}

// Protects the plan: every game of every variant is in exactly one shard, and
// the last shard may be short.
func TestPlan(t *testing.T) {
	cfg := randomConfig(60, "croda", "russian")
	want := []Shard{
		{"croda", 0, 0, 25},
		{"croda", 1, 25, 50},
		{"croda", 2, 50, 60},
		{"russian", 0, 0, 25},
		{"russian", 1, 25, 50},
		{"russian", 2, 50, 60},
	}
	if diff := cmp.Diff(want, cfg.Plan()); diff != "" {
		t.Error(diff)
	}
}

// Protects what datasets say of their players.
func TestPlayerString(t *testing.T) {
	for want, c := range map[string]PlayerConfig{
		"random":                    {Kind: Random},
		"alphabeta nodes=1000":      {Kind: Search, Nodes: 1000},
		"alphabeta depth=7":         {Kind: Search, Depth: 7},
		"alphabeta nodes=5 depth=3": {Kind: Search, Nodes: 5, Depth: 3},
	} {
		if got := c.String(); got != want {
			t.Errorf("%+v is %q, want %q", c, got, want)
		}
	}
}
