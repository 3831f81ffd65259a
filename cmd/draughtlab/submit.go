package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
	"draughtlab/selfplay"
	"draughtlab/selfplay/submit"
)

// newSubmitCommand makes `draughtlab submit`.
func newSubmitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "submit",
		Short: "Write what a batch system needs to play a run on many machines",
		Long: `Writes a script for Slurm or manifests for Kubernetes that play a planned run:
every task plays some of its shards, and a last job completes, verifies and
summarises the dataset. The games are the same as on one machine.

A task may fail, be moved or run twice: a shard appears whole or not at all, and
twins of it are equal. What is missing is judged from the shards alone.`,
		Example: `  draughtlab selfplay --variant croda --games 1000000 --nodes 1000 \
      --out runs/big --plan
  draughtlab submit slurm runs/big --time 8:00:00 -o big.sh
  bash big.sh`,
	}
	cmd.AddCommand(newSubmitSlurmCommand(), newSubmitKubernetesCommand())
	for _, c := range cmd.Commands() {
		checkArgs(c)
	}
	onlyHelp(cmd)
	return cmd
}

// submitFlags are the flags that all batch systems share.
type submitFlags struct {
	tasks, perTask, cpus, retries int
	openings, weights             []string
	tables, out                   string
}

// register adds the flags; mostTasks is how many tasks there are at most where
// nothing else is asked for, and where says on whose disks files are looked for.
func (f *submitFlags) register(flags *pflag.FlagSet, mostTasks int, where string) {
	flags.IntVar(&f.tasks, "tasks", mostTasks, "deal the shards out to at most so many tasks")
	flags.IntVar(&f.perTask, "shards-per-task", 0, "deal out so many shards to each task (default as --tasks has it)")
	flags.IntVar(&f.cpus, "cpus", 1, "processors of a task: games it plays at a time")
	flags.StringArrayVar(&f.weights, "weights", nil, "weights the run was planned with, [VARIANT=]FILE, "+where)
	flags.StringArrayVar(&f.openings, "openings", nil, "openings the run was planned with, [VARIANT=]FILE, "+where)
	flags.StringVar(&f.tables, "tables", "", "`directory` of the endgame tables the run was planned with, if they are not the built-in ones, "+where)
	flags.StringVarP(&f.out, "output", "o", "-", "file to write, - for standard output")
}

// deal makes the config a run whose shards are dealt out as the flags say.
func (f *submitFlags) deal(cmd *cobra.Command, config selfplay.Config) (submit.Run, error) {
	run := submit.Run{Config: config, PerTask: f.perTask, CPUs: f.cpus, Retries: f.retries}
	given := cmd.Flags().Changed
	switch {
	case given("tasks") && given("shards-per-task"):
		return run, errors.New("--tasks with --shards-per-task: give one of them")
	case given("shards-per-task") && f.perTask < 1:
		return run, fmt.Errorf("--shards-per-task %d: it takes 1 or more", f.perTask)
	case f.tasks < 1:
		return run, fmt.Errorf("--tasks %d: it takes 1 or more", f.tasks)
	}
	if f.perTask == 0 {
		run.PerTask = submit.Deal(run.Shards(), f.tasks)
	}
	run.PerTask = min(run.PerTask, run.Shards()) // numbers of shards have a limit
	return run, nil
}

// inputs returns the arguments of selfplay that say where the files are which
// the config names: all of them must be given, and no others. same checks that
// a file is the one the config means and returns its path for the tasks.
func (f *submitFlags) inputs(c selfplay.Config, same func(inputFile) (string, error)) ([]string, error) {
	paths := &selfplayFlags{config: c}
	weights, err := paths.byVariant("weights", f.weights)
	if err != nil {
		return nil, err
	}
	openings, err := paths.byVariant("openings", f.openings)
	if err != nil {
		return nil, err
	}
	var args []string
	for _, file := range namedFiles(c) {
		given := map[string]map[string]string{"weights": weights, "openings": openings}[file.flag]
		if file.path = given[file.variant.Name]; file.path == "" {
			return nil, fmt.Errorf("the run plays %s with %s of the file %s: give --%s %s=FILE", file.variant.Name, file.flag, file.name, file.flag, file.variant.Name)
		}
		delete(given, file.variant.Name)
		if file.path, err = same(file); err != nil {
			return nil, err
		}
		args = append(args, "--"+file.flag, file.variant.Name+"="+file.path)
	}
	for _, path := range []map[string]string{weights, openings} {
		for _, name := range slices.Sorted(maps.Keys(path)) {
			return nil, fmt.Errorf("%s: the run was planned without such a file for %s: leave it out", path[name], name)
		}
	}
	return args, nil
}

// inputFile is a file that a config names, by a name without directories.
type inputFile struct {
	flag, name, hash string
	variant          *engine.Variant
	path             string // as given
}

// namedFiles lists the files that a valid config names.
func namedFiles(c selfplay.Config) []inputFile {
	var files []inputFile
	for _, name := range c.Variants {
		v, err := variants.ByName(name)
		if err != nil {
			panic(err) // the config is valid
		}
		if ref, ok := c.Weights[name]; ok {
			if _, builtIn := eval.BuiltIn(v, ref.Name); !builtIn {
				files = append(files, inputFile{flag: "weights", name: ref.Name, hash: ref.Hash, variant: v})
			}
		}
		if ref, ok := c.Openings[name]; ok {
			files = append(files, inputFile{flag: "openings", name: ref.Name, hash: ref.SHA256, variant: v})
		}
	}
	return files
}

// checkTables checks that --tables is given if the run needs more than the
// built-in endgame tables, and not if it has none.
func (f *submitFlags) checkTables(c selfplay.Config) error {
	switch {
	case f.tables == "" && c.TablePieces > endgame.DefaultPieces:
		return fmt.Errorf("the run was planned with endgame tables of %d pieces: name their directory with --tables", c.TablePieces)
	case f.tables != "" && c.TablePieces == 0:
		return fmt.Errorf("--tables %s: the run was planned without endgame tables: leave it out", f.tables)
	}
	return nil
}

// write writes the text to the file of --output or standard output.
func (f *submitFlags) write(stdout io.Writer, text string) error {
	if f.out == "-" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	file, err := dataset.CreateOutput(f.out)
	if err != nil {
		return err
	}
	defer file.Abort()
	if _, err := io.WriteString(file, text); err != nil {
		return err
	}
	return file.Commit()
}
