package mcpserv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// call runs one operation for a client.
func (s *Server) call(ctx context.Context, o ops.Operation, req *mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
	defer func() {
		if p := recover(); p != nil { // one call fails, the others go on
			s.opt.Log.Error("a bug in arbor", "tool", o.Name, "panic", p, "stack", string(debug.Stack()))
			res, err = s.answer(nil, engine.Fail(engine.InternalError, "%s: this is a bug in arbor: %v; the vault is whole: a change is made as one or not at all", o.Name, p))
		}
	}()
	env := s.env(req.Session, headers(req.Extra))
	s.follow()
	s.engine.Refresh()
	if token := req.Params.GetProgressToken(); token != nil {
		env.Progress = func(done, total int, what string) {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(done), Total: float64(total), Message: what})
		}
	}
	args := req.Params.Arguments
	c := s.connection(req.Session, headers(req.Extra))
	if c != nil {
		args = c.named(o, args)
	}
	if o.Destructive {
		var ask *mcp.CallToolResult
		var err error
		if args, ask, err = s.consent(ctx, o, env, req); err != nil || ask != nil {
			return s.answer(ask, err)
		}
	}
	out, err := o.Call(ctx, env, args)
	if err != nil {
		return s.answer(nil, err)
	}
	if c != nil {
		c.follow(req.Params.Arguments, out)
		s.begin(ctx, c, out)
	} else if b, ok := out.(*ops.SessionBindOut); ok {
		b.Hint = "no connection remembers this: name workspaceId in each call, or send the header " + HeaderSession + " with this session's id"
	}
	return s.answer(s.reply(out))
}

// answerTools refuses tools that are not offered with the name of the nearest one that is.
func (s *Server) answerTools(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || call.Params == nil {
			return next(ctx, method, req)
		}
		var names []string
		for _, o := range ops.All() {
			if s.opt.Profile.offers(o.Name) {
				names = append(names, o.Name)
			}
		}
		name := call.Params.Name
		if slices.Contains(names, name) {
			return next(ctx, method, req)
		}
		try := "tools/list names those there are"
		if near := ops.Nearest(name, names); near != "" {
			try = "the nearest one is " + near
		} else if _, known := ops.Find(name); known {
			try = "it is not of the profile " + string(s.opt.Profile) + " that this server offers"
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q; %s", clip(name, 60), try)}
	}
}

// begin notes what the session of a connection sees when it is bound, so that what changes from then on is told.
func (s *Server) begin(ctx context.Context, c *connection, out any) {
	b, ok := out.(*ops.SessionBindOut)
	if !ok || b.DryRun {
		return
	}
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if _, err := s.engine.Changes(ctx, mdstore.ID(b.WorkspaceID), session, nil); err != nil {
		s.opt.Log.Warn("what a session has seen cannot be noted", "session", session, "error", err)
	}
}

// answer turns an error into what the client is told: what a model can do something about is the result of a tool that failed, what nobody foresaw is an
// error of the protocol.
func (s *Server) answer(r *mcp.CallToolResult, err error) (*mcp.CallToolResult, error) {
	if err == nil {
		return r, nil
	}
	e := engine.AsError(err)
	if e.Class() == engine.Internal {
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: clip(e.Message, maxMessage)}
	}
	return s.failure(e)
}

// encode returns JSON in as few bytes as it takes: characters that only matter inside of HTML are not escaped.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
