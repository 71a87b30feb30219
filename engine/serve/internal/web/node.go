package web

import (
	"net/http"
	"slices"
	"strconv"

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
	RulesHash string
	MoreLog   int // further entries of the log
	Further   int // how many entries are shown after a press on "show more"
}

const logShown = 200 // entries of the log that a node shows at first

// A target is a node or document that a node refers to.
type target struct {
	ops.Reference
	Node *mdstore.Node // nil if it is no node
}

func (s *Site) node(r *http.Request, v *screen) error {
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
	status, err := ops.WorkspaceGet(r.Context(), s.env(), ops.WorkspaceGetIn{In: in})
	if err != nil {
		return err
	}
	snap, err := s.engine.View(r.Context(), mdstore.ID(v.Workspace))
	if err != nil {
		return err
	}
	v.Title = out.Node.Title
	p := nodePage{NodeGetOut: out, Rules: status.Workspace.Rules, RulesHash: status.Workspace.RulesHash}
	for _, n := range below.Tree {
		p.Children = append(p.Children, n.Children...)
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
	if slices.Reverse(out.Node.Log); !v.Static && len(out.Node.Log) > most {
		p.MoreLog, p.Further = len(out.Node.Log)-most, most+5*logShown
		out.Node.Log = out.Node.Log[:most]
	}
	v.Body = p
	return nil
}

const (
	leastBudget = 250
	mostBudget  = 16000
	someBudget  = 4000
)

type contextPart struct {
	*ops.ContextGetOut
	Budget, Least, Most int
}

// context shows what an assistant gets about a node.
func (s *Site) context(r *http.Request, v *screen) error {
	budget, err := strconv.Atoi(r.FormValue("budget"))
	if err != nil || budget < leastBudget || budget > mostBudget {
		budget = someBudget
	}
	in := ops.ContextGetIn{In: ops.In{WorkspaceID: v.Workspace}, NodeID: r.PathValue("id"), Budget: budget}
	data, err := ops.ContextGet(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	in.Format = "markdown"
	text, err := ops.ContextGet(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	data.Markdown = text.Markdown
	v.Title = "What an assistant gets"
	v.Body = contextPart{ContextGetOut: data, Budget: budget, Least: leastBudget, Most: mostBudget}
	return nil
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
