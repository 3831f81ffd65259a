package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"draughtlab/export/dataset"
	"draughtlab/selfplay"
)

// selfplayInProcess runs the command in this process.
func selfplayInProcess(args ...string) (stdout, stderr string, err error) {
	return inProcess(newSelfplayCommand(), "", args...)
}

// runContent is what a run directory holds.
type runContent struct {
	files map[string]string // contents by path
	hash  string            // of the dataset
}

// runFiles returns the contents of the files of a run by their paths.
func runFiles(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	return out, err
}

func contentOf(dir string) (c runContent, err error) {
	if c.files, err = runFiles(dir); err == nil {
		c.hash, err = dataset.Hash(context.Background(), dir)
	}
	return c, err
}

// fixedRun is a run with what it comes to when nothing disturbs it.
type fixedRun struct {
	args  []string // without the directory, which follows them
	whole func() (runContent, error)
}

func newFixedRun(args ...string) fixedRun {
	args = append([]string{"selfplay", "--variant", "croda,frisian", "--engine", "random", "--seed", "5", "--workers", "2"}, args...)
	args = append(args, "--out")
	return fixedRun{args, sync.OnceValues(func() (want runContent, err error) {
		dir, err := os.MkdirTemp("", "draughtlab-test-*")
		if err != nil {
			return want, err
		}
		defer os.RemoveAll(dir)
		if _, _, err := selfplayInProcess(append(args[1:], dir)...); err != nil {
			return want, err
		}
		return contentOf(dir)
	})}
}

// The first takes a second or so, long enough to be disturbed at a moment that
// is waited for; the second is for those who disturb it many times. Both have
// six shards.
var (
	disturbed = newFixedRun("--games", "500", "--shard-games", "180")
	brief     = newFixedRun("--games", "50", "--shard-games", "20", "--tables", "0")
)

// program prepares the run in a process of its own.
func (r fixedRun) program(t *testing.T, dir string) *program {
	t.Helper()
	return newProgram(t, append(slices.Clone(r.args), dir)...)
}

// inProcess plays the run in this process.
func (r fixedRun) inProcess(dir string, more ...string) (stdout, stderr string, err error) {
	return selfplayInProcess(append(append(slices.Clone(r.args[1:]), dir), more...)...)
}

// finish plays the run to its end, in a process of its own, and compares it.
func (r fixedRun) finish(t *testing.T, dir string) {
	t.Helper()
	p := r.program(t, dir)
	p.start(t)
	if code := p.end(t); code != exitOK {
		t.Fatalf("exit code %d: %s", code, p.stderr.String())
	}
	r.compare(t, dir)
}

// compare fails unless dir holds what the run comes to when nothing disturbs
// it.
func (r fixedRun) compare(t *testing.T, dir string) {
	t.Helper()
	got, err := contentOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.whole()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range want.files {
		if got.files[name] != data {
			t.Errorf("%s differs from an undisturbed run: %d bytes, want %d", name, len(got.files[name]), len(data))
		}
	}
	if len(got.files) != len(want.files) {
		t.Errorf("%d files, an undisturbed run has %d", len(got.files), len(want.files))
	}
	if got.hash != want.hash {
		t.Errorf("hash %s, an undisturbed run has %s", got.hash, want.hash)
	}
}

// namesIn returns the paths of the files of a run.
func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := runFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(files))
}

// Protects the summary, which scripts read, and the quiet of --quiet.
func TestSelfplaySummary(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--variant", "frisian,croda", "--games", "6", "--nodes", "30", "--seed", "3", "--max-plies", "20", "--out", dir}
	stdout, stderr, err := selfplayInProcess(args...)
	if err != nil {
		t.Fatal(err)
	}
	const want = `croda: 6 games: White 0, draws 0, Black 0, unfinished 6; 120 positions
frisian: 6 games: White 0, draws 0, Black 0, unfinished 6; 120 positions
`
	if stdout != want {
		t.Errorf("stdout:\n%swant:\n%s", stdout, want)
	}
	if !strings.HasPrefix(stderr, "selfplay: seed 3\n") || !strings.Contains(stderr, "selfplay: 12/12 games") {
		t.Errorf("stderr: %s", stderr)
	}
	stdout, stderr, err = selfplayInProcess(args...)
	if err != nil || stdout != want || !strings.Contains(stderr, "is complete, nothing was left to play") {
		t.Errorf("again: %v, %s%s", err, stdout, stderr)
	}
	stdout, stderr, err = selfplayInProcess(append(args, "--quiet")...)
	if err != nil || stdout != want || stderr != "" {
		t.Errorf("quiet: %v, %s%s", err, stdout, stderr)
	}
}

