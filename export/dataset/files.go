package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Every access to the files of a run, but for writing them (PendingFile), goes
// through the functions of this file, which tell directories from buckets.

// fileInfo is what is known of a file without opening it.
type fileInfo struct {
	name    string // without directories
	bytes   int64
	written time.Time
	regular bool
}

// openFile is a file to be read.
type openFile interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

// Join returns the path of a file in a run directory.
func Join(dir string, elem ...string) string {
	if InBucket(dir) {
		return strings.TrimRight(dir, "/") + path.Join("/", path.Join(elem...))
	}
	return filepath.Join(append([]string{dir}, elem...)...)
}

// AtOnce is how many files of a run directory are worth reading at a time: what
// a disk gives keeps the processors busy, an object store is waited for.
func AtOnce(dir string) int {
	const requests = 32
	if InBucket(dir) {
		return requests
	}
	return runtime.GOMAXPROCS(0)
}

// listFiles returns the files in a directory, in the order of their names, their
// sizes and times only on request; directories are left out. What does not
// exist has no files.
func listFiles(dir string, times bool) ([]fileInfo, error) {
	var files []fileInfo
	if InBucket(dir) {
		err := listBucket(dir, false, func(_ string, info fileInfo) error {
			files = append(files, info)
			return nil
		})
		return files, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	for _, e := range entries {
		file := fileInfo{name: e.Name(), regular: e.Type().IsRegular()}
		if times || e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			switch {
			case errors.Is(err, fs.ErrNotExist): // removed since, or a link to nothing
			case err != nil:
				return nil, fmt.Errorf("dataset: %w", err)
			case info.IsDir():
				continue
			default:
				file = fileInfo{e.Name(), info.Size(), info.ModTime(), info.Mode().IsRegular()}
			}
		}
		if !e.IsDir() {
			files = append(files, file)
		}
	}
	return files, nil
}

// statFile returns what is known of a file; fs.ErrNotExist if it is not there.
func statFile(path string) (fileInfo, error) {
	if InBucket(path) {
		return statObject(path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fileInfo{}, err
	}
	return fileInfo{filepath.Base(path), info.Size(), info.ModTime(), info.Mode().IsRegular()}, nil
}

// open opens a regular file and returns its size.
func open(path string) (openFile, int64, error) {
	if InBucket(path) {
		return openObject(path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: not a regular file", path) // it may have no end
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// openAny opens a file of any kind, pipes and devices included.
func openAny(path string) (io.ReadCloser, error) {
	if InBucket(path) {
		f, _, err := openObject(path)
		return f, err
	}
	return os.Open(path)
}

// readAll reads a whole regular file.
func readAll(path string) ([]byte, error) {
	f, _, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// removeFile removes a file; one that is not there is no error.
func removeFile(path string) error {
	if InBucket(path) {
		return removeObject(path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// moveFile gives a file another name in the same run directory.
func moveFile(from, to string) error {
	if InBucket(from) {
		return moveObject(from, to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// MakeDir makes a directory and those it is in; a bucket must be there.
func MakeDir(dir string) error {
	if err := CheckPlace(dir); err != nil || InBucket(dir) {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// Holds reports whether there is a file, or a directory with anything in it,
// of this name in a run directory.
func Holds(dir, name string) (bool, error) {
	path := Join(dir, name)
	if !InBucket(dir) {
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	_, err := statObject(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	enough := errors.New("enough")
	err = listBucket(path, true, func(string, fileInfo) error { return enough })
	if errors.Is(err, enough) {
		return true, nil
	}
	return false, err
}

// walkFiles calls f for every file below a directory, in the order of their
// paths; what does not exist has none.
func walkFiles(dir string, f func(path string)) error {
	if InBucket(dir) {
		return listBucket(dir, true, func(name string, _ fileInfo) error { f(Join(dir, name)); return nil })
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !e.IsDir():
			f(path)
		}
		return nil
	})
}

// ReadFile reads a whole file of at most limit bytes; more, for example all of
// a device without end, is an error.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := openAny(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s: longer than the %d bytes such a file may have", path, limit)
	}
	return content, nil
}
