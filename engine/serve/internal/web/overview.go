package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/engine/env/trust"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// choose finds the workspaces, the number of open requests, and the workspace that the request is about: the one that
// it names, or else the one that the person uses, or the first of the list.
func (s *Site) choose(r *http.Request, v *screen) error {
	all, err := ops.WorkspaceList(r.Context(), s.env(), ops.WorkspaceListIn{})
	if err != nil {
		return err
	}
	v.All, v.Workspace = all.Workspaces, r.FormValue("ws")
	if v.Workspace == "" && len(v.All) > 0 {
		v.Workspace = v.All[0].ID
		if used, err := ops.WorkspaceGet(r.Context(), s.env(), ops.WorkspaceGetIn{}); err == nil && len(v.All) > 1 {
			v.Workspace = used.Workspace.ID
		}
	}
	v.Waits = len(s.waiting(r.Context()))
	return nil
}

// waiting returns the ids of the requests that wait for a decision.
func (s *Site) waiting(ctx context.Context) (ids []string) {
	out, err := ops.ApprovalList(ctx, s.env(), ops.ApprovalListIn{})
	if err != nil {
		return nil
	}
	for _, r := range open(out.Requests) {
		ids = append(ids, r.ID)
	}
	return ids
}

// open returns the requests that are not decided yet.
func open(all []trust.Request) (waiting []trust.Request) {
	for _, q := range all {
		if q.State == trust.Open {
			waiting = append(waiting, q)
		}
	}
	return waiting
}

type overview struct {
	*ops.WorkspaceStatusOut
	Others  []otherWorkspace
	Asked   []asked         // unanswered questions of assistants
	Due     []*ops.TreeNode // nodes in validation, and overdue ones
	Working []working       // nodes that are being worked on
	Next    []*ops.TreeNode // the first ready nodes that are not
	Last    int64           // when this browser was here before, Unix milliseconds; 0 for never
	Changed []view.Difference
	More    int // further ones

	MoreWork, MoreProblems int // further ones that are not shown; none if 0 or less
}

// An asked is a question of an assistant about a node.
type asked struct {
	NodeID, Title string
	mdstore.Question
}

// A working is a node that is being worked on, with the last entry of its log.
type working struct {
	*ops.TreeNode
	Last *mdstore.LogEntry // nil for none, and for nodes behind the first ones of the list
}

// An otherWorkspace is one besides the one that is shown.
type otherWorkspace struct {
	ops.WorkspaceHead
	Counts ops.Counts
}

const (
	shortList = 12 // entries of a list of the overview
	longList  = 50 // entries of a list of work and problems
)

func (s *Site) overview(r *http.Request, v *screen) error {
	v.Title = "Now"
	if len(v.All) == 0 {
		return nil
	}
	in := ops.WorkspaceStatusIn{In: ops.In{WorkspaceID: v.Workspace}, All: true}
	out, err := ops.WorkspaceStatus(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	v.Title = out.Workspace.Name
	o := overview{WorkspaceStatusOut: out, Last: v.lastVisit}
	at := pick(out.Tree, func(n *ops.TreeNode) bool {
		waits, over := n.Status == statemachine.Initial(n.Type), statemachine.Terminal(n.Status)
		return n.Type == statemachine.Execution && !waits && !over || n.ClaimedBy != ""
	})
	o.MoreWork, o.MoreProblems = len(at)-longList, len(out.Problems)-longList
	out.Problems = out.Problems[:min(len(out.Problems), longList)]
	if o.Working, err = s.working(r.Context(), in.In, at[:min(len(at), longList)]); err != nil {
		return err
	}
	snap, err := s.engine.View(r.Context(), mdstore.ID(out.Workspace.ID))
	if err != nil {
		return err
	}
	o.Due = pick(out.Tree, func(n *ops.TreeNode) bool {
		if known, ok := snap.Node(mdstore.ID(n.ID)); ok && !statemachine.Terminal(n.Status) {
			for _, q := range known.OpenQuestions() {
				o.Asked = append(o.Asked, asked{n.ID, n.Title, q})
			}
		}
		return n.Status == statemachine.Validating || n.Late
	})
	ready, err := ops.NodeNext(r.Context(), s.env(), ops.NodeNextIn{In: in.In, Count: new(shortList)})
	if err != nil {
		return err
	}
	place := func(n *ops.TreeNode) int {
		return slices.IndexFunc(ready.Nodes, func(r ops.NextNode) bool { return r.ID == n.ID })
	}
	o.Next = pick(out.Tree, func(n *ops.TreeNode) bool { return place(n) >= 0 && !slices.Contains(at, n) })
	slices.SortFunc(o.Next, func(a, b *ops.TreeNode) int { return place(a) - place(b) })
	for _, head := range v.All {
		if head.ID != v.Workspace && !v.Static {
			other, err := ops.WorkspaceGet(r.Context(), s.env(), ops.WorkspaceGetIn{In: ops.In{WorkspaceID: head.ID}})
			if err != nil {
				return err
			}
			o.Others = append(o.Others, otherWorkspace{head, other.Counts})
		}
	}
	if o.Last > 0 {
		o.Changed = snap.Since(time.UnixMilli(o.Last))
		o.More = max(0, len(o.Changed)-shortList)
		o.Changed = o.Changed[:min(len(o.Changed), shortList)]
	}
	v.Body = o
	return nil
}

// ForYou reports whether something waits for the person.
func (o overview) ForYou() bool {
	return len(o.Asked)+len(o.Due)+len(o.Problems)+len(o.Diagnostics) > 0 || o.Problem != nil
}

// working adds the last log entries to the first nodes of a list.
func (s *Site) working(ctx context.Context, in ops.In, nodes []*ops.TreeNode) (all []working, err error) {
	for i, n := range nodes {
		w := working{TreeNode: n}
		if i < shortList {
			out, err := ops.NodeGet(ctx, s.env(), ops.NodeGetIn{In: in, NodeID: n.ID})
			if err != nil {
				return nil, err
			}
			if log := out.Node.Log; len(log) > 0 {
				w.Last = &log[len(log)-1]
			}
		}
		all = append(all, w)
	}
	return all, nil
}

// away is the pause after which a new visit begins.
const away = 30 * time.Minute

// visit returns when this browser's previous visit ended, in Unix milliseconds; 0 for none. opened says that a person
// opened the page, which a cookie notes; a page that refreshes itself is not opened.
func visit(w http.ResponseWriter, r *http.Request, now time.Time, opened bool) int64 {
	name := strings.Replace(cookieName(r), "arbor", "arbor-visit", 1)
	var before, last int64
	if c, err := r.Cookie(name); err == nil {
		from, to, _ := strings.Cut(c.Value, ".")
		before, _ = strconv.ParseInt(from, 10, 64) // a cookie that is not ours counts as none
		last, _ = strconv.ParseInt(to, 10, 64)
	}
	if !opened {
		return before
	}
	if now.UnixMilli()-last > away.Milliseconds() {
		before = last
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: fmt.Sprintf("%d.%d", before, now.UnixMilli()), Path: "/",
		MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	return before
}
