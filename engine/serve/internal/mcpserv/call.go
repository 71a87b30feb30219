package mcpserv

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/assemble"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// call runs one operation for a client. A panic fails this call only.
func (s *Server) call(ctx context.Context, o ops.Operation, req *mcp.CallToolRequest) (
	res *mcp.CallToolResult, err error) {
	f := s.offer(req.Session, headers(req.Extra))
	o = f.seen(o)
	defer func() {
		if p := recover(); p != nil {
			s.opt.Log.Error("a bug in arbor", "tool", o.Name, "panic", p, "stack", string(debug.Stack()))
			res, err = s.refusal(f, errs.New(errs.InternalError,
				"%s: this is a bug in arbor: %v; the vault is whole: a change is made as one or not at all", o.Name, p))
		}
	}()
	env := s.env(req.Session, headers(req.Extra))
	if token := req.Params.GetProgressToken(); token != nil {
		env.Progress = func(done, total int, what string) {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token,
				Progress: float64(done), Total: float64(total), Message: what})
		}
	}
	given, err := arguments(o, env, req.Params.Arguments)
	if err != nil {
		return s.refusal(f, err)
	}
	o.Normal(given)
	c, named := s.connection(req.Session, headers(req.Extra)), sessionOf(given)
	if c != nil {
		c.realNames(o, given)
	}
	if env, err = s.caller(ctx, o, c, env, given); err != nil {
		return s.refusal(f, err)
	}
	if err = f.checkNames(o, given); err != nil {
		return s.refusal(f, err)
	}
	if req.Params.Arguments, err = json.Marshal(given); err != nil {
		return nil, err
	}
	args := req.Params.Arguments
	if o.Destructive {
		var question *mcp.CallToolResult
		if args, question, err = s.consent(ctx, o, env, req); err != nil {
			return s.refusal(f, err)
		}
		if question != nil {
			return question, nil
		}
	}
	out, question, err := s.asked(ctx, env, req, func() (any, *mcp.CallToolResult, error) {
		return s.approved(ctx, env, req, func() (any, error) { return o.Call(ctx, env, args) })
	})
	if c != nil && env.Begun != nil && env.Begun.Caller != "" {
		s.continues(ctx, c, "", *env.Begun, env)
	}
	if err != nil {
		return s.refusal(f, err)
	}
	if question != nil {
		return question, nil
	}
	if c != nil {
		s.continues(ctx, c, named, out, env)
	}
	if b, ok := out.(*ops.SessionBindOut); ok && c == nil {
		b.Hint = "no connection remembers this: name workspaceId in each call, or send the header " + HeaderSession +
			" with this session's id"
	} else if ok && !b.DryRun { // changes_get reports changes from now on
		bound := s.env(req.Session, headers(req.Extra))
		if _, _, err := changedSince(ctx, bound, mdstore.ID(b.WorkspaceID)); err != nil {
			s.opt.Log.Warn("what a session has seen cannot be noted", "session", c.session, "error", err)
		}
	}
	reply, err := env.ReplyOf(out)
	if err != nil {
		return nil, err
	}
	if env.May != ops.MayLook {
		env.Sent(ctx, out, reply)
	}
	return s.result(reply), nil
}

// continues gives a connection the session that the result of a call binds it to, with its claims.
func (s *Server) continues(ctx context.Context, c *connection, named string, out any, env *ops.Env) {
	left, to := c.follow(named, out, env.May == ops.MayLook)
	if !strings.HasPrefix(left, ownSession) {
		return
	}
	if err := s.engine.HandOver(ctx, left, to); err != nil {
		s.opt.Log.Warn("claims end with their lease only", "session", left, "error", err)
	}
}

// refusal returns an error in its form for the client: the result of a failed tool if a model can act on it, otherwise
// a protocol error.
func (s *Server) refusal(f offer, err error) (*mcp.CallToolResult, error) {
	e := errs.As(err)
	switch {
	case e.Class() != errs.Internal, e.Details != nil && e.Details.Committed:
		return s.failure(f, e)
	case errors.Is(err, context.Canceled):
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: clip(e.Message, maxMessage)}
}

// room returns how many bytes of JSON a reply may have, without those that the protocol adds to every reply.
func (s *Server) room() int { return assemble.Bytes(s.opt.MaxTokens) - 128 }

// result returns a reply for a client: as data, and as text for clients that do not read the data; a model is shown one
// of them. Operations keep their lists within room, and ReplyOf cuts long texts, so neither is larger.
func (s *Server) result(r ops.Reply) *mcp.CallToolResult {
	if s.opt.Replies == RepliesText {
		r.Data = nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}, StructuredContent: r.Data}
}
