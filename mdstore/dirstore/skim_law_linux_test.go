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

// ctimeOf returns when anything of a file or folder changed, by the system's clock; 0 where there is none.
func ctimeOf(p string) int64 {
	fi, err := os.Lstat(p)
	if err != nil {
		return 0
	}
	return fi.Sys().(*syscall.Stat_t).Ctim.Nano()
}

// A world is the nodes of a workspace that people change in every way.
type world struct {
	*rapid.T
	dir string // nodes/
}

// alter changes what is at p, so that the system's clock has ticked: a vault is skimmed here as if nobody had touched it for an hour.
func (w *world) alter(p string, f func() error) {
	was, above := ctimeOf(p), ctimeOf(filepath.Dir(p))
	if f() != nil {
		return // another kind of thing has the name
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
	lawNames   = []string{"a", "a-b", "b", "group", "odd name ü", ".hidden", "Node.md", "node.md", "z\tz"}
	lawTargets = []string{"a", "../a", "nowhere", "..", "Node.md", "/nowhere", "a/Node.md"}
)

func (w *world) path() string {
	p := w.dir
	for range rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3}).Draw(w.T, "depth") {
		p = filepath.Join(p, rapid.SampledFrom(lawNames).Draw(w.T, "name"))
	}
	return p
}

// inside reports whether a path leads through no link: the world changes nothing outside of its folder.
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
	return fmt.Sprintf("---\nid: n%d\ntitle: Title %d\ntype: execution\nstatus: pending\nparentId: root\n---\n", rapid.IntRange(0, 9).Draw(w.T, "id"), rapid.IntRange(0, 99).Draw(w.T, "title"))
}

// step changes something.
func (w *world) step() {
	p := w.path()
	if !w.inside(p) {
		return
	}
	node := filepath.Join(p, "Node.md")
	switch what := rapid.IntRange(0, 15).Draw(w.T, "what"); what {
	case 0, 1, 2, 3, 4, 5:
		w.alter(filepath.Dir(p), func() error { return os.MkdirAll(p, 0o755) })
		text := w.text()
		w.alter(node, func() error {
			if fi, err := os.Lstat(node); err == nil && !fi.Mode().IsRegular() {
				return os.Remove(node) // a pipe would wait for somebody to read it
			}
			return os.WriteFile(node, []byte(text), 0o644)
		})
	case 6:
		w.alter(filepath.Dir(p), func() error { return os.MkdirAll(filepath.Dir(p), 0o755) })
		w.alter(p, func() error { return os.Mkdir(p, 0o755) })
	case 7:
		w.alter(p, func() error { return os.RemoveAll(p) })
	case 8:
		w.alter(node, func() error { return os.Remove(node) })
	case 9:
		to := rapid.SampledFrom(lawTargets).Draw(w.T, "target")
		w.alter(p, func() error { return os.Symlink(to, p) })
	case 10:
		to := rapid.SampledFrom(lawTargets).Draw(w.T, "target")
		w.alter(node, func() error { _ = os.Remove(node); return os.Symlink(to, node) })
	case 11:
		w.alter(node, func() error { return unix.Mkfifo(node, 0o644) })
	case 12:
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
	case 13: // in place, of the same size, and the time set back
		fi, err := os.Lstat(node)
		if err != nil || !fi.Mode().IsRegular() {
			return
		}
		w.alter(node, func() error {
			data, err := os.ReadFile(node)
			if err != nil {
				return err
			}
			text := strings.NewReplacer("Title 1", "Title 2", "pending", "failed\n", "id: n", "id: m").Replace(string(data))
			if err := os.WriteFile(node, []byte(text), 0o644); err != nil {
				return err
			}
			return os.Chtimes(node, fi.ModTime(), fi.ModTime())
		})
	case 14:
		mode := rapid.SampledFrom([]os.FileMode{0o755, 0o711, 0o000, 0o700, 0o644}).Draw(w.T, "mode")
		if fi, err := os.Lstat(p); err == nil && fi.Mode()&os.ModeSymlink == 0 {
			w.alter(p, func() error { return os.Chmod(p, mode) })
		}
	case 15:
		when := time.Unix(int64(rapid.SampledFrom([]int{0, 1, 1 << 30, 1 << 33}).Draw(w.T, "time")), 0)
		w.alter(node, func() error { return os.Chtimes(node, when, when) })
	}
}

// Whatever lies in a workspace, and whatever becomes of it, what is skimmed is what is listed: by every way of looking, and whatever is known.
func TestSkimIsList(t *testing.T) {
	ways := map[string]func(*dirstore.Store){
		"at a glance": func(s *dirstore.Store) { dirstore.Ahead(s, time.Hour) },
		"plainly":     func(s *dirstore.Store) { dirstore.Ahead(s, time.Hour); dirstore.Plainly(s) },
		"uncounted":   func(s *dirstore.Store) { dirstore.Ahead(s, time.Hour); dirstore.Uncounted(s) },
		"waiting":     func(s *dirstore.Store) { dirstore.Ahead(s, time.Hour); dirstore.Waiting(s) },
		"just now":    func(s *dirstore.Store) {},
	}
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "skim")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		w := &world{rt, filepath.Join(dir, "ws", "nodes")}
		if err := os.MkdirAll(w.dir, 0o755); err != nil {
			rt.Fatal(err)
		}
		if rapid.Bool().Draw(rt, "with an index") {
			if err := os.Mkdir(filepath.Join(dir, ".local"), 0o755); err != nil {
				rt.Fatal(err)
			}
		}
		stores, known := map[string]*dirstore.Store{}, map[string]*mdstore.Skimmed{}
		for name, set := range ways {
			s, err := dirstore.Open(dir, dirstore.Options{})
			if err != nil {
				rt.Fatal(err)
			}
			defer s.Close()
			set(s)
			stores[name] = s
		}
		for range rapid.IntRange(1, 4).Draw(rt, "looks") {
			for range rapid.IntRange(0, 6).Draw(rt, "steps") {
				w.step()
			}
			for name, s := range stores {
				for _, k := range []*mdstore.Skimmed{nil, known[name]} {
					got, err := s.Skim(t.Context(), "ws", k, false)
					if err != nil {
						rt.Fatal(err)
					}
					dirstore.AwaitIndex(s)
					if diff := storetest.DiffSkimmed(t.Context(), s, "ws", got); diff != "" {
						rt.Fatalf("%s, known: %v\n%s", name, k != nil, diff)
					}
					if k != nil && got.Work.Read < len(got.Nodes) {
						taken++
					}
					known[name] = got
				}
			}
		}
	})
	if taken == 0 {
		t.Error("nothing was ever taken from what is known")
	}
}
