package refine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// Options are the settings that all steps have. All but Variants change nothing
// in what is written.
type Options struct {
	// Variants names the games to take; all there are if empty.
	Variants []string
	// Memory bounds, in bytes, the rows that are kept in memory; see MinMemory.
	// Buffers of files and decoders come on top, some 200 MiB.
	Memory int64
	// Temp is the directory of temporary files, which need some 80 bytes a row;
	// beside the output if empty.
	Temp string
	// Workers is the number of files read, or parts brought together, at once; 0
	// is one a processor.
	Workers int
	// Progress, if not nil, is called in one goroutine at a time with the rows
	// that are done, of total.
	Progress func(done, total int64)
}

// DefaultMemory is Options.Memory where it is 0; MinMemory is the least.
const (
	DefaultMemory = 1 << 30
	MinMemory     = 1 << 20
)

// job is one step at work.
type job struct {
	opt      Options
	command  string
	options  any // of the step
	inputs   []*Set
	sources  []Source
	offsets  []int32 // of each input's sources
	profile  engine.Profile
	variants []*engine.Variant
	out      *output
	temp     string // directory of the temporary files

	passes      int64 // how often the step goes through all rows
	done, total int64 // rows of these passes
}

// begin opens the inputs of a step and begins its output; end must follow.
func begin(command string, dirs []string, out string, passes int64, options any, o Options) (*job, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Memory < MinMemory || o.Workers < 1 {
		return nil, fmt.Errorf("%d bytes of memory, %d workers: it takes %d bytes and 1 worker or more", o.Memory, o.Workers, MinMemory)
	}
	j := &job{opt: o, command: command, options: options, passes: passes}
	for _, dir := range dirs {
		s, err := Open(dir)
		if err != nil {
			return nil, err
		}
		if err := j.addInput(s); err != nil {
			return nil, err
		}
	}
	var err error
	if j.profile, err = engine.ParseProfile(j.sources[0].Profile); err != nil {
		return nil, err
	}
	if err := j.chooseVariants(); err != nil {
		return nil, err
	}
	if j.out, err = create(out); err != nil {
		return nil, err
	}
	if j.temp, err = os.MkdirTemp(cmp.Or(o.Temp, j.out.dir), "draughtlab-spool-*"); err != nil {
		j.out.abort()
		return nil, fmt.Errorf("temporary files: %w", err)
	}
	j.report(0)
	return j, nil
}

// addInput appends the sources of an input. A game must not be there twice, and
// games under other draw articles have other outcomes.
func (j *job) addInput(s *Set) error {
	for _, source := range s.Sources {
		for i, known := range j.sources {
			if known.Config == source.Config {
				return fmt.Errorf("%s has games of the run %q, and so has an input before it (configuration %s): each game would count twice; take one of them", s.dir, source.Name, source.Config)
			}
			if name := known.firstInCommon(&source); name != "" {
				return fmt.Errorf("%s: the first game of %s is the same in the runs %q and %q (source %d), and so are others as a rule: they would count twice; take the longer one", s.dir, name, source.Name, known.Name, i)
			}
			if known.Profile != source.Profile {
				return fmt.Errorf("%s: the games of %q are under the %s articles, those of %q (source %d) under the %s ones: keep them apart", s.dir, source.Name, source.Profile, known.Name, i, known.Profile)
			}
		}
	}
	j.offsets = append(j.offsets, int32(len(j.sources)))
	j.sources = append(j.sources, s.Sources...)
	j.inputs = append(j.inputs, s)
	return nil
}

// chooseVariants takes the variants asked for, or all of the inputs, which must
// then have the same.
func (j *job) chooseVariants() error {
	first := j.inputs[0]
	j.variants = first.Variants()
	if names := j.opt.Variants; len(names) > 0 {
		j.variants = nil
		for _, name := range names {
			if _, err := variants.ByName(name); err != nil {
				return err
			}
		}
		for _, v := range variants.All() {
			if slices.Contains(names, v.Name) {
				j.variants = append(j.variants, v)
			}
		}
	}
	if len(j.variants) == 0 {
		return fmt.Errorf("%s: it has no rows", first.dir)
	}
	for _, s := range j.inputs {
		for _, v := range j.variants {
			if s.rows[v.Name] == 0 {
				return fmt.Errorf("%s: no rows of %s, it has %s: name the variants to take", s.dir, v.Name, namesOf(s.Variants()))
			}
			j.total += j.passes * s.rows[v.Name]
		}
		if have := s.Variants(); len(j.opt.Variants) == 0 && len(have) != len(j.variants) {
			return fmt.Errorf("%s has rows of %s, %s of %s: name the variants to take", s.dir, namesOf(have), first.dir, namesOf(j.variants))
		}
	}
	return nil
}

