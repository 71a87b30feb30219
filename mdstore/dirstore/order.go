package dirstore

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// inOrder yields what do returns for 0 to n-1, in this order, computed by a few
// goroutines ahead of the consumer. None of them is left when it returns.
func inOrder[T any](ctx context.Context, n int, do func(i int) []T) iter.Seq[T] {
	// With a cold cache the disk decides, and more reads in flight are better; with a warm one they cost little.
	workers := min(max(runtime.GOMAXPROCS(0), n/4), 64, n)
	if workers <= 1 {
		return func(yield func(T) bool) {
			for i := range n {
				for _, v := range do(i) {
					if !yield(v) {
						return
					}
				}
			}
		}
	}
	return func(yield func(T) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()

		type job struct {
			i    int
			done chan []T
		}
		jobs := make(chan job)
		results := make(chan chan []T, 2*workers) // in the order of the jobs; its length bounds how far ahead they are
		running.Go(func() {
			defer close(results)
			defer close(jobs)
			for i := range n {
				j := job{i, make(chan []T, 1)}
				select {
				case results <- j.done:
				case <-ctx.Done():
					return
				}
				select {
				case jobs <- j:
				case <-ctx.Done():
					return
				}
			}
		})
		for range workers {
			running.Go(func() {
				for j := range jobs {
					j.done <- do(j.i)
				}
			})
		}
		for done := range results {
			select {
			case vs := <-done:
				for _, v := range vs {
					if !yield(v) {
						return
					}
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
