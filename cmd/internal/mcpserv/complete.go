package mcpserv

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// mostValues is how many values the protocol lets a completion have.
const mostValues = 100

// complete answers completion/complete: ids of the workspaces and nodes that an argument of a prompt or resource may name, for the beginning of an id or a part of a name or title.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	p := req.Params
	names, err := subjectNamed(p.Ref, p.Argument.Name)
	if err != nil {
		return nil, failed(err)
	}
	s.follow() // where that cannot be, a title that is a moment old will do: nothing is read again for every key that is typed
	env := s.env(req.Session, headers(req.Extra))
	env.Loose = true
	var workspace string
	if p.Context != nil {
		workspace = p.Context.Arguments["workspace"]
	}
	var m matches
	switch names {
	case aWorkspace:
		err = m.workspaces(ctx, env, p.Argument.Value)
	case aNode:
		err = m.nodes(ctx, env, workspace, p.Argument.Value)
	}
	if err != nil {
		return nil, failed(err)
	}
	values := append([]string{}, slices.Concat(m[0], m[1], m[2])...) // never nil
	res := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}
	if len(values) > mostValues {
		res.Completion.Values, res.Completion.HasMore = values[:mostValues], true
	}
	return res, nil
}

// subjectNamed returns what an argument names. The error says which arguments there are.
func subjectNamed(to *mcp.CompleteReference, name string) (subject, error) {
	type named map[string]subject
	var there named
	switch to.Type {
	case "ref/prompt":
		p, ok := findPrompt(to.Name)
		if !ok {
			return 0, engine.Fail(engine.InvalidParams, "%s: no such prompt; prompts/list names those there are", clip(to.Name, shownURI))
		}
		there = named{}
		for _, a := range p.args {
			there[a.name] = a.names
		}
	case "ref/resource":
		v, ok := viewOf(to.URI)
		if !ok {
			return 0, engine.Fail(engine.InvalidParams, "%s: no such resource template; resources/templates/list names those there are", clip(to.URI, shownURI))
		}
		there = named{"workspace": aWorkspace, "from": anyText}
		if v.ofNode() {
			there["id"] = aNode
		}
	default:
		return 0, engine.Fail(engine.InvalidParams, "%s: ref/prompt and ref/resource can be completed", clip(to.Type, shownURI))
	}
	if names, ok := there[name]; ok {
		return names, nil
	}
	e := engine.Fail(engine.InvalidParams, "%s: no such argument", clip(name, shownURI))
	e.Details = &engine.Details{Param: clip(name, shownURI)}
	return 0, e
}

// viewOf returns the view that a template shows, with its query or without.
func viewOf(template string) (view, bool) {
	for _, t := range templates {
		if whole := templateOf(t.view); template == whole || template+"{?from}" == whole {
			return t.view, true
		}
	}
	return "", false
}

// matches are ids by how they match a value: those that begin with it, those whose title does, those whose title has it somewhere.
type matches [3][]string

// add takes an id in that matches. low is the value in small letters.
func (m *matches) add(id, title, low string) {
	switch {
	case hasPrefixFold(id, low):
		m[0] = append(m[0], id)
	default:
		switch i := strings.Index(strings.ToLower(title), low); {
		case i == 0:
			m[1] = append(m[1], id)
		case i > 0:
			m[2] = append(m[2], id)
		}
	}
}

// hasPrefixFold reports whether an id, which is ASCII, begins with low, whatever the case of its letters.
func hasPrefixFold(id, low string) bool {
	return len(id) >= len(low) && strings.EqualFold(id[:len(low)], low)
}

// workspaces finds workspaces, active ones before archived ones.
func (m *matches) workspaces(ctx context.Context, env *ops.Env, value string) error {
	low := strings.ToLower(value)
	for _, status := range []string{mdstore.StatusActive, mdstore.StatusArchived} {
		out, err := ops.WorkspaceList(ctx, env, ops.WorkspaceListIn{Status: status})
		if err != nil {
			return err
		}
		for _, w := range out.Workspaces {
			if mdstore.ID(w.ID).Valid() {
				m.add(w.ID, w.Name, low)
			}
		}
	}
	return nil
}

// nodes finds nodes in tree order, then those that hang below no root. Where it is open which workspace is meant, there are none.
func (m *matches) nodes(ctx context.Context, env *ops.Env, workspace, value string) error {
	snap, err := env.In(ctx, workspace)
	if err != nil {
		if c := engine.AsError(err).Class(); c == engine.NotFound || c == engine.Invalid {
			return nil
		}
		return err
	}
	low := strings.ToLower(value)
	inTree := 0
	for _, n := range snap.Walk(mdstore.Root) {
		inTree++
		m.node(n, low)
	}
	if inTree == snap.Len() {
		return nil
	}
	met := make(map[mdstore.ID]bool, inTree)
	for _, n := range snap.Walk(mdstore.Root) {
		met[n.ID] = true
	}
	for n := range snap.All() {
		if !met[n.ID] {
			met[n.ID] = true
			m.node(n, low)
		}
	}
	return nil
}

// node takes a node in that matches, unless its file has no id that a call could name.
func (m *matches) node(n *mdstore.Node, low string) {
	if n.ID.Valid() {
		m.add(string(n.ID), n.Title, low)
	}
}
