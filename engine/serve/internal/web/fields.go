package web

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"arbor/engine/ops"
	"arbor/mdstore"
)

// A formField is a field of a node in a form of the page.
type formField struct {
	Name    string   `json:"name"` // of the parameter
	Label   string   `json:"label"`
	Options []string `json:"options,omitempty"`
	Value   string   `json:"value"`           // "" for none
	None    any      `json:"none"`            // the value that removes the field
	List    bool     `json:"list,omitempty"`  // items are separated by commas, or with Rows one stands in each line
	Hint    string   `json:"hint,omitempty"`  // what can be written
	Nodes   bool     `json:"nodes,omitempty"` // an item is the title of a node, or its id
	// of an own key: its name; a list has an item in each line
	Key  string `json:"key,omitempty"`
	Rows int    `json:"rows,omitempty"`
}

// chipsOf returns the fields of a node that have a place of their own on its page: each opens by a click.
func (l look) chipsOf(p nodePage) (all []formField) {
	for _, f := range mdstore.AllFields() {
		if slices.Contains([]string{"priority", "tags", "assignee", mdstore.KeyDue, "dependencies"}, f.Key) {
			all = append(all, formField{Name: f.Key, Label: l.say(f.Label), Value: f.Said(p.text(f))})
		}
	}
	return all
}

// openEnd returns lines for a form in which the next one is typed behind them.
func openEnd(lines string) string {
	if lines == "" {
		return ""
	}
	return lines + "\n"
}

// text returns the value of a field as people write it: nodes by their titles.
func (p nodePage) text(f *mdstore.Field) string {
	text := p.Node.Text(f)
	if !f.Node || text == "" {
		return text
	}
	items := strings.Split(text, "\n")
	for i, id := range items {
		items[i] = cmp.Or(p.Titles[id], id)
	}
	return strings.Join(items, "\n")
}

// notesOf returns what the page of a node says of it beside the status, but for the fields that are chips there.
func notesOf(n ops.NodeInfo) []string {
	h := n.Head
	h.Priority, h.Tags, h.Assignee, h.Due, h.Dependencies = nil, nil, nil, nil, nil
	return h.AllMarks()
}

// formFields returns the fields of a node that people can set, its criteria and its own keys, as JSON.
func (l look) formFields(p nodePage) string {
	n, perLine := p.Node, " ("+l.say("one item per line")+")"
	var all []formField
	for _, f := range mdstore.AllFields() {
		if !f.Set {
			continue
		}
		form := formField{Name: f.Key, Label: l.say(f.Label), Value: f.Said(n.Text(f)), None: "", List: f.Rule.List}
		if f.Key == mdstore.KeyDue {
			form.Hint = "2026-12-01, fri, +3d"
		}
		switch kind := f.Rule.Kind; {
		case f.Node && f.Rule.List:
			form.None, form.Value, form.Nodes = []string{}, openEnd(p.text(f)), true
			form.Rows, form.Label = 3, form.Label+perLine
		case f.Rule.List && f.Commas:
			form.None = []string{}
		case f.Rule.List:
			form.None, form.Value = []string{}, n.Text(f)
			form.Rows, form.Label = 3, form.Label+perLine
		case kind == reflect.Bool:
			form.None, form.Options = false, []string{"", "true"}
		case kind != reflect.String:
			form.None = 0
		case f.Rule.Enum != nil:
			form.Options = append([]string{""}, f.Rule.Enum...)
		}
		all = append(all, form)
	}
	criteria, plain := []string{}, n.CriteriaText == ""
	for _, c := range p.Listed() {
		criteria, plain = append(criteria, c.Text), plain && !strings.Contains(c.Text, "\n")
	}
	if plain { // else a form cannot show what there is
		all = append(all, formField{Name: "criteria", Label: l.say("Acceptance criteria") + perLine, None: []string{},
			Value: openEnd(strings.Join(criteria, "\n")), List: true, Rows: 5})
	}
	for _, o := range n.Own {
		items := strings.Join(o.Items, "\n")
		if !o.Plain() || o.List && strings.Count(items, "\n") >= max(1, len(o.Items)) {
			continue // a form cannot show this value
		}
		form := formField{Name: "fields." + o.Key, Key: o.Key, Label: o.Key, Value: items, List: o.List}
		switch {
		case o.List:
			form.Rows, form.Label = 3, o.Key+perLine
		case strings.Contains(items, "\n"):
			form.Rows = 4
		}
		all = append(all, form)
	}
	data, _ := json.Marshal(all) // cannot fail: it is all strings, numbers and bools
	return string(data)
}
