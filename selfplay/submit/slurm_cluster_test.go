package submit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"draughtlab/selfplay"
)

// TestMain lets the tests of the cluster run at the same time: they wait more
// than they work.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err) // the flag of package testing
	}
	os.Exit(m.Run())
}

// These tests protect the promise of the whole: whatever happens to tasks,
// nodes and controller of a real Slurm, the dataset is whole at the end and has
// the hash of the same run on one machine. Each test also looks that what it
// did to the cluster did happen.

// clusterPlan is the run that they all play: 24 shards, eight a task, so that a
// task whose first shard is there has some time to go.
var clusterPlan = []string{
	"selfplay", "--variant", "russian", "--games", "24", "--shard-games", "1",
	"--nodes", "10000", "--tables", "2", "--seed", "7", "--quiet",
}

const clusterPerTask = 8

func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes two minutes")
	}
	c := startCluster(t)
	local := filepath.Join(c.dir, "local")
	c.run(t, c.binary, append(clusterPlan, "--out", local)...)
	want := c.run(t, c.binary, "hash", local)

	// Those that leave nodes and controller alone do so at the same time.
	t.Run("tasks", func(t *testing.T) {
		for name, test := range map[string]func(*testing.T, *slurmRun){
			"plain":      testPlain,
			"killed":     testKilled,
			"cancelled":  testCancelled,
			"time limit": testTimeLimit,
			"missing":    testMissing,
			"given up":   testGivenUp,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, newSlurmRun(t, c, name, want))
			})
		}
	})
	t.Run("controller", func(t *testing.T) { testController(t, newSlurmRun(t, c, "controller", want)) })
	t.Run("node", func(t *testing.T) { testNode(t, newSlurmRun(t, c, "node", want)) })
	t.Run("orphan", func(t *testing.T) { testOrphan(t, newSlurmRun(t, c, "orphan", want)) })
}

// slurmRun is a planned run on the cluster.
type slurmRun struct {
	*cluster
	Slurm
	script string
	want   string // hash of the local run
}

// newSlurmRun plans the run in a directory with the most awkward of names.
func newSlurmRun(t *testing.T, c *cluster, name, want string) *slurmRun {
	t.Helper()
	dir := filepath.Join(c.dir, name, `it's "$HOME" %j`)
	c.run(t, c.binary, append(clusterPlan, "--out", dir, "--plan")...)
	config, err := selfplay.ReadConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &slurmRun{
		cluster: c,
		Slurm:   Slurm{Run: Run{Config: config, PerTask: clusterPerTask, CPUs: 1, Retries: 2}, Binary: c.binary, Dir: dir, Lead: 20},
		script:  filepath.Join(c.dir, name, "run it.sh"),
		want:    want,
	}
}

var submitted = regexp.MustCompile(`^tasks ([0-9,-]+|none): job (\d+|none); then job (\d+),`)

// submit submits the run and returns the tasks and the number of the array.
func (r *slurmRun) submit(t *testing.T) (tasks, array string) {
	t.Helper()
	text, err := r.Script()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.script, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := r.run(t, "bash", r.script)
	m := submitted.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("the script says %q", out)
	}
	return m[1], m[2]
}

// ended waits until no job of the run is queued or running. The controller may
// be down meanwhile.
func (r *slurmRun) ended(t *testing.T) {
	t.Helper()
	wait(t, "the last job", func() bool {
		out, err := r.try("squeue", "--noheader", "--format=%Z")
		return err == nil && !strings.Contains(out, r.Dir)
	})
}

// whole waits for the end of the run and looks at the dataset.
func (r *slurmRun) whole(t *testing.T) {
	t.Helper()
	r.ended(t)
	if _, err := os.Stat(filepath.Join(r.Dir, "manifest.json")); err != nil {
		t.Fatalf("no manifest at the end; %s", r.logs())
	}
	if got := r.run(t, r.binary, "hash", r.Dir); got != r.want {
		t.Errorf("the hash is %s, of the local run %s", got, r.want)
	}
	for _, want := range []string{" holds: 24 games, ", "Draw rates:"} {
		if !strings.Contains(r.logs(), want) {
			t.Errorf("no %q in the logs: %s", want, r.logs())
		}
	}
}

// logs returns all logs of the run.
func (r *slurmRun) logs() string {
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(r.script), "*", "slurm", "*.log"))
	if err != nil {
		panic(err) // the pattern is right
	}
	var b strings.Builder
	for _, path := range paths {
		text, _ := os.ReadFile(path) // what cannot be read is not shown
		fmt.Fprintf(&b, "\n==> %s\n%s", path, text)
	}
	return b.String()
}

