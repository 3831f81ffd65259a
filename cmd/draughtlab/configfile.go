package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// applyConfigFile sets the flags of cmd from a TOML file whose keys are their
// names; flags given on the command line keep their value. A key that is no
// flag is an error, and so is a table.
func applyConfigFile(cmd *cobra.Command, path string) error {
	var values map[string]any
	if _, err := toml.DecodeFile(path, &values); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		flag := cmd.Flags().Lookup(key)
		if flag == nil || key == "config" || key == "help" {
			return fmt.Errorf("%s: unknown key %q: keys are the names of the flags of %s, without dashes", path, key, cmd.Name())
		}
		if flag.Changed {
			continue
		}
		texts, err := flagTexts(values[key])
		if err == nil {
			err = setFlag(flag, texts)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", path, key, err)
		}
	}
	return nil
}

func setFlag(flag *pflag.Flag, texts []string) error {
	list, isList := flag.Value.(pflag.SliceValue)
	switch {
	case isList:
		if err := list.Replace(texts); err != nil {
			return err
		}
	case len(texts) != 1:
		return fmt.Errorf("takes one value, not a list")
	default:
		if err := flag.Value.Set(texts[0]); err != nil {
			return err
		}
	}
	flag.Changed = true
	return nil
}

// flagTexts returns the value of a key as one would type it, a list as several.
func flagTexts(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var texts []string
	for _, v := range list {
		switch v.(type) {
		case string, bool, int64, float64:
			texts = append(texts, strings.TrimSpace(fmt.Sprint(v)))
		default:
			return nil, fmt.Errorf("takes a text, a number, true or false, or a list of those")
		}
	}
	return texts, nil
}
