package ops

import (
	"context"

	"arbor/engine/check"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// WorkspaceGetIn asks for a workspace.
type WorkspaceGetIn struct{ In }

// WorkspaceGetOut is a workspace.
type WorkspaceGetOut struct {
	Workspace WorkspaceInfo      `json:"workspace"`
	Counts    Counts             `json:"counts"`
	Problem   *mdstore.Problem   `json:"problem"`
	Log       []mdstore.LogEntry `json:"log"`                 // the newest 20, oldest first
	LogHidden int                `json:"logHidden,omitempty"` // older ones

	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty" only:"rarely"` // of its own file
	Out
}

// WorkspaceInfo is what a Workspace.md says.
type WorkspaceInfo struct {
	ID             string        `json:"id"`
	Name           string        `json:"name"`
	Goal           string        `json:"goal"`
	Status         string        `json:"status"`
	Rules          []string      `json:"rules"`
	RulesHidden    int           `json:"rulesHidden,omitempty"` // further rules, where results are bounded
	RulesHash      string        `json:"rulesHash"`             // of the rules as they stand; "" where the file is closed to edits
	RulesHashStale bool          `json:"rulesHashStale,omitempty"`
	Docs           []mdstore.Ref `json:"docs"`
	DocsHidden     int           `json:"docsHidden,omitempty"` // further documents, where results are bounded
	FocusedNodeID  string        `json:"focusedNodeId"`        // the caller's, be it of its own or shared
	CreatedAt      int64         `json:"createdAt"`
	UpdatedAt      int64         `json:"updatedAt"`
	Path           string        `json:"path" only:"verbose"`
	Version        string        `json:"version"`
}

var workspaceGet = op("workspace_get", reads|repeats, WorkspaceGet, Help{
	Summary: "show a workspace: goal, rules, documents, problem, log",
	Use:     "ws get [WS]",
	Aliases: "show",
	Text:    "The version in the last line goes with --if-match.",
	Example: "arbor ws get Login",
})

// logShown is how many entries of a workspace's log workspace_get returns.
const logShown = 20

// WorkspaceGet returns a workspace.
var WorkspaceGet = reading(func(ctx context.Context, env *Env, in WorkspaceGetIn) (*WorkspaceGetOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	out := env.workspaceOut(s.Workspace())
	focus, _ := env.Focus(ctx, s)
	out.Workspace.FocusedNodeID = string(focus)
	out.Counts = counts(s, len(check.Plan(s)))
	return out, nil
})

// WorkspaceOwn is WorkspaceGet without the counts: it looks at the workspace's own file and at no node.
func WorkspaceOwn(ctx context.Context, env *Env, in WorkspaceGetIn) (*WorkspaceGetOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	w, err := view.Workspace(all, id)
	if err != nil {
		return nil, fail(err)
	}
	return env.workspaceOut(w), nil
}

func (env *Env) workspaceOut(w *mdstore.Workspace) *WorkspaceGetOut {
	log := nonNil(w.Log())
	out := &WorkspaceGetOut{Workspace: env.info(w), Problem: problem(w.Problem()), Diagnostics: w.Problems}
	out.Sends(w.ID, "")
	out.LogHidden = max(0, len(log)-logShown)
	out.Log = log[out.LogHidden:]
	out.Hint = "workspace_status shows the tree, context_get what a node's work needs"
	switch {
	case w.Doc.Editable() != nil:
		out.Hint = damaged(out.Diagnostics)
	case len(out.Workspace.Rules) > 0:
		out.Hint = "node_create asks for this rulesHash, as the proof that the rules were read"
	}
	return out
}

func (env *Env) info(w *mdstore.Workspace) WorkspaceInfo {
	i := WorkspaceInfo{ID: string(w.ID), Name: w.Name, Goal: w.Goal, Status: w.Status, Rules: nonNil(w.Rules()), Docs: nonNil(w.Docs()), FocusedNodeID: string(w.Focus),
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Path: env.path(w.Path), Version: w.Version.String()}
	i.RulesHash = w.RulesHash()
	i.RulesHashStale = i.RulesHash != w.StoredHash && w.Doc.Editable() == nil
	return i
}

// Counts are the numbers of a workspace's nodes.
type Counts struct {
	Total     int            `json:"total"`
	ByStatus  map[string]int `json:"byStatus"`
	Done      int            `json:"done"`      // terminal execution nodes
	Work      int            `json:"work"`      // execution nodes
	Problems  int            `json:"problems"`  // nodes with an open problem
	Damaged   int            `json:"damaged"`   // diagnostics of files
	Unreached int            `json:"unreached"` // nodes that hang below no root: orphans and cycles
}

// counts returns the numbers of a workspace's nodes.
func counts(s *view.View, diagnostics int) Counts {
	c := Counts{ByStatus: map[string]int{}, Total: s.Len(), Damaged: diagnostics, Unreached: s.Len()}
	for _, n := range s.Walk(mdstore.Root) {
		c.Unreached--
		c.ByStatus[string(n.Status)]++
		if !statemachine.TakesChildren(n.Type) {
			c.Work++
			if statemachine.Terminal(n.Status) {
				c.Done++
			}
		}
		if n.HasProblem() {
			c.Problems++
		}
	}
	return c
}
