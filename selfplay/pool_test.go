package selfplay

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// count yields the numbers from 0 to n-1.
func count(n int) func(context.Context, func(int) bool) error {
	return func(_ context.Context, yield func(int) bool) error {
		for i := range n {
			if !yield(i) {
				break
			}
		}
		return nil
	}
}

// slowest makes early jobs take longest, so that results come out of order.
func slowest() func(int) (int, error) {
	return func(i int) (int, error) {
		if i%7 == 0 {
			time.Sleep(2 * time.Millisecond)
		}
		return i, nil
	}
}

// Protects the order of the games in a file, whatever order they end in.
func TestInOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 5, 32} {
		var got []int
		err := InOrder(context.Background(), workers, count(100), slowest, func(i int) error {
			got = append(got, i)
			return nil
		})
		if err != nil || len(got) != 100 || !slices.IsSorted(got) {
			t.Errorf("%d workers: %v, error %v", workers, got, err)
		}
	}
}

// Protects against results lost at an interruption: every job a worker began
// must reach the sink, with no gap.
func TestInOrderInterrupted(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		var begun atomic.Int64
		var got []int
		worker := func() func(int) (int, error) {
			return func(i int) (int, error) { begun.Add(1); return i, nil }
		}
		err := InOrder(ctx, workers, count(1000), worker, func(i int) error {
			got = append(got, i)
			if i == 20 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		if int64(len(got)) != begun.Load() || len(got) == 1000 || got[len(got)-1] != len(got)-1 {
			t.Errorf("%d workers: begun %d, handed on %d, last %d", workers, begun.Load(), len(got), got[len(got)-1])
		}
	}
}

// Protects a finished run from being called interrupted: if the stop comes when
// all jobs are done, nothing is left to go on with.
func TestInOrderStoppedAfterTheLastJob(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	err := InOrder(ctx, 1, count(5), slowest, func(i int) error {
		if i == 4 {
			cancel()
		}
		return nil
	})
	if err != nil {
		t.Errorf("error %v", err)
	}
}

// Protects against a hang or a lost error, wherever it happens.
func TestInOrderErrors(t *testing.T) {
	bad := errors.New("bad")
	fails := func() func(int) (int, error) {
		return func(i int) (int, error) {
			if i >= 50 {
				return 0, bad
			}
			return i, nil
		}
	}
	ignore := func(int) error { return nil }
	for name, do := range map[string]func() error{
		"worker": func() error { return InOrder(context.Background(), 4, count(1000), fails, ignore) },
		"sink": func() error {
			return InOrder(context.Background(), 4, count(1000), slowest, func(i int) error {
				if i == 50 {
					return bad
				}
				if i > 50 {
					t.Errorf("result %d handed on after the error", i)
				}
				return nil
			})
		},
		"jobs": func() error {
			return InOrder(context.Background(), 4, func(_ context.Context, yield func(int) bool) error {
				yield(1)
				return bad
			}, slowest, ignore)
		},
	} {
		if err := do(); !errors.Is(err, bad) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Protects memory: workers may run ahead of a slow result, but only so far.
func TestInOrderIsBounded(t *testing.T) {
	const workers = 2
	release := make(chan struct{})
	var begun atomic.Int64
	worker := func() func(int) (int, error) {
		return func(i int) (int, error) {
			begun.Add(1)
			if i == 0 {
				<-release
			}
			return i, nil
		}
	}
	time.AfterFunc(100*time.Millisecond, func() { close(release) })
	err := InOrder(context.Background(), workers, count(10000), worker, func(i int) error {
		if n := begun.Load(); i == 0 && n > workers*(queuePerWorker+2) {
			t.Errorf("%d jobs begun while the first one ran", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
