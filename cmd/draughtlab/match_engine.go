package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"draughtlab/engine"
	"draughtlab/selfplay"
	"draughtlab/selfplay/match"
)

// engineSpec is what a person says of an engine.
type engineSpec struct {
	random  bool
	weights string // a path; "" or "default" for the built-in ones
	nodes   uint64
	depth   int
	time    time.Duration
	hash    int
	off     []string
}

// newMatchEngine makes an engine of its text on the command line; one without a
// limit takes those of common.
func newMatchEngine(v *engine.Variant, text string, common engineSpec) (e match.Engine, err error) {
	spec, err := parseEngine(text)
	if err != nil {
		return e, err
	}
	if spec.random {
		e.Kind = selfplay.Random
		return e, nil
	}
	if spec.nodes == 0 && spec.depth == 0 && spec.time == 0 {
		spec.nodes, spec.depth, spec.time = common.nodes, common.depth, common.time
	}
	if spec.nodes == 0 && spec.depth == 0 && spec.time == 0 {
		return e, errors.New("a search needs a limit: give --nodes, --depth or --time")
	}
	e.PlayerConfig = selfplay.PlayerConfig{Kind: selfplay.Search, Nodes: spec.nodes, Depth: spec.depth, HashEntries: spec.hash}
	e.Time, e.Off = spec.time, spec.off
	if spec.weights != "" && spec.weights != selfplay.DefaultWeights {
		e.WeightsName = filepath.Base(spec.weights)
		e.Weights, err = readWeights(spec.weights, v)
	}
	return e, err
}

// parseEngine reads the text of an engine.
func parseEngine(text string) (engineSpec, error) {
	spec := engineSpec{hash: selfplay.DefaultHashEntries}
	switch {
	case text == "":
		return spec, errors.New("an engine without a name: use default, random, a weights file or key=value settings")
	case text == selfplay.Random:
		spec.random = true
		return spec, nil
	case strings.HasSuffix(text, ".toml"):
		return spec, spec.readTOML(text)
	case strings.Contains(text, "="):
		given := map[string]bool{}
		for _, setting := range strings.Split(text, ",") {
			key, value, _ := strings.Cut(setting, "=")
			if given[key] {
				return spec, fmt.Errorf("%s is given twice: give it once", key)
			}
			given[key] = true
			if err := spec.set(key, value); err != nil {
				return spec, err
			}
		}
		return spec, nil
	}
	spec.weights = text
	return spec, nil
}

// engineKeys are the settings of an engine, by name.
const engineKeys = "weights, nodes, depth, time, hash, off"

// set sets one setting from its text.
func (s *engineSpec) set(key, value string) (err error) {
	if value == "" {
		return fmt.Errorf("%s without a value: write %s=VALUE", key, key)
	}
	switch key {
	case "weights":
		s.weights = value
	case "nodes":
		if s.nodes, err = strconv.ParseUint(value, 10, 32); err != nil || s.nodes == 0 {
			return fmt.Errorf("nodes=%s: it takes a number from 1", value)
		}
	case "depth":
		if s.depth, err = strconv.Atoi(value); err != nil || s.depth < 1 {
			return fmt.Errorf("depth=%s: it takes a number from 1", value)
		}
	case "time":
		if s.time, err = time.ParseDuration(value); err != nil || s.time <= 0 {
			return fmt.Errorf("time=%s: it takes a time such as 50ms", value)
		}
	case "hash":
		if s.hash, err = strconv.Atoi(value); err != nil {
			return fmt.Errorf("hash=%s: it takes a number of entries, a power of two", value)
		}
	case "off":
		s.off = append(s.off, strings.Split(value, "+")...)
		slices.Sort(s.off)
		for i := range len(s.off) - 1 {
			if s.off[i] == s.off[i+1] {
				return fmt.Errorf("off=%s: %s is named twice: name it once", value, s.off[i])
			}
		}
	default:
		return fmt.Errorf("unknown setting %q: the settings of an engine are %s", key, engineKeys)
	}
	return nil
}

// readTOML sets the settings from a file whose keys are theirs.
func (s *engineSpec) readTOML(path string) error {
	var values map[string]any
	if _, err := toml.DecodeFile(path, &values); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		texts, err := flagTexts(values[key])
		if err == nil && len(texts) != 1 && key != "off" {
			err = errors.New("takes one value, not a list")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		for _, text := range texts {
			if err := s.set(key, text); err != nil {
				return err
			}
		}
	}
	return nil
}
