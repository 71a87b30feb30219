package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Briefing gives parts of a workspace's briefing another content; nil leaves a part as it is. A list replaces the
// list: an item that is there already keeps its bytes.
type Briefing struct {
	Description, RootFolder, Agent    *string // "" for none
	Purpose, CurrentGoal, Preferences *string // likewise
	Workflows                         []mdstore.Workflow
	KeyFiles, Related                 []mdstore.Ref
}

// Plan plans the change.
func (x Briefing) Plan(d *Draft) (None, error) {
	w, edit, err := d.editWorkspace()
	if err != nil {
		return None{}, err
	}
	return None{}, x.edit(edit, string(w.ID))
}

// edit adds the change to the edit of a Workspace.md.
func (x Briefing) edit(e *Edit, who string) error {
	type part struct {
		key  string
		text *string
	}
	for _, f := range []part{{mdstore.KeyDescription, x.Description}, {mdstore.KeyRootFolder, x.RootFolder}, {mdstore.KeyAgent, x.Agent}} {
		if f.text == nil {
			continue
		}
		text := strings.TrimSpace(*f.text)
		if err := oneLine(f.key, text, 4096); err != nil && f.key != mdstore.KeyDescription {
			return err
		}
		if f.key == mdstore.KeyAgent && text != "" && !mdstore.ID(text).Valid() {
			const form = "%s: agent %q is no id; an agent is named by the id of its file in agents/"
			return errs.New(errs.InvalidParams, form, who, text).With(errs.Details{Param: f.key})
		}
		if was, _ := e.doc.Field(f.key); was.Kind == mdoc.Nested || was.Value != text {
			value := mdoc.Text(text)
			if text == "" {
				value = mdoc.NullValue()
			}
			e.Set(f.key, value)
			e.Did(view.Change{ID: mdstore.ID(who), Key: f.key})
		}
	}
	write := func(section, text string) {
		if e.write(section, text) {
			e.Did(view.Change{ID: mdstore.ID(who), Key: strings.ToLower(section)})
		}
	}
	for _, s := range []part{{mdstore.SecPurpose, x.Purpose}, {mdstore.SecCurrentGoal, x.CurrentGoal},
		{mdstore.SecPreferences, x.Preferences}} {
		if s.text != nil {
			write(s.key, *s.text)
		}
	}
	if x.Workflows != nil {
		text, adapted, err := mdstore.WorkflowsText(e.doc, x.Workflows)
		if err != nil {
			return err
		}
		e.adapted = append(e.adapted, adapted...)
		write(mdstore.SecWorkflows, text)
	}
	for _, l := range []struct {
		section, what string
		refs          []mdstore.Ref
	}{{mdstore.SecKeyFiles, "path of a key file", x.KeyFiles}, {mdstore.SecRelated, "related path", x.Related}} {
		if l.refs == nil {
			continue
		}
		l.refs = slices.Clone(l.refs)
		for i, r := range l.refs {
			l.refs[i].Target, l.refs[i].Description = strings.TrimSpace(r.Target), strings.TrimSpace(r.Description)
		}
		if err := distinct(l.what, l.refs); err != nil {
			return err
		}
		have, at, now := mdstore.RefItems(e.doc, l.section, l.refs)
		for i, r := range l.refs {
			if now[i] != "" {
				continue
			}
			var err error
			if now[i], err = formatRef(l.what, r); err != nil {
				return err
			}
		}
		if !slices.Equal(have, now) {
			e.list(l.section, at, have, now)
			e.Did(view.Counts(mdstore.ID(who), l.section, len(have), len(now)))
		}
	}
	return nil
}

// briefingTexts adds the texts of a briefing: see TextsOf.
func briefingTexts(b mdstore.Briefing, doc *mdoc.Doc, add func(field, text string, parts ...string)) {
	add("purpose", doc.Text(mdstore.SecPurpose), b.Purpose)
	add("currentGoal", doc.Text(mdstore.SecCurrentGoal), b.CurrentGoal)
	add("preferences", doc.Text(mdstore.SecPreferences), b.Preferences)
	var flows []string
	for _, f := range b.Workflows {
		flows = append(flows, f.String())
	}
	add("workflows", doc.Text(mdstore.SecWorkflows), flows...)
	for _, l := range []struct {
		field, section string
		refs           []mdstore.Ref
	}{{"keyFiles", mdstore.SecKeyFiles, b.KeyFiles}, {"related", mdstore.SecRelated, b.Related}} {
		var parts []string
		for _, r := range l.refs {
			parts = append(parts, r.Target, r.Description)
		}
		add(l.field, doc.Text(l.section), parts...)
	}
}
