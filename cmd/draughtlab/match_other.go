package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"draughtlab/selfplay/match"
)

// matchFlagNames are the settings of a match file as the command line calls
// them.
var matchFlagNames = map[string]string{
	"variant":          "--variant",
	"profile":          "--profile",
	"pairs":            "--games",
	"sprt":             "--sprt",
	"seed":             "--seed",
	"openings.count":   "a number of --openings of",
	"openings.sha256":  "--openings with the hash",
	"random_plies.min": "--random-plies from",
	"random_plies.max": "--random-plies up to",
	"max_plies":        "--max-plies",
	"table_pieces":     "--tables",
}

// otherMatch tells in the words of the command line that a file has other
// settings.
func otherMatch(e *match.OtherMatchError) error {
	name, ok := matchFlagNames[e.Key]
	if engine, key, cut := strings.Cut(e.Key, "."); !ok && cut && len(engine) == 1 {
		name, ok = fmt.Sprintf("engine %s with %s", strings.ToUpper(engine), key), true
	}
	if !ok {
		return e
	}
	return fmt.Errorf("%s is another match's: it has %s %s, not %s; choose another file", e.Path, name, flagValue(e.Key, e.There), flagValue(e.Key, e.Here))
}

// flagValue writes a value of a match file as its flag takes it.
func flagValue(key, value string) string {
	switch key {
	case "pairs":
		if n, err := strconv.Atoi(value); err == nil {
			return strconv.Itoa(2 * n)
		}
	case "sprt":
		var t *match.SPRT
		if err := json.Unmarshal([]byte(value), &t); err == nil {
			if t == nil {
				return "none"
			}
			return fmt.Sprintf("%g,%g --alpha %g --beta %g", t.Elo0, t.Elo1, t.Alpha, t.Beta)
		}
	}
	if text, err := strconv.Unquote(value); err == nil && text != "" {
		return text
	}
	return value
}
