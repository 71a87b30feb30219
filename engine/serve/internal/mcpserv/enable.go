package mcpserv

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// enableName is the tool that turns a tool set on for its connection. It is not an operation, because it only concerns
// the connection.
const enableName = "tools_enable"

// enableCall returns the words for the call that turns a tool set on.
func enableCall(set string) string { return enableName + ` with set "` + set + `"` }

// DefaultOffer returns the tool sets that tools_enable turns on unless Options.Offer says otherwise.
func DefaultOffer() []string { return []string{ops.SetBriefing, ops.SetMemory, ops.SetHistory} }

// checkOffer refuses sets that no assistant turns on by itself.
func checkOffer(sets []string) error {
	for _, set := range sets {
		if !slices.Contains(DefaultOffer(), set) {
			return ops.BadParam(errs.InvalidParams, "toolsets-offer", "toolsets-offer: %q is none of %s, which an "+
				"assistant may turn on; others are yours to turn on, with --toolsets", set, strings.Join(DefaultOffer(), ", "))
		}
	}
	return nil
}

// offered returns the tool sets that tools_enable can turn on, without those that are on from the start.
func (f offer) offered() []string {
	if !f.byDefault() || f.Profile == ProfileWorker || len(f.Tools) > 0 || slices.Contains(f.Exclude, enableName) {
		return nil
	}
	start := offer{Options: f.Options, who: f.who}
	return slices.DeleteFunc(slices.Clone(f.Offer), start.on)
}

// enables reports whether tools_enable is offered.
func (f offer) enables() bool { return len(f.offered()) > 0 }

func (f offer) enableTool() *mcp.Tool {
	set := &jsonschema.Schema{Type: "string"}
	for _, name := range f.offered() {
		set.Enum = append(set.Enum, name)
	}
	in := &jsonschema.Schema{Type: "object"}
	add(in, "set", set, true)
	tool := &mcp.Tool{Name: enableName, Description: "Turn on further tools for this connection.", InputSchema: in,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
	if f.Replies != RepliesText {
		tool.OutputSchema = published(ops.ShapeOf(reflect.TypeFor[enabled]()), false, nil)
	}
	return tool
}

// enabled is the reply of tools_enable. It tells a client that does not list the tools again how to call the new ones.
type enabled struct {
	Set   string   `json:"set"`
	Tools []string `json:"tools"` // "NAME {PARAM*, PARAM}: SUMMARY"; * marks required ones
	How   []string `json:"how,omitempty"`
	Hint  string   `json:"hint"`
}

// enable turns a tool set on for the connection of a call.
func (s *Server) enable(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	header := headers(req.Extra)
	f := s.offer(req.Session, header)
	var in struct{ Set string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil || !slices.Contains(f.offered(), in.Set) {
		err := ops.BadParam(errs.InvalidParams, "set", "%s: set is %q; needed is one of %s", enableName, clip(in.Set, 60),
			strings.Join(f.offered(), ", "))
		return s.failure(f, errs.As(err))
	}
	c, before := s.connection(req.Session, header), strings.Split(f.taught(), "\n")
	c.mu.Lock()
	if !slices.Contains(c.enabled, in.Set) {
		c.enabled = append(slices.Clip(c.enabled), in.Set)
	}
	f.more = c.enabled
	c.mu.Unlock()
	out := enabled{Set: in.Set, Hint: "your client lists them again; if it does not, call them by these names, or a " +
		"person starts the server with --toolsets " + DefaultSet + "," + in.Set}
	for line := range strings.SplitSeq(f.taught(), "\n") {
		if !slices.Contains(before, line) {
			out.How = append(out.How, line)
		}
	}
	for _, o := range ops.Of(in.Set) {
		if f.has(o) {
			out.Tools = append(out.Tools, o.Name+" "+paramsOf(f.tool(o).InputSchema.(*jsonschema.Schema))+": "+o.Summary)
		}
	}
	if marshalled(out) > s.room() {
		for i, line := range out.Tools {
			out.Tools[i], _, _ = strings.Cut(line, " ")
		}
	}
	s.mcp.AddTool(s.standing().enableTool(), s.enable) // tells clients to list again
	s.addPrompts()
	data, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return s.result(ops.Reply{Data: data, Text: string(data)}), nil
}

// paramsOf lists the parameters in the schema of a tool; * marks required ones.
func paramsOf(in *jsonschema.Schema) string {
	names := slices.Clone(in.PropertyOrder)
	for i, name := range names {
		if slices.Contains(in.Required, name) {
			names[i] += "*"
		}
	}
	return "{" + strings.Join(names, ", ") + "}"
}
