package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"draughtlab/engine"
	"draughtlab/engine/endgame"
	"draughtlab/engine/variants"
)

// newEndgameCommand makes `draughtlab endgame`.
func newEndgameCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "endgame",
		Short: "Build, count, probe and verify endgame tables",
		Long: `Endgame tables say of every position with few pieces who wins, and in how many
plies, or that it is drawn. Those of up to three pieces are made in seconds when
they are first needed and kept in the user's cache directory; build makes larger
ones.

A table holds under one set of rules:

  pure        no draw article: a player without a move loses, and a win that
              cannot be forced is a draw. Frisian's three-move rule (F9) is no
              draw article and holds: it takes moves away
  basic       the draw articles of the rule sheet: F10 of Frisian and R9 of
              Russian, with their counts; Croda has none that counts, so its
              basic tables are the pure ones
  federation  the federation's draw articles too: Russian (R10); exact up to
              three pieces, with more only where no article can come first
  free        pure without F9, to measure what F9 does; no game is played so

Distances are plies to the end: the winner hurries, the loser delays.`,
		Example: `  draughtlab endgame build --variant croda --pieces 4
  draughtlab endgame stats --plot drawn.svg
  draughtlab endgame probe --variant russian W:WKa1,Kb2:BKh6`,
	}
	cmd.AddCommand(newEndgameBuildCommand(), newEndgameStatsCommand(), newEndgameProbeCommand(), newEndgameVerifyCommand())
	for _, c := range cmd.Commands() {
		checkArgs(c)
	}
	onlyHelp(cmd)
	return cmd
}

// rulesNames are the rules of tables, for help and completion.
var rulesNames = []string{endgame.Pure.String(), endgame.Basic.String(), endgame.Federation.String(), endgame.Free.String()}

// addRules adds --rules with its completion.
func addRules(cmd *cobra.Command, rules *string) {
	cmd.Flags().StringVar(rules, "rules", endgame.Basic.String(), "rules of the tables: "+strings.Join(rulesNames, ", "))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("rules", cobra.FixedCompletions(rulesNames, cobra.ShellCompDirectiveNoFileComp)))
}

// variantsNamed returns the games of these names, in the order given.
func variantsNamed(names []string) ([]*engine.Variant, error) {
	var list []*engine.Variant
	for _, name := range names {
		v, err := variants.ByName(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other *engine.Variant) bool { return other.Name == v.Name }) {
			return nil, fmt.Errorf("--variant names %s twice", name)
		}
		list = append(list, v)
	}
	return list, nil
}

// tableDir returns the directory that a flag names, or else that in the user's
// cache directory, where endgame.Default keeps its tables.
func tableDir(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	return endgame.CacheDir()
}

// buildAdvice says how to make the tables that are not in dir, which is that of
// the flag --tables or else the cache: not there if it can keep none.
func buildAdvice(v *engine.Variant, rules endgame.Rules, which, flag, dir string) string {
	if flag == "" && prepareDir(dir) != nil {
		const other = "tables"
		return "make them with: " + endgame.BuildCommand(v, rules, which, other) + ", and give --tables " + other
	}
	return "make them with: " + endgame.BuildCommand(v, rules, which, flag)
}

// haveDir says what is wrong with a directory that a flag names.
func haveDir(flag, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("--%s %s: there is no such directory", flag, dir)
	case err != nil:
		return fmt.Errorf("--%s: %w", flag, err)
	case !info.IsDir():
		return fmt.Errorf("--%s %s: it is no directory", flag, dir)
	}
	return nil
}

// checkMemory refuses a build into dir (or, if it is empty, of everything) for
// which a machine with so many bytes of memory has too little; 0 is not known.
func (n needs) checkMemory(dir string, v *engine.Variant, rules endgame.Rules, memory int) error {
	missing := slices.DeleteFunc(n.plan(v, rules), func(p endgame.Planned) bool {
		_, err := os.Stat(endgame.FileName(dir, v, p.Rules, p.Material))
		return dir != "" && err == nil
	})
	need := peak(missing)
	if memory == 0 || need <= memory {
		return nil
	}
	return fmt.Errorf("%s, %s: the build takes up to %s of memory, this machine has %s: give fewer --pieces, or one --material",
		v.Name, n, byteText(need), byteText(memory))
}

