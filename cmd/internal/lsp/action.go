package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/engine/check"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// The kinds of code actions.
const (
	kindFix     = "quickfix"
	kindRewrite = "refactor.rewrite"
	kindExtract = "refactor.extract"
)

// An acting collects the code actions for a place of a document.
type acting struct {
	s          *server
	d          *document
	w          *view.View
	n          *mdstore.Node // the document's own; nil if it is no node
	start, end int
	all        []codeAction
}

// codeActions returns what can be done about the findings, references, boxes and lines in a range, and with the node.
func codeActions(s *server, p textParams) (any, error) {
	var all []codeAction
	ok, err := s.at(p, func(ctx context.Context, d *document, w *view.View, _ int) error {
		a := &acting{s: s, d: d, w: w, start: d.text.offset(p.Range.Start), end: d.text.offset(p.Range.End),
			all: []codeAction{}}
		a.n, _ = w.File(d.path)
		a.repairs(ctx)
		a.links()
		if a.n != nil && a.n.Editable() == nil {
			a.boxes()
			a.lines()
			a.transitions()
			a.due()
			a.sections()
		}
		all = a.all
		return nil
	})
	if !ok || err != nil {
		return nil, err
	}
	return all, nil
}

func (a *acting) edit(title, kind string, edits []textEdit) *codeAction {
	version := a.d.version
	a.all = append(a.all, codeAction{Title: title, Kind: kind,
		Edit: &workspaceEdit{Changes: []fileEdit{{Doc: &docID{a.d.uri, &version}, Edits: edits}}}})
	return &a.all[len(a.all)-1]
}

// do offers an operation of the catalogue.
func (a *acting) do(title, kind, operation string, args map[string]any, then deed) *codeAction {
	then.URI, then.Operation, then.Args = a.d.uri, operation, args
	a.all = append(a.all, codeAction{Title: title, Kind: kind,
		Command: &command{Title: title, Command: commandDo, Args: []any{then}}})
	return &a.all[len(a.all)-1]
}

// repairs offers what check --fix does about each finding in the range: as an edit where only this text changes.
func (a *acting) repairs(ctx context.Context) {
	first, last := a.d.text.position(a.start).Line, a.d.text.position(a.end).Line
	for _, f := range a.d.vault.engine.CheckFile(ctx, a.w, a.d.path) {
		from, to := a.d.text.place(max(f.Line, 1), f.Col)
		at := a.d.text.span(from, to)
		if f.Fix == "" || f.Line > 0 && (at.Start.Line > last || at.End.Line < first) {
			continue
		}
		found := diagnostic{Range: at, Severity: a.s.set.severity(f.Code), Code: f.Code, Source: "arbor", Message: f.Text}
		title := "Arbor: " + f.Fix
		var fix *codeAction
		if edits, ok := a.repaired(f); ok {
			fix = a.edit(title, kindFix, edits)
		} else {
			fix = a.do(title+", and what else check can repair", kindFix, "workspace_check", map[string]any{"fix": true}, deed{})
		}
		fix.Diagnostics, fix.Preferred = []diagnostic{found}, true
	}
}

// repaired returns the edits that mend a finding; ok is false if other files change with it.
func (a *acting) repaired(f check.Finding) (edits []textEdit, ok bool) {
	changes, err := a.d.vault.engine.Propose(a.w, plan.Act{Operator: mdstore.OperatorHuman}, func(d *plan.Draft) error {
		_, err := f.Mend(d)
		return err
	})
	if err != nil {
		return nil, false
	}
	for _, c := range changes {
		switch {
		case c.Keep:
		case c.Path != a.d.path || c.New == nil || c.To != "":
			return nil, false
		default:
			edits = a.d.text.edits(asClient(c.New, a.d.text.s))
		}
	}
	return edits, len(edits) > 0
}

// links offers to make what a reference in the range names, or to wait for the node that it names.
func (a *acting) links() {
	for _, r := range refsIn(a.d.text.s, a.d.doc()) {
		if r.end < a.start || r.start > a.end || r.loose {
			continue
		}
		to, ok := a.s.lead(a.d.vault, a.d.path, a.w, r)
		switch {
		case ok && to.node != nil && a.n != nil && to.node.ID != a.n.ID:
			a.waits("Wait for “"+to.node.Title+"”", a.n, to.node)
			a.waits("Let “"+to.node.Title+"” wait for this", to.node, a.n)
		case ok:
		case strings.Contains(r.target, "/") || strings.HasSuffix(r.target, ".md"):
			if strings.HasSuffix(r.target, ".md") && slices.Contains(a.s.can.Workspace.Edit.Operations, "create") {
				uri := uriOf(a.d.vault.engine.Project() + "/" + r.target)
				a.all = append(a.all, codeAction{Title: "Create the document " + r.target, Kind: kindFix,
					Edit: &workspaceEdit{Changes: []fileEdit{{Kind: "create", URI: uri}}}})
			}
		default:
			parent := mdstore.Root
			if a.n != nil && statemachine.TakesChildren(a.n.Type) {
				parent = a.n.ID
			} else if a.n != nil && a.n.Parent != "" {
				parent = a.n.Parent
			}
			a.do("Create the node “"+r.target+"”", kindFix, "node_create",
				map[string]any{"title": r.target, "parentId": string(parent)}, deed{Link: r.target})
		}
	}
}

