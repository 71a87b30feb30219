package ops

import (
	"context"
	"fmt"

	"arbor/context/render"
	"arbor/engine/check"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

type WorkspaceGetIn struct{ In }

type WorkspaceGetOut struct {
	Workspace WorkspaceInfo      `json:"workspace"`
	Counts    Counts             `json:"counts"`
	Problem   *mdstore.Problem   `json:"problem"`
	Log       []mdstore.LogEntry `json:"log"`                 // the newest 20, oldest first
	LogHidden int                `json:"logHidden,omitempty"` // older entries

	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty" only:"rarely"` // of the workspace's own file
	Out
}

// WorkspaceInfo has what a Workspace.md says.
type WorkspaceInfo struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Goal        string   `json:"goal"`
	Status      string   `json:"status"`
	Rules       []string `json:"rules"`
	RulesHidden int      `json:"rulesHidden,omitempty"` // rules that a bounded result leaves out
	// of the rules as they stand; "" if the file is closed to edits
	RulesHash      string        `json:"rulesHash"`
	RulesHashStale bool          `json:"rulesHashStale,omitempty"`
	Docs           []mdstore.Ref `json:"docs"`
	DocsHidden     int           `json:"docsHidden,omitempty"`           // documents that a bounded result leaves out
	Verify         []string      `json:"verify,omitempty" only:"rarely"` // what every execution node must pass
	FocusedNodeID  string        `json:"focusedNodeId"`                  // the caller's focus, its own or the shared one
	CreatedAt      int64         `json:"createdAt"`
	UpdatedAt      int64         `json:"updatedAt"`
	Path           string        `json:"path" only:"verbose"`
	Version        string        `json:"version"`
}

var workspaceGet = op("workspace_get", reads|repeats, WorkspaceGet, Help{
	Summary: "show a workspace: goal, rules, documents, problem, log",
	Use:     "ws show [WS]",
	Text:    "The version in the last line goes with --if-match.",
	Example: "arbor ws show Login",
})

// logShown is how many entries of a workspace's log workspace_get returns.
const logShown = 20

// WorkspaceGet returns what Workspace.md says, the newest log entries, and the counts of nodes.
var WorkspaceGet = reading(func(ctx context.Context, env *Env, in WorkspaceGetIn) (*WorkspaceGetOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	out := env.workspaceOut(s.Workspace())
	focus, _ := env.Focus(ctx, s)
	out.Workspace.FocusedNodeID = string(focus)
	out.Counts = counts(s, len(check.Plan(s, env.Engine.Off()...)))
	return out, nil
})

// WorkspaceOwn is WorkspaceGet without the counts: it reads the workspace's own file and no node.
func WorkspaceOwn(ctx context.Context, env *Env, in WorkspaceGetIn) (*WorkspaceGetOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	all, err := env.Workspaces(ctx)
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
	out.Hint = "{workspace_status} shows the tree, {context_get} the context of a node"
	switch {
	case w.Doc.Editable() != nil:
		out.Hint = damaged(out.Diagnostics)
	case len(out.Workspace.Rules) > 0:
		out.Hint = "{node_create} requires this {.rulesHash} from assistants, as proof that they read the rules"
	}
	return out
}

func (env *Env) info(w *mdstore.Workspace) WorkspaceInfo {
	i := WorkspaceInfo{ID: string(w.ID), Name: w.Name, Goal: w.Goal, Status: w.Status,
		Rules: nonNil(w.Rules()), Docs: nonNil(w.Docs()), Verify: w.Verify(),
		FocusedNodeID: string(w.Focus),
		CreatedAt:     w.CreatedAt, UpdatedAt: w.UpdatedAt, Path: env.path(w.Path), Version: w.Version.String()}
	i.RulesHash = w.RulesHash()
	i.RulesHashStale = i.RulesHash != w.StoredHash && w.Doc.Editable() == nil
	return i
}

// Counts are the numbers of a workspace's nodes.
type Counts struct {
	Total    int            `json:"total"`
	ByStatus map[string]int `json:"byStatus"`
	statemachine.Outcomes
	Problems  int `json:"problems"`  // nodes with an open problem
	Findings  int `json:"findings"`  // diagnostics of files
	Unreached int `json:"unreached"` // nodes that are not below the root: orphans and cycles
}

