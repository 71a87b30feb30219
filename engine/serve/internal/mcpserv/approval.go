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

// approval is the id of the request for a person's approval, and answer the field with the person's choice.
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

// look is the time between two looks for a decision that a person made elsewhere.
const look = 500 * time.Millisecond

// approved makes a call. If its environment requires a person's approval, approved gets that first. Over stdin and
// stdout it asks through the client, if the client can ask. Otherwise it waits up to Options.Patience for a decision in
// a terminal (arbor env approve) or on the page. Over HTTP it does not ask through the client, because anyone who has
// the clients' token could answer. A call that has succeeded and asks for trust in an environment does not wait.
func (s *Server) approved(ctx context.Context, env *ops.Env, req *mcp.CallToolRequest, call func() (any, error)) (
	out any, ask *mcp.CallToolResult, err error) {
	out, err = call()
	id := waits(out, err)
	if id == "" {
		return out, nil, err
	}
	if !asks(req) || headers(req.Extra) != nil {
		if err != nil {
			out, err = s.await(ctx, env, err, call)
		}
		return out, nil, err
	}
	released(ctx)
	r, answered := req.Params.InputResponses[approval].(*mcp.ElicitResult)
	for answered = answered && req.Params.RequestState == id; ; answered = true {
		if answered {
			if r.Action == "cancel" {
				return out, nil, err
			}
			if _, err := ops.Decide(ctx, env, id, decided(r)); err != nil {
				return nil, nil, err
			}
			out, err = call()
			next := waits(out, err)
			if next == "" || next == id {
				return out, nil, err
			}
			id = next // the tool was approved; the next question is about the call
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

// decided returns the decision in a person's answer to the client's question. The zero decision is a refusal.
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

// asksOnce reports whether the client's protocol is too old for replies with questions. The SDK then puts the question
// to the person itself, but only once for a call; a second question would go to the client, which does not understand
// it.
func asksOnce(req *mcp.CallToolRequest) bool {
	p := req.Session.InitializeParams()
	return p != nil && p.ProtocolVersion < modern
}

// waits returns the id of the request of a person that a call made; "" for none.
func waits(out any, err error) string {
	if o, ok := out.(interface{ Requested() string }); ok && err == nil {
		return o.Requested()
	}
	if e := errs.As(err); e != nil && e.Code == errs.ApprovalPending && e.Details != nil {
		return e.Details.Param
	}
	return ""
}

// await makes the call again when a person has decided about its request. If nobody decides within Options.Patience, it
// returns the error pending.
func (s *Server) await(ctx context.Context, env *ops.Env, pending error, call func() (any, error)) (out any, err error) {
	if s.opt.Patience < 0 {
		return nil, pending
	}
	released(ctx)
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
		id := waits(nil, pending)
		if err == nil && slices.ContainsFunc(all.Requests, func(r trust.Request) bool { return r.ID == id }) {
			continue
		}
		if out, err = call(); waits(out, err) == "" {
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
