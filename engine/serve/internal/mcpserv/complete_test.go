package mcpserv

import (
	"fmt"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

func completed(t testing.TB, c *mcp.ClientSession, to *mcp.CompleteReference, name, value, workspace string) mcp.CompletionResultDetails {
	t.Helper()
	p := &mcp.CompleteParams{Ref: to, Argument: mcp.CompleteParamsArgument{Name: name, Value: value}}
	if workspace != "" {
		p.Context = &mcp.CompleteContext{Arguments: map[string]string{"workspace": workspace}}
	}
	res, err := c.Complete(t.Context(), p)
	if err != nil {
		t.Fatalf("%+v %s=%q: %v", to, name, value, err)
	}
	if res.Completion.Values == nil {
		t.Errorf("%+v %s=%q: values is null", to, name, value)
	}
	return res.Completion
}

func TestIDsAreCompleted(t *testing.T) {
	files := planFiles()
	files["ws-second/Workspace.md"] = []byte("---\nid: ws-second\nname: Log in again\nstatus: active\ncreatedAt: 1867225600000\n---\n")
	files["archive/ws-old/Workspace.md"] = []byte("---\nid: ws-old\nname: Old login\nstatus: archived\n---\n")
	c := dial(t, enginetest.New(t, files).Engine, Options{})
	nodes := &mcp.CompleteReference{Type: "ref/resource", URI: "arbor://{workspace}/nodes/{id}{?from}"}
	context := &mcp.CompleteReference{Type: "ref/resource", URI: "arbor://{workspace}/context/{id}"}
	tree := &mcp.CompleteReference{Type: "ref/resource", URI: "arbor://{workspace}/tree{?from}"}
	work := &mcp.CompleteReference{Type: "ref/prompt", Name: "work-on-node"}
	start := &mcp.CompleteReference{Type: "ref/prompt", Name: "start-workspace"}
	const theapi, signin, hashes, signut = "node-mj2hz4gy-theapi", "node-mj2hz4gy-signin", "node-mj2hz4gy-hashes", "node-mj2hz4gy-signut"
	for _, tt := range []struct {
		to                     *mcp.CompleteReference
		name, value, workspace string
		want                   []string
	}{
		{tree, "workspace", "", "", []string{planID, "ws-second", "ws-old"}},
		{tree, "workspace", "ws-", "", []string{planID, "ws-second", "ws-old"}},
		{tree, "workspace", "WS-S", "", []string{"ws-second"}},
		{tree, "workspace", "login", "", []string{planID, "ws-old"}},
		{work, "workspace", "IN again", "", []string{"ws-second"}},
		{tree, "workspace", "nothing", "", []string{}},
		{tree, "from", "1", "", []string{}},
		{nodes, "id", "", planID, []string{"root", theapi, signin, hashes, signut, "Odd_1.x-"}},
		{nodes, "id", "node-mj2hz4gy-s", planID, []string{signin, signut}},
		{nodes, "id", "ENDPOINT", planID, []string{signin, signut}},
		{context, "id", "h", planID, []string{hashes, theapi}}, // titles that begin with the text come first
		{context, "id", "o", "Login", []string{"Odd_1.x-", "root", signin, hashes, signut}},
		{work, "node", "sign-in", planID, []string{signin}},
		{work, "node", "sign-in", "", []string{}}, // two workspaces are active, so there is no default
		{work, "node", "sign-in", "ws-none", []string{}},
		{start, "name", "x", "", []string{}},
	} {
		got := completed(t, c, tt.to, tt.name, tt.value, tt.workspace)
		if !slices.Equal(got.Values, tt.want) || got.Total != len(tt.want) || got.HasMore {
			t.Errorf("%s=%q in %q completes to %+v, want %q", tt.name, tt.value, tt.workspace, got, tt.want)
		}
	}
	for _, p := range []*mcp.CompleteParams{
		{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "none"}, Argument: mcp.CompleteParamsArgument{Name: "node"}},
		{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "arbor://{workspace}/none"}, Argument: mcp.CompleteParamsArgument{Name: "workspace"}},
		{Ref: tree, Argument: mcp.CompleteParamsArgument{Name: "id"}},
		{Ref: start, Argument: mcp.CompleteParamsArgument{Name: "node"}},
	} {
		_, err := c.Complete(t.Context(), p)
		fails(t, err, jsonrpc.CodeInvalidParams)
	}
}

func manyNodes(n int) map[mdstore.Path][]byte {
	files := map[mdstore.Path][]byte{"ws-many/Workspace.md": []byte("---\nid: ws-many\nname: Many\nstatus: active\n---\n")}
	files[mdstore.NodePath("ws-many", "root")] = enginetest.Node("root", "title: Many\ntype: planning\nstatus: monitoring", "")
	for i := range n - 1 {
		id := fmt.Sprintf("node-%05d", i)
		files[mdstore.NodePath("ws-many", mdstore.ID(id))] = enginetest.Node(id, fmt.Sprintf("title: Part %d of the Work\ntype: execution\nstatus: pending\nparentId: root\ncreatedAt: %d", i, i+1), "")
	}
	return files
}

func TestCompletionsAreLimitedAndCounted(t *testing.T) {
	c := dial(t, enginetest.New(t, manyNodes(250)).Engine, Options{})
	got := completed(t, c, &mcp.CompleteReference{Type: "ref/prompt", Name: "plan-node"}, "node", "the work", "")
	if len(got.Values) != 100 || got.Total != 249 || !got.HasMore || got.Values[0] != "node-00000" || got.Values[99] != "node-00099" {
		t.Errorf("%d values, %d in all, more: %v", len(got.Values), got.Total, got.HasMore)
	}
}

func BenchmarkCompletion(b *testing.B) {
	c := dial(b, enginetest.New(b, manyNodes(10_000)).Engine, Options{})
	for b.Loop() {
		completed(b, c, &mcp.CompleteReference{Type: "ref/prompt", Name: "plan-node"}, "node", "999 of", "")
	}
}
