// Package variants lists the games.
package variants

import (
	"fmt"
	"strings"

	"draughtlab/engine"
	"draughtlab/engine/croda"
	"draughtlab/engine/frisian"
	"draughtlab/engine/russian"
)

// All returns the games in the order in which they are listed everywhere.
func All() []*engine.Variant {
	return []*engine.Variant{croda.Variant(), russian.Variant(), frisian.Variant()}
}

// Names returns their names in that order.
func Names() []string {
	var names []string
	for _, v := range All() {
		names = append(names, v.Name)
	}
	return names
}

// ByName returns the game of that name.
func ByName(name string) (*engine.Variant, error) {
	for _, v := range All() {
		if v.Name == name {
			return v, nil
		}
	}
	return nil, fmt.Errorf("unknown variant %q: use %s", name, strings.Join(Names(), ", "))
}
