package view

import (
	"slices"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A recording view names each document that was used and is not loaded, however the node was reached, and hands out
// those that are.
func TestRecordingNamesTheDocumentsThatAreUsed(t *testing.T) {
	var nodes []*mdstore.Node
	docs := map[mdstore.Path]*mdoc.Doc{}
	for _, f := range []mdstore.File{file("root", "root", ""), file("a", "a", "## Note\n\na\n"), file("b", "b", "## Note\n\nb\n"), file("c", "c", "## Note\n\nc\n")} {
		f.Version = mdstore.VersionOf(f.Data)
		n := mdstore.ParseNode(f)
		nodes = append(nodes, n.Lean())
		docs[f.Path] = n.Doc()
	}
	v := New(workspaceOf("w"), nodes, nil)
	some := map[mdstore.Path]*mdoc.Doc{mdstore.NodePath("w", "c"): docs[mdstore.NodePath("w", "c")]}
	for name, use := range map[string]func(*View){
		"Node":  func(v *View) { n, _ := v.Node("a"); _ = n.Note() },
		"File":  func(v *View) { n, _ := v.File(mdstore.NodePath("w", "a")); _ = n.Note() },
		"Files": func(v *View) { _ = v.Files("a")[0].Note() },
		"Below": func(v *View) { _ = v.Below("root")[0].Note() },
		"All":   func(v *View) { _ = slices.Collect(v.All())[0].Note() },
	} {
		r := v.Recording(some)
		if len(r.Wanted()) > 0 {
			t.Errorf("%s: before anything was used, %v", name, r.Wanted())
		}
		n, _ := r.Node("c")
		if n.Note() != "c" {
			t.Errorf("%s: the document that is loaded says %q", name, n.Note())
		}
		use(r)
		if w := r.Wanted(); len(w) != 1 || w[0].Path != mdstore.NodePath("w", "a") {
			t.Errorf("%s: wanted %v", name, w)
		}
		full := v.Recording(docs)
		use(full)
		if len(full.Wanted()) > 0 {
			t.Errorf("%s: with all documents, %v is wanted", name, full.Wanted())
		}
	}
	if v.Wanted() != nil {
		t.Error("a view that does not record wants documents")
	}
}

// Facts, front matter and version of a node without its document are those of the node with it.
func TestLeanViewsSayTheSame(t *testing.T) {
	f := file("a", "a", "## Note\n\na\n\n## References\n\n- node-x\n")
	f.Version = mdstore.VersionOf(f.Data)
	full := mdstore.ParseNode(f)
	lean := New(workspaceOf("w"), nil, nil).WithLean(f)
	n, _ := lean.Node("a")
	if n.Loaded() || n.Facts() != full.Facts() || n.Title != full.Title || n.Version() != full.Version() {
		t.Errorf("lean, the node is %+v; want %+v", n, full)
	}
}
