package render_test

import (
	"slices"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"

	"github.com/rogpeppe/go-internal/txtar"
)

// A folder is a Source over the files of an archive: Workspace.md and nodes/<folder>/Node.md below one folder, and
// documents of the project below docs/.
type folder struct {
	ws    *mdstore.Workspace
	nodes map[mdstore.ID]*mdstore.Node
	kids  map[mdstore.ID][]mdstore.ID
	docs  map[string]mdoc.Foreign
}

func (f *folder) Workspace() *mdstore.Workspace            { return f.ws }
func (f *folder) Node(id mdstore.ID) (*mdstore.Node, bool) { n, ok := f.nodes[id]; return n, ok }
func (f *folder) Children(id mdstore.ID) []mdstore.ID      { return f.kids[id] }
func (f *folder) Referred(_ *mdstore.Node, target string) (*mdstore.Node, bool) {
	return f.Node(mdstore.ID(target))
}

// Doc returns what the front matter of a document says of it.
func (f *folder) Doc(target string) (mdoc.Foreign, bool) {
	name, _, _ := strings.Cut(target, "#")
	d, ok := f.docs[name]
	return d, ok
}

func open(ar *txtar.Archive) *folder {
	f := &folder{nodes: map[mdstore.ID]*mdstore.Node{}, kids: map[mdstore.ID][]mdstore.ID{}, docs: map[string]mdoc.Foreign{}}
	for _, file := range ar.Files {
		path := mdstore.Path(file.Name)
		in := mdstore.File{Path: path, Version: mdstore.VersionOf(file.Data), Data: file.Data}
		switch {
		case path.Base() == mdstore.WorkspaceFile:
			f.ws = mdstore.ParseWorkspace(in)
		case path.Base() == mdstore.NodeFile:
			n := mdstore.ParseNode(in)
			f.nodes[n.ID] = n
			f.kids[n.Parent] = append(f.kids[n.Parent], n.ID)
		case path.Under("docs"):
			f.docs[file.Name] = mdoc.ReadForeign(file.Data)
		}
	}
	for _, ids := range f.kids {
		slices.SortFunc(ids, func(a, b mdstore.ID) int { return f.nodes[a].Compare(f.nodes[b]) })
	}
	return f
}

// nodeFile makes a Node.md.
func nodeFile(id, parent, body string) txtar.File {
	return txtar.File{Name: "ws-1/nodes/" + id + "/Node.md", Data: []byte("---\nid: " + id + "\ntitle: The part called " + id +
		"\ntype: planning\nstatus: monitoring\nparentId: " + parent + "\n---\n\n" + strings.TrimLeft(body, "\n"))}
}

func contextOf(t testing.TB, src *folder, focus mdstore.ID, opt assemble.Options) *assemble.Bundle {
	t.Helper()
	opt.Doc = src.Doc
	b, err := assemble.Context(src, focus, opt)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
