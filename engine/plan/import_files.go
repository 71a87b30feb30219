package plan

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// empty reports whether the workspace has nothing yet: its own file, and a root without texts. An import of a whole
// workspace into it replaces both.
func (m *importing) empty() bool {
	root, ok := m.d.View.Node(mdstore.Root)
	if !ok || m.Into != mdstore.Root || m.d.View.Len() != 1 || m.d.Editable(root) != nil {
		return false
	}
	for _, x := range root.Doc().Sections() {
		if x.Name != mdstore.SecLog && root.Doc().Text(x.Name) != "" {
			return false
		}
	}
	return true
}

// replaces reports whether the id is that of the root, and an item replaces it.
func (m *importing) replaces(id mdstore.ID) bool {
	return id == mdstore.Root && slices.Contains(m.ids, id) && m.empty()
}

// free reports whether a new node can have the id of its file.
func (m *importing) free(id mdstore.ID) bool {
	if id == mdstore.Root {
		return m.empty() && !slices.Contains(m.d.drawn, id)
	}
	_, taken := m.d.View.Node(id)
	_, broken := m.d.View.BrokenFolder(string(id))
	return id.Valid() && !taken && !broken && !slices.Contains(m.d.drawn, id)
}

// addFile adds the file of an item that has one.
func (m *importing) addFile(i int, parent mdstore.ID, depth int) error {
	it, d, id := &m.Items[i], m.d, m.ids[i]
	doc, err := m.fitted(i, parent)
	if err != nil {
		return err
	}
	if id == mdstore.Root {
		root, _ := d.View.Node(id)
		if root.Version() == mdstore.VersionOf(doc.Bytes()) {
			return nil
		}
		d.whole(mdstore.Change{Path: root.Path, Base: root.Version(), New: doc.Bytes()}, replaced(id, it.Title))
		return nil
	}
	d.whole(mdstore.Change{Path: m.paths[it.Key], New: doc.Bytes()}, created(id, it.Title))
	m.out.Made = append(m.out.Made, ImportedNode{id, parent, depth, it.Title, it.Status})
	return nil
}

// replaced returns the change that another text took the place of a file's.
func replaced(id mdstore.ID, name string) view.Change {
	return view.Change{ID: id, Do: "replaced", Name: name}
}

// fitted returns the file of an item with the ids that it and others get, and without dependencies that are left out.
func (m *importing) fitted(i int, parent mdstore.ID) (*mdoc.Doc, error) {
	it, id := &m.Items[i], m.ids[i]
	doc := m.relinked(it)
	var all []mdoc.Patch
	var failed error
	put := func(p mdoc.Patch, err error) {
		all = append(all, p)
		failed = cmp.Or(failed, err)
	}
	if id != it.ID {
		put(doc.SetField(mdstore.KeyID, mdoc.Text(string(id))))
		if m.Kind != "" {
			put(doc.SetField(ImportedKey, mdoc.Text(m.Kind+":"+it.Key)))
		}
		if it.ID == mdstore.Root && it.Type != statemachine.Planning {
			put(doc.SetField(mdstore.KeyType, mdoc.Text(string(statemachine.Planning))))
		}
	}
	if up, ok := m.at[it.Up]; id != mdstore.Root && (!ok || m.ids[up] != m.Items[up].ID || m.ids[up] != parent) {
		put(doc.SetField(mdstore.KeyParent, mdoc.Text(string(parent))))
	}
	if targets, changed := m.dependsOn(it); changed {
		put(doc.SetField("dependencies", mdoc.List(targets...)))
	}
	m.carry(doc, mdstore.SecDocs, put)
	for _, r := range mdstore.NodeOf(it.File.Path, mdstore.Version{}, doc, nil).References() {
		k, ok := m.at[it.Links[r.Target]]
		if !ok || m.ids[k] == m.Items[k].ID {
			continue
		}
		r.Target = string(m.ids[k])
		if text, ok := r.Format(); ok {
			put(doc.ReplaceItem(mdstore.SecReferences, r.Index, text))
		}
	}
	if failed != nil || len(all) == 0 {
		return doc, failed
	}
	return doc.Apply(all...)
}

// dependsOn returns the texts that name what a node of a file depends on, and whether they differ from those of the
// file.
func (m *importing) dependsOn(it *ImportItem) (targets []string, changed bool) {
	for _, target := range it.File.Dependencies {
		k, ok := m.at[it.Links[target]]
		switch {
		case !ok:
		case !slices.Contains(it.Dependencies, string(m.ids[k])):
			changed = true
			continue
		case m.ids[k] != m.Items[k].ID:
			target, changed = string(m.ids[k]), true
		}
		targets = append(targets, target)
	}
	return targets, changed
}

