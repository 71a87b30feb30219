package mcpserv

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/say"
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
	hidden := slices.Contains(s.opt.Exclude, o.Name) || s.opt.ReadOnly && o.Writes && !o.Looks
	second := o.Both != "" && s.on(o.Both)
	return (o.Set != ops.SetPlan || s.opt.Profile.offers(o.Name) || second) && !hidden &&
		(len(s.opt.Tools) == 0 && (s.on(o.Set) || second) || slices.Contains(s.opt.Tools, o.Name))
}

// allSets turns every tool set on.
const allSets = "all"

// CheckToolsets returns an error that names the tool sets if a name is none of them.
func CheckToolsets(names []string) error {
	for _, set := range names {
		if !slices.Contains(append(ops.Sets(), allSets), set) {
			return ops.BadParam(errs.InvalidParams, "toolsets", "toolsets: there is no set %q; %s and %s are known",
				set, strings.Join(ops.Sets(), ", "), allSets)
		}
	}
	return nil
}

// on reports whether a tool set is on.
func (s *Server) on(set string) bool {
	if len(s.opt.Toolsets) == 0 {
		return set == ops.SetPlan
	}
	return slices.Contains(s.opt.Toolsets, set) || slices.Contains(s.opt.Toolsets, allSets)
}

// safe returns the names of the tools that are offered and remove nothing.
func (s *Server) safe() (names []string) {
	for _, o := range ops.All() {
		if s.offers(o) && !o.Destructive {
			names = append(names, o.Name)
		}
	}
	return names
}

// checkTools refuses names of tools that there are not.
func checkTools(param string, names []string) error {
	for _, name := range names {
		if _, ok := ops.Find(name); !ok {
			return ops.BadParam(errs.InvalidParams, param, "%s: there is no tool %q; docs/mcp.md lists them", param, name)
		}
	}
	return nil
}

// called says an operation in a hint or an error, and that its tool is not offered, if so.
func (s *Server) called(name string, words []string) string {
	said := say.Called(name, words)
	switch o, known := ops.Find(name); {
	case !known || s.offers(o):
		return said
	case s.on(o.Set):
		return said + " (not offered here)"
	default:
		return said + " (tool set " + o.Set + ", not offered here)"
	}
}

// addTools offers the operations of the profile.
func (s *Server) addTools() {
	for _, o := range ops.All() {
		if !s.offers(o) {
			continue
		}
		if s.opt.ReadOnly {
			o.Writes = false
			o = o.Without(func(p ops.Param) bool { return p.Writes })
		}
		tool := toolOf(o, s.on)
		if s.opt.Replies != RepliesText {
			tool.OutputSchema = output(o)
		}
		s.mcp.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, o, req)
		})
	}
}

// checkTool refuses a tool that is not offered, with the nearest name that is, or the call that is meant. It names no
// tool that removes something.
func (s *Server) checkTool(name string) error {
	if o, ok := ops.Find(name); ok && s.offers(o) {
		return nil
	}
	offered := s.safe()
	try := "tools/list names the tools"
	o, known := ops.Find(name)
	if known && !s.on(o.Set) {
		try = "it is in the tool set " + o.Set + ", which this server does not offer (--toolsets)"
	} else if known {
		try = "this server was started without it (--profile, --read-only, --tools, --exclude-tools)"
	} else if call := meant(name, offered); call != "" {
		try = "call " + call
	} else if near := ops.Nearest(name, offered); near != "" && !removes(name) {
		try = "the nearest one is " + near
	}
	message := fmt.Sprintf("unknown tool %q; %s", clip(name, 60), try)
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
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

// toolOf describes an operation to models and clients, where the tool sets are on that on says.
func toolOf(o ops.Operation, on func(set string) bool) *mcp.Tool {
	about := &mcp.ToolAnnotations{ReadOnlyHint: true}
	if o.Writes { // the others say nothing of what only reads
		about = &mcp.ToolAnnotations{IdempotentHint: o.Idempotent, OpenWorldHint: new(bool),
			DestructiveHint: new(o.Destructive || slices.Contains(overwriting, o.Name))}
	}
	return &mcp.Tool{Name: o.Name, Description: describe(o), InputSchema: input(o, on), Annotations: about}
}

// overwriting are the tools that replace texts, besides those that remove something.
var overwriting = []string{"node_update", "briefing_update", "workspace_update", "workspace_update_rules", "workspace_update_docs",
	"node_reference", "problem_update", "problem_clear", "memory_merge", "file_write", "file_edit", "file_delete", "tool_call", "env_remove"}

// Three parameters of many tools are taken and checked everywhere, and stand where they are of most use, because a
// model reads each byte: ifMatch where texts or statuses are replaced, verbose where much is left out, dryRun in the
// instructions only.
var (
	matched   = append([]string{"node_transition", "node_delete", "workspace_delete"}, overwriting...)
	verbosely = []string{"context_get", "node_get", "node_create"}
)

// ofSession are tools that are about the session of the connection and its workspace, unless a call names others.
var ofSession = []string{"session_end", "session_note", "state_save", "state_load", "state_update", "state_delete",
	"transcript_append", "transcript_read", "transcript_clear"}

// inSchema reports whether a parameter stands in the schema of a tool.
func inSchema(tool, param string) bool {
	if (param == "sessionId" || param == "workspaceId") && slices.Contains(ofSession, tool) {
		return false
	}
	if param == "sessionId" && strings.HasPrefix(tool, "memory_") && tool != "memory_use" || param == "workspaceId" && tool == "memory_use" { // the connection's, unless a call says otherwise
		return false
	}
	if tool == "memory_merge" && param == "dryRun" { // which it is unless a call says otherwise
		return true
	}
	return param != "dryRun" && (param != "ifMatch" || slices.Contains(matched, tool))
}

// leanTools is a list of tools without the hints that say what holds without them.
type leanTools struct{ *mcp.ListToolsResult }

// MarshalJSON leaves the hints out. In a text of JSON no quote stands without a backslash.
func (l leanTools) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(l.ListToolsResult)
	for _, hint := range []string{`"idempotentHint":false,`, `,"readOnlyHint":false`} {
		data = bytes.ReplaceAll(data, []byte(hint), nil)
	}
	return data, err
}

// confirm is the argument that stands for a person's consent where a client cannot ask for it.
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
