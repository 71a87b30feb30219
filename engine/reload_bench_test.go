package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// settle is how long the watcher waits for quiet before it says that a save has settled.
const settle = 100 * time.Millisecond

// A follower is an engine that follows a vault on the disk, and the news that it gives.
type follower struct {
	e    *engine.Engine
	dir  string
	news chan struct{}
}

func follow(tb testing.TB, files map[mdstore.Path][]byte) *follower {
	tb.Helper()
	st := onDisk(tb, files)
	f := &follower{e: opened(tb, st), dir: st.Dir(), news: make(chan struct{}, 1000)}
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = f.e.Follow(ctx, func() { close(ready) }, func(engine.News) { f.news <- struct{}{} })
	}()
	tb.Cleanup(func() { stop(); <-done })
	<-ready
	if _, err := f.e.Snapshot(ctx, benchWorkspace); err != nil {
		tb.Fatal(err)
	}
	return f
}

// BenchmarkSaveToSnapshot saves one file of 10,000 in place. It reports the time from the end of the save to a snapshot that shows it beyond the
// time that a save is given to settle, the longest of all rounds and the median.
func BenchmarkSaveToSnapshot(b *testing.B) {
	const n = 10_000
	f := follow(b, sized(n))
	name := filepath.Join(f.dir, filepath.FromSlash(string(leafOf(n))))
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	var beyond []time.Duration
	for i := 0; b.Loop(); i++ {
		now := append(slices.Clone(text), fmt.Sprintf("\nround %d\n", i)...)
		if err := os.WriteFile(name, now, 0o644); err != nil {
			b.Fatal(err)
		}
		saved := time.Now()
		<-f.news
		s, err := f.e.Snapshot(b.Context(), benchWorkspace)
		if err != nil {
			b.Fatal(err)
		}
		beyond = append(beyond, time.Since(saved)-settle)
		if got, _ := s.Node(mdstore.ID(leafOf(n).Dir().Base())); got.Version() != mdstore.VersionOf(now) {
			b.Fatal("the news came, and the snapshot does not show the save")
		}
	}
	slices.Sort(beyond)
	b.ReportMetric(float64(beyond[len(beyond)/2])/1e6, "ms-beyond-settle")
	b.ReportMetric(float64(beyond[len(beyond)-1])/1e6, "ms-beyond-settle-most")
}

// BenchmarkCheckout changes 10,000 files at once, as git does if it is there. It reports the time from the last news to the snapshot that shows all of them, the time of
// a cold open in the same round, and how many times the one is the other.
func BenchmarkCheckout(b *testing.B) {
	const n = 10_000
	f := follow(b, sized(n))
	change := checkouts(b, f.dir)
	var reload, cold, all time.Duration
	rounds := 0
	for i := 1; b.Loop(); i++ {
		want := change(i)
		done := time.Now()
		for shown := 0; shown < n; {
			<-f.news
			for len(f.news) > 0 { // what came while the last was looked at
				<-f.news
			}
			news := time.Now()
			s, err := f.e.Snapshot(b.Context(), benchWorkspace)
			if err != nil {
				b.Fatal(err)
			}
			took := time.Since(news)
			shown = 0
			for x := range s.All() {
				if bytes.Contains(x.Doc().Bytes(), want) {
					shown++
				}
			}
			if shown == n {
				reload += took
				all += time.Since(done)
			}
		}
		b.StopTimer()
		st := f.fresh(b)
		cold += st
		rounds++
		b.StartTimer()
	}
	b.ReportMetric(float64(reload.Milliseconds())/float64(rounds), "ms-reload")
	b.ReportMetric(float64(cold.Milliseconds())/float64(rounds), "ms-cold")
	b.ReportMetric(float64(reload)/float64(cold), "times-cold")
	b.ReportMetric(float64(all.Milliseconds())/float64(rounds), "ms-since-checkout")
}

// fresh returns how long it takes to open the vault and read all of it.
func (f *follower) fresh(b *testing.B) time.Duration {
	begin := time.Now()
	st, err := dirstore.Open(f.dir, dirstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	e, err := engine.Open(b.Context(), st, engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := e.Snapshot(b.Context(), benchWorkspace); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

// checkouts returns what changes every file of the vault, and returns a text that each of them holds then.
func checkouts(b *testing.B, dir string) func(round int) []byte {
	rewrite := func(round int) []byte {
		mark := fmt.Appendf(nil, "mark %d of all", round)
		err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err != nil || d.Name() != mdstore.NodeFile {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if at := bytes.Index(text, []byte("\nmark ")); at >= 0 {
				text = text[:at]
			}
			text = append(append(append(text, '\n'), mark...), '\n')
			if err := os.Remove(name); err != nil { // as git does
				return err
			}
			return os.WriteFile(name, text, 0o644)
		})
		if err != nil {
			b.Fatal(err)
		}
		return mark
	}
	git, err := exec.LookPath("git")
	if err != nil {
		b.Log("without git, every file is removed and written anew")
		return rewrite
	}
	run := func(args ...string) {
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=p", "GIT_AUTHOR_EMAIL=p@example.org", "GIT_COMMITTER_NAME=p", "GIT_COMMITTER_EMAIL=p@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	run("config", "gc.auto", "0") // what works in the background is no part of it
	marks := [2][]byte{}
	for i := range marks {
		marks[i] = rewrite(-1 - i)
		run("add", "-A", "--", benchWorkspace)
		run("commit", "-q", "-m", "all")
		run("tag", fmt.Sprintf("t%d", i))
	}
	return func(round int) []byte {
		to := (round + 1) % 2
		run("checkout", "-q", fmt.Sprintf("t%d", to))
		return marks[to]
	}
}