// files adds the further files of a workspace. Its own file becomes that of an empty workspace, but for id and name.
// What is there already stays.
func (m *importing) files() {
	w := m.d.View.Workspace()
	for _, rel := range slices.Sorted(maps.Keys(m.Files)) {
		p, text := w.Dir.Join(string(rel)), m.Files[rel]
		kind := mdstore.AllKinds().Of(p)
		switch {
		case p.Valid() && p.Under(w.Dir.Join(importedDir)):
			if text == nil {
				continue // it is there
			}
			m.d.whole(mdstore.Change{Path: p, New: append([]byte{}, text...)})
			m.out.Docs = append(m.out.Docs, string(p))
		case !p.Valid() || kind == nil || kind == mdstore.NodeKind || kind.Place.Vault || p.Under(mdstore.LocalDir):
			m.left(string(rel), "no file of a workspace is there; it is left out")
		case kind == mdstore.WorkspaceKind && m.replaces(mdstore.Root):
			m.workspace(text)
		case kind == mdstore.WorkspaceKind && alikeButHead(w.Doc, text):
		case kind == mdstore.WorkspaceKind:
			m.left(string(rel), "goal, rules and docs of the workspace are left out: this one has its own")
		default:
			m.page(kind, p, rel, text)
		}
	}
}

// alikeButHead reports whether a workspace's file has a text but for the front matter.
func alikeButHead(doc *mdoc.Doc, text []byte) bool {
	other, _ := mdoc.Parse("", text, mdstore.WorkspaceForm)
	return bytes.Equal(doc.Bytes()[len(doc.Front()):], text[min(len(other.Front()), len(text)):])
}

// workspace gives the workspace the text of another one's file.
func (m *importing) workspace(text []byte) {
	w := m.d.View.Workspace()
	doc, problems := mdoc.Parse(string(w.Path), text, mdstore.WorkspaceForm)
	var all []mdoc.Patch
	var failed error
	put := func(p mdoc.Patch, err error) {
		all = append(all, p)
		failed = cmp.Or(failed, err)
	}
	put(doc.SetField(mdstore.KeyID, mdoc.Text(string(w.ID))))
	put(doc.SetField(mdstore.KeyName, mdoc.Text(w.Name)))
	m.carry(doc, mdstore.SecDocs, put)
	if failed == nil && len(problems) == 0 {
		doc, failed = doc.Apply(all...)
	}
	if failed == nil && bytes.Equal(doc.Bytes(), w.Doc.Bytes()) {
		return
	}
	if failed != nil || len(problems) > 0 {
		m.left(string(w.Path), "it cannot be read; goal, rules and docs are left out")
		return
	}
	m.d.whole(mdstore.Change{Path: w.Path, Base: w.Version, New: doc.Bytes()}, replaced(w.ID, w.Name))
}

// page adds a file that is neither a node nor the workspace's own.
func (m *importing) page(kind *mdstore.Kind, p, rel mdstore.Path, text []byte) {
	if kind == mdstore.StateKind {
		text = m.named(p, text)
	}
	pages := m.d.View.Pages()
	_, broken := pages.Broken()[p]
	page, there := pages.At(p)
	switch {
	case broken || there && !bytes.Equal(page.Doc().Bytes(), text):
		m.left(string(rel), "it is there, with another text, which stays")
	case !there:
		doc, problems := mdoc.Parse(string(p), text, kind.Form)
		page := mdstore.PageOf(kind, p, mdstore.Version{}, doc, problems)
		m.d.whole(mdstore.Change{Path: p, New: mdstore.Stored(p, text)}, created(page.ID, page.Name()))
	}
}

// named returns the text of a state with the id that its node gets.
func (m *importing) named(p mdstore.Path, text []byte) []byte {
	doc, problems := mdoc.Parse(string(p), text, mdstore.StateKind.Form)
	f, ok := doc.Field(mdstore.KeyNode)
	for i := range m.Items {
		if it := &m.Items[i]; ok && len(problems) == 0 && string(it.ID) == f.Value && m.ids[i] != it.ID && it.File != nil {
			patch, err := doc.SetField(mdstore.KeyNode, mdoc.Text(string(m.ids[i])))
			if err == nil {
				doc, err = doc.Apply(patch)
			}
			if err == nil {
				return doc.Bytes()
			}
		}
	}
	return text
}
