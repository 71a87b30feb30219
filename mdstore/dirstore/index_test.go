package dirstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/storetest"
)

// later opens a vault as a process does that comes an hour after all files were changed, calls f and ends.
func later(t testing.TB, dir string, f func(s *dirstore.Store)) {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dirstore.Ahead(s, time.Hour)
	f(s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// indexed makes a vault of n nodes with a commit, and its index.
func indexed(t testing.TB, n int) (dir string, paths []string, index string) {
	t.Helper()
	dir, paths = planned(t, n)
	later(t, dir, func(s *dirstore.Store) {
		if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/note", New: []byte("so that there is a commit")}}); err != nil {
			t.Fatal(err)
		}
		skim(t, s, nil, false)
	})
	found, err := filepath.Glob(filepath.Join(dir, ".local", "index", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("indexes %q, error %v", found, err)
	}
	return dir, paths, found[0]
}

// What one process has found, the next one takes: it reads what has changed since, and with trust it looks at nothing else.
func TestTheIndexTellsTheNextProcess(t *testing.T) {
	const n = 300
	dir, paths, _ := indexed(t, n)
	want := func(what string, trusting bool, read, stamped int) {
		t.Helper()
		later(t, dir, func(s *dirstore.Store) {
			got := skim(t, s, nil, trusting)
			if w := got.Work; w.Read != read || w.Stamped > stamped || len(got.Nodes) != n || got.Unproven != trusting {
				t.Errorf("%s: %d nodes, unproven %v, %+v; %d are to be read, %d looked at", what, len(got.Nodes), got.Unproven, w, read, stamped)
			}
			if diff := storetest.DiffSkimmed(t.Context(), s, "ws", got); diff != "" && !trusting {
				t.Errorf("%s\n%s", what, diff)
			}
		})
	}
	want("nothing changed", false, 0, 2*n+1)
	want("nothing changed, with trust", true, 0, 1)
	write(t, paths[3], nodeText("node-x", "Saved by a person", "root"))
	want("one file changed", false, 1, 2*n+1)
	later(t, dir, func(s *dirstore.Store) {
		p := mdstore.Path("ws/nodes/" + filepath.Base(filepath.Dir(paths[5])) + "/Node.md")
		f, err := s.Read(t.Context(), p)
		if err == nil {
			_, err = s.Commit(t.Context(), []mdstore.Change{{Path: p, Base: f.Version, New: []byte(nodeText("y", "Committed", "root"))}})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	want("a commit, with trust", true, 1, 3)
	for _, p := range paths[10:60] {
		write(t, p, nodeText(filepath.Base(filepath.Dir(p)), "Another title", "root"))
	}
	want("many changed", false, 51, 2*n+1) // the one before has left what it found, but not what was committed since
	want("after they were read, it is written anew", false, 0, 2*n+1)
}

// The gists of nodes whose files are the same are kept, and those of no others.
func TestTheIndexKeepsGists(t *testing.T) {
	dir, paths, _ := indexed(t, 20)
	later(t, dir, func(s *dirstore.Store) {
		known := *skim(t, s, nil, false)
		known.Nodes = append([]mdstore.Node(nil), known.Nodes...)
		for i := range known.Nodes {
			known.Nodes[i].Gist = fmt.Sprint("gist ", i)
		}
		s.Keep(t.Context(), "ws", &known)
	})
	write(t, paths[4], nodeText("other", "Other", "root"))
	later(t, dir, func(s *dirstore.Store) {
		for i, n := range skim(t, s, nil, false).Nodes {
			if want := fmt.Sprint("gist ", i); i != 4 && n.Gist != want || i == 4 && n.Gist != "" {
				t.Errorf("%s: gist %q", n.Path, n.Gist)
			}
		}
	})
}

// What was kept later is not written over by what was kept before it.
func TestTheIndexIsOfWhatWasKeptLast(t *testing.T) {
	dir, _, index := indexed(t, 20)
	var known *mdstore.Skimmed
	later(t, dir, func(s *dirstore.Store) {
		let := dirstore.HoldIndex(s)
		for _, gist := range []string{"first", "second", "last"} {
			known = skim(t, s, known, false)
			known.Nodes = slices.Clone(known.Nodes)
			known.Nodes[7].Gist = gist
			s.Keep(t.Context(), "ws", known)
		}
		let()
	})
	text, err := os.ReadFile(index)
	if err != nil || !bytes.Contains(text, []byte("last")) || bytes.Contains(text, []byte("first")) || bytes.Contains(text, []byte("second")) {
		t.Errorf("the index is not of what was kept last; error %v", err)
	}
}

// Whatever becomes of the index, it costs time and never an answer.
func TestADamagedIndexIsNone(t *testing.T) {
	const n = 5
	dir, paths, index := indexed(t, n)
	later(t, dir, func(s *dirstore.Store) {
		known := *skim(t, s, nil, false)
		known.Nodes = append([]mdstore.Node(nil), known.Nodes...)
		known.Nodes[1].Gist = "what its body says"
		s.Keep(t.Context(), "ws", &known)
	})
	old, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	dirstore.Ahead(s, time.Hour)
	right := func(what string, data []byte, damaged bool) {
		t.Helper()
		for _, trusting := range []bool{false, true} {
			if err := os.WriteFile(index, data, 0o644); err != nil {
				t.Fatal(err)
			}
			if known := dirstore.HasIndex(s, "ws"); known == damaged {
				t.Fatalf("%s: read: %v", what, known)
			}
			got := skim(t, s, nil, trusting)
			dirstore.AwaitIndex(s) // that is written in its place
			if diff := storetest.DiffSkimmed(t.Context(), s, "ws", got); diff != "" || damaged && got.Work.Read != n {
				t.Fatalf("%s, trusting %v, %+v\n%s", what, trusting, got.Work, diff)
			}
		}
	}
	right("as it was written", old, false)
	step := 17
	if heavy {
		step = 1
	}
	for i := 0; i < len(old); i += step {
		data := bytes.Clone(old)
		data[i] ^= byte(1 + i%255)
		right(fmt.Sprintf("byte %d of %d", i, len(old)), data, true)
	}
	for i := 0; i < len(old); i += step {
		right(fmt.Sprintf("cut at %d of %d", i, len(old)), old[:i], true)
	}
	right("longer", append(bytes.Clone(old), 0), true)
	right("twice", append(bytes.Clone(old), old...), true)
	f, err := s.Read(t.Context(), "ws/nodes/"+mdstore.Path(filepath.Base(filepath.Dir(paths[2])))+"/Node.md")
	if err == nil {
		_, err = s.Commit(t.Context(), []mdstore.Change{{Path: f.Path, Base: f.Version, New: []byte(nodeText("new", "Newer", "root"))}, {Path: "ws/nodes/added/Node.md", New: []byte(nodeText("added", "Added", "root"))}})
	}
	if err != nil {
		t.Fatal(err)
	}
	right("an older one", old, false)
	if dirstore.HasIndex(s, "other") {
		t.Error("there is an index of another workspace")
	}
	other := filepath.Join(dir, ".local", "index", filepath.Base(dirstore.IndexPath(s, "other")))
	if err := os.WriteFile(other, old, 0o644); err != nil {
		t.Fatal(err)
	}
	if dirstore.HasIndex(s, "other") {
		t.Error("the index of another workspace was taken")
	}
}

// What was found wrong is left to the next process as well: it would trust what was there before.
func TestTheIndexTellsWhereToLook(t *testing.T) {
	dir, paths, _ := indexed(t, 20)
	twin := filepath.Join(filepath.Dir(paths[3]), "sub", mdstore.NodeFile)
	write(t, twin, "---\nid: [\n---\n")
	for _, path := range []string{twin, paths[5]} {
		write(t, path, "---\nid: [\n---\n")
		later(t, dir, func(s *dirstore.Store) { skim(t, s, nil, false) })
		later(t, dir, func(s *dirstore.Store) {
			read := map[string]bool{}
			for _, n := range skim(t, s, nil, true).Nodes {
				read[filepath.Join(dir, filepath.FromSlash(string(n.Path)))] = len(n.Problems) > 0
			}
			if !read[path] {
				t.Errorf("who trusts the index sees nothing wrong with %s", path)
			}
		})
	}
}

// A folder in the place of the index costs one reading, and is put beside it with what is in it.
func TestAFolderIsPutOutOfTheIndexsWay(t *testing.T) {
	dir, _, index := indexed(t, 20)
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(index, "mine"), "something")
	later(t, dir, func(s *dirstore.Store) { skim(t, s, nil, false) })
	later(t, dir, func(s *dirstore.Store) {
		if got := skim(t, s, nil, false); got.Work.Read > 0 {
			t.Errorf("%d files are read again", got.Work.Read)
		}
	})
	found, _ := filepath.Glob(index + "-*/mine")
	if len(found) != 1 {
		t.Errorf("what lay in the folder is in %q", found)
	}
}

// The index is written through no link and nowhere but in a .local/ that is there, and is gone with it.
func TestTheIndexIsNeverInTheWay(t *testing.T) {
	dir, _, index := indexed(t, 20)
	local := filepath.Join(dir, ".local")
	left := filepath.Join(local, "index", "left-by-somebody-who-died")
	write(t, left, "half an index")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	later(t, dir, func(s *dirstore.Store) { skim(t, s, nil, false) })
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was left is still there: %v", err)
	}
	if err := os.RemoveAll(local); err != nil {
		t.Fatal(err)
	}
	later(t, dir, func(s *dirstore.Store) { skim(t, s, nil, true) })
	if _, err := os.Lstat(local); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("skimming made .local/: %v", err)
	}
	outside := t.TempDir()
	for _, link := range []string{local, filepath.Join(local, "index")} {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, link); err != nil {
			t.Skip("no links here: ", err)
		}
		later(t, dir, func(s *dirstore.Store) { skim(t, s, nil, false) })
		if found, _ := os.ReadDir(outside); len(found) > 0 {
			t.Errorf("an index was written through the link %s", link)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}
