package mdstore_test

import (
	"testing"

	"arbor/mdstore"
)

// The table says for each path of which kind the file is, and that of a kind in a test only needs no code anywhere
// else.
func TestKindsOfPaths(t *testing.T) {
	memo := &mdstore.Kind{Name: "memo", Form: mdstore.NodeForm, Place: mdstore.Place{Dir: "memos", Name: "*.md"}}
	kinds := append(append(mdstore.Kinds{}, mdstore.AllKinds()...), memo)
	for p, want := range map[mdstore.Path]*mdstore.Kind{
		"ws/Workspace.md":                mdstore.WorkspaceKind,
		"archive/ws/Workspace.md":        mdstore.WorkspaceKind,
		"ws/nodes/a/Node.md":             mdstore.NodeKind,
		"ws/nodes/a/b/c/Node.md":         mdstore.NodeKind,
		"ws/nodes/Node.md":               mdstore.NodeKind,
		"archive/ws/nodes/a/Node.md":     mdstore.NodeKind,
		"ws/memos/first.md":              memo,
		"archive/ws/memos/first.md":      memo,
		"Workspace.md":                   nil,
		"archive/Workspace.md":           nil,
		"ws/nodes/Workspace.md":          nil,
		"ws/Node.md":                     nil,
		"ws/nodes/a/node.md":             nil,
		"ws/nodes/a/Node.md/x":           nil,
		"ws/nodes/.a/Node.md":            nil,
		"ws/nodes/a/.b/Node.md":          nil,
		".ws/Workspace.md":               nil,
		".local/trash/ws/Workspace.md":   nil,
		".local/trash/x/nodes/a/Node.md": nil,
		"archive/.ws/Workspace.md":       nil,
		"ws/memos/first.txt":             nil,
		"ws/memos/.first.md":             nil,
		"ws/memos/in/first.md":           nil,
		"ws":                             nil,
		"":                               nil,
	} {
		if got := kinds.Of(p); got != want {
			t.Errorf("Of(%q) is %v, want %v", p, got, want)
		}
	}
}

func TestWorkspaceDir(t *testing.T) {
	for p, want := range map[mdstore.Path]mdstore.Path{
		"ws": "ws", "ws/Workspace.md": "ws", "ws/nodes/a/Node.md": "ws", "archive/ws/nodes/a": "archive/ws", "archive/ws": "archive/ws",
		"archive": "", "": "", ".local": "", ".local/seen/x": "", "archive/.x/y": "", ".gitignore": "",
	} {
		if got := mdstore.WorkspaceDir(p); got != want {
			t.Errorf("WorkspaceDir(%q) is %q, want %q", p, got, want)
		}
	}
}
