package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// Table names one of the two tables of a dataset.
type Table string

// The tables.
const (
	GamesTable     Table = "games"
	PositionsTable Table = "positions"
)

// tables lists them in the order in which they are read and hashed.
var tables = [...]Table{GamesTable, PositionsTable}

// The files of a run directory.
const (
	// ConfigFile is written by whoever plays; the dataset keeps its hash only.
	ConfigFile = "config.json"
	// ManifestFile lists every file of a complete dataset.
	ManifestFile = "manifest.json"
	// CardFile describes the dataset to its readers.
	CardFile = "DATASET.md"
)

// Shard is one shard of one variant in a run directory.
type Shard struct {
	Dir     string
	Variant string
	Number  int
}

// Path returns the file of one table of the shard under its final name: what
// exists there is complete.
func (s Shard) Path(t Table) string {
	return filepath.Join(s.Dir, filepath.FromSlash(s.name(t)))
}

// name is Path relative to the run directory, with slashes.
func (s Shard) name(t Table) string {
	return fmt.Sprintf("%s/variant=%s/shard-%05d.parquet", t, s.Variant, s.Number)
}

// Done reports whether both files of the shard exist under their final names.
func (s Shard) Done() bool {
	for _, t := range tables {
		if info, err := os.Stat(s.Path(t)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// ShardDone reports whether a shard is complete.
func ShardDone(dir, variant string, shard int) bool {
	return Shard{Dir: dir, Variant: variant, Number: shard}.Done()
}

// Files under names that begin with a dot are in the making: readers of Hive
// directories skip them.
//
//	.shard-00017.HOST.PID.RANDOM.tmp  being written by a process
//	.shard-00017.PLAYED.partial       a suspended shard whose first PLAYED games are done
var (
	shardName   = regexp.MustCompile(`^shard-(\d{5,})\.parquet$`)
	tempName    = regexp.MustCompile(`^\.(.+)\.(\d+)\.\d+\.tmp$`)
	partialName = regexp.MustCompile(`^\.shard-(\d{5,})\.(\d+)\.partial$`)
)

// temp returns the pattern for os.CreateTemp of a file that will be called
// name; host and process are in it so that RemoveStale can tell whose it is.
func tempPattern(name string) (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("name of this host: %w", err)
	}
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	return fmt.Sprintf(".%s.%s.%d.*.tmp", stem, host, os.Getpid()), nil
}

// RemoveStale removes what is of no use any more in a run directory: temporary
// files that processes of this host left when they were killed, and suspended
// parts of shards that are complete. Files of running processes and of other
// hosts stay.
func RemoveStale(dir string) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("name of this host: %w", err)
	}
	return walk(dir, func(path, name string) error {
		if !stale(dir, path, name, host) {
			return nil
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove a file of no use any more: %w", err)
		}
		return nil
	})
}

func stale(dir, path, name, host string) bool {
	if pid, ok := tempOwner(name, host); ok {
		return pid != os.Getpid() && !alive(pid)
	}
	if m := partialName.FindStringSubmatch(name); m != nil {
		n, err := strconv.Atoi(m[1])
		variant := strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "variant=")
		return err == nil && ShardDone(dir, variant, n)
	}
	return false
}

// tempOwner returns the process that writes or wrote a temporary file; ok is
// false for other files and for processes of other hosts.
func tempOwner(name, host string) (pid int, ok bool) {
	m := tempName.FindStringSubmatch(name)
	if m == nil || !strings.HasSuffix(m[1], "."+host) {
		return 0, false
	}
	pid, err := strconv.Atoi(m[2])
	return pid, err == nil
}

// alive reports whether a process of this host runs; in doubt it does.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}

// walk calls f for every file in the directory itself and in those of its
// shards, in the order of their names; what does not exist has no files.
func walk(dir string, f func(path, name string) error) error {
	dirs := []string{dir}
	for _, t := range tables {
		for _, name := range variants.Names() {
			dirs = append(dirs, filepath.Join(dir, string(t), "variant="+name))
		}
	}
	for _, d := range dirs {
		entries, err := os.ReadDir(d)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			if err := f(filepath.Join(d, e.Name()), e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Variants lists the games a run directory has complete shards of, in the
// order of variants.All. It fails if there are none.
func Variants(dir string) ([]*engine.Variant, error) {
	var found []*engine.Variant
	for _, v := range variants.All() {
		shards, err := Shards(dir, v.Name)
		if err != nil {
			return nil, err
		}
		if len(shards) > 0 {
			found = append(found, v)
		}
	}
	if len(found) == 0 {
		if _, err := os.Stat(filepath.Join(dir, ConfigFile)); err == nil {
			return nil, fmt.Errorf("%s: no finished shards yet: run the same selfplay command again to go on", dir)
		}
		return nil, fmt.Errorf("%s: no finished shards here: give the directory that selfplay wrote with --out", dir)
	}
	return found, nil
}
