package refine

import (
	"context"
	"fmt"
	"unsafe"

	"draughtlab/engine"
)

// DedupeOptions say when two positions are equal.
type DedupeOptions struct {
	// IgnoreClocks leaves the draw clocks out. Without it, positions with
	// different clocks are different where a draw article counts them.
	IgnoreClocks bool `json:"ignore_clocks"`
}

// Dedupe writes a training set in which equal positions of a run or a training
// set are one row with the sums of their counts. Positions are equal if one is
// the other's image under a symmetry of the game, king runs included. Rows are
// in the order of a hash of their positions, which is as good as random.
func Dedupe(ctx context.Context, dir, out string, o DedupeOptions, opt Options) (Provenance, error) {
	j, err := begin("dedupe", []string{dir}, out, 2, o, opt)
	if err != nil {
		return Provenance{}, err
	}
	p, err := j.writeEach(func(v *engine.Variant, w *rowWriter, c *Counts) error {
		return j.dedupe(ctx, v, o, w, c)
	})
	return p, j.end(err)
}

// dedupedBytes is what a row takes in memory while a part is brought together:
// itself, its place in the order, and an entry of a map that is half empty.
const dedupedBytes = sortedBytes + 2*int64(unsafe.Sizeof(key{})+unsafe.Sizeof(uint32(0)))

func (j *job) dedupe(ctx context.Context, v *engine.Variant, o DedupeOptions, w *rowWriter, c *Counts) error {
	together, err := j.spool(v, dedupedBytes)
	if err != nil {
		return err
	}
	defer together.close()
	symmetry := symmetryOf(v)
	prepare := func(r *Row) error {
		if o.IgnoreClocks {
			r.SinceChange, r.SinceMan, r.Road = 0, 0, 0
		} else if err := symmetry.dropIdleClocks(r, j.profile); err != nil {
			return fmt.Errorf("%s: %w", j.inputs[0].dir, err)
		}
		symmetry.canonical(r)
		return nil
	}
	var record []byte
	err = j.read(ctx, v, c, prepare, func(rows []Row) error {
		for i := range rows {
			record = appendRecord(record[:0], &rows[i])
			if err := together.add(keyOf(&rows[i]).hash(), record); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return gather(ctx, j, v, together, func(part int, yield func([]Row) error) error {
		rows, err := mergePart(together, part)
		if err != nil {
			return err
		}
		return yieldSorted(rows, func(r *Row) uint64 { return keyOf(r).hash() }, func(a, b *Row) int {
			return keyOf(a).compare(keyOf(b))
		}, yield)
	}, w.add)
}

// mergePart reads the rows of one part of a spool, one for each position. It
// needs memory for these only, however often a position occurs.
func mergePart(s *spool, part int) ([]Row, error) {
	var rows []Row
	known := map[key]uint32{}
	err := s.read(part, func(record []byte) error {
		var r Row
		if err := readRecord(record, &r); err != nil {
			return err
		}
		k := keyOf(&r)
		i, ok := known[k]
		if !ok {
			known[k] = uint32(len(rows))
			rows = append(rows, r)
			return nil
		}
		rows[i].merge(&r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, s.free(part)
}
