//go:build unix

package main

import (
	"os/exec"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// searches compares a query of one word, which every file of the vault holds, with ripgrep counting it, and of one that
// only a few files hold.
func (b *bench) searches() (rows []row) {
	if _, err := exec.LookPath("rg"); err != nil {
		return []row{{name: "search", skipped: "there is no ripgrep (rg)"}}
	}
	o := b.open(b.v)
	memory := row{name: "live memory of a search, above the rest", unit: "B", target: 50e6}
	for _, word := range []string{"cookie", "9999"} {
		grep := func() float64 {
			return clock(func() {
				err := exec.CommandContext(b.ctx, "rg", "-c", word, b.v.dir).Run()
				if _, none := err.(*exec.ExitError); err != nil && !none {
					check(err)
				}
			})
		}
		args := map[string]any{"query": word}
		if word == "cookie" {
			runtime.GC()
			before := inUse()
			memory.arbor = most(func() { check(o.call("search", args)) }) - before
		}
		all := b.inTurn(0.5, func() float64 { return o.timed("search", args) }, grep)
		rows = append(rows, seconds(all[0], "rg -c", all[1], 1.5, "search of %s in a served vault", word))
		r := row{name: "arbor search " + word + ", the whole process", unit: "s", against: "rg -c", target: 2.5}
		rows = append(rows, b.row(r, 0.5, func(p program) sample { return p.wall("search " + word) }, grep))
	}
	check(o.st.Close())
	return append(rows, memory)
}

// inUse returns the bytes of the heap that were in use when it was last looked through.
func inUse() float64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}

// most returns the greatest value of inUse while do runs, which is looked at every millisecond.
func most(do func()) (most float64) {
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			most = max(most, inUse())
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	do()
	close(done)
	watch.Wait()
	return most
}
