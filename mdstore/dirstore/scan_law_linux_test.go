package dirstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/storetest"
)

// A world is a workspace that is changed in every way.
type world struct {
	*rapid.T
	dir string // the workspace's folder
}

// ctimeOf returns the ctime of a file or folder; 0 if there is none.
func ctimeOf(p string) int64 {
	fi, err := os.Lstat(p)
	if err != nil {
		return 0
	}
	return fi.Sys().(*syscall.Stat_t).Ctim.Nano()
}

// alter changes the entry at p, and waits for a tick of the system's clock, as the world is scanned as if an hour had
// passed.
func (w *world) alter(p string, f func() error) {
	was, above := ctimeOf(p), ctimeOf(filepath.Dir(p))
	if f() != nil {
		return // an entry of another kind has the name
	}
	tick := func(p string, was int64) {
		for was != 0 && ctimeOf(p) == was {
			fi, err := os.Lstat(p)
			if err != nil || fi.Mode()&os.ModeSymlink != 0 || os.Chmod(p, fi.Mode()) != nil {
				return
			}
		}
	}
	tick(p, was)
	tick(filepath.Dir(p), above)
}

var (
	lawRoots   = []string{"nodes", "nodes", "nodes", "memory", "states"}
	lawNames   = []string{"a", "a-b", "b", "group", "odd name ü", ".hidden", "Node.md", "node.md", "x.md", "z\tz"}
	lawTargets = []string{"a", "../a", "nowhere", "..", "Node.md", "/nowhere", "a/Node.md"}
)

// path returns a path of a folder or file at any depth.
func (w *world) path() string {
	p := filepath.Join(w.dir, rapid.SampledFrom(lawRoots).Draw(w.T, "root"))
	for range rapid.SampledFrom([]int{0, 1, 1, 1, 1, 2, 2, 3}).Draw(w.T, "depth") {
		p = filepath.Join(p, rapid.SampledFrom(lawNames).Draw(w.T, "name"))
	}
	return p
}

// inside reports whether a path leads through no link, so that the world changes nothing outside of its folder.
func (w *world) inside(p string) bool {
	for d := filepath.Dir(p); len(d) >= len(w.dir); d = filepath.Dir(d) {
		if fi, err := os.Lstat(d); err == nil && !fi.IsDir() {
			return false
		}
	}
	fi, err := os.Lstat(p)
	return err != nil || fi.IsDir()
}

func (w *world) text() string {
	switch rapid.IntRange(0, 9).Draw(w.T, "text") {
	case 0:
		return ""
	case 1:
		return "no front matter"
	case 2:
		return "---\nid: x\ntype: odd\n---\n"
	case 3:
		return nodeText("large", "Large", "root") + strings.Repeat("a line of text\n", 5000)
	}
	return fmt.Sprintf("---\nid: n%d\ntitle: Title %d\ntype: execution\nstatus: pending\nparentId: root\n---\n",
		rapid.IntRange(0, 9).Draw(w.T, "id"), rapid.IntRange(0, 99).Draw(w.T, "title"))
}

