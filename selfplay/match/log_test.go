package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine/notation"
	"draughtlab/selfplay"
)

// playFile plays a match with a file and returns its content.
func playFile(t *testing.T, s Settings, workers int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "match.jsonl")
	if _, err := Play(context.Background(), s, Options{Workers: workers, File: path}); err != nil {
		t.Fatal(err)
	}
	return contentOf(t, path)
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func linesOf(t *testing.T, data []byte) [][]byte {
	t.Helper()
	l := bytes.SplitAfter(data, []byte("\n"))
	if len(l[len(l)-1]) != 0 {
		t.Fatalf("no line end after %s", l[len(l)-1])
	}
	return l[:len(l)-1]
}

func pairOf(t *testing.T, line []byte) *pairRecord {
	t.Helper()
	var r pairRecord
	if err := strict(line, &r); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return &r
}

// short returns settings of a match that is played in no time, with an SPRT
// that ends it before the last pair.
func short(t *testing.T) Settings {
	s := settings(t, "russian")
	s.A.Nodes, s.Pairs = 20, 60
	s.SPRT = &SPRT{0, 200, 0.05, 0.05}
	return s
}

// The file depends on the settings only: not on the workers, and an SPRT ends
// it at the same pair.
func TestFileIsTheSameForAnyWorkers(t *testing.T) {
	s := short(t)
	want := playFile(t, s, 1)
	pairs := len(linesOf(t, want)) - 1
	if pairs < 3 || pairs >= s.Pairs {
		t.Fatalf("the SPRT ends after %d of %d pairs: this tests nothing", pairs, s.Pairs)
	}
	for _, workers := range []int{2, 7} {
		if got := playFile(t, s, workers); !bytes.Equal(got, want) {
			t.Errorf("%d workers: %d bytes, one worker %d", workers, len(got), len(want))
		}
	}
}

