package submit

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// testSlurm plays testConfig.
func testSlurm() Slurm {
	return Slurm{
		Run:    Run{Config: testConfig(), PerTask: 4, CPUs: 2, Retries: 3},
		Binary: "/opt/draughtlab", Dir: "/home/me/run", Lead: 120,
	}
}

// TestDeal protects the array from more tasks than Slurm takes, and tasks from
// having nothing to do.
func TestDeal(t *testing.T) {
	for _, c := range []struct{ shards, most, want int }{
		{1, 1000, 1},
		{1000, 1000, 1},
		{1001, 1000, 2},
		{500_000, 1000, 500},
		{500_001, 1000, 501},
		{7, 1, 7},
	} {
		got := Deal(c.shards, c.most)
		if tasks := (c.shards + got - 1) / got; got != c.want || tasks > c.most {
			t.Errorf("%d shards for at most %d tasks: %d each, want %d", c.shards, c.most, got, c.want)
		}
	}
	if got := testSlurm().Tasks(); got != 2 {
		t.Errorf("six shards, four a task, make %d tasks", got)
	}
}

// TestScriptWords protects odd paths, options and inputs: Bash reads in the
// script the very words that were put in. The cluster's tests show that they
// arrive.
func TestScriptWords(t *testing.T) {
	s := testSlurm()
	s.Binary = "/opt/it's $HOME/`id`/draughtlab"
	s.Dir = `/data/"a" 'b' $(rm) !x %j *`
	s.Options = []string{"--comment=it's; $x"}
	s.Inputs = []string{"--weights", "croda=/w/$1 '.json"}
	s.Time, s.Throttle, s.Tables = "1-0", 7, "/t/a b"
	text, err := s.Script()
	if err != nil {
		t.Fatal(err)
	}
	text = strings.Replace(text, "main \"$@\"\n", `printf '%s\n' "$draughtlab" "$run" "$logs" "${selfplay[@]}" "${options[@]}"`, 1)
	out, err := exec.Command("bash", "-c", text).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := strings.Join([]string{
		s.Binary, s.Dir, strings.ReplaceAll(s.Dir, "%", "%%") + "/slurm",
		s.Binary, "selfplay", "--config", s.Dir + "/config.json", "--out", s.Dir, "--workers", "2", s.Inputs[0], s.Inputs[1], "--tables", s.Tables,
		"--parsable", "--job-name=" + s.Name(), "--chdir=" + s.Dir, "--open-mode=append", "--requeue", "--cpus-per-task=2", "--time=1-0", s.Options[0],
	}, "\n") + "\n"
	if string(out) != want {
		t.Errorf("Bash reads\n%s\nnot\n%s", out, want)
	}
	for _, want := range []string{`--array="$tasks%7"`, "--signal=B:USR1@120", "\nper_task=4 ", "\nretries=3 "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the script", want)
		}
	}
}

// TestScriptPiped protects who pipes the script into Bash: Slurm needs a file.
func TestScriptPiped(t *testing.T) {
	text, err := testSlurm().Script()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "save this script as a file") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestSlurmRefused protects users from scripts that cannot work.
func TestSlurmRefused(t *testing.T) {
	for _, c := range []struct {
		change func(*Slurm)
		want   string
	}{
		{func(s *Slurm) { s.PerTask = 0 }, "shards a task"},
		{func(s *Slurm) { s.Dir = "run" }, "absolute"},
		{func(s *Slurm) { s.Dir = `/a\b` }, "backslash"},
		{func(s *Slurm) { s.Dir = "/a\nb" }, "control characters"},
		{func(s *Slurm) { s.Binary = "./draughtlab" }, "absolute"},
		{func(s *Slurm) { s.Options = []string{"long"} }, "no option of sbatch"},
		{func(s *Slurm) { s.Lead = 0 }, "before the time limit"},
		{func(s *Slurm) { s.Lead = 65536 }, "1 to 65535"},
		{func(s *Slurm) { s.Throttle = -1 }, "at a time"},
		{func(s *Slurm) { s.Time = "soon" }, "time limit"},
		{func(s *Slurm) { s.Time = "3" }, "too little time"},
		{func(s *Slurm) { s.Time, s.Lead = "1:00:00", 1801 }, "too little time"},
	} {
		s := testSlurm()
		c.change(&s)
		if text, err := s.Script(); err == nil || !strings.Contains(err.Error(), c.want) || text != "" {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	s := testSlurm()
	s.Time = "4"
	if _, err := s.Script(); err != nil {
		t.Errorf("four minutes with a signal after two are enough: %v", err)
	}
}

// TestSlurmTime protects time limits in all forms that sbatch takes.
func TestSlurmTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90":         90 * time.Minute,
		"5:30":       5*time.Minute + 30*time.Second,
		"8:00:00":    8 * time.Hour,
		"2-12":       60 * time.Hour,
		"1-1:30":     25*time.Hour + 30*time.Minute,
		"1-01:30:15": 25*time.Hour + 30*time.Minute + 15*time.Second,
	} {
		if got, err := slurmTime(text); got != want || err != nil {
			t.Errorf("%s is %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", "1:", ":1", "1:2:3:4", "1-", "1-2:3:4:5", "-5", "1.5", "99999999"} {
		if got, err := slurmTime(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}
