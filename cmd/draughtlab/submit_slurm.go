package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"draughtlab/export/dataset"
	"draughtlab/selfplay"
	"draughtlab/selfplay/submit"
)

// submitSlurmFlags are the flags of submit slurm.
type submitSlurmFlags struct {
	submitFlags
	time, memory, partition, account string
	binary                           string
	throttle, lead                   int
	options                          []string
}

// newSubmitSlurmCommand makes `draughtlab submit slurm`.
func newSubmitSlurmCommand() *cobra.Command {
	f := &submitSlurmFlags{}
	cmd := &cobra.Command{
		Use:   "slurm DIR",
		Short: "Write a script that plays a run as a Slurm job array",
		Long: `Writes a Bash script for the run planned in DIR. "bash FILE", on a node that can
submit, submits an array of tasks for the shards that are missing, and a job
that depends on it: if shards are missing then, it submits them again, else it
completes and verifies the dataset and prints its draw rates. Logs are in
DIR/slurm. The same command goes on after anything that went wrong.

DIR, draughtlab and all files must have the same path on every node. Paths are
made absolute.

The last job has the limits of a task. It reads the whole dataset: some 100,000
to 300,000 positions a second and processor, and 80 bytes of memory a game.

Some seconds before its time limit (--signal) a task keeps the games it has
finished and goes back into the queue. A task of a lost node is started again by
Slurm; its twin may still run, which does no harm.`,
		Example: `  draughtlab selfplay --variant croda --games 1000000 --nodes 1000 \
      --out runs/big --plan
  draughtlab submit slurm runs/big --time 8:00:00 --partition long -o big.sh
  bash big.sh`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	f.register(flags, submit.MaxSlurmTasks, "a path that all nodes have")
	flags.StringVar(&f.time, "time", "", "time limit of a task, such as 8:00:00 (default that of the partition)")
	flags.IntVar(&f.lead, "signal", 120, "ask a task to stop so many seconds before its time limit (Slurm may do so a minute earlier)")
	flags.IntVar(&f.throttle, "throttle", 0, "run at most so many tasks at a time (default no limit)")
	flags.IntVar(&f.retries, "retries", 10, "restart a task at its time limit, and submit missing shards again, at most so often")
	flags.StringVar(&f.memory, "mem", "", "memory of a task, such as 2G (default that of the site)")
	flags.StringVar(&f.partition, "partition", "", "partition to submit to (default that of the site)")
	flags.StringVar(&f.account, "account", "", "account that pays (default yours)")
	flags.StringArrayVar(&f.options, "sbatch", nil, "another `option` of sbatch for every job, in one word: --sbatch=--qos=long")
	flags.StringVar(&f.binary, "binary", "", "draughtlab on the nodes (default this one)")
	return cmd
}

func (f *submitSlurmFlags) run(cmd *cobra.Command, dir string) error {
	if dataset.InBucket(dir) {
		return fmt.Errorf("%s: it takes a directory that all nodes have, for the logs, too", dir)
	}
	config, err := plannedConfig(dir)
	if err != nil {
		return err
	}
	s := submit.Slurm{Time: f.time, Lead: f.lead, Throttle: f.throttle}
	if s.Run, err = f.deal(cmd, config); err != nil {
		return err
	}
	if cmd.Flags().Changed("throttle") && f.throttle < 1 {
		return fmt.Errorf("--throttle %d: it takes 1 or more", f.throttle)
	}
	if s.Inputs, err = f.inputs(config, sameFile); err != nil {
		return err
	}
	if err := f.checkTables(config); err != nil {
		return err
	}
	if f.tables != "" {
		if err := haveDir("tables", f.tables); err != nil {
			return err
		}
		if s.Tables, err = filepath.Abs(f.tables); err != nil {
			return err
		}
	}
	if s.Dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if s.Binary, err = f.program(); err != nil {
		return err
	}
	for _, o := range []struct{ name, value string }{{"mem", f.memory}, {"partition", f.partition}, {"account", f.account}} {
		if o.value != "" {
			s.Options = append(s.Options, "--"+o.name+"="+o.value)
		}
	}
	s.Options = append(s.Options, f.options...)
	script, err := s.Script()
	if err != nil {
		return err
	}
	return f.write(cmd.OutOrStdout(), script)
}

// program returns the absolute path of draughtlab on the nodes. One that was
// named need not be on this machine.
func (f *submitSlurmFlags) program() (string, error) {
	if f.binary != "" {
		return filepath.Abs(f.binary)
	}
	return os.Executable()
}

// plannedConfig reads the config of a run directory.
func plannedConfig(dir string) (selfplay.Config, error) {
	config, err := selfplay.ReadConfig(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return config, fmt.Errorf("%s has no %s: plan the run first, with selfplay --out %s --plan", dataset.Quoted(dir), dataset.ConfigFile, dataset.Quoted(dir))
	}
	return config, err
}

// sameFile checks that a file on this machine is the one that the config names,
// and returns its absolute path.
func sameFile(file inputFile) (string, error) {
	hash := ""
	if file.flag == "weights" {
		ref, err := selfplay.NewWeightsRef(file.variant, file.path)
		if err != nil {
			return "", err
		}
		hash = ref.Hash
	} else {
		ref, err := selfplay.NewFileRef(file.path)
		if err != nil {
			return "", err
		}
		hash = ref.SHA256
	}
	if hash != file.hash {
		return "", fmt.Errorf("%s is not the file %s that the run was planned with: its hash is %s, not %s", dataset.Quoted(file.path), file.name, hash, file.hash)
	}
	return filepath.Abs(file.path)
}
