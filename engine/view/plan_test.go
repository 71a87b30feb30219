package view_test

import (
	"fmt"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
)

// The helpers of enginetest would need an engine, and so a second build of all packages between it and this one.

// plan returns a workspace, its root, and below it an execution node for each of the ids.
func plan(ws mdstore.ID, ids ...mdstore.ID) map[mdstore.Path][]byte {
	dir := mdstore.Path(ws)
	files := map[mdstore.Path][]byte{
		mdstore.WorkspacePath(dir):          fmt.Appendf(nil, "---\nid: %s\nname: A\ngoal: g\nstatus: active\n---\n", ws),
		mdstore.NodePath(dir, mdstore.Root): node("root", "title: A\ntype: planning\nstatus: monitoring", ""),
	}
	for _, id := range ids {
		files[mdstore.NodePath(dir, id)] = node(string(id),
			"title: T "+string(id)+"\ntype: execution\nstatus: pending\nparentId: root", "## Note\n\nn\n")
	}
	return files
}

// node returns the bytes of a Node.md with these front matter lines besides its id, and with that body.
func node(id, fields, body string) []byte {
	return []byte("---\nid: " + id + "\n" + fields + "\n---\n\n" + body)
}

// viewOf returns the view of a workspace.
func viewOf(files map[mdstore.Path][]byte) *view.View {
	var w *mdstore.Workspace
	var nodes []*mdstore.Node
	for p, data := range files {
		f := mdstore.File{Path: p, Data: data, Version: mdstore.VersionOf(data)}
		if strings.HasSuffix(string(p), mdstore.WorkspaceFile) {
			w = mdstore.ParseWorkspace(f)
		} else {
			nodes = append(nodes, mdstore.ParseNode(f))
		}
	}
	return view.New(w, nodes, nil)
}
