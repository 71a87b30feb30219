package check

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// The checks look at the documents of suspect nodes only: nothing is to be found of any other.
func TestNothingIsFoundOfNodesThatAreNotSuspect(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	one := func(all ...string) string { return all[rnd.IntN(len(all))] }
	own := mdstore.File{Path: mdstore.WorkspacePath("w"), Data: []byte("---\nid: w\nname: W\ngoal: g\nstatus: active\n---\n")}
	own.Version = mdstore.VersionOf(own.Data)
	suspects, clean := 0, 0
	for range 400 {
		ids := []string{"root", "node-mjv3xk00-00000a", "node-mjv3xk00-00000b", "node-mjv3xk00-00000c", "node-mjv3xk00-00000d"}
		var nodes []*mdstore.Node
		for i, id := range ids {
			parent := "root"
			if i == 0 {
				parent = one("null", "null", "null", "root")
			} else if rnd.IntN(4) == 0 {
				parent = one(append(ids, "gone", "")...)
			}
			if rnd.IntN(12) == 0 {
				id = one(ids...)
			}
			status := one("pending", "planning", "monitoring", "monitoring", "completed", "implementing")
			body := one("", "", "## Conclusion\n\nc\n\n") + one("", "", "## References\n\n- "+one(append(ids, "node-mjv3xk00-0gone0", "broken", "other")...)+"\n\n") +
				one("", "", "## Note\n\n## Note\n\n") + one("", "## Log\n\n- [2026-01-01 10:00:00] [AI] created\n\n")
			data := fmt.Appendf(nil, "---\nid: %s\ntitle: T\ntype: %s\nstatus: %s\nparentId: %s\n---\n\n%s",
				id, one("planning", "planning", "execution"), status, parent, body)
			if rnd.IntN(20) == 0 {
				data = []byte("---\nid")
			}
			f := mdstore.File{Path: mdstore.NodePath("w", mdstore.ID(ids[i])), Version: mdstore.VersionOf(data), Data: data}
			nodes = append(nodes, mdstore.ParseNode(f))
		}
		v := view.New(mdstore.ParseWorkspace(own), nodes, map[mdstore.Path]mdoc.Diagnostic{"w/nodes/broken/Node.md": {Code: view.CodeFileMissing}})
		for n := range v.All() {
			c := checker{v: v, circles: v.Circles()}
			if c.suspect(n) {
				suspects++
				continue
			}
			clean++
			if c.node(n); len(c.out) > 0 {
				t.Fatalf("of %s, which is not suspect, %v is found:\n%s", n.Path, Diagnostics(c.out), n.Doc().Bytes())
			}
		}
	}
	if suspects < 100 || clean < 100 {
		t.Errorf("%d nodes are suspect and %d are not: too few for this to say anything", suspects, clean)
	}
}
