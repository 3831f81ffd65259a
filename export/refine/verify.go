package refine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// Report is what Verify found.
type Report struct {
	// Rows and Positions are those of the set.
	Rows, Positions int64
	Files           int
	// Problems are in a fixed order; there are none if all holds.
	Problems []dataset.Problem
}

func (r *Report) problem(file string, err error) {
	r.Problems = append(r.Problems, dataset.Problem{File: file, Fault: strings.TrimPrefix(err.Error(), file+": ")})
}

// Verify checks a training set: that its files are those of its provenance to
// the byte and no others, that its card says the same, that every row is a
// position of its game with as many legal moves as it says, and that the sums of
// the rows are those of the provenance. Whether they are the right rows only
// making the set again can tell. The error is for a directory that cannot be
// read or a context that ended.
func Verify(ctx context.Context, dir string, workers int, progress func(done, total int64)) (Report, error) {
	var report Report
	p, err := ReadProvenance(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return report, fmt.Errorf("%s: no training set: no %s in it", dir, ProvenanceFile)
	}
	if err != nil {
		report.problem(filepath.Join(dir, ProvenanceFile), err)
		return report, nil
	}
	path := filepath.Join(dir, CardFile)
	if text, err := dataset.ReadFile(path, maxProvenance); err != nil {
		report.problem(path, err)
	} else if !bytes.Equal(text, card(&p)) {
		report.problem(path, errors.New("changed after it was written"))
	}
	if err := report.foreign(dir, &p); err != nil {
		return report, err
	}
	total, done := int64(0), int64(0)
	for _, v := range p.Variants {
		total += v.Rows
	}
	for _, files := range p.Variants {
		v, err := variants.ByName(files.Variant)
		if err != nil {
			return report, err // ReadProvenance has looked
		}
		c := setChecker{Set: &Set{dir: dir, set: p, Sources: p.Sources}, variant: v}
		err = ordered(ctx, workers, len(files.Files), func(ctx context.Context, i int, yield func(checked) error) error {
			return c.file(ctx, files.Files[i], i, yield)
		}, func(found checked) error {
			done += found.Rows
			found.add(&report)
			if progress != nil {
				progress(done, total)
			}
			c.sum.plus(&found.Totals)
			return nil
		})
		if err != nil {
			return report, err
		}
		report.Files += len(files.Files)
		report.Rows, report.Positions = report.Rows+files.Rows, report.Positions+files.Positions
		if c.sum != files.Totals && len(report.Problems) == 0 {
			report.problem(filepath.Join(dir, ProvenanceFile), fmt.Errorf("%s: the sums of the rows are %+v, it says %+v", v.Name, c.sum, files.Totals))
		}
	}
	return report, nil
}

func (t *Totals) plus(o *Totals) {
	t.Rows += o.Rows
	t.Positions += o.Positions
	t.WhiteWins += o.WhiteWins
	t.Draws += o.Draws
	t.BlackWins += o.BlackWins
	t.Scored += o.Scored
}

// foreign looks for files that readers of the directory would take for the
// set's.
func (r *Report) foreign(dir string, p *Provenance) error {
	known := map[string]bool{}
	for _, v := range p.Variants {
		for _, f := range v.Files {
			known[filepath.Join(dir, filepath.FromSlash(f.File))] = true
		}
	}
	return filepath.WalkDir(filepath.Join(dir, string(dataset.PositionsTable)), func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // its files are missing, which is told of each
		case err != nil:
			return err
		case !e.IsDir() && !known[path]:
			r.problem(path, fmt.Errorf("does not belong to the training set, %s does not list it", ProvenanceFile))
		}
		return nil
	})
}

// checked is what was found in a file, or in some of its rows.
type checked struct {
	Totals
	file  string
	fault error
}

func (c checked) add(r *Report) {
	if c.fault != nil {
		r.problem(c.file, c.fault)
	}
}

// setChecker checks the files of one variant.
type setChecker struct {
	*Set
	variant *engine.Variant
	sum     Totals
}

// file checks one file. Its first fault is the one that is told.
func (c *setChecker) file(ctx context.Context, f File, part int, yield func(checked) error) error {
	path := filepath.Join(c.dir, filepath.FromSlash(f.File))
	var buf []engine.Move
	var fault error
	err := c.fileRows(ctx, c.variant, f, part, func(rows []Row) error {
		found := checked{file: path}
		for i := range rows {
			found.Totals.add(&rows[i])
			if buf, fault = checkRow(c.variant, &rows[i], buf); fault != nil {
				return fault
			}
		}
		return yield(found)
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return yield(checked{file: path, fault: err})
	}
	return nil
}

// checkRow compares what a row says of its position with the rules.
func checkRow(v *engine.Variant, r *Row, buf []engine.Move) ([]engine.Move, error) {
	p, err := r.Position(v)
	if err != nil {
		return buf, err
	}
	buf = v.Generate(&p, buf[:0])
	if due := len(buf) > 0 && buf[0].IsCapture(); len(buf) != int(r.LegalMoves) || due != r.CaptureDue {
		return buf, fmt.Errorf("game %d ply %d: %d legal moves and capture_due %t, the rules say %d and %t", r.Game, r.Ply, r.LegalMoves, r.CaptureDue, len(buf), due)
	}
	return buf, nil
}

// compareBytes compares a file with what the provenance says of it.
func compareBytes(path string, f File) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, file)
	switch {
	case err != nil:
		return err
	case n != f.Bytes:
		return fmt.Errorf("has %d bytes, %s says %d: truncated or replaced", n, ProvenanceFile, f.Bytes)
	case hex.EncodeToString(sum.Sum(nil)) != f.SHA256:
		return fmt.Errorf("damaged or replaced: its SHA-256 is not the one in %s", ProvenanceFile)
	}
	return nil
}
