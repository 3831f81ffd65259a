package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"draughtlab/engine/variants"
)

// Plan says how many games of a variant a complete dataset has, numbered from
// 0, and how many of them a shard holds (the last one may have fewer).
type Plan struct {
	Variant    string
	Games      int64
	ShardGames int64
}

// Shards returns the number of shards of the plan.
func (p Plan) Shards() int64 { return (p.Games + p.ShardGames - 1) / p.ShardGames }

// Range returns the games [first, last) of shard i of the plan.
func (p Plan) Range(i int64) (first, last int64) {
	return i * p.ShardGames, min((i+1)*p.ShardGames, p.Games)
}

// Manifest lists every file of a complete dataset with the hash of its bytes,
// and the hash of its rows. It is a pure function of the files: no date, no
// host, no program version.
type Manifest struct {
	// Schema is the version of the tables.
	Schema int `json:"schema"`
	// Config and Card are the SHA-256 of config.json and DATASET.md.
	Config   string            `json:"config_sha256"`
	Card     string            `json:"card_sha256"`
	Variants []VariantManifest `json:"variants"`
	// Self is the SHA-256 of the manifest with this field empty.
	Self string `json:"manifest_sha256"`
}

// VariantManifest is one variant's part of a Manifest.
type VariantManifest struct {
	Variant string `json:"variant"`
	// ShardGames is the number of games a shard holds, the last one apart.
	ShardGames int64 `json:"shard_games"`
	// Games and Positions are the rows of both tables.
	Games     int64           `json:"games"`
	Positions int64           `json:"positions"`
	Shards    []ShardManifest `json:"shards"`
}

// ShardManifest is one shard's part of a Manifest: the games [First, Last).
type ShardManifest struct {
	Shard     int          `json:"shard"`
	First     int64        `json:"first_game"`
	Last      int64        `json:"end_game"`
	Games     FileManifest `json:"games"`
	Positions FileManifest `json:"positions"`
}

// FileManifest is one file's part of a Manifest.
type FileManifest struct {
	// File is the path within the run directory, with slashes.
	File       string `json:"file"`
	Bytes      int64  `json:"bytes"`
	SHA256     string `json:"sha256"`
	Rows       int64  `json:"rows"`
	RowsSHA256 string `json:"rows_sha256"`
}

// ConfigHash returns the SHA-256 of the bytes of a run directory's config.json
// in hexadecimal.
func ConfigHash(dir string) (string, error) {
	sum, _, err := fileHash(filepath.Join(dir, ConfigFile))
	return sum, err
}

// WriteManifest completes a dataset: it writes the card, then the manifest. It
// fails if a shard of the plans is missing or was written under another
// configuration than config.json.
func WriteManifest(dir string, plans []Plan) error {
	config, err := ConfigHash(dir)
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	m := Manifest{Schema: SchemaVersion, Config: config}
	for _, p := range plans {
		v, err := describeVariant(dir, p, config)
		if err != nil {
			return fmt.Errorf("manifest: %w", err)
		}
		m.Variants = append(m.Variants, v)
	}
	card, err := Card(dir, m)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(card)
	m.Card = hex.EncodeToString(sum[:])
	if err := WriteFile(filepath.Join(dir, CardFile), card); err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, ManifestFile), m.marshal())
}

// ReadManifest reads the manifest of a run directory strictly: it must be the
// text that WriteManifest writes for what it says. The error is
// fs.ErrNotExist where there is none: the run is not complete.
func ReadManifest(dir string) (Manifest, error) {
	var m Manifest
	path := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return m, fmt.Errorf("%s: missing, the run is not complete: %w", path, fs.ErrNotExist)
	}
	if err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	if m.Schema != SchemaVersion {
		return m, fmt.Errorf("%s: schema version %d, this program reads version %d", path, m.Schema, SchemaVersion)
	}
	if !bytes.Equal(text, m.marshal()) {
		return m, fmt.Errorf("%s: changed after it was written", path)
	}
	for _, v := range m.Variants {
		if _, err := variants.ByName(v.Variant); err != nil {
			return m, fmt.Errorf("%s: %w", path, err)
		}
	}
	return m, nil
}

// marshal returns the text of the manifest, with its own hash put in.
func (m Manifest) marshal() []byte {
	m.Self = ""
	sum := sha256.Sum256(m.text())
	m.Self = hex.EncodeToString(sum[:])
	return m.text()
}

func (m Manifest) text() []byte {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("manifest: %v", err)) // plain strings and numbers
	}
	return append(text, '\n')
}

func describeVariant(dir string, p Plan, config string) (VariantManifest, error) {
	v := VariantManifest{Variant: p.Variant, ShardGames: p.ShardGames}
	if p.Games < 1 || p.ShardGames < 1 {
		return v, fmt.Errorf("a plan of %d games of %s in shards of %d", p.Games, p.Variant, p.ShardGames)
	}
	for i := range p.Shards() {
		s := Shard{Dir: dir, Variant: p.Variant, Number: int(i)}
		sm, err := describeShard(s, config)
		if err != nil {
			return v, err
		}
		if first, last := p.Range(i); sm.First != first || sm.Last != last {
			return v, fmt.Errorf("%s: holds the games [%d,%d), the plan says [%d,%d)", s.Path(GamesTable), sm.First, sm.Last, first, last)
		}
		v.Games += sm.Games.Rows
		v.Positions += sm.Positions.Rows
		v.Shards = append(v.Shards, sm)
	}
	return v, nil
}

// describeShard reads both files of a shard and checks that they belong
// together.
func describeShard(s Shard, config string) (ShardManifest, error) {
	games, gm, err := describeFile(s, gamesTable())
	if err != nil {
		return ShardManifest{}, err
	}
	positions, pm, err := describeFile(s, positionsTable())
	if err != nil {
		return ShardManifest{}, err
	}
	for i, m := range []metadata{gm, pm} {
		t := tables[i]
		if m.Shard != s.Number {
			return ShardManifest{}, fmt.Errorf("%s: the file says to be shard %d", s.Path(t), m.Shard)
		}
		if m.ConfigHash != config {
			return ShardManifest{}, fmt.Errorf("%s: written under the configuration %s, %s has %s", s.Path(t), m.ConfigHash, ConfigFile, config)
		}
	}
	if gm.First != pm.First || gm.Last != pm.Last {
		return ShardManifest{}, fmt.Errorf("%s: games [%d,%d), its positions are of [%d,%d)", s.Path(GamesTable), gm.First, gm.Last, pm.First, pm.Last)
	}
	return ShardManifest{Shard: s.Number, First: gm.First, Last: gm.Last, Games: games, Positions: positions}, nil
}

func describeFile[T any](s Shard, t tableOf[T]) (FileManifest, metadata, error) {
	path := s.Path(t.name)
	sum, size, err := fileHash(path)
	if err != nil {
		return FileManifest{}, metadata{}, err
	}
	r, err := openTable(path, t, s.Variant)
	if err != nil {
		return FileManifest{}, metadata{}, err
	}
	defer r.close()
	return FileManifest{File: s.name(t.name), Bytes: size, SHA256: sum, Rows: r.rows, RowsSHA256: r.meta.RowsHash}, r.meta, nil
}

// fileHash returns the SHA-256 and the length of a file.
func fileHash(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	if err != nil {
		return "", 0, fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}
