package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// CreateOutput begins the file that a user named to be written. Symbolic links
// are followed. A device, a pipe or a terminal is written into at once; a
// regular file gets the new content at Commit and keeps its permissions. What
// killed processes of this host left of earlier tries is removed.
//
// It refuses, before anything is written, a name that cannot become a file:
// none, "-" (callers that can write to standard output look for it first), a
// directory, and what is in a directory that is not there. It also refuses to
// replace one of the inputs and the files a run directory consists of.
func CreateOutput(path string, inputs ...string) (*PendingFile, error) {
	f, err := createOutput(path, inputs)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", Quoted(path), err)
	}
	return f, nil
}

func createOutput(path string, inputs []string) (*PendingFile, error) {
	switch {
	case path == "":
		return nil, errors.New("the name is empty: name a file")
	case path == "-":
		return nil, errors.New("standard output is not possible here: name a file (./- if it is called so)")
	case os.IsPathSeparator(path[len(path)-1]):
		return nil, errors.New("it names a directory: name a file")
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, errors.New("it is a directory: name a file")
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, reason(err)
		}
		return &PendingFile{file: file, final: path, direct: true}, nil
	case err == nil:
		for _, input := range inputs {
			if in, err := os.Stat(input); err == nil && os.SameFile(in, info) {
				return nil, fmt.Errorf("it is the input %s: name another file", Quoted(input))
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, reason(err)
	}
	final, err := followLinks(path)
	if err != nil {
		return nil, err
	}
	if run := runOf(final); run != "" {
		return nil, fmt.Errorf("it belongs to the dataset in %s: name another file", Quoted(run))
	}
	f, err := createReplacing(final)
	if err != nil {
		return nil, err
	}
	f.final = path
	f.target = final
	if info != nil {
		f.mode = info.Mode().Perm()
	}
	return f, nil
}

// createReplacing begins a file that will be called path and removes what dead
// processes left of it.
func createReplacing(path string) (*PendingFile, error) {
	if err := removeDead(path); err != nil {
		return nil, err
	}
	pattern, err := tempPattern(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return nil, reason(err)
	}
	return &PendingFile{file: file, final: path, target: path, mode: 0o644}, nil
}

// removeDead removes the temporary files of processes of this host that were
// killed while they wrote path.
func removeDead(path string) error {
	own, err := tempPattern(filepath.Base(path))
	if err != nil {
		return err
	}
	begin := strings.TrimSuffix(own, fmt.Sprintf("%d.*.tmp", os.Getpid()))
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return reason(err)
	}
	end := regexp.MustCompile(`^(\d+)\.\d+\.tmp$`)
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), begin)
		m := end.FindStringSubmatch(rest)
		if !ours || m == nil {
			continue
		}
		if pid, err := strconv.Atoi(m[1]); err != nil || alive(pid) {
			continue
		}
		old := filepath.Join(filepath.Dir(path), e.Name())
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what a killed process left: %w", err)
		}
	}
	return nil
}

// followLinks returns the path without symbolic links; the file itself need
// not be there.
func followLinks(path string) (string, error) {
	const most = 40 // links, as Linux has it
	for range most {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return "", fmt.Errorf("there is no directory %s: make it first", Quoted(filepath.Dir(path)))
			}
			return "", reason(err)
		}
		path = filepath.Join(dir, filepath.Base(path))
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", reason(err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", reason(err)
		}
		if path = link; !filepath.IsAbs(link) {
			path = filepath.Join(dir, link)
		}
	}
	return "", errors.New("too many symbolic links")
}

// runOf returns the run directory that a path without links belongs to: one
// with a config.json of which the path is a file of the dataset, or in one of
// the directories of its tables. It returns "" if there is none.
func runOf(path string) string {
	isRun := func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, ConfigFile))
		return err == nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "" // without a working directory there is no run in it
	}
	dir, name := filepath.Dir(absolute), filepath.Base(absolute)
	if name == ConfigFile || name == ManifestFile || name == CardFile {
		if isRun(dir) {
			return dir
		}
	}
	for dir != filepath.Dir(dir) {
		up := filepath.Dir(dir)
		for _, t := range tables {
			if filepath.Base(dir) == string(t) && isRun(up) {
				return up
			}
		}
		dir = up
	}
	return ""
}

// Quoted returns a file's name as it can stand in a line of text: quoted if it
// has control characters or cannot be seen.
func Quoted(path string) string {
	if path == "" || !isText(path) {
		return strconv.Quote(path)
	}
	return path
}

// reason is the error without the path and the call, which CreateOutput names.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
