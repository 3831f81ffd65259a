package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
)

// The test binary stands for the program itself where a test needs a process of
// its own, to be stopped or killed: with these variables set it runs main's run
// and no tests.
const (
	asProgram = "DRAUGHTLAB_TEST_AS_PROGRAM"
	// fileLimit is the size in bytes past which no file may grow; it stands
	// for a full disk.
	fileLimit = "DRAUGHTLAB_TEST_FILE_LIMIT"
)

func init() {
	if os.Getenv(asProgram) == "" {
		return
	}
	if n, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			panic(err)
		}
	}
	os.Exit(run(context.Background(), os.Args[1:]))
}

// program is draughtlab as a process.
type program struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// newProgram prepares a command line; the caller starts it.
func newProgram(t *testing.T, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: exec.Command(self, args...)}
	p.Cmd.Env = append(os.Environ(), asProgram+"=1")
	p.Cmd.Stdout, p.Cmd.Stderr = &p.stdout, &p.stderr
	t.Cleanup(func() {
		if p.Process != nil {
			_ = p.Process.Kill() // an error: it has ended
		}
	})
	return p
}

// start starts the process.
func (p *program) start(t *testing.T) {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
}

// end waits for the process and returns its exit code, -1 if a signal killed
// it.
func (p *program) end(t *testing.T) int {
	t.Helper()
	if err := p.Wait(); err != nil && p.ProcessState == nil {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}
