package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// The time between two drawings of the bar, and between two lines where there
// is no terminal to draw one on.
const (
	barInterval      = 200 * time.Millisecond
	progressInterval = 10 * time.Second
)

// progress tells on stderr how far a long job has come: a bar with speed and
// time left on a terminal, lines at intervals elsewhere, nothing if quiet. It
// belongs to one goroutine. The job counts units (games) and, for its speed
// only, parts of them (positions).
type progress struct {
	out         io.Writer
	label       string
	unit, part  string // plural; part may be empty
	now         func() time.Time
	bar         *progressbar.ProgressBar // nil without a terminal
	began, last time.Time
	found       int64 // units that were there at the beginning
	done, parts int64
	total       int64
}

// newProgress begins to tell of a job of which found units of total are done.
// It returns nil, on which all methods do nothing, if quiet.
func newProgress(out io.Writer, quiet bool, label, unit, part string, found, total int64) *progress {
	if quiet {
		return nil
	}
	p := &progress{out: out, label: label, unit: unit, part: part, now: time.Now, found: found, done: found, total: total}
	p.began = p.now()
	p.last = p.began
	if isTerminal(out) {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetDescription(label),
			progressbar.OptionSetWidth(20),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(false), // speed and time left are ours, of this run's units only
		)
	}
	return p
}

// set tells how many units are done, those found at the beginning included, and
// how many parts were done since then.
func (p *progress) set(done, parts int64) {
	if p == nil {
		return
	}
	p.done, p.parts = done, parts
	now := p.now()
	if p.bar != nil {
		if now.Sub(p.last) >= barInterval {
			p.last = now
			p.draw(now)
		}
		return
	}
	if now.Sub(p.last) >= progressInterval {
		p.last = now
		p.line(now)
	}
}

// setFound corrects how many units were there at the beginning.
func (p *progress) setFound(found int64) {
	if p != nil {
		p.found = found
	}
}

// finish tells the last count.
func (p *progress) finish() {
	if p == nil {
		return
	}
	now := p.now()
	if p.bar != nil {
		p.draw(now)
		fmt.Fprintln(p.out)
		return
	}
	p.line(now)
}

func (p *progress) draw(now time.Time) {
	_ = p.bar.Set64(p.done) // a bar that cannot be drawn must not stop the job
	p.bar.Describe(p.label + " " + p.speed(now))
}

func (p *progress) line(now time.Time) {
	line := fmt.Sprintf("%s: %d/%d %s", p.label, p.done, p.total, p.unit)
	if now.Sub(p.began) >= 200*time.Millisecond { // no speed is known before
		line += ", " + p.speed(now)
	}
	fmt.Fprintln(p.out, line)
}

// speed returns the units and parts done a second and, while units are left,
// the time they will take.
func (p *progress) speed(now time.Time) string {
	seconds := max(now.Sub(p.began).Seconds(), 1e-3)
	units := float64(p.done - p.found)
	words := []string{fmt.Sprintf("%.1f %s/s", units/seconds, p.unit)}
	if p.part != "" {
		words = append(words, fmt.Sprintf("%.0f %s/s", float64(p.parts)/seconds, p.part))
	}
	if left := float64(p.total - p.done); left > 0 && units > 0 {
		words = append(words, "ETA "+time.Duration(left*seconds/units*float64(time.Second)).Round(time.Second).String())
	}
	return strings.Join(words, ", ")
}

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
