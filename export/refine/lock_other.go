//go:build !unix

package refine

import "os"

// lockDir does nothing where the system has no advisory locks.
func lockDir(*os.File) error { return nil }
