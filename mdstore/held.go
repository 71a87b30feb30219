package mdstore

import "arbor/mdstore/mdoc"

// Lost reports whether the file is damaged so that not even its front matter can be read: who the node is, and what it
// is about.
func (n *Node) Lost() bool { return n.lost }

// Held returns the node with the front matter that its file had when it could last be read, and with the version, the
// problems and the text that it has now. It is for readers: the document is closed to edits.
func (n *Node) Held(last *Node) *Node {
	held := *last
	held.version, held.Stamp, held.facts, held.Problems, held.damaged = n.version, n.Stamp, "", n.Problems, true
	held.doc = n.doc
	return &held
}

// Lost reports whether the file is damaged so that not even its front matter can be read.
func (w *Workspace) Lost() bool { return lost(w.Doc) }

// Held returns the workspace with the meaning that its file had when it could last be read, as Node.Held does.
func (w *Workspace) Held(last *Workspace) *Workspace {
	held := *last
	held.Version, held.Problems = w.Version, w.Problems
	held.Doc = last.Doc.Closed(w.Problems[0])
	return &held
}

func lost(d *mdoc.Doc) bool { return d.Editable() != nil && len(d.Fields()) == 0 }
