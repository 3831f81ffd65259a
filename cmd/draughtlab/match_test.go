package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"draughtlab/engine/eval"
	"draughtlab/engine/variants"
	"draughtlab/selfplay/match"
)

// matchInProcess runs the command in this process.
func matchInProcess(args ...string) (stdout, stderr string, err error) {
	return inProcess(newMatchCommand(), "", args...)
}

// readMatch runs the command with --json and reads what it prints.
func readMatch(t *testing.T, args ...string) matchReport {
	t.Helper()
	out, _, err := matchInProcess(append(args, "--json", "--quiet")...)
	if err != nil {
		t.Fatal(err)
	}
	var r matchReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return r
}

// Protects what a person reads, its 80 columns, and the counts: a search wins
// every game from random moves, so the difference is not finite and no
// interval can be given.
func TestMatchText(t *testing.T) {
	out, log, err := matchInProcess("nodes=200,hash=1024", "random", "--variant", "russian", "--games", "4", "--seed", "5", "--sprt", "0,400")
	if err != nil {
		t.Fatal(err)
	}
	const want = `Russian, profile basic, seed 5, endgame tables of 3 pieces
A  alphabeta nodes=200 weights=default hash=1024
B  random

  Games   A won   drawn   B won  cut off   Score %  Elo (95 %)
      4       4       0       0        0    100.00  +Inf (no interval)

Pairs by A's points         0     0.5       1     1.5       2
2                           0       0       0       0       2

All pairs scored alike, so no interval can be given: play more games.

SPRT of Elo 0 against 400 (alpha 0.05, beta 0.05): LLR 1.20 of -2.94 to 2.94
Undecided.
`
	got := out
	if i := strings.Index(got, "\nPositions searched"); i >= 0 { // the search may change
		j := i + 1 + strings.Index(got[i+1:], "\n")
		got = got[:i] + got[j+1:]
	}
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if !strings.HasPrefix(log, "match: seed 5\n") || !strings.Contains(log, "match +4 =0 -0 LLR 1.20: 2/2 pairs") {
		t.Errorf("stderr: %s", log)
	}
	for line := range strings.Lines(newMatchCommand().Long) {
		if len(line) > 81 {
			t.Errorf("help: %d columns: %s", len(line), line)
		}
	}
}

// Protects the JSON against the counts it must agree with, and the ways to name
// an engine: flags, settings, a TOML file, a weights file.
func TestMatchEngines(t *testing.T) {
	v, err := variants.ByName("croda")
	if err != nil {
		t.Fatal(err)
	}
	var weights bytes.Buffer
	w := eval.Default(v)
	w.Opening[0]++
	if err := w.Write(&weights); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, "better.json", weights.String())
	toml := writeFile(t, "engine.toml", "weights = \""+file+"\"\nnodes = 60\nhash = 4096\n")
	for _, c := range []struct{ a, b, settingsA, settingsB string }{
		{"default", "nodes=40", "alphabeta nodes=50 weights=default", "alphabeta nodes=40 weights=default"},
		{file, "depth=2,weights=" + file, "alphabeta nodes=50 weights=better.json", "alphabeta depth=2 weights=better.json"},
		{toml, "time=1ms", "alphabeta nodes=60 weights=better.json hash=4096", "alphabeta time=1ms weights=default"},
	} {
		r := readMatch(t, c.a, c.b, "--variant", "croda", "--nodes", "50", "--games", "4", "--max-plies", "40", "--seed", "18446744073709551615")
		if r.A.Settings != c.settingsA || r.B.Settings != c.settingsB || r.A.Given != c.a || r.Seed != "18446744073709551615" {
			t.Errorf("%s against %s: %+v", c.a, c.b, r)
		}
		if r.Games != 4 || r.Wins+r.Draws+r.Losses+r.Unfinished != 4 || !r.Finished || r.SPRT != nil {
			t.Errorf("%s against %s: %+v", c.a, c.b, r)
		}
		if r.Unfinished == 4 && (r.Pairs != 0 || r.Score != nil || r.Elo != nil) {
			t.Errorf("no pair was finished: %+v", r)
		}
	}
}

// Protects the openings of a file: without random plies each is played once.
func TestMatchOpenings(t *testing.T) {
	file := writeFile(t, "o.fen", "W:Wa3,c3,e3:Bb8,d8,f8\nB:Wa3,c3,e3:Bb8,d8,f8\nW:Wa1,c3,e3:Bb8,d8,h8\n")
	r := readMatch(t, "nodes=30", "random", "--variant", "russian", "--openings", file)
	if r.Games != 6 || r.Repeated != 0 {
		t.Errorf("%+v", r)
	}
	r = readMatch(t, "nodes=30", "random", "--variant", "russian", "--openings", file, "--random-plies", "0-1", "--games", "10")
	if r.Games != 10 {
		t.Errorf("%+v", r)
	}
}