// Protects whoever keeps the summary: where it cannot be written, the command
// fails, though the games are there.
func TestSelfplaySummaryLost(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no full device here: %v", err)
	}
	defer full.Close()
	dir := t.TempDir()
	p := newProgram(t, "selfplay", "--variant", "croda", "--games", "2", "--engine", "random", "--out", dir)
	p.Cmd.Stdout = full
	p.start(t)
	if code := p.end(t); code != exitFailure || !strings.Contains(p.stderr.String(), "all games are in "+dir+", but the summary") {
		t.Errorf("exit code %d, stderr %q", code, p.stderr.String())
	}
}

// Case sp-constant-seed: two runs without --seed play different games; the seed
// is told and kept, and the same command goes on with it.
func TestSelfplayDrawsSeed(t *testing.T) {
	var seeds, hashes []string
	for range 2 {
		dir := t.TempDir()
		args := []string{"--variant", "croda", "--games", "2", "--engine", "random", "--out", dir}
		_, stderr, err := selfplayInProcess(args...)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := selfplay.ReadConfig(dir)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("selfplay: seed %d\n", cfg.Seed); !strings.HasPrefix(stderr, want) {
			t.Errorf("stderr %q, want it to begin with %q", stderr, want)
		}
		h, err := dataset.Hash(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		seeds, hashes = append(seeds, strconv.FormatUint(cfg.Seed, 10)), append(hashes, h)
		if _, _, err := selfplayInProcess(args...); err != nil {
			t.Errorf("the same command again: %v", err)
		}
	}
	if seeds[0] == seeds[1] || hashes[0] == hashes[1] {
		t.Errorf("seeds %v, hashes %v", seeds, hashes)
	}
}

// Protects the user: every slip is told in one line that names it, and leaves
// nothing behind.
func TestSelfplayBadInput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("W:Wa1:Bh8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	if _, _, err := selfplayInProcess("--variant", "croda", "--engine", "random", "--games", "1", "--seed", "1", "--out", other); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for _, c := range []struct{ args, want string }{
		{"--nodes 9 --out OUT", "no variant"},
		{"--variant chess --nodes 9 --out OUT", `unknown variant "chess"`},
		{"--variant croda,croda --nodes 9 --out OUT", "named twice"},
		{"--variant croda --nodes 9", "no --out"},
		{"--variant croda --out OUT", "needs a limit"},
		{"--variant croda --nodes 0 --out OUT", "--nodes 0"},
		{"--variant croda --nodes 5 --depth 0 --out OUT", "--depth 0"},
		{"--variant croda --nodes -5 --out OUT", "--nodes"},
		{"--variant croda --depth -5 --out OUT", "depth -5"},
		{"--variant croda --engine random --nodes 5 --out OUT", "random player takes no limit"},
		{"--variant croda --engine random --weights FILE --out OUT", "--weights"},
		{"--variant croda --engine random --hash-entries 0 --out OUT", "--hash-entries with --engine random"},
		{"--variant croda --engine random --seed= --out OUT", "--seed has an empty value"},
		{"--variant croda --engine random --random-plies= --out OUT", "--random-plies has an empty value"},
		{"--variant croda --engine random --config= --out OUT", "no such file"},
		{"--variant croda --nodes 9 --workers 9 --hash-entries 268435456 --out OUT", "the limit is 4096 MiB"},
		{"--variant croda --engine magic --out OUT", `unknown engine "magic"`},
		{"--variant croda --nodes 9 --games 0 --out OUT", "0 games"},
		{"--variant croda --nodes 9 --games -3 --out OUT", "-3 games"},
		{"--variant croda --nodes 9 --games 1e6 --out OUT", "--games"},
		{"--variant croda --nodes 9 --seed -1 --out OUT", "--seed"},
		{"--variant croda --nodes 9 --seed 0.5 --out OUT", "--seed"},
		{"--variant croda --nodes 9 --workers 0 --out OUT", "--workers 0"},
		{"--variant croda --nodes 9 --workers -1 --out OUT", "--workers -1"},
		{"--variant croda --nodes 9 --workers 999999 --out OUT", "999999 workers"},
		{"--variant croda --nodes 9 --profile club --out OUT", `unknown rule profile "club"`},
		{"--variant croda --nodes 9 --random-plies six --out OUT", "--random-plies"},
		{"--variant croda --nodes 9 --random-plies 8-4 --out OUT", "random plies from 8 to 4"},
		{"--variant croda --nodes 9 --max-plies 0 --out OUT", "0 plies"},
		{"--variant croda --nodes 9 --shard-games 0 --out OUT", "0 games a shard"},
		{"--variant croda --nodes 9 --openings FILE.fen --out OUT", "no such file"},
		{"--variant croda --nodes 9 --openings FILE --out OUT", "ends in .pdn"},
		{"--variant croda,russian --nodes 9 --openings FILE --out OUT", "write VARIANT="},
		{"--variant croda --nodes 9 --openings russian=FILE --out OUT", "russian is not played"},
		{"--variant croda --nodes 9 --weights FILE --out OUT", "FILE"},
		{"--variant croda --nodes 9 --weights nofile --out OUT", "no weights file nofile"},
		{"--variant croda --nodes 9 --weights chess=untuned --out OUT", `unknown variant "chess"`},
		{"--variant croda,russian --nodes 9 --weights chess=untuned --out OUT", `unknown variant "chess"`},
		{"--variant croda --nodes 9 --weights no/a=b.json --out OUT", "no weights file no/a=b.json"},
		{"--variant croda --nodes 9 --config FILE --out OUT", "FILE"},
		{"--variant croda --nodes 9 --out FILE/run", "not a directory"},
		{"--variant croda --nodes 9 --out FILE", "FILE"},
		{"--variant croda --engine random --games 2 --seed 1 --out OTHER", `games = 1, not 2`},
	} {
		replace := strings.NewReplacer("OUT", out, "FILE", file, "OTHER", other)
		var args []string
		for _, a := range strings.Fields(c.args) {
			args = append(args, replace.Replace(a))
		}
		before := len(namesIn(t, dir))
		stdout, _, err := selfplayInProcess(args...)
		want := replace.Replace(c.want)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || stdout != "" {
			t.Errorf("%s: error %v, want one line with %q", c.args, err, want)
		}
		if _, err := os.Stat(out); err == nil || len(namesIn(t, dir)) != before {
			t.Errorf("%s: something was left in the directory", c.args)
		}
	}
}

