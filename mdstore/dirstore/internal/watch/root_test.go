package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// fates are what may happen to the root or to a folder above it.
var fates = []struct {
	name      string
	go_, come func(w *world, root string)
}{
	{"moved away and back",
		func(w *world, root string) { w.must(os.Rename(root, root+"-away")) },
		func(w *world, root string) { w.must(os.Rename(root+"-away", root)) }},
	{"removed and made again",
		func(w *world, root string) { w.must(os.RemoveAll(root)) },
		func(w *world, root string) { w.write("x/y", "new") }},
	{"moved away, another in its place",
		func(w *world, root string) {
			w.must(os.RemoveAll(root + "-away"))
			w.must(os.Rename(root, root+"-away"))
		},
		func(w *world, root string) { w.write("x/y", "another") }},
	{"a folder above it moved away and back",
		func(w *world, root string) { w.must(os.Rename(filepath.Dir(root), filepath.Dir(root)+"-away")) },
		func(w *world, root string) { w.must(os.Rename(filepath.Dir(root)+"-away", filepath.Dir(root))) }},
	{"a file in its place for a time",
		func(w *world, root string) { w.must(os.RemoveAll(root)); w.must(os.WriteFile(root, nil, 0o644)) },
		func(w *world, root string) { w.must(os.Remove(root)); w.write("x/y", "new") }},
}

func TestRescanWhenTheRootGoesAndWhenItComes(t *testing.T) {
	both(t, func(t *testing.T, polling bool) {
		for _, fate := range fates {
			t.Run(fate.name, func(t *testing.T) {
				root := filepath.Join(t.TempDir(), "above", "root")
				made := &world{judge: t, root: root}
				made.write("a/b/c", "before")
				w := begin(t, root, polling)
				rescan := func(when string) {
					t.Helper()
					for !w.rescan {
						w.next("Rescan when the root " + when)
					}
					w.forget()
				}
				for range 2 {
					fate.go_(w, root)
					rescan("went")
					fate.come(w, root)
					rescan("came")
					w.probe()
				}
				fate.go_(w, root) // and Watch ends without a root
				rescan("went")
			})
		}
	})
}

func TestNothingIsMissedWhenTheRootIsReplacedAtOnce(t *testing.T) {
	both(t, func(t *testing.T, polling bool) {
		for _, fate := range fates {
			t.Run(fate.name, func(t *testing.T) {
				root := filepath.Join(t.TempDir(), "above", "root")
				made := &world{judge: t, root: root}
				made.write("a/b/c", "before")
				w := begin(t, root, polling)
				before := snapshot(root)
				fate.go_(w, root)
				fate.come(w, root)
				w.count++
				w.write("last", "")
				for !w.named["last"] && !w.rescan {
					w.next("last, or Rescan")
				}
				w.wants(w.differences("", before, snapshot(root)))
			})
		}
	})
}

func TestWatchFailsWithoutAFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	never := func(b Batch) { t.Errorf("was given %v", b) }
	both(t, func(t *testing.T, polling bool) {
		opt := quick(polling)
		opt.Ready = func(bool, error) { t.Error("Ready was called") }
		for _, c := range []struct {
			root string
			want error
		}{{filepath.Join(dir, "none"), fs.ErrNotExist}, {filepath.Join(file, "below"), syscall.ENOTDIR}, {file, syscall.ENOTDIR}} {
			if err := Watch(t.Context(), c.root, opt, never); !errors.Is(err, c.want) && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Watch(%s): %v, want %v", c.root, err, c.want)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := Watch(ctx, dir, opt, never); err != context.Canceled {
			t.Errorf("Watch with a context that has ended: %v, want %v", err, context.Canceled)
		}
	})
}
