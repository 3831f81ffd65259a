package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"draughtlab/export/dataset"
)

// inCI is the environment variable under which a missing tool fails a test
// instead of leaving it out.
const inCI = "DRAUGHTLAB_CI"

// needTool leaves a test out where a program is not installed.
func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv(inCI) != "" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
}

// Protects the promise that nothing is lost and nothing there twice: killed at a
// hundred random moments, each run comes to the same bytes in the end. A run
// that gets to its end between kills is compared, and another one begun.
func TestSelfplayKilledAtRandom(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 10
	}
	if text := os.Getenv("DRAUGHTLAB_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("random moments of the seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	began := time.Now()
	brief.finish(t, t.TempDir())
	whole := time.Since(began)
	dir, runs := t.TempDir(), 0
	for killed := 0; killed < kills; {
		p := brief.program(t, dir)
		p.start(t)
		time.Sleep(time.Duration(rng.Float64() * float64(whole)))
		_ = p.Process.Kill() // an error: it has ended
		switch code := p.end(t); code {
		case -1:
			killed++
		case exitOK:
			brief.compare(t, dir)
			dir, runs = t.TempDir(), runs+1
		default:
			t.Fatalf("exit code %d after %d kills: %s", code, killed, p.stderr.String())
		}
	}
	brief.finish(t, dir)
	t.Logf("%d runs, a whole one took %v", runs+1, whole)
}

// Protects the moments that chance does not find: killed on entering each system
// call that makes something durable or gives it a name, the run comes to the
// same bytes when it is started again.
func TestSelfplayKilledBetweenSystemCalls(t *testing.T) {
	needTool(t, "strace")
	if out, err := exec.Command("strace", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("no process may be traced here: %v: %s", err, out)
	}
	step := 1
	if testing.Short() {
		step = 4
	}
	for _, call := range []string{"fsync", "renameat", "linkat", "unlinkat"} {
		kills := 0
		for nth := 1; ; nth += step {
			dir := filepath.Join(t.TempDir(), "run")
			p := brief.program(t, dir)
			p.Cmd.Args = append([]string{
				"strace", "-f", "-qq", "-o", os.DevNull, "-e", "trace=" + call,
				"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, nth), p.Cmd.Path,
			}, p.Cmd.Args[1:]...)
			p.Cmd.Path, p.Cmd.Err = exec.LookPath("strace")
			p.start(t)
			if code := p.end(t); code == exitOK {
				brief.compare(t, dir) // there is no such call
				break
			}
			if p.stderr.Len() > 0 && strings.Contains(p.stderr.String(), "strace:") {
				t.Fatalf("%s", p.stderr.String())
			}
			kills++
			brief.finish(t, dir)
		}
		t.Logf("%s: killed at %d", call, kills)
		if kills == 0 {
			t.Errorf("%s was never called", call)
		}
	}
}

// Protects a run on which a scheduler ends its patience: ten seconds after
// SIGTERM comes SIGKILL. Games that would take for ever are given up, those
// that were finished are kept, and the exit code says so.
func TestSelfplayTerminated(t *testing.T) {
	dir := t.TempDir()
	args := []string{"selfplay", "--variant", "russian", "--nodes", "2000000000", "--depth", "60", "--games", "2", "--seed", "1", "--out", dir}
	for wait := 500 * time.Millisecond; wait < 10*time.Second; wait *= 2 {
		p := newProgram(t, args...)
		p.start(t)
		time.Sleep(wait)
		if err := p.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		patience := time.AfterFunc(10*time.Second, func() { _ = p.Process.Kill() })
		code := p.end(t)
		patience.Stop()
		if code == -1 && p.stderr.Len() == 0 || code == exitInterrupted && !strings.Contains(p.stderr.String(), "games: ") {
			continue // too slow a start
		}
		if code != exitInterrupted || !strings.Contains(p.stderr.String(), "after 0 of 2 games") {
			t.Errorf("exit code %d, stderr %q", code, p.stderr.String())
		}
		for _, name := range namesIn(t, dir) {
			if filepath.Ext(name) != ".json" {
				t.Errorf("%s was left", name)
			}
		}
		return
	}
	t.Error("it was never ready for a signal")
}