// wantLog looks for something in the logs.
func (r *slurmRun) wantLog(t *testing.T, want string) {
	t.Helper()
	if !strings.Contains(r.logs(), want) {
		t.Errorf("no %q in the logs: %s", want, r.logs())
	}
}

// restarts returns how often Slurm has started a task again.
func (r *slurmRun) restarts(t *testing.T, array string, task int) string {
	t.Helper()
	out := r.run(t, "scontrol", "show", "job", fmt.Sprintf("%s_%d", array, task))
	_, rest, _ := strings.Cut(out, "Restarts=")
	number, _, _ := strings.Cut(rest, " ")
	return number
}

// state returns the state of a task, such as FAILED.
func (r *slurmRun) state(t *testing.T, array string, task int) string {
	t.Helper()
	out := r.run(t, "scontrol", "show", "job", fmt.Sprintf("%s_%d", array, task))
	_, rest, _ := strings.Cut(out, "JobState=")
	state, _, _ := strings.Cut(rest, " ")
	return state
}

// hasShard waits for a finished shard, so that its task is in the midst of its
// work.
func (r *slurmRun) hasShard(t *testing.T, shard int) {
	t.Helper()
	path := filepath.Join(r.Dir, "games", "variant=russian", fmt.Sprintf("shard-%05d.parquet", shard))
	wait(t, path, func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// testPlain: nothing happens to the run.
func testPlain(t *testing.T, r *slurmRun) {
	tasks, array := r.submit(t)
	if tasks != "0-2" {
		t.Errorf("tasks %s", tasks)
	}
	r.whole(t)
	if state := r.state(t, array, 0); state != "COMPLETED" {
		t.Errorf("task 0 is %s", state)
	}
	// Once more: there is nothing to play, but the end is looked at again.
	if tasks, array := r.submit(t); tasks != "none" || array != "none" {
		t.Errorf("a complete run submits tasks %s as %s", tasks, array)
	}
	r.whole(t)
}

// testKilled: draughtlab dies in the midst of a task, as when memory is short.
func testKilled(t *testing.T, r *slurmRun) {
	_, array := r.submit(t)
	r.hasShard(t, 0)
	r.player(t, r.Dir, 0).signal(t, syscall.SIGKILL)
	r.whole(t)
	if state := r.state(t, array, 0); state != "FAILED" {
		t.Errorf("the task that was killed is %s", state)
	}
	r.wantLog(t, "tasks 0: job ") // submitted by the job after the array
}

// testCancelled: tasks are killed and cancelled through Slurm. Cancelled ones
// keep their games, and do not come back by themselves.
func testCancelled(t *testing.T, r *slurmRun) {
	_, array := r.submit(t)
	r.hasShard(t, 0)
	r.run(t, "scancel", "--signal=KILL", array+"_0")
	r.hasShard(t, 16)
	r.run(t, "scancel", array+"_2")
	r.whole(t)
	for _, task := range []int{0, 2} {
		if state := r.state(t, array, task); state != "CANCELLED" && state != "FAILED" {
			t.Errorf("task %d is %s", task, state)
		}
		if n := r.restarts(t, array, task); n != "0" {
			t.Errorf("task %d was restarted %s times", task, n)
		}
	}
	r.wantLog(t, "interrupted after")
	r.wantLog(t, "tasks 0,2: job ")
}

// testTimeLimit: a task reaches its time limit. Its process is halted until the
// signal before the limit has come through, however fast it plays.
func testTimeLimit(t *testing.T, r *slurmRun) {
	r.Options = []string{"--time=1"} // minute, the least that Slurm knows
	r.Retries = 10                   // a slow machine needs several of them
	_, array := r.submit(t)
	r.hasShard(t, 8)
	p := r.player(t, r.Dir, 1)
	p.signal(t, syscall.SIGSTOP)
	wait(t, "the signal before the time limit", func() bool { return p.hasPending(syscall.SIGTERM) })
	p.signal(t, syscall.SIGCONT)
	r.whole(t)
	if n := r.restarts(t, array, 1); n == "0" {
		t.Error("the task was not restarted")
	}
	if state := r.state(t, array, 1); state != "COMPLETED" {
		t.Errorf("the task is %s", state)
	}
	r.wantLog(t, "interrupted after")
}

// testMissing: shards are lost and damaged behind the back of a complete run.
func testMissing(t *testing.T, r *slurmRun) {
	r.run(t, r.binary, "selfplay", "--config", filepath.Join(r.Dir, "config.json"), "--out", r.Dir, "--shards", "0-23", "--quiet")
	shard := func(n int) string {
		return filepath.Join(r.Dir, "positions", "variant=russian", fmt.Sprintf("shard-%05d.parquet", n))
	}
	if err := os.Remove(shard(1)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(shard(23), 1000); err != nil {
		t.Fatal(err)
	}
	if tasks, _ := r.submit(t); tasks != "0,2" {
		t.Errorf("tasks %s", tasks)
	}
	r.whole(t)
}

// testGivenUp: a task that fails every time ends the run, after so many rounds
// as were asked for; the script goes on when what was wrong is mended.
func testGivenUp(t *testing.T, r *slurmRun) {
	config := filepath.Join(r.Dir, "config.json")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), `"search_version": `, `"search_version": 9`, 1) // none that plays it
	if err := os.WriteFile(config, []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	r.submit(t)
	r.ended(t)
	r.wantLog(t, "shards are missing after 2 rounds of retries")
	if n := strings.Count(r.logs(), "then job"); n != r.Retries {
		t.Errorf("%d rounds, not %d: %s", n, r.Retries, r.logs())
	}
	if err := os.WriteFile(config, text, 0o644); err != nil {
		t.Fatal(err)
	}
	r.submit(t)
	r.whole(t)
}

// testController: the controller dies and comes back while tasks run. One of
// them is halted until the controller is away, and ends before it is back.
func testController(t *testing.T, r *slurmRun) {
	_, array := r.submit(t)
	r.hasShard(t, 0)
	p := r.player(t, r.Dir, 0)
	p.signal(t, syscall.SIGSTOP)
	r.saved(t, array)
	r.command(t, "kill controller")
	if _, err := r.try("scontrol", "show", "job", array); err == nil {
		t.Error("the controller lives")
	}
	p.signal(t, syscall.SIGCONT)
	r.hasShard(t, 7)
	r.command(t, "start controller")
	r.whole(t)
}

// saved waits until the controller has saved its state with the jobs as they
// are. One that is killed before takes running tasks for pending ones, and
// drains the nodes that have them.
func (r *slurmRun) saved(t *testing.T, array string) {
	t.Helper()
	before := time.Now()
	r.run(t, "scontrol", "update", "JobId="+array, "Comment=to be saved")
	wait(t, "saved jobs", func() bool {
		info, err := os.Stat(filepath.Join(r.dir, "state", "job_state"))
		return err == nil && info.ModTime().After(before)
	})
}

// testNode: a node and all that runs on it dies.
func testNode(t *testing.T, r *slurmRun) {
	_, array := r.submit(t)
	r.hasShard(t, 0)
	p := r.player(t, r.Dir, 0)
	r.command(t, "kill node "+p.node)
	r.whole(t)
	if n := r.restarts(t, array, 0); n != "1" {
		t.Errorf("the task of the lost node was restarted %s times", n)
	}
	r.command(t, "start node "+p.node)
	r.idle(t)
}

// testOrphan: the controller takes a node for lost, but its task still runs
// when its twin starts elsewhere. The orphan is halted until then.
func testOrphan(t *testing.T, r *slurmRun) {
	_, array := r.submit(t)
	r.hasShard(t, 0)
	orphan := r.player(t, r.Dir, 0)
	orphan.signal(t, syscall.SIGSTOP)
	r.command(t, "kill slurmd "+orphan.node)
	wait(t, "the twin", func() bool { return len(r.players(r.Dir, 0)) == 2 })
	orphan.signal(t, syscall.SIGCONT)
	r.whole(t)
	wait(t, "the end of the orphan", func() bool { return len(r.players(r.Dir, 0)) == 0 })
	if n := r.restarts(t, array, 0); n != "1" {
		t.Errorf("the task was restarted %s times", n)
	}
	r.whole(t) // whatever the orphan did last
	r.command(t, "start node "+orphan.node)
	r.idle(t)
}

// idle waits until all nodes are.
func (r *slurmRun) idle(t *testing.T) {
	t.Helper()
	wait(t, "idle nodes", func() bool {
		out, err := r.try("sinfo", "--noheader", "--Node", "--format=%t")
		return err == nil && strings.Count(out, "idle") == clusterNodes && !strings.Contains(out, "*")
	})
}
