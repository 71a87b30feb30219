package mcpserv

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/ops"
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

// checkTools refuses unknown names of tools.
func checkTools(param string, names []string) error {
	for _, name := range names {
		if _, ok := ops.Find(name); !ok && (param != "exclude-tools" || name != enableName) {
			return ops.BadParam(errs.InvalidParams, param, "%s: there is no tool %q; docs/mcp.md lists them", param, name)
		}
	}
	return nil
}

// addTools offers the operations that a connection may ever have: tools/list names those that it has now.
func (s *Server) addTools() {
	f := s.standing()
	most := offer{&s.opt, f.offered(), nil}
	for _, o := range ops.All() {
		if !most.has(o) {
			continue
		}
		s.mcp.AddTool(f.tool(o), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, f.seen(o), req)
		})
	}
	if f.enables() {
		s.mcp.AddTool(f.enableTool(), s.enable)
	}
}

// hints say of a parameter what its name does not. They are few: a model reads each byte in every conversation.
var hints = map[string]string{
	"have":   "ID@VERSION, or [] at first",
	"since":  "e.g. 2h",
	"budget": "tokens",
	confirm:  "a person agreed",
}

// describe returns what a model reads about an operation.
func describe(o ops.Operation) string {
	return strings.TrimSpace(strings.ToUpper(o.Summary[:1]) + o.Summary[1:] + ". " + o.Advice)
}

// toolOf describes an operation to models and clients. on reports whether a tool set is on.
func toolOf(o ops.Operation, on func(set string) bool) *mcp.Tool {
	about := &mcp.ToolAnnotations{ReadOnlyHint: true}
	if o.Writes { // the other hints are about tools that write
		about = &mcp.ToolAnnotations{DestructiveHint: new(o.Destructive || slices.Contains(overwriting, o.Name))}
	}
	return &mcp.Tool{Name: o.Name, Description: describe(o), InputSchema: input(o, on), Annotations: about}
}

// overwriting are the tools that replace texts, besides those that remove something.
var overwriting = []string{"node_update", "briefing_update", "workspace_update", "workspace_update_rules", "workspace_update_docs",
	"node_reference", "problem_update", "problem_clear", "memory_merge", "file_write", "file_edit", "file_delete", "tool_call", "env_remove"}

// Three parameters of many tools are taken and checked everywhere. Schemas list them only where they are most useful,
// because a model reads each byte: ifMatch where the text of a node or file is replaced, verbose in context_get, dryRun
// in the instructions only.
var (
	matched   = []string{"node_update", "briefing_update", "file_write", "file_edit", "file_delete"}
	verbosely = []string{"context_get"}
)

// ofSession are tools that work on the session of the connection and its workspace, unless a call names others.
var ofSession = []string{"session_end", "session_note", "state_save", "state_load", "state_update", "state_delete",
	"transcript_append", "transcript_read", "transcript_clear"}

// inSchema reports whether the schema of a tool lists a parameter.
func inSchema(tool, param string) bool {
	if (param == "sessionId" || param == "workspaceId") && slices.Contains(ofSession, tool) {
		return false
	}
	if param == "sessionId" && strings.HasPrefix(tool, "memory_") && tool != "memory_use" ||
		param == "workspaceId" && tool == "memory_use" { // by default the connection's
		return false
	}
	if tool == "session_note" && param == "tool" { // the text can say it
		return false
	}
	if tool == "memory_merge" && param == "dryRun" { // true by default
		return true
	}
	return param != "dryRun" && (param != "ifMatch" || slices.Contains(matched, tool))
}

// leanTools is a list of tools without the hints that state a default.
type leanTools struct{ *mcp.ListToolsResult }

// MarshalJSON leaves the hints out. It cannot hit a text, because quotes in a JSON string have a backslash.
func (l leanTools) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(l.ListToolsResult)
	for _, hint := range []string{`,"readOnlyHint":false`} {
		data = bytes.ReplaceAll(data, []byte(hint), nil)
	}
	return data, err
}

// confirm is the argument that states a person's consent if the client cannot ask for it.
const confirm = "confirm"

// input returns the schema of an operation's parameters, in the order of the catalogue.
func input(o ops.Operation, on func(set string) bool) *jsonschema.Schema {
	taken := o.Without(func(p ops.Param) bool { return !inSchema(o.Name, p.Name) })
	s := published(taken.Takes(), true, on)
	if slices.Contains(verbosely, o.Name) {
		add(s, verbose, &jsonschema.Schema{Type: "boolean"}, false)
	}
	if o.Destructive {
		add(s, confirm, &jsonschema.Schema{Type: "boolean", Description: hints[confirm]}, false)
	}
	return s
}
