package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// PendingFile is a file being written that gets its name only when it is
// complete: until Commit it stands under a name that begins with a dot in the
// same directory. Whoever reads sees the old content, the new, or none.
type PendingFile struct {
	file  *os.File
	final string
	done  bool // renamed or removed
}

// CreatePending begins a file that will be called path.
func CreatePending(path string) (*PendingFile, error) {
	pattern, err := tempPattern(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return &PendingFile{file: file, final: path}, nil
}

// Write implements io.Writer; its errors name the file.
func (f *PendingFile) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	if err != nil {
		err = fmt.Errorf("cannot write %s: %w", f.final, err)
	}
	return n, err
}

// Commit makes what was written durable and gives it its name. After an error
// the name stands for what it stood for before.
func (f *PendingFile) Commit() error {
	if err := f.complete(); err != nil {
		f.Abort()
		return err
	}
	return f.rename(f.final)
}

// complete makes the content durable under the temporary name.
func (f *PendingFile) complete() error {
	if err := errors.Join(f.file.Chmod(0o644), f.file.Sync(), f.file.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", f.final, err)
	}
	return nil
}

// rename gives the completed file its name, durably.
func (f *PendingFile) rename(path string) error {
	if err := os.Rename(f.file.Name(), path); err != nil {
		f.Abort()
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	f.done = true
	d, err := os.Open(filepath.Dir(path))
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Abort removes the file unless it has its name.
func (f *PendingFile) Abort() {
	if f.done {
		return
	}
	f.done = true
	_ = f.file.Close()           // closed already after complete
	_ = os.Remove(f.file.Name()) // RemoveStale finds what stays
}

// WriteFile writes a whole file: its name stands for the old content or the
// new, never for a part.
func WriteFile(path string, content []byte) error {
	f, err := CreatePending(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}
