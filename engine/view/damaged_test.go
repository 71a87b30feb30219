package view_test

import (
	"slices"
	"testing"

	"arbor/mdstore"
)

// A file that is damaged so that nothing can be read of it keeps its front matter and its place in the tree; it has
// the damage as its problem.
func TestDamagedFilesKeepTheirPlace(t *testing.T) {
	v := viewOf(plan("ws-a", "node-a", "node-b"))
	for _, damage := range [][]byte{{}, []byte("---\nid: node-a\ntitle"), []byte("text"), {0xff}} {
		next := v.With(mdstore.File{Path: mdstore.NodePath("ws-a", "node-a"), Version: mdstore.VersionOf(damage), Data: damage},
			mdstore.File{Path: mdstore.WorkspacePath("ws-a"), Version: mdstore.VersionOf(damage), Data: damage})
		n, ok := next.Node("node-a")
		if !ok || n.Title != "T node-a" || n.Parent != mdstore.Root || len(n.Problems) == 0 || n.Editable() == nil {
			t.Errorf("%q: the node is %+v", damage, n)
		}
		if n.Version() != mdstore.VersionOf(damage) {
			t.Errorf("%q: the node has not the version of the file", damage)
		}
		if got, want := next.Children(mdstore.Root), v.Children(mdstore.Root); !slices.Equal(got, want) {
			t.Errorf("%q: the children of the root are %v, want %v", damage, got, want)
		}
		if w := next.Workspace(); w.ID != "ws-a" || w.Name != "A" || len(w.Problems) == 0 || w.Doc.Editable() == nil {
			t.Errorf("%q: the workspace is %+v", damage, w)
		}
	}
}
