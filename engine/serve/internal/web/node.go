package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

type nodePage struct {
	*ops.NodeGetOut
	Trail     []*mdstore.Node // the nodes above it, from the root
	Children  []*ops.TreeNode
	Targets   []target
	Documents []document
	Refers    []*mdstore.Node // the nodes that refer to this one
	Rules     []string
	Waits     []*mdstore.Node   // the open nodes that it waits for
	Titles    map[string]string // of nodes that it depends on, by their ids; none where the title names no single node
	RulesHash string
	Talk      []talk
	MoreLog   int           // further entries of the log
	Further   int           // how many entries are shown after a press on "show more"
	Gets      *assistantGet // what an assistant gets, if that is asked for instead of Talk
}

// A talk is an entry of the log.
type talk struct {
	mdstore.LogEntry
	Open *asked // an unanswered question
}

// Listed returns the criteria that the section of the criteria has. Those of the requirement are ticked in its text.
func (p nodePage) Listed() (all []mdstore.Criterion) {
	for _, c := range p.Node.Criteria {
		if c.In == "" {
			all = append(all, c)
		}
	}
	return all
}

const logShown = 200 // entries of the log that a node shows at first

// A target is a node or document that a node refers to.
type target struct {
	ops.Reference
	Node *mdstore.Node // nil if it is no node
}

func (s *Site) node(r *http.Request, v *screen) error {
	in := ops.In{WorkspaceID: v.Workspace}
	snap, err := s.engine.View(r.Context(), mdstore.ID(v.Workspace))
	if err != nil {
		return err
	}
	if ref := r.PathValue("id"); !v.Static {
		switch id, err := snap.Resolve(ref); {
		case err != nil:
			if !mdstore.ID(ref).Generated("node") { // a node that is gone is not another one
				v.Sought = ref
			}
			return err
		case string(id) != ref:
			v.elsewhere = v.item("node", v.Workspace, string(id))
			return nil
		}
	}
	out, err := ops.NodeGet(r.Context(), s.env(), ops.NodeGetIn{In: in, NodeID: r.PathValue("id")})
	if err != nil {
		return err
	}
	list := ops.NodeListIn{In: in, RootID: out.Node.ID, Depth: 1, Limit: firstView}
	below, err := ops.NodeList(r.Context(), s.env(), list)
	if err != nil {
		return err
	}
	status, err := ops.WorkspaceOwn(r.Context(), s.env(), ops.WorkspaceGetIn{In: in})
	if err != nil {
		return err
	}
	v.Title, out.Node.Diagnostics = out.Node.Title, slices.Clone(out.Node.Diagnostics)
	for i, d := range out.Node.Diagnostics {
		out.Node.Diagnostics[i].Text = s.titled(r.Context(), v.Workspace, d.Text)
	}
	p := nodePage{NodeGetOut: out, Rules: status.Workspace.Rules, RulesHash: status.Workspace.RulesHash}
	for _, n := range below.Tree {
		p.Children = append(p.Children, n.Children...)
	}
	for _, id := range out.Node.BlockedBy {
		if n, ok := snap.Node(mdstore.ID(id)); ok {
			p.Waits = append(p.Waits, n)
		}
	}
	p.Titles = map[string]string{}
	for _, id := range out.Node.Dependencies {
		if n, ok := snap.Node(mdstore.ID(id)); ok {
			if named, err := snap.Resolve(n.Title); err == nil && named == n.ID {
				p.Titles[id] = n.Title
			}
		}
	}
	for up, ok := snap.Node(mdstore.ID(out.Node.ParentID)); ok && len(p.Trail) < snap.Len(); {
		p.Trail = append(p.Trail, up)
		if up.ID == mdstore.Root {
			break
		}
		up, ok = snap.Node(up.Parent)
	}
	slices.Reverse(p.Trail)
	own, _ := snap.Node(mdstore.ID(out.Node.ID))
	for _, ref := range out.Node.References {
		of := target{Reference: ref}
		if own != nil {
			of.Node, _ = snap.Referred(own, ref.TargetID)
		}
		p.Targets = append(p.Targets, of)
	}
	for n := range snap.All() {
		for name := range n.Facts().References() {
			if to, ok := snap.Referred(n, name); ok && string(to.ID) == out.Node.ID {
				p.Refers = append(p.Refers, n)
				break
			}
		}
	}
	p.Documents = s.documents(r.Context(), v, out.Node.ID, out.Node.Docs)
	v.links.definitions, v.links.footnotes = definitionsIn(textOf(out.Node)), footnotesIn(textOf(out.Node))
	most, err := strconv.Atoi(r.FormValue("log"))
	if err != nil || most < logShown {
		most = logShown
	}
	if p.Talk = talked(out.Node); !v.Static && len(p.Talk) > most {
		p.MoreLog, p.Further, p.Talk = len(p.Talk)-most, most+5*logShown, p.Talk[:most]
	}
	if r.FormValue("tab") == "context" && !v.Static {
		if p.Gets, err = s.gets(r, in, out.Node.ID); err != nil {
			return err
		}
	}
	v.Body = p
	return nil
}

