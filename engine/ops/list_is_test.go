package ops_test

import (
	"slices"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// What is: asks for is what next, the life cycle and the day say.
func TestStatesOfNodesInLists(t *testing.T) {
	files := enginetest.Plan(ws)
	for id, front := range map[mdstore.ID]string{
		"node-a": "status: pending\npriority: low\ndue: 2000-01-01",
		"node-b": "status: pending\ndependencies: [node-a]\npriority: critical",
		"node-c": "status: implementing\ndue: 2000-01-02\npriority: medium",
		"node-d": "status: completed\ndue: 2000-01-01\npriority: high",
		"node-e": "status: pending\ndue: 9000-01-01",
	} {
		files[mdstore.NodePath(ws, id)] = enginetest.Node(
			string(id),
			"title: T\ntype: execution\nparentId: root\n"+front,
			"## Conclusion\n\nc\n",
		)
	}
	env := &ops.Env{Engine: enginetest.New(t, files).Engine}
	for query, want := range map[string][]string{
		"is:ready": {"node-a", "node-e"}, "is:blocked": {"node-b"}, "is:overdue": {"node-a", "node-c"},
		"is:terminal":               {"node-d"},
		"is:running type:execution": {"node-c"}, "is:ready is:overdue": {"node-a"}, "due>today": {"node-e"},
		"due:null type:execution": {"node-b"},
	} {
		out, err := ops.NodeList(t.Context(), env, ops.NodeListIn{In: ops.In{WorkspaceID: ws}, Where: query})
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(out.Tree); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for sort, want := range map[string][]string{
		"priority": {"node-b", "node-d", "node-c", "node-e", "node-a"}, "-priority": {"node-a", "node-c", "node-e",
			"node-d", "node-b"},
		"due": {"node-a", "node-d", "node-c", "node-e", "node-b"}, "-due": {"node-e", "node-c", "node-a", "node-d", "node-b"},
	} {
		out, err := ops.NodeList(
			t.Context(),
			env,
			ops.NodeListIn{In: ops.In{WorkspaceID: ws}, Type: "execution", Sort: []string{sort}},
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(out.Tree); !slices.Equal(got, want) {
			t.Errorf("by %s: %q, want %q", sort, got, want)
		}
	}
}
