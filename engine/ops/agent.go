package ops

import (
	"context"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// An Agent describes who works in a workspace. It is a file in the vault's folder agents; its text is the system
// prompt.
type Agent struct {
	AgentID      string `json:"agentId"`
	AgentName    string `json:"agentName"`
	SystemPrompt string `json:"systemPrompt"`
}

// agentOf returns the agent with this id. If there is none, a is nil and warning says why; a damaged file also warns.
func agentOf(ctx context.Context, env *Env, id mdstore.ID) (a *Agent, warning string) {
	all, err := env.Engine.Live().VaultPages(ctx, mdstore.AgentKind)
	i := slices.IndexFunc(all, func(p *mdstore.Page) bool { return p.ID == id })
	switch {
	case err != nil:
		return nil, "agent " + string(id) + " cannot be read: " + err.Error()
	case i < 0:
		return nil, "agent " + string(id) + ": no file in " + mdstore.AgentKind.Place.Dir + " has this id"
	case len(all[i].Problems) > 0:
		warning = "agent " + string(id) + ": " + all[i].Problems[0].String()
	}
	doc := all[i].Doc()
	body := doc.Slice(mdoc.Span{Start: len(doc.Front()), End: len(doc.Bytes())})
	return &Agent{string(id), all[i].Name(), strings.TrimSpace(body)}, warning
}
