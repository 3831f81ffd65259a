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
	"time"

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
	return Join(s.Dir, s.name(t))
}

// name is Path relative to the run directory, with slashes.
func (s Shard) name(t Table) string {
	return fmt.Sprintf("%s/variant=%s/%s", t, s.Variant, baseName(s.Number))
}

// baseName is the name of the files of a shard, without directories.
func baseName(number int) string { return fmt.Sprintf("shard-%05d.parquet", number) }

// tableDir is where the files of one variant in a table are.
func tableDir(dir string, t Table, variant string) string {
	return Join(dir, string(t), "variant="+variant)
}

// Done reports whether both files of the shard exist under their final names.
func (s Shard) Done() bool {
	for _, t := range tables {
		if info, err := statFile(s.Path(t)); err != nil || !info.regular {
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
	shardName     = regexp.MustCompile(`^shard-(\d{5,})\.parquet$`)
	tempName      = regexp.MustCompile(`^\.(.+)\.(\d+)\.\d+\.tmp$`)
	tempShardName = regexp.MustCompile(`^\.shard-(\d{5,})\..+\.\d+\.\d+\.tmp$`)
	partialName   = regexp.MustCompile(`^\.shard-(\d{5,})\.(\d+)\.partial$`)
)

// host names this host, and where processes have numbers of their own
// (containers) those: a process number means a process only within them.
func host() (string, error) {
	name, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("name of this host: %w", err)
	}
	if space, err := os.Readlink("/proc/self/ns/pid"); err == nil {
		name += "-" + strings.Trim(space, "pid:[]")
	}
	return name, nil
}

// temp returns the pattern for os.CreateTemp of a file that will be called
// name; host and process are in it so that RemoveStale can tell whose it is.
func tempPattern(name string) (string, error) {
	host, err := host()
	if err != nil {
		return "", err
	}
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	return fmt.Sprintf(".%s.%s.%d.*.tmp", stem, host, os.Getpid()), nil
}

// RemoveStale removes what is of no use any more in a run directory: temporary
// files that processes of this host left when they were killed, and all that is
// suspended or in the making of shards that are complete, whoever's it is: a
// process that is still writing such a shard would come to the same bytes, and
// finds it done. Other files of running processes and of other hosts stay.
func RemoveStale(dir string) error {
	host, err := host()
	if err != nil {
		return err
	}
	files, err := listFiles(dir, false)
	if err != nil {
		return err
	}
	if err := removeStale(dir, files, host, nil); err != nil {
		return err
	}
	for _, variant := range variants.Names() {
		inv, err := TakeInventory(dir, variant, false)
		if err != nil {
			return err
		}
		for i, t := range tables {
			if err := removeStale(tableDir(dir, t, variant), inv.files[i], host, inv.Done); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeStale removes those of the files in a directory that are of no use,
// these shards being done.
func removeStale(dir string, files []fileInfo, host string, done map[int]time.Time) error {
	for _, f := range files {
		pid, ours := tempOwner(f.name, host)
		dead := ours && pid != os.Getpid() && !alive(pid)
		n, state := shardOf(f.name)
		_, over := done[n]
		if dead || over && (state == suspended || state == inTheMaking) {
			if err := removeFile(Join(dir, f.name)); err != nil {
				return fmt.Errorf("remove a file of no use any more: %w", err)
			}
		}
	}
	return nil
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
		if _, err := statFile(Join(dir, ConfigFile)); err == nil {
			return nil, fmt.Errorf("%s: no finished shards yet: run the same selfplay command again to go on", dir)
		}
		return nil, fmt.Errorf("%s: no finished shards here: give the directory that selfplay wrote with --out", dir)
	}
	return found, nil
}