// machineMemory returns the bytes of memory of the machine as /proc/meminfo
// tells them, or 0 where it does not.
func machineMemory() int {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// needs says which tables a command needs: of one material, or of all of up to
// so many pieces.
type needs struct {
	material *endgame.Material
	pieces   int
}

// parseNeeds reads the flags --material and --pieces, of which one is given or
// neither.
func parseNeeds(cmd *cobra.Command, material string, pieces int) (needs, error) {
	if material == "" {
		if pieces < 2 || pieces > endgame.MaxPieces {
			return needs{}, fmt.Errorf("--pieces %d: give 2 to %d", pieces, endgame.MaxPieces)
		}
		return needs{pieces: pieces}, nil
	}
	if cmd.Flags().Changed("pieces") {
		return needs{}, errors.New("give --material or --pieces, not both")
	}
	m, err := endgame.ParseMaterial(material)
	if err != nil {
		return needs{}, fmt.Errorf("--material: %w", err)
	}
	return needs{material: &m, pieces: m.Pieces()}, nil
}

// String says what is needed, for people.
func (n needs) String() string {
	if n.material != nil {
		return n.material.String() + " and what it leads to"
	}
	return fmt.Sprintf("up to %d pieces", n.pieces)
}

// plan lists the tables of build.
func (n needs) plan(v *engine.Variant, rules endgame.Rules) []endgame.Planned {
	if n.material != nil {
		return endgame.PlanMaterial(v, rules, *n.material)
	}
	return endgame.Plan(v, rules, n.pieces)
}

// build makes in dir what is missing there.
func (n needs) build(ctx context.Context, dir string, v *engine.Variant, rules endgame.Rules, workers int, progress func(endgame.Progress)) error {
	if n.material != nil {
		return endgame.BuildMaterial(ctx, dir, v, rules, *n.material, workers, progress)
	}
	return endgame.Build(ctx, dir, v, rules, n.pieces, workers, progress)
}

// waiting tells on stderr at intervals that a long job goes on; end ends it.
type waiting struct {
	done  chan struct{}
	ended chan struct{}
}

// newWaiting begins to tell what says, with the seconds since the beginning.
func newWaiting(stderr io.Writer, quiet bool, says func() string) *waiting {
	w := &waiting{make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(w.ended)
		began, tick := time.Now(), time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-w.done:
				return
			case <-tick.C:
				if !quiet {
					fmt.Fprintf(stderr, "draughtlab: %s (%.0f s)\n", says(), time.Since(began).Seconds())
				}
			}
		}
	}()
	return w
}

// end stops telling.
func (w *waiting) end() {
	close(w.done)
	<-w.ended
}

// buildGCPercent is by how much the heap may grow, in percent, between two
// garbage collections of a build.
const buildGCPercent = 10

// building builds what n needs and tells on stderr, at intervals, at which table
// it is. each is called after every table with the seconds it took.
func (n needs) building(ctx context.Context, stderr io.Writer, quiet bool, dir string, v *engine.Variant, rules endgame.Rules, workers int, each func(endgame.Progress, float64)) error {
	plan := n.plan(v, rules)
	var done atomic.Int64
	w := newWaiting(stderr, quiet, func() string {
		i := min(int(done.Load()), len(plan)-1)
		return fmt.Sprintf("%s: at %s, %d states, table %d of %d", v.Name, plan[i].Material, plan[i].States, i+1, len(plan))
	})
	defer w.end()
	// What a build allocates is few and large: the arrays of one table. Those of
	// the table before must not wait until the heap has doubled.
	defer debug.SetGCPercent(debug.SetGCPercent(buildGCPercent))
	began := time.Now()
	err := n.build(ctx, dir, v, rules, workers, func(p endgame.Progress) {
		done.Store(int64(p.Done))
		each(p, time.Since(began).Seconds())
		began = time.Now()
	})
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: run the same command again: it takes the tables that are there", errInterrupted)
	}
	return err
}
