package main

import (
	"bytes"
	"testing"
	"time"
)

// Protects what is told where there is no terminal: a line each ten seconds and
// a last one, speeds of this run's games only, and the time left.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, false, "selfplay", "games", "positions", 100, 400)
	now := time.Unix(1000, 0)
	p.began, p.last, p.now = now, now, func() time.Time { return now }
	for second := int64(1); second <= 30; second++ {
		now = now.Add(time.Second)
		p.set(100+10*second, 700*second)
	}
	p.finish()
	const want = `selfplay: 200/400 games, 10.0 games/s, 700 positions/s, ETA 20s
selfplay: 300/400 games, 10.0 games/s, 700 positions/s, ETA 10s
selfplay: 400/400 games, 10.0 games/s, 700 positions/s
selfplay: 400/400 games, 10.0 games/s, 700 positions/s
`
	if out.String() != want {
		t.Errorf("got:\n%swant:\n%s", out.String(), want)
	}
}

// Protects --quiet: nothing is written, and no caller need ask first.
func TestProgressQuiet(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, true, "selfplay", "games", "", 0, 10)
	p.set(5, 0)
	p.setFound(1)
	p.finish()
	if p != nil || out.Len() > 0 {
		t.Errorf("%v, %q", p, out.String())
	}
}
