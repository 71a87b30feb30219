package dirstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	switch what := rapid.IntRange(0, 16).Draw(w.T, "what"); what {
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
	case 16: // two change their names
		there, _ := os.ReadDir(w.dir)
		if len(there) == 0 {
			return
		}
		one, other := rapid.SampledFrom(there).Draw(w.T, "one").Name(), rapid.SampledFrom(there).Draw(w.T, "other").Name()
		w.alter(filepath.Join(w.dir, one), func() error {
			return unix.Renameat2(unix.AT_FDCWD, filepath.Join(w.dir, one), unix.AT_FDCWD, filepath.Join(w.dir, other), unix.RENAME_EXCHANGE)
		})
	}
}

// lawWays are the ways of looking.
var lawWays = map[string]func(*dirstore.Store){
	"at a glance": func(s *dirstore.Store) { dirstore.Ahead(s, time.Hour) },
	"plainly":     func(s *dirstore.Store) { dirstore.Ahead(s, time.Hour); dirstore.Plainly(s) },
	"uncounted":   func(s *dirstore.Store) { dirstore.Ahead(s, time.Hour); dirstore.Uncounted(s) },
	"waiting":     func(s *dirstore.Store) { dirstore.Ahead(s, time.Hour); dirstore.Waiting(s) },
	"just now":    func(s *dirstore.Store) {},
}

// begin makes a world, and a store for each way of looking at it.
func begin(rt *rapid.T) (*world, map[string]*dirstore.Store) {
	dir, err := os.MkdirTemp("", "skim")
	if err != nil {
		rt.Fatal(err)
	}
	rt.Cleanup(func() { os.RemoveAll(dir) })
	w := &world{rt, filepath.Join(dir, "ws", "nodes")}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		rt.Fatal(err)
	}
	if rapid.Bool().Draw(rt, "with an index") {
		if err := os.Mkdir(filepath.Join(dir, ".local"), 0o755); err != nil {
			rt.Fatal(err)
		}
	}
	stores := map[string]*dirstore.Store{}
	for name, set := range lawWays {
		s, err := dirstore.Open(dir, dirstore.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		rt.Cleanup(func() { s.Close() })
		set(s)
		stores[name] = s
	}
	return w, stores
}

// Whatever lies in a workspace, and whatever becomes of it, what is skimmed is what is listed: by every way of looking, and whatever is known.
func TestSkimIsList(t *testing.T) {
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		w, stores := begin(rt)
		known := map[string]*mdstore.Skimmed{}
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

// A lawPart is what lies at one name right below nodes/, or beside it.
type lawPart struct {
	inode  uint64
	folder bool
	says   string // all that is told of what is in it
	odd    bool   // some of that has a problem, or cannot be read
}

// parts returns what is told of a workspace, by names.
func (w *world) parts(nodes []*mdstore.Node, broken []mdstore.Path) map[string]lawPart {
	out := map[string]lawPart{}
	entries, _ := os.ReadDir(w.dir)
	for _, e := range entries {
		if fi, err := e.Info(); err == nil {
			out[e.Name()] = lawPart{inode: fi.Sys().(*syscall.Stat_t).Ino, folder: fi.IsDir()}
		}
	}
	tell := func(at mdstore.Path, says string, odd bool) {
		name, in := strings.CutPrefix(string(at), "ws/nodes/")
		if in {
			name, _, _ = strings.Cut(name, "/")
		}
		p := out[name]
		p.says, p.odd = p.says+string(at)+": "+says+"\n", p.odd || odd
		out[name] = p
	}
	for _, n := range nodes {
		tell(n.Path, fmt.Sprintf("%q %q %q %q %q %q %v", n.ID, n.Parent, n.Type, n.Status, n.Role, n.Title, n.Problems), len(n.Problems) > 0)
	}
	for _, p := range broken {
		tell(p, "broken", true)
	}
	return out
}

func (w *world) listed(ctx context.Context, s *dirstore.Store) map[string]lawPart {
	var nodes []*mdstore.Node
	var broken []mdstore.Path
	for f, err := range s.List(ctx, "ws") {
		switch {
		case err != nil:
			broken = append(broken, f.Path)
		case f.Path != mdstore.WorkspacePath("ws"):
			nodes = append(nodes, mdstore.ParseNode(f))
		}
	}
	return w.parts(nodes, broken)
}

func (w *world) skimmed(got *mdstore.Skimmed) map[string]lawPart {
	var nodes []*mdstore.Node
	var broken []mdstore.Path
	for i := range got.Nodes {
		nodes = append(nodes, &got.Nodes[i])
	}
	for _, b := range got.Broken {
		broken = append(broken, b.Path)
	}
	return w.parts(nodes, broken)
}

// lost returns a folder with nodes that was there and is nowhere right below nodes/ now; "" for none.
func lost(was, is map[string]lawPart) string {
	there := map[uint64]bool{}
	for _, p := range is {
		there[p.inode] = true
	}
	for name, p := range was {
		if p.folder && p.says != "" && !there[p.inode] {
			return name
		}
	}
	return ""
}

// Who trusts what was found before is told, of each folder right below nodes/, what is in it or what was in it when somebody looked, and that only where all of it was
// sound. What came or went right below nodes/ shows; and where a folder went that is not there by another name, everything is looked at.
func TestTrustingSkimIsListButInsideOfFolders(t *testing.T) {
	trusted, stale := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		w, stores := begin(rt)
		known := map[string]*mdstore.Skimmed{}
		var looks []map[string]lawPart
		for range rapid.IntRange(2, 4).Draw(rt, "looks") {
			for range rapid.IntRange(0, 4).Draw(rt, "steps") {
				w.step()
			}
			is := w.listed(t.Context(), stores["just now"])
			told := func(name string, got lawPart) bool { // before, of the same folder
				return slices.ContainsFunc(looks, func(was map[string]lawPart) bool {
					p := was[name]
					return p.folder && !p.odd && p.inode == is[name].inode && p.says == got.says
				})
			}
			for way, s := range stores {
				for _, k := range []*mdstore.Skimmed{nil, known[way]} {
					got, err := s.Skim(t.Context(), "ws", k, true)
					if err != nil {
						rt.Fatal(err)
					}
					dirstore.AwaitIndex(s)
					if !got.Unproven {
						if diff := storetest.DiffSkimmed(t.Context(), s, "ws", got); diff != "" {
							rt.Fatalf("%s, known: %v, all was looked at\n%s", way, k != nil, diff)
						}
						continue
					}
					trusted++
					if k != nil {
						if gone := lost(looks[len(looks)-1], is); gone != "" {
							rt.Fatalf("%s: %s is gone, and not everything was looked at", way, gone)
						}
					}
					tells := w.skimmed(got)
					for name := range is {
						if _, told := tells[name]; !told {
							tells[name] = lawPart{}
						}
					}
					for name, p := range tells {
						if p.says == is[name].says {
							continue
						}
						if stale++; !told(name, p) {
							rt.Fatalf("%s, known: %v: of %s it is told\n%swant\n%s", way, k != nil, name, p.says, is[name].says)
						}
					}
				}
			}
			for way, s := range stores {
				var err error
				if known[way], err = s.Skim(t.Context(), "ws", known[way], false); err != nil {
					rt.Fatal(err)
				}
				dirstore.AwaitIndex(s)
			}
			looks = append(looks, is)
		}
	})
	if trusted == 0 || stale == 0 {
		t.Errorf("%d results were trusted, and %d parts of them were of before: they show nothing", trusted, stale)
	}
}
