package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
)

// DamagedError says that a file of a run directory is not what its place says:
// cut off, changed, exchanged, or of another shard. Selfplay sets such files
// aside and makes them again, so that is what the error asks for.
type DamagedError struct {
	File string
	Err  error
}

// Error returns one line that names the file, the fault, and what to do.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: %v; run the same selfplay command again: it sets this file aside and makes it anew", e.File, e.Err)
}

// Unwrap returns the fault.
func (e *DamagedError) Unwrap() error { return e.Err }

// otherRunError says that a shard was written under another configuration than
// that of its run directory.
type otherRunError struct {
	file       string
	have, want string // hashes of configurations
}

func (e *otherRunError) Error() string {
	return fmt.Sprintf("%s: written under the configuration %s, the run has %s (its %s, or the shard before): one of them is another run's", e.file, e.have, e.want, ConfigFile)
}

// damaged makes a DamagedError, unless the operating system refused to read:
// that is the fault of a disk, a network or a limit of the process, and the file
// may be good.
func damaged(path, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	var errno syscall.Errno
	var store *storeError
	if errors.As(err, &errno) || errors.As(err, &store) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return &DamagedError{path, err}
}

// Shards lists the complete shards of a variant in a run directory, in order.
// Every reader begins here, so here is checked what is cheap to check: each
// file says to be the table, the variant and the shard that its name says,
// under the configuration of the run; no two shards share games; and where
// there is a manifest, files, sizes and hashes of rows are those it lists. It
// fails if the directory cannot be read.
func Shards(dir, variant string) ([]Shard, error) {
	shards, err := finished(dir, variant)
	if err != nil {
		return nil, err
	}
	listed, config, err := promised(dir, variant)
	if err != nil {
		return nil, err
	}
	end := int64(0)
	for _, s := range shards {
		have, meta, err := s.inspect(config)
		if err != nil {
			return nil, err
		}
		if have.First < end {
			return nil, damaged(s.Path(GamesTable), "holds the games [%d,%d), some of which the shard before it has", have.First, have.Last)
		}
		end, config = have.Last, meta.ConfigHash
		if want, ok := listed[s.Number]; ok {
			if err := s.compare(have, want); err != nil {
				return nil, err
			}
		}
	}
	return shards, nil
}

// finished lists the complete shards of a variant by the names of their files.
func finished(dir, variant string) ([]Shard, error) {
	if err := CheckDir(dir); err != nil {
		return nil, err
	}
	inv, err := TakeInventory(dir, variant, false)
	if err != nil {
		return nil, err
	}
	var shards []Shard
	for _, n := range slices.Sorted(maps.Keys(inv.Done)) {
		shards = append(shards, Shard{Dir: dir, Variant: variant, Number: n})
	}
	return shards, nil
}

// shardFiles returns the names in the directory of a table that a finished
// shard could have.
func shardFiles(dir string, t Table, variant string) ([]string, error) {
	files, err := listFiles(tableDir(dir, t, variant), false)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if shardName.MatchString(f.name) {
			names = append(names, f.name)
		}
	}
	return names, nil
}

// CheckDir reports why no run can be read from a directory.
func CheckDir(dir string) error {
	if dir == "" {
		return errors.New("the name of the dataset is empty: give the directory that selfplay wrote with --out")
	}
	if err := CheckPlace(dir); err != nil || InBucket(dir) {
		return err // a bucket has no directories
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory: give the one that selfplay wrote with --out", dir)
	}
	return nil
}

