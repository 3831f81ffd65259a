// Command draughtlab plays Croda, Russian and Frisian draughts against itself,
// keeps every position and outcome in Parquet, tunes evaluation weights from
// them and compares the draw rates of the three games.
//
// Start reading at root; each subcommand has a file of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(context.Background(), os.Args[1:])) }

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1  // an error, told in one line on stderr
	exitInterrupted = 75 // stopped on request; the same command goes on
)

// errInterrupted is returned by a command that was stopped on request and
// will go on where it stopped when it is run again.
var errInterrupted = errors.New("interrupted")

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string) int {
	cmd := root()
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		fmt.Fprintf(os.Stderr, "draughtlab: %v\n", err)
		return exitInterrupted
	}
	fmt.Fprintf(os.Stderr, "draughtlab: %v\n", err)
	return exitFailure
}

// Commands are listed in the order in which root adds them.
func init() { cobra.EnableCommandSorting = false }

// root is the whole command tree.
func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draughtlab",
		Short: "How drawish are Croda, Russian and Frisian draughts?",
		Long: `draughtlab plays Croda, Russian and Frisian draughts against itself, keeps
every position and outcome in Parquet, tunes evaluation weights from them and
compares how often, and why, the three games are drawn.`,
		Example:       "  draughtlab study --preset quick --out runs/quick",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages |", ".FlagUsagesWrapped 80 |"))
	const study, data, rules, playing = "study", "data", "rules", "playing"
	cmd.AddGroup(
		&cobra.Group{ID: study, Title: "The whole study:"},
		&cobra.Group{ID: data, Title: "Datasets:"},
		&cobra.Group{ID: rules, Title: "Rules and games:"},
		&cobra.Group{ID: playing, Title: "Playing:"},
	)
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			cmd.AddCommand(c)
		}
	}
	add(study, newStudyCommand(), newSelfplayCommand(), newTuneCommand(), newStatsCommand())
	add(data, newVerifyCommand(), newHashCommand(), newExportCommand())
	add(rules, newReplayCommand(), newMovesCommand(), newPerftCommand())
	add(playing, newPlayCommand(), newAnalyseCommand(), newHubCommand())
	add(playing, newMatchCommand())
	add(rules, newBenchCommand())
	cmd.AddCommand(newVersionCommand())
	return cmd
}
