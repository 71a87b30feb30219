package mcpserv

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine"
	"arbor/engine/ops"
)

// question is the id of the request for a person's consent.
const question = "consent"

// consent returns the arguments of a call that takes something away, once a person has agreed to it: by an answer to a question that the client puts, or by
// the argument confirm where the client cannot ask. ask is the question. What would be refused anyway is refused before anybody is asked.
func (s *Server) consent(ctx context.Context, o ops.Operation, env *ops.Env, req *mcp.CallToolRequest) (args json.RawMessage, ask *mcp.CallToolResult, err error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(req.Params.Arguments, &given) != nil || given == nil {
		return req.Params.Arguments, nil, nil // not even arguments: the operation says so
	}
	if err := nearlyConfirm(o, given); err != nil {
		return nil, nil, err
	}
	agreed, err := flag(o, given, confirm)
	if err != nil {
		return nil, nil, err
	}
	dry, err := flag(o, given, "dryRun")
	if err != nil {
		return nil, nil, err
	}
	delete(given, confirm)
	if args, err = json.Marshal(given); err != nil || agreed || dry {
		return args, nil, err
	}
	given["dryRun"] = json.RawMessage("true")
	plan, err := json.Marshal(given)
	if err != nil {
		return nil, nil, err
	}
	out, err := o.Call(ctx, env, plan)
	if err != nil {
		return nil, nil, err
	}
	what := loss(ctx, env, args, out)
	sum := sha256.Sum256([]byte(what + "\x00" + string(args)))
	state := hex.EncodeToString(sum[:])
	if r, ok := req.Params.InputResponses[question].(*mcp.ElicitResult); ok && req.Params.RequestState == state {
		if r.Action == "accept" && r.Content[confirm] == true {
			return args, nil, nil
		}
		return nil, nil, engine.Fail(engine.ConfirmationRequired, "%s: a person was asked and did not agree; nothing was changed", o.Name)
	}
	if !asks(req) {
		return nil, nil, engine.Fail(engine.ConfirmationRequired, "%s moves %s to the trash; ask a person, and call again with confirm: true if they agree", o.Name, what)
	}
	return nil, &mcp.CallToolResult{RequestState: state, InputRequests: mcp.InputRequestMap{question: &mcp.ElicitParams{
		Mode:    "form",
		Message: fmt.Sprintf("Move %s to the trash?", what),
		RequestedSchema: &jsonschema.Schema{Type: "object", Required: []string{confirm}, Properties: map[string]*jsonschema.Schema{
			confirm: {Type: "boolean", Title: "Move it to the trash", Default: json.RawMessage("false")},
		}},
	}}}, nil
}

// nearlyConfirm refuses a parameter that is nearly confirm, which the operation itself does not know.
func nearlyConfirm(o ops.Operation, given map[string]json.RawMessage) error {
	known := []string{confirm}
	for _, p := range o.Params {
		known = append(known, p.Name)
	}
	for name := range given {
		if !slices.Contains(known, name) && ops.Nearest(name, known) == confirm {
			e := engine.Fail(engine.UnknownParams, "%s: no parameter %q; the nearest known one is %s", o.Name, clip(name, 60), confirm)
			e.Details = &engine.Details{Param: clip(name, 60), Nearest: confirm}
			return e
		}
	}
	return nil
}

// flag reads a boolean argument, false where it is missing.
func flag(o ops.Operation, given map[string]json.RawMessage, name string) (bool, error) {
	raw, ok := given[name]
	if !ok {
		return false, nil
	}
	var b *bool
	if err := json.Unmarshal(raw, &b); err != nil {
		e := engine.Fail(engine.InvalidParams, "%s: %s is %s; true or false is expected", o.Name, name, clip(string(raw), 60))
		e.Details = &engine.Details{Param: name}
		return false, e
	}
	return b != nil && *b, nil
}

// asks reports whether the client can put a question with a form to a person.
func asks(req *mcp.CallToolRequest) bool {
	c := req.ClientCapabilities()
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// loss says in words what a planned call takes away.
func loss(ctx context.Context, env *ops.Env, args json.RawMessage, plan any) string {
	var in struct{ NodeID, WorkspaceID string }
	_ = json.Unmarshal(args, &in)
	named := func(what, id, title string) string {
		if title != "" {
			id = fmt.Sprintf("%q (%s)", id, clip(render.Visible(title), shownTitle))
		}
		return what + " " + id
	}
	switch out := plan.(type) {
	case *ops.NodeDeleteOut:
		title := ""
		if snap, id, err := env.At(ctx, in.WorkspaceID, in.NodeID); err == nil {
			if n, ok := snap.Node(id); ok {
				title = n.Title
			}
		}
		return counted(named("node", in.NodeID, title), out.DeletedCount-1)
	case *ops.WorkspaceDeleteOut:
		title := ""
		if snap, err := env.In(ctx, in.WorkspaceID); err == nil {
			title = snap.Workspace().Name
		}
		return counted(named("workspace", in.WorkspaceID, title), out.DeletedCount)
	}
	return "it"
}

const shownTitle = 80 // bytes of a title in a question

func counted(what string, nodes int) string {
	switch {
	case nodes <= 0:
		return what
	case nodes == 1:
		return what + " with one node in it"
	}
	return fmt.Sprintf("%s with %d nodes in it", what, nodes)
}
