package view_test

import (
	"slices"
	"strings"
	"testing"

	"arbor/engine/view"
	"arbor/mdstore"
)

func TestALinkToTheFileOfANodeNamesIt(t *testing.T) {
	const a, b = "node-mjv3xk00-00000a", "node-mjv3xk00-00000b"
	front := "title: T\ntype: execution\nstatus: pending\nparentId: root"
	at := func(folder string) mdstore.Path { return mdstore.NodePath("ws-a", mdstore.ID(folder)) }
	files := plan("ws-a", a)
	files[at("Über uns")] = node(b, front, "")
	files[at("group/deep")] = node("deep-1", front, "")
	files[at("sub/"+a)] = node("twin", front, "")
	v := viewOf(files)
	from, _ := v.Node(a)
	deep, _ := v.Node("deep-1")
	for _, c := range []struct {
		from   *mdstore.Node
		target string
		want   mdstore.ID // "" for none
	}{
		{from, b, b},
		{from, b + "#Log", b},
		{from, "../" + a + "/Node.md", a},
		{from, "./../" + a + "/Node.md#conclusion", a},
		{from, "nodes/" + a + "/Node", a},
		{from, "plan/ws-a/nodes/" + a + "/Node", a},
		{from, "../../../ws-a/nodes/" + a + "/Node.md", a},
		{from, a + "/Node", a},
		{from, "../%C3%9Cber%20uns/Node.md", b},
		{from, "Über uns/Node", b},
		{from, "../U\u0308ber uns/Node.md", b}, // as a Mac encodes it
		{from, "Über uns", b},
		{from, "../" + b + "/Node.md", b},              // the folder's name before it was renamed
		{from, "../about-us-00000b/Node.md", b},        // another such name, with the short id
		{from, "../group/deep/Node.md", "deep-1"},      //
		{deep, "../../" + a + "/Node.md", a},           //
		{deep, "Node.md", ""},                          //
		{from, "../sub/" + a + "/Node.md", "twin"},     // the file that is there counts first
		{from, "../../../ws-b/nodes/root/Node.md", ""}, // of another workspace
		{from, "root.md", ""},
		{from, "docs/root", ""},                                    // a document
		{from, "../node-mjv3xk00-00000c/Node.md", ""},              //
		{from, "../%zz/Node.md", ""},                               //
		{from, "https://example.org/nodes/" + a + "x/Node.md", ""}, //
	} {
		to, ok := v.Referred(c.from, c.target)
		if ok != (c.want != "") || ok && to.ID != c.want {
			t.Errorf("Referred(%s, %q) is %v, want %q", c.from.ID, c.target, to, c.want)
		}
	}
}

func TestNamesNode(t *testing.T) {
	for target, want := range map[string]bool{
		"node-mjv3xk00-000001": true, "node-mjv3xk00-a8z0k3": true, "node-mjv3xk00-000001#Log": true,
		"../x/Node.md": true, "nodes/x/Node": true, "plan/ws-1/nodes/x/Node.md": true, "node-mjv3xk00-000001/Node": true,
		"node-gyp": false, "node-v20": false, "node-test-runner": false, "node-mjv3xk00-00001": false, "node-MJV3XK00-000001": false,
		"node-mjv3xk00-000001.md": false, "ws-mjv3xk00-000001": false, "node-mjv3xk00": false, "root": false, "": false,
		"docs/Node.md": false, "Node.md": false, "../x/y.md": false,
	} {
		if view.NamesNode(target) != want {
			t.Errorf("NamesNode(%q) = %v", target, !want)
		}
	}
}

// A parent that is named by a link is the node that the link leads to, also after that or the node itself has changed.
func TestALinkNamesTheParent(t *testing.T) {
	const a, b = "node-mjv3xk00-00000a", "node-mjv3xk00-00000b"
	front := "title: Walls\ntype: planning\nstatus: monitoring\nparentId: root"
	files := plan("ws-a")
	files[mdstore.NodePath("ws-a", "Walls")] = node(a, front, "")
	at := mdstore.NodePath("ws-a", b)
	files[at] = node(b, "title: Paint\ntype: execution\nstatus: pending\nparentId: \"[[Walls/Node|The walls]]\"", "")
	v := viewOf(files)
	parent := func(v *view.View, want mdstore.ID) {
		t.Helper()
		if n, ok := v.Node(b); !ok || n.Parent != want || !slices.Contains(v.Children(want), b) {
			t.Errorf("the node's parent is %q, want %q", n.Parent, want)
		}
	}
	parent(v, a)
	file := func(p mdstore.Path, data []byte) mdstore.File {
		return mdstore.File{Path: p, Data: data, Version: mdstore.VersionOf(data)}
	}
	parent(v.With(file(at, []byte(strings.Replace(string(files[at]), "Paint", "Paint it", 1)))), a)
	walls := mdstore.NodePath("ws-a", "Walls")
	parent(v.With(file(walls, []byte(strings.Replace(string(files[walls]), a, "other", 1)))), "other")
	parent(v.With(file(at, []byte(strings.Replace(string(files[at]), "Walls/Node|The walls", "Walls#Log", 1)))), a)
}
