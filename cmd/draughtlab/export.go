package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"draughtlab/engine/variants"
	"draughtlab/export/convert"
	"draughtlab/export/dataset"
)

// exportFlags are the flags of export.
type exportFlags struct {
	format, table, out string
	variants           []string
	quiet              bool
}

// newExportCommand makes `draughtlab export`.
func newExportCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export DIR --format FORMAT -o FILE",
		Short: "Write a dataset as Arrow IPC, CSV or PDN",
		Long: `Writes one table of a dataset as one file, with the variant as its first column:
  arrow         Arrow IPC file (Feather 2)
  arrow-stream  Arrow IPC stream, for pipes
  csv           RFC 4180; null is an empty field; bitboards are signed numbers
  pdn           games only, what is known of them in tags
FILE appears when it is complete; - is standard output. Memory does not grow
with the dataset.`,
		Example: `  draughtlab export runs/quick --format arrow --table positions \
      --variant croda -o croda.arrow
  draughtlab export runs/quick --format pdn --variant russian -o russian.pdn
  draughtlab export runs/quick --format csv --table games -o - | head`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", "arrow, arrow-stream, csv or pdn")
	flags.StringVar(&f.table, "table", string(dataset.GamesTable), "games or positions")
	flags.StringSliceVar(&f.variants, "variant", nil, "games to write: "+strings.Join(variants.Names(), ", ")+" (default all there are)")
	flags.StringVarP(&f.out, "output", "o", "", "file to write, - for standard output")
	flags.BoolVar(&f.quiet, "quiet", false, "tell no progress")
	for _, name := range []string{"format", "output"} {
		_ = cmd.MarkFlagRequired(name) // it fails only for a flag that is not there
	}
	var formats []string
	for _, format := range convert.Formats() {
		formats = append(formats, string(format))
	}
	for flag, values := range map[string][]string{
		"variant": variants.Names(),
		"format":  formats,
		"table":   {string(dataset.GamesTable), string(dataset.PositionsTable)},
	} {
		// It fails only for a flag that is not there.
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

func (f *exportFlags) run(cmd *cobra.Command, dir string) error {
	format, source, err := f.source(dir)
	if err != nil {
		return err
	}
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	var file *dataset.PendingFile // nil: standard output
	if f.out != "-" {
		if file, err = dataset.CreateOutput(f.out); err != nil {
			return err
		}
		defer file.Abort()
		stdout = file
	}
	if err := warnIncomplete(stderr, dir, "written"); err != nil {
		return err
	}
	ctx, release := stoppable(cmd.Context(), stderr, "the rows at hand, dropping the output")
	defer release()
	var bar *progress
	source.Progress = func(done, total int, rows int64) {
		if bar == nil {
			bar = newProgress(stderr, f.quiet, "export", "shards", "rows", 0, int64(total))
		}
		bar.set(int64(done), rows)
	}
	_, err = convert.Write(ctx, stdout, format, source)
	bar.finish()
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w: export %s is not whole: run it again", errInterrupted, dir)
	case err != nil || file == nil:
		return err
	}
	return file.Commit()
}

// source turns the flags into what is to be written.
func (f *exportFlags) source(dir string) (convert.Format, convert.Source, error) {
	s := convert.Source{Dir: dir, Table: dataset.Table(f.table)}
	format, err := convert.ParseFormat(f.format)
	if err != nil {
		return "", s, err
	}
	if s.Table != dataset.GamesTable && s.Table != dataset.PositionsTable {
		return "", s, fmt.Errorf("unknown table %q: use games or positions", f.table)
	}
	if len(f.variants) == 0 {
		s.Variants, err = dataset.Variants(dir)
		return format, s, err
	}
	seen := map[string]bool{}
	for _, name := range f.variants {
		v, err := variants.ByName(name)
		if err != nil {
			return "", s, err
		}
		if seen[name] {
			return "", s, fmt.Errorf("--variant names %s twice", name)
		}
		seen[name] = true
		s.Variants = append(s.Variants, v)
	}
	return format, s, nil
}
