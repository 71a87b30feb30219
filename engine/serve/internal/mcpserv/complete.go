package mcpserv

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// maxValues is how many values the protocol allows in a completion.
const maxValues = 100

// complete answers completion/complete with the ids of the workspaces and nodes that an argument of a prompt or
// resource may name: those that begin with the value, then those whose title does, then those whose title contains it.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	p := req.Params
	if err := checkCompletable(p.Ref, p.Argument.Name); err != nil {
		return nil, failed(err)
	}
	s.follow() // so that the files are not looked at again for each typed key
	env := s.env(req.Session, headers(req.Extra))
	env.Names = ops.NamesLoose
	m := matches{value: strings.ToLower(p.Argument.Value)}
	workspace := ""
	if p.Context != nil {
		workspace = p.Context.Arguments["workspace"]
	}
	var err error
	switch p.Argument.Name {
	case "workspace", "name":
		err = m.workspaces(ctx, env)
	case "node", "id":
		err = m.nodes(ctx, env, workspace)
	case "slot":
		env.MaxBytes = 0
		err = m.slots(ctx, env, workspace)
	case "format":
		for _, form := range slices.Sorted(maps.Keys(slotForms)) {
			m.word(form)
		}
	}
	if err != nil {
		return nil, failed(err)
	}
	values := append([]string{}, slices.Concat(m.found[:]...)...) // never nil
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values[:min(maxValues, len(values))],
		Total: len(values), HasMore: len(values) > maxValues}}, nil
}

// checkCompletable refuses an argument that the prompt or resource template does not have.
func checkCompletable(to *mcp.CompleteReference, name string) error {
	var args []string
	known := slices.Clone(prompts)
	for _, c := range commands {
		known = append(known, c.Prompt)
	}
	for _, p := range known {
		if to.Type == "ref/prompt" && to.Name == p.Name {
			for _, a := range p.Arguments {
				args = append(args, a.Name)
			}
		}
	}
	for _, t := range templates {
		whole := templateOf(t.part)
		if to.Type == "ref/resource" && (to.URI == whole || to.URI+"{?from}" == whole) {
			args = []string{"workspace", "from"}
			if t.part.ofNode() {
				args = append(args, "id")
			}
		}
	}
	for i, t := range slotTemplates {
		if to.Type == "ref/resource" && (to.URI == t || to.URI+"{?from}" == t) {
			args = []string{"slot", "format", "from", "workspace"}[:3+i]
		}
	}
	if slices.Contains(args, name) {
		return nil
	}
	name = clip(name, shownURI)
	return ops.BadParam(errs.InvalidParams, name, "%s: no such argument of %s", name, clip(to.Name+to.URI, shownURI))
}

// matches are the ids that match a value: first those that begin with it, then those whose title does, then those whose
// title contains it.
type matches struct {
	value string // in lower case
	found [3][]string
}

// add adds an id if it matches. An invalid id, which calls could not name, does not.
func (m *matches) add(id mdstore.ID, title string) {
	at := strings.Index(strings.ToLower(title), m.value)
	switch {
	case !id.Valid():
	case len(id) >= len(m.value) && strings.EqualFold(string(id[:len(m.value)]), m.value):
		m.found[0] = append(m.found[0], string(id))
	case at == 0:
		m.found[1] = append(m.found[1], string(id))
	case at > 0:
		m.found[2] = append(m.found[2], string(id))
	}
}

// workspaces adds workspaces, active ones before archived ones.
func (m *matches) workspaces(ctx context.Context, env *ops.Env) error {
	for _, status := range []string{mdstore.StatusActive, mdstore.StatusArchived} {
		out, err := ops.WorkspaceList(ctx, env, ops.WorkspaceListIn{Status: status})
		if err != nil {
			return err
		}
		for _, w := range out.Workspaces {
			m.add(mdstore.ID(w.ID), w.Name)
		}
	}
	return nil
}

// nodes adds the nodes of a workspace, in the order of the tree and then those outside of it. It adds none if it is not
// clear which workspace is meant.
func (m *matches) nodes(ctx context.Context, env *ops.Env, workspace string) error {
	snap, err := env.In(ctx, workspace)
	if err != nil {
		if c := errs.As(err).Class(); c == errs.NotFound || c == errs.Invalid {
			return nil
		}
		return err
	}
	met := make(map[mdstore.ID]bool, snap.Len())
	for _, n := range snap.Walk(mdstore.Root) {
		met[n.ID] = true
		m.add(n.ID, n.Title)
	}
	for n := range snap.All() {
		if !met[n.ID] {
			m.add(n.ID, n.Title)
		}
	}
	return nil
}
