package refine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"draughtlab/engine"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// Set is a directory of which rows can be read: a training set, or a run
// directory, every position of which is a row.
type Set struct {
	// Sources are the runs the positions are from.
	Sources []Source

	dir  string
	name string     // without the directories above it
	set  Provenance // of a training set
	run  string     // the hash of the manifest of a run
	rows map[string]int64
}

// Open looks at a directory and checks what is cheap to check: that it is
// complete and that its files are those it lists, of these sizes. A run must be
// complete, so that its manifest names what was read.
func Open(dir string) (*Set, error) {
	if dataset.InBucket(dir) {
		return nil, fmt.Errorf("%s: training sets are made of directories: copy the run from the bucket first", dir)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: not a directory: give one of selfplay, or of dataset sample, dedupe, split or merge", dir)
	}
	// JSON holds UTF-8 only.
	s := &Set{dir: dir, name: strings.ToValidUTF8(filepath.Base(absolute), "\uFFFD"), rows: map[string]int64{}}
	s.set, err = ReadProvenance(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = s.openRun()
	case err == nil:
		err = s.openSet()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Set) openRun() error {
	m, err := dataset.ReadManifest(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(s.dir, dataset.ConfigFile)); err == nil {
			return fmt.Errorf("%s: the run is not complete: run the same selfplay command again to go on", s.dir)
		}
		return fmt.Errorf("%s: neither a complete run nor a training set: no %s, no %s", s.dir, dataset.ManifestFile, ProvenanceFile)
	}
	if err != nil {
		return err
	}
	s.run = m.Self
	source := Source{Name: s.name, Config: m.Config, Manifest: m.Self, FirstGames: map[string]string{}}
	for _, v := range m.Variants {
		s.rows[v.Variant] = v.Positions
		err := dataset.Games(s.dir, v.Variant, func(g *dataset.GameRow) error {
			source.Profile, source.Engine = g.Profile, g.Engine // the same in all games of a run
			source.FirstGames[v.Variant] = gameHash(g)
			return errEnough
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	s.Sources = []Source{source}
	return nil
}

var errEnough = errors.New("enough rows were read")

func (s *Set) openSet() error {
	s.Sources = s.set.Sources
	for _, v := range s.set.Variants {
		s.rows[v.Variant] = v.Rows
		for _, f := range v.Files {
			path := filepath.Join(s.dir, filepath.FromSlash(f.File))
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			if info.Size() != f.Bytes {
				return fmt.Errorf("%s: has %d bytes, %s says %d: make the training set again", path, info.Size(), ProvenanceFile, f.Bytes)
			}
		}
	}
	return nil
}

// Variants lists the games the set has rows of, in the order of variants.All.
func (s *Set) Variants() []*engine.Variant {
	var found []*engine.Variant
	for _, v := range variants.All() {
		if s.rows[v.Name] > 0 {
			found = append(found, v)
		}
	}
	return found
}

// stepInput is how a step names the set.
func (s *Set) stepInput() StepInput {
	if s.run != "" {
		return StepInput{Name: s.name, Run: s.run}
	}
	return StepInput{Name: s.name, Set: s.set.Self, Made: &s.set.Made}
}

// Rows calls yield with all rows of a variant, some at a time and in the order
// of the set, in one goroutine; the slice is the callee's. Up to workers files
// are read at once. It fails if the set has no such rows, if a file is damaged or
// has a row that cannot be, or if yield fails.
func (s *Set) Rows(ctx context.Context, v *engine.Variant, workers int, yield func([]Row) error) error {
	return s.each(ctx, v, workers, func([]Row) error { return nil }, yield)
}

// each is Rows with prepare called for the same rows before, in several
// goroutines at once.
func (s *Set) each(ctx context.Context, v *engine.Variant, workers int, prepare, use func([]Row) error) error {
	if s.rows[v.Name] == 0 {
		return fmt.Errorf("%s: no rows of %s here", s.dir, v.Name)
	}
	n := 0
	var read func(ctx context.Context, i int, yield func([]Row) error) error
	if s.run != "" {
		shards, err := dataset.Shards(s.dir, v.Name)
		if err != nil {
			return err
		}
		n = len(shards)
		read = func(ctx context.Context, i int, yield func([]Row) error) error {
			return shardRows(ctx, v, shards[i], yield)
		}
	} else {
		files := s.files(v)
		n = len(files)
		read = func(ctx context.Context, i int, yield func([]Row) error) error {
			return s.fileRows(ctx, v, files[i], i, yield)
		}
	}
	return ordered(ctx, workers, n, func(ctx context.Context, i int, yield func([]Row) error) error {
		return read(ctx, i, func(rows []Row) error {
			if err := prepare(rows); err != nil {
				return err
			}
			return yield(rows)
		})
	}, use)
}

// files lists the files of a variant.
func (s *Set) files(v *engine.Variant) []File {
	for _, f := range s.set.Variants {
		if f.Variant == v.Name {
			return f.Files
		}
	}
	return nil
}

// readRows is the number of rows read at a time, readBytes the bytes read from a
// file at once for each column.
const (
	readRows  = 4096
	readBytes = 32 << 10
)

// fileRows reads one file of a training set. Its bytes are compared first, which
// costs little beside decoding them: a decoder that trusts a damaged length can
// take all memory there is.
func (s *Set) fileRows(ctx context.Context, v *engine.Variant, f File, part int, yield func([]Row) error) (err error) {
	path := filepath.Join(s.dir, filepath.FromSlash(f.File))
	damaged := func(fault any) error {
		return fmt.Errorf("%s: %v: make the training set again", path, fault)
	}
	defer func() { // the Parquet decoder panics where it cannot go on
		if p := recover(); p != nil {
			err = damaged(p)
		}
	}()
	if err := compareBytes(path, f); err != nil {
		return damaged(err)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	pf, err := parquet.OpenFile(file, f.Bytes, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true), parquet.ReadBufferSize(readBytes))
	if err != nil {
		return damaged(err)
	}
	for _, want := range [][2]string{{keySchema, strconv.Itoa(SchemaVersion)}, {keyVariant, v.Name}, {keyPart, strconv.Itoa(part)}} {
		if have, _ := pf.Lookup(want[0]); have != want[1] {
			return damaged(fmt.Sprintf("its metadata say %s %q, not %q", want[0], have, want[1]))
		}
	}
	if pf.NumRows() != f.Rows {
		return damaged(fmt.Sprintf("%d rows, %s says %d", pf.NumRows(), ProvenanceFile, f.Rows))
	}
	columns, err := newColumnReaders(pf)
	if err != nil {
		return damaged(err)
	}
	defer func() {
		for _, c := range columns {
			c.close()
		}
	}()
	for done := int64(0); done < f.Rows; {
		rows := make([]Row, min(readRows, f.Rows-done))
		for _, c := range columns {
			if err := c.read(rows); err != nil {
				return damaged(err)
			}
		}
		for i := range rows {
			r := &rows[i]
			if err := r.check(); err != nil {
				return damaged(fmt.Sprintf("row %d: %v", done+int64(i), err))
			}
			if int(r.Source) >= len(s.Sources) {
				return damaged(fmt.Sprintf("row %d: source %d of %d", done+int64(i), r.Source, len(s.Sources)))
			}
		}
		done += int64(len(rows))
		if err := yield(rows); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
