package watch

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMain keeps rapid's files of failed cases out of the source tree, and runs fewer cases
// than its default, because each waits for the disk.
func TestMain(m *testing.M) {
	flag.Parse()
	settings := map[string]string{"rapid.nofailfile": "true"}
	if flag.Lookup("rapid.checks").Value.String() == "100" {
		settings["rapid.checks"] = "30"
	}
	for name, value := range settings {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}

// Every folder is watched afterwards.
func TestEveryDifferenceIsNamedAfterAnySequenceOfOperations(t *testing.T) {
	both(t, func(t *testing.T, polling bool) {
		if !polling {
			needEvents(t)
		}
		rapid.Check(t, func(t *rapid.T) {
			root, err := os.MkdirTemp("", "watch-law-")
			if err != nil {
				t.Fatal(err)
			}
			outside := root + "-outside"
			defer os.RemoveAll(root)
			defer os.RemoveAll(outside)
			made := &world{judge: t, root: root}
			made.must(os.Mkdir(outside, 0o755))
			serial := 0
			operate := func(label string) {
				for range rapid.IntRange(1, 12).Draw(t, label) {
					serial++
					made.operate(t, outside, serial)
				}
			}
			operate("before")
			w := launch(t, root, quick(polling), openSystem)
			defer w.close()
			operate("while it begins") // it need not name any of these
			w.last = w.awaitReady()
			if w.polling = w.last.polling; w.polling {
				w.sync() // or a new file may go before it is seen
			}
			for range rapid.IntRange(1, 4).Draw(t, "rounds") {
				w.forget()
				before := snapshot(root)
				operate("operations")
				after := snapshot(root)
				w.sync()
				w.wants(w.differences("", before, after))
			}
			w.probe()
		})
	})
}

// operate does one thing to a file. There are few names, so that operations meet.
func (w *world) operate(t *rapid.T, outside string, serial int) {
	name := func(label string) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3).Draw(t, label), "/")
	}
	text := fmt.Sprintf("%08d", serial) // always of the same size
	// clear removes files that are in the way of a file or folder.
	clear := func(p string) {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if info, err := os.Lstat(w.path(dir)); err == nil && !info.IsDir() {
				w.remove(dir)
			}
		}
		w.mkdir(path.Dir(p))
	}
	isDir := func(p string) bool { info, err := os.Lstat(w.path(p)); return err == nil && info.IsDir() }
	exists := func(p string) bool { _, err := os.Lstat(w.path(p)); return err == nil }
	p := name("path")
	op := rapid.SampledFrom([]string{"write", "write", "save", "backup", "delete", "mkdir", "tree", "rename", "rename", "archive", "out", "in", "link"}).Draw(t, "op")
	switch op {
	case "write": // create, or overwrite in place
		if clear(p); !isDir(p) {
			w.write(p, text)
		}
	case "save": // beside, and renamed over
		if clear(p); !isDir(p) {
			w.write(p+".tmp", text)
			w.rename(p+".tmp", p)
		}
	case "backup": // renamed, created again, the old one deleted
		if exists(p) && !isDir(p) {
			w.rename(p, p+"~")
			w.write(p, text)
			w.remove(p + "~")
		}
	case "delete":
		if exists(p) {
			w.remove(p)
		}
	case "mkdir":
		if clear(p); !exists(p) {
			w.mkdir(p)
		}
	case "tree": // folders with files, at once
		clear(p)
		w.remove(p)
		for _, sub := range []string{"a/a", "a/b", "b", "c/c/c"} {
			w.write(p+"/"+sub, text)
		}
	case "rename": // of a file or a folder, over a file or to a free name
		to := name("to")
		if exists(p) && !strings.HasPrefix(to+"/", p+"/") && !strings.HasPrefix(p+"/", to+"/") {
			if clear(to); exists(p) {
				w.remove(to)
				w.rename(p, to)
			}
		}
	case "archive": // into folders that are new
		if exists(p) {
			to := fmt.Sprintf("new%d/sub", serial)
			w.mkdir(to)
			w.rename(p, to+"/"+path.Base(p))
		}
	case "out":
		if exists(p) {
			w.must(os.Rename(w.path(p), fmt.Sprintf("%s/%d", outside, serial)))
		}
	case "in": // the oldest of those moved out, after a change there
		list, err := os.ReadDir(outside)
		w.must(err)
		if len(list) > 0 {
			at := outside + "/" + slices.MinFunc(list, func(a, b os.DirEntry) int { return len(a.Name()) - len(b.Name()) }).Name()
			_ = os.WriteFile(at+"/a", []byte(text), 0o644) // as it may still be watched by its old name
			if clear(p); true {
				w.remove(p)
				w.must(os.Rename(at, w.path(p)))
			}
		}
	case "link":
		if clear(p); !exists(p) {
			w.must(os.Symlink("nowhere", w.path(p)))
		}
	}
}
