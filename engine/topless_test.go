package engine_test

import (
	"fmt"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A folder right below nodes/ misses its file while there is no node in it at any depth: so whether it does is decided by what comes and goes in its folders.
func TestFolderMissesItsFileWithoutNodesInIt(t *testing.T) {
	const inner, own = mdstore.Path("ws-a/nodes/node-a/inner/Node.md"), mdstore.Path("ws-a/nodes/node-a/Node.md")
	st := memstore.New(map[mdstore.Path][]byte{
		"ws-a/Workspace.md":          []byte("---\nid: ws-a\nname: A\ngoal: g\nstatus: active\n---\n"),
		"ws-a/nodes/root/Node.md":    []byte("---\nid: root\ntitle: A\ntype: planning\nstatus: monitoring\n---\n"),
		"ws-a/nodes/node-a/plan.txt": []byte("what keeps the folder"),
	})
	file := func(id string) []byte {
		return fmt.Appendf(nil, "---\nid: %s\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n---\n", id)
	}
	other := mdstore.Path("ws-a/nodes/node-a/another/Node.md")
	open := func(st mdstore.Store) *engine.Engine {
		e, err := engine.Open(t.Context(), st, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open(unnumbered{&counter{Store: st}}) // what is saved there, only Heed tells of
	for _, step := range []struct {
		name string
		path mdstore.Path
		data []byte // nil: the file goes
		told mdstore.Path
		miss bool
	}{
		{"no node", "ws-a/nodes/node-a/plan.txt", []byte("the same"), "ws-a/nodes/node-a", true},
		{"one in a folder of it", inner, file("node-i"), inner, false},
		{"another", other, file("node-o"), other.Dir(), false},
		{"of two one goes", other, nil, other.Dir(), false},
		{"its own", own, file("node-a"), own, false},
		{"its own goes", own, nil, own, false},
		{"the last goes", inner, nil, inner.Dir(), true},
		{"one again", inner, file("node-i"), inner.Dir(), false},
		{"the last goes again", inner, nil, inner, true},
	} {
		was, _ := st.Read(t.Context(), step.path)
		if _, err := st.Commit(t.Context(), []mdstore.Change{{Path: step.path, Base: was.Version, New: step.data}}); err != nil {
			t.Fatal(step.name, err)
		}
		e.Heed(step.told)
		followed, err := e.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(step.name, err)
		}
		anew, err := open(st).Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(step.name, err)
		}
		missing := false
		for _, d := range anew.Diagnostics() {
			missing = missing || d.Code == engine.CodeFileMissing
		}
		if got, want := fmt.Sprint(followed.Diagnostics()), fmt.Sprint(anew.Diagnostics()); got != want || missing != step.miss {
			t.Errorf("%s: the engine that was told says %s, one that reads anew %s", step.name, got, want)
		}
	}
}
