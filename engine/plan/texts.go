package plan

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Text is a field or section that operations give another text as a whole.
type Text struct {
	NodeID mdstore.ID   `json:"nodeId,omitempty"` // "" for the workspace's own
	Field  string       `json:"field"`            // the name of the parameter
	Text   string       `json:"text"`             // as in the file
	Kept   mdstore.Path `json:"kept,omitempty"`   // if the text was replaced: the file that keeps all of it for 30 days
	Parts  []string     `json:"-"`                // the parts as replies show them
	Shown  string       `json:"-"`                // as a refusal shows it; "" means Text
}

// Same returns a form that is equal for texts that count as the same: ticks in criteria and requirements do not matter.
func (t Text) Same() string {
	if t.Field == "criteria" || t.Field == "requirement" {
		return mdstore.Unticked(t.Text)
	}
	return t.Text
}

// TextsOf returns the texts of a node's document, or of a workspace's if the id is "".
func TextsOf(id mdstore.ID, doc *mdoc.Doc) (all []Text) {
	add := func(field, text string, parts ...string) {
		all = append(all, Text{NodeID: id, Field: field, Text: text, Parts: parts})
	}
	w := mdstore.Workspace{Doc: doc} // a node's problem is written as a workspace's is
	keys, sections := []string{"title"}, []string{"requirement", "note", "conclusion"}
	if id == "" {
		keys, sections = []string{"name", "goal", mdstore.KeyDescription}, nil
		add("rules", doc.Text(mdstore.SecRules), w.Rules()...)
		briefingTexts(w.Briefing(), doc, add)
	}
	for _, key := range keys {
		f, _ := doc.Field(key)
		add(key, f.Value, f.Value)
	}
	for _, name := range sections {
		text := doc.Text(name)
		add(name, text, text)
	}
	if id != "" {
		var parts []string
		for _, b := range doc.Boxes(mdstore.SecCriteria) {
			parts = append(parts, b.Text)
		}
		add("criteria", doc.Text(mdstore.SecCriteria), parts...)
	}
	p := w.Problem()
	add("problem", doc.Text(mdstore.SecProblem), p.Text, p.NextStep)
	return all
}

// Texts returns the texts that the change gives another value, as they were and as they are then.
func (f FileChange) Texts() (was, now []Text) {
	kind := mdstore.AllKinds().Of(f.Path)
	if kind != mdstore.NodeKind && kind != mdstore.WorkspaceKind || f.New == nil {
		return nil, nil
	}
	if f.is == nil {
		f.was, _ = mdoc.Parse(string(f.Path), f.Old, kind.Form)
		f.is, _ = mdoc.Parse(string(f.Path), f.New, kind.Form)
	}
	id := mdstore.ID("")
	if kind == mdstore.NodeKind {
		id = mdstore.NodeOf(f.Path, f.Version, f.is, nil).ID
	}
	before := TextsOf(id, f.was)
	for i, t := range TextsOf(id, f.is) {
		if t.Same() != before[i].Same() {
			was, now = append(was, before[i]), append(now, t)
		}
	}
	return was, now
}
