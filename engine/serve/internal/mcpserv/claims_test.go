package mcpserv

import (
	"strings"
	"testing"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// When a connection ends, its claims are released, whatever session it was bound to. A node that it started names its
// session as lapsed.
func TestClaimsEndWithTheirConnection(t *testing.T) {
	w := newWorld(t, Options{})
	for _, id := range []string{"node-x", "node-y"} {
		w.save(mdstore.NodePath(planID, mdstore.ID(id)), "---\nid: "+id+"\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n---\n")
	}
	one, bound, other := w.connect(nil), w.connect(nil), w.connect(nil)
	bound.do("session_bind", map[string]any{"sessionId": "s-1", "workspaceId": planID})
	all := len(items(other.do("node_next", map[string]any{"count": 50, "verbose": true})["nodes"]))
	if all < 2 {
		t.Fatalf("%d nodes are ready; two are needed", all)
	}
	claim := func(p *peer) map[string]any {
		t.Helper()
		return items(p.do("node_next", map[string]any{"claim": true, "leaseSeconds": 86400, "verbose": true})["nodes"])[0].(map[string]any)
	}
	first, second := claim(one), claim(bound)
	if first["id"] == second["id"] || second["claimedBy"] != "s-1" || !strings.HasPrefix(first["claimedBy"].(string), "mcp-") {
		t.Errorf("claimed: %v and %v", first, second)
	}
	if again := claim(one); again["id"] != first["id"] {
		t.Errorf("a connection asks again and is given %v, not %v", again["id"], first["id"])
	}
	other.refused(errs.Conflicting, "node_transition", map[string]any{"nodeId": first["id"], "action": "start"})
	one.do("node_transition", map[string]any{"nodeId": first["id"], "action": "start"})
	if n := len(items(other.do("node_next", map[string]any{"count": 50, "verbose": true})["nodes"])); n != all-2 {
		t.Errorf("%d of %d nodes are offered while two are claimed", n, all)
	}
	for _, p := range []*peer{one, bound} {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var begun map[string]any
	eventually(t, "what was claimed is offered", func() bool {
		nodes := items(other.do("node_next", map[string]any{"count": 50, "verbose": true})["nodes"])
		for _, n := range nodes {
			if n := n.(map[string]any); n["id"] == first["id"] {
				begun = n
			}
		}
		return len(nodes) == all
	})
	if l, _ := begun["lapsed"].(map[string]any); l["session"] != first["claimedBy"] {
		t.Errorf("the node that was begun: %v", begun)
	}
}

// session_unbind releases the claims of the session, while the connection stays open.
func TestUnbindingGivesClaimsBack(t *testing.T) {
	w := newWorld(t, Options{})
	one, other := w.connect(nil), w.connect(nil)
	one.do("session_bind", map[string]any{"sessionId": "s-1", "workspaceId": planID})
	id := items(one.do("node_next", map[string]any{"claim": true, "verbose": true})["nodes"])[0].(map[string]any)["id"]
	other.refused(errs.Conflicting, "node_transition", map[string]any{"nodeId": id, "action": "start"})
	other.refused(errs.Conflicting, "node_next", map[string]any{"release": id})
	one.do("session_unbind", map[string]any{"sessionId": "s-1"})
	other.do("node_transition", map[string]any{"nodeId": id, "action": "start"})
}

// A connection that divides work may claim for several sessions, and before it is bound. Its own claims become those of
// the bound session. A node claimed for another session is started over that session's connection.
func TestConnectionsMayClaimForOtherSessions(t *testing.T) {
	w := newWorld(t, Options{})
	w.save(mdstore.NodePath(planID, "node-x"), "---\nid: node-x\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n---\n")
	one, other := w.connect(nil), w.connect(nil)
	first := items(one.do("node_next", map[string]any{"claim": true, "sessionId": "worker-1", "verbose": true})["nodes"])[0].(map[string]any)["id"]
	second := items(one.do("node_next", map[string]any{"claim": true, "verbose": true})["nodes"])[0].(map[string]any)["id"]
	if first == second {
		t.Fatalf("%v is given twice", first)
	}
	one.do("session_bind", map[string]any{"sessionId": "s-1", "workspaceId": planID})
	worker := w.connect(nil)
	worker.do("session_bind", map[string]any{"sessionId": "worker-1", "workspaceId": planID})
	for id, owner := range map[any]*peer{first: worker, second: one} {
		other.refused(errs.Conflicting, "node_transition", map[string]any{"nodeId": id, "action": "start"})
		owner.do("node_transition", map[string]any{"nodeId": id, "action": "start"})
	}
	one.refused(errs.Conflicting, "node_next", map[string]any{"release": first})
	if out := one.do("node_next", map[string]any{"release": second}); out["released"] != true {
		t.Errorf("release: %v", out)
	}
}
