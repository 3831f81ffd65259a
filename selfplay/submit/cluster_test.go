package submit

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cluster is a real Slurm of three nodes on this machine (testdata/slurm.sh),
// with draughtlab built from the source at hand.
type cluster struct {
	dir, conf string
	binary    string
	stdin     io.Writer
	stdout    *bufio.Reader
}

// clusterNodes is the number of its nodes, n1 to n3, of two processors each.
const clusterNodes = 3

// patience is how long the tests wait for what takes some seconds; after it
// something hangs.
const patience = 3 * time.Minute

// startCluster starts a cluster that ends with the test, or with the process
// that runs it. Without Slurm it skips the test, but not where
// DRAUGHTLAB_CI says that nothing may be skipped.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	for _, program := range []string{"slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("DRAUGHTLAB_CI") != "" {
				t.Fatalf("%s is missing, and DRAUGHTLAB_CI says that this test must run: install Slurm (Debian: slurm-wlm)", program)
			}
			t.Skipf("%s is missing: install Slurm (Debian: slurm-wlm) to test against it", program)
		}
	}
	// Unix sockets of Slurm need a short path.
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := &cluster{dir: dir, conf: filepath.Join(dir, "slurm.conf"), binary: buildProgram(t, dir)}
	cmd := exec.Command("bash", "testdata/slurm.sh", dir, strconv.Itoa(clusterNodes), strconv.Itoa(freePorts(t, clusterNodes+1)))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C in a terminal is not for it
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdin = stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdout = bufio.NewReader(stdout)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait() // it has said what is wrong
	})
	c.answer(t, "start")
	return c
}

// buildProgram builds draughtlab into a directory and returns its path.
func buildProgram(t *testing.T, dir string) string {
	t.Helper()
	binary := filepath.Join(dir, "draughtlab")
	if out, err := exec.Command("go", "build", "-o", binary, "draughtlab/cmd/draughtlab").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return binary
}

// freePorts returns the first of n ports in a row that nobody listens on.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for first := 20000 + os.Getpid()%4096; first < 32000; first += n {
		free := true
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprintf(":%d", first+i))
			if free = free && err == nil; err == nil {
				l.Close()
			}
		}
		if free {
			return first
		}
	}
	t.Fatal("no free ports from 20000 to 32000")
	return 0
}

// command has the cluster's script do something; see there.
func (c *cluster) command(t *testing.T, text string) {
	t.Helper()
	if _, err := fmt.Fprintln(c.stdin, text); err != nil {
		t.Fatal(err)
	}
	c.answer(t, text)
}

func (c *cluster) answer(t *testing.T, text string) {
	t.Helper()
	line, err := c.stdout.ReadString('\n')
	if err != nil || line != "ok\n" {
		t.Fatalf("slurm.sh: %s: %q, %v", text, line, err)
	}
}

// run runs a program with the cluster's configuration, in a directory that is
// not the run's, and returns its output.
func (c *cluster) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := c.try(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c *cluster) try(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "SLURM_CONF="+c.conf)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", cmd, err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// wait waits until something is so.
func wait(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %s for: %s", patience, what)
		}
	}
}

// clusterProcess is a process of draughtlab that a task runs.
type clusterProcess struct {
	pid  int
	node string
}

// players returns the processes that play a task of the run in dir.
func (c *cluster) players(dir string, task int) []clusterProcess {
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		panic(err) // the pattern is right
	}
	var found []clusterProcess
	for _, path := range paths {
		environ, _ := os.ReadFile(path) // an error: it has ended, or is not ours
		if len(environ) == 0 {
			continue
		}
		env := map[string]string{}
		for word := range strings.SplitSeq(string(environ), "\x00") {
			name, value, _ := strings.Cut(word, "=")
			env[name] = value
		}
		exe, _ := os.Readlink(filepath.Join(filepath.Dir(path), "exe"))
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(path), "cwd"))
		if exe != c.binary || cwd != dir || env["SLURM_CONF"] != c.conf || env["SLURM_ARRAY_TASK_ID"] != strconv.Itoa(task) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil {
			found = append(found, clusterProcess{pid, env["SLURMD_NODENAME"]})
		}
	}
	return found
}

// player waits for the one process that plays a task.
func (c *cluster) player(t *testing.T, dir string, task int) clusterProcess {
	t.Helper()
	var found []clusterProcess
	wait(t, fmt.Sprintf("a process of task %d", task), func() bool {
		found = c.players(dir, task)
		return len(found) == 1
	})
	return found[0]
}

func (p clusterProcess) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(p.pid, s); err != nil {
		t.Fatalf("kill -%d %d: %v", s, p.pid, err)
	}
}

// hasPending reports whether a signal waits until a stopped process goes on.
func (p clusterProcess) hasPending(s syscall.Signal) bool {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid)) // an error: it has ended
	for line := range strings.Lines(string(status)) {
		if mask, ok := strings.CutPrefix(line, "ShdPnd:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return err == nil && bits>>(uint(s)-1)&1 == 1
		}
	}
	return false
}
