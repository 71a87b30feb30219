package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"arbor/engine/env/trust"
	"arbor/engine/ops"
	"arbor/mdstore/mdoc"
)

// choose finds the workspaces and the one that the request is about: the one it names, or else the first of the list.
func (s *Site) choose(r *http.Request, v *view) error {
	all, err := ops.WorkspaceList(r.Context(), s.env(), ops.WorkspaceListIn{})
	if err != nil {
		return err
	}
	v.All, v.Workspace = all.Workspaces, r.FormValue("ws")
	if v.Workspace == "" && len(v.All) > 0 {
		v.Workspace = v.All[0].ID
	}
	return nil
}

type overview struct {
	*ops.WorkspaceStatusOut
	Working []*ops.TreeNode // what is in work
}

func (s *Site) overview(r *http.Request, v *view) error {
	v.Title = "Overview"
	if len(v.All) == 0 {
		return nil
	}
	in := ops.WorkspaceStatusIn{In: ops.In{WorkspaceID: v.Workspace}, All: true}
	out, err := ops.WorkspaceStatus(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	v.Title = out.Workspace.Name
	working := func(n *ops.TreeNode) bool {
		return n.Status == "implementing" || n.Status == "validating" || n.ClaimedBy != ""
	}
	v.Body = overview{out, pick(out.Tree, working)}
	return nil
}

// pick returns the nodes of a tree that match, in its order.
func pick(tree []*ops.TreeNode, match func(*ops.TreeNode) bool) (all []*ops.TreeNode) {
	for _, n := range tree {
		if match(n) {
			all = append(all, n)
		}
		all = append(all, pick(n.Children, match)...)
	}
	return all
}

// An outline is a part of the plan.
type outline struct {
	*ops.NodeListOut
	Filter, Status string
	Statuses       []string
}

const (
	firstView = 300    // nodes that the plan shows before somebody opens more
	levels    = 8      // the deepest that the first view looks
	everyNode = 100000 // a limit that no plan reaches
)

// plan shows the outline: as many whole levels as the first view holds, what lies below one node (below=ID), or the
// nodes that match a filter with those above them.
func (s *Site) plan(r *http.Request, v *view) error {
	v.Title = "Plan"
	if len(v.All) == 0 {
		return nil
	}
	in := ops.NodeListIn{In: ops.In{WorkspaceID: v.Workspace}, RootID: r.FormValue("below")}
	o := outline{Filter: strings.TrimSpace(r.FormValue("filter")), Status: r.FormValue("status"), Statuses: statuses}
	var err error
	switch {
	case o.Filter != "" || o.Status != "":
		in.Limit = everyNode
		if o.NodeListOut, err = ops.NodeList(r.Context(), s.env(), in); err == nil {
			o.Total, o.Shown = 0, 0
			o.Tree = o.matching(o.Tree)
		}
	case in.RootID != "":
		in.Depth, in.Limit = 1, everyNode
		o.NodeListOut, err = ops.NodeList(r.Context(), s.env(), in)
	default:
		o.NodeListOut, err = s.levels(r.Context(), in)
	}
	if err != nil {
		return err
	}
	v.Body = o
	return nil
}

// levels returns as many levels as fit into the first view, and one at least.
func (s *Site) levels(ctx context.Context, in ops.NodeListIn) (*ops.NodeListOut, error) {
	in.Limit = firstView
	var best *ops.NodeListOut
	for in.Depth = 1; in.Depth <= levels; in.Depth++ {
		out, err := ops.NodeList(ctx, s.env(), in)
		if err != nil {
			return nil, err
		}
		if best != nil && (out.Cursor != "" || out.Shown == best.Shown) {
			break
		}
		best = out
	}
	return best, nil
}

// statuses are those that a filter offers, in the order of a life cycle.
var statuses = []string{
	"pending", "planning", "monitoring", "implementing", "validating", "completed", "failed", "cancelled",
}

// matching keeps of a tree what the filter asks for and what lies above it.
func (o *outline) matching(tree []*ops.TreeNode) (kept []*ops.TreeNode) {
	for _, n := range tree {
		words := strings.ToLower(n.Title + " " + n.ClaimedBy + " " + n.ID)
		matches := (o.Status == "" || n.Status == o.Status) && strings.Contains(words, strings.ToLower(o.Filter))
		n.Children, n.Hidden = o.matching(n.Children), 0
		if matches {
			o.Total++
		}
		if (matches && o.Shown < firstView) || len(n.Children) > 0 {
			o.Shown++
			kept = append(kept, n)
		}
	}
	return kept
}

type nodePage struct {
	*ops.NodeGetOut
	Children  []*ops.TreeNode
	Workspace string
}

func (s *Site) node(r *http.Request, v *view) error {
	in := ops.In{WorkspaceID: v.Workspace}
	out, err := ops.NodeGet(r.Context(), s.env(), ops.NodeGetIn{In: in, NodeID: r.PathValue("id")})
	if err != nil {
		return err
	}
	list := ops.NodeListIn{In: in, RootID: out.Node.ID, Depth: 1, Limit: firstView}
	below, err := ops.NodeList(r.Context(), s.env(), list)
	if err != nil {
		return err
	}
	v.Title = out.Node.Title
	p := nodePage{NodeGetOut: out, Workspace: v.Workspace}
	for _, n := range below.Tree {
		p.Children = append(p.Children, n.Children...)
	}
	slices.Reverse(out.Node.Log)
	v.Body = p
	return nil
}

func (s *Site) approvals(r *http.Request, v *view) error {
	v.Title = "Approvals"
	out, err := ops.ApprovalList(r.Context(), s.env(), ops.ApprovalListIn{})
	if err != nil {
		return err
	}
	v.Body = slices.DeleteFunc(slices.Clone(out.Requests), func(q trust.Request) bool { return q.State != trust.Open })
	return nil
}

func (s *Site) check(r *http.Request, v *view) error {
	v.Title = "Check"
	o, _ := ops.Find("workspace_check")
	out, err := o.Call(r.Context(), s.env(), []byte(`{}`))
	if err != nil {
		return err
	}
	found := struct {
		All  []mdoc.Diagnostic
		Diff string
	}{All: out.(*ops.WorkspaceCheckOut).Diagnostics}
	if slices.ContainsFunc(found.All, func(d mdoc.Diagnostic) bool { return d.Fix != "" }) {
		fixed, err := o.Call(r.Context(), s.env(), []byte(`{"fix":true,"dryRun":true}`))
		if err != nil {
			return err
		}
		found.Diff = fixed.(*ops.WorkspaceCheckOut).Diff
	}
	v.Body = found
	return nil
}