// waits offers to make n wait for another node.
func (a *acting) waits(title string, n, other *mdstore.Node) {
	all := []string{}
	for _, x := range a.w.Dependencies(n) {
		if x.Node != nil && x.Node.ID == other.ID {
			return
		}
		all = append(all, x.ID())
	}
	a.do(title, kindRewrite, "node_update",
		map[string]any{"nodeId": string(n.ID), "dependencies": append(all, string(other.ID))}, deed{})
}

// boxes offers to tick or open the task boxes in the range.
func (a *acting) boxes() {
	doc := a.d.doc()
	for _, section := range []string{mdstore.SecRequirement, mdstore.SecCriteria, mdstore.SecNote} {
		for _, b := range doc.Boxes(section) {
			if b.Span.End < a.start || b.Span.Start > a.end {
				continue
			}
			patch, err := doc.Tick(b, !b.Done)
			if err != nil {
				continue
			}
			title := "Tick “" + short(b.Text) + "”"
			if b.Done {
				title = "Open “" + short(b.Text) + "” again"
			}
			if after, err := doc.Apply(patch); err == nil {
				a.edit(title, kindRewrite, a.d.text.edits(string(after.Bytes())))
			}
		}
	}
}

// lines offers to make child nodes of the selected lines.
func (a *acting) lines() {
	first, last := a.d.text.position(a.start).Line, a.d.text.position(a.end).Line
	if a.end <= a.start {
		return
	}
	lines := strings.TrimSpace(a.d.text.s[a.d.text.lines[first]:a.d.text.lineEnd(last)])
	if _, body := front(a.d.text.s); lines == "" || a.start < body {
		return
	}
	title, into := "Extract the lines to child nodes", a.n.ID
	if !statemachine.TakesChildren(a.n.Type) {
		title, into = "Extract the lines to nodes beside this one", a.n.Parent
	}
	a.do(title, kindExtract, "import", nil, deed{Lines: lines, Into: string(into)})
}

// transitions offers the actions that the node would accept now.
func (a *acting) transitions() {
	conclusion := a.n.Conclusion()
	for _, do := range plan.Allowed(a.w, a.n, a.d.vault.engine.CriteriaAsked()) {
		args := map[string]any{"nodeId": string(a.n.ID), "action": string(do)}
		if needsConclusion(a.n, do) {
			if conclusion == "" {
				continue // the person writes one first
			}
			args["conclusion"] = conclusion
		}
		a.do("Arbor: "+string(do), kindRewrite, "node_transition", args, deed{})
	}
}

func needsConclusion(n *mdstore.Node, do statemachine.Action) bool {
	return slices.ContainsFunc(statemachine.Rules(), func(r statemachine.Rule) bool {
		return r.Type == n.Type && r.From == n.Status && r.Do == do && r.Need&statemachine.NeedConclusion != 0
	})
}

// due offers to put off the day that a node is due.
func (a *acting) due() {
	if a.n.Due == nil {
		return
	}
	day, err := time.Parse(mdstore.DayLayout, *a.n.Due)
	if err != nil {
		return
	}
	for _, by := range []struct {
		name              string
		years, month, day int
	}{{"a day", 0, 0, 1}, {"a week", 0, 0, 7}, {"a month", 0, 1, 0}} {
		to := day.AddDate(by.years, by.month, by.day).Format(mdstore.DayLayout)
		a.do("Put off by "+by.name+", to "+to, kindRewrite, "node_update",
			map[string]any{"nodeId": string(a.n.ID), "due": to}, deed{})
	}
}

// sections offers the sections that the file lacks, before its log.
func (a *acting) sections() {
	doc, at := a.d.doc(), len(a.d.text.s)
	if log, ok := doc.Section(mdstore.SecLog); ok {
		at = log.Heading.Start
	}
	eol := "\n"
	if strings.Contains(a.d.text.s, "\r\n") {
		eol = "\r\n"
	}
	before := eol
	if at == 0 || !strings.HasSuffix(a.d.text.s[:at], "\n") {
		before = eol + eol
	} else if strings.HasSuffix(a.d.text.s[:at], eol+eol) {
		before = ""
	}
	for _, f := range a.d.kind.Form.Sections {
		if _, have := doc.Section(f.Name); !have && f.Name != mdstore.SecLog {
			a.edit("Add the section "+f.Name, kindRewrite,
				[]textEdit{{Range: a.d.text.span(at, at), NewText: fmt.Sprintf("%s## %s%s%s%s", before, f.Name, eol, eol, eol)}})
		}
	}
}
