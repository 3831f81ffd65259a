package main

import (
	"sync/atomic"
	"time"
)

// timeControl is what is known of the clock before a move; the zero value sets
// no bounds.
type timeControl struct {
	// move is a fixed time for this move, 0 for none.
	move time.Duration
	// timed tells that a clock runs: left is on it, inc is added before every
	// move, and moves are to be made with it (0: all that remain).
	timed     bool
	left, inc time.Duration
	moves     int
}

const (
	// movesToGo is how many moves a clock is to last for when none are
	// prescribed. Games have some 30 moves a side; those after the opening
	// are worth the time.
	movesToGo = 25
	// reserve is kept back for the way of a move to the clock, a twentieth of
	// what is left at most.
	reserve = 100 * time.Millisecond
	// leastTime is what a move gets however little is left.
	leastTime = time.Millisecond
)

// budget returns how long to think about a move: no new iteration begins after
// half of soft, and hard ends the search. 0, 0 means without end.
func (c timeControl) budget() (soft, hard time.Duration) {
	if c.move > 0 {
		return c.move, c.move
	}
	if !c.timed {
		return 0, 0
	}
	have := c.left + c.inc
	have -= min(reserve, have/20)
	moves := movesToGo
	if c.moves > 0 {
		moves = min(c.moves, movesToGo)
	}
	n := time.Duration(moves)
	soft = have/n + c.inc*(n-1)/n // inc is part of have: together inc and left/n
	hard = 4 * soft
	if moves > 1 {
		hard = min(hard, have/2)
	}
	hard = max(leastTime, min(hard, have))
	return max(leastTime, min(soft, hard)), hard
}

// searchClock stops a search by the time or on request. stop and progress are
// for the searching goroutine; start and halt may come from another.
type searchClock struct {
	now        func() time.Time
	began      time.Time
	soft, hard time.Duration
	running    atomic.Pointer[time.Time] // since when the budget is used; nil while pondering
	halted     atomic.Bool
}

// newSearchClock makes a clock that does not count yet.
func newSearchClock(now func() time.Time, c timeControl) *searchClock {
	soft, hard := c.budget()
	return &searchClock{now: now, began: now(), soft: soft, hard: hard}
}

// start makes the budget count from now.
func (c *searchClock) start() {
	now := c.now()
	c.running.Store(&now)
}

// halt ends the search as soon as it looks.
func (c *searchClock) halt() { c.halted.Store(true) }

// used returns how much of the budget is used.
func (c *searchClock) used() time.Duration {
	if t := c.running.Load(); t != nil {
		return c.now().Sub(*t)
	}
	return 0
}

// stop is for search.Limits.Stop.
func (c *searchClock) stop() bool {
	return c.halted.Load() || c.hard > 0 && c.used() >= c.hard
}

// progress is to be called after an iteration: the next one takes longer than
// all before together, so that after half of soft it is better not begun. A
// fixed time for a move is used to its end.
func (c *searchClock) progress() {
	if c.soft < c.hard && c.used() >= c.soft/2 {
		c.halt()
	}
}

// elapsed returns the time since the search began.
func (c *searchClock) elapsed() time.Duration { return c.now().Sub(c.began) }
