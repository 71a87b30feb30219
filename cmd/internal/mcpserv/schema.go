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

// output returns the schema of what an operation returns: an object without alternatives, which clients that render it
// for a model can read. It is open, because a later version may return more, and nothing in it is required, because
// replies leave out what is empty. Refusals have no data.
func output(o ops.Operation) (json.RawMessage, error) {
	text := &jsonschema.Schema{Type: "string"}
	names := []string{"id", "title", "type", "status", "children"}
	s, err := jsonschema.ForType(o.Out, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[ops.TreeNode](): {Type: "object", Properties: map[string]*jsonschema.Schema{
			"id": text, "title": text, "type": text, "status": text,
			"children": {Type: "array", Items: &jsonschema.Schema{Type: "object"}}, // of the same type
		}, PropertyOrder: names},
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
	dropVerbose(s, o.Out)
	return json.Marshal(s)
}

// open makes an inferred schema acceptable to strict clients: nothing is null, and objects may have further properties
// and lack any.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Type == "object" && len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	s.Required = nil
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}

// dropVerbose takes out of the schema of a result what only a call with verbose brings.
func dropVerbose(s *jsonschema.Schema, result reflect.Type) {
	for _, f := range reflect.VisibleFields(result) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.Tag.Get("only") == "verbose" {
			delete(s.Properties, name)
			s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(p string) bool { return p == name })
		}
	}
}
