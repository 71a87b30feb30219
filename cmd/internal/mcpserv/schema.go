package mcpserv

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"arbor/context/assemble"
	"arbor/engine/ops"
)

// keyError is the member of a reply that says why nothing was done.
const keyError = "error"

// output returns the schema of what an operation returns. It is open: a later version may return more.
//
// It holds for refusals, too: clients check whatever structured content a reply has, and would tell a model that the content does not match in place of
// why the call was refused.
func output(o ops.Operation) (json.RawMessage, error) {
	s, err := jsonschema.ForType(o.Out, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[ops.TreeNode](): {Type: "object", Properties: map[string]*jsonschema.Schema{ // children are of the same kind
			"id": {Type: "string"}, "title": {Type: "string"}, "type": {Type: "string"}, "status": {Type: "string"},
			"children": {Type: "array", Items: &jsonschema.Schema{Type: "object"}},
		}, PropertyOrder: []string{"id", "title", "type", "status", "children"}, Required: []string{"id", "title", "type", "status", "children"}},
		reflect.TypeFor[assemble.Lines](): {Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}}},
	}})
	if err != nil {
		return nil, err
	}
	open(s)
	optional := promoted(o.Out)
	required := slices.DeleteFunc(s.Required, func(name string) bool { return slices.Contains(optional, name) })
	s.Required, s.AnyOf = nil, []*jsonschema.Schema{{Required: required}, {Required: []string{keyError}}}
	s.Properties[keyError] = &jsonschema.Schema{Type: "object"} // the same for every tool
	s.PropertyOrder = append(s.PropertyOrder, keyError)
	return json.Marshal(s)
}

// promoted returns the names of the properties that a result has only where what it embeds is there.
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

// open makes an inferred schema one that strict clients take: no list is null, an object that may be missing is described by what it may be, and objects
// may have more than is said.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		switch s.Types[1] {
		case "array":
			s.Type, s.Types = "array", nil
		default:
			was := *s
			was.Type, was.Types = s.Types[1], nil
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
