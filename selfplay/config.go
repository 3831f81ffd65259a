package selfplay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/search"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// ConfigVersion is the version of the config file this program writes. It reads
// the version before it, too, which knew no endgame tables.
const ConfigVersion = 2

// Config is everything that decides what a run plays. Workers are not in it:
// they change nothing. A run directory keeps it as config.json.
type Config struct {
	// Version is ConfigVersion, or 1 for a run without endgame tables.
	Version int `json:"config_version"`
	// SearchVersion is search.Version of the program that began the run.
	SearchVersion int `json:"search_version"`
	// Variants lists the games, each once, in the order of variants.All.
	Variants []string `json:"variants"`
	// Profile is the rule profile, "basic" or "federation".
	Profile string `json:"profile"`
	// Games is the number of games of each variant.
	Games int64 `json:"games"`
	// Seed is the run seed, from which each game's seed is made.
	Seed uint64 `json:"seed,string"`
	// Player plays both sides.
	Player PlayerConfig `json:"player"`
	// Weights names, by variant, the weights of a search; a random player has
	// none.
	Weights map[string]WeightsRef `json:"weights,omitempty"`
	// TablePieces is the greatest number of pieces in positions that endgame
	// tables decide: the search asks them, and a drawn one ends the game. 0 is
	// none, else 2 to endgame.MaxPieces. With TableWins a won one ends it, too.
	TablePieces int  `json:"table_pieces,omitempty"`
	TableWins   bool `json:"table_wins,omitempty"`
	// RandomPlies is how many random plies follow the opening.
	RandomPlies Range `json:"random_plies"`
	// Openings names, by variant, a file of openings; variants without one
	// begin with the initial position.
	Openings map[string]FileRef `json:"openings,omitempty"`
	// OpeningPlies is how many plies of a PDN game are its opening; 0 is all.
	OpeningPlies int `json:"opening_plies,omitempty"`
	// GamesPerOpening is how many games in a row begin with the same opening
	// of a file.
	GamesPerOpening int64 `json:"games_per_opening"`
	// MaxPlies is after how many plies, those of the opening included, a game
	// is stopped without an outcome.
	MaxPlies int `json:"max_plies"`
	// ShardGames is the number of games in a shard; the last may hold fewer.
	ShardGames int64 `json:"shard_games"`
}

// FileRef is a file the games depend on: its name without directories, and the
// SHA-256 of its bytes in hexadecimal.
type FileRef struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// WeightsRef names evaluation weights: "default" or a file's name without
// directories, and the hash of eval.Weights.
type WeightsRef struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// Limits of a Config that no sensible run comes near; they keep a slip of the
// hand from filling a disk or a memory.
const (
	maxGames      = 1 << 40
	maxShards     = 1 << 20
	maxShardGames = 1 << 20
	maxPliesLimit = 10000
	maxConfigFile = 1 << 20 // bytes
)

// DefaultConfig returns the settings that stand where nothing else is asked
// for; variants, games, a limit for the player and a seed are missing.
func DefaultConfig() Config {
	return Config{
		Version:         ConfigVersion,
		SearchVersion:   search.Version,
		Profile:         engine.Basic.String(),
		Player:          PlayerConfig{Kind: Search, HashEntries: DefaultHashEntries},
		TablePieces:     endgame.DefaultPieces,
		RandomPlies:     Range{Min: 6, Max: 10},
		GamesPerOpening: 1,
		MaxPlies:        300,
		ShardGames:      2000,
	}
}

// playable reports why this program cannot play the games of the settings, in
// one line. What was played can be read and verified nevertheless.
func (c *Config) playable() error {
	if c.SearchVersion != search.Version {
		return fmt.Errorf("search version %d: the search of this program is version %d and plays other games: use the draughtlab that began the run", c.SearchVersion, search.Version)
	}
	return c.Validate()
}

