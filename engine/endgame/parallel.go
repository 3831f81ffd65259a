package endgame

import (
	"context"
	"sync"
	"sync/atomic"
)

// chunk is the number of items that a worker takes at a time.
const chunk = 1 << 12

// parallel calls do with 0..n-1 in pieces, in any order, from several goroutines
// at once. It stops early when ctx is done.
func parallel(ctx context.Context, workers, n int, do func(from, to int)) error {
	var taken atomic.Int64
	var all sync.WaitGroup
	for range max(1, workers) {
		all.Go(func() {
			for ctx.Err() == nil {
				from := int(taken.Add(chunk)) - chunk
				if from >= n {
					return
				}
				do(from, min(from+chunk, n))
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
