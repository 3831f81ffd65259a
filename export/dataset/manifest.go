package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"golang.org/x/sync/errgroup"

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
	sum, _, err := fileHash(Join(dir, ConfigFile))
	return sum, err
}

// WriteManifest completes a dataset: it writes the card, then the manifest. It
// fails if a shard of the plans is missing or was written under another
// configuration than config.json.
func WriteManifest(ctx context.Context, dir string, plans []Plan) error {
	config, err := ConfigHash(dir)
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	m := Manifest{Schema: SchemaVersion, Config: config}
	for _, p := range plans {
		v, err := describeVariant(ctx, dir, p, config)
		if err != nil {
			return fmt.Errorf("manifest: %w", err)
		}
		m.Variants = append(m.Variants, v)
	}
	return m.write(dir)
}

// write writes the card and then the manifest.
func (m Manifest) write(dir string) error {
	card, err := Card(dir, m)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(card)
	m.Card = hex.EncodeToString(sum[:])
	if err := WriteFile(Join(dir, CardFile), card); err != nil {
		return err
	}
	return WriteFile(Join(dir, ManifestFile), m.marshal())
}

// differs says how a file is not that of the manifest; nil if it is.
func (f FileManifest) differs(sum string, size int64) error {
	switch {
	case size != f.Bytes:
		return fmt.Errorf("has %d bytes, the manifest says %d: truncated or replaced", size, f.Bytes)
	case sum != f.SHA256:
		return fmt.Errorf("damaged or replaced: its SHA-256 is %s, the manifest says %s", sum, f.SHA256)
	}
	return nil
}

// CheckBytes compares the bytes of a shard's files with the manifest. The first
// difference is returned as a DamagedError.
func (m Manifest) CheckBytes(s Shard) error {
	i := slices.IndexFunc(m.Variants, func(v VariantManifest) bool { return v.Variant == s.Variant })
	if i < 0 || s.Number >= len(m.Variants[i].Shards) {
		return fmt.Errorf("%s: not in %s", s.Path(GamesTable), ManifestFile)
	}
	sm := m.Variants[i].Shards[s.Number]
	for _, f := range []FileManifest{sm.Games, sm.Positions} {
		path := Join(s.Dir, f.File)
		sum, size, err := fileHash(path)
		if err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
		if err := f.differs(sum, size); err != nil {
			return damaged(path, "%w", err)
		}
	}
	return nil
}

// RestoreCard writes the card of a complete dataset again if it is lost. One
// that was changed is a DamagedError.
func RestoreCard(dir string, m Manifest) error {
	path := Join(dir, CardFile)
	sum, _, err := fileHash(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m.write(dir)
	case err != nil:
		return fmt.Errorf("dataset card: %w", err)
	case sum != m.Card:
		return damaged(path, "changed after it was written")
	}
	return nil
}

// ReadManifest reads the manifest of a run directory strictly: it must be the
// text that WriteManifest writes for what it says. The error is
// fs.ErrNotExist where there is none: the run is not complete.
func ReadManifest(dir string) (Manifest, error) {
	var m Manifest
	path := Join(dir, ManifestFile)
	text, err := readAll(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s: missing, the run is not complete: run the same selfplay command again, without --shards (%w)", path, fs.ErrNotExist)
	}
	if err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, damaged(path, "damaged: %w", err)
	}
	if m.Schema < 1 || m.Schema > SchemaVersion {
		return m, fmt.Errorf("%s: schema version %d, this program reads versions up to %d", path, m.Schema, SchemaVersion)
	}
	if !bytes.Equal(text, m.marshal()) {
		return m, damaged(path, "changed after it was written")
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

func describeVariant(ctx context.Context, dir string, p Plan, config string) (VariantManifest, error) {
	v := VariantManifest{Variant: p.Variant, ShardGames: p.ShardGames}
	if p.Games < 1 || p.ShardGames < 1 {
		return v, fmt.Errorf("a plan of %d games of %s in shards of %d", p.Games, p.Variant, p.ShardGames)
	}
	v.Shards = make([]ShardManifest, p.Shards())
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(AtOnce(dir))
	for i := range p.Shards() {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s := Shard{Dir: dir, Variant: p.Variant, Number: int(i)}
			sm, err := describeShard(s, config)
			if err != nil {
				return err
			}
			if first, last := p.Range(i); sm.First != first || sm.Last != last {
				return damaged(s.Path(GamesTable), "holds the games [%d,%d), the plan says [%d,%d)", sm.First, sm.Last, first, last)
			}
			v.Shards[i] = sm
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return v, err
	}
	for _, sm := range v.Shards {
		v.Games += sm.Games.Rows
		v.Positions += sm.Positions.Rows
	}
	return v, nil
}

// describeShard inspects both files of a shard and hashes their bytes.
func describeShard(s Shard, config string) (ShardManifest, error) {
	sm, _, err := s.inspect(config)
	if err != nil {
		return sm, err
	}
	for t, f := range map[Table]*FileManifest{GamesTable: &sm.Games, PositionsTable: &sm.Positions} {
		if f.SHA256, f.Bytes, err = fileHash(s.Path(t)); err != nil {
			return sm, err
		}
	}
	return sm, nil
}

// fileHash returns the SHA-256 and the length of a regular file.
func fileHash(path string) (sum string, size int64, err error) {
	f, _, err := open(path)
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
