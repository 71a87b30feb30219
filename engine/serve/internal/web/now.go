package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// An overview is the first screen: what waits for the person, who works, what changed, and how far the plan is.
type overview struct {
	*ops.WorkspaceStatusOut
	Requests  []waiting
	Asked     []asked // unanswered questions of assistants
	Due       []due   // nodes in validation, and overdue ones
	Failed    []failed
	Working   []working
	Next      []*ops.TreeNode // the first ready nodes that nobody works on
	Since     since
	Progress  progress
	Elsewhere int // what waits for the person in other vaults
	Others    []otherWorkspace
	Docs      []document

	MoreRequests, MoreWork, MoreProblems, MoreDue, MoreAsked int // further ones that are not shown; none if 0 or less
}

// An asked is a question of an assistant about a node.
type asked struct {
	NodeID, Title string
	mdstore.Question
}

// A due is a node that waits for a person, with the actions that its status allows.
type due struct {
	*ops.TreeNode
	Actions []statemachine.Action
}

// A failed is a node that failed since the person was here, and not by their own hand.
type failed struct {
	due
	Why string // its conclusion
}

// A working is a node that is being worked on, or a session that is open and works on none.
type working struct {
	*ops.TreeNode
	Who     string
	Session string            // its id; "" if it has no file
	Since   int64             // when the work began, Unix milliseconds; 0 if unknown
	Claimed bool              // a claim can be taken back
	Last    *mdstore.LogEntry // the last log entry; nil for none, and for nodes behind the first ones of the list
}

// An otherWorkspace is one besides the one that is shown.
type otherWorkspace struct {
	ops.WorkspaceHead
	Counts ops.Counts
}

const (
	shortList = 12 // entries of a list of the first screen
	longList  = 50 // entries of a list of work, problems and questions
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
	snap, err := s.engine.WithPages(r.Context(), mdstore.ID(out.Workspace.ID))
	if err != nil {
		return err
	}
	v.Title = out.Workspace.Name
	o := overview{WorkspaceStatusOut: out, Progress: progressOf(snap)}
	o.Docs = s.documents(r.Context(), v, "", out.Workspace.Docs)
	at := pick(out.Tree, inWork)
	o.forYou(snap)
	if o.MoreWork = len(at) - longList; !v.Static {
		if err := s.failed(r.Context(), v, &o, snap); err != nil {
			return err
		}
		o.Requests, _ = s.requests(r) // without a folder for decisions there are none
		o.MoreRequests = len(o.Requests) - shortList
		o.Requests = o.Requests[:min(len(o.Requests), shortList)]
		for _, other := range v.Vaults {
			o.Elsewhere += other.Waits
		}
		if o.Since, err = s.since(r.Context(), v, snap); err != nil {
			return err
		}
	}
	if o.Working, err = s.working(r.Context(), v.look, in.In, at[:min(len(at), longList)], snap); err != nil {
		return err
	}
	if err := s.days(r.Context(), in.In, &o.Progress); err != nil {
		return err
	}
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
	v.Body = o
	return nil
}

// inWork reports whether somebody works on a node.
func inWork(n *ops.TreeNode) bool {
	waits, over := n.Status == statemachine.Initial(n.Type), statemachine.Terminal(n.Status)
	known := statemachine.Valid(n.Type, n.Status) // else a file says what is no status
	return n.Type == statemachine.Execution && known && !waits && !over || n.ClaimedBy != ""
}

// forYou collects what waits for the person in the workspace.
func (o *overview) forYou(snap *view.View) {
	o.MoreProblems = len(o.Problems) - longList
	o.Problems = o.Problems[:min(len(o.Problems), longList)]
	for _, n := range pick(o.Tree, func(*ops.TreeNode) bool { return true }) {
		known, ok := snap.Node(mdstore.ID(n.ID))
		if !ok || statemachine.Terminal(n.Status) {
			continue
		}
		for _, q := range known.OpenQuestions() {
			if o.MoreAsked++; o.MoreAsked <= longList {
				o.Asked = append(o.Asked, asked{n.ID, n.Title, q})
			}
		}
		if n.Status != statemachine.Validating && !n.Late {
			continue
		}
		if o.MoreDue++; o.MoreDue <= longList {
			o.Due = append(o.Due, due{n, statemachine.Allowed(n.Type, n.Status)})
		}
	}
	o.MoreAsked, o.MoreDue = o.MoreAsked-longList, o.MoreDue-longList
}

// failed adds the nodes that failed since the person was here, at most shortList, where the plan above is still open.
func (s *Site) failed(ctx context.Context, v *screen, o *overview, snap *view.View) error {
	for _, n := range pick(o.Tree, func(n *ops.TreeNode) bool { return n.Status == statemachine.Failed }) {
		known, _ := snap.Node(mdstore.ID(n.ID))
		if known == nil || known.UpdatedAt <= v.lastVisit || len(o.Failed) == shortList {
			continue
		}
		if up, ok := snap.Node(known.Parent); ok && statemachine.Terminal(up.Status) {
			continue
		}
		in := ops.NodeGetIn{In: ops.In{WorkspaceID: v.Workspace}, NodeID: n.ID}
		out, err := ops.NodeGet(ctx, s.env(), in)
		if err != nil {
			return err
		}
		by := ""
		for _, e := range out.Node.Log {
			if strings.HasPrefix(e.Event, string(statemachine.Fail)+":") {
				by = e.Operator
			}
		}
		if by != mdstore.OperatorHuman {
			actions := statemachine.Allowed(n.Type, n.Status)
			o.Failed = append(o.Failed, failed{due{n, actions}, out.Node.Conclusion})
		}
	}
	return nil
}

// ForYou reports whether something waits for the person.
func (o overview) ForYou() bool {
	all := len(o.Requests) + len(o.Asked) + len(o.Due) + len(o.Failed) + len(o.Problems) + len(o.Diagnostics)
	return all > 0 || o.Problem != nil
}

// working tells who works on nodes since when, with the last log entries of the first ones, and which open sessions
// work on none.
func (s *Site) working(
	ctx context.Context, l look, in ops.In, nodes []*ops.TreeNode, snap *view.View,
) (all []working, err error) {
	claims, err := s.engine.Claims(ctx)
	if err != nil {
		return nil, err
	}
	busy := map[string]bool{}
	for i, n := range nodes {
		w := working{TreeNode: n}
		if c, holds := claims.Get(snap.Workspace().ID, mdstore.ID(n.ID)); holds {
			w.Who, w.Since, w.Claimed = l.who(c.By()), c.Since, true
			if session, ok := snap.Pages().Session(c.Session); ok {
				w.Who, w.Session = cmp.Or(c.Who, l.say("assistant"))+" "+session.Name(), string(session.ID)
				busy[w.Session] = true
			}
		}
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
	list := ops.SessionListIn{In: in, Active: true, Wanted: ops.Wanted{Limit: longList}}
	open, err := ops.SessionList(ctx, s.env(), list)
	if err != nil {
		return nil, err
	}
	for _, session := range open.Sessions {
		if !busy[session.ID] {
			who := l.say("assistant") + " " + session.Name
			all = append(all, working{Who: who, Session: session.ID, Since: session.StartedAt})
		}
	}
	return all, nil
}
