package submit

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// MaxSlurmTasks is how many tasks an array has at most where nothing else is
// asked for. Slurm's MaxArraySize, 1001 unless the site sets it, is one more
// than the greatest index (slurm.conf manual page).
const MaxSlurmTasks = 1000

// signalSlack is how much earlier than asked Slurm may send a signal (sbatch
// manual page, --signal).
const signalSlack = time.Minute

// maxLead is the most that --signal takes, in seconds (sbatch manual page).
const maxLead = 65535

// Slurm is a run to be played by a job array of Slurm.
type Slurm struct {
	Run
	// Binary is draughtlab, and Dir the directory of the run with its
	// config.json, both as absolute paths that every node has.
	Binary, Dir string
	// Time is the time limit of a job in one of sbatch's forms, such as
	// "4:00:00"; empty for the partition's limit.
	Time string
	// Lead is how many seconds before its time limit a task is asked to stop,
	// 1 to 65535. It must be enough to finish the games that are being played.
	Lead int
	// Throttle is how many tasks may run at a time; 0 is no limit.
	Throttle int
	// Options are options of sbatch for every job, such as "--mem=2G".
	Options []string
}

//go:embed slurm.sh.tmpl
var slurmText string

var slurmTemplate = template.Must(template.New("slurm.sh").
	Funcs(template.FuncMap{"quote": shellQuote}).Parse(slurmText))

// Script returns a Bash script that submits the run, or goes on with it.
func (s Slurm) Script() (string, error) {
	if err := s.check(); err != nil {
		return "", err
	}
	if s.Time != "" {
		s.Options = append([]string{"--time=" + s.Time}, s.Options...)
	}
	var b strings.Builder
	if err := slurmTemplate.Execute(&b, s); err != nil {
		return "", err
	}
	return b.String(), nil
}

func (s Slurm) check() error {
	if err := s.Run.check(); err != nil {
		return err
	}
	if err := oneLine(append(append([]string{s.Binary, s.Dir, s.Tables}, s.Options...), s.Inputs...)...); err != nil {
		return err
	}
	for _, path := range []string{s.Binary, s.Dir} {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("%s: it must be an absolute path, jobs run elsewhere", path)
		}
	}
	if strings.Contains(s.Dir, `\`) {
		return fmt.Errorf("%s: sbatch cannot write logs into a directory with a backslash in its path: rename it", s.Dir)
	}
	for _, option := range s.Options {
		if !strings.HasPrefix(option, "-") {
			return fmt.Errorf("%q is no option of sbatch: write it in one word, such as --qos=long", option)
		}
	}
	switch {
	case s.Lead < 1 || s.Lead > maxLead:
		return fmt.Errorf("a signal %d seconds before the time limit: it takes 1 to %d", s.Lead, maxLead)
	case s.Throttle < 0:
		return fmt.Errorf("%d tasks at a time: it takes 1 or more", s.Throttle)
	case s.Time == "":
		return nil
	}
	limit, err := slurmTime(s.Time)
	if err != nil {
		return err
	}
	if lead := time.Duration(s.Lead) * time.Second; limit < 2*lead || limit < lead+2*signalSlack {
		return fmt.Errorf("a time limit of %s with a signal %s before it leaves too little time to play: raise the one or lower the other", limit, lead)
	}
	return nil
}

// slurmTime reads a time limit in one of the forms of sbatch's --time: minutes,
// minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or
// days-hours:minutes:seconds (sbatch manual page).
func slurmTime(text string) (time.Duration, error) {
	units := map[int][]time.Duration{
		1: {time.Minute},
		2: {time.Minute, time.Second},
		3: {time.Hour, time.Minute, time.Second},
	}
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	numbers := append([]string{days}, strings.Split(clock, ":")...)
	each := units[len(numbers)-1]
	if hasDays {
		each = units[3][:min(3, len(numbers)-1)]
	}
	if len(each) != len(numbers)-1 {
		return 0, notSlurmTime(text)
	}
	var sum time.Duration
	for i, unit := range append([]time.Duration{24 * time.Hour}, each...) {
		n, err := strconv.ParseUint(numbers[i], 10, 16)
		if err != nil {
			return 0, notSlurmTime(text)
		}
		sum += time.Duration(n) * unit
	}
	return sum, nil
}

func notSlurmTime(text string) error {
	return fmt.Errorf("time limit %q: it takes minutes, hours:minutes:seconds or days-hours", text)
}
