package mcpserv

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/assemble"
	"arbor/context/render"
	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// readResource answers resources/read.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	r, err := parseURI(uri)
	if err != nil {
		return nil, notFound(uri, engine.AsError(err))
	}
	env := s.reader(req.Session, req.Extra)
	res := &mcp.ReadResourceResult{Cacheable: private, Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: markdown}}}
	room := s.replyRoom() - marshalled(res)
	text, err := s.text(ctx, env, r, s.contextRoom(r))
	if err != nil {
		return nil, notFound(uri, engine.AsError(err))
	}
	part, ok := page(text, r.from, room, func(p place) string { return r.at(p).String() })
	if !ok {
		return nil, notFound(uri, engine.Fail(engine.InvalidParams, "%s: the text has %d lines by now; %s is its beginning", clip(uri, shownURI), lines(text), r.at(place{})))
	}
	res.Contents[0].Text = part
	return res, nil
}

// contextRoom is the room of a context that is read as a resource. It is the same whatever page of it is asked for, so that the pages are of one text.
func (s *Server) contextRoom(r ref) int {
	const beside = 120 // bytes of the result
	return s.replyRoom() - beside - len(r.at(place{mdstore.MaxFileSize, mdstore.MaxFileSize}).String())
}

// reader returns who asks for something to read, which is bounded where it is shown.
func (s *Server) reader(session *mcp.ServerSession, extra *mcp.RequestExtra) *ops.Env {
	s.follow()
	s.engine.Refresh()
	env := s.env(session, headers(extra))
	env.MaxBytes = 0
	return env
}

// text returns the whole text of a resource. Where the resource is put together, and not a file, room says how many bytes of JSON are worth putting together.
func (s *Server) text(ctx context.Context, env *ops.Env, r ref, room int) (string, error) {
	switch r.view {
	case viewTree:
		out, err := ops.WorkspaceStatus(ctx, env, ops.WorkspaceStatusIn{In: ops.In{WorkspaceID: string(r.workspace)}, Format: "markdown"})
		if err != nil {
			return "", err
		}
		return out.Text, nil
	case viewContext:
		return contextText(ctx, env, r.workspace, r.node, room)
	}
	var text string
	err := s.engine.Touching(ctx, func(ctx context.Context) (err error) {
		text, err = fileText(ctx, env, r)
		return err
	})
	return text, err
}

// fileText returns the text of the file of a workspace or node.
func fileText(ctx context.Context, env *ops.Env, r ref) (string, error) {
	snap, err := env.In(ctx, string(r.workspace))
	if err != nil {
		return "", err
	}
	if r.view == viewWorkspace {
		w := snap.Workspace()
		return source(w.Path, w.Version, w.Doc, w.Problems)
	}
	n, err := snap.Known(r.node)
	if err != nil {
		return "", err
	}
	doc, v := n.File()
	return source(n.Path, v, doc, n.Problems)
}

// source returns the bytes of a file as text. Those that are no UTF-8, which JSON cannot hold, show as U+FFFD, and a last line says so.
func source(p mdstore.Path, v mdstore.Version, d *mdoc.Doc, problems []mdoc.Diagnostic) (string, error) {
	var unreadable *mdoc.UnreadableError
	if len(problems) == 0 && errors.As(d.Editable(), &unreadable) {
		problems = []mdoc.Diagnostic{unreadable.Problem}
	}
	if v.IsZero() && len(problems) > 0 {
		e := engine.Fail(engine.FileUnreadable, "%s: the file cannot be read: %s", p, problems[0].Text)
		e.Details = &engine.Details{Paths: []string{string(p)}, Problems: problems[:1]}
		return "", e
	}
	text := string(d.Bytes())
	if utf8.ValidString(text) {
		return text, nil
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + "[Arbor: bytes of this file that are no UTF-8 are shown as \uFFFD]\n", nil
}

// contextText returns the context of a node as a page of Markdown that takes at most room bytes of JSON, unless the
// passages that always stay are larger. The page does not depend on what the session has seen.
func contextText(ctx context.Context, env *ops.Env, ws, node mdstore.ID, room int) (string, error) {
	env = &ops.Env{Engine: env.Engine, Operator: env.Operator}
	snap, id, err := env.At(ctx, string(ws), string(node))
	if err != nil {
		return "", err
	}
	opt := assemble.Options{Measure: func(b *assemble.Bundle) (int, bool) {
		return jsonSize(string(render.Markdown(b))), true
	}}
	b, err := env.Engine.Context(ctx, snap.Workspace().ID, id, opt)
	if err == nil && b.Tokens > room/4 {
		opt.Budget = max(1, room/4)
		b, err = env.Engine.Context(ctx, snap.Workspace().ID, id, opt)
	}
	if err != nil {
		return "", err
	}
	return string(render.Markdown(b)), nil
}

// lines returns the number of lines of a text.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
