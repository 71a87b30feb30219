package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// cached makes a vault of n nodes with its cache, and returns the path and the bytes of the cache file.
func cached(t testing.TB, n int) (dir string, paths []string, file string, data []byte) {
	t.Helper()
	dir, paths = planned(t, n)
	later(t, dir, func(s *dirstore.Store) { scan(t, s, "ws") })
	file = filepath.Join(dir, filepath.FromSlash(dirstore.CachePath("ws")))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return dir, paths, file, data
}

func TestEveryDamagedByteOfACacheIsNoticed(t *testing.T) {
	dir, _, file, data := cached(t, 1)
	s := settled(t, dir)
	damaged := func(what string, bytes []byte) {
		t.Helper()
		if err := os.WriteFile(file, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		dirstore.Forget(s)
		if got, err := s.Scan(t.Context(), "ws"); err != nil || got.Work.Read != 2 || got.Work.Written == 0 || len(got.Records) != 2 {
			t.Fatalf("%s: %+v, error %v; want all files read", what, got, err)
		}
	}
	for i := range data {
		bad := append([]byte{}, data...)
		bad[i] ^= 0x55
		damaged(fmt.Sprintf("byte %d of %d", i, len(data)), bad)
	}
	for n := range data {
		if n%7 == 0 {
			damaged(fmt.Sprintf("%d of %d bytes", n, len(data)), data[:n])
		}
	}
	damaged("a byte too many", append(append([]byte{}, data...), 0))
	for what, bytes := range dirstore.Contradictions(data) {
		damaged(what, bytes)
	}
	dirstore.Forget(s)
	if w := scan(t, s, "ws").Work; w.Read != 0 {
		t.Errorf("the cache that replaced the damaged one is not taken: %+v", w)
	}
}

func TestACacheOfOtherFilesIsIgnored(t *testing.T) {
	_, _, _, other := cached(t, 3)
	for name, theirs := range map[string][]byte{"another vault": other, "another program": []byte("SQLite format 3"), "nothing": nil} {
		dir, _, file, _ := cached(t, 3)
		if err := os.WriteFile(file, theirs, 0o600); err != nil {
			t.Fatal(err)
		}
		if w := scan(t, settled(t, dir), "ws").Work; w.Read != 4 {
			t.Errorf("of %s: %+v; want all files read", name, w)
		}
	}
	dir, _, file, mine := cached(t, 3)
	if err := os.Rename(filepath.Join(dir, "ws"), filepath.Join(dir, "ws2")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+"2", mine, 0o600); err != nil {
		t.Fatal(err)
	}
	s := settled(t, dir)
	if w := scan(t, s, "ws2").Work; w.Read != 4 {
		t.Errorf("of another workspace: %+v; want all files read", w)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the cache of a workspace that is gone stays: %v", err)
	}
}

// If something else is at the path of the cache, it is left alone, and nothing fails.
func TestWhatLiesInTheWayOfACacheStays(t *testing.T) {
	for name, put := range map[string]func(local string) error{
		"a file":   func(local string) error { return os.WriteFile(filepath.Join(local, "cache"), []byte("mine"), 0o644) },
		"a link":   func(local string) error { return os.Symlink(t.TempDir(), filepath.Join(local, "cache")) },
		"a folder": func(local string) error { return os.MkdirAll(filepath.Join(local, "cache", "ws", "mine"), 0o755) },
		"no permission": func(local string) error {
			return os.Mkdir(filepath.Join(local, "cache"), 0o555)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := planned(t, 2)
			local := filepath.Join(dir, ".local")
			if err := os.Mkdir(local, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := put(local); err != nil {
				t.Skip(err)
			}
			before := names(t, local)
			if name == "no permission" && os.Geteuid() == 0 {
				t.Skip("root may write everywhere")
			}
			s := settled(t, dir)
			scan(t, s, "ws")
			dirstore.Forget(s)
			scan(t, s, "ws")
			if after := names(t, local); after != before {
				t.Errorf("%s was there, and %s is", before, after)
			}
		})
	}
}

// names returns the names in a folder, at any depth and through links.
func names(t *testing.T, dir string) (out string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out += " " + e.Name()
		if sub := filepath.Join(dir, e.Name()); isFolder(sub) {
			out += " (" + names(t, sub) + " )"
		}
	}
	return out
}

func isFolder(p string) bool {
	fi, err := os.Stat(p)
	return err == nil && fi.IsDir()
}

