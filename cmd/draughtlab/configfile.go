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

// maxSettings is the number of bytes that a file of settings may have.
const maxSettings = 1 << 20

// applyConfigFile sets the flags of cmd from the text of the TOML file at path,
// whose keys are their names; flags given on the command line keep their value.
// A key that is no flag is an error, and so is a table.
func applyConfigFile(cmd *cobra.Command, path string, text []byte) error {
	var values map[string]any
	if _, err := toml.Decode(string(text), &values); err != nil {
		if strings.Contains(err.Error(), "out of range for int64") {
			err = fmt.Errorf("%w: write a number as large as that as a text, in quotes", err)
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		flag := cmd.Flags().Lookup(key)
		if flag == nil || key == "config" || key == "help" {
			return fmt.Errorf("%s: unknown key %q: keys are the names of the flags of %s, without dashes", path, key, cmd.Name())
		}
		given := flag.Changed
		texts, err := flagTexts(values[key])
		if err == nil {
			err = fits(flag, values[key], texts)
		}
		if err == nil && !given {
			err = setFlag(flag, texts)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", path, key, err)
		}
	}
	return nil
}

// fits checks the kind of a value, also of one that the command line overrules.
func fits(flag *pflag.Flag, value any, texts []string) error {
	if _, isList := flag.Value.(pflag.SliceValue); !isList && len(texts) != 1 {
		return fmt.Errorf("takes one value, not a list")
	}
	if _, is := value.(bool); is != (flag.Value.Type() == "bool") {
		return fmt.Errorf("%v: takes %s", value, takes(flag))
	}
	if slices.Contains(texts, "") || len(texts) == 0 {
		return fmt.Errorf("the value is empty: give one, or leave the key out")
	}
	return nil
}

// takes says what a flag takes.
func takes(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false, without quotes"
	case "int", "int64":
		return "a whole number"
	case "uint64":
		return "a whole number from 0 to 2^64-1"
	}
	return "a text"
}

func setFlag(flag *pflag.Flag, texts []string) error {
	list, isList := flag.Value.(pflag.SliceValue)
	switch {
	case isList:
		if err := list.Replace(texts); err != nil {
			return err
		}
	default:
		if err := flag.Value.Set(texts[0]); err != nil {
			return fmt.Errorf("%q: takes %s", texts[0], takes(flag))
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
