//go:build !unix

package match

import "os"

// lockFile does nothing where the system has no advisory locks.
func lockFile(*os.File) error { return nil }
