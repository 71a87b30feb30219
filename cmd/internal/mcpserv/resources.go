package mcpserv

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine"
	"arbor/mdstore"
)

const markdown = "text/markdown"

// forAssistants are the annotations of what is made for a model to read.
func forAssistants() *mcp.Annotations { return &mcp.Annotations{Audience: []mcp.Role{"assistant"}} }

// private keeps what a client may cache to itself; it is out of date at once, as people save when they like.
var private = mcp.Cacheable{CacheScope: "private"}

// templates are the views of resources as clients see them.
var templates = []struct {
	view               view
	title, description string
}{
	{viewWorkspace, "A workspace's file", "Workspace.md as it stands: goal, rules, documents, log, problem."},
	{viewTree, "A workspace's tree", "The nodes with their statuses, then open problems and what is damaged; at most 200 nodes, the others are counted."},
	{viewNode, "A node's file", "Node.md as it stands: requirement, conclusion, note, documents, references, log, problem."},
	{viewContext, "A node's context", "What somebody working on the node must know: rules, the way from the root, conclusions of its children, what it refers to."},
}

// templateOf returns the URI template of a view. The query brings the rest of a text that is longer than a reply.
func templateOf(v view) string {
	t := scheme + "{workspace}/" + string(v)
	if v.ofNode() {
		t += "/{id}"
	}
	return t + "{?from}"
}

// addResources offers workspaces and nodes as resources.
func (s *Server) addResources() {
	s.addTemplates()
	s.mcp.AddReceivingMiddleware(s.answerResources)
}

// addTemplates registers the templates. Done again, it tells clients that the list of resources is another one.
func (s *Server) addTemplates() {
	for _, t := range templates {
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{Name: string(t.view), Title: t.title, Description: t.description, URITemplate: templateOf(t.view),
			MIMEType: markdown, Annotations: forAssistants()}, s.readResource)
	}
}

// answerResources lists resources from the engine, so that nothing registered grows old, and refuses URIs that name none with a reason.
func (s *Server) answerResources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch req := req.(type) {
		case *mcp.ListResourcesRequest:
			res, err := s.listResources(ctx, req.Params)
			if err != nil {
				return nil, err
			}
			return res, nil
		case *mcp.ReadResourceRequest:
			if _, err := parseURI(req.Params.URI); err != nil {
				return nil, notFound(req.Params.URI, engine.AsError(err))
			}
		}
		return next(ctx, method, req)
	}
}

// listResources names the file and the tree of each active workspace, oldest first; its nodes are many, and templates name them.
func (s *Server) listResources(ctx context.Context, params *mcp.ListResourcesParams) (*mcp.ListResourcesResult, error) {
	all, err := s.engine.Workspaces(ctx)
	if err != nil {
		return nil, failed(err)
	}
	slices.SortStableFunc(all, compareWorkspaces)
	var after *mdstore.Workspace
	if params != nil && params.Cursor != "" {
		if after, err = parseCursor(params.Cursor); err != nil {
			return nil, err
		}
	}
	res := &mcp.ListResourcesResult{Cacheable: private, Resources: []*mcp.Resource{}}
	room := s.replyRoom() - 100 // the cursor
	var last *mdstore.Workspace
	for _, w := range all {
		if w.Status != mdstore.StatusActive || !w.ID.Valid() || after != nil && compareWorkspaces(w, after) <= 0 || last != nil && last.ID == w.ID {
			continue
		}
		pair := resourcesOf(w)
		for _, r := range pair {
			room -= marshalled(r) + 1
		}
		if room < 0 && last != nil {
			res.NextCursor = cursorOf(last)
			break
		}
		res.Resources = append(res.Resources, pair...)
		last = w
	}
	return res, nil
}

func compareWorkspaces(a, b *mdstore.Workspace) int {
	return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// resourcesOf returns the resources that the list names of a workspace.
func resourcesOf(w *mdstore.Workspace) []*mcp.Resource {
	name := render.Visible(w.Name)
	if name == "" {
		name = string(w.ID)
	}
	var out []*mcp.Resource
	for _, t := range templates {
		if t.view.ofNode() {
			continue
		}
		r := ref{workspace: w.ID, view: t.view}
		out = append(out, &mcp.Resource{URI: r.String(), Name: string(w.ID) + "/" + string(t.view), Title: name + ": " + string(t.view), Description: t.description,
			MIMEType: markdown, Annotations: forAssistants()})
	}
	own := out[0]
	own.Size = int64(len(w.Doc.Bytes()))
	if w.UpdatedAt > 0 {
		own.Annotations.LastModified = time.UnixMilli(w.UpdatedAt).UTC().Format(time.RFC3339)
	}
	return out
}

// cursorOf returns where a list goes on behind a workspace, whether that is there still or not.
func cursorOf(w *mdstore.Workspace) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", w.CreatedAt, w.ID))
}

func parseCursor(cursor string) (*mdstore.Workspace, error) {
	w := &mdstore.Workspace{}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(string(text), "%d %s", &w.CreatedAt, &w.ID)
	}
	if err != nil {
		return nil, failed(engine.Fail(engine.InvalidParams, "cursor %q is none of an earlier answer; start again without it", clip(cursor, shownURI)))
	}
	return w, nil
}

// headers returns the header of a request that came over HTTP, nil for others.
func headers(extra *mcp.RequestExtra) http.Header {
	if extra == nil {
		return nil
	}
	return extra.Header
}

// replyRoom is how many bytes of JSON a reply may hold beside what the protocol adds to every one.
func (s *Server) replyRoom() int { return s.opt.MaxTokens*4 - 300 }

func marshalled(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(data)
}

// A fault is what the error of a request says for programs.
type fault struct {
	URI     string          `json:"uri,omitempty"` // of the resource that was asked for
	Code    engine.Code     `json:"code"`
	Details *engine.Details `json:"details,omitempty"`
}

// failed returns an error of the engine as one of the protocol: parameters are at fault where the caller can mend it, the server where not.
func failed(err error) error { return fail("", engine.AsError(err)) }

// notFound returns the error of a request for a resource that is not there, or cannot be shown. Its data name the URI, as the protocol asks.
func notFound(uri string, e *engine.Error) error { return fail(uri, e) }

func fail(uri string, e *engine.Error) error {
	code := int64(jsonrpc.CodeInternalError)
	switch e.Class() {
	case engine.NotFound, engine.Invalid, engine.Refused:
		code = jsonrpc.CodeInvalidParams
	}
	const most = 2048 // bytes of what a caller gave that are worth sending back
	if len(uri) > most {
		uri = clip(uri, shownURI)
	}
	message := string(e.Code) + ": " + e.Message
	if uri != "" && code == jsonrpc.CodeInvalidParams {
		message = "Resource not found: " + e.Message
	}
	f := fault{URI: uri, Code: e.Code, Details: e.Details}
	if marshalled(f) > most+most {
		f.Details = nil
	}
	data, err := json.Marshal(f)
	if err != nil {
		data = nil
	}
	return &jsonrpc.Error{Code: code, Message: clip(message, maxMessage), Data: data}
}
