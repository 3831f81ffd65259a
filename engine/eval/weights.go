package eval

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"draughtlab/engine"
	"draughtlab/engine/variants"
)

// Weights is what each feature of one game is worth to White, in hundredths of
// a man, on a full board (Opening) and on an empty one (Endgame).
type Weights struct {
	// Variant is the name of the game.
	Variant string
	// Opening and Endgame have an entry a feature, in the order of Features.
	Opening, Endgame []int16
	// Provenance says how the weights were made, in any keys. It is no part
	// of the hash.
	Provenance map[string]string
}

//go:embed default
var files embed.FS

// defaults reads the weights files of the program once.
var defaults = sync.OnceValue(func() map[string]*Weights {
	all := map[string]*Weights{}
	for _, v := range variants.All() {
		file, err := files.Open("default/" + v.Name + ".json")
		if err != nil {
			panic("eval: " + err.Error())
		}
		w, err := Read(file, v)
		if err != nil {
			panic("eval: built-in " + v.Name + ": " + err.Error())
		}
		all[v.Name] = w
	}
	return all
})

// Default returns a copy of the tuned weights that are built into the program;
// README.md says from which games they come.
func Default(v *engine.Variant) *Weights {
	w := *defaults()[v.Name]
	w.Opening, w.Endgame = slices.Clone(w.Opening), slices.Clone(w.Endgame)
	w.Provenance = maps.Clone(w.Provenance)
	return &w
}

// BuiltIn returns the weights the program has under that name, "default" or
// "untuned", if there are any.
func BuiltIn(v *engine.Variant, name string) (w *Weights, ok bool) {
	switch name {
	case "default":
		return Default(v), true
	case "untuned":
		return Untuned(v), true
	}
	return nil, false
}

// Untuned returns weights set by hand, the start of all tuning: they know
// material and a little of advancement and are otherwise zero.
func Untuned(v *engine.Variant) *Weights {
	n := For(v).Len()
	w := &Weights{
		Variant: v.Name, Opening: make([]int16, n), Endgame: make([]int16, n),
		Provenance: map[string]string{"source": "untuned: set by hand"},
	}
	set := func(feature int, opening, endgame int16) {
		w.Opening[feature], w.Endgame[feature] = opening, endgame
	}
	set(man, 100, 100)
	set(king, 250, 250)
	set(firstKing, 50, 50)
	set(sideToMove, 5, 5)
	set(tempo, 1, 4)
	set(freeStep, 1, 1)
	set(blockedMan, -1, -2)
	set(runaway, 10, 50)
	set(imbalance, -1, 0)
	set(openBase, -10, 0)
	return w
}

// features returns the feature set the weights are for; a Weights of an unknown
// game or of another length is a bug of the caller.
func (w *Weights) features() *Features {
	v, err := variants.ByName(w.Variant)
	if err != nil {
		panic("eval: weights: " + err.Error())
	}
	f := For(v)
	if len(w.Opening) != f.Len() || len(w.Endgame) != f.Len() {
		panic(fmt.Sprintf("eval: %d and %d weights for the %d features of %s", len(w.Opening), len(w.Endgame), f.Len(), w.Variant))
	}
	return f
}

