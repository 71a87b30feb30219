package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"arbor/engine"
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

// TestNothingIsLeftOpen opens a vault, follows it, reads, writes and closes it, again and again.
func TestNothingIsLeftOpen(t *testing.T) {
	rounds := 25
	if heavy {
		rounds = 1000
	}
	dir := onDisk(t, sized(20)).Dir()
	round := func(i int) {
		st, err := dirstore.Open(dir, dirstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		e := opened(t, st)
		ctx, stop := context.WithCancel(t.Context())
		ready, done, news := make(chan struct{}), make(chan struct{}), make(chan struct{}, 100)
		go func() {
			defer close(done)
			_ = e.Follow(ctx, func() { close(ready) }, func(engine.News) { news <- struct{}{} })
		}()
		<-ready
		if _, _, err := e.AppendLog(ctx, benchWorkspace, "", fmt.Sprint("round ", i), engine.Act{}); err != nil {
			t.Error(err)
		}
		if i%10 == 0 { // most end while there is something to tell
			<-news
		}
		if _, err := e.Snapshot(ctx, benchWorkspace); err != nil {
			t.Error(err)
		}
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

// TestFollowedSavesKeepNothing saves files of a vault that is followed, in many rounds: the memory that is in use stays what it was.
func TestFollowedSavesKeepNothing(t *testing.T) {
	const n = 200
	rounds := 10
	if heavy {
		rounds = 300
	}
	f := follow(t, sized(n))
	text := sized(n)
	round := func(i int) {
		for k := 1; k < n; k += 7 {
			p := leafOf(k + 1)
			if err := os.WriteFile(filepath.Join(f.dir, filepath.FromSlash(string(p))), fmt.Appendf(nil, "%s\nround %d\n", text[p], i), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		<-f.news
		if _, err := f.e.Snapshot(t.Context(), benchWorkspace); err != nil {
			t.Fatal(err)
		}
	}
	var used []int64
	for i := range rounds {
		round(i)
		if (i+1)%(rounds/5) == 0 {
			used = append(used, inUse())
		}
	}
	t.Logf("bytes in use after each fifth of %d rounds: %v", rounds, used)
	if grown := used[4] - used[1]; grown > 64<<10 {
		t.Errorf("%d rounds of saves keep %d bytes", rounds*3/5, grown)
	}
	runtime.KeepAlive(f)
}
