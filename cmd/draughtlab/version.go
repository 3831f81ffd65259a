package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
	"draughtlab/export/dataset"
)

// version is the release; commit is set by the Makefile's -ldflags where git
// answers.
const version = "0.1.0"

var commit string

// build is what `draughtlab version` tells.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	Schema  int    `json:"schema_version"`
	// Weights are the hashes of the built-in weights, by variant.
	Weights map[string]string `json:"weights"`
}

func thisBuild() build {
	b := build{Version: version, Commit: commit, Go: runtime.Version(), Schema: dataset.SchemaVersion, Weights: map[string]string{}}
	if info, ok := debug.ReadBuildInfo(); ok && b.Commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	if b.Commit == "" {
		b.Commit = "unknown"
	}
	for _, v := range variants.All() {
		b.Weights[v.Name] = eval.Default(v).Hash()
	}
	return b
}

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit, schema and weights hashes",
		Example: "  draughtlab version\n  draughtlab version --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, out := thisBuild(), cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(b)
			}
			fmt.Fprintf(out, "draughtlab %s\ncommit   %s\ngo       %s\nschema   %d\n", b.Version, b.Commit, b.Go, b.Schema)
			for _, name := range variants.Names() {
				if _, err := fmt.Fprintf(out, "weights  %-8s %s\n", name, b.Weights[name]); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
