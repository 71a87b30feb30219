package view

import (
	"net/url"
	"path"
	"strings"

	"arbor/mdstore"
)

// Referred returns the node that a target among n's references names: by its id, or by a link to its file as editors write it. A link
// is a path from the folder of n's file, from nodes/, or from a folder above that. Where it leads to no file, the name of the folder
// counts, which is the id, or ends with it.
func (v *View) Referred(n *mdstore.Node, target string) (*mdstore.Node, bool) {
	if to, ok := v.Node(mdstore.ID(target)); ok {
		return to, true
	}
	dir, file := link(target)
	if !file && strings.Contains(dir, "/") {
		return nil, false // the path of a document
	}
	if to, ok := v.File(mdstore.NodeKind.File(mdstore.Path(path.Join(string(n.Path.Dir()), dir)))); ok && file {
		return to, true
	}
	above, below, whole := cutNodes(dir)
	if owner := path.Base(above); whole && owner != "." && owner != ".." &&
		owner != v.ws.Dir.Base() && owner != string(v.ws.ID) {
		return nil, false // a node of another workspace
	}
	if to, ok := v.File(mdstore.NodeKind.File(mdstore.NodeKind.Folder(v.ws.Dir).Join(below))); ok {
		return to, true
	}
	name := path.Base(below)
	if to, ok := v.Node(mdstore.ID(name)); ok || !file {
		return to, ok
	}
	return v.shortIn(name)
}

// shortIn returns the one node for whose id a folder's name is made.
func (v *View) shortIn(name string) (to *mdstore.Node, ok bool) {
	for _, n := range v.ids {
		if n.ID.Folder(name) {
			if to, ok = v.docs.of(n), to == nil; !ok {
				return nil, false
			}
		}
	}
	return to, ok
}

// References returns the references of a node, expired ones too. The target of a link to a node is that node's id.
func (v *View) References(n *mdstore.Node) []mdstore.Ref {
	refs := n.References()
	for i, r := range refs {
		if to, ok := v.Referred(n, r.Target); ok {
			refs[i].Target = string(to.ID)
		}
	}
	return refs
}

// NamesNode reports whether a target is a generated id of a node or a link to the file of one, and can be nothing else.
func NamesNode(target string) bool {
	dir, file := link(target)
	_, _, whole := cutNodes(dir)
	id := mdstore.ID(path.Base(dir)).Generated("node")
	return id && (file || !strings.Contains(dir, "/")) || file && (whole || strings.HasPrefix(dir, "../"))
}

// LinkedFolder returns the name of the folder that a target names, which is the target itself where it is an id.
func LinkedFolder(target string) string {
	if dir, file := link(target); file {
		return path.Base(dir)
	}
	return target
}

// link returns the path that a target names, without a heading and without what editors encode. Where it is the file of a node,
// it is the path of the folder, and file is true.
func link(target string) (dir string, file bool) {
	dir, _, _ = strings.Cut(target, "#")
	if plain, err := url.PathUnescape(dir); err == nil {
		dir = plain
	}
	dir = path.Clean(dir)
	name := mdstore.NodeKind.Place.Name
	for _, end := range []string{name, strings.TrimSuffix(name, path.Ext(name))} {
		if folder, ok := strings.CutSuffix(dir, "/"+end); ok {
			return folder, true
		}
	}
	return dir, false
}

// cutNodes cuts the path of a node's folder at the folder of all nodes; whole is false where that is not in it.
func cutNodes(dir string) (above, below string, whole bool) {
	nodes := mdstore.NodeKind.Place.Dir + "/"
	if below, whole = strings.CutPrefix(dir, nodes); whole {
		return ".", below, true
	}
	if i := strings.LastIndex(dir, "/"+nodes); i >= 0 {
		return dir[:i], dir[i+1+len(nodes):], true
	}
	for below = dir; strings.HasPrefix(below, "../"); {
		below = below[len("../"):]
	}
	return "", below, false
}
