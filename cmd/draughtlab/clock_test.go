package main

import (
	"testing"
	"time"
)

// TestBudget protects the bounds of a move's time: never more than the clock
// has, all of it for the last move of a control, and a little when it is empty.
func TestBudget(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		control    timeControl
		soft, hard time.Duration
	}{
		{timeControl{}, 0, 0},
		{timeControl{move: s}, s, s},
		{timeControl{timed: true, left: 100*s + reserve}, 4 * s, 16 * s},
		{timeControl{timed: true, left: 100*s + reserve, moves: 1}, 100 * s, 100 * s},
		{timeControl{timed: true, left: 100*s + reserve, moves: 10}, 10 * s, 40 * s},
		{timeControl{timed: true, left: 100*s + reserve, moves: 100}, 4 * s, 16 * s},
		{timeControl{timed: true, left: 75*s + reserve, inc: 25 * s}, 28 * s, 50 * s},
		{timeControl{timed: true}, leastTime, leastTime},
		{timeControl{timed: true, left: -s, inc: s / 2}, leastTime, leastTime},
	} {
		if soft, hard := c.control.budget(); soft != c.soft || hard != c.hard {
			t.Errorf("%+v: %s and %s, want %s and %s", c.control, soft, hard, c.soft, c.hard)
		}
	}
	for left := time.Duration(0); left < 10*s; left += 7 * time.Millisecond {
		for _, inc := range []time.Duration{0, s / 10, s} {
			for moves := range 50 {
				soft, hard := timeControl{timed: true, left: left, inc: inc, moves: moves}.budget()
				if soft > hard || hard > max(leastTime, left+inc) || soft < leastTime {
					t.Fatalf("left %s, inc %s, %d moves: %s and %s", left, inc, moves, soft, hard)
				}
			}
		}
	}
}

// TestBudgetLasts protects that a player who uses the soft time of every move
// never loses on time.
func TestBudgetLasts(t *testing.T) {
	for _, inc := range []time.Duration{0, time.Second} {
		left := time.Minute
		for move := range 200 {
			soft, _ := timeControl{timed: true, left: left, inc: inc}.budget()
			if left += inc - soft; left < 0 {
				t.Fatalf("inc %s: out of time at move %d", inc, move+1)
			}
		}
	}
}

// TestSearchClock protects, on a clock of its own, when a search ends: at hard
// whatever happens, after an iteration past half of soft, at halt; and that
// pondering costs nothing until the hit.
func TestSearchClock(t *testing.T) {
	now := time.Unix(0, 0)
	tick := func(d time.Duration) { now = now.Add(d) }
	control := timeControl{timed: true, left: 100*time.Second + reserve} // 4 s and 16 s
	c := newSearchClock(func() time.Time { return now }, control)
	tick(time.Hour)
	if c.progress(); c.stop() {
		t.Error("pondering ends by the clock")
	}
	c.start()
	tick(15 * time.Second)
	if c.stop() {
		t.Error("ends before hard")
	}
	tick(time.Second)
	if !c.stop() {
		t.Error("does not end at hard")
	}
	c = newSearchClock(func() time.Time { return now }, control)
	c.start()
	tick(1999 * time.Millisecond)
	if c.progress(); c.stop() {
		t.Error("ends before half of soft")
	}
	tick(time.Millisecond)
	if c.progress(); !c.stop() {
		t.Error("begins another iteration after half of soft")
	}
	c = newSearchClock(func() time.Time { return now }, timeControl{move: time.Second})
	c.start()
	tick(999 * time.Millisecond)
	if c.progress(); c.stop() {
		t.Error("a fixed time is not used to its end")
	}
	if c.halt(); !c.stop() || c.elapsed() != 999*time.Millisecond {
		t.Error("halt does not stop")
	}
}
