package mcpserv

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/engine/ops"
)

// A Profile is a choice of tools.
type Profile string

// The profiles.
const (
	ProfileAll    Profile = "all"
	ProfileWorker Profile = "worker" // what somebody needs who works on nodes that others planned
)

// CheckProfile returns an error that says which profiles there are, nil for one of them.
func CheckProfile(p Profile) error {
	if p != ProfileAll && p != ProfileWorker {
		e := engine.Fail(engine.InvalidParams, "profile %q is not known; %s and %s are", p, ProfileAll, ProfileWorker)
		e.Details = &engine.Details{Param: "profile"}
		return e
	}
	return nil
}

var workersTools = []string{
	"node_create", "node_get", "node_list", "node_update", "node_transition", "context_get", "log_append", "problem_update", "problem_clear",
	"session_bind", "changes_get", "node_next",
}

func (p Profile) offers(tool string) bool {
	return p != ProfileWorker || slices.Contains(workersTools, tool)
}

// addTools offers the operations of the profile.
func (s *Server) addTools() error {
	tools, err := allTools()
	if err != nil {
		return err
	}
	for i, o := range ops.All() {
		if !s.opt.Profile.offers(o.Name) {
			continue
		}
		t := *tools[i]
		s.mcp.AddTool(&t, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, o, req)
		})
	}
	return nil
}

// allTools describes the catalogue, which is the same for every server.
var allTools = sync.OnceValues(func() (list []*mcp.Tool, err error) {
	for _, o := range ops.All() {
		t, err := toolOf(o)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
})

// toolOf describes an operation to a model and to its client.
func toolOf(o ops.Operation) (*mcp.Tool, error) {
	in, err := json.Marshal(input(o))
	if err != nil {
		return nil, err
	}
	out, err := output(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	no := false
	return &mcp.Tool{
		Name: o.Name, Description: describe(o), InputSchema: json.RawMessage(in), OutputSchema: out,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !o.Writes, DestructiveHint: &o.Destructive, IdempotentHint: o.Idempotent, OpenWorldHint: &no},
	}, nil
}

// confirm is the argument that stands for a person's consent where a client cannot ask for it.
const confirm = "confirm"

// input returns the schema of an operation's parameters, in the order of the catalogue.
func input(o ops.Operation) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, p := range o.Params {
		s.Properties[p.Name] = param(p)
		s.PropertyOrder = append(s.PropertyOrder, p.Name)
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	if o.Destructive {
		s.Properties[confirm] = &jsonschema.Schema{Type: "boolean", Description: hints[confirm]}
		s.PropertyOrder = append(s.PropertyOrder, confirm)
	}
	return s
}

func param(p ops.Param) *jsonschema.Schema {
	s := schemaOf(p.Type)
	for _, e := range p.Enum {
		s.Enum = append(s.Enum, e)
	}
	s.Description = hints[p.Name]
	return s
}

// schemaOf returns the schema of a parameter's type. Nothing may be null in it, and every list says what it is a list of: strict clients drop tools otherwise.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: schemaOf(t.Elem())}
	case reflect.Struct:
		return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"path": {Type: "string"}, "description": {Type: "string"}},
			PropertyOrder: []string{"path", "description"}, Required: []string{"path"}}
	}
	return &jsonschema.Schema{Type: "string"}
}
