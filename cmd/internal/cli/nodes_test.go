package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// As JSON a list is flat and in tree order, each node with its parent; --fields picks from it.
func TestAListAsJSONIsFlat(t *testing.T) {
	w := newWorld(t)
	var out struct {
		Nodes  []map[string]any
		Tree   []map[string]any
		Total  int
		Cursor string
	}
	read := func(args ...string) {
		t.Helper()
		out.Nodes, out.Tree = nil, nil
		if err := json.Unmarshal([]byte(w.ok(append([]string{"list", "--json"}, args...)...)), &out); err != nil {
			t.Fatal(err)
		}
	}
	of := func(key string) (all []string) {
		for _, n := range out.Nodes {
			s, _ := n[key].(string)
			all = append(all, s)
		}
		return all
	}
	read()
	if got := of("id"); !slices.Equal(got, []string{"root", "node-b", "node-c", "node-d"}) || out.Total != 4 || out.Tree != nil {
		t.Errorf("the nodes are %v of %d", got, out.Total)
	}
	if got := of("parentId"); !slices.Equal(got, []string{"", "root", "node-b", "node-b"}) {
		t.Errorf("the parents are %v", got)
	}
	read("-n", "2")
	read("-n", "2", "--cursor", out.Cursor)
	if got := of("id"); !slices.Equal(got, []string{"node-c", "node-d"}) {
		t.Errorf("the second page has %v", got)
	}
	read("Backend", "--status", "pending")
	if got := of("parentId"); !slices.Equal(got, []string{"node-b", "node-b"}) {
		t.Errorf("the parents of pending nodes are %v", got)
	}
	read("--fields", "title,role", "--type", "planning")
	if len(out.Nodes) != 2 || len(out.Nodes[0]) != 2 || out.Nodes[0]["title"] != "Login" || out.Nodes[0]["role"] != nil {
		t.Errorf("--fields gives %v", out.Nodes)
	}
	if got := w.ok("list", "--fields", "status,parentId,id"); got != "monitoring          root\nmonitoring  root    node-b\n"+
		"pending     node-b  node-c\npending     node-b  node-d\n" {
		t.Errorf("arbor list --fields prints\n%s", got)
	}
	contains(
		t,
		"an unknown field",
		w.fails(exitInvalid, "list", "--fields", "id,nam"),
		"fields has \"nam\"",
		"claimedBy, role, isolated, dependencies, priority, ",
	)
}

// Times in JSON are the same as in the MCP tools: Unix milliseconds; times of log entries are in UTC, as in the files.
func TestTimesInJSON(t *testing.T) {
	w := newWorld(t)
	w.ok("next", "--claim", "--session", "s")
	got := w.ok("show", "node-c", "--json")
	contains(t, "arbor show --json", got, `"createdAt": 17672616`, `"leasedUntil": 17672`, `"timestamp": "2026-01-01 10:00:0`)
}

// Every list of nodes shows claims.
func TestClaimsShow(t *testing.T) {
	w := newWorld(t)
	w.ok("next", "--claim", "--session", "alice")
	for _, line := range []string{"tree", "list", "status", "status --format markdown"} {
		contains(t, "arbor "+line, w.ok(strings.Fields(line)...), "claimed by alice")
	}
	w.ok("next", "--release", "node-c")
	for _, line := range []string{"tree", "list", "status"} {
		if got := w.ok(line); strings.Contains(got, "claimed") {
			t.Errorf("arbor %s of a claim that is over:\n%s", line, got)
		}
	}
}
