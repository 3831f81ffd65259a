package refine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"unsafe"

	"draughtlab/engine"
)

// Part is one part of a split.
type Part struct {
	// Name is the name of its directory: small letters, digits, - and _.
	Name string `json:"name"`
	// Share is the part's share of the openings or games, above 0.
	Share float64 `json:"share"`
}

// SplitOptions say how Split divides rows.
type SplitOptions struct {
	// Seed decides which part an opening or a game goes to.
	Seed uint64 `json:"seed"`
	// Parts are at least two; their shares add up to 1.
	Parts []Part `json:"parts"`
	// Games divides by games. Otherwise all games of an opening go to the same
	// part: those in which the engines took over in the same position or in one
	// of its images under the symmetries of the game.
	Games bool `json:"by_games"`
	// KeepLeaks leaves positions in all parts they are in. Otherwise a position
	// stays in the first of these only, in the order of Parts.
	KeepLeaks bool `json:"keep_leaks"`
}

// Leaks says which positions stand in several parts. Draw clocks do not count
// here: who looks at the board only would know the position again.
type Leaks struct {
	// Positions is the number of such positions, without counting any twice.
	Positions int64 `json:"positions"`
	// Rows counts, by part, the rows of a position that a part before it has.
	Rows map[string]int64 `json:"rows"`
	// Removed tells whether these rows were left out.
	Removed bool `json:"removed"`
}

// maxSplit bounds the parts; a byte tells them apart.
const maxSplit = 100

var partName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

func (o *SplitOptions) check() error {
	if len(o.Parts) < 2 || len(o.Parts) > maxSplit {
		return fmt.Errorf("%d parts: it takes 2 to %d", len(o.Parts), maxSplit)
	}
	sum := 0.0
	for i, p := range o.Parts {
		if !partName.MatchString(p.Name) {
			return fmt.Errorf("part %q: a name has small letters, digits, - and _", p.Name)
		}
		if slices.ContainsFunc(o.Parts[:i], func(q Part) bool { return q.Name == p.Name }) {
			return fmt.Errorf("part %s is named twice", p.Name)
		}
		if !(p.Share > 0 && p.Share < 1) {
			return fmt.Errorf("part %s: a share of %v, it is between 0 and 1", p.Name, p.Share)
		}
		sum += p.Share
	}
	if math.Abs(sum-1) > 1e-9 {
		return fmt.Errorf("the shares of the parts add up to %v, not to 1", sum)
	}
	return nil
}

// of returns the part that a hash falls into.
func (o *SplitOptions) of(hash uint64) int {
	x, sum := float64(hash>>11)/(1<<53), 0.0
	for i, p := range o.Parts[:len(o.Parts)-1] {
		if sum += p.Share; x < sum {
			return i
		}
	}
	return len(o.Parts) - 1
}

// Split writes a directory with a training set for each part, in which the rows
// of a run or a training set keep their order. It returns their provenances in
// the order of the parts. A part that would be empty is an error. Beside
// Options.Memory it needs a bit a row.
func Split(ctx context.Context, dir, out string, o SplitOptions, opt Options) ([]Provenance, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	j, err := begin("split", []string{dir}, out, 3, o, opt)
	if err != nil {
		return nil, err
	}
	made, err := j.split(ctx, o)
	return made, j.end(err)
}

func (j *job) split(ctx context.Context, o SplitOptions) ([]Provenance, error) {
	files := make([][]VariantFiles, len(o.Parts))
	counts := make([][]Counts, len(o.Parts))
	for _, v := range j.variants {
		s := splitter{job: j, options: o, variant: v, symmetry: symmetryOf(v), leaks: Leaks{Rows: map[string]int64{}, Removed: !o.KeepLeaks}}
		for _, source := range j.sources {
			s.salts = append(s.salts, saltOf("split", o.Seed, source, v))
		}
		if err := s.findLeaks(ctx); err != nil {
			return nil, err
		}
		made, count, err := s.write(ctx)
		if err != nil {
			return nil, err
		}
		for i := range o.Parts {
			files[i], counts[i] = append(files[i], made[i]), append(counts[i], count[i])
		}
	}
	var made []Provenance
	for i, part := range o.Parts {
		options := struct {
			SplitOptions
			Part string `json:"part"`
		}{o, part.Name}
		p, err := j.write(filepath.Join(j.out.dir, part.Name), options, files[i], counts[i])
		if err != nil {
			return nil, err
		}
		made = append(made, p)
	}
	return made, nil
}

// splitter splits one variant.
type splitter struct {
	*job
	options  SplitOptions
	variant  *engine.Variant
	symmetry symmetry
	salts    []uint64 // by source
	leaks    Leaks
	leaked   []uint64 // a bit for each row, set if a part before its own has the position
}

// partOf returns the part of a row.
func (s *splitter) partOf(r *Row) (int, error) {
	switch {
	case s.options.Games && r.Count > 1:
		return 0, fmt.Errorf("%s: a row is %d positions, perhaps of several games: split by games before dedupe, and dedupe each part", s.inputs[0].dir, r.Count)
	case s.options.Games:
		return s.options.of(spread(s.salts[r.Source] ^ uint64(r.Game))), nil
	case !r.OneOpening:
		return 0, fmt.Errorf("%s: a row is %d positions of several openings: split before dedupe, and dedupe each part", s.inputs[0].dir, r.Count)
	}
	// One opening may be in several runs: the salt is the seed alone.
	return s.options.of(spread(spread(s.options.Seed) ^ uint64(r.Opening))), nil
}