// step makes one random change.
func (w *world) step() {
	p := w.path()
	if !w.inside(p) {
		return
	}
	file := filepath.Join(p, rapid.SampledFrom([]string{"Node.md", "Node.md", "x.md"}).Draw(w.T, "file"))
	switch rapid.IntRange(0, 15).Draw(w.T, "what") {
	case 0, 1, 2, 3, 4:
		w.alter(filepath.Dir(p), func() error { return os.MkdirAll(p, 0o755) })
		text := w.text()
		w.alter(file, func() error {
			if fi, err := os.Lstat(file); err == nil && !fi.Mode().IsRegular() {
				return os.Remove(file) // opening a pipe would wait for a reader
			}
			return os.WriteFile(file, []byte(text), 0o644)
		})
	case 5:
		w.alter(filepath.Dir(p), func() error { return os.MkdirAll(p, 0o755) })
	case 6:
		w.alter(p, func() error { return os.RemoveAll(p) })
	case 7:
		w.alter(file, func() error { return os.Remove(file) })
	case 8, 9:
		to, at := rapid.SampledFrom(lawTargets).Draw(w.T, "target"), rapid.SampledFrom([]string{p, file}).Draw(w.T, "at")
		w.alter(at, func() error { _ = os.Remove(at); return os.Symlink(to, at) })
	case 10:
		w.alter(file, func() error { return unix.Mkfifo(file, 0o644) })
	case 11: // move, with everything in it
		to := w.path()
		if !w.inside(to) {
			return
		}
		w.alter(to, func() error {
			above := ctimeOf(filepath.Dir(p))
			err := os.Rename(p, to)
			for err == nil && ctimeOf(filepath.Dir(p)) == above && os.Chmod(filepath.Dir(p), 0o755) == nil {
			}
			return err
		})
	case 12: // write in place, same size, mtime set back
		fi, err := os.Lstat(file)
		if err != nil || !fi.Mode().IsRegular() {
			return
		}
		w.alter(file, func() error {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text := strings.NewReplacer("Title 1", "Title 2", "pending", "failed\n", "id: n", "id: m").Replace(string(data))
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return err
			}
			return os.Chtimes(file, fi.ModTime(), fi.ModTime())
		})
	case 13:
		mode := rapid.SampledFrom([]os.FileMode{0o755, 0o711, 0o000, 0o700, 0o644}).Draw(w.T, "mode")
		if fi, err := os.Lstat(p); err == nil && fi.Mode()&os.ModeSymlink == 0 {
			w.alter(p, func() error { return os.Chmod(p, mode) })
		}
	case 14:
		when := time.Unix(int64(rapid.SampledFrom([]int{0, 1, 1 << 30, 1 << 33}).Draw(w.T, "time")), 0)
		w.alter(file, func() error { return os.Chtimes(file, when, when) })
	case 15: // swap two names
		there, _ := os.ReadDir(filepath.Join(w.dir, "nodes"))
		if len(there) == 0 {
			return
		}
		one := filepath.Join(w.dir, "nodes", rapid.SampledFrom(there).Draw(w.T, "one").Name())
		other := filepath.Join(w.dir, "nodes", rapid.SampledFrom(there).Draw(w.T, "other").Name())
		w.alter(one, func() error { return unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE) })
	}
}

// For any workspace and any changes of it, a scan equals what is listed and read: without any memory, with that of the
// store, or with the cache, and for old and just changed files.
func TestAScanIsWhatIsListedAndRead(t *testing.T) {
	proven := 0
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "scan")
		if err != nil {
			rt.Fatal(err)
		}
		rt.Cleanup(func() { os.RemoveAll(dir) })
		w := &world{rt, filepath.Join(dir, "ws")}
		for _, d := range []string{".local", "ws/nodes"} {
			if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
				rt.Fatal(err)
			}
		}
		opened := func() *dirstore.Store {
			s, err := dirstore.Open(dir, dirstore.Options{Kinds: kinds})
			if err != nil {
				rt.Fatal(err)
			}
			rt.Cleanup(func() { s.Close() })
			return s
		}
		remembers, forgets, young := opened(), opened(), opened()
		dirstore.Ahead(remembers, time.Hour)
		dirstore.Ahead(forgets, time.Hour)
		for range rapid.IntRange(1, 4).Draw(rt, "looks") {
			for range rapid.IntRange(0, 8).Draw(rt, "steps") {
				w.step()
			}
			dirstore.Forget(forgets)
			for name, s := range map[string]*dirstore.Store{"remembers": remembers, "forgets": forgets, "young": young} {
				got, err := s.Scan(t.Context(), mdstore.Path("ws"))
				if err != nil {
					rt.Fatal(err)
				}
				if diff := storetest.DiffScan(t.Context(), s, kinds, "ws", got); diff != "" {
					rt.Fatalf("%s: %s", name, diff)
				}
				if s != young && got.Work.Read < len(got.Records) {
					proven++
				}
			}
		}
	})
	if proven == 0 {
		t.Error("no file was ever proven by what was known")
	}
}
