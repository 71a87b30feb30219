package mcpserv

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// question is the id of the request for a person's consent.
const question = "consent"

// consent returns the arguments of a call that removes something, without confirm, once a person has agreed: in answer
// to a question that the client shows, or through the argument confirm. If the person has to be asked first, it returns
// the question as ask. A call that would be refused anyway is refused before the question.
func (s *Server) consent(ctx context.Context, o ops.Operation, env *ops.Env, req *mcp.CallToolRequest) (
	args json.RawMessage, ask *mcp.CallToolResult, err error) {
	given, err := o.Parse(req.Params.Arguments)
	if err != nil {
		return nil, nil, err
	}
	var agreed, dryRun bool
	for name, flag := range map[string]*bool{confirm: &agreed, "dryRun": &dryRun} {
		if v, ok := ops.Truth(given[name]); ok {
			*flag = v
		} else if given[name] != nil {
			return nil, nil, noTruth(o, name, given[name])
		}
	}
	known := []string{confirm} // which the operation itself does not know
	for _, p := range o.Params() {
		known = append(known, p.Name)
	}
	for name := range given {
		if name != confirm && ops.Nearest(name, known) == confirm {
			name = clip(name, 60)
			return nil, nil, ops.BadParam(errs.UnknownParams, name, "%s: no parameter %q; the nearest known one is %s",
				o.Name, name, confirm)
		}
	}
	delete(given, confirm)
	if args, err = json.Marshal(given); err != nil || agreed || dryRun {
		return args, nil, err
	}
	given["dryRun"] = true
	dryArgs, _ := json.Marshal(given) // as above
	plan, err := o.Call(ctx, env, dryArgs)
	if err != nil {
		return nil, nil, err
	}
	what := removed(ctx, env, args, plan)
	if what == "" {
		return args, nil, nil
	}
	sum := sha256.Sum256([]byte(what + "\x00" + string(args)))
	state := hex.EncodeToString(sum[:])
	if r, ok := req.Params.InputResponses[question].(*mcp.ElicitResult); ok && req.Params.RequestState == state {
		if r.Action == "accept" && r.Content[confirm] == true {
			return args, nil, nil
		}
		return nil, nil, errs.New(errs.ConfirmationRequired,
			"%s: a person was asked and did not agree; nothing was changed", o.Name)
	}
	if !asks(req) {
		return nil, nil, errs.New(errs.ConfirmationRequired,
			"%s moves %s to the trash; ask a person, and call again with confirm: true if they agree", o.Name, what)
	}
	schema := &jsonschema.Schema{Type: "object", Required: []string{confirm}, Properties: map[string]*jsonschema.Schema{
		confirm: {Type: "boolean", Title: "Move it to the trash", Default: json.RawMessage("false")},
	}}
	form := &mcp.ElicitParams{Mode: "form", Message: "Move " + what + " to the trash?", RequestedSchema: schema}
	return nil, &mcp.CallToolResult{RequestState: state, InputRequests: mcp.InputRequestMap{question: form}}, nil
}

// asks reports whether the client of a request can put a question to its person.
func asks(req *mcp.CallToolRequest) bool {
	can := req.ClientCapabilities()
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// removed describes what a planned call removes; "" if nothing.
func removed(ctx context.Context, env *ops.Env, args json.RawMessage, plan any) string {
	var in struct{ NodeID, WorkspaceID string }
	_ = json.Unmarshal(args, &in)
	what, title, nodes := "", "", 0
	switch out := plan.(type) {
	case *ops.NodeDeleteOut:
		what, nodes = fmt.Sprintf("node %q", in.NodeID), out.DeletedCount-1
		if snap, id, err := env.At(ctx, in.WorkspaceID, in.NodeID); err == nil {
			if n, ok := snap.Node(id); ok {
				title = n.Title
			}
		}
	case *ops.WorkspaceGCOut:
		switch n := len(out.Collected); n {
		case 0:
		case 1:
			what = "the workspace " + out.Collected[0].WorkspaceID
		default:
			what = fmt.Sprintf("%d workspaces", n)
		}
	case *ops.WorkspaceDeleteOut:
		what, nodes = fmt.Sprintf("workspace %q", in.WorkspaceID), out.DeletedCount
		if snap, err := env.In(ctx, in.WorkspaceID); err == nil {
			title = snap.Workspace().Name
		}
	}
	if title != "" {
		what += " (" + clip(render.Visible(title), 80) + ")"
	}
	switch {
	case nodes == 1:
		what += " with one node in it"
	case nodes > 1:
		what += fmt.Sprintf(" with %d nodes in it", nodes)
	}
	return what
}
