package engine_test

import (
	"context"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A witness is a vault in memory that counts what is read, and forgets nothing of what a trusting Skim could have missed: it never looks at files it knows.
type witness struct {
	*memstore.Store
	reads, stamps map[mdstore.Path]int
	first         *mdstore.Skimmed
	skims         int
}

func (c *witness) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	c.reads[p]++
	return c.Store.Read(ctx, p)
}

func (c *witness) Stamp(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	c.stamps[p]++
	return c.Store.Stamp(ctx, p)
}

func (c *witness) Unchanged(p mdstore.Path, s mdstore.Stamp) bool {
	c.stamps[p]++
	return c.Store.Unchanged(p, s)
}

func (c *witness) Exclusively(ctx context.Context, f func(mdstore.Store) error) error {
	return c.Store.Exclusively(ctx, func(st mdstore.Store) error {
		shared, _ := st.(mdstore.Shared)
		return f(inner{st, shared, c})
	})
}

// inner is the store that an exclusive function is given, which can skim as well.
type inner struct {
	mdstore.Store
	shared mdstore.Shared
	mdstore.Skimming
}

func (i inner) Exclusively(ctx context.Context, f func(mdstore.Store) error) error {
	return i.shared.Exclusively(ctx, f)
}

func (i inner) Sequence(ctx context.Context) (uint64, error) { return i.shared.Sequence(ctx) }

func (c *witness) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	c.skims++
	if trusting && c.first != nil {
		old := *c.first
		old.Unproven = true
		return &old, nil
	}
	s, err := c.Store.Skim(ctx, under, known, false)
	if c.first == nil {
		c.first = s
	}
	return s, err
}

const planned = "type: planning\nstatus: planning\ntitle: "

// witnessed returns an engine over a vault whose index is of before anything was changed, as another process has left it.
func witnessed(t *testing.T) (*engine.Engine, *witness) {
	t.Helper()
	return witnessedBy(t, engine.Options{After: enginetest.NoPause})
}

func witnessedBy(t *testing.T, opt engine.Options) (*engine.Engine, *witness) {
	t.Helper()
	files := map[mdstore.Path][]byte{
		"w/Workspace.md":       []byte("---\nid: ws-a\nname: A\nstatus: active\n---\n"),
		"w/nodes/root/Node.md": enginetest.Node("root", planned+"Root", "## Requirement\n\nall\n"),
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		files[mdstore.Path("w/nodes/"+id+"/Node.md")] = enginetest.Node(id, planned+strings.ToUpper(id)+"\nparentId: root\n", "## Requirement\n\ndo "+id+"\n")
	}
	c := &witness{Store: memstore.New(files), reads: map[mdstore.Path]int{}, stamps: map[mdstore.Path]int{}}
	if _, err := c.Skim(t.Context(), "w", nil, false); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), c, opt)
	if err != nil {
		t.Fatal(err)
	}
	return e, c
}

