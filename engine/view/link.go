package view

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"arbor/mdstore"
	"arbor/mdstore/fold"
)

// Referred returns the node that a target among n's references names: by its id, or by a link to its file as editors
// write it. A link is a path from the folder of n's file, from nodes/, or from a folder above that. If it leads to
// no file, the name of the folder counts, which is made for the id.
func (v *View) Referred(n *mdstore.Node, target string) (to *mdstore.Node, ok bool) {
	if to, ok = v.Node(mdstore.ID(target)); ok {
		return to, true
	}
	dir, file := link(target)
	if !file && strings.Contains(dir, "/") {
		return nil, false // the path of a document
	}
	above, below, whole := cutNodes(dir)
	owner := path.Base(above)
	if whole && owner != "." && owner != ".." && owner != v.ws.Dir.Base() && owner != string(v.ws.ID) {
		return nil, false // a node of another workspace
	}
	near := mdstore.Path(path.Join(string(n.Path.Dir()), dir))
	for _, folder := range []mdstore.Path{near, mdstore.NodeKind.Folder(v.ws.Dir).Join(below)} {
		if to, ok = v.File(mdstore.NodeKind.File(folder)); ok {
			return to, true
		}
		if to, ok = v.composed(mdstore.NodeKind.File(folder)); ok && file {
			return to, true
		}
	}
	name := path.Base(below)
	if to, ok = v.Node(mdstore.ID(name)); ok || !file {
		return to, ok
	}
	for _, n := range v.ids {
		switch {
		case !n.ID.Folder(name):
		case ok:
			return nil, false // several
		default:
			to, ok = v.docs.of(n), true
		}
	}
	return to, ok
}

// Astray returns the node that a relative link of n to a file means, if no file is where the path leads: the node has
// moved, or n has.
func (v *View) Astray(n *mdstore.Node, target string) (to *mdstore.Node, ok bool) {
	dir, _ := link(target)
	places := []mdstore.Path{mdstore.Path(path.Join(string(n.Path.Dir()), dir))}
	if !strings.HasPrefix(dir, "../") {
		_, below, _ := cutNodes(dir)
		places = append(places, mdstore.NodeKind.Folder(v.ws.Dir).Join(below))
	}
	for _, folder := range places {
		p := mdstore.NodeKind.File(folder)
		_, there := v.File(p)
		if _, so := v.composed(p); there || so {
			return nil, false
		}
	}
	return v.Referred(n, target)
}

// LinkTo returns the relative path of a link in the file of a node to the file of another.
func LinkTo(n, to *mdstore.Node) string {
	from, dir := strings.Split(string(n.Path.Dir()), "/"), strings.Split(string(to.Path), "/")
	for len(from) > 0 && len(dir) > 1 && from[0] == dir[0] {
		from, dir = from[1:], dir[1:]
	}
	return strings.ReplaceAll(strings.Repeat("../", len(from))+strings.Join(dir, "/"), " ", "%20")
}

// composed returns the only node whose file has a path that differs from p in how accents are encoded.
func (v *View) composed(p mdstore.Path) (to *mdstore.Node, ok bool) {
	if !strings.ContainsFunc(string(p), func(r rune) bool { return r > unicode.MaxASCII }) {
		return nil, false
	}
	to, ok = v.only(func(n *mdstore.Node) bool { return fold.Composed(string(n.Path)) == fold.Composed(string(p)) })
	if ok {
		to = v.docs.of(to)
	}
	return to, ok
}

// Titled returns the only node with a title.
func (v *View) Titled(title string) (to *mdstore.Node, ok bool) {
	return v.only(func(n *mdstore.Node) bool { return n.Title == title })
}

// References returns the references of a node, expired ones too. The target of a link to a node is that node's id.
func References(v *View, n *mdstore.Node) []mdstore.Ref {
	refs := n.References()
	for i, r := range refs {
		if to, ok := v.Referred(n, r.Target); ok {
			refs[i].Target = string(to.ID)
		}
	}
	return refs
}

// NamesNode reports whether a target can only be a node: it is a generated id, or a link to the file of a node.
func NamesNode(target string) bool {
	dir, file := link(target)
	_, _, whole := cutNodes(dir)
	id := mdstore.ID(path.Base(dir)).Generated("node")
	return id && (file || !strings.Contains(dir, "/")) || file && (whole || strings.HasPrefix(dir, "../"))
}

// link returns the path that a target names, without a heading and without what editors encode. If it is the file of
// a node, it is the path of the folder, and file is true.
func link(target string) (dir string, file bool) {
	dir, _, _ = strings.Cut(target, "#")
	if plain, err := url.PathUnescape(dir); err == nil {
		dir = plain
	}
	dir = path.Clean(dir)
	name, ext, _ := strings.Cut(mdstore.NodeKind.Place.Name, ".")
	if folder, file := strings.CutSuffix(strings.TrimSuffix(dir, "."+ext), "/"+name); file {
		return folder, true
	}
	return dir, false
}

// cutNodes cuts the path of a node's folder at the folder of all nodes; whole is false if that is not in it.
func cutNodes(dir string) (above, below string, whole bool) {
	nodes := "/" + mdstore.NodeKind.Place.Dir + "/"
	if i := strings.LastIndex("/"+dir, nodes); i >= 0 {
		return dir[:max(i-1, 0)], dir[i+len(nodes)-1:], true
	}
	for below = dir; strings.HasPrefix(below, "../"); {
		below = below[len("../"):]
	}
	return "", below, false
}
