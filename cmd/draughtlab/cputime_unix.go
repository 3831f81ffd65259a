//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time this process has used, that of the system
// included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