// Protects the config file: its keys are flags, the command line wins, and a
// slip in it is an error that names it.
func TestSelfplayConfigFile(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "run.toml"), filepath.Join(dir, "out")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`# a run
variant = ["russian", "croda"]
engine = "random"
games = 3
seed = 18446744073709551615
shard-games = 2
quiet = true
`)
	_, _, err := selfplayInProcess("--config", path, "--games", "5", "--out", out)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a seed that TOML cannot hold: error %v", err)
	}
	if err != nil && !strings.Contains(err.Error(), "as a text, in quotes") {
		t.Errorf("a seed that TOML cannot hold: error %v does not say what to do", err)
	}
	write(`variant = ["russian", "croda"]
engine = "random"
games = 3
seed = "18446744073709551615"
shard-games = 2
random-plies = 6
quiet = true
`)
	if _, stderr, err := selfplayInProcess("--config", path, "--games", "5", "--out", out); err != nil || stderr != "" {
		t.Fatal(err, stderr)
	}
	cfg, err := selfplay.ReadConfig(out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(cfg.Variants, " ") != "croda russian" || cfg.Games != 5 || cfg.Seed != 1<<64-1 || cfg.ShardGames != 2 || cfg.RandomPlies != (selfplay.Range{Min: 6, Max: 6}) {
		t.Errorf("config %+v", cfg)
	}
	for text, want := range map[string]string{
		"gamez = 3":             `unknown key "gamez"`,
		"[selfplay]\ngames = 3": `unknown key "selfplay"`,
		"config = \"x\"":        `unknown key "config"`,
		"games = \"many\"":      "games: ",
		"games = 1.5":           `games: "1.5": takes a whole number`,
		"quiet = \"maybe\"":     "quiet: maybe: takes true or false",
		"games = true":          "games: true: takes a whole number",
		"seed = \"\"":           "seed: the value is empty",
		"variant = []":          "variant: the value is empty",
		"games = [1, 2]":        "games: takes one value",
		"games = 3\ngames = 4":  "games",
		"games = ":              "games",
		"games = [[1]]":         "games: takes a text",
		"games = 2026-01-01":    "games: takes a text",
	} {
		write(text)
		_, _, err := selfplayInProcess("--config", path, "--engine", "random", "--variant", "croda", "--out", filepath.Join(dir, "none"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", text, err, want)
		}
	}
}

// waitForShards waits until the first shards of a run are finished.
func waitForShards(t *testing.T, dir string, shards int) {
	t.Helper()
	for range 20000 {
		if dataset.ShardDone(dir, "croda", shards-1) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s: shard %d never came", dir, shards-1)
}

// waitForWork waits until a process writes a shard.
func waitForWork(t *testing.T, dir string, p *program) {
	t.Helper()
	for range 20000 {
		for _, name := range namesIn(t, dir) {
			if strings.Contains(name, fmt.Sprintf(".%d.", p.Process.Pid)) && strings.Contains(name, "/.shard-") {
				return
			}
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("no shard was ever begun")
}

// Protects against a crash at any time: killed twice, the run goes on to the
// same bytes, and nothing half-written is left.
func TestSelfplayKilled(t *testing.T) {
	dir := t.TempDir()
	for _, shards := range []int{1, 2} {
		p := disturbed.program(t, dir)
		p.start(t)
		waitForShards(t, dir, shards)
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if code := p.end(t); code != -1 {
			t.Fatalf("exit code %d before it was killed", code)
		}
	}
	disturbed.finish(t, dir)
}

// Case sp-sigint: the first signal finishes the running games, keeps them,
// exits with code 75 and says how to go on; the run goes on to the same bytes.
// No game that was finished is played again.
func TestSelfplayInterrupted(t *testing.T) {
	dir := t.TempDir()
	for i, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := disturbed.program(t, dir)
		p.start(t)
		waitForWork(t, dir, p)
		waitForShards(t, dir, i+1)
		if err := p.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		code := p.end(t)
		if code != exitInterrupted || !strings.Contains(p.stderr.String(), "run the same command again to go on") || p.stdout.Len() > 0 {
			t.Fatalf("%v: exit code %d, stdout %q, stderr %q", s, code, p.stdout.String(), p.stderr.String())
		}
		for _, name := range namesIn(t, dir) {
			if strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, dataset.ManifestFile) {
				t.Errorf("%s was left", name)
			}
		}
	}
	disturbed.finish(t, dir)
}

// Case sp-sigint, second half: a second signal ends the process at once, though
// the running game would take for ever.
func TestSelfplayInterruptedTwice(t *testing.T) {
	for wait := 50 * time.Millisecond; wait < 10*time.Second; wait *= 4 {
		switch code, took := interruptTwice(t, wait); {
		case code == 130 && took < 5*time.Second:
			return
		case code != exitInterrupted: // that one was stopped before its first game began
			t.Fatalf("exit code %d after %v", code, took)
		}
	}
	t.Error("no game ever began")
}

// interruptTwice starts a run of a game without end, sends two signals after
// some time, and returns the exit code and how long the second one took.
func interruptTwice(t *testing.T, wait time.Duration) (code int, took time.Duration) {
	dir := filepath.Join(t.TempDir(), "run")
	p := newProgram(t, "selfplay", "--variant", "russian", "--nodes", "2000000000", "--depth", "60", "--games", "2", "--out", dir)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	p.Cmd.Stderr = write
	p.start(t)
	write.Close()
	await := func(text string) {
		var seen []byte
		for buf := make([]byte, 4096); !strings.Contains(string(seen), text); {
			n, err := read.Read(buf)
			if err != nil {
				t.Fatalf("%v after %q", err, seen)
			}
			seen = append(seen, buf[:n]...)
		}
	}
	signal := func() {
		if err := p.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
	}
	await("seed")
	time.Sleep(wait)
	signal()
	await("once more to stop at once")
	began := time.Now()
	signal()
	code = p.end(t)
	took = time.Since(began)
	if rest, err := io.ReadAll(read); code == 130 && (err != nil || !strings.Contains(string(rest), "draughtlab: stopped at once")) {
		t.Errorf("last words %q, %v", rest, err)
	}
	return code, took
}

// Protects a directory in which two processes play the same run at once: they
// waste time, but both end well and leave what one alone leaves.
func TestSelfplayTwice(t *testing.T) {
	dir := t.TempDir()
	a, b := disturbed.program(t, dir), disturbed.program(t, dir)
	a.start(t)
	b.start(t)
	if codeA, codeB := a.end(t), b.end(t); codeA != exitOK || codeB != exitOK {
		t.Fatalf("exit codes %d and %d: %s%s", codeA, codeB, a.stderr.String(), b.stderr.String())
	}
	disturbed.compare(t, dir)
}

// Case sp-disk-full, without need of a small disk: where no file can grow past
// a limit, the error names the path, nothing half-written has a final name,
// finished shards stay, and with room again the run goes on to the same bytes.
func TestSelfplayDiskFull(t *testing.T) {
	dir := t.TempDir()
	full := disturbed.program(t, dir)
	full.Cmd.Env = append(full.Cmd.Env, fileLimit+"=20000")
	full.start(t)
	code := full.end(t)
	if code != exitFailure || !strings.Contains(full.stderr.String(), dir) || !strings.Contains(full.stderr.String(), syscall.EFBIG.Error()) {
		t.Errorf("exit code %d, stderr %q", code, full.stderr.String())
	}
	for _, name := range namesIn(t, dir) {
		if filepath.Ext(name) != ".json" || strings.HasSuffix(name, dataset.ManifestFile) {
			t.Errorf("%s was left", name)
		}
	}
	disturbed.finish(t, dir)
}

// Protects the promise that a run's config.json is all it takes to make its
// dataset again, on any number of workers, and that nothing can be mixed in.
func TestSelfplayAgain(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	if _, _, err := selfplayInProcess("--variant", "croda,frisian", "--games", "6", "--nodes", "20", "--shard-games", "4", "--out", first); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(first, dataset.ConfigFile)
	if _, _, err := selfplayInProcess("--config", config, "--workers", "3", "--out", second); err != nil {
		t.Fatal(err)
	}
	a, err := runFiles(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := runFiles(second)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(a, b) {
		t.Error("the run made again from its config has other files")
	}
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	renamed := writeFile(t, "c.json", "\n"+string(text))
	if _, _, err := selfplayInProcess("--config", renamed, "--out", first); err != nil {
		t.Errorf("a config.json of another name: %v", err)
	}
	_, _, err = selfplayInProcess("--config", writeFile(t, "d.json", "{"), "--out", first)
	wantError(t, err, "d.json: damaged")
	_, _, err = selfplayInProcess("--config", config, "--seed", "9", "--out", filepath.Join(dir, "third"))
	wantError(t, err, "--seed", config)
}
