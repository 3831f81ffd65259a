package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
		Use:   "export DIR --format arrow|arrow-stream|csv|pdn [--table games|positions] [--variant V[,V...]] -o FILE",
		Short: "Write a dataset as Arrow IPC, CSV or PDN",
		Long: `Writes one table of a dataset as one file, with the variant as its first column:
  arrow         Arrow IPC file (Feather 2)
  arrow-stream  Arrow IPC stream, for pipes
  csv           RFC 4180; null is an empty field; bitboards are signed numbers
  pdn           games only, what is known of them in tags
FILE appears when it is complete; - is standard output. Memory does not grow
with the dataset.`,
		Example: `  draughtlab export runs/quick --format arrow --table positions --variant croda -o croda.arrow
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
	stderr := cmd.ErrOrStderr()
	if _, err := dataset.ReadManifest(dir); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(stderr, "draughtlab: %s is not complete: only its finished shards are written\n", dir)
	} else if err != nil {
		return err
	}
	ctx, release := stoppable(cmd.Context(), stderr, "nothing, the output is dropped")
	defer release()
	var bar *progress
	source.Progress = func(done, total int, rows int64) {
		if bar == nil {
			bar = newProgress(stderr, f.quiet, "export", "shards", "rows", 0, int64(total))
		}
		bar.set(int64(done), rows)
	}
	err = f.write(ctx, cmd.OutOrStdout(), format, source)
	bar.finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("export %s: stopped before the end: run it again", dir)
	}
	return err
}

// write writes to the output file, which appears when it is complete.
func (f *exportFlags) write(ctx context.Context, stdout io.Writer, format convert.Format, source convert.Source) error {
	if f.out == "-" {
		_, err := convert.Write(ctx, stdout, format, source)
		return err
	}
	file, err := dataset.CreatePending(f.out)
	if err != nil {
		return err
	}
	if _, err := convert.Write(ctx, file, format, source); err != nil {
		file.Abort()
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