// Protects against clocks: files that are from the future or of 1970, as after a
// clock was set back, change nothing.
func TestSelfplayClockSetBack(t *testing.T) {
	for _, at := range []time.Time{time.Unix(0, 0), time.Now().AddDate(30, 0, 0)} {
		dir := t.TempDir()
		p := disturbed.program(t, dir)
		p.start(t)
		waitForShards(t, dir, 2)
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		p.end(t)
		for _, name := range namesIn(t, dir) {
			if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		out, _, err := statusInProcess(dir)
		if err != nil || !strings.Contains(out, "of 6 shards done") || !strings.Contains(out, "not known yet") {
			t.Errorf("status: %v\n%s", err, out)
		}
		disturbed.finish(t, dir)
	}
}

// Protects a run from files under final names that are none of its shards: they
// are told of, kept, and made anew. No other command takes them for data.
func TestSelfplayDamaged(t *testing.T) {
	other := t.TempDir()
	if _, _, err := selfplayInProcess("--variant", "croda", "--engine", "random", "--games", "50", "--shard-games", "20", "--tables", "0", "--seed", "6", "--out", other); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(path string, text []byte) []byte{
		"empty":       func(string, []byte) []byte { return nil },
		"truncated":   func(_ string, text []byte) []byte { return text[:len(text)*2/3] },
		"bit-flipped": func(_ string, text []byte) []byte { text[len(text)/3] ^= 4; return text },
		"foreign":     func(string, []byte) []byte { return []byte("PAR1 is how it begins, and ends with PAR1") },
		"another run's": func(path string, _ []byte) []byte {
			text, err := os.ReadFile(filepath.Join(other, path))
			if err != nil {
				t.Fatal(err)
			}
			return text
		},
	} {
		for _, table := range []string{"games", "positions"} {
			for _, complete := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s, complete %v", name, table, complete), func(t *testing.T) {
					damageAndRepair(t, table+"/variant=croda/shard-00001.parquet", complete, spoil)
				})
			}
		}
	}
}

func damageAndRepair(t *testing.T, name string, complete bool, spoil func(string, []byte) []byte) {
	dir := t.TempDir()
	if _, _, err := brief.inProcess(dir); err != nil {
		t.Fatal(err)
	}
	if !complete {
		for _, lost := range []string{dataset.ManifestFile, dataset.CardFile, "games/variant=frisian/shard-00000.parquet"} {
			if err := os.Remove(filepath.Join(dir, lost)); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = spoil(name, text)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	out, _, err := statusInProcess(dir, "--check")
	if err != nil || !strings.Contains(out, "shard 1 is damaged: "+path) {
		t.Errorf("status: %v\n%s", err, out)
	}
	want := "1\n"
	if !complete {
		want = "1,3\n"
	}
	if out, _, err := statusInProcess(dir, "--check", "--array"); err != nil || out != want {
		t.Errorf("status --array: %v, %q, want %q", err, out, want)
	}
	_, log, err := brief.inProcess(dir)
	if err != nil || !strings.Contains(log, path) || !strings.Contains(log, "set aside as") {
		t.Fatalf("%v: %s", err, log)
	}
	aside := filepath.Join(dir, dataset.DamagedDir)
	kept, err := os.ReadFile(filepath.Join(aside, name))
	if err != nil || string(kept) != string(text) {
		t.Errorf("set aside: %v, %d bytes, want %d", err, len(kept), len(text))
	}
	if err := os.RemoveAll(aside); err != nil {
		t.Fatal(err)
	}
	brief.compare(t, dir)
}

// Protects a cluster on which an orphaned task still writes shards when its twin
// and the final run have been there: it ends well, and changes nothing.
func TestSelfplayOrphan(t *testing.T) {
	dir := t.TempDir()
	orphan := disturbed.program(t, dir)
	orphan.start(t)
	waitForShards(t, dir, 1)
	if err := orphan.Process.Signal(syscall.SIGSTOP); err != nil { // in the middle of a shard
		t.Fatal(err)
	}
	finishing := disturbed.program(t, dir)
	finishing.start(t)
	if code := finishing.end(t); code != exitOK {
		t.Fatalf("exit code %d: %s", code, finishing.stderr.String())
	}
	if err := orphan.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if code := orphan.end(t); code != exitOK {
		t.Errorf("the orphan's exit code %d: %s", code, orphan.stderr.String())
	}
	disturbed.compare(t, dir)
}

// Protects shards played apart, in any order and some twice, as tasks of an
// array are: together they are the run, which the last process completes.
func TestSelfplayShards(t *testing.T) {
	dir := t.TempDir()
	if out, _, err := brief.inProcess(dir, "--plan"); err != nil || !strings.Contains(out, "config.json: 6 shards, 0-5") {
		t.Fatalf("%v: %s", err, out)
	}
	config := filepath.Join(dir, dataset.ConfigFile)
	for _, c := range []struct{ shards, left string }{
		{"4-9", "0-3\n"},
		{"1", "0,2-3\n"},
		{"0-1", "2-3\n"},
		{"2,3", ""},
	} {
		out, log, err := selfplayInProcess("--config", config, "--out", dir, "--shards", c.shards)
		if err != nil || !strings.HasSuffix(out, " games done\n") {
			t.Fatalf("shards %s: %v: %s%s", c.shards, err, out, log)
		}
		if out, _, err := statusInProcess(dir, "--array"); err != nil || out != c.left {
			t.Errorf("after shards %s: %q, want %q (%v)", c.shards, out, c.left, err)
		}
		if _, err := os.Stat(filepath.Join(dir, dataset.ManifestFile)); err == nil {
			t.Errorf("a manifest after shards %s", c.shards)
		}
	}
	if _, _, err := selfplayInProcess("--config", config, "--out", dir); err != nil {
		t.Fatal(err)
	}
	brief.compare(t, dir)
	for _, bad := range []string{"6", "3-1", "-1", "a", "1,,2", "0-1-2", " 1", "99999999999"} {
		_, _, err := selfplayInProcess("--config", config, "--out", dir, "--shards", bad)
		wantError(t, err, strconv.Quote(bad))
	}
}
