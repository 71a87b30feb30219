package feed

import (
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// An Event is one change of a file in a vault, or of a workspace with all its files.
type Event struct {
	Kind      string       // view.Added, Altered, Removed, Relocated, or Diagnosed
	Workspace mdstore.ID   // the workspace of the file
	Node      mdstore.ID   // "" for the workspace itself: its own file, or all of it if it came, went or moved
	Page      string       // the name of a page's kind; "" for a node and the workspace
	Title     string       // of the node, or the name of the workspace; the last known one if the file has none
	Path      mdstore.Path // the path of the file, or its last path
	From      mdstore.Path // the old path of a moved file
	Nodes     int          // for a workspace that came, went or moved: the number of its nodes
	Status    string       // with Heads, of a node whose status changed: the new one
	Blank     bool         // the file is unreadable now: it counts with its former content until it can be read

	Found  []mdoc.Diagnostic // problems that this change caused, in this file or in others
	Mended []mdoc.Diagnostic // problems that this change ended

	was *mdoc.Doc // the document before; nil for none
	is  *mdoc.Doc // the document after; nil for none or a blank file
}

// Diagnosed is the kind of an event without a change of a file: only diagnostics came or went, such as one about a
// folder without a file.
const Diagnosed = "diagnosed"

// before returns the file's path before the change.
func (v *Event) before() mdstore.Path {
	if v.From != "" {
		return v.From
	}
	return v.Path
}

// Version returns the version of the file after the change, zero for a removed or blank one.
func (v *Event) Version() mdstore.Version {
	if v.is == nil {
		return mdstore.Version{}
	}
	return mdstore.VersionOf(v.is.Bytes())
}

// Fields returns the keys whose values changed, as view.FieldChanges. In successive events of a file, From is the To of
// the event before.
func (v *Event) Fields() []view.FieldChange { return view.FieldChanges(v.was, v.is) }

// Sections returns the sections whose texts changed, as view.SectionChanges.
func (v *Event) Sections() []view.SectionChange { return view.SectionChanges(v.was, v.is) }
