// Package submit writes what a batch engine needs to play a planned run on many
// machines: a script for Slurm, or manifests for Kubernetes. A shard is a
// function of the run's config, so any engine that can start "task i" can play
// a run, in any order and more than once.
//
// It schedules nothing itself, runs no command and looks at no shard: the
// written scripts ask `draughtlab status` what is there. Start reading at Run;
// slurm.sh.tmpl, play.sh.tmpl and finish.sh.tmpl are what runs on a cluster.
package submit

import (
	"fmt"
	"strings"

	"draughtlab/selfplay"
)

// Run is a planned run and how its shards are dealt out: task t plays the
// shards [t*PerTask, (t+1)*PerTask) of the plan.
type Run struct {
	// Config is the run's config.json.
	Config selfplay.Config
	// PerTask is the number of shards of a task, at least 1; the last task may
	// have fewer.
	PerTask int
	// CPUs is the number of processors of a task, at least 1; it plays so many
	// games at a time.
	CPUs int
	// Retries is how often a task is started again, and missing shards are
	// submitted again, before a person must look; 0 or more.
	Retries int
	// Inputs are arguments of selfplay that say where the files are which the
	// config names, such as "--weights", "croda=/data/croda.json".
	Inputs []string
	// Tables is the directory of the endgame tables the config asks for; empty
	// for the built-in ones.
	Tables string
}

// Deal returns the fewest shards a task must play so that there are at most
// mostTasks tasks, which is at least 1.
func Deal(shards, mostTasks int) (perTask int) {
	return max(1, (shards+mostTasks-1)/mostTasks)
}

// Shards returns the number of shards of the plan.
func (r Run) Shards() int { return r.Config.PlanSize() }

// Tasks returns the number of tasks.
func (r Run) Tasks() int { return (r.Shards() + r.PerTask - 1) / r.PerTask }

// Name returns the name of the run's jobs, which tells one run from another: it
// has the first digits of the config's hash.
func (r Run) Name() string { return "draughtlab-" + r.Config.Hash()[:8] }

// check reports the first setting that makes no sense.
func (r Run) check() error {
	switch {
	case r.PerTask < 1:
		return fmt.Errorf("%d shards a task: it takes 1 or more", r.PerTask)
	case r.CPUs < 1 || r.CPUs > selfplay.MaxWorkers:
		return fmt.Errorf("%d processors a task: it takes 1 to %d", r.CPUs, selfplay.MaxWorkers)
	case r.Retries < 0:
		return fmt.Errorf("%d retries: it takes 0 or more", r.Retries)
	}
	return selfplay.CheckMemory(r.CPUs, r.Config.Player)
}

// shellQuote returns one word of a POSIX shell that stands for the text.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// oneLine refuses texts that a line of a script or manifest cannot hold.
func oneLine(texts ...string) error {
	for _, text := range texts {
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return fmt.Errorf("%q: names with control characters cannot be submitted: rename it", text)
		}
	}
	return nil
}
