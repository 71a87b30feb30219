package dirstore_test

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/storetest"
)

// Each file is read once, and again when it has changed: no other.
func TestSkimmingReadsWhatChanged(t *testing.T) {
	const n = 300
	dir, paths := planned(t, n)
	s := open(t, dir)
	dirstore.Ahead(s, time.Hour)
	first := skim(t, s, nil, false)
	if first.Work.Read != n || len(first.Nodes) != n {
		t.Errorf("%d nodes, %+v", len(first.Nodes), first.Work)
	}
	again := skim(t, s, first, false)
	if w := again.Work; w.Read != 0 || w.Listed != 0 || w.Stamped > 2*n+1 || len(again.Nodes) != n {
		t.Errorf("nothing changed: %d nodes, %+v", len(again.Nodes), w)
	}
	write(t, paths[7], nodeText("node-x", "Changed", "root"))
	changed := skim(t, s, again, false)
	if w := changed.Work; w.Read != 1 || w.Listed != 0 {
		t.Errorf("one file changed: %+v", w)
	}
	if diff := storetest.DiffSkimmed(t.Context(), s, "ws", changed); diff != "" {
		t.Error(diff)
	}
}

// A file that was changed just now may be changed again without a trace: it is read each time, and has a version to tell it apart by.
func TestFilesThatWereChangedJustNowAreReadAgain(t *testing.T) {
	dir, paths := planned(t, 3)
	s := open(t, dir)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(paths[0], old, old); err != nil { // which no program can do to the time of the change itself
		t.Fatal(err)
	}
	first := skim(t, s, nil, false)
	again := skim(t, s, first, false)
	if again.Work.Read != 3 {
		t.Errorf("%+v", again.Work)
	}
	for _, n := range again.Nodes {
		if f, err := s.Read(t.Context(), n.Path); err != nil || n.Version() != f.Version || n.Stamp.Firm {
			t.Errorf("%s: version %s, stamp %+v, error %v", n.Path, n.Version(), n.Stamp, err)
		}
	}
	dirstore.Ahead(s, -time.Hour) // files of times to come
	if skim(t, s, nil, false); skim(t, s, again, false).Work.Read != 3 {
		t.Error("stamps of times to come are trusted")
	}
}