// Hash identifies the weights: 16 hexadecimal digits over the game, the names
// of the features and their values. It takes milliseconds.
func (w *Weights) Hash() string {
	f, h := w.features(), sha256.New()
	var buf []byte
	for i := range f.Len() {
		buf = append(append(buf[:0], f.Name(i)...), 0)
		buf = binary.LittleEndian.AppendUint16(buf, uint16(w.Opening[i]))
		buf = binary.LittleEndian.AppendUint16(buf, uint16(w.Endgame[i]))
		h.Write(buf)
	}
	io.WriteString(h, w.Variant)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// FeatureSet identifies the features of a game: 16 hexadecimal digits over
// their names. Weights made for other features are of no use.
func (f *Features) FeatureSet() string {
	h := sha256.New()
	for i := range f.Len() {
		io.WriteString(h, f.Name(i)+"\n")
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// fileFormat is raised when the shape of a weights file changes.
const fileFormat = 1

// file is the text form of weights: JSON, features that weigh nothing left out.
type file struct {
	Format     int               `json:"format"`
	Variant    string            `json:"variant"`
	FeatureSet string            `json:"feature_set"`
	Provenance map[string]string `json:"provenance"`
	Weights    []fileWeight      `json:"weights"`
}

type fileWeight struct {
	Feature string `json:"feature"`
	Opening *int16 `json:"opening"`
	Endgame *int16 `json:"endgame"`
}

// Write writes the weights as JSON, a line a feature, in the order of the
// features; equal weights give equal bytes.
func (w *Weights) Write(out io.Writer) error {
	f := w.features()
	provenance, err := json.Marshal(w.Provenance) // sorts its keys
	if err != nil {
		return fmt.Errorf("weights of %s: %w", w.Variant, err)
	}
	b := bufio.NewWriter(out)
	fmt.Fprintf(b, "{\n\"format\": %d,\n\"variant\": %q,\n\"feature_set\": %q,\n\"provenance\": %s,\n\"weights\": [",
		fileFormat, w.Variant, f.FeatureSet(), provenance)
	separator := "\n"
	for i := range f.Len() {
		if w.Opening[i] != 0 || w.Endgame[i] != 0 {
			fmt.Fprintf(b, "%s{\"feature\": %q, \"opening\": %d, \"endgame\": %d}", separator, f.Name(i), w.Opening[i], w.Endgame[i])
			separator = ",\n"
		}
	}
	io.WriteString(b, "\n]\n}\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("weights of %s: %w", w.Variant, err)
	}
	return nil
}

// Read reads weights of the game v as Write wrote them. It is strict: another
// game, another feature set, an unknown or repeated feature or key, a missing
// or non-integer value, a man without weight, and anything behind the end are
// errors.
func Read(r io.Reader, v *engine.Variant) (*Weights, error) {
	var in file
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			if wrong.Field == "" {
				return nil, fmt.Errorf("weights file: want a JSON object, got %s", wrong.Value)
			}
			return nil, fmt.Errorf("weights file: byte %d: key %s: got %s", wrong.Offset, wrong.Field, wrong.Value)
		}
		return nil, fmt.Errorf("weights file: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("weights file: something follows the weights")
	}
	f := For(v)
	switch {
	case in.Format != fileFormat:
		return nil, fmt.Errorf("weights file: format %d, this program reads %d", in.Format, fileFormat)
	case in.Variant != v.Name:
		return nil, fmt.Errorf("weights file: weights of %q, not of %s", in.Variant, v.Name)
	case in.FeatureSet != f.FeatureSet():
		return nil, fmt.Errorf("weights file: made for feature set %q, this program has %s: tune again", in.FeatureSet, f.FeatureSet())
	}
	w := &Weights{Variant: v.Name, Opening: make([]int16, f.Len()), Endgame: make([]int16, f.Len()), Provenance: in.Provenance}
	index := make(map[string]int, f.Len())
	for i := range f.Len() {
		index[f.Name(i)] = i
	}
	for _, e := range in.Weights {
		i, ok := index[e.Feature]
		if !ok {
			return nil, fmt.Errorf("weights file: unknown or repeated feature %q", e.Feature)
		}
		if e.Opening == nil || e.Endgame == nil {
			return nil, fmt.Errorf("weights file: feature %q lacks its opening or endgame weight", e.Feature)
		}
		w.Opening[i], w.Endgame[i] = *e.Opening, *e.Endgame
		delete(index, e.Feature)
	}
	if w.Opening[man] == 0 && w.Endgame[man] == 0 {
		return nil, fmt.Errorf("weights file: feature %q weighs nothing: its line is lost", f.Name(man))
	}
	return w, nil
}
