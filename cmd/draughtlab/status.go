package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// newStatusCommand makes `draughtlab status`.
func newStatusCommand() *cobra.Command {
	f := &statusFlags{}
	cmd := &cobra.Command{
		Use:   "status DIR",
		Short: "Tell how far a run is: shards done, missing and damaged",
		Long: `Tells how many shards of the plan of DIR are done, begun, missing and damaged,
what is wrong with the damaged ones, and how long the rest will take at the pace
of the last 64 shards. Completion is judged from the files only. Shards are
numbered from 0 over the whole plan: first all of the first variant, then those
of the next.

Each file's footer is looked into; --check reads all rows as well and compares
them with the hash in the footer.

--array prints nothing but the shards that are still to be played, those that
are damaged included, in the notation of job arrays: 0-3,17. That is what
"selfplay --shards" takes. With --per-task K it prints the tasks of an array in
which task t plays the shards from t*K to t*K+K-1.`,
		Example: `  draughtlab status runs/big
  sbatch --array=$(draughtlab status --array --per-task 10 runs/big) …`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "read all rows, too")
	cmd.Flags().BoolVar(&f.array, "array", false, "print only the shards still to be played, as 0-3,17")
	cmd.Flags().IntVar(&f.perTask, "per-task", 1, "with --array: print tasks of so many shards")
	return cmd
}

type statusFlags struct {
	check, array bool
	perTask      int
}

func (f *statusFlags) run(cmd *cobra.Command, dir string) error {
	if f.perTask < 1 {
		return fmt.Errorf("--per-task %d: it takes 1 or more", f.perTask)
	}
	if f.perTask > 1 && !f.array {
		return errors.New("--per-task without --array: give both or none")
	}
	ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "nothing, dropping the look")
	defer release()
	if err := wantRun(dir); err != nil {
		return err
	}
	cfg, status, err := selfplay.Status(ctx, dir, f.check)
	if ctx.Err() != nil {
		return fmt.Errorf("%w: run the same command again", errInterrupted)
	}
	if err != nil {
		return err
	}
	if f.array {
		if text := selfplay.FormatShards(unfinished(status, f.perTask)); text != "" {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
		}
		return err
	}
	return printStatus(cmd.OutOrStdout(), dir, &cfg, status, time.Now())
}

// unfinished returns the shards that are to be played, or the tasks of so many
// shards that have one.
func unfinished(status []selfplay.ShardStatus, perTask int) []int {
	var tasks []int
	for i, s := range status {
		if task := i / perTask; s.State != selfplay.Done && (len(tasks) == 0 || tasks[len(tasks)-1] != task) {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

func printStatus(out io.Writer, dir string, cfg *selfplay.Config, status []selfplay.ShardStatus, now time.Time) error {
	shards, games := map[string][4]int{}, map[string]int64{}
	left, done := int64(0), 0
	for _, s := range status {
		count := shards[s.Variant]
		count[s.State]++
		shards[s.Variant] = count
		if s.State == selfplay.Done {
			s.Kept = s.Last - s.First
			done++
		}
		games[s.Variant] += s.Kept
		left += s.Last - s.First - s.Kept
	}
	fmt.Fprintf(out, "%s: %d of %s done, %d games a shard\n\n", dir, done, plural(int64(len(status)), "shard"), cfg.ShardGames)
	const row = "%-7s %8v %8v %8v %8v %14v\n"
	fmt.Fprintf(out, row, "Game", "done", "begun", "missing", "damaged", "games kept")
	for _, name := range cfg.Variants {
		c := shards[name]
		fmt.Fprintf(out, row, title(name), c[selfplay.Done], c[selfplay.Begun], c[selfplay.Missing], c[selfplay.Damaged], games[name])
	}
	for i, s := range status {
		if s.State == selfplay.Damaged {
			fmt.Fprintf(out, "\nshard %d is damaged: %s\n", i, s.Fault)
		}
	}
	if left > 0 {
		_, err := fmt.Fprintf(out, "\n%s\n", outlook(status, left, now))
		return err
	}
	text := "The dataset is complete."
	if held, err := dataset.Holds(dir, dataset.ManifestFile); err != nil {
		return err
	} else if !held {
		text = fmt.Sprintf("All games are played, but the dataset is not checked and completed yet:\n  draughtlab selfplay --out %s", dir)
	}
	_, err := fmt.Fprintf(out, "\n%s\n", text)
	return err
}

// outlook says how long the games that are left will take at the pace of the
// last shards.
func outlook(status []selfplay.ShardStatus, left int64, now time.Time) string {
	rate, last, ok := selfplay.Rate(status)
	switch {
	case !ok:
		return "How long the rest takes is not known yet: it follows from the last shards."
	}
	text := fmt.Sprintf("%d games are left: %s at the pace of the last shards (%.4g games/s).",
		left, roughly(time.Duration(float64(left)/rate*float64(time.Second))), rate)
	if ago := now.Sub(last); ago >= 0 {
		text += fmt.Sprintf("\nThe last shard was finished %s ago.", roughly(ago))
	}
	return text
}

// roughly returns a duration in its two greatest units.
func roughly(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 100*day:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	case d >= day:
		return fmt.Sprintf("%d d %d h", d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
