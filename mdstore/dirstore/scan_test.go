package dirstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/storetest"
)

// planned makes a vault of n nodes, each of 1.6 kB, and returns the paths of their files.
func planned(t testing.TB, n int) (dir string, paths []string) {
	t.Helper()
	dir = fill(t, map[string]string{"ws/Workspace.md": "---\nid: ws\n---\n", ".gitignore": ".local/\n"})
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

// scan scans a workspace and compares the result with what is listed and read.
func scan(t testing.TB, s *dirstore.Store, under mdstore.Path) *mdstore.Scan {
	t.Helper()
	got, err := s.Scan(t.Context(), under)
	if err != nil {
		t.Fatal(err)
	}
	if diff := storetest.DiffScan(t.Context(), s, mdstore.AllKinds(), under, got); diff != "" {
		t.Errorf("Scan(%q)\n%s", under, diff)
	}
	return got
}

// settled opens a vault as if an hour had passed since its last change.
func settled(t testing.TB, dir string) *dirstore.Store {
	t.Helper()
	s := open(t, dir)
	dirstore.Ahead(s, time.Hour)
	return s
}

// later opens a vault as settled does, calls f and closes it.
func later(t testing.TB, dir string, f func(s *dirstore.Store)) {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dirstore.Ahead(s, time.Hour)
	f(s)
}

// Each file is read once, and again only if it has changed.
func TestAScanReadsOnlyWhatChanged(t *testing.T) {
	const n = 300
	dir, paths := planned(t, n)
	s := settled(t, dir)
	if first := scan(t, s, "ws"); first.Work.Read != n+1 || len(first.Records) != n+1 || first.Work.Written == 0 {
		t.Errorf("%d records, %+v", len(first.Records), first.Work)
	}
	for _, s := range []*dirstore.Store{s, settled(t, dir)} {
		if again := scan(t, s, "ws"); again.Work != (mdstore.Work{Stamped: 2*n + 6}) {
			t.Errorf("nothing changed: %+v", again.Work)
		}
	}
	write(t, paths[7], nodeText("node-x", "Changed", "root"))
	if w := scan(t, s, "ws").Work; w.Read != 1 || w.Listed != 0 || w.Written != 0 {
		t.Errorf("one file changed: %+v", w)
	}
	if err := os.RemoveAll(filepath.Dir(paths[9])); err != nil {
		t.Fatal(err)
	}
	if w := scan(t, s, "ws").Work; w.Read != 0 || w.Listed != 1 {
		t.Errorf("one folder went: %+v", w)
	}
}

func BenchmarkScan(b *testing.B) {
	dir, paths := planned(b, 10000)
	at := func(b *testing.B, prepare func() *dirstore.Store) {
		for b.Loop() {
			b.StopTimer()
			s := prepare()
			b.StartTimer()
			if got, err := s.Scan(b.Context(), "ws"); err != nil || len(got.Records) != len(paths)+1 {
				b.Fatal(err)
			}
		}
	}
	s := settled(b, dir)
	b.Run("cold", func(b *testing.B) {
		at(b, func() *dirstore.Store {
			_ = os.RemoveAll(filepath.Join(dir, ".local"))
			dirstore.Forget(s)
			return s
		})
	})
	b.Run("cache", func(b *testing.B) {
		at(b, func() *dirstore.Store { dirstore.Forget(s); return s })
	})
	b.Run("warm", func(b *testing.B) {
		at(b, func() *dirstore.Store { return s })
	})
	b.Run("stat", func(b *testing.B) {
		for b.Loop() {
			for _, p := range paths {
				_, _ = os.Lstat(filepath.Dir(p))
				_, _ = os.Lstat(p)
			}
		}
	})
}
