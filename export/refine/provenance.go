package refine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// The files of a training set beside its tables.
const (
	// ProvenanceFile lists every file of the set and says how it was made.
	ProvenanceFile = "provenance.json"
	// CardFile describes the set to its readers.
	CardFile = dataset.CardFile
)

// Provenance says what a training set holds and how it was made. It is a pure
// function of inputs and settings: no date, no host, no path.
type Provenance struct {
	// Schema is the version of the rows.
	Schema int `json:"refined_schema"`
	// Sources are the runs the positions are from; the column source counts
	// them from 0.
	Sources  []Source       `json:"sources"`
	Variants []VariantFiles `json:"variants"`
	// Made is the last step; those before it are in its inputs.
	Made Step `json:"made_by"`
	// Self is the SHA-256 of the text with this field empty.
	Self string `json:"provenance_sha256"`
}

// Source is a run directory that positions are from.
type Source struct {
	// Name is the directory's name, without those above it.
	Name string `json:"name"`
	// Config is the SHA-256 of its config.json: two sources with the same one
	// have the same games.
	Config string `json:"config_sha256"`
	// Manifest is the hash of its manifest, which names the bytes of its files.
	Manifest string `json:"manifest_sha256"`
	// Profile is the profile of the draw articles of its games.
	Profile string `json:"profile"`
	// Engine names the players of its games and their limits.
	Engine string `json:"engine"`
	// FirstGames has, by variant, the hash of the first game: runs of which it is
	// the same have at least that game in common, as a rule all that the shorter
	// one has, since neither the number of games nor that of a shard decides a
	// game. Sets of the first builds have none.
	FirstGames map[string]string `json:"first_games,omitempty"`
}

// firstInCommon returns a variant of which two runs have the same first game; ""
// if there is none.
func (s *Source) firstInCommon(o *Source) string {
	for _, name := range variants.Names() {
		if first := s.FirstGames[name]; first != "" && first == o.FirstGames[name] {
			return name
		}
	}
	return ""
}

// gameHash identifies a game of a run, whatever the run's name and length.
func gameHash(g *dataset.GameRow) string {
	return hexHash(fmt.Appendf(nil, "%d %d %q %q %q %d %q %q", g.Game, g.Seed, g.Profile, g.StartFEN, g.Moves, g.PlyLimit, g.Engine, g.WeightsHash))
}

// VariantFiles are the files of one variant and the sums of their rows.
type VariantFiles struct {
	Variant string `json:"variant"`
	Totals
	Files []File `json:"files"`
}

// File is one file of a training set.
type File struct {
	// File is the path within the directory, with slashes.
	File   string `json:"file"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Totals are the sums of rows.
type Totals struct {
	Rows int64 `json:"rows"`
	// Positions is the sum of count: the positions of games the rows stand for.
	Positions int64 `json:"positions"`
	WhiteWins int64 `json:"white_wins"`
	Draws     int64 `json:"draws"`
	BlackWins int64 `json:"black_wins"`
	Scored    int64 `json:"scored"`
}

func (t *Totals) add(r *Row) {
	t.Rows++
	t.Positions += r.Count
	t.WhiteWins += r.WhiteWins
	t.Draws += r.Draws
	t.BlackWins += r.BlackWins
	t.Scored += r.Scored
}

// Step is one command that made a training set.
type Step struct {
	// Command is sample, dedupe, split or merge.
	Command string `json:"command"`
	// Options are all settings that decide the rows.
	Options json.RawMessage `json:"options"`
	Inputs  []StepInput     `json:"inputs"`
	// Counts has an entry a variant.
	Counts []Counts `json:"counts"`
}

// StepInput is a directory that a step read.
type StepInput struct {
	// Name is the directory's name, without those above it.
	Name string `json:"name"`
	// Run is the hash of the manifest of a run directory; Set is that of the
	// provenance of a training set. The other one is empty.
	Run string `json:"run_manifest_sha256,omitempty"`
	Set string `json:"provenance_sha256,omitempty"`
	// Made is the step that made a training set.
	Made *Step `json:"made_by,omitempty"`
}

// Counts says what became of the rows of one variant in a step.
type Counts struct {
	Variant string `json:"variant"`
	// In and Out are the rows read and written, and the positions of games
	// these stand for.
	In           int64 `json:"rows_in"`
	PositionsIn  int64 `json:"positions_in"`
	Out          int64 `json:"rows_out"`
	PositionsOut int64 `json:"positions_out"`
	// Left counts the rows that were left out, by the reason, in rows.
	Left map[string]int64 `json:"left_out,omitempty"`
	// Leaks is what split found.
	Leaks *Leaks `json:"leaks,omitempty"`
}

// Part returns the name of the part that a step of split made, "" for others.
func (s *Step) Part() string {
	var o struct {
		Part string `json:"part"`
	}
	_ = json.Unmarshal(s.Options, &o) // without a part there is none
	return o.Part
}

// LeftText lists the rows left out by their reasons, in the words of the
// provenance.
func (c *Counts) LeftText() string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(c.Left)) {
		parts = append(parts, fmt.Sprintf("%s %d", reason, c.Left[reason]))
	}
	return strings.Join(parts, ", ")
}

// marshal returns the text of provenance.json, with its own hash put in.
func (p Provenance) marshal() []byte {
	p.Self = ""
	p.Self = hexHash(p.text())
	return p.text()
}

func (p Provenance) text() []byte {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("provenance: %v", err)) // plain strings and numbers
	}
	return append(text, '\n')
}

func hexHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// maxProvenance bounds the bytes of provenance.json: one of a thousand merged
// runs has a megabyte.
const maxProvenance = 64 << 20

// ReadProvenance reads the provenance of a training set strictly: it must be the
// text this program writes for what it says. The error is fs.ErrNotExist where
// there is none.
func ReadProvenance(dir string) (Provenance, error) {
	var p Provenance
	path := filepath.Join(dir, ProvenanceFile)
	text, err := dataset.ReadFile(path, maxProvenance)
	if err != nil {
		return p, err
	}
	var version struct {
		Schema int `json:"refined_schema"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return p, fmt.Errorf("%s: damaged: %w; make the training set again", path, err)
	}
	if version.Schema != SchemaVersion {
		return p, fmt.Errorf("%s: schema version %d of training sets, this program reads version %d: use the draughtlab that wrote it", path, version.Schema, SchemaVersion)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("%s: damaged: %w; make the training set again", path, err)
	}
	if !bytes.Equal(text, p.marshal()) {
		return p, fmt.Errorf("%s: changed after it was written; make the training set again", path)
	}
	for _, v := range p.Variants {
		if _, err := variants.ByName(v.Variant); err != nil {
			return p, fmt.Errorf("%s: %w", path, err)
		}
	}
	return p, nil
}

// IsSet reports whether a directory is a training set, and no run directory.
func IsSet(dir string) bool {
	_, err := ReadProvenance(dir)
	return !errors.Is(err, fs.ErrNotExist)
}