// Validate reports the first thing wrong with the settings, in one line.
func (c *Config) Validate() error {
	if c.Version < 1 || c.Version > ConfigVersion {
		return fmt.Errorf("config version %d: this program knows versions up to %d", c.Version, ConfigVersion)
	}
	if err := c.validateTables(); err != nil {
		return err
	}
	if err := c.validateVariants(); err != nil {
		return err
	}
	if _, err := engine.ParseProfile(c.Profile); err != nil {
		return err
	}
	if err := c.Player.Validate(); err != nil {
		return err
	}
	if err := c.validateFiles(); err != nil {
		return err
	}
	r := c.RandomPlies
	switch {
	case c.Games < 1 || c.Games > maxGames:
		return fmt.Errorf("%d games a variant: it takes 1 to %d", c.Games, int64(maxGames))
	case c.MaxPlies < 1 || c.MaxPlies > maxPliesLimit:
		return fmt.Errorf("a limit of %d plies a game: it takes 1 to %d", c.MaxPlies, maxPliesLimit)
	case r.Min < 0 || r.Max < r.Min:
		return fmt.Errorf("random plies from %d to %d: it takes a range from a smaller to a greater number, 0 or more", r.Min, r.Max)
	case c.Games > 1 && r.Max == 0 && len(c.Openings) == 0 && c.Player.Kind == Search:
		return fmt.Errorf("%d games without random plies or openings would all be the same: give one of them", c.Games)
	case r.Max >= c.MaxPlies:
		return fmt.Errorf("%d random plies leave nothing to play in games of at most %d plies", r.Max, c.MaxPlies)
	case c.GamesPerOpening < 1:
		return fmt.Errorf("%d games an opening: it takes 1 or more", c.GamesPerOpening)
	case c.GamesPerOpening > 1 && len(c.Openings) == 0:
		return fmt.Errorf("%d games an opening without a file of openings: name one or leave the number out", c.GamesPerOpening)
	case c.OpeningPlies < 0:
		return fmt.Errorf("%d opening plies: it takes 0 (all) or more", c.OpeningPlies)
	case c.OpeningPlies > 0 && len(c.Openings) == 0:
		return fmt.Errorf("%d opening plies without a file of openings: name one or leave the number out", c.OpeningPlies)
	case c.ShardGames < 1 || c.ShardGames > maxShardGames:
		return fmt.Errorf("%d games a shard: it takes 1 to %d", c.ShardGames, maxShardGames)
	case c.Games/c.ShardGames >= maxShards:
		return fmt.Errorf("%d games in shards of %d make more than %d files: let a shard hold more games", c.Games, c.ShardGames, maxShards)
	}
	return nil
}

func (c *Config) validateTables() error {
	n := c.TablePieces
	switch {
	case n != 0 && (n < 2 || n > endgame.MaxPieces):
		return fmt.Errorf("endgame tables of %d pieces: it takes 0 (none) or 2 to %d", n, endgame.MaxPieces)
	case n == 0 && c.TableWins:
		return errors.New("games to be ended where endgame tables say who wins, but no tables: ask for both or none")
	case n != 0 && c.Version == 1:
		return errors.New("endgame tables in a config of version 1, which has none")
	}
	return nil
}

// Engine returns the text that names the player and its tables in a dataset, for
// example "alphabeta nodes=1000 tables=3".
func (c *Config) Engine() string {
	if c.TablePieces == 0 {
		return c.Player.String()
	}
	return fmt.Sprintf("%s tables=%d", c.Player, c.TablePieces)
}

func (c *Config) validateVariants() error {
	if len(c.Variants) == 0 {
		return fmt.Errorf("no variant: name at least one of %s", strings.Join(variants.Names(), ", "))
	}
	for _, name := range c.Variants {
		if _, err := variants.ByName(name); err != nil {
			return err
		}
	}
	ordered, err := OrderVariants(c.Variants)
	if err != nil {
		return err
	}
	if !slices.Equal(ordered, c.Variants) {
		return fmt.Errorf("variants %s are not in the order %s", strings.Join(c.Variants, ","), strings.Join(ordered, ","))
	}
	return nil
}

// validateFiles checks that openings and weights fit variants and player.
func (c *Config) validateFiles() error {
	for _, name := range slices.Sorted(maps.Keys(c.Openings)) {
		if !slices.Contains(c.Variants, name) {
			return fmt.Errorf("openings for %s, which is not played", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Weights)) {
		if !slices.Contains(c.Variants, name) {
			return fmt.Errorf("weights for %s, which is not played", name)
		}
		if c.Player.Kind == Random {
			return fmt.Errorf("weights for %s, but a random player has none: leave them out", name)
		}
	}
	if c.Player.Kind == Search && len(c.Weights) != len(c.Variants) {
		return fmt.Errorf("a search needs weights for each variant, %d of %d are named", len(c.Weights), len(c.Variants))
	}
	return nil
}

// SharesGames returns the variants of which two runs play the same games: their
// settings differ at most in how many, in the shards, and in other variants.
func (c *Config) SharesGames(other *Config) []string {
	only := func(c *Config, name string) []byte {
		one := *c
		one.Variants, one.Games, one.ShardGames = []string{name}, 0, 0
		one.Weights = map[string]WeightsRef{name: c.Weights[name]}
		one.Openings = map[string]FileRef{name: c.Openings[name]}
		return one.Text()
	}
	var shared []string
	for _, name := range c.Variants {
		if slices.Contains(other.Variants, name) && bytes.Equal(only(c, name), only(other, name)) {
			shared = append(shared, name)
		}
	}
	return shared
}

// OrderVariants returns the named games in the order of variants.All; an
// unknown name or one given twice is an error.
func OrderVariants(names []string) ([]string, error) {
	var ordered []string
	for _, name := range variants.Names() {
		if slices.Contains(names, name) {
			ordered = append(ordered, name)
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		if _, err := variants.ByName(name); err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, fmt.Errorf("variant %s is named twice", name)
		}
		seen[name] = true
	}
	return ordered, nil
}

// Text returns the config as it is saved: the same settings give the same
// bytes.
func (c *Config) Text() []byte {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		panic(err) // plain numbers and strings
	}
	return append(text, '\n')
}

