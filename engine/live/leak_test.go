package live_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/live"
	"arbor/mdstore/dirstore"
)

// leftovers is what a process holds of the system. What the system does not tell is 0.
type leftovers struct{ goroutines, descriptors, watches int }

func left() (l leftovers) {
	l.goroutines = runtime.NumGoroutine()
	fds, _ := os.ReadDir("/proc/self/fdinfo")
	l.descriptors = len(fds)
	for _, fd := range fds {
		info, _ := os.ReadFile(filepath.Join("/proc/self/fdinfo", fd.Name()))
		l.watches += bytes.Count(info, []byte("inotify wd:"))
	}
	return l
}

// A vault that is opened, followed, read, written and closed, again and again, leaves nothing open.
func TestNothingIsLeftOpen(t *testing.T) {
	rounds := 25
	if enginetest.Heavy {
		rounds = 1000
	}
	dir := enginetest.Place(t, enginetest.Sized(20))
	round := func(i int) {
		st, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		e := enginetest.Open(t, st)
		ctx, stop := context.WithCancel(t.Context())
		ready, done, news := make(chan struct{}), make(chan struct{}), make(chan struct{}, 100)
		go func() {
			defer close(done)
			_ = e.Follow(ctx, func() { close(ready) }, func(live.News) { news <- struct{}{} })
		}()
		<-ready
		logEvent(t, e, enginetest.Bench, "", fmt.Sprint("round ", i))
		if i%10 == 0 { // most end while there is something to tell
			<-news
		}
		viewOf(t, e, enginetest.Bench)
		stop()
		<-done
	}
	for i := range 3 { // what is made once
		round(i)
	}
	before := left()
	for i := range rounds {
		round(i)
	}
	end := time.Now().Add(30 * time.Second)
	after := left()
	for ; after.goroutines > before.goroutines && time.Now().Before(end); after = left() { // some are about to end
		runtime.Gosched()
	}
	t.Logf("%+v before, %+v after %d rounds", before, after, rounds)
	if after.goroutines > before.goroutines || after.descriptors > before.descriptors || after.watches > before.watches {
		buf := make([]byte, 1<<20)
		t.Errorf("left open: before %+v, after %+v\n%s", before, after, buf[:runtime.Stack(buf, true)])
	}
}

// Saves of files of a vault that is followed keep no memory, however many there are.
func TestFollowedSavesKeepNothing(t *testing.T) {
	const n = 200
	rounds := 10
	if enginetest.Heavy {
		rounds = 300
	}
	text := enginetest.Sized(n)
	e, dir, news := followed(t, text)
	viewOf(t, e, enginetest.Bench)
	var used []int64
	for i := range rounds {
		for k := 1; k < n; k += 7 {
			p := enginetest.LeafPath(k + 1)
			enginetest.Put(t, dir, p, fmt.Appendf(nil, "%s\nround %d\n", text[p], i))
		}
		<-news
		viewOf(t, e, enginetest.Bench)
		if (i+1)%(rounds/5) == 0 {
			used = append(used, inUse())
		}
	}
	t.Logf("bytes in use after each fifth of %d rounds: %v", rounds, used)
	if grown := used[4] - used[1]; grown > 128<<10 {
		t.Errorf("%d rounds of saves keep %d bytes", rounds*3/5, grown)
	}
	runtime.KeepAlive(e)
}