// promised returns what the manifest says of the shards of a variant, after it
// has compared the names of the files, and the hash of the configuration; both
// are empty where there is no such file.
func promised(dir, variant string) (map[int]ShardManifest, string, error) {
	config, err := ConfigHash(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("dataset: %w", err)
	}
	m, err := ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, config, nil
	}
	if err != nil {
		return nil, "", err
	}
	if config != "" && config != m.Config {
		return nil, "", fmt.Errorf("%s: changed after the run was complete: %s, whose configuration has the SHA-256 %s, is of another one", Join(dir, ConfigFile), ManifestFile, m.Config)
	}
	listed := map[int]ShardManifest{}
	known := map[string]bool{}
	for _, v := range m.Variants {
		if v.Variant != variant {
			continue
		}
		for _, sm := range v.Shards {
			listed[sm.Shard] = sm
			for _, t := range tables {
				path := Shard{dir, variant, sm.Shard}.Path(t)
				known[path] = true
				if info, err := statFile(path); err != nil || !info.regular {
					return nil, "", fmt.Errorf("%s: missing, %s lists it: run the same selfplay command again to play its games", path, ManifestFile)
				}
			}
		}
	}
	for _, t := range tables {
		names, err := shardFiles(dir, t, variant)
		if err != nil {
			return nil, "", err
		}
		for _, name := range names {
			path := Join(tableDir(dir, t, variant), name)
			if !known[path] {
				return nil, "", fmt.Errorf("%s: does not belong to the dataset, %s does not list it: move it away", path, ManifestFile)
			}
		}
	}
	return listed, m.Config, nil
}

// inspect reads what both files of a shard say of themselves and checks that
// it fits their place and, unless that is empty, the configuration. The hashes
// of the files' bytes are left empty.
func (s Shard) inspect(config string) (ShardManifest, metadata, error) {
	games, gm, err := inspectFile(s, gamesTable())
	if err != nil {
		return ShardManifest{}, gm, err
	}
	positions, pm, err := inspectFile(s, positionsTable())
	if err != nil {
		return ShardManifest{}, gm, err
	}
	if config == "" {
		config = gm.ConfigHash
	}
	for i, m := range []metadata{gm, pm} {
		path := s.Path(tables[i])
		switch {
		case m.Shard != s.Number:
			return ShardManifest{}, gm, damaged(path, "the file says to be shard %d", m.Shard)
		case m.ConfigHash != config: // which of the two is wrong is not known
			return ShardManifest{}, gm, &otherRunError{path, m.ConfigHash, config}
		case m.First >= m.Last:
			return ShardManifest{}, gm, damaged(path, "the file says to hold the games [%d,%d)", m.First, m.Last)
		}
	}
	if gm.First != pm.First || gm.Last != pm.Last {
		return ShardManifest{}, gm, damaged(s.Path(PositionsTable), "positions of the games [%d,%d), the shard has [%d,%d)", pm.First, pm.Last, gm.First, gm.Last)
	}
	return ShardManifest{Shard: s.Number, First: gm.First, Last: gm.Last, Games: games, Positions: positions}, gm, nil
}

func inspectFile[T any](s Shard, t tableOf[T]) (FileManifest, metadata, error) {
	r, err := openTable(s.Path(t.name), t, s.Variant)
	if err != nil {
		return FileManifest{}, metadata{}, err
	}
	defer r.close()
	return FileManifest{File: s.name(t.name), Bytes: r.bytes, Rows: r.rows, RowsSHA256: r.meta.RowsHash}, r.meta, nil
}

// compare compares what inspect found with the manifest.
func (s Shard) compare(have, want ShardManifest) error {
	for i, f := range [...][2]FileManifest{{have.Games, want.Games}, {have.Positions, want.Positions}} {
		switch path := s.Path(tables[i]); {
		case f[0].Bytes != f[1].Bytes:
			return damaged(path, "has %d bytes, %s says %d: truncated or replaced", f[0].Bytes, ManifestFile, f[1].Bytes)
		case f[0].Rows != f[1].Rows || f[0].RowsSHA256 != f[1].RowsSHA256:
			return damaged(path, "says to hold other rows than %s says: damaged or replaced", ManifestFile)
		}
	}
	return nil
}

// problemOf returns an error about a file, which need not be named twice.
func problemOf(path string, err error) Problem {
	var d *DamagedError
	if errors.As(err, &d) {
		return Problem{d.File, d.Err.Error()}
	}
	return Problem{path, strings.TrimPrefix(err.Error(), path+": ")}
}
