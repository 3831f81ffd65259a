package selfplay

import (
	"context"
	"sync"
)

// queuePerWorker bounds how many finished results may wait for one that takes
// long: games are seldom ten times as long as others.
const queuePerWorker = 16

type task[J, R any] struct {
	job  J
	done chan answer[R]
}

type answer[R any] struct {
	result R
	err    error
}

// InOrder does jobs with a pool of workers and hands their results to sink in
// the order of the jobs, one at a time, in the caller's goroutine.
//
// jobs runs in a goroutine of its own and yields one job after the other until
// it has none left or yield returns false; the context it is given ends when
// the work must stop. newWorker is called once in each worker's goroutine; what
// it returns is called by that goroutine only.
//
// The first error of jobs, a worker or sink ends the work and is returned. When
// ctx ends, running jobs are finished and their results handed on; the context's
// error is returned if any job was left.
func InOrder[J, R any](
	ctx context.Context, workers int,
	jobs func(ctx context.Context, yield func(J) bool) error,
	newWorker func() func(J) (R, error),
	sink func(R) error,
) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	tasks := make(chan task[J, R])
	order := make(chan chan answer[R], queuePerWorker*workers)

	var pool sync.WaitGroup
	for range workers {
		pool.Go(func() {
			do := newWorker()
			for t := range tasks {
				result, err := do(t.job)
				t.done <- answer[R]{result, err}
			}
		})
	}
	var jobsErr error // written before order is closed, read after
	pool.Go(func() {
		defer close(order)
		defer close(tasks)
		complete := true
		jobsErr = jobs(ctx, func(job J) bool {
			t := task[J, R]{job, make(chan answer[R], 1)}
			complete = ctx.Err() == nil && send(ctx, tasks, t)
			if complete {
				order <- t.done // never blocks for ever: the caller drains it
			}
			return complete
		})
		if jobsErr == nil && !complete {
			jobsErr = ctx.Err()
		}
	})
	var err error
	for done := range order {
		a := <-done
		if err != nil {
			continue
		}
		if err = a.err; err == nil {
			err = sink(a.result)
		}
		if err != nil {
			stop()
		}
	}
	pool.Wait()
	if err == nil {
		err = jobsErr
	}
	return err
}

// send sends v unless ctx ends first.
func send[T any](ctx context.Context, c chan<- T, v T) bool {
	select {
	case c <- v:
		return true
	case <-ctx.Done():
		return false
	}
}
