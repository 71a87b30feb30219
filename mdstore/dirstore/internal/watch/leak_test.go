package watch

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
)

func TestNoGoroutineDescriptorOrWatchIsLeftBehind(t *testing.T) {
	made := &world{judge: t, root: t.TempDir()}
	files("a/b/c", "d/e")(made)
	round := func(i int) {
		opt := quick(i%2 == 1)
		open := opener(openSystem)
		if i%10 == 4 { // it goes on by polling
			src := &faulty{room: 3}
			open = src.open
		}
		ctx, stop := context.WithCancel(t.Context())
		ready := make(chan struct{}, 2)
		opt.Ready = func(bool, error) { ready <- struct{}{} }
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if v := recover(); v != nil && v != "enough" {
					t.Errorf("panicked: %v", v)
				}
			}()
			opt.open = open
			_ = Watch(ctx, made.root, opt, func(Batch) {
				if i%3 == 0 {
					panic("enough")
				}
			})
		}()
		await(t, ready, "Ready")
		if i%3 != 1 { // some end while there are changes to give
			made.write("a/b/c", "again")
		}
		if i%3 == 0 {
			await(t, done, "the panic")
		}
		stop()
		await(t, done, "Watch to return")
	}
	round(0) // allocates what is allocated once
	round(1)
	before := left(t)
	rounds := 60
	if os.Getenv("ARBOR_HEAVY") != "" {
		rounds = 200
	}
	for i := range rounds {
		round(i)
	}
	var after leftovers
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() { // goroutines that are about to end
		after = left(t)
		if after.goroutines <= before.goroutines && after.descriptors == before.descriptors && after.watches == before.watches {
			return
		}
	}
	buf := make([]byte, 1<<20)
	t.Errorf("before %+v, after %+v\n%s", before, after, buf[:runtime.Stack(buf, true)])
}

type leftovers struct{ goroutines, descriptors, watches int }

func left(t *testing.T) (l leftovers) {
	t.Helper()
	l.goroutines = runtime.NumGoroutine()
	l.watches, _ = kernelWatches()
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		l.descriptors = len(fds)
	}
	return l
}