const (
	leastBudget = 250
	mostBudget  = 16000
	someBudget  = 4000
)

// Asked returns the text of a question.
func (t talk) Asked() string { return strings.TrimPrefix(t.Event, mdstore.AskedEvent("")) }

// talked returns the log of a node: the unanswered questions, oldest first, then the other entries, newest first.
func talked(n ops.NodeInfo) (all []talk) {
	left := slices.Clone(n.Questions)
	for _, e := range n.Log {
		at := slices.IndexFunc(left, func(q mdstore.Question) bool { return e.Asks() && q.Time == e.Time })
		if at < 0 {
			all = append(all, talk{LogEntry: e})
			continue
		}
		all = append(all, talk{e, &asked{n.ID, n.Title, left[at]}})
		left = slices.Delete(left, at, at+1)
	}
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b talk) int {
		switch {
		case a.Open != nil && b.Open != nil:
			return strings.Compare(a.Time, b.Time)
		case a.Open != nil:
			return -1
		case b.Open != nil:
			return 1
		}
		return 0
	})
	return all
}

type assistantGet struct {
	*ops.ContextGetOut
	Budget, Least, Most int
}

// gets returns what an assistant gets about a node, within the budget of the request.
func (s *Site) gets(r *http.Request, of ops.In, id string) (*assistantGet, error) {
	budget, err := strconv.Atoi(r.FormValue("budget"))
	if err != nil || budget < leastBudget || budget > mostBudget {
		budget = someBudget
	}
	in := ops.ContextGetIn{In: of, NodeID: id, Budget: budget}
	data, err := ops.ContextGet(r.Context(), s.env(), in)
	if err != nil {
		return nil, err
	}
	in.Format = "markdown"
	text, err := ops.ContextGet(r.Context(), s.env(), in)
	if err != nil {
		return nil, err
	}
	data.Markdown = text.Markdown
	return &assistantGet{ContextGetOut: data, Budget: budget, Least: leastBudget, Most: mostBudget}, nil
}

type historyPart struct {
	*ops.HistoryGetOut
	Why string // why there is none, such as no git
}

// why returns the message of an error; "" for nil.
func why(err error) string {
	if err == nil {
		return ""
	}
	return errs.As(err).In(ops.Shell).Message
}

// history shows the commits of a node in git.
func (s *Site) history(r *http.Request, v *screen) error {
	in := ops.HistoryGetIn{In: ops.In{WorkspaceID: v.Workspace}, NodeID: r.PathValue("id")}
	out, err := ops.HistoryGet(r.Context(), s.env(), in)
	v.Title, v.Body = "History", historyPart{out, why(err)}
	return nil
}