func namesOf(list []*engine.Variant) string {
	var names []string
	for _, v := range list {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// report tells that more rows of a pass are done.
func (j *job) report(rows int64) {
	j.done += rows
	if j.opt.Progress != nil {
		j.opt.Progress(j.done, j.total)
	}
}

// rows returns how many rows of a variant all inputs have.
func (j *job) rows(v *engine.Variant) (n int64) {
	for _, s := range j.inputs {
		n += s.rows[v.Name]
	}
	return n
}

// read calls use with all rows of a variant in their order, in one goroutine,
// after prepare, if not nil, has changed them in several. It counts them in c.
func (j *job) read(ctx context.Context, v *engine.Variant, c *Counts, prepare func(*Row) error, use func([]Row) error) error {
	for i, s := range j.inputs {
		err := s.each(ctx, v, j.opt.Workers, func(rows []Row) error {
			for k := range rows {
				rows[k].Source += j.offsets[i]
				if prepare == nil {
					continue
				}
				if err := prepare(&rows[k]); err != nil {
					return err
				}
			}
			return nil
		}, func(rows []Row) error {
			c.In += int64(len(rows))
			for k := range rows {
				c.PositionsIn += rows[k].Count
			}
			j.report(int64(len(rows)))
			return use(rows)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// spool begins to bring the rows of a variant together.
func (j *job) spool(v *engine.Variant, recordBytes int64) (*spool, error) {
	return newSpool(j.temp, cmp.Or(j.opt.Temp, filepath.Dir(j.out.final)), j.rows(v), recordBytes, j.opt.Memory)
}

// gather calls use with what load makes of each part of a spool, in the order
// of the parts, and counts it as a pass over the rows of a variant.
func gather[T any](ctx context.Context, j *job, v *engine.Variant, s *spool, load func(part int, yield func(T) error) error, use func(T) error) error {
	if err := s.finish(); err != nil {
		return err
	}
	n := int64(len(s.parts))
	type item struct {
		value T
		last  bool // no value: the part is done
	}
	part, rows := int64(0), j.rows(v)
	return ordered(ctx, j.opt.Workers, len(s.parts), func(_ context.Context, i int, yield func(item) error) error {
		if err := load(i, func(v T) error { return yield(item{value: v}) }); err != nil {
			return err
		}
		return yield(item{last: true})
	}, func(it item) error {
		if it.last {
			part++
			j.report(rows*part/n - rows*(part-1)/n)
			return nil
		}
		return use(it.value)
	})
}

// end commits the output if the step succeeded, else removes it.
func (j *job) end(err error) error {
	err = errors.Join(err, os.RemoveAll(j.temp))
	if err != nil {
		j.out.abort()
		if p := (*fs.PathError)(nil); errors.As(err, &p) && strings.HasPrefix(p.Path, j.out.dir) {
			return j.out.failed(err)
		}
		return err
	}
	return j.out.commit()
}

// write completes a training set in a directory of the output: its provenance
// and its card.
func (j *job) write(dir string, options any, files []VariantFiles, counts []Counts) (Provenance, error) {
	text, err := json.Marshal(options)
	if err != nil {
		panic(fmt.Sprintf("refine: %v", err)) // plain strings and numbers
	}
	p := Provenance{
		Schema: SchemaVersion, Sources: j.sources, Variants: files,
		Made: Step{Command: j.command, Options: text, Counts: counts},
	}
	for _, s := range j.inputs {
		p.Made.Inputs = append(p.Made.Inputs, s.stepInput())
	}
	text = p.marshal()
	if err := json.Unmarshal(text, &p); err != nil { // with its own hash
		panic(fmt.Sprintf("refine: %v", err))
	}
	err = writeFile(filepath.Join(dir, CardFile), card(&p))
	if err == nil {
		err = writeFile(filepath.Join(dir, ProvenanceFile), text)
	}
	return p, err
}

// writeEach makes a training set of one set of rows a variant: step writes them
// and counts what became of those it read.
func (j *job) writeEach(step func(v *engine.Variant, w *rowWriter, c *Counts) error) (Provenance, error) {
	var files []VariantFiles
	var counts []Counts
	for _, v := range j.variants {
		w := newRowWriter(j.out.dir, v.Name)
		c := Counts{Variant: v.Name}
		err := step(v, w, &c)
		if err == nil {
			err = w.close()
		}
		w.abort()
		if err != nil {
			return Provenance{}, err
		}
		c.Out, c.PositionsOut = w.made.Rows, w.made.Positions
		if c.Out == 0 {
			return Provenance{}, fmt.Errorf("%s: of %d rows of %s none is left: %s", j.inputs[0].dir, c.In, v.Name, c.LeftText())
		}
		files, counts = append(files, w.made), append(counts, c)
	}
	return j.write(j.out.dir, j.options, files, counts)
}
