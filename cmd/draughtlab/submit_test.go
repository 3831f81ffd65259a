package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"draughtlab/engine/eval"
	"draughtlab/engine/russian"
	"draughtlab/selfplay"
)

// plannedRun plans a run of 100 shards that needs a weights file and openings,
// and returns the directories of the run and of these files.
func plannedRun(t *testing.T) (dir, files string) {
	t.Helper()
	files = t.TempDir()
	dir = filepath.Join(files, "run")
	w := eval.Untuned(russian.Variant())
	w.Opening[0]++ // other than the built-in ones
	out, err := os.Create(filepath.Join(files, "w.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := w.Write(out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(files, "o.fen"), []byte("W:Wa1,c1:Bh8,f8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := runRoot("selfplay", "--variant", "croda,russian", "--games", "50", "--shard-games", "1", "--nodes", "10", "--seed", "7",
		"--weights", "russian="+filepath.Join(files, "w.json"), "--openings", "russian="+filepath.Join(files, "o.fen"), "--random-plies", "4",
		"--out", dir, "--plan"); err != nil {
		t.Fatal(err)
	}
	return dir, files
}

// TestSubmitSlurm protects what the script is told: absolute paths, the files
// the config names, and tasks as they were asked for.
func TestSubmitSlurm(t *testing.T) {
	dir, files := plannedRun(t)
	t.Chdir(files)
	args := []string{"run", "--weights", "russian=w.json", "--openings", "russian=o.fen"}
	text, err := execute(newSubmitSlurmCommand(), "", append(args, "--tasks", "30", "--mem", "2G", "--sbatch=--qos=long", "--time", "8:00:00")...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"run='" + dir + "'\n", "per_task=4 ", "'--time=8:00:00'\n", "'--mem=2G'\n", "'--qos=long'\n",
		" '--weights' 'russian=" + filepath.Join(files, "w.json") + "' '--openings' 'russian=" + filepath.Join(files, "o.fen") + "' ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	// A task with more shards than there are would ask for shards of any number.
	if all, err := execute(newSubmitSlurmCommand(), "", append(args, "--shards-per-task", "9000000000")...); err != nil || !strings.Contains(all, "per_task=100 ") {
		t.Errorf("%v:\n%s", err, all)
	}
	out, err := execute(newSubmitSlurmCommand(), "", append(args, "--shards-per-task", "7", "-o", "big.sh")...)
	if err != nil || out != "" {
		t.Errorf("%q, %v", out, err)
	}
	if file, err := os.ReadFile("big.sh"); err != nil || !strings.Contains(string(file), "per_task=7 ") {
		t.Errorf("%v: %s", err, file)
	}
}

// TestSubmitKubernetes protects paths of containers, which this machine need not
// have, and that a config alone is enough.
func TestSubmitKubernetes(t *testing.T) {
	dir, _ := plannedRun(t)
	args := []string{"--image", "draughtlab:1", "--claim", "draughts:/data", "--out", "/data/big", "--weights", "russian=/data/w.json", "--openings", "russian=/data/o.fen"}
	text, err := execute(newSubmitKubernetesCommand(), "", append(args, dir)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"completions: 100\n", "claimName: draughts\n", " '--weights' 'russian=/data/w.json' '--openings' 'russian=/data/o.fen' --shards"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	other, err := execute(newSubmitKubernetesCommand(), "", append(args, filepath.Join(dir, "config.json"))...)
	if err != nil || other != text {
		t.Errorf("%v: config.json gives other manifests than its directory", err)
	}
}

// TestSubmitRefused protects users from jobs that fail one by one in the night.
func TestSubmitRefused(t *testing.T) {
	dir, files := plannedRun(t)
	path := func(name string) string { return "russian=" + filepath.Join(files, name) }
	empty := t.TempDir()
	config, err := selfplay.ReadConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	slurm := []string{"slurm", dir, "--weights", path("w.json"), "--openings", path("o.fen")}
	kubernetes := []string{"kubernetes", dir, "--image", "x", "--claim", "c:/d", "--out", "/d/r", "--weights", "russian=/w", "--openings", "russian=/o"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"slurm", empty}, "plan the run first"},
		{[]string{"slurm", "s3://bucket/run"}, "a directory that all nodes have"},
		{[]string{"slurm", dir}, "with weights of the file w.json: give --weights russian=FILE"},
		{[]string{"slurm", dir, "--weights", path("w.json")}, "give --openings russian=FILE"},
		{[]string{"slurm", dir, "--weights", path("w.json"), "--openings", path("w.json")}, config.Openings["russian"].SHA256},
		{[]string{"slurm", dir, "--weights", path("none.json"), "--openings", path("o.fen")}, "none.json"},
		{append(slurm, "--openings", "croda="+filepath.Join(files, "o.fen")), "planned without such a file for croda"},
		{append(slurm, "--tables", filepath.Join(files, "none")), "no such directory"},
		{append(slurm, "--tasks", "0"), "--tasks 0"},
		{append(slurm, "--tasks", "2", "--shards-per-task", "2"), "give one of them"},
		{append(slurm, "--shards-per-task", "0"), "--shards-per-task 0"},
		{append(slurm, "--throttle", "0"), "--throttle 0"},
		{append(slurm, "--cpus", "0"), "0 processors"},
		{append(slurm, "--time", "1"), "too little time"},
		{append(slurm, "-o", filepath.Join(dir, "config.json")), "belongs to the dataset"},
		{append(kubernetes, "--weights", "croda=/w"), "planned without"},
		{[]string{"kubernetes", dir, "--image", "x", "--claim", "c:/d", "--out", "/d/r", "--weights", "russian=w", "--openings", "russian=/o"}, "absolute path that it has in the containers"},
		{append(kubernetes, "--tables", "t"), "absolute path"},
		{append(kubernetes, "--claim", "c"), "--claim c: write CLAIM:PATH"},
		{[]string{"kubernetes", dir}, "image"},
		{[]string{"kubernetes", filepath.Join(files, "w.json"), "--image", "x", "--out", "s3://b/p"}, "w.json"},
	} {
		wantError(t, runRoot(append([]string{"submit"}, c.args...)...), c.want)
	}
}
