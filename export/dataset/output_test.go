package dataset

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func output(path, text string, inputs ...string) error {
	f, err := CreateOutput(path, inputs...)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := io.WriteString(f, text); err != nil {
		return err
	}
	return f.Commit()
}

// Protects names that cannot be an output: each is refused before the work, in
// one line that names it, and nothing changes.
func TestCreateOutputRefuses(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	shard := Shard{Dir: run, Variant: "croda"}.Path(GamesTable)
	for _, path := range []string{filepath.Join(run, ConfigFile), filepath.Join(run, ManifestFile), shard, filepath.Join(dir, "in.pdn")} {
		put(t, path, "mine")
	}
	if err := os.Symlink(filepath.Join(run, ManifestFile), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{"", "empty"},
		{"-", "standard output"},
		{"/", "directory"},
		{dir, "is a directory"},
		{dir + "/new/", "directory"},
		{filepath.Join(dir, "none", "out"), "no directory"},
		{filepath.Join(dir, "in.pdn", "out"), "not a directory"},
		{filepath.Join(dir, "a\nb", "out"), `a\nb`},
		{filepath.Join(dir, "loop"), "too many"},
		{filepath.Join(dir, "in.pdn"), "is the input"},
		{filepath.Join(run, ConfigFile), "belongs to the dataset"},
		{filepath.Join(run, ManifestFile), "belongs to the dataset"},
		{filepath.Join(run, CardFile), "belongs to the dataset"},
		{shard, "belongs to the dataset"},
		{filepath.Join(run, "positions", "new.csv"), "no directory"},
		{filepath.Join(run, "games", "new.csv"), "belongs to the dataset"},
		{filepath.Join(dir, "link"), "belongs to the dataset"},
	} {
		err := output(c.path, "overwritten", filepath.Join(dir, "in.pdn"))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", c.path, err, c.want)
		}
	}
	for _, path := range []string{filepath.Join(run, ConfigFile), filepath.Join(run, ManifestFile), shard, filepath.Join(dir, "in.pdn")} {
		if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
			t.Errorf("%s is now %q, %v", path, text, err)
		}
	}
}

// Protects what an output replaces: the file a link points to, with its
// permissions, and never the link, a pipe, or other files of the run's owner.
func TestCreateOutputReplaces(t *testing.T) {
	dir := t.TempDir()
	target, link, dangling, pipe := filepath.Join(dir, "d", "target"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "pipe")
	put(t, target, "old")
	for l, to := range map[string]string{link: "d/target", dangling: "d/new"} {
		if err := os.Symlink(to, l); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{link, dangling} {
		if err := output(path, "new"); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", path, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "new" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	read := make(chan string)
	go func() {
		text, err := os.ReadFile(pipe)
		read <- fmt.Sprint(string(text), err)
	}()
	if err := output(pipe, "through"); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "through<nil>" {
		t.Errorf("read from the pipe: %s", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is now %v, %v", info.Mode(), err)
	}
}

// Protects the directory of an output from what killed processes left of it,
// and all other files in it.
func TestCreateOutputRemovesTheDead(t *testing.T) {
	host, err := host()
	if err != nil {
		t.Fatal(err)
	}
	const dead = 1 << 30 // above the largest process id of Linux
	for _, create := range []func(string) error{
		func(path string) error { return output(path, "x") },
		func(path string) error { return WriteFile(path, []byte("x")) },
	} {
		dir := t.TempDir()
		stay := []string{
			fmt.Sprintf(".out.%s.%d.1.tmp", host, os.Getppid()), fmt.Sprintf(".out.other-%s.%d.1.tmp", host, dead),
			fmt.Sprintf(".other.%s.%d.1.tmp", host, dead), ".out.tmp", "out.bak",
		}
		gone := fmt.Sprintf(".out.%s.%d.123.tmp", host, dead)
		for _, name := range append(stay, gone) {
			put(t, filepath.Join(dir, name), "")
		}
		if err := create(filepath.Join(dir, "out.csv")); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != len(stay)+1 {
			t.Errorf("%v, %v", entries, err)
		}
	}
}

// Protects whoever has a directory where a file of a run should be: the error
// says what to do, and nothing is left beside it.
func TestDirectoryInTheWay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shard-00000.parquet")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := CreatePending(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), path+": a directory has this name: move it away") {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%d files are left, %v", len(entries), err)
	}
}
