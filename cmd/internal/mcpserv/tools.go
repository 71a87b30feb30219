package mcpserv

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A Profile is a selection of tools.
type Profile string

const (
	ProfileAll    Profile = "all"
	ProfileWorker Profile = "worker" // the tools for work on nodes that others planned
)

// CheckProfile returns an error that names the profiles if p is not one of them.
func CheckProfile(p Profile) error {
	if p != ProfileAll && p != ProfileWorker {
		return ops.BadParam(errs.InvalidParams, "profile", "profile %q is not known; %s and %s are",
			p, ProfileAll, ProfileWorker)
	}
	return nil
}

var workerTools = []string{
	"node_create", "node_get", "node_list", "node_update", "node_transition", "context_get", "log_append",
	"problem_update", "problem_clear", "session_bind", "changes_get", "node_next",
}

func (p Profile) offers(tool string) bool {
	return p != ProfileWorker || slices.Contains(workerTools, tool)
}

// offers reports whether the server offers an operation as a tool.
func (s *Server) offers(o ops.Operation) bool {
	return s.opt.Profile.offers(o.Name) && !(s.opt.ReadOnly && o.Writes) && !slices.Contains(s.opt.Exclude, o.Name) &&
		(len(s.opt.Tools) == 0 && s.on(o.Set) || slices.Contains(s.opt.Tools, o.Name))
}

// on reports whether a tool set is on.
func (s *Server) on(set string) bool {
	if len(s.opt.Toolsets) == 0 {
		return set == ops.SetPlan
	}
	return slices.Contains(s.opt.Toolsets, set) || slices.Contains(s.opt.Toolsets, "all")
}

// checkNames refuses names of tools that there are not.
func checkNames(param string, names []string) error {
	for _, name := range names {
		if _, ok := ops.Find(name); !ok {
			return ops.BadParam(errs.InvalidParams, param, "%s: there is no tool %q; docs/mcp.md lists them", param, name)
		}
	}
	return nil
}

// addTools offers the operations of the profile.
func (s *Server) addTools() error {
	for _, o := range ops.All() {
		if !s.offers(o) {
			continue
		}
		tool, err := toolOf(o, s.on)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
		if s.opt.Replies == RepliesText {
			tool.OutputSchema = nil
		}
		s.mcp.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, o, req)
		})
	}
	return nil
}

// checkTool refuses a tool that is not offered, with the nearest name that is, or the call that is meant. It names no
// tool that removes something.
func (s *Server) checkTool(name string) error {
	var offered []string
	for _, o := range ops.All() {
		if !s.offers(o) {
			continue
		}
		if o.Name == name {
			return nil
		}
		if !o.Destructive {
			offered = append(offered, o.Name)
		}
	}
	try := "tools/list names the tools"
	if call := meant(name, offered); call != "" {
		try = "call " + call
	} else if near := ops.Nearest(name, offered); near != "" && !strings.Contains(name, "delete") {
		try = "the nearest one is " + near
	} else if _, known := ops.Find(name); known {
		try = "this server does not offer it (profile " + string(s.opt.Profile) + ")"
	}
	message := fmt.Sprintf("unknown tool %q; %s", clip(name, 60), try)
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// hints say of a parameter what its name does not. They are few: a model reads each byte in every conversation.
var hints = map[string]string{
	"since":    "time or duration, e.g. 2h",
	"budget":   "tokens",
	"briefing": "as briefing_update takes it",
	"children": "nodes below, nested: title, type, requirement, role, docs, references, isolated, children",
	confirm:    "a person agreed",
}

// describe returns what a model reads about an operation.
func describe(o ops.Operation) string {
	return strings.TrimSpace(strings.ToUpper(o.Summary[:1]) + o.Summary[1:] + ". " + o.Advice)
}

// toolOf describes an operation to models and clients, where the tool sets are on that on says.
func toolOf(o ops.Operation, on func(set string) bool) (*mcp.Tool, error) {
	in, err := json.Marshal(input(o, on))
	if err != nil {
		return nil, err
	}
	out, err := output(o)
	if err != nil {
		return nil, err
	}
	about := &mcp.ToolAnnotations{ReadOnlyHint: !o.Writes, IdempotentHint: o.Idempotent, OpenWorldHint: new(bool)}
	if o.Writes { // of what only reads it is not asked
		about.DestructiveHint = new(o.Destructive || slices.Contains(overwriting, o.Name))
	}
	return &mcp.Tool{Name: o.Name, Description: describe(o), InputSchema: json.RawMessage(in), OutputSchema: out,
		Annotations: about}, nil
}

// overwriting are the tools that replace texts, besides those that remove something.
var overwriting = []string{"node_update", "briefing_update", "workspace_update", "workspace_update_rules", "workspace_update_docs",
	"node_reference", "problem_update", "problem_clear"}

// unlisted are parameters of many tools that the instructions name, and not each schema: what a client sends is checked
// all the same.
var unlisted = []string{"dryRun", "ifMatch"}

// confirm is the argument that stands for a person's consent where a client cannot ask for it.
const confirm = "confirm"

// input returns the schema of an operation's parameters, in the order of the catalogue.
func input(o ops.Operation, on func(set string) bool) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, p := range o.Params {
		if slices.Contains(unlisted, p.Name) || p.Listed == ops.NeverListed || p.Listed != "" && !on(p.Listed) {
			continue
		}
		param := schemaOf(p.Type)
		for _, e := range p.Enum {
			param.Enum = append(param.Enum, e)
		}
		param.Description = hints[p.Name]
		s.Properties[p.Name] = param
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

// schemaOf returns the schema of a parameter's type. Nothing in it may be null, and every list says what it is a list
// of: strict clients drop tools otherwise.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct { // which another tool describes
			return &jsonschema.Schema{Type: "object"}
		}
		return schemaOf(t.Elem())
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: schemaOf(t.Elem())}
	case reflect.Struct:
		if t != reflect.TypeFor[mdstore.Ref]() {
			return objectOf(t)
		}
		text := map[string]*jsonschema.Schema{"path": {Type: "string"}, "description": {Type: "string"}}
		return &jsonschema.Schema{Type: "object", Properties: text, PropertyOrder: []string{"path", "description"},
			Required: []string{"path"}}
	}
	return &jsonschema.Schema{Type: "string"}
}

// objectOf returns the schema of an object in a list. Of objects that hold others of their kind it says only what they
// must have: a hint names the rest, as the list of tools is sent in every conversation.
func objectOf(t reflect.Type) *jsonschema.Schema {
	fields := reflect.VisibleFields(t)
	nested := slices.ContainsFunc(fields, func(f reflect.StructField) bool { return f.Type == reflect.SliceOf(t) })
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	for _, f := range fields {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		must := f.Tag.Get("req") == "true"
		if must {
			s.Required = append(s.Required, name)
		}
		if must || !nested {
			s.Properties[name] = schemaOf(f.Type)
			s.PropertyOrder = append(s.PropertyOrder, name)
		}
	}
	return s
}
