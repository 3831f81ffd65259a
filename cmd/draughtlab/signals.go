package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// stoppable returns a context that ends when the user asks the program to stop
// (SIGINT or SIGTERM), so that it can finish what it is doing, told by
// finishing: "the running games". At the second request the process exits at
// once, with 128 and the number of the signal as its exit code. release ends
// the watch.
func stoppable(parent context.Context, stderr io.Writer, finishing string) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
		case <-done:
			return
		}
		if isTerminal(stderr) {
			fmt.Fprintln(stderr) // a bar may stand there
		}
		fmt.Fprintf(stderr, "draughtlab: stopping: finishing %s; once more to stop at once\n", finishing)
		cancel()
		select {
		case s := <-signals:
			code := 1
			if n, ok := s.(syscall.Signal); ok {
				code = 128 + int(n)
			}
			fmt.Fprintln(stderr, "draughtlab: stopped at once: what was not finished is lost; run the same command again")
			os.Exit(code)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
