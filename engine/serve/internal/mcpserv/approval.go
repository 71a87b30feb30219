package mcpserv

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// approval is the id of the request for a person's approval, and answer the name of what they choose.
const (
	approval = "approval"
	answer   = "answer"
)

// The answers, as a person reads them in the client's list.
const (
	once       = "allow once"
	forSession = "allow for this session"
	always     = "always allow"
	no         = "do not allow"
)

// look is the time between two looks at what a person decided elsewhere.
const look = 500 * time.Millisecond

// approved makes a call, once a person has agreed where its environment wants that: the client asks them, where it can
// and its person started this process. Otherwise the call waits as long as the server is patient, for arbor env approve
// in a terminal, or the page. Over HTTP it always waits: whoever has the clients' token could answer the client's
// question.
func (s *Server) approved(ctx context.Context, env *ops.Env, req *mcp.CallToolRequest, call func() (any, error)) (
	out any, ask *mcp.CallToolResult, err error) {
	out, err = call()
	if waits(err) == "" {
		return out, nil, err
	}
	if !asks(req) || headers(req.Extra) != nil {
		out, err = s.await(ctx, env, err, call)
		return out, nil, err
	}
	id := waits(err)
	r, answered := req.Params.InputResponses[approval].(*mcp.ElicitResult)
	for answered = answered && req.Params.RequestState == id; ; answered = true {
		if answered {
			if r.Action == "cancel" {
				return nil, nil, err
			}
			if _, err := ops.Decide(ctx, env, id, decided(r)); err != nil {
				return nil, nil, err
			}
			if out, err = call(); waits(err) == "" || waits(err) == id {
				return out, nil, err
			}
			id = waits(err) // what is approved was the tool; the call is asked for next
		}
		form, failed := questionOf(ctx, env, id)
		if failed != nil {
			return nil, nil, failed
		}
		if !answered || !asksOnce(req) {
			return nil, &mcp.CallToolResult{RequestState: id, InputRequests: mcp.InputRequestMap{approval: form}}, nil
		}
		if r, failed = req.Session.Elicit(ctx, form); failed != nil {
			return nil, nil, failed
		}
	}
}

// decided returns what a person chose in the client's question.
func decided(r *mcp.ElicitResult) trust.Decision {
	d := trust.Decision{By: "in the client (elicitation)"}
	switch chosen, _ := r.Content[answer].(string); {
	case r.Action != "accept":
	case chosen == once:
		d.Allow, d.Scope = true, trust.Once
	case chosen == forSession:
		d.Allow, d.Scope = true, trust.ForSession
	case chosen == always:
		d.Allow, d.Scope = true, trust.Always
	}
	return d
}

// asksOnce reports whether the question that a reply carries is put to the client's person by the SDK, which does so once for
// a call and hands a second one to the client, where it means nothing: so for protocols that have no such replies.
func asksOnce(req *mcp.CallToolRequest) bool {
	p := req.Session.InitializeParams()
	return p != nil && p.ProtocolVersion < modern
}

// waits returns the request that a call waits for; "" for one that does not.
func waits(err error) string {
	if e := errs.As(err); e != nil && e.Code == errs.ApprovalPending && e.Details != nil {
		return e.Details.Param
	}
	return ""
}

// await makes the call again when a person has decided about it.
func (s *Server) await(ctx context.Context, env *ops.Env, pending error, call func() (any, error)) (out any, err error) {
	if s.opt.Patience < 0 {
		return nil, pending
	}
	limited, cancel := context.WithTimeout(ctx, s.opt.Patience)
	defer cancel()
	for tick := time.NewTicker(look); ; {
		select {
		case <-limited.Done():
			tick.Stop()
			return nil, pending
		case <-tick.C:
		}
		all, err := ops.ApprovalList(ctx, env, ops.ApprovalListIn{})
		if err == nil && slices.ContainsFunc(all.Requests, func(r trust.Request) bool { return r.ID == waits(pending) }) {
			continue
		}
		if out, err = call(); waits(err) == "" {
			tick.Stop()
			return out, err
		}
		pending = err
	}
}

// questionOf returns the question to a person about a request.
func questionOf(ctx context.Context, env *ops.Env, id string) (*mcp.ElicitParams, error) {
	all, err := ops.ApprovalList(ctx, env, ops.ApprovalListIn{})
	if err != nil {
		return nil, err
	}
	for _, r := range all.Requests {
		if r.ID != id {
			continue
		}
		choices := []any{once, no}
		text := act.Asked(r, false)
		if g := trust.GrantOf(r, trust.Decision{Allow: true, Scope: trust.ForSession}); g != nil {
			choices = []any{once, forSession, always, no}
			text += forSession + ": " + act.Granted(g)
		}
		schema := &jsonschema.Schema{Type: "object", Required: []string{answer}, Properties: map[string]*jsonschema.Schema{
			answer: {Type: "string", Title: "Let it run?", Enum: choices, Default: json.RawMessage(`"` + no + `"`)},
		}}
		return &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: schema}, nil
	}
	return nil, errs.New(errs.RequestNotFound, "%s: it was decided meanwhile; call again", id)
}
