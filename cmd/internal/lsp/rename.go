package lsp

import (
	"context"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A naming is what rename changes: the title of a node, a tag, or the name of a slot.
type naming struct {
	what plan.Rename // without the new name
	name string      // the present one
	at   span        // where it is named
}

// namingAt returns what is named at a place of a document.
func (s *server) namingAt(d *document, w *view.View, at int) (x naming, ok bool) {
	if r, ok := d.refAt(at); ok {
		to, ok := s.lead(d.vault, d.path, w, r)
		in := d.text.span(r.start, r.end)
		switch {
		case !ok:
			return naming{}, false
		case to.node != nil:
			return naming{plan.Rename{Node: to.node.ID}, to.node.Title, in}, true
		case to.slot != nil:
			return naming{plan.Rename{Slot: mdstore.SlotName(to.slot)}, mdstore.SlotName(to.slot), in}, true
		}
		return naming{}, false
	}
	keys, _ := front(d.text.s)
	for _, k := range keys {
		if at < k.start-len(k.name)-1 || at >= k.end {
			continue // the key counts, too
		}
		value := d.text.s[k.start:k.end]
		if k.name == mdstore.KeyTags {
			for _, m := range forms().token.FindAllStringIndex(value, -1) {
				if start, end := k.start+m[0], k.start+m[1]; start <= at && at <= end && d.text.s[start:end] != "-" {
					tag := d.text.s[start:end]
					return naming{plan.Rename{Tag: tag}, tag, d.text.span(start, end)}, true
				}
			}
		}
		in := d.text.span(k.start+len(value)-len(strings.TrimLeft(value, " ")),
			k.start+len(strings.TrimRight(value, " \r\n")))
		if n, node := w.File(d.path); node && k.name == mdstore.KeyTitle {
			return naming{plan.Rename{Node: n.ID}, n.Title, in}, true
		}
		if d.kind.IsSlot() && k.name == mdstore.KeyName {
			if p, there := w.Pages().At(d.path); there {
				return naming{plan.Rename{Slot: mdstore.SlotName(p)}, mdstore.SlotName(p), in}, true
			}
		}
	}
	return naming{}, false
}

func prepareRename(s *server, p textParams) (out any, err error) {
	_, err = s.at(p, func(_ context.Context, d *document, w *view.View, at int) error {
		out = nil
		if x, ok := s.namingAt(d, w, at); ok {
			out = map[string]any{"range": x.at, "placeholder": x.name}
		}
		return nil
	})
	return out, err
}

// An agreed is a rename that is committed when the client has made its edits: by then a person may have seen them, and
// no file has changed below the text that they are for.
type agreed struct {
	uri, want string // the text that the document has then
	commit    func() error
}

// rename gives a node, a tag or a slot another name in one commit of all files. The client gets edits of its unsaved
// texts, and, if it can show edits before it makes them, of its other open texts. The commit waits until it has made
// them.
func rename(s *server, p textParams) (out any, err error) {
	edit, want, commit := &workspaceEdit{Changes: []fileEdit{}}, "", func() error { return nil }
	served, err := s.at(p, func(_ context.Context, d *document, w *view.View, at int) error {
		x, ok := s.namingAt(d, w, at)
		x.what.To = strings.TrimSpace(p.NewName)
		switch {
		case !ok:
			return errs.New(errs.InvalidParams,
				"nothing that can be renamed is here; a title, a tag, the name of a slot, or a link to one can")
		case x.what.To == "" || strings.ContainsAny(x.what.To, "\r\n"):
			return errs.New(errs.InvalidParams, "%q is no name; give a text of one line", p.NewName)
		}
		edit.Changes = edit.Changes[:0]
		preview := s.can.Workspace.Edit.Annotations != nil
		for _, o := range s.docs {
			if o.vault != d.vault || !preview && !o.dirty() {
				continue
			}
			to, err := renamed(w, o, x.what)
			if err != nil {
				return err
			}
			if want == "" && to != o.text.s {
				want = o.uri + "\n" + to
			}
			label := "Rename " + x.name + " to " + x.what.To + ", in all files"
			s.addEdits(edit, d.vault, o.path, o.text.edits(to), label)
		}
		ws := w.Workspace().ID
		commit = func() error {
			act := plan.Act{Operator: mdstore.OperatorHuman, Person: true}
			ctx := mdstore.WithOperation(s.ctx, &mdstore.Operation{Name: "rename", Operator: act.Operator,
				Text: "rename " + x.name + " to " + x.what.To})
			_, _, err := engine.Apply(ctx, d.vault.engine, ws, act, x.what)
			return err
		}
		return nil
	})
	if err != nil || !served {
		return nil, err
	}
	if uri, text, ok := strings.Cut(want, "\n"); ok {
		s.agreed = &agreed{uri, text, commit}
		return edit, nil
	}
	return edit, commit()
}

// agree commits the rename that a document's text shows. Any other text says that it was not wanted.
func (s *server) agree(d *document) {
	a := s.agreed
	if a == nil || a.uri != d.uri {
		return
	}
	s.agreed = nil
	if d.text.s != a.want {
		return
	}
	if err := a.commit(); err != nil {
		_ = s.notify(nil, "window/showMessage",
			map[string]any{"type": 1, "message": "arbor: not renamed in all files: " + said(err)})
	}
}

// renamed returns the text of an open document after a rename.
func renamed(w *view.View, d *document, x plan.Rename) (string, error) {
	doc, to := d.doc(), d.text.s
	set := func(key string, v mdoc.Scalar) {
		if patch, err := doc.SetField(key, v); err == nil {
			if after, err := doc.Apply(patch); err == nil {
				to = asClient(after.Bytes(), to)
			}
		}
	}
	if x.Tag != "" {
		tags := doc.List(mdstore.KeyTags)
		if i := slices.Index(tags, x.Tag); i >= 0 {
			tags = slices.Clone(tags)
			tags[i] = x.To
			set(mdstore.KeyTags, mdoc.List(tags...))
		}
		return to, nil
	}
	links, err := x.Links(w)
	if err != nil {
		return "", err
	}
	for _, s := range slices.Backward(doc.Sections()) {
		if s.Name != mdstore.SecLog {
			to = to[:s.Body.Start] + links.Replace(to[s.Body.Start:s.Body.End]) + to[s.Body.End:]
		}
	}
	doc, _ = mdoc.Parse(string(d.path), []byte(to), d.kind.Form)
	if n, ok := w.File(d.path); ok && n.ID == x.Node {
		set(mdstore.KeyTitle, mdoc.Text(x.To))
	}
	if p, err := view.Slot(w, x.Slot, false); x.Slot != "" && err == nil && p.Path == d.path && d.dirty() {
		return "", errs.New(errs.InvalidParams,
			"%s has unsaved text, and the file of a slot moves with its name; save it first", d.path)
	}
	return to, nil
}

// addEdits adds the edits of a file to an edit of several, with an annotation if the client shows them.
func (s *server) addEdits(edit *workspaceEdit, v *vault, p mdstore.Path, edits []textEdit, label string) {
	if len(edits) == 0 {
		return
	}
	id := docID{URI: v.uri(p)}
	if d := s.openAt(v, p); d != nil {
		version := d.version
		id = docID{d.uri, &version}
	}
	if s.can.Workspace.Edit.Annotations != nil {
		edit.Annotations = map[string]annotation{"arbor": {Label: label}}
		for i := range edits {
			edits[i].Annotation = "arbor"
		}
	}
	edit.Changes = append(edit.Changes, fileEdit{Doc: &id, Edits: edits})
}