// Protects whoever reads an interval: pairs that are all alike give none, not
// one of a single point, also where the difference itself is finite.
func TestMatchAlike(t *testing.T) {
	args := []string{"nodes=1", "nodes=1", "--variant", "russian", "--random-plies", "0", "--games", "2", "--tables", "0"}
	r := readMatch(t, args...)
	if r.Pairs != 1 || r.Score == nil || r.Elo == nil || r.ScoreSE != nil || r.EloLow != nil || r.EloHigh != nil {
		t.Errorf("%+v", r)
	}
	if out, _, err := matchInProcess(args...); err != nil || !strings.Contains(out, "+0.0 (no interval)\n") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Protects what differs in a file of another match: it is told in the words of
// the command line.
func TestOtherMatch(t *testing.T) {
	for _, c := range []struct{ key, there, here, want string }{
		{"pairs", "2", "4", "it has --games 4, not 8;"},
		{"variant", `"croda"`, `"russian"`, "it has --variant croda, not russian;"},
		{"sprt", "null", `{"elo0":0,"elo1":5,"alpha":0.05,"beta":0.1}`, "it has --sprt none, not 0,5 --alpha 0.05 --beta 0.1;"},
		{"a.nodes", "10", "20", "it has engine A with nodes 10, not 20;"},
		{"b.weights.name", `"x.json"`, `""`, `it has engine B with weights.name x.json, not "";`},
		{"table_pieces", "0", "3", "it has --tables 0, not 3;"},
		{"unheard_of", "1", "2", "it has unheard_of = 1, not 2;"},
	} {
		wantError(t, otherMatch(&match.OtherMatchError{Path: "m.jsonl", Key: c.key, There: c.there, Here: c.here}), "m.jsonl is another match's: "+c.want)
	}
}

// Protects the file: the same command goes on with its seed, says when nothing
// is left, and refuses other settings.
func TestMatchFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	args := []string{"nodes=30", "random", "--variant", "frisian", "--games", "6", "--out", path}
	first := readMatch(t, args...)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, log, err := matchInProcess(args...)
	if err != nil || !strings.Contains(out, "seed "+first.Seed) || !strings.Contains(log, path+" is complete, nothing is left to play") {
		t.Errorf("again: %v, %s%s", err, out, log)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed: %v", err)
	}
	_, _, err = matchInProcess(append(args, "--seed", "1")...)
	wantError(t, err, path, "another match's", "has --seed "+first.Seed+", not 1")
	args[5] = "8"
	_, _, err = matchInProcess(args...)
	wantError(t, err, path, "has --games 6, not 8;")
}

// Protects a match against kill -9 and against being asked to stop: the same
// command comes to the same bytes.
func TestMatchKilledAndStopped(t *testing.T) {
	dir := t.TempDir()
	args := func(name string) []string {
		return []string{"match", "nodes=300", "nodes=200", "--variant", "russian", "--games", "80", "--seed", "9", "--workers", "2", "--quiet", "--json", "--out", filepath.Join(dir, name)}
	}
	whole := newProgram(t, args("whole")...)
	whole.start(t)
	if code := whole.end(t); code != exitOK {
		t.Fatalf("exit %d: %s", code, whole.stderr.String())
	}
	want, err := os.ReadFile(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	disturbed, stopped := filepath.Join(dir, "disturbed"), false
	for i, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGINT} {
		p := newProgram(t, args("disturbed")...)
		p.start(t)
		lines := 8 * (i + 1)
		for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(time.Millisecond) {
			if data, _ := os.ReadFile(disturbed); bytes.Count(data, []byte("\n")) >= lines {
				break
			}
		}
		if err := p.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		code := p.end(t)
		if sig != syscall.SIGKILL && code == exitInterrupted {
			stopped = true
			if !strings.Contains(p.stderr.String(), "run the same command again to go on") || p.stdout.Len() > 0 {
				t.Errorf("stopped: %s%s", p.stdout.String(), p.stderr.String())
			}
		}
	}
	last := newProgram(t, args("disturbed")...)
	last.start(t)
	if code := last.end(t); code != exitOK || last.stdout.String() != whole.stdout.String() {
		t.Errorf("exit %d, %s%s\nundisturbed: %s", code, last.stdout.String(), last.stderr.String(), whole.stdout.String())
	}
	if got, err := os.ReadFile(disturbed); err != nil || !bytes.Equal(got, want) || !stopped {
		t.Errorf("%v: %d bytes, undisturbed %d; stopped once: %v", err, len(got), len(want), stopped)
	}
}