// With trust, only what was committed, came or went is looked at, however many nodes there are.
func TestTrustingLooksAtWhatWasCommitted(t *testing.T) {
	const n = 300
	dir, paths := planned(t, n)
	s := open(t, dir)
	dirstore.Ahead(s, time.Hour)
	commit := func(p mdstore.Path, text string) {
		t.Helper()
		f, _ := s.Read(t.Context(), p)
		if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: p, Base: f.Version, New: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	commit("ws/note", "the first commit")
	known := skim(t, s, nil, false)
	if known.Unproven {
		t.Error("what was looked at is unproven")
	}
	id := known.Nodes[5].ID
	commit(known.Nodes[5].Path, nodeText(string(id), "Committed", "root"))
	write(t, paths[9], nodeText("node-x", "Saved by a person", "root"))
	trusting := skim(t, s, known, true)
	if w := trusting.Work; !trusting.Unproven || w.Stamped > 4 || w.Read != 1 || w.Listed > 0 || len(trusting.Nodes) != n || trusting.Nodes[5].Title != "Committed" {
		t.Errorf("after a commit: unproven %v, %d nodes, %+v", trusting.Unproven, len(trusting.Nodes), w)
	}
	commit("ws/nodes/new/Node.md", nodeText("new", "New", "root"))
	if err := os.Rename(dir+"/ws/nodes/"+string(known.Nodes[20].ID), dir+"/ws/nodes/moved"); err != nil {
		t.Fatal(err)
	}
	trusting = skim(t, s, trusting, true)
	if w := trusting.Work; w.Stamped > 9 || w.Read != 2 || w.Listed != 1 || len(trusting.Nodes) != n+1 {
		t.Errorf("after folders came and went: %d nodes, %+v", len(trusting.Nodes), w)
	}
	proven := skim(t, s, trusting, false)
	if proven.Unproven || proven.Work.Read != 1 {
		t.Errorf("looked at: unproven %v, %+v", proven.Unproven, proven.Work)
	}
	if diff := storetest.DiffSkimmed(t.Context(), s, "ws", proven); diff != "" {
		t.Error(diff)
	}
}

// A folder that a person puts into another one is found there with trust as well: that it went shows, whatever came in its place.
func TestTrustingFindsWhatWentIntoAnotherFolder(t *testing.T) {
	for _, came := range []string{"", "new", "in its place"} {
		dir, _ := planned(t, 30)
		s := open(t, dir)
		dirstore.Ahead(s, time.Hour)
		known := skim(t, s, nil, false)
		nodes := dir + "/ws/nodes/"
		moved := string(known.Nodes[20].ID)
		if err := os.Rename(nodes+moved, nodes+string(known.Nodes[5].ID)+"/"+moved); err != nil {
			t.Fatal(err)
		}
		switch came {
		case "new":
			write(t, nodes+"new/Node.md", nodeText("new", "New", "root"))
		case "in its place":
			write(t, nodes+moved+"/Node.md", nodeText("new", "New", "root"))
		}
		if diff := storetest.DiffSkimmed(t.Context(), s, "ws", skim(t, s, known, true)); diff != "" {
			t.Errorf("came %q: %s", came, diff)
		}
	}
}

// What git has written since shows in no folder, and who trusts looks for it.
func TestTrustingLooksAtEverythingAfterGit(t *testing.T) {
	dir, paths := planned(t, 30)
	index := dir + "/.git/index"
	write(t, index, "before")
	s := open(t, dir)
	dirstore.Ahead(s, time.Hour)
	skim(t, s, nil, false)
	s = open(t, dir) // which knows the index that the first one has left, or nothing
	dirstore.Ahead(s, time.Hour)
	known := skim(t, s, nil, false)
	write(t, paths[9], nodeText("node-x", "Of another commit", "root"))
	if got := skim(t, s, known, true); got.Work.Read > 0 {
		t.Errorf("nothing was committed and git wrote nothing, and %+v was done", got.Work)
	}
	write(t, index, "after a checkout")
	got := skim(t, s, known, true)
	if diff := storetest.DiffSkimmed(t.Context(), s, "ws", got); diff != "" {
		t.Error(diff)
	}
	if again := skim(t, s, got, true); again.Work.Read > 0 || again.Work.Stamped > 4 {
		t.Errorf("git has written nothing since, and %+v was done", again.Work)
	}
}

// After the system has begun to run anew, the number of the last commit may be an older one again, and so is what an index was made at. Who trusts looks at everything.
func TestTrustingLooksAtEverythingAfterAPowerFailure(t *testing.T) {
	dir, _ := planned(t, 30)
	s := open(t, dir)
	dirstore.Ahead(s, time.Hour)
	if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/note", New: []byte("the first commit")}}); err != nil {
		t.Fatal(err)
	}
	old := skim(t, s, nil, false)
	dirstore.AwaitIndex(s)
	kept := map[string][]byte{}
	for _, name := range []string{"generation", strings.TrimPrefix(dirstore.IndexPath(s, "ws"), ".local/")} {
		data, err := os.ReadFile(dir + "/.local/" + name)
		if err != nil {
			t.Fatal(err)
		}
		kept[name] = data
	}
	p := old.Nodes[9].Path
	f, err := s.Read(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: p, Base: f.Version, New: []byte(nodeText(string(old.Nodes[9].ID), "Moved", "node-other"))}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Strays(t.Context(), "ws"); err != nil { // which waits until all is cleared away after the commit
		t.Fatal(err)
	}
	for name, data := range kept { // none of them is made durable, and the commit is
		if err := os.WriteFile(dir+"/.local/"+name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, dir)
	dirstore.Ahead(s, time.Hour)
	dirstore.Rebooted(s)
	if diff := storetest.DiffSkimmed(t.Context(), s, "ws", skim(t, s, nil, true)); diff != "" {
		t.Error(diff)
	}
}

// Skims that wait for the disk have more goroutines read, several of them at once too, and leave the process as it was.
func TestSkimsThatWaitLeaveTheProcessAsItWas(t *testing.T) {
	const n = 200
	dir, _ := planned(t, n)
	s := open(t, dir)
	dirstore.Ahead(s, time.Hour)
	dirstore.Waiting(s)
	was := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				if got, err := s.Skim(t.Context(), "ws", nil, false); err != nil || len(got.Nodes) != n {
					t.Errorf("%v", err)
				}
			}
		})
	}
	all.Wait()
	if is := runtime.GOMAXPROCS(0); is != was {
		t.Errorf("%d processors are used after it, %d before", is, was)
	}
}

// A skim of a clean vault takes a few pieces of memory for a name, and none to keep.
func TestSkimmingAllocatesLittle(t *testing.T) {
	const n = 2000
	dir, _ := planned(t, n)
	s := open(t, dir)
	dirstore.Ahead(s, time.Hour)
	known := skim(t, s, nil, false)
	for what, of := range map[string]*mdstore.Skimmed{"nothing": nil, "all": known} {
		per := testing.AllocsPerRun(3, func() { skim(t, s, of, false) }) / n
		if per > 6 { // three for the fields, and a copy of each path for system calls
			t.Errorf("%s known: %.2f allocations a node", what, per)
		}
	}
}