// A match can be stopped anywhere, a torn last line included, and goes on to the
// same file; what is there is not played again.
func TestResume(t *testing.T) {
	s := short(t)
	want := playFile(t, s, 2)
	whole := linesOf(t, want)
	for _, cut := range []int{0, 1, len(whole[0]) - 1, len(whole[0]), len(whole[0]) + 1, len(want) / 2, len(want) - 1, len(want)} {
		path := filepath.Join(t.TempDir(), "match.jsonl")
		if err := os.WriteFile(path, want[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		begun := -1
		r, err := Play(context.Background(), s, Options{Workers: 2, File: path, Progress: func(r Result) {
			if begun < 0 {
				begun = r.Played()
			}
		}})
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if there := max(bytes.Count(want[:cut], []byte("\n"))-1, 0); begun != there {
			t.Errorf("cut at %d: began with %d pairs, %d were there", cut, begun, there)
		}
		if got := contentOf(t, path); !bytes.Equal(got, want) {
			t.Errorf("cut at %d: the file differs", cut)
		}
		if r.Played() != len(whole)-1 || s.SPRT.Decide(r.Pairs) == Undecided {
			t.Errorf("cut at %d: %+v", cut, r)
		}
	}
}

// Stopping by the context five times changes nothing.
func TestStopAndGoOn(t *testing.T) {
	s := settings(t, "croda")
	s.A, s.Pairs = s.B, 300
	want := playFile(t, s, 1)
	path := filepath.Join(t.TempDir(), "match.jsonl")
	stops := 0
	for {
		ctx, cancel := context.WithCancel(context.Background())
		begun := -1
		_, err := Play(ctx, s, Options{Workers: 2, File: path, Progress: func(r Result) {
			if begun < 0 {
				begun = r.Played()
			} else if r.Played() == begun+5 {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			break
		}
		if stops++; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if got := contentOf(t, path); !bytes.Equal(got, want) || stops < 2 {
		t.Errorf("after %d stops: %d bytes, want %d", stops, len(got), len(want))
	}
}

// The lines say enough to replay the games: moves, article, result and the
// first line's settings. A line's counts are those of the result.
func TestFileContent(t *testing.T) {
	s := settings(t, "frisian")
	l := linesOf(t, playFile(t, s, 1))
	if len(l) != 1+s.Pairs || !strings.HasPrefix(string(l[0]), `{"match_version":1,"variant":"frisian","profile":"basic","a":{"kind":"search","nodes":100,`) {
		t.Fatalf("%d lines, the first %s", len(l), l[0])
	}
	for i, line := range l[1:] {
		r := pairOf(t, line)
		p, err := notation.ParseFEN(s.Variant, r.Start)
		if err != nil || p != s.Variant.Start || r.Pair != i || r.Opening != selfplay.StartID {
			t.Errorf("pair %d: start %+v, %v", i, r, err)
		}
		for _, g := range r.Games {
			p := p
			moves := strings.Fields(g.Moves)
			for ply, text := range moves {
				m, err := notation.ParseMove(s.Variant, &p, s.Variant.Generate(&p, nil), text)
				if err != nil {
					t.Fatalf("pair %d, ply %d: %v", i, ply, err)
				}
				p = p.Make(m)
			}
			if n := int64(len(moves)) - g.A.Moves - g.B.Moves; n < 2 || n > 4 || g.A.Nodes < g.A.Moves {
				t.Errorf("pair %d: %d moves of neither, work %+v %+v", i, n, g.A, g.B)
			}
		}
	}
}

// A file that is another match's, no match file, damaged, or of engines that
// play differently now, is refused in one line and left as it is.
func TestForeignFileIsRefused(t *testing.T) {
	s := settings(t, "russian")
	s.A.Nodes, s.Pairs = 20, 3
	good := string(playFile(t, s, 1))
	l := strings.SplitAfter(good, "\n")
	moves := pairOf(t, []byte(l[1])).Games[0].Moves
	for _, c := range []struct {
		name, content, want string
		change              func(*Settings)
	}{
		{"seed", good, `has seed = 1, not 2`, func(s *Settings) { s.Seed = 2 }},
		{"nodes", good, `has a.nodes = 20, not 21`, func(s *Settings) { s.A.Nodes = 21 }},
		{"pairs", good, `has pairs = 3, not 4`, func(s *Settings) { s.Pairs = 4 }},
		{"random plies", good, `has random_plies.max = 4, not 5`, func(s *Settings) { s.RandomPlies.Max = 5 }},
		{"sprt", good, `has sprt = null, not {"elo0":0`, func(s *Settings) { s.SPRT = &SPRT{0, 5, 0.05, 0.05} }},
		{"openings", good, `has openings.count = 0, not 1`, func(s *Settings) {
			s.Openings = []selfplay.Opening{{ID: "x", Start: s.Variant.Start}}
		}},
		{"text", "hello\n", ":1: no match file", nil},
		{"text without line end", "hello", ":1: no match file", nil},
		{"other version", `{"match_version":9}` + "\n", "match version 9", nil},
		{"unknown key", strings.Replace(good, `"pairs"`, `"couples"`, 1), ":1: damaged", nil},
		{"missing pair", l[0] + l[2], ":2: damaged: pair 1 where 0 is due", nil},
		{"pair twice", l[0] + l[1] + l[1], ":3: damaged: pair 0 where 1 is due", nil},
		{"rubbish", l[0] + l[1] + "\x00\x00\n", ":3: damaged", nil},
		{"outcome", strings.Replace(good, `"outcome":"`, `"outcome":"?`, 1), ":2: damaged: unknown outcome", nil},
		{"too long", good + strings.Replace(l[3], `"pair":2`, `"pair":3`, 1), ":5: damaged: a pair after the match was over", nil},
		{"other engines", strings.Replace(good, moves, moves+" a1-b2", 1), "first pair comes out differently", nil},
	} {
		path := filepath.Join(t.TempDir(), "match.jsonl")
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		s := s
		if c.change != nil {
			c.change(&s)
		}
		_, err := Play(context.Background(), s, Options{Workers: 1, File: path})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if got := string(contentOf(t, path)); got != c.content {
			t.Errorf("%s: the file was changed", c.name)
		}
	}
}

// Two processes never write to one file, and a device is no file.
func TestFileInUse(t *testing.T) {
	s := settings(t, "russian")
	path := filepath.Join(t.TempDir(), "match.jsonl")
	l, err := openLog(path, s.header(), func(*pairRecord) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	_, err = Play(context.Background(), s, Options{Workers: 1, File: path})
	if err == nil || !strings.Contains(err.Error(), path+" is in use by another process") {
		t.Errorf("error %v", err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Play(context.Background(), s, Options{Workers: 1, File: path}); err != nil {
		t.Error(err)
	}
	for _, path := range []string{os.DevNull, "/dev/zero", t.TempDir()} {
		if _, err := SeedOf(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("seed of %s: error %v", path, err)
		}
		if _, err := Play(context.Background(), s, Options{Workers: 1, File: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

// Protects the seed of a match that goes on without --seed.
func TestSeedOf(t *testing.T) {
	s := settings(t, "russian")
	s.A, s.Seed, s.Pairs = s.B, 1<<63+5, 1
	dir := t.TempDir()
	path := filepath.Join(dir, "match.jsonl")
	if _, err := SeedOf(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	data := playFile(t, s, 1)
	for cut, want := range map[int]error{0: io.EOF, 5: io.EOF, len(data): nil} {
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		seed, err := SeedOf(path)
		if !errors.Is(err, want) || want == nil && (err != nil || seed != s.Seed) {
			t.Errorf("%d bytes: %d, %v", cut, seed, fmt.Sprint(err))
		}
	}
}
