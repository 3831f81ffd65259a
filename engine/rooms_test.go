package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rooms are the packages in the order in which they may import each other:
// each only such as stand above it, and none that it must not know. A new
// package gets a line here.
var rooms = []struct {
	name  string
	never []string // not imported: foreign packages directly, our own at any distance
}{
	{"engine", []string{"os"}},
	{"engine/croda", []string{"os"}},
	{"engine/russian", []string{"os", "draughtlab/engine/croda"}},
	{"engine/frisian", []string{"os", "draughtlab/engine/croda", "draughtlab/engine/russian"}},
	{"engine/variants", []string{"os"}},
	{"engine/slow", []string{"os", "draughtlab/engine/variants", "draughtlab/engine/croda", "draughtlab/engine/russian", "draughtlab/engine/frisian"}},
	{"engine/notation", []string{"os"}},
	{"engine/eval", nil},
	{"engine/endgame", nil},
	{"engine/search", []string{"os"}},
	{"export/dataset", []string{"draughtlab/engine/search", cobra}},
	{"export/refine", []string{"draughtlab/engine/search", cobra}},
	{"selfplay", []string{cobra, pflag, "flag", parquet, arrow}},
	{"selfplay/match", []string{cobra, pflag, "flag"}},
	{"selfplay/submit", []string{cobra, pflag, "flag", "os"}},
	{"tune", []string{"draughtlab/selfplay", "draughtlab/engine/search", cobra}},
	{"export/drawrate", []string{"draughtlab/selfplay", "draughtlab/engine/search", "draughtlab/tune", cobra}},
	{"export/convert", []string{"draughtlab/selfplay", "draughtlab/tune", cobra}},
	{"cmd/draughtlab", nil},
}

const (
	cobra   = "github.com/spf13/cobra"
	pflag   = "github.com/spf13/pflag"
	parquet = "github.com/parquet-go/"
	arrow   = "github.com/apache/arrow/"
)

// TestRooms holds the order of the packages, by what the go command says that
// they import.
func TestRooms(t *testing.T) {
	rank := map[string]int{}
	for i, r := range rooms {
		rank["draughtlab/"+r.name] = i
	}
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps", "draughtlab/...")
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, problems.String())
	}
	seen := 0
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath    string
			Imports, Deps []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(p.ImportPath, "draughtlab/") {
			continue
		}
		own, ok := rank[p.ImportPath]
		if !ok {
			t.Errorf("%s is in no room: give it a line in the table", p.ImportPath)
			continue
		}
		seen++
		for _, dep := range p.Deps {
			if above, ok := rank[dep]; ok && above >= own {
				t.Errorf("%s imports %s, which stands below it", p.ImportPath, dep)
			}
			if strings.HasPrefix(dep, "draughtlab/") && slices.Contains(rooms[own].never, dep) {
				t.Errorf("%s depends on %s, which it must not know", p.ImportPath, dep)
			}
		}
		for _, dep := range p.Imports {
			for _, never := range rooms[own].never {
				if dep == never || strings.HasSuffix(never, "/") && strings.HasPrefix(dep, never) {
					t.Errorf("%s imports %s, which it must not know", p.ImportPath, dep)
				}
			}
		}
	}
	if seen < 12 {
		t.Errorf("go list named only %d of our packages", seen)
	}
}
