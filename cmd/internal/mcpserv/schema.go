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
		reflect.TypeFor[mdstore.Expired](): text, // expired or active
		// Every writing tool has these, and the whole list of tools is sent at once.
		reflect.TypeFor[mdstore.Collision](): {Type: "object"}, reflect.TypeFor[plan.Text](): {Type: "object"},
	}})
	if err != nil {
		return nil, err
	}
	open(s, 0)
	drop(s, rare...)
	for _, f := range reflect.VisibleFields(o.Out) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.Tag.Get("only") == "verbose" {
			drop(s, name)
		}
	}
	return json.Marshal(s)
}

// open makes an inferred schema acceptable to strict clients: nothing is null, and objects may have further properties
// and lack any. Objects in objects in the result are not described.
func open(s *jsonschema.Schema, depth int) {
	if s == nil {
		return
	}
	if depth > 1 && s.Type != "array" {
		s.Properties, s.PropertyOrder, s.AdditionalProperties = nil, nil, nil
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Type == "object" && len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	s.Required = nil
	for _, p := range s.Properties {
		open(p, depth+1)
	}
	open(s.Items, depth)
	open(s.AdditionalProperties, depth)
}

// rare are members that few replies of any tool have.
var rare = []string{"adapted", "conflicts", "replaced", "ignored", "cut", "dryRun", "diff", "diagnostics", "omitted"}

// drop takes members out of a schema.
func drop(s *jsonschema.Schema, names ...string) {
	for _, name := range names {
		delete(s.Properties, name)
		s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(p string) bool { return p == name })
	}
}
