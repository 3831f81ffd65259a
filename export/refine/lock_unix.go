//go:build unix

package refine

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockDir keeps other processes from locking the directory until it is closed.
func lockDir(d *os.File) error { return unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
