package search

import (
	"fmt"
	"slices"
)

// technique is a set of techniques of the search.
type technique uint16

const (
	aspiration technique = 1 << iota
	extension
	futility
	hashMove
	history
	killers
	lmr
	pvs
	hashTable
	threat
)

// techniqueNames are the names of the techniques, in their order.
var techniqueNames = [...]string{
	"aspiration", "extension", "futility", "hashmove",
	"history", "killers", "lmr", "pvs", "table", "threat",
}

// Techniques returns the names of the techniques that can be switched off, in
// alphabetical order. TECHNIQUES.md says what each is worth.
func Techniques() []string { return slices.Clone(techniqueNames[:]) }

// techniquesBut returns the techniques that pay in a game but those named off.
func techniquesBut(off []string, variant string) technique {
	on := technique(1<<len(techniqueNames) - 1)
	if variant == "frisian" {
		on &^= lmr | threat
	}
	for _, name := range off {
		i := slices.Index(techniqueNames[:], name)
		if i < 0 {
			panic(fmt.Sprintf("search: no technique %q", name))
		}
		on &^= 1 << i
	}
	return on
}

// has reports whether the set holds one technique.
func (t technique) has(one technique) bool { return t&one != 0 }