// counts returns the numbers of a workspace's nodes.
func counts(s *view.View, diagnostics int) Counts {
	c := Counts{Total: s.Len(), ByStatus: map[string]int{}, Outcomes: s.Progress(), Findings: diagnostics,
		Unreached: s.Len()}
	for _, n := range s.Walk(mdstore.Root) {
		c.Unreached--
		c.ByStatus[string(n.Status)]++
		if n.HasProblem() {
			c.Problems++
		}
	}
	return c
}

type WorkspaceStatusIn struct {
	In
	Format string `json:"format,omitempty" listed:"never" enum:"box,markdown" help:"default box"`
	At     string `json:"at,omitempty" listed:"history" help:"as it was in this git REVISION"`

	Git bool `json:"git,omitempty" listed:"never" help:"also show git's status of the vault"`

	All bool `json:"-"` // return the whole tree; for front ends that shorten it themselves
}

type WorkspaceStatusOut struct {
	Workspace   WorkspaceInfo     `json:"workspace"`
	Counts      Counts            `json:"counts"`
	Tree        []*TreeNode       `json:"tree,omitzero"` // left out of bounded results: Text shows it
	Problem     *mdstore.Problem  `json:"problem"`
	Problems    []NodeProblem     `json:"problems"`                  // open problems of nodes, in tree order
	Diagnostics []mdoc.Diagnostic `json:"diagnostics" only:"rarely"` // of the workspace's own file and of nodes
	Text        string            `json:"text"`                      // in the format asked for
	Git         *gitrepo.Status   `json:"git,omitempty"`
	Out

	lines  []render.TreeRow // the rows of the tree that the text has
	marked bool             // the text is Markdown
}

type NodeProblem struct {
	NodeID string `json:"nodeId"`
	Title  string `json:"title"`
	mdstore.Problem
}

var workspaceStatus = op("workspace_status", reads|repeats, WorkspaceStatus, Help{
	Summary: "show the tree of a workspace with progress, focus and problems",
	Advice:  "For people; node_list is cheaper.",
	Use:     "status [WS]",
	Text: `Shows the goal; how many leaves are done, given up (failed or cancelled) and not
needed (open below a completed or cancelled node); the whole tree; open problems
with next steps; and problems in files of the plan. arbor check also checks
memory and sessions. --format markdown prints a version to paste elsewhere.`,
	Example: `arbor status
arbor status Login --format markdown`,
})

func (in *WorkspaceStatusIn) at() (string, *string) { return in.At, &in.WorkspaceID }

// WorkspaceStatus returns the state of a workspace at a glance: counts, tree, problems and diagnostics, also as text.
var WorkspaceStatus = asOf((*WorkspaceStatusIn).at, statusWithGit)

func statusWithGit(ctx context.Context, env *Env, in WorkspaceStatusIn) (*WorkspaceStatusOut, error) {
	told := make(chan *gitrepo.Status, 1)
	if in.Git && in.At == "" { // git runs once, while the files are read
		go func() { g, _ := GitStatus(ctx, env, struct{}{}); told <- g }()
	} else {
		told <- nil
	}
	out, err := statusOf(ctx, env, in)
	if err == nil {
		out.Git = <-told
	}
	return out, err
}

