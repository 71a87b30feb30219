package lsp

import (
	"context"
	"maps"
	"slices"

	"arbor/engine/check"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// codeUnmerged is the code of a document whose unsaved text lacks what a commit changed, or overrules it.
const codeUnmerged = check.CodeStaleSave

// work does the next thing that is left to do, and reports whether there was one: what commits changed in open
// documents, then diagnostics of open documents, then those of other files.
func (s *server) work() bool {
	for _, d := range s.docs {
		if !d.synced {
			s.sync(d)
			return true
		}
	}
	for _, d := range s.docs {
		if !d.checked && d.vault.loaded {
			d.checked = true
			delete(d.vault.suspect, d.path)
			s.diagnose(d.vault, d.path)
			return true
		}
	}
	for _, v := range s.vaults {
		if !v.loaded {
			continue
		}
		for p := range v.suspect {
			delete(v.suspect, p)
			s.diagnose(v, p)
			return true
		}
		if v.all && !v.looking {
			v.all, v.looking = false, true
			first := !v.linking
			v.linking = true
			s.tasks.Go(func() {
				if s.checkAll(v); first {
					s.readLinks(v)
				}
			})
			return true
		}
	}
	return false
}

// checkAll checks every file of a vault, and posts what it finds.
func (s *server) checkAll(v *vault) {
	found := map[mdstore.Path][]mdoc.Diagnostic{}
	all, err := v.engine.Workspaces(s.ctx)
	for _, w := range all {
		if w.Status == mdstore.StatusArchived {
			continue
		}
		_, diagnostics, err := v.engine.Check(s.ctx, w.ID)
		if err != nil {
			s.opt.Log.Warn("a workspace cannot be checked", "workspace", w.ID, "error", err)
		}
		for _, d := range diagnostics {
			found[mdstore.Path(d.File)] = append(found[mdstore.Path(d.File)], d)
		}
	}
	if err != nil {
		s.opt.Log.Warn("a vault cannot be checked", "vault", v.dir, "error", err)
	}
	s.post(func() {
		v.looking = false
		for p := range v.told {
			if found[p] == nil {
				found[p] = nil
			}
		}
		for _, p := range slices.Sorted(maps.Keys(found)) {
			if d := s.openAt(v, p); d != nil {
				d.checked = false
			} else {
				s.publish(v, p, found[p])
			}
		}
	})
}

// openAt returns the open document of a file, or nil.
func (s *server) openAt(v *vault, p mdstore.Path) *document {
	for _, d := range s.docs {
		if d.vault == v && d.path == p {
			return d
		}
	}
	return nil
}

// diagnose checks one file and publishes what is found.
func (s *server) diagnose(v *vault, p mdstore.Path) {
	k := mdstore.AllKinds().Of(p)
	d := s.openAt(v, p)
	var found []mdoc.Diagnostic
	switch {
	case k == nil:
		return // a folder, or a file of somebody else
	case k.Place.Vault:
		f, err := v.engine.FileAt(s.ctx, p)
		if d != nil {
			f = d.file()
		}
		if err == nil && !f.Version.IsZero() {
			found = check.FilePage(mdstore.ParsePage(k, f), v.engine.Off()...)
		}
	default:
		err := s.over(v, mdstore.WorkspaceDir(p), func(ctx context.Context, w *view.View) error {
			found = check.Diagnostics(v.engine.CheckFile(ctx, w, p))
			return nil
		})
		if err != nil {
			s.opt.Log.Debug("a file cannot be checked", "file", p, "error", err)
		}
	}
	if d != nil && (d.declined || d.stands != "") {
		found = append(found, unmerged(d))
	}
	s.publish(v, p, found)
}

// unmerged returns the finding about a document that lacks, or overrules, what a commit changed.
func unmerged(d *document) mdoc.Diagnostic {
	text := "the file has changed on the disk, and the editor did not take the change over; saving merges both"
	if !d.declined {
		text = "a commit has changed this too: " + d.stands + "; what stands here wins when you save"
	}
	return mdoc.Diagnostic{File: string(d.path), Code: codeUnmerged, Text: text}
}

// publish sends the diagnostics of a file, if it has any or had some.
func (s *server) publish(v *vault, p mdstore.Path, found []mdoc.Diagnostic) {
	d := s.openAt(v, p)
	if len(found) == 0 && !v.told[p] && d == nil {
		return
	}
	all := make([]diagnostic, 0, len(found))
	var t *text
	for _, f := range found {
		severity := s.set.severity(f.Code)
		if severity == 0 {
			continue
		}
		if t == nil {
			t = s.textAt(v, p)
		}
		out := diagnostic{Severity: severity, Code: f.Code, Source: "arbor", Message: f.Text}
		if f.Line > 0 {
			start, end := t.place(f.Line, f.Col)
			out.Range = t.span(start, end)
		}
		if f.Fix != "" {
			out.Message += "\nFix: " + f.Fix
		}
		all = append(all, out)
	}
	uri := v.uri(p)
	params := map[string]any{"uri": uri, "diagnostics": all}
	if d != nil {
		params["uri"], params["version"] = d.uri, d.version
	}
	if delete(v.told, p); len(all) > 0 {
		v.told[p] = true
	}
	_ = s.notify(nil, "textDocument/publishDiagnostics", params)
}

// textAt returns the text of a file as the client has it, or else as it is on the disk.
func (s *server) textAt(v *vault, p mdstore.Path) *text {
	if d := s.openAt(v, p); d != nil {
		return d.text
	}
	f, err := v.engine.FileAt(s.ctx, p)
	if err != nil {
		f.Data = nil
	}
	return newText(string(f.Data), s.wide)
}
