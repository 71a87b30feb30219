package mcpserv

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// asking is the id of the request for a person's answer to a question of log_append.
const asking = "question"

// asked makes a call. If it writes a question and the client can ask, the person answers there and then; ask is the
// question for a client that repeats the call with the answer. The person's answer is written as theirs where they
// started this process: over HTTP, whoever has the clients' token could give it. A question that gets no answer stays
// open, and the reply says how to answer it.
func (s *Server) asked(ctx context.Context, env *ops.Env, req *mcp.CallToolRequest,
	call func() (any, *mcp.CallToolResult, error)) (out any, ask *mcp.CallToolResult, err error) {
	can := asks(req) && headers(req.Extra) == nil && s.opt.Patience > 0
	if q, r := repeated(req); q != nil && can {
		return q.Answer(ctx, env, answerIn(r)), nil, nil
	}
	out, ask, err = call()
	log, ok := out.(*ops.LogAppendOut)
	if err != nil || ask != nil || !ok || log.Asked == nil || !can {
		return out, ask, err
	}
	q := log.Asked
	schema := &jsonschema.Schema{Type: "object", Required: []string{answer}, Properties: map[string]*jsonschema.Schema{
		answer: {Type: "string", Title: "Your answer"},
	}}
	text := render.VisibleLines(fmt.Sprintf("%s (%s): %s", q.Title, q.Node, q.Text))
	form := &mcp.ElicitParams{Mode: "form", Message: text, RequestedSchema: schema}
	if !asksOnce(req) {
		state, err := json.Marshal(q)
		requests := mcp.InputRequestMap{asking: form}
		return nil, &mcp.CallToolResult{RequestState: string(state), InputRequests: requests}, err
	}
	released(ctx)
	limited, cancel := context.WithTimeout(ctx, s.opt.Patience)
	defer cancel()
	r, err := req.Session.Elicit(limited, form)
	if err != nil { // too late, or the client cannot after all
		return out, nil, nil
	}
	return q.Answer(ctx, env, answerIn(r)), nil, nil
}

// repeated returns the question that a call has asked before, if it is repeated with the answer.
func repeated(req *mcp.CallToolRequest) (*ops.Asked, *mcp.ElicitResult) {
	var q ops.Asked
	var given struct{ Event string }
	r, ok := req.Params.InputResponses[asking].(*mcp.ElicitResult)
	if !ok || json.Unmarshal([]byte(req.Params.RequestState), &q) != nil ||
		json.Unmarshal(req.Params.Arguments, &given) != nil || given.Event != q.Text ||
		q.Node == "" || len(q.Time) != len(mdstore.TimeLayout) {
		return nil, nil
	}
	return &q, r
}

// answerIn returns the answer that a person gave, "" for none.
func answerIn(r *mcp.ElicitResult) string {
	text, _ := r.Content[answer].(string)
	if r.Action != "accept" {
		return ""
	}
	return strings.TrimSpace(text)
}