// leakedBytes is what a position takes in memory while leaks are looked for.
const leakedBytes = 2 * int64(unsafe.Sizeof(key{})+unsafe.Sizeof(inParts{}))

// inParts says in which parts a position is.
type inParts struct {
	first   uint8
	several bool
}

// findLeaks brings equal positions together and looks at their parts.
func (s *splitter) findLeaks(ctx context.Context) error {
	together, err := s.spool(s.variant, leakedBytes)
	if err != nil {
		return err
	}
	defer together.close()
	s.leaked = make([]uint64, (s.rows(s.variant)+63)/64)
	row := uint64(0)
	var record []byte
	err = s.read(ctx, s.variant, &Counts{}, nil, func(rows []Row) error {
		for i := range rows {
			part, err := s.partOf(&rows[i])
			if err != nil {
				return err
			}
			k := s.symmetry.boardKey(rows[i])
			record = append(record[:0], byte(part))
			for _, b := range append(k.boards[:], k.state) {
				record = binary.LittleEndian.AppendUint64(record, b)
			}
			record = binary.AppendUvarint(record, row)
			if err := together.add(k.hash(), record); err != nil {
				return err
			}
			row++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return gather(ctx, s.job, s.variant, together, func(part int, yield func(leakedRows) error) error {
		return findLeaked(together, part, yield)
	}, func(l leakedRows) error {
		s.leaks.Positions += l.positions
		for i, row := range l.rows {
			s.leaked[row/64] |= 1 << (row % 64)
			s.leaks.Rows[s.options.Parts[l.parts[i]].Name]++
		}
		return nil
	})
}

// leakedRows are rows whose position is in a part before theirs, with their
// parts, and how many positions in several parts were found besides.
type leakedRows struct {
	rows      []uint64
	parts     []uint8
	positions int64
}

// findLeaked looks at one part of the spool twice: for the parts of each
// position, and then for the rows that leak. So it needs memory for positions
// only, however often they occur.
func findLeaked(s *spool, part int, yield func(leakedRows) error) error {
	known := map[key]inParts{}
	err := s.read(part, func(record []byte) error {
		k, of, _, err := readLeakRecord(record)
		in, ok := known[k]
		switch {
		case !ok:
			known[k] = inParts{first: of}
		case of != in.first:
			known[k] = inParts{min(of, in.first), true}
		}
		return err
	})
	if err != nil {
		return err
	}
	found := leakedRows{}
	for _, in := range known {
		if in.several {
			found.positions++
		}
	}
	err = s.read(part, func(record []byte) error {
		k, of, row, err := readLeakRecord(record)
		if err != nil || of == known[k].first {
			return err
		}
		found.rows, found.parts = append(found.rows, row), append(found.parts, of)
		if len(found.rows) < readRows {
			return nil
		}
		full := found
		found = leakedRows{}
		return yield(full)
	})
	if err == nil {
		err = yield(found)
	}
	if err != nil {
		return err
	}
	return s.free(part)
}

func readLeakRecord(b []byte) (k key, part uint8, row uint64, err error) {
	const fixed = 1 + 5*8
	if len(b) <= fixed {
		return k, 0, 0, errRecord
	}
	le := binary.LittleEndian
	for i := range k.boards {
		k.boards[i] = le.Uint64(b[1+8*i:])
	}
	k.state = le.Uint64(b[fixed-8:])
	row, n := binary.Uvarint(b[fixed:])
	if n != len(b)-fixed {
		err = errRecord
	}
	return k, b[0], row, err
}

// write reads the rows once more and writes each into its part.
func (s *splitter) write(ctx context.Context) ([]VariantFiles, []Counts, error) {
	parts := s.options.Parts
	writers := make([]*rowWriter, len(parts))
	for i, p := range parts {
		writers[i] = newRowWriter(filepath.Join(s.out.dir, p.Name), s.variant.Name)
		defer writers[i].abort()
	}
	all, row := Counts{}, uint64(0)
	other := make([]int64, len(parts)) // rows of a part before those that leak are taken away
	err := s.read(ctx, s.variant, &all, nil, func(rows []Row) error {
		for i := range rows {
			part, err := s.partOf(&rows[i])
			if err != nil {
				return err
			}
			leaks := s.leaked[row/64]>>(row%64)&1 != 0
			row++
			other[part]++
			if leaks && !s.options.KeepLeaks {
				continue
			}
			if err := writers[part].add(rows[i : i+1]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	made, counts := make([]VariantFiles, len(parts)), make([]Counts, len(parts))
	for i, p := range parts {
		if err := writers[i].close(); err != nil {
			return nil, nil, err
		}
		made[i] = writers[i].made
		if made[i].Rows == 0 {
			return nil, nil, fmt.Errorf("%s: no row of %s is in part %s (%d leak): there are too few openings or games for these parts", s.inputs[0].dir, s.variant.Name, p.Name, s.leaks.Rows[p.Name])
		}
		counts[i] = Counts{
			Variant: s.variant.Name, In: all.In, PositionsIn: all.PositionsIn, Out: made[i].Rows, PositionsOut: made[i].Positions,
			Left: map[string]int64{leftOtherPart: all.In - other[i]}, Leaks: &s.leaks,
		}
		if n := other[i] - made[i].Rows; n > 0 {
			counts[i].Left[leftLeaked] = n
		}
	}
	return made, counts, nil
}

// Reasons for which rows are not in a part.
const (
	leftOtherPart = "other_part"
	leftLeaked    = "leaked"
)
