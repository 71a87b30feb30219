package ops_test

import (
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

const (
	linking = "node-mjv3xk00-00000a"
	linked  = "node-mjv3xk00-00000b"
)

// links is a vault in which one node has a link to another as its reference. The other's folder has a name of its own.
func links(link string) map[mdstore.Path][]byte {
	front := "type: execution\nstatus: pending\ncreatedAt: 1767225600000\nparentId: root\ntitle: "
	files := vault("", map[string][2]string{
		"root":  {"type: planning\nstatus: monitoring\ntitle: Login\nparentId: null", ""},
		linking: {front + "Form", "## References\n\n- " + link + "\n"},
	})
	files[mdstore.NodePath(ws, "sign-in")] = enginetest.Node(linked, front+"Sign in", "## Requirement\n\nwith a password\n")
	return files
}

func TestALinkIsAReferenceWhereverReferencesAreRead(t *testing.T) {
	for _, link := range []string{"[sign in](../sign-in/Node.md)", "[[nodes/sign-in/Node|sign in]]", "[[sign-in]]: sign in",
		"[sign in](<../sign-in/Node.md#requirement>)"} {
		w := enginetest.New(t, links(link))
		env := &ops.Env{Engine: w.Engine}
		node, err := call(t, env, "node_get", map[string]any{"workspaceId": ws, "nodeId": linking})
		if err != nil {
			t.Fatal(err)
		}
		refs := node["node"].(map[string]any)["references"].([]any)
		if r := refs[0].(map[string]any); len(refs) != 1 || r["targetId"] != linked || r["description"] != "sign in" {
			t.Errorf("%s: node_get: %v", link, refs)
		}
		bundle, err := call(t, env, "context_get", map[string]any{"workspaceId": ws, "nodeId": linking})
		if err != nil {
			t.Fatal(err)
		}
		if r := bundle["references"].([]any)[0].(map[string]any); r["targetId"] != linked || r["requirement"] != "with a password" {
			t.Errorf("%s: context_get: %v", link, r)
		}
		if found, err := call(t, env, "workspace_check", map[string]any{"workspaceId": ws}); err != nil || found["diagnostics"] != nil && len(found["diagnostics"].([]any)) > 0 {
			t.Errorf("%s: check: %v, %v", link, found, err)
		}
		add := map[string]any{"workspaceId": ws, "nodeId": linking, "targetIdOrPath": linked, "action": "add"}
		if _, err := call(t, env, "node_reference", add); err == nil || err.Code != "REFERENCE_EXISTS" {
			t.Errorf("%s: the reference is added again: %v", link, err)
		}
		if _, err := call(t, env, "node_delete", map[string]any{"workspaceId": ws, "nodeId": linked}); err != nil {
			t.Fatal(err)
		}
		if text := string(w.Store.Files()[mdstore.NodePath(ws, linking)]); !strings.Contains(text, "- "+link+" (expired)\n") {
			t.Errorf("%s: after the other node was deleted:\n%s", link, text)
		}
	}
}

// A person has moved the folder of a node: links to it lead to no file, and are mended where the id in the path names
// the node.
func TestALinkToANodeThatMovedIsMended(t *testing.T) {
	w := enginetest.New(t, links("[sign in](../"+linked+"/Node.md)"))
	env := &ops.Env{Engine: w.Engine}
	found, err := call(t, env, "workspace_check", map[string]any{"workspaceId": ws})
	if err != nil {
		t.Fatal(err)
	}
	if all := found["diagnostics"].([]any); len(all) != 1 || all[0].(map[string]any)["code"] != "LINK_MOVED" {
		t.Errorf("findings: %v", all)
	}
	if _, err := call(t, env, "workspace_check", map[string]any{"workspaceId": ws, "fix": true}); err != nil {
		t.Fatal(err)
	}
	if text := string(w.Store.Files()[mdstore.NodePath(ws, linking)]); !strings.Contains(text, "[sign in](../sign-in/Node.md)") {
		t.Errorf("after --fix:\n%s", text)
	}
}

func TestALinkThatLeadsToNoNodeIsAFinding(t *testing.T) {
	w := enginetest.New(t, links("[gone](../gone/Node.md)"))
	env := &ops.Env{Engine: w.Engine}
	found, err := call(t, env, "workspace_check", map[string]any{"workspaceId": ws})
	if err != nil {
		t.Fatal(err)
	}
	if all := found["diagnostics"].([]any); len(all) != 1 || all[0].(map[string]any)["code"] != "REFERENCE_DANGLING" {
		t.Errorf("findings: %v", all)
	}
	if _, err := call(t, env, "workspace_check", map[string]any{"workspaceId": ws, "fix": true}); err != nil {
		t.Fatal(err)
	}
	if text := string(w.Store.Files()[mdstore.NodePath(ws, linking)]); !strings.Contains(text, "- [gone](../gone/Node.md) (expired)\n") {
		t.Errorf("after --fix:\n%s", text)
	}
	add := map[string]any{"workspaceId": ws, "nodeId": linking, "targetIdOrPath": "../sign-in/Node.md", "action": "add"}
	out, err := call(t, env, "node_reference", add)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(w.Store.Files()[mdstore.NodePath(ws, linking)]); !strings.Contains(text, "\n- "+linked+"\n") {
		t.Errorf("a link that is added is written as it stands: %v\n%s", out, text)
	}
}
