package web

import (
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
	Value   string   `json:"value"`          // "" for none
	None    any      `json:"none"`           // the value that removes the field
	List    bool     `json:"list,omitempty"` // items are separated by commas, or with Rows one stands in each line
	// of an own key: its name; a list has an item in each line
	Key  string `json:"key,omitempty"`
	Rows int    `json:"rows,omitempty"`
}

// chipsOf returns the fields of a node that have a place of their own on its page: each opens by a click.
func (l look) chipsOf(n ops.NodeInfo) (all []formField) {
	for _, f := range mdstore.AllFields() {
		if slices.Contains([]string{"priority", "tags", "assignee", mdstore.KeyDue, "dependencies"}, f.Key) {
			all = append(all, formField{Name: f.Key, Label: l.say(f.Label), Value: f.Said(n.Text(f))})
		}
	}
	return all
}

// notesOf returns what the page of a node says of it beside the status, but for the fields that are chips there.
func notesOf(n ops.NodeInfo) []string {
	h := n.Head
	h.Priority, h.Tags, h.Assignee, h.Due = nil, nil, nil, nil
	return h.AllMarks()
}

// formFields returns the fields of a node that people can set, and its own keys, as JSON.
func (l look) formFields(n ops.NodeInfo) string {
	var all []formField
	for _, f := range mdstore.AllFields() {
		if !f.Set {
			continue
		}
		form := formField{Name: f.Key, Label: l.say(f.Label), Value: f.Said(n.Text(f)), None: "", List: f.Rule.List}
		switch kind := f.Rule.Kind; {
		case f.Rule.List && f.Commas:
			form.None = []string{}
		case f.Rule.List:
			form.None, form.Value = []string{}, n.Text(f)
			form.Rows, form.Label = 3, l.say(f.Label)+" ("+l.say("one item per line")+")"
		case kind == reflect.Bool:
			form.None, form.Options = false, []string{"", "true"}
		case kind != reflect.String:
			form.None = 0
		case f.Rule.Enum != nil:
			form.Options = append([]string{""}, f.Rule.Enum...)
		}
		all = append(all, form)
	}
	for _, o := range n.Own {
		items := strings.Join(o.Items, "\n")
		if !o.Plain() || o.List && strings.Count(items, "\n") >= max(1, len(o.Items)) {
			continue // a form cannot show this value
		}
		form := formField{Name: "fields." + o.Key, Key: o.Key, Label: o.Key, Value: items, List: o.List}
		switch {
		case o.List:
			form.Rows, form.Label = 3, o.Key+" ("+l.say("one item per line")+")"
		case strings.Contains(items, "\n"):
			form.Rows = 4
		}
		all = append(all, form)
	}
	data, _ := json.Marshal(all) // cannot fail: it is all strings, numbers and bools
	return string(data)
}
