package view

import (
	"fmt"
	"testing"

	"arbor/mdstore"
)

// A mark tells what became of the nodes in it, and of the numbers of nodes; of a plan that stands still it tells
// nothing.
func TestAMarkTellsWhatChanged(t *testing.T) {
	at := func(id, status, text string) mdstore.File {
		f := mdstore.File{Path: mdstore.NodePath("w", mdstore.ID(id)), Data: fmt.Appendf(nil,
			"---\nid: %s\ntitle: T %s\ntype: execution\nstatus: %s\nparentId: root\n---\n%s", id, id, status, text)}
		f.Version = mdstore.VersionOf(f.Data)
		return f
	}
	was := New(workspaceOf("w"), nil, nil).With(at("root", "pending", ""), at("a", "pending", ""), at("b", "pending", ""))
	mark := Mark(was, "a")
	if nodes, counts := SinceMark(was, mark); len(nodes)+len(counts) > 0 {
		t.Errorf("nothing changed, and it tells %v %v", nodes, counts)
	}
	gone := at("b", "", "")
	gone.Version = mdstore.Version{}
	is := was.With(at("a", "implementing", ""), at("root", "pending", "\n## Note\n\nn\n"), gone)
	nodes, counts := SinceMark(is, append(mark, "node:b:pending:0123", "other:x", ""))
	want := "[{a T a pending implementing true} {root T root pending pending true} {b  pending gone false}] [{implementing 0 1} {pending 3 1}]"
	if got := fmt.Sprint(nodes, counts); got != want {
		t.Errorf("it tells\n %s\nwant\n %s", got, want)
	}
}
