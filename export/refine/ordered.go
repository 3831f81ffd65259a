package refine

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// streamAhead is how many values a producer may be ahead of their use.
const streamAhead = 4

// ordered calls use with everything that n producers yield, those of producer 0
// first, in one goroutine. Up to workers producers run at once, begun in their
// order; each may be streamAhead values ahead. The first error ends the work and
// is returned.
func ordered[T any](
	ctx context.Context, workers, n int,
	produce func(ctx context.Context, i int, yield func(T) error) error,
	use func(T) error,
) error {
	g, ctx := errgroup.WithContext(ctx)
	streams := make([]chan T, n)
	for i := range streams {
		streams[i] = make(chan T, streamAhead)
	}
	slots := make(chan struct{}, workers)
	g.Go(func() error {
		for i, stream := range streams {
			if err := send(ctx, slots, struct{}{}); err != nil {
				return err
			}
			g.Go(func() error {
				err := produce(ctx, i, func(v T) error { return send(ctx, stream, v) })
				<-slots
				if err == nil {
					close(stream)
				}
				return err
			})
		}
		return nil
	})
	g.Go(func() error {
		for _, stream := range streams {
			for open := true; open; {
				var v T
				select {
				case v, open = <-stream:
				case <-ctx.Done():
					return ctx.Err()
				}
				if !open {
					break
				}
				if err := use(v); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return g.Wait()
}

// send sends v unless the context ends first.
func send[T any](ctx context.Context, c chan<- T, v T) error {
	select {
	case c <- v:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