// A server's first answer holds what was changed while nothing ran, in a file that has nothing to do with the node yet.
func TestServedTrustsNothing(t *testing.T) {
	for _, served := range []bool{false, true} {
		e, c := witnessedBy(t, engine.Options{After: enginetest.NoPause, Served: served})
		c.save(t, "w/nodes/d/Node.md", enginetest.Node("d", planned+"D\nparentId: a\n", ""))
		var children []mdstore.ID
		err := e.Touching(t.Context(), func(ctx context.Context) error {
			s, err := e.Snapshot(ctx, "ws-a")
			if err != nil {
				return err
			}
			children = s.Children("a")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(children) == 1; got != served {
			t.Errorf("served %v: the children of a are %v", served, children)
		}
	}
}

func (c *witness) save(t *testing.T, p mdstore.Path, data []byte) {
	t.Helper()
	was, err := c.Store.Read(t.Context(), p)
	if err != nil {
		was = mdstore.File{}
	}
	if err := c.Store.Commit(t.Context(), []mdstore.Change{{Path: p, Base: was.Version, New: data}}); err != nil {
		t.Fatal(err)
	}
}

// The context of a node is as its files are now, whatever the index says, and no other file is looked at.
func TestContextIsOfTheFilesItTouches(t *testing.T) {
	e, c := witnessed(t)
	c.save(t, "w/nodes/a/Node.md", enginetest.Node("a", planned+"New title\nparentId: root\n", "## Requirement\n\ndo it anew\n"))
	b, err := e.Context(t.Context(), "ws-a", "a", assemble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if focus := b.Chain[len(b.Chain)-1]; focus.Title != "New title" || focus.Requirement != "do it anew" {
		t.Errorf("the context has %q, %q: what the index says, not the file", focus.Title, focus.Requirement)
	}
	for _, p := range []mdstore.Path{"w/nodes/b/Node.md", "w/nodes/c/Node.md"} {
		if c.reads[p]+c.stamps[p] > 0 {
			t.Errorf("%s was looked at, which the context does not touch", p)
		}
	}
	clear(c.reads)
	if _, err := e.Context(t.Context(), "ws-a", "a", assemble.Options{}); err != nil {
		t.Fatal(err)
	}
	for p, n := range c.reads {
		if p.Base() == mdstore.NodeFile {
			t.Errorf("%s was read %d times for a context that was asked for before", p, n)
		}
	}
}

// A node that the index does not know is found by looking at everything.
func TestContextOfWhatTheIndexDoesNotKnow(t *testing.T) {
	e, c := witnessed(t)
	c.save(t, "w/nodes/new/Node.md", enginetest.Node("new", planned+"New\nparentId: a\n", ""))
	if _, err := e.Context(t.Context(), "ws-a", "new", assemble.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := e.Context(t.Context(), "ws-a", "none", assemble.Options{}); engine.AsError(err) == nil || engine.AsError(err).Code != engine.NodeNotFound {
		t.Errorf("error %v, want NODE_NOT_FOUND", err)
	}
}

// A whole snapshot is never one of which not every file was looked at.
func TestSnapshotIsProven(t *testing.T) {
	e, c := witnessed(t)
	c.save(t, "w/nodes/d/Node.md", enginetest.Node("d", planned+"Saved\nparentId: root\n", ""))
	if _, err := e.Context(t.Context(), "ws-a", "a", assemble.Options{}); err != nil { // leaves what it trusted
		t.Fatal(err)
	}
	s, err := e.Snapshot(t.Context(), "ws-a")
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := s.Node("d"); n.Title != "Saved" {
		t.Errorf("title %q, want what was saved", n.Title)
	}
}

// A plan is made for the file as it is, when that is newer than what the snapshot says.
func TestPlanIsMadeForTheFileAsItIs(t *testing.T) {
	e, c := witnessed(t)
	if _, err := e.Snapshot(t.Context(), "ws-a"); err != nil {
		t.Fatal(err)
	}
	c.save(t, "w/nodes/b/Node.md", enginetest.Node("b", "type: planning\nstatus: cancelled\ntitle: B\nparentId: root\n", "## Conclusion\n\nno\n"))
	title := "Other"
	o, err := e.UpdateNode(t.Context(), "ws-a", "b", engine.NodeTexts{Title: &title}, engine.Act{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Store.Read(t.Context(), "w/nodes/b/Node.md")
	if err != nil || !strings.Contains(string(f.Data), "status: cancelled") || !strings.Contains(string(f.Data), "title: Other") {
		t.Errorf("%v %v\n%s", err, o, f.Data)
	}
}

// A node whose file is gone is not answered from what the index says of it, nor is what hangs below it.
func TestContextOfWhatIsGone(t *testing.T) {
	e, c := witnessed(t)
	f, err := c.Store.Read(t.Context(), "w/nodes/b/Node.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Store.Commit(t.Context(), []mdstore.Change{{Path: f.Path, Base: f.Version}, {Path: "w/nodes/b/notes.txt", New: []byte("that keep the folder\n")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Context(t.Context(), "ws-a", "b", assemble.Options{}); err == nil || engine.AsError(err).Code != engine.FileUnreadable && engine.AsError(err).Code != engine.NodeNotFound {
		t.Errorf("error %v; there is no such file", err)
	}
	b, err := e.Context(t.Context(), "ws-a", "root", assemble.Options{})
	if err != nil || b.ChildCounts["planning"] != 3 {
		t.Errorf("%v %v; three children are left", b.ChildCounts, err)
	}
}

// A node whose folder was moved to where the index does not look is still a child, and is given from where it lies.
func TestContextOfWhatLiesElsewhere(t *testing.T) {
	e, c := witnessed(t)
	f, err := c.Store.Read(t.Context(), "w/nodes/b/Node.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Store.Commit(t.Context(), []mdstore.Change{{Path: f.Path, Base: f.Version}, {Path: "w/nodes/c/moved/Node.md", New: f.Data}}); err != nil {
		t.Fatal(err)
	}
	b, err := e.Context(t.Context(), "ws-a", "root", assemble.Options{})
	if err != nil || b.ChildCounts["planning"] != 4 {
		t.Errorf("%v %v; four children are there", b.ChildCounts, err)
	}
}