var statusOf = reading(func(ctx context.Context, env *Env, in WorkspaceStatusIn) (*WorkspaceStatusOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	out := &WorkspaceStatusOut{Workspace: env.info(w), Problem: problem(w.Problem()), Problems: []NodeProblem{},
		Diagnostics: check.Diagnostics(check.Plan(s, env.Engine.Off()...))}
	out.Counts = counts(s, len(out.Diagnostics))
	focus, _ := env.Focus(ctx, s)
	out.Workspace.FocusedNodeID = string(focus)
	// called with every node, in tree order
	p := branch{s: s, focus: focus, today: env.day(), by: claimants(ctx, env, w.ID), open: s.BlockedBy(),
		limit: -1, match: func(n *mdstore.Node) bool {
			if p := n.Problem(); !p.IsZero() {
				out.Problems = append(out.Problems, NodeProblem{string(n.ID), n.Title, p})
			}
			return true
		}}
	out.Sends(w.ID, "")
	out.Tree = p.collect(mdstore.Root)
	out.Hint = "{node_next} lists nodes that are ready to start"
	if len(s.Below(mdstore.Root)) == 0 {
		out.Hint = emptyPlan
	}
	style := render.Style{Markdown: in.Format == "markdown"}
	out.board(out.Board(boardMost), env.rows(out, out.Tree, listLimit), style)
	switch {
	case env.bounded():
		env.glance(out, style)
	case !in.All:
		room := listLimit
		if max(out.Counts.Total, len(out.Diagnostics)) > listLimit {
			out.Hint = fmt.Sprintf("%d of each list at most; status --all brings all, {node_list} further nodes", listLimit)
		}
		out.Tree = prune(out.Tree, &room)
		out.Problems = out.Problems[:min(len(out.Problems), listLimit)]
		out.Diagnostics = out.Diagnostics[:min(len(out.Diagnostics), listLimit)]
	}
	for _, p := range out.Problems {
		out.Sends(w.ID, mdstore.ID(p.NodeID))
	}
	return out, nil
})

// GitStatus returns what git says of the vault's folder and its branch; nil if there is no git.
func GitStatus(ctx context.Context, env *Env, _ struct{}) (*gitrepo.Status, error) {
	if env.Engine.Vault() == "" {
		return nil, nil
	}
	s, err := gitrepo.StatusOf(ctx, env.Engine.Vault())
	if err != nil {
		return nil, nil // an error of git must not keep the plan from being read
	}
	return &s, nil
}

// glance makes a bounded result: only the text shows the tree. To make the result fit, glance first cuts rows of the
// tree down to boundedRows, then the lists beside it, then the other rows.
func (env *Env) glance(out *WorkspaceStatusOut, style render.Style) {
	tree, board, all := out.Tree, out.Board(boardMost), *out
	out.Tree = nil
	env.fit(out, listLimit+boundedItems, func(n int) {
		rows, items := max(min(n, boundedRows), n-boundedItems), max(0, min(n-boundedRows, boundedItems))
		w := &out.Workspace
		w.Rules, w.RulesHidden = first(env, all.Workspace.Rules, items)
		w.Docs, w.DocsHidden = first(env, all.Workspace.Docs, items)
		out.Problems, _ = first(env, all.Problems, items)
		out.Diagnostics, _ = first(env, all.Diagnostics, items)
		out.board(board, env.rows(out, tree, rows), style)
	})
}

// rows is Rows with ids as the reply names them.
func (env *Env) rows(out *WorkspaceStatusOut, tree []*TreeNode, limit int) []render.TreeRow {
	rows := Rows(tree, limit)
	if env.Detail == DetailBrief {
		short := env.shortOf(out)
		for i := range rows {
			rows[i].ID = short(rows[i].ID)
		}
	}
	return rows
}

// boardMost is how many problems and diagnostics the text of a status names.
const boardMost = 10

// Board returns what a status shows above and below the tree, with at most that many problems and as many diagnostics.
func (out *WorkspaceStatusOut) Board(most int) render.BoardHead {
	h := render.BoardHead{ID: out.Workspace.ID, Name: out.Workspace.Name, Goal: out.Workspace.Goal, Archived: out.Workspace.Status == mdstore.StatusArchived,
		Rules: len(out.Workspace.Rules), Verify: out.Workspace.Verify,
		Progress: out.Counts.Outcomes, ByStatus: out.Counts.ByStatus}
	if out.Problem != nil {
		h.Problem = render.BoardProblem{Problem: out.Problem.Text, NextStep: out.Problem.NextStep}
	}
	for _, p := range out.Problems[:min(len(out.Problems), most)] {
		h.Problems = append(h.Problems, render.BoardProblem{ID: p.NodeID, Title: p.Title, Problem: p.Text, NextStep: p.NextStep})
	}
	for _, d := range out.Diagnostics[:min(len(out.Diagnostics), most)] {
		h.Damaged = append(h.Damaged, d.String())
	}
	h.MoreProblems, h.MoreDamaged = max(0, len(out.Problems)-most), max(0, len(out.Diagnostics)-most)
	return h
}
