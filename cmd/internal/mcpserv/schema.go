package mcpserv

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"arbor/context/assemble"
	"arbor/engine/ops"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// keyError is the member of a reply that says why nothing was done.
const keyError = "error"

// output returns the schema of what an operation returns. It is open: a later version may return more. It also holds
// for refusals: clients check the structured content of every reply, and would show a model that it does not match in
// place of why the call was refused.
func output(o ops.Operation) (json.RawMessage, error) {
	text := &jsonschema.Schema{Type: "string"}
	names := []string{"id", "title", "type", "status", "children"}
	s, err := jsonschema.ForType(o.Out, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[ops.TreeNode](): {Type: "object", Properties: map[string]*jsonschema.Schema{
			"id": text, "title": text, "type": text, "status": text,
			"children": {Type: "array", Items: &jsonschema.Schema{Type: "object"}}, // of the same type
		}, PropertyOrder: names, Required: names},
		reflect.TypeFor[assemble.Lines](): {Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "array",
			Items: &jsonschema.Schema{Type: "integer"}}},
		reflect.TypeFor[ops.Made](): {Type: "object"}, reflect.TypeFor[ops.NodeContext](): {Type: "object"},
		reflect.TypeFor[ops.Waits](): {Type: "object"}, reflect.TypeFor[ops.Running](): {Type: "object"},
		// Every writing tool has these, and the whole list of tools is sent at once.
		reflect.TypeFor[mdstore.Collision](): {Type: "object"}, reflect.TypeFor[plan.Text](): {Type: "object"},
	}})
	if err != nil {
		return nil, err
	}
	open(s)
	optional := promoted(o.Out)
	required := slices.DeleteFunc(s.Required, func(name string) bool { return slices.Contains(optional, name) })
	s.Required, s.AnyOf = nil, []*jsonschema.Schema{{Required: required}, {Required: []string{keyError}}}
	s.Properties[keyError] = &jsonschema.Schema{Type: "object"}
	s.PropertyOrder = append(s.PropertyOrder, keyError)
	return json.Marshal(s)
}

// promoted returns the names of properties that come from embedded pointers, which may be nil.
func promoted(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous || f.Type.Kind() != reflect.Pointer {
			continue
		}
		for _, p := range reflect.VisibleFields(f.Type.Elem()) {
			name, _, _ := strings.Cut(p.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}

// open makes an inferred schema acceptable to strict clients: no list is null, an object that may be missing is an
// alternative of an object and null, and objects may have further properties.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
		if s.Type != "array" {
			was := *s
			*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{&was, {Type: "null"}}}
		}
	}
	if s.Type == "object" && s.AdditionalProperties != nil && len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		open(p)
	}
	for _, p := range s.AnyOf {
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}
