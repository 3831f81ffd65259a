//go:build unix

package match

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile keeps other processes from locking the file until it is closed.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