// Protects a match against a full disk: the error names the file, the whole
// pairs stay, and with room again it goes on to the same file.
func TestMatchDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.jsonl")
	args := []string{"match", "nodes=30", "random", "--variant", "russian", "--games", "40", "--seed", "2", "--quiet", "--out", path}
	full := newProgram(t, args...)
	full.Env = append(full.Env, fileLimit+"=5000")
	full.start(t)
	if code := full.end(t); code != exitFailure || !strings.Contains(full.stderr.String(), path) || strings.Count(full.stderr.String(), "\n") != 1 {
		t.Errorf("exit %d: %s", code, full.stderr.String())
	}
	again := newProgram(t, args...)
	again.start(t)
	if code := again.end(t); code != exitOK {
		t.Fatalf("exit %d: %s", code, again.stderr.String())
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	args[len(args)-1] += ".other"
	other := newProgram(t, args...)
	other.start(t)
	if code := other.end(t); code != exitOK {
		t.Fatalf("exit %d: %s", code, other.stderr.String())
	}
	if want, err := os.ReadFile(args[len(args)-1]); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %d bytes, undisturbed %d", err, len(got), len(want))
	}
}

// Protects the errors of the command line.
func TestMatchBadInput(t *testing.T) {
	toml := writeFile(t, "e.toml", "knots = 5\n")
	list := writeFile(t, "l.toml", "nodes = [5, 6]\n")
	twice := writeFile(t, "t.toml", "nodes = 5\noff = [\"lmr\", \"lmr\"]\n")
	broken := writeFile(t, "b.toml", "nodes = = 5\n")
	weights := writeFile(t, "w.json", "{}")
	for _, c := range []struct{ args, want string }{
		{"default random --nodes 5", `"variant" not set`},
		{"default --variant croda --nodes 5", "two engines"},
		{"default random --variant chess --nodes 5", `unknown variant "chess"`},
		{"default random --variant croda", "engine A, default: a search needs a limit"},
		{"random nodes=0 --variant croda", "engine B, nodes=0"},
		{"random depth=5,nodes= --variant croda", "nodes without a value"},
		{"random knots=5 --variant croda", `unknown setting "knots"`},
		{"random depth=99 --variant croda", "depth 99"},
		{"random depth=-1 --variant croda", "depth=-1"},
		{"random time=5 --variant croda", "time=5"},
		{"random time=5us --variant croda", "whole milliseconds"},
		{"random nodes=10,nodes=20 --variant croda", "nodes is given twice"},
		{"random nodes=5,off=lmr+lmr --variant croda", "lmr is named twice"},
		{"random " + twice + " --variant croda", "lmr is named twice"},
		{"random nodes=5,hash=1000 --variant croda", "power of two"},
		{"random nodes=5,off=magic --variant croda", `"magic"`},
		{"random " + toml + " --variant croda", "unknown setting"},
		{"random " + list + " --variant croda", "not a list"},
		{"random " + broken + " --variant croda", broken},
		{"random nowhere.toml --variant croda", "nowhere.toml"},
		{"random nowhere.json --variant croda --nodes 5", "no weights file nowhere.json"},
		{"random " + weights + " --variant croda --nodes 5", weights},
		{"random default --variant croda --nodes 0", "--nodes 0 is no limit"},
		{"random default --variant croda --time 0s", "--time 0 is no limit"},
		{"random default --variant croda --nodes 5 --games 3", "--games 3: games are played in pairs"},
		{"random default --variant croda --nodes 5 --games -2", "--games -2"},
		{"random default --variant croda --nodes 5 --sprt 5", "--sprt"},
		{"random default --variant croda --nodes 5 --sprt 5,0", "Elo 5 against 0"},
		{"random default --variant croda --nodes 5 --sprt NaN,0", "Elo NaN"},
		{"random default --variant croda --nodes 5 --sprt 0,5 --alpha 0.7", "alpha 0.7"},
		{"random default --variant croda --nodes 5 --beta 0.1", "--beta without --sprt"},
		{"random default --variant croda --nodes 5 --seed -1", "--seed"},
		{"random default --variant croda --nodes 5 --workers 0", "--workers 0"},
		{"random default --variant croda --nodes 5 --workers 5000", "5000 workers"},
		{"random default --variant croda --nodes 5 --max-plies 0", "--max-plies 0"},
		{"random default --variant croda --nodes 5 --random-plies 4-2", "from 4 to 2"},
		{"default default --variant croda --nodes 5 --random-plies 0", "would repeat games"},
		{"random default --variant croda --nodes 5 --opening-plies 3", "--opening-plies without --openings"},
		{"random default --variant croda --nodes 5 --openings nowhere.pdn", "nowhere.pdn"},
		{"random default --variant croda --nodes 5 --games 2 --out /nowhere/m.jsonl", "/nowhere/m.jsonl"},
		{"random default --variant croda --nodes 5 --games 2 --out " + weights, weights + ":1: no match file"},
		{"random default --variant croda --nodes 5 --profile club", `"club"`},
	} {
		_, _, err := matchInProcess(append(strings.Fields(c.args), "--quiet")...)
		wantError(t, err, c.want)
	}
}