// Hash returns the SHA-256 of Text in hexadecimal.
func (c *Config) Hash() string {
	sum := sha256.Sum256(c.Text())
	return hex.EncodeToString(sum[:])
}

// ReadConfig reads the config of a run directory.
func ReadConfig(dir string) (Config, error) {
	path := dataset.Join(dir, dataset.ConfigFile)
	text, err := dataset.ReadFile(path, maxConfigFile)
	if err != nil {
		return Config{}, err
	}
	return ParseConfig(path, text)
}

// ParseConfig reads the text of the config file at path, which errors name.
func ParseConfig(path string, text []byte) (Config, error) {
	var version struct {
		Version int `json:"config_version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return Config{}, damagedConfig(path, err)
	}
	if version.Version < 1 || version.Version > ConfigVersion {
		return Config{}, fmt.Errorf("%s: config version %d: this program knows versions up to %d", path, version.Version, ConfigVersion)
	}
	var c Config
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Config{}, damagedConfig(path, err)
	}
	if err := c.Validate(); err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// damagedConfig says where the text of a config file can be had again.
func damagedConfig(path string, err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		err = fmt.Errorf("%s cannot be a %s", kind.Field, kind.Value)
	}
	return fmt.Errorf("%s: damaged: %w; put its text back, which the %s of a complete run ends with, or choose another directory", path, err, dataset.CardFile)
}

// Claim makes dir the directory of this run: it saves the config there, or
// finds the same one. A directory with another run's config, or with data and
// no config, is refused.
func (c *Config) Claim(dir string) error {
	if err := dataset.MakeDir(dir); err != nil {
		return err
	}
	path := dataset.Join(dir, dataset.ConfigFile)
	there, err := dataset.ReadFile(path, maxConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		for _, name := range []string{string(dataset.GamesTable), string(dataset.PositionsTable), dataset.ManifestFile, dataset.CardFile} {
			held, err := dataset.Holds(dir, name)
			if err != nil {
				return err
			}
			if held {
				return fmt.Errorf("%s holds %s but no %[3]s: put that back, or choose another directory", dir, name, dataset.ConfigFile)
			}
		}
		if err = createFile(path, c.Text()); err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		there, err = dataset.ReadFile(path, maxConfigFile) // another process was faster
	}
	if err != nil {
		return err
	}
	if bytes.Equal(there, c.Text()) {
		return nil
	}
	other, err := ParseConfig(path, there)
	if err != nil {
		return err
	}
	if err := other.playable(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	advice := "choose another directory"
	if len(c.SharesGames(&other)) > 0 {
		advice += ", and another --seed, or its first games are these again"
	}
	return fmt.Errorf("%s is another run's: %s; %s", dir, firstDifference(there, c.Text()), advice)
}

// firstDifference names the first key, in alphabetical order, in which two
// configs differ.
func firstDifference(there, here []byte) string {
	a, b := flatten(there), flatten(here)
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if a[k] != b[k] {
			return fmt.Sprintf("its %s has %s = %s, not %s", dataset.ConfigFile, k, orNone(a[k]), orNone(b[k]))
		}
	}
	return "its " + dataset.ConfigFile + " was edited"
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// flatten returns the leaves of a JSON object by their dotted keys, as JSON.
func flatten(text []byte) map[string]string {
	out := map[string]string{}
	var walk func(prefix string, raw json.RawMessage)
	walk = func(prefix string, raw json.RawMessage) {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) == nil && object != nil {
			for k, v := range object {
				walk(prefix+"."+k, v)
			}
			return
		}
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			out[strings.TrimPrefix(prefix, ".")] = compact.String()
		}
	}
	walk("", text)
	return out
}

// createFile writes a file that must not exist yet, whole or not at all.
func createFile(path string, data []byte) error {
	f, err := dataset.CreatePending(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.CommitNew()
}
