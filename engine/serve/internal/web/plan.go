package web

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// An outline is a part of the plan.
type outline struct {
	*ops.NodeListOut
	Filter, Status, Claim string
	Most                  int    // matches that are shown at most
	Wrong                 string // why the filter cannot be read; "" if it can
	Rows                  []planRow
	Tags                  []string // the tags of the plan, as filters
	Node                  *screen  // the node that is shown beside the outline; nil for none
	me                    string   // the name of the person who looks
}

const (
	firstView = 300    // nodes that the plan shows at first, and each time that a person opens more
	levels    = 8      // levels of the plan that it shows at first, at most
	everyNode = 100000 // a limit that no plan reaches

	mine    = "me"      // a claim to filter by: see held
	problem = "problem" // to filter by like a status: nodes that have a problem
)

// plan shows the outline: as many whole levels as the first view holds, what lies right below one node, a piece at a
// time (below=ID, cursor=CURSOR), or the nodes that match a filter (a query of search) with those above them.
func (s *Site) plan(r *http.Request, v *screen) error {
	v.Title = "Plan"
	if len(v.All) == 0 {
		return nil
	}
	in := ops.NodeListIn{In: ops.In{WorkspaceID: v.Workspace}, RootID: r.FormValue("below")}
	o := outline{Filter: strings.TrimSpace(r.FormValue("filter")), Status: r.FormValue("status"),
		Claim: r.FormValue("claim"), Most: firstView,
		me: cmp.Or(people.From(r.Context()).String(), mdstore.OperatorHuman)}
	if n, err := strconv.Atoi(r.FormValue("most")); err == nil && n > 0 {
		o.Most = n
	}
	var err error
	switch {
	case o.Filtered():
		in.Limit, in.Where = everyNode, o.Filter
		if o.NodeListOut, o.Wrong, err = s.filtered(r.Context(), in); err == nil {
			o.Total, o.Shown = 0, 0 // matches
			o.Tree = o.matching(o.Tree)
		}
	case in.RootID != "":
		in.Depth, in.Limit, in.Cursor = 1, firstView, r.FormValue("cursor")
		o.NodeListOut, err = ops.NodeList(r.Context(), s.env(), in)
	case v.Static:
		in.Limit = everyNode
		o.NodeListOut, err = ops.NodeList(r.Context(), s.env(), in)
	default:
		o.NodeListOut, err = s.levels(r.Context(), in)
	}
	if err != nil {
		return err
	}
	plan, err := s.engine.View(r.Context(), mdstore.ID(v.Workspace))
	if err != nil {
		return err
	}
	rows := v.rowsOf(plan, v.Workspace, time.Now())
	o.Tags = tagsOf(plan)
	o.Rows = rows.rows(o.Tree, rows.level(in.RootID))
	if id := r.FormValue("node"); id != "" {
		beside := *v
		beside.View = "node"
		r.SetPathValue("id", id)
		s.linked(r.Context(), &beside, id)
		if err := s.node(r, &beside); err == nil { // else the node is gone
			o.Node = &beside
		}
	}
	v.Body = o
	return nil
}

// levels returns as many levels as have at most firstView nodes, but at least one.
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

// filtered lists nodes. If the filter cannot be read, it lists none and says why.
func (s *Site) filtered(ctx context.Context, in ops.NodeListIn) (out *ops.NodeListOut, wrong string, err error) {
	out, err = ops.NodeList(ctx, s.env(), in)
	if wrong = wrongFilter(err); wrong != "" {
		return &ops.NodeListOut{}, wrong, nil
	}
	return out, "", err
}

// wrongFilter returns why a filter cannot be read; "" for any other error.
func wrongFilter(err error) string {
	if e := errs.As(err); e != nil && e.Details != nil && e.Details.Param == "where" {
		return e.Error()
	}
	return ""
}

// A chip is a filter at hand. Each is the end of an address of the plan.
type chip struct {
	Title string
	Query template.URL
}

var chips = []chip{
	{"All", ""}, {"Ready", "&filter=is:ready"}, {"Running", "&filter=is:running"},
	{"Mine", "&claim=" + mine}, {"Problems", "&status=" + problem}, {"Overdue", "&filter=is:overdue"},
}

// Here reports whether a chip is the filter that is in use.
func (o outline) Here(c chip) bool {
	use := ""
	for _, part := range [][2]string{{"filter", o.Filter}, {"status", o.Status}, {"claim", o.Claim}} {
		if part[1] != "" {
			use += "&" + part[0] + "=" + part[1]
		}
	}
	return use == string(c.Query)
}

// tagsOf returns the tags of a plan as filters, at most shortList.
func tagsOf(plan *view.View) (all []string) {
	for n := range plan.All() {
		for _, tag := range n.Tags {
			if tag = "tag:" + tag; len(all) < shortList && !slices.Contains(all, tag) {
				all = append(all, tag)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Filtered reports whether the outline shows only what matches.
func (o outline) Filtered() bool { return o.Filter != "" || o.Status != "" || o.Claim != "" }

// Takes reports whether nodes can be added below the root.
func (o outline) Takes() bool { return len(o.Tree) > 0 && !o.Filtered() && takes(o.Tree[0]) }

// takes reports whether a node takes new ones below it.
func takes(n *ops.TreeNode) bool {
	return n.Type == statemachine.Planning && !statemachine.Terminal(n.Status) && !n.Damaged
}

// Further is how many matches are shown after a press on "further".
func (o outline) Further() int { return o.Most + firstView }

// matching returns the nodes of a tree that match status and claim, at most Most, with those above them. It counts them
// in Shown, and all matches in Total.
func (o *outline) matching(tree []*ops.TreeNode) (kept []*ops.TreeNode) {
	for _, n := range tree {
		asked := o.Status == "" || string(n.Status) == o.Status || o.Status == problem && n.HasProblem
		matches := asked && !n.Passed && o.held(n)
		if matches {
			o.Total++
		}
		if matches = matches && o.Shown < o.Most; matches {
			o.Shown++
		}
		if n.Children, n.Hidden = o.matching(n.Children), 0; matches || len(n.Children) > 0 {
			kept = append(kept, n)
		}
	}
	return kept
}

// held reports whether a node is claimed as the filter asks, or for "me" is the person's: they or one of their
// assistants hold it, or it is assigned to them.
func (o *outline) held(n *ops.TreeNode) bool {
	if o.Claim == mine {
		me := func(name string) bool { return strings.EqualFold(name, o.me) }
		holder, _, _ := strings.Cut(n.ClaimedBy, "/")
		return me(holder) || slices.ContainsFunc(n.Assignee, me)
	}
	return o.Claim == "" || n.ClaimedBy != "" && holds(n.ClaimedBy, o.Claim)
}

func holds(text, words string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(words))
}

// statuses are the names of all statuses, in the order of columns.
func statuses() (all []string) {
	for _, s := range statemachine.AllStatuses() {
		all = append(all, string(s))
	}
	return all
}