// Scanning a folder writes nothing into it: a cache is written only if there is a .local/, or a .gitignore that ignores
// it.
func TestAScanWritesNothingIntoAVaultThatWasNeverWrittenTo(t *testing.T) {
	dir, _ := planned(t, 2)
	if err := os.Remove(filepath.Join(dir, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	if w := scan(t, settled(t, dir), "ws").Work; w.Written > 0 {
		t.Errorf("%+v", w)
	}
	if _, err := os.Lstat(filepath.Join(dir, ".local")); !os.IsNotExist(err) || fmt.Sprint(contents(t, dir)) != fmt.Sprint(before) {
		t.Errorf("something was written: %v", err)
	}
}

// A cache is written again when more than a twentieth of its entries are stale.
func TestACacheIsWrittenAgainWhenTooMuchOfItIsStale(t *testing.T) {
	dir, paths := planned(t, 60)
	s := settled(t, dir)
	scan(t, s, "ws")
	most := (2*len(paths) + 2) / 20 // each node has a folder and a file
	for i := range most {
		write(t, paths[i], nodeText(fmt.Sprint("n", i), "Changed", "root"))
	}
	if w := scan(t, s, "ws").Work; w.Read != most || w.Written > 0 {
		t.Errorf("%d changed: %+v", most, w)
	}
	write(t, paths[most], nodeText("one-more", "Changed", "root"))
	if w := scan(t, s, "ws").Work; w.Read != 1 || w.Written == 0 {
		t.Errorf("one more changed: %+v", w)
	}
	dirstore.Forget(s)
	if w := scan(t, s, "ws").Work; w.Read > 0 {
		t.Errorf("the cache is not of the last scan: %+v", w)
	}
}

// A file or folder that changed just now may change again with the same stamp.
func TestWhatChangedJustNowIsLookedAtAgain(t *testing.T) {
	dir, paths := planned(t, 3)
	s := open(t, dir)
	old := time.Now().Add(-time.Hour)
	scan(t, s, "ws")
	for _, title := range []string{"The title of node A", "The title of node B"} { // titles of the same length
		write(t, paths[0], nodeText("node-a", title, "root"))
		if err := os.Chtimes(paths[0], old, old); err != nil { // programs can set mtime, not ctime
			t.Fatal(err)
		}
		got := scan(t, s, "ws")
		if w := got.Work; w.Read != 4 || w.Listed != 4 || w.Written > 0 || got.Records[1].Node().Title != title {
			t.Errorf("%+v, title %q", w, got.Records[1].Node().Title)
		}
	}
}

// Times in the future prove nothing: the clock was set back, or is that of another machine.
func TestStampsOfTimesToComeProveNothing(t *testing.T) {
	dir, _, _, _ := cached(t, 3)
	s := open(t, dir)
	dirstore.Ahead(s, -time.Hour)
	for range 2 {
		if w := scan(t, s, "ws").Work; w.Read != 4 || w.Written > 0 {
			t.Errorf("%+v", w)
		}
	}
}

// A countdown is a context that ends after a number of checks.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestAScanGoesOnWithWhatOneThatWasCutShortHasFound(t *testing.T) {
	dir, _ := planned(t, 200)
	s := settled(t, dir)
	for n := int64(0); ; n += 50 {
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(n)
		if _, err := s.Scan(ctx, "ws"); err == nil {
			break
		} else if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	scan(t, s, "ws")
}

// The cost of a scan of one workspace does not depend on the number of other workspaces.
func TestAScanOfOneWorkspaceCostsNothingOfOthers(t *testing.T) {
	files := map[string]string{".gitignore": ".local/\n"}
	const n = 300
	for i := range n {
		ws := fmt.Sprintf("ws-%04d", i)
		files[ws+"/Workspace.md"] = "---\nid: " + ws + "\n---\n"
		files[ws+"/nodes/root/Node.md"] = nodeText("root", "Root", "")
	}
	files["archive/old/Workspace.md"] = "---\nid: old\n---\n"
	dir := fill(t, files)
	s := settled(t, dir)
	first := scan(t, s, "ws-0000").Work
	for i := range n {
		if got, err := s.Scan(t.Context(), mdstore.Path(fmt.Sprintf("ws-%04d", i))); err != nil || len(got.Records) != 2 {
			t.Fatalf("%+v, error %v", got, err)
		}
	}
	scan(t, s, "archive/old")
	if got := scan(t, settled(t, dir), "ws-0299").Work; got != (mdstore.Work{Stamped: 8}) {
		t.Errorf("%+v for the last of %d workspaces, and %+v for the first one at first", got, n, first)
	}
	if first.Stamped != 8 || first.Read != 2 {
		t.Errorf("the first scan: %+v", first)
	}
	caches, err := os.ReadDir(filepath.Join(dir, ".local", "cache"))
	if err != nil || len(caches) != n+1 {
		t.Errorf("%d caches, error %v", len(caches), err)
	}
	if got := scan(t, settled(t, dir), "archive/old").Work; got.Read > 0 {
		t.Errorf("an archived workspace: %+v", got)
	}
}

// Empty files are listed, and a file that has grown is read.
func TestEmptyFilesAreScanned(t *testing.T) {
	dir, paths, _, _ := cached(t, 3)
	s := settled(t, dir)
	for _, text := range []string{"", nodeText("a", "A", "root"), ""} {
		write(t, paths[1], text)
		scan(t, s, "ws")
		dirstore.Forget(s)
		scan(t, s, "ws")
	}
}
