package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// An ImportPage is a session or a state that comes along with the items. Its id is drawn.
type ImportPage struct {
	Key      string // within the source
	Session  string // of a state: the key of its session; "" for none
	Name, At string
	Kind     *mdstore.Kind
	Fields   []mdoc.FieldValue
	Sections []mdoc.SectionText
}

// pages makes the files of new sessions and states.
func (m *importing) pages() error {
	d, ids := m.d, map[string]mdstore.ID{} // by key
	for _, x := range m.Pages {
		from := m.Kind + ":" + x.Key
		is := func(p *mdstore.Page) bool { return p.Field(ImportedKey) == from }
		all := d.View.Pages().Of(x.Kind)
		if i := slices.IndexFunc(all, is); i >= 0 {
			ids[x.Key] = all[i].ID
			m.out.There++
			m.comparePage(all[i], x)
			continue
		}
		id, err := freshPage(d, x.Kind, x.Kind.Name)
		if err != nil {
			return err
		}
		name, _ := fitTitle(x.Name)
		var f front
		f.text(mdstore.KeyID, string(id))
		f.text(mdstore.KeyName, name)
		if x.Session != "" {
			f.text(mdstore.KeySession, string(ids[x.Session]))
		}
		f = append(f, x.Fields...)
		f.text(ImportedKey, from)
		path := sessionPath(d.View.Workspace().Dir, id)
		if x.Kind == mdstore.StateKind {
			path = x.Kind.FileFor(x.Kind.Folder(d.View.Workspace().Dir), string(id))
		}
		doc, adapted, err := mdoc.Compose(string(path), x.Kind.Form, f, x.Sections)
		if err == nil && len(doc.Bytes()) > mdstore.MaxFileSize {
			err = errs.New(errs.InvalidContent, "it has %d bytes; at most %d are allowed", len(doc.Bytes()), mdstore.MaxFileSize)
		}
		if err != nil {
			m.left(x.At, "the %s %s is left out: %s", x.Kind.Name, short(x.Name), errs.As(err).Message)
			continue
		}
		ids[x.Key] = id
		d.adapted = append(d.adapted, adapted...)
		d.whole(mdstore.Change{Path: path, New: doc.Bytes()}, created(id, name))
		m.out.Pages++
	}
	return nil
}

// brief gives the workspace those parts of the briefing that it lacks, and names those that differ.
func (m *importing) brief() error {
	if m.Briefing == nil {
		return nil
	}
	w, edit, err := m.d.editWorkspace()
	if err != nil {
		return err
	}
	b, have, set := *m.Briefing, w.Briefing(), false
	text := func(what, have string, p **string) {
		switch {
		case *p == nil:
		case have == "":
			set = true
		default:
			if nested, _, err := mdoc.Nest(**p, 2); err != nil || strings.TrimSpace(nested) != strings.TrimSpace(have) {
				m.out.Differ = append(m.out.Differ, fmt.Sprintf("the %s of the workspace is another one in the source", what))
			}
			*p = nil
		}
	}
	field := func(key string) string { f, _ := w.Doc.Field(key); return f.Value }
	text("description", field(mdstore.KeyDescription), &b.Description)
	text("folder", field(mdstore.KeyRootFolder), &b.RootFolder)
	text("purpose", have.Purpose, &b.Purpose)
	text("current goal", have.CurrentGoal, &b.CurrentGoal)
	text("preferences", have.Preferences, &b.Preferences)
	if len(have.Workflows) > 0 {
		b.Workflows = nil
	}
	if len(have.KeyFiles) > 0 {
		b.KeyFiles = nil
	}
	if !set && len(b.Workflows)+len(b.KeyFiles) == 0 {
		return nil
	}
	return b.edit(edit, string(w.ID))
}

// beside adds what comes along with the items.
func (m *importing) beside() error {
	return cmp.Or(m.documents(), m.memories(), m.pages(), m.brief())
}

// comparePage names the sections of a session or state that differ from the source.
func (m *importing) comparePage(p *mdstore.Page, x ImportPage) {
	doc, _, err := mdoc.Compose("", x.Kind.Form, nil, x.Sections)
	for _, s := range x.Sections {
		if err == nil && doc.Text(s.Name) != p.Doc().Text(s.Name) {
			says := fmt.Sprintf("the %s %s: the source has another %s", x.Kind.Name, p.Name(), strings.ToLower(s.Name))
			m.out.Differ = append(m.out.Differ, says)
		}
	}
}
