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
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() { os.Exit(run(context.Background(), os.Args[1:])) }

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1  // an error, told in one line on stderr
	exitInterrupted = 75 // stopped on request: run the same command again
)

// errInterrupted is wrapped by the error of a command that was stopped on
// request; run again, it goes on or begins anew.
var errInterrupted = errors.New("interrupted")

// run executes one command line and returns its exit code. It fails, too, if
// anything could not be written to standard output. A closed one cannot be told
// from /dev/null: the Go runtime opens that in its place.
func run(ctx context.Context, args []string) int {
	stdout := &watchedWriter{out: os.Stdout}
	cmd := root()
	cmd.SetOut(stdout)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err == nil && stdout.err != nil {
		err = fmt.Errorf("standard output: %w", stdout.err)
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(os.Stderr, "draughtlab: %s\n", oneLine(err.Error(), args))
	if errors.Is(err, errInterrupted) || errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitFailure
}

// watchedWriter remembers the first error of the writer below, for those who
// print without looking.
type watchedWriter struct {
	out io.Writer
	err error
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	n, err := w.out.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// oneLine makes an error's text one line: names from the command line that have
// control characters are quoted, several errors stand behind each other.
func oneLine(text string, args []string) string {
	for _, arg := range args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		if strings.ContainsFunc(arg, unicode.IsControl) {
			quoted := strconv.Quote(arg)
			text = strings.ReplaceAll(text, quoted, arg) // quoted already
			text = strings.ReplaceAll(text, arg, quoted)
		}
	}
	var b strings.Builder
	for i, line := range strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' }) {
		if i > 0 {
			b.WriteString("; ")
		}
		for _, c := range strings.TrimSpace(line) {
			if unicode.IsControl(c) {
				b.WriteString(strings.Trim(strconv.QuoteRune(c), "'"))
			} else {
				b.WriteRune(c)
			}
		}
	}
	return b.String()
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
	add(data, newStatusCommand(), newVerifyCommand(), newHashCommand(), newExportCommand(), newDatasetCommand(), newSubmitCommand())
	add(rules, newReplayCommand(), newMovesCommand(), newPerftCommand(), newEndgameCommand(), newBenchCommand())
	add(playing, newPlayCommand(), newAnalyseCommand(), newMatchCommand(), newHubCommand())
	cmd.AddCommand(newVersionCommand())
	cmd.SetFlagErrorFunc(flagError)
	for _, c := range cmd.Commands() {
		checkArgs(c)
	}
	// The rest has no work of its own but help: anything else is a mistake.
	cmd.SetHelpCommand(newHelpCommand())
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultCompletionCmd()
	onlyHelp(cmd)
	for _, c := range cmd.Commands() {
		if c.Name() == "completion" {
			onlyHelp(c)
		}
	}
	return cmd
}

// checkArgs refuses empty values, which some shell variable left, and tells how
// a command is used if the number of its arguments is wrong.
func checkArgs(cmd *cobra.Command) {
	number := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) (err error) {
		cmd.Flags().Visit(func(f *pflag.Flag) {
			list, isList := f.Value.(pflag.SliceValue)
			if isList && len(strings.Join(list.GetSlice(), "")) == 0 || f.Value.String() == "" {
				err = fmt.Errorf("--%s has an empty value: give one, or leave the flag out", f.Name)
			}
		})
		if err != nil {
			return err
		}
		var own argumentError
		err = number(cmd, args)
		switch {
		case slices.Contains(args, ""):
			return fmt.Errorf("an argument is empty: use %s", cmd.UseLine())
		case err == nil:
			return nil
		case errors.As(err, &own):
			return fmt.Errorf("%w: use %s", own, cmd.UseLine())
		case len(args) == 0:
			return fmt.Errorf("an argument is missing: use %s", cmd.UseLine())
		}
		return fmt.Errorf("%s, more than are taken: use %s", argumentsText(args), cmd.UseLine())
	}
}

// argumentError says, in a command's own words, which arguments it takes.
type argumentError string

func (e argumentError) Error() string { return string(e) }

// argumentsText counts and quotes arguments.
func argumentsText(args []string) string {
	if len(args) == 1 {
		return fmt.Sprintf("1 argument %q", args)
	}
	return fmt.Sprintf("%d arguments %q", len(args), args)
}

// flagError says what a flag takes, where the flag's own text speaks of Go's
// parser.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	form := map[string]string{
		"int":     fmt.Sprintf("a whole number of at most %d", math.MaxInt),
		"int64":   fmt.Sprintf("a whole number of at most %d", math.MaxInt64),
		"uint64":  fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)),
		"float64": "a number",
		"bool":    "true or false",
	}[invalid.GetFlag().Value.Type()]
	if form == "" {
		return err
	}
	return fmt.Errorf("--%s %q: it takes %s", invalid.GetFlag().Name, invalid.GetValue(), form)
}

// onlyHelp makes a command that has subcommands show its help, and an argument
// that is none of them an error.
func onlyHelp(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	advice := ""
	if similar := cmd.SuggestionsFor(name); name != "" && len(similar) > 0 {
		advice = "did you mean " + strings.Join(similar, " or ") + "? "
	}
	return fmt.Errorf("unknown command %q: %s%s --help lists them", name, advice, cmd.CommandPath())
}

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			at := cmd.Root()
			for _, name := range args {
				i := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
				if i < 0 {
					return unknownCommand(at, name)
				}
				at = at.Commands()[i]
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}
