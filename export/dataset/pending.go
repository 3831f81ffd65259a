package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// PendingFile is a file being written that gets its name only when it is
// complete: until Commit it stands under a name that begins with a dot in the
// same directory. Whoever reads sees the old content, the new, or none.
type PendingFile struct {
	file   *os.File
	final  string      // as its user knows it
	target string      // final without symbolic links
	mode   os.FileMode // permissions it will have
	direct bool        // no regular file: written into at once, not replaced
	done   bool        // renamed or removed
}

// CreatePending begins a file that will be called path, for files a program
// names itself; CreateOutput is for those that users do.
func CreatePending(path string) (*PendingFile, error) {
	if InBucket(path) {
		file, err := nameless()
		return &PendingFile{file: file, final: path, target: path}, err
	}
	pattern, err := tempPattern(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", Quoted(path), reason(err))
	}
	return &PendingFile{file: file, final: path, target: path, mode: 0o644}, nil
}

// Target returns the file that will be replaced, without symbolic links; "" for
// a device or a pipe.
func (f *PendingFile) Target() string { return f.target }

// Write implements io.Writer; its errors name the file.
func (f *PendingFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	if err != nil {
		err = f.failed(err)
	}
	return n, err
}

// failed names the file.
func (f *PendingFile) failed(err error) error {
	return fmt.Errorf("cannot write %s: %w", Quoted(f.final), reason(err))
}

// Commit makes what was written durable and gives it its name. After an error
// the name stands for what it stood for before.
func (f *PendingFile) Commit() error {
	if f.direct {
		f.done = true
		if err := f.file.Close(); err != nil {
			return f.failed(err)
		}
		return nil
	}
	if err := f.complete(); err != nil {
		f.Abort()
		return err
	}
	return f.publish(f.target, true)
}

// CommitNew is Commit for a name that must not stand for anything yet: the error
// is fs.ErrExist if another process was faster.
func (f *PendingFile) CommitNew() error {
	if err := f.complete(); err != nil {
		f.Abort()
		return err
	}
	if InBucket(f.target) {
		return f.upload(f.target, false)
	}
	// A link, unlike a rename, never replaces what another process put there.
	// Where a file system knows no links, a rename must do.
	err := os.Link(f.file.Name(), f.target)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return f.publish(f.target, true)
	}
	f.Abort()
	if err != nil {
		return f.failed(err)
	}
	return syncDir(f.target)
}

// complete makes the content durable under the temporary name; what goes to a
// bucket is durable there only, after publish.
func (f *PendingFile) complete() error {
	if InBucket(f.target) {
		return nil
	}
	err := f.file.Chmod(f.mode)
	if err == nil {
		err = f.file.Sync()
	}
	if closing := f.file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return f.failed(err)
	}
	return nil
}

// upload sends the content to a bucket.
func (f *PendingFile) upload(path string, replace bool) error {
	defer f.Abort()
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return f.failed(err)
	}
	if err := upload(path, f.file, replace); err != nil {
		return f.failed(err)
	}
	return nil
}

// publish gives the completed file its name, durably. What has that name
// already is replaced; in a bucket it stays, and is taken for the same file,
// unless replace is true.
func (f *PendingFile) publish(path string, replace bool) error {
	if InBucket(path) {
		err := f.upload(path, replace)
		if errors.Is(err, fs.ErrExist) {
			return nil // another process was faster
		}
		return err
	}
	if err := os.Rename(f.file.Name(), path); err != nil {
		f.Abort()
		if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
			err = errors.New("a directory has this name: move it away")
		}
		return fmt.Errorf("cannot write %s: %w", Quoted(path), err)
	}
	f.done = true
	return syncDir(path)
}

// syncDir makes the name of a file durable.
func syncDir(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err == nil {
		err = d.Sync()
		if closing := d.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", Quoted(path), err)
	}
	return nil
}

// Abort removes the file unless it has its name. What was written into a
// device or a pipe stays written.
func (f *PendingFile) Abort() {
	if f.done {
		return
	}
	f.done = true
	_ = f.file.Close() // closed already after complete
	if !f.direct {
		_ = os.Remove(f.file.Name()) // what stays, RemoveStale finds, or the next try
	}
}

// WriteFile writes a whole file: its name stands for the old content or the
// new, never for a part. What killed processes left of earlier tries is
// removed.
func WriteFile(path string, content []byte) error {
	create := createReplacing
	if InBucket(path) {
		create = CreatePending
	}
	f, err := create(path)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", Quoted(path), err)
	}
	if _, err := f.Write(content); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}
