package engine

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A made is a file as it becomes, with its document where somebody has read it already, which is found to be sound then; nil where not.
type made struct {
	mdstore.File
	doc *mdoc.Doc
}

func (m made) node() *mdstore.Node {
	if m.doc == nil {
		return mdstore.ParseNode(m.File)
	}
	n := mdstore.NodeOf(m.Path, m.Version, m.doc, nil)
	n.Stamp = m.Stamp
	return n
}

func (m made) workspace() *mdstore.Workspace {
	if m.doc == nil {
		return mdstore.ParseWorkspace(m.File)
	}
	w := mdstore.WorkspaceOf(m.Path, m.Version, m.doc, nil)
	w.Stamp = m.Stamp
	return w
}

// made returns the files of the workspace as the draft's changes make them.
func (d *draft) made(changes []mdstore.Change) []made {
	var out []made
	for _, c := range changes {
		if c.To != "" && d.leaves(c) {
			for n := range d.snap.under(c.Path) {
				out = append(out, made{File: mdstore.File{Path: n.Path}})
			}
			continue
		}
		if c.Keep || c.To != "" || !c.Path.Under(d.snap.ws.Dir) {
			continue
		}
		if b := c.Path.Base(); b != mdstore.NodeFile && c.Path != d.snap.ws.Path {
			continue
		}
		m := made{File: mdstore.File{Path: c.Path, Data: c.New}}
		if e := d.edits[c.Path]; e != nil && e.after != nil && c.New != nil && e.after.Name() == string(c.Path) {
			m.doc, m.Version = e.after, e.version()
		} else if c.New != nil {
			m.Version = mdstore.VersionOf(c.New)
		}
		out = append(out, m)
	}
	return out
}

// version returns the version of the file after the edit.
func (e *edit) version() mdstore.Version {
	if e.becomes.IsZero() {
		e.becomes = mdstore.VersionOf(e.after.Bytes())
	}
	return e.becomes
}
