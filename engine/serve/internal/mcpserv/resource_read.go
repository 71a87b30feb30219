package mcpserv

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/assemble"
	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// readResource answers resources/read.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	r, err := s.parseURI(uri)
	if err != nil {
		return nil, err
	}
	shown := &mcp.ResourceContents{URI: uri, MIMEType: cmp.Or(slotForms[r.form], markdown)}
	res := &mcp.ReadResourceResult{Cacheable: private, Contents: []*mcp.ResourceContents{shown}}
	room := s.room() - marshalled(res)
	env := s.reader(req.Session, req.Extra)
	if r.workspace != "" {
		if _, err := env.In(ctx, string(r.workspace)); err != nil {
			return nil, notFound(uri, err)
		}
	}
	if r.part.ofNode() { // the id may be short, as in replies
		if _, r.node, err = env.At(ctx, string(r.workspace), string(r.node)); err != nil {
			return nil, notFound(uri, err)
		}
	}
	text, err := s.text(ctx, env, r)
	if err == nil {
		var ok bool
		if shown.Text, ok = page(text, r.from, room, r.at); !ok {
			err = errs.New(errs.InvalidParams, "%s: the text has only %d bytes now; %s is its beginning",
				clip(uri, shownURI), len(text), r.at(0))
		}
	}
	if err != nil {
		return nil, notFound(uri, err)
	}
	if r.part == partSlot {
		return res, nil // a slot is not part of the plan
	}
	env.Sent(ctx, new(ops.Out).Sends(r.workspace, "", r.node), ops.Reply{Text: shown.Text})
	return res, nil
}

// reader returns the env of a request for a resource or prompt. Its results are whole; page cuts what is shown.
func (s *Server) reader(session *mcp.ServerSession, extra *mcp.RequestExtra) *ops.Env {
	env := s.env(session, headers(extra))
	env.MaxBytes = 0
	return env
}

// text returns the whole text of a resource.
func (s *Server) text(ctx context.Context, env *ops.Env, r ref) (text string, err error) {
	switch r.part {
	case partTree:
		in := ops.WorkspaceStatusIn{In: ops.In{WorkspaceID: string(r.workspace)}, Format: "markdown"}
		env.Detail = ops.DetailSparse // with whole ids, as in URIs
		out, err := ops.WorkspaceStatus(ctx, env, in)
		if err != nil {
			return "", err
		}
		return out.Text, nil
	case partContext:
		// The room does not depend on the page, so that all pages are parts of one text.
		last := r.at(mdstore.MaxFileSize)
		return contextText(ctx, env, r.workspace, r.node, s.room()-120-len(last))
	}
	err = s.engine.Read(ctx, func(ctx context.Context) (err error) {
		if r.part == partSlot {
			text, err = slotText(ctx, env, r)
		} else {
			text, err = fileText(ctx, env, r)
		}
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
	if r.part == partWorkspace {
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

// source returns the bytes of a file as text. JSON has no place for bytes that are not UTF-8: they show as U+FFFD,
// and a last line says so.
func source(p mdstore.Path, v mdstore.Version, d *mdoc.Doc, problems []mdoc.Diagnostic) (string, error) {
	var unreadable *mdoc.UnreadableError
	if len(problems) == 0 && errors.As(d.Editable(), &unreadable) {
		problems = []mdoc.Diagnostic{unreadable.Problem}
	}
	if v.IsZero() && len(problems) > 0 {
		e := errs.New(errs.FileUnreadable, "%s: the file cannot be read: %s", p, problems[0].Text)
		e.Details = &errs.Details{Paths: []string{string(p)}, Problems: problems[:1]}
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
	return text + "[Arbor: bytes of this file that are not UTF-8 are shown as \uFFFD]\n", nil
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
	if err == nil && jsonSize(string(render.Markdown(b))) > room {
		opt.Budget = max(1, room*2/7)
		b, err = env.Engine.Context(ctx, snap.Workspace().ID, id, opt)
	}
	if err != nil {
		return "", err
	}
	return string(render.Markdown(b)), nil
}
