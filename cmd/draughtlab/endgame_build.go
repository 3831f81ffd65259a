package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/variants"
)

// endgameBuildOptions are the flags of endgame build.
type endgameBuildOptions struct {
	variants             []string
	rules, out, material string
	pieces, workers      int
	quiet, force         bool
}

// newEndgameBuildCommand makes `draughtlab endgame build`.
func newEndgameBuildCommand() *cobra.Command {
	o := endgameBuildOptions{pieces: endgame.DefaultPieces, workers: runtime.GOMAXPROCS(0)}
	cmd := &cobra.Command{
		Use:   "build --variant V[,V...]",
		Short: "Make endgame tables",
		Long: `Makes the tables of all materials of up to --pieces pieces, or of --material and
all that its captures and promotions lead to, each a file in --out. Tables that
are there stay, so a build that was stopped goes on where it was; the files are
the same for any --workers. A damaged file ends the build; in the cache it is
made again. A build that may take more memory than the machine has is refused,
unless --force is given. Before it starts, build says how many states there
are and how much memory it takes; then it prints a line a table.

Memory, beside some 50 MiB of the program itself, is at most six bytes a state
of the table being made and two a state of those that it leads to. For all
materials of so many pieces that is, under basic rules:

  pieces          2          3          4          5          6
` + buildMemory + `
Under federation rules Russian gets its tables of up to three pieces, and the
pure ones of all pieces, which stand in where no article can come first.`,
		Example: `  draughtlab endgame build --variant croda,russian,frisian --pieces 4
  draughtlab endgame build --variant russian --material "KKK v K" --out tables
  draughtlab endgame build --variant frisian --rules free`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.variants, "variant", nil, "games: "+strings.Join(variants.Names(), ", "))
	f.IntVar(&o.pieces, "pieces", o.pieces, fmt.Sprintf("make the tables of up to so many pieces, 2 to %d", endgame.MaxPieces))
	f.StringVar(&o.material, "material", "", `make this one and what it needs instead: White's kings (K) and men (M), "v", Black's`)
	addRules(cmd, &o.rules)
	f.StringVar(&o.out, "out", "", "`directory` of the tables; the user's cache directory if not given")
	f.IntVar(&o.workers, "workers", o.workers, "build with so many goroutines")
	f.BoolVar(&o.force, "force", false, "begin even if the machine has less memory than the build may take")
	f.BoolVar(&o.quiet, "quiet", false, "tell no progress")
	requireVariant(cmd)
	return cmd
}

// buildMemory is what builds take at most, as peak has it (a test compares
// them), written down because it takes time to work out.
const buildMemory = `  croda         1 MiB      2 MiB     80 MiB    4.1 GiB    146 GiB
  russian       1 MiB      1 MiB     56 MiB    278 MiB    3.7 GiB
  frisian       1 MiB     10 MiB    515 MiB     41 GiB   1266 GiB
`

// peak returns the bytes that a plan takes at most.
func peak(plan []endgame.Planned) int {
	most := 0
	for _, p := range plan {
		most = max(most, p.Memory)
	}
	return most
}

// byteText writes a number of bytes for people.
func byteText(n int) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return "1 MiB"
}

func (o *endgameBuildOptions) run(cmd *cobra.Command) error {
	games, err := variantsNamed(o.variants)
	if err != nil {
		return err
	}
	rules, err := endgame.ParseRules(o.rules)
	if err != nil {
		return fmt.Errorf("--rules: %w", err)
	}
	if o.workers < 1 {
		return fmt.Errorf("--workers %d: give at least 1", o.workers)
	}
	n, err := parseNeeds(cmd, o.material, o.pieces)
	if err != nil {
		return err
	}
	dir, err := tableDir(o.out)
	if err != nil {
		return err
	}
	for _, v := range games {
		if err := n.checkMemory(dir, v, rules, machineMemory()); err != nil && !o.force {
			return fmt.Errorf("%w (or --force)", err)
		}
	}
	if err := prepareDir(dir); err != nil {
		return fmt.Errorf("%w: name a directory of yours with --out", err)
	}
	if o.out == "" {
		for _, v := range games {
			mendCache(cmd.ErrOrStderr(), v, n.plan(v, rules))
		}
	}
	ctx, release := stoppable(cmd.Context(), cmd.ErrOrStderr(), "the states at hand, dropping their table")
	defer release()
	out, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	if _, err := fmt.Fprintf(out, "%-8s %-10s %-10s %13s %9s %13s\n", "Game", "Rules", "Material", "States", "Seconds", "Bytes"); err != nil {
		return err
	}
	for _, v := range games {
		if !o.quiet {
			tellPlan(stderr, v, rules, n, dir)
		}
		var failed error
		err := n.building(ctx, stderr, o.quiet, dir, v, rules, o.workers, func(p endgame.Progress, seconds float64) {
			failed = errors.Join(failed, printTable(out, dir, v, p, seconds))
		})
		if err := errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}

// tellPlan says what a build will take.
func tellPlan(stderr io.Writer, v *engine.Variant, rules endgame.Rules, n needs, dir string) {
	plan := n.plan(v, rules)
	states := 0
	for _, p := range plan {
		states += p.States
	}
	fmt.Fprintf(stderr, "draughtlab: %s, %s rules, %s: %s, %d states, at most %s of memory; in %s\n",
		v.Name, rules, n, plural(int64(len(plan)), "table"), states, byteText(peak(plan)), dir)
}

// printTable prints the line of a table that was made or found.
func printTable(out io.Writer, dir string, v *engine.Variant, p endgame.Progress, seconds float64) error {
	info, err := os.Stat(endgame.FileName(dir, v, p.Rules, p.Material))
	if err != nil {
		return err
	}
	took := "found"
	if p.Made {
		took = fmt.Sprintf("%.2f", seconds)
	}
	_, err = fmt.Fprintf(out, "%-8s %-10s %-10s %13d %9s %13d\n", titleOf(v), p.Rules, p.Material, p.States, took, info.Size())
	return err
}

// prepareDir makes a directory for tables and sees that a file can be made in
// it, before hours of work are lost for want of one; and it removes what killed
// builds left there.
func prepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot keep tables in %s: %w", dir, err)
	}
	f, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return fmt.Errorf("cannot keep tables in %s: %w", dir, err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("cannot keep tables in %s: %w", dir, err)
	}
	return removeStale(dir, time.Now())
}

// staleAge is how long a temporary file must not have been written to before
// its build is taken for killed: builds write without a pause.
const staleAge = 5 * time.Minute

var staleName = regexp.MustCompile(`^\.tmp-[0-9]+$`)

// removeStale removes the temporary files of killed builds: those with the name
// and the first bytes of one, or empty.
func removeStale(dir string, now time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !staleName.MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < staleAge || !beginsAsTable(path) {
			continue // gone, in use or foreign
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove what a killed build left: %w", err)
		}
	}
	return nil
}

// beginsAsTable reports whether a file is the beginning of a table.
func beginsAsTable(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var start [6]byte
	n, err := io.ReadFull(f, start[:])
	return err == nil && bytes.Equal(start[:], []byte("DRENDG")) || n == 0 && err == io.EOF
}
