package dirstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/storetest"
)

// kinds are the kinds of a vault, and two more for this test.
var kinds = append(append(mdstore.Kinds{}, mdstore.AllKinds()...),
	&mdstore.Kind{Name: "paper", Form: mdstore.NodeForm, Place: mdstore.Place{Dir: "papers", Name: mdstore.AnyMarkdown}},
	&mdstore.Kind{Name: "letter", Form: mdstore.NodeForm, Place: mdstore.Place{Dir: "letters", Name: mdstore.AnyMarkdown, Deep: true}},
	&mdstore.Kind{Name: "card", Form: mdstore.NodeForm, Place: mdstore.Place{Name: "Card.md"}})

// A new kind of file needs only one entry in a table, which the scan, the cache, the listing, the watcher and the
// strays use.
func TestANewKindNeedsNoNewCode(t *testing.T) {
	dir, _ := planned(t, 2)
	for p, text := range map[string]string{
		"Card.md": "slot", "papers/a.md": "state a", "papers/b.txt": "none", "papers/sub/c.md": "too deep", "papers/.d.md": "hidden",
		"letters/a.md": "memory a", "letters/deep/er/b.md": "memory b", "letters/deep/none.txt": "none", "letters/.x/c.md": "hidden",
		"letters/deep/er/b.md~": "backup", "papers/Card 2.md": "a copy", "Card 2.md": "a copy", "nodes/x.md": "no node",
	} {
		write(t, filepath.Join(dir, "ws", filepath.FromSlash(p)), "---\nid: "+text+"\n---\n")
	}
	if err := os.Symlink("deep", filepath.Join(dir, "ws", "letters", "linked")); err != nil {
		t.Skip(err)
	}
	s, err := dirstore.Open(dir, dirstore.Options{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dirstore.Ahead(s, time.Hour)
	for _, read := range []int{8, 0} {
		dirstore.Forget(s)
		got, err := s.Scan(t.Context(), "ws")
		if err != nil || got.Work.Read != read {
			t.Errorf("%+v, error %v, want %d read", got.Work, err, read)
		}
		if len(got.Broken) != 1 || got.Broken[0].Path != "ws/letters/linked" || code(got.Broken[0].Err) != dirstore.CodeSymlink {
			t.Errorf("broken: %v", got.Broken)
		}
		got.Broken = nil
		if err := os.RemoveAll(filepath.Join(dir, "ws", "letters", "linked")); err != nil {
			t.Fatal(err)
		}
		if diff := storetest.DiffScan(t.Context(), s, kinds, "ws", got); diff != "" {
			t.Error(diff)
		}
		if err := os.Symlink("deep", filepath.Join(dir, "ws", "letters", "linked")); err != nil {
			t.Fatal(err)
		}
	}
	var listed []mdstore.Path
	for e := range s.List(t.Context(), "ws") {
		listed = append(listed, e.Path[len("ws/"):])
	}
	if want := "[Card.md Workspace.md letters/a.md letters/deep/er/b.md letters/linked nodes/node-mj000000-000000/Node.md " +
		"nodes/node-mj000001-001eef/Node.md papers/Card 2.md papers/a.md]"; fmt.Sprint(listed) != want {
		t.Errorf("listed\n %v\nwant\n %v", listed, want)
	}
	strays, err := s.Strays(t.Context(), "ws")
	if want := "[{ws/Card 2.md conflict copy ws/Card.md} {ws/letters/deep/er/b.md~ backup } {ws/nodes/x.md no node } {ws/papers/Card 2.md conflict copy ws/papers/Card.md}]"; err != nil || fmt.Sprint(strays) != want {
		t.Errorf("strays\n %v, error %v, want\n %v", strays, err, want)
	}
	later(t, dir, func(s *dirstore.Store) {
		if w := scan(t, s, "ws").Work; w.Read != 3 {
			t.Errorf("a program without these kinds takes the cache of one that has them: %+v", w)
		}
	})
}

func TestTheWatcherFollowsTheKinds(t *testing.T) {
	dir, _ := planned(t, 1)
	for _, sub := range []string{"papers", "letters/deep", "notes"} {
		write(t, filepath.Join(dir, "ws", sub, "old.txt"), "none")
	}
	s, err := dirstore.Open(dir, dirstore.Options{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told := map[mdstore.Path]bool{}
	err = s.Watch(ctx, mdstore.Watching{
		Ready: func() {
			for _, p := range []string{"notes/b.md", "papers/b.txt", "papers/a.md", "letters/deep/a.md", "Card.md"} {
				write(t, filepath.Join(dir, "ws", filepath.FromSlash(p)), "text")
			}
		},
		Early: func(mdstore.Path) {},
		Settled: func(paths []mdstore.Path, all bool) {
			for _, p := range paths {
				told[p] = true
			}
			if all || told["ws/Card.md"] {
				cancel()
			}
		},
	})
	if want := "map[ws/Card.md:true ws/letters/deep/a.md:true ws/papers/a.md:true]"; fmt.Sprint(told) != want {
		t.Errorf("told of %v, want %v (%v)", told, want, err)
	}
}
