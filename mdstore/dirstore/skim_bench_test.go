package dirstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// planned makes a vault of n nodes, each of 1.6 kB, and returns the paths of their files.
func planned(t testing.TB, n int) (dir string, paths []string) {
	t.Helper()
	dir = fill(t, map[string]string{"ws/Workspace.md": "---\nid: ws\n---\n"})
	for i := range n {
		id := fmt.Sprintf("node-mj%06x-%06x", i, i*7919%0xffffff)
		p := filepath.Join(dir, "ws", "nodes", id, "Node.md")
		write(t, p, nodeText(id, fmt.Sprint("The title of node ", i), fmt.Sprintf("node-mj%06x-%06x", i/8, i/8*7919%0xffffff)))
		paths = append(paths, p)
	}
	return dir, paths
}

func nodeText(id, title, parent string) string {
	text := "---\nid: " + id + "\ntitle: " + title + "\ntype: execution\nstatus: implementing\nrole: null\nparentId: " + parent +
		"\nisolated: false\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n\n## Requirement\n\n"
	for len(text) < 1500 {
		text += "What is to be done about it is told here, in lines of some length.\n"
	}
	return text + "\n## Log\n\n- [2026-01-01 10:00:00] [AI] Started\n"
}

// each calls f for every path, by several goroutines, each with a piece of memory of its own.
func each(b *testing.B, workers int, paths []string, f func(path string, buf []byte) error) {
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			buf := make([]byte, 64<<10)
			for i := w * len(paths) / workers; i < (w+1)*len(paths)/workers; i++ {
				if err := f(paths[i], buf); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// against times f and its limit, one after the other and many times, with a call to before in front of each, and reports their medians and how they compare.
func against(b *testing.B, before, f, limit func()) {
	var took, least []time.Duration
	var busy, less time.Duration // of the processors: what a machine that does other things as well blurs least
	for b.Loop() {
		before()
		runtime.GC()
		start, used := time.Now(), processor()
		limit()
		least = append(least, time.Since(start))
		less += processor() - used
		before()
		runtime.GC()
		start, used = time.Now(), processor()
		f()
		took = append(took, time.Since(start))
		busy += processor() - used
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds()) / 1000
	}
	b.ReportMetric(median(took), "ms")
	b.ReportMetric(median(least), "limit-ms")
	b.ReportMetric(median(took)/median(least), "x")
	b.ReportMetric(float64(took[0].Microseconds())/float64(least[0].Microseconds()), "min-x")
	if less > 0 {
		b.ReportMetric(float64(busy)/float64(less), "cpu-x")
	}
	b.ReportMetric(0, "ns/op")
}

// wideRaw reads every file with as many reads in flight as a skim may have.
func wideRaw(b *testing.B, paths []string) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64))
	each(b, 64, paths, readRaw)
}

func skim(t testing.TB, s *dirstore.Store, known *mdstore.Skimmed, trusting bool) *mdstore.Skimmed {
	t.Helper()
	got, err := s.Skim(t.Context(), "ws", known, trusting)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// BenchmarkSkim compares each way of skimming with what no program can do without: reading every file, or asking for the stamp of each.
func BenchmarkSkim(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		dir, paths := planned(b, n)
		s := open(b, dir)
		dirstore.Ahead(s, time.Hour)
		if _, err := s.Commit(b.Context(), []mdstore.Change{{Path: "ws/note", New: []byte("so that there is a commit")}}); err != nil {
			b.Fatal(err)
		}
		settled := func() { dirstore.AwaitIndex(s) }
		bare := func() { // without an index
			dirstore.AwaitIndex(s)
			_ = os.RemoveAll(filepath.Join(dir, ".local", "index"))
		}
		read := func() { each(b, 2, paths, readRaw) }
		stat := func() { each(b, 2, paths, statRaw) }
		b.Run(fmt.Sprintf("cold/%d", n), func(b *testing.B) {
			against(b, bare, func() { skim(b, s, nil, false) }, read)
		})
		known := skim(b, s, nil, false)
		if len(known.Nodes) != n {
			b.Fatalf("%d nodes of %d", len(known.Nodes), n)
		}
		b.Run(fmt.Sprintf("known/%d", n), func(b *testing.B) {
			against(b, settled, func() {
				if again := skim(b, s, known, false); again.Work.Read > 0 {
					b.Fatalf("%+v", again.Work)
				}
			}, stat)
		})
		b.Run(fmt.Sprintf("index/%d", n), func(b *testing.B) {
			skim(b, s, nil, false)
			against(b, settled, func() {
				if again := skim(b, s, nil, false); again.Work.Read > 0 {
					b.Fatalf("%+v", again.Work)
				}
			}, stat)
		})
		b.Run(fmt.Sprintf("index-trusted/%d", n), func(b *testing.B) {
			against(b, settled, func() { skim(b, s, nil, true) }, stat)
		})
		b.Run(fmt.Sprintf("disk/%d", n), func(b *testing.B) {
			if os.Getenv("ARBOR_HEAVY") == "" {
				b.Skip("set ARBOR_HEAVY=1 to drop the system's caches")
			}
			against(b, func() { bare(); drop(b) }, func() { skim(b, s, nil, false) }, func() { wideRaw(b, paths) })
		})
		b.Run(fmt.Sprintf("trusted/%d", n), func(b *testing.B) {
			against(b, settled, func() { skim(b, s, known, true) }, stat)
		})
	}
}
