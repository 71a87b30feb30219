package plan

import (
	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"fmt"
	"slices"
	"strings"
)

// An ImportDoc is a file that becomes a document of the workspace.
type ImportDoc struct {
	Path    string // below the folder that it is imported into
	Title   string
	Text    []byte
	At      string // where it stands, for messages
	There   bool   // it was imported before
	Differs bool   // the file that is there has another text
	Of      string // the key of the item whose document it is, instead of the workspace's; it names it by Path
}

// importedDir is the folder of a workspace for files that came with an import.
const importedDir = "imported"

// Imported returns the folder of a workspace for files that came with imports.
func Imported(w *mdstore.Workspace) mdstore.Path { return w.Path.Dir().Join(importedDir) }

// ImportedDir returns the folder of the documents that were imported from a kind of source.
func ImportedDir(w *mdstore.Workspace, kind string) mdstore.Path {
	return Imported(w).Join(kind)
}

// documents makes the files of new documents, and adds them to those of the workspace.
func (m *importing) documents() error {
	for _, doc := range m.Docs {
		if doc.There {
			m.out.There++
			if doc.Differs {
				to := ImportedDir(m.d.View.Workspace(), m.Kind).Join(doc.Path)
				m.out.Differ = append(m.out.Differ, fmt.Sprintf("the source has another text of the document %s", to))
			}
			continue
		}
		w, edit, err := m.d.editWorkspace()
		if err != nil {
			return err
		}
		to, ref, err := m.documentAt(doc)
		if err != nil {
			m.left(doc.At, "the document is left out: %s", errs.As(err).Message)
			continue
		}
		if doc.Of == "" {
			item, _ := formatRef("document", ref)
			edit.append(mdstore.SecDocs, item)
			edit.Did(view.Change{ID: w.ID, Key: "docs", Do: view.Plus, To: ref.Target})
		}
		m.d.whole(mdstore.Change{Path: to, New: append([]byte{}, doc.Text...)})
		m.out.Docs = append(m.out.Docs, string(to))
	}
	return nil
}

// documentAt returns the path of a document in the vault, and what names it. The error says why it is left out.
func (m *importing) documentAt(doc ImportDoc) (to mdstore.Path, ref mdstore.Ref, err error) {
	to = ImportedDir(m.d.View.Workspace(), m.Kind).Join(doc.Path)
	ref = mdstore.Ref{Target: string(mdstore.Path(m.Vault).Join(string(to))), Description: doc.Title}
	if _, ok := ref.Format(); !ok {
		ref.Description = ""
	}
	if _, err = formatRef("document", ref); err != nil {
		return to, ref, err
	}
	switch {
	case !to.Valid():
		err = errs.New(errs.InvalidPath, "%q cannot be the path of a file in a vault", to)
	case len(doc.Text) > mdstore.MaxFileSize:
		const most = "it has %d bytes; at most %d are allowed"
		err = errs.New(errs.InvalidContent, most, len(doc.Text), mdstore.MaxFileSize)
	}
	return to, ref, err
}

// copied returns the documents of an item, with the paths of those that are copied to the vault, and without those
// that are left out.
func (m *importing) copied(it *ImportItem) (all []mdstore.Ref) {
	for _, ref := range it.Docs {
		at := slices.IndexFunc(m.Docs, func(d ImportDoc) bool { return d.Of == it.Key && d.Path == ref.Target })
		if at >= 0 {
			_, to, err := m.documentAt(m.Docs[at])
			if err != nil {
				continue
			}
			ref.Target = to.Target
		}
		all = append(all, ref)
	}
	return all
}

// An ImportMemory is a text that becomes an entry of a slot.
type ImportMemory struct{ Key, Text, At string }

// importedKey is the metadata of an entry that says which key it had.
const importedKey = "key"

// memories adds the entries that the slot lacks.
func (m *importing) memories() error {
	if len(m.Memories) == 0 {
		return nil
	}
	there := map[string]string{}
	for _, p := range view.SlotsNamed(m.d.View, m.Kind, false) {
		for _, e := range mdstore.EntriesOf(p.Doc()) {
			if key, ok := e.Meta[importedKey].(string); ok {
				there[key] = e.Text
			}
		}
	}
	var add []mdstore.SlotEntry
	for _, x := range m.Memories {
		text, has := there[x.Key]
		switch {
		case !has:
			there[x.Key] = x.Text
			add = append(add, mdstore.SlotEntry{Type: mdstore.EntryImport, Title: slotTitle(x.Key), Text: x.Text,
				Meta: map[string]any{importedKey: x.Key}})
			continue
		case strings.TrimSpace(text) != strings.TrimSpace(x.Text):
			differs := fmt.Sprintf("the entry %s of slot %s has another text in the source", x.Key, m.Kind)
			m.out.Differ = append(m.out.Differ, differs)
		}
		m.out.There++
	}
	if len(add) == 0 {
		return nil
	}
	done, err := addEntries(m.d, m.Kind, SlotFacts{}, add, nil, nil)
	m.out.Entries = done.Added
	return err
}

// slotTitle returns a key as the title of an entry, "" if it cannot be one.
func slotTitle(key string) string {
	if oneLine("key", key, maxTitle) != nil || strings.Contains(key, "·") {
		return ""
	}
	return strings.TrimSpace(key)
}
