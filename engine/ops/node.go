package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

type NodeGetIn struct {
	In
	NodeID string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
}

type NodeGetOut struct {
	Node NodeInfo `json:"node"`
	Out
}

// NodeInfo has what a Node.md says, and what follows from its place in the plan.
type NodeInfo struct {
	ID string `json:"id"`
	mdstore.Head
	ParentID     string              `json:"parentId"`
	Requirement  string              `json:"requirement"`
	Criteria     []mdstore.Criterion `json:"criteria,omitempty"`
	CriteriaText string              `json:"criteriaText,omitempty" only:"rarely"` // where it holds more than boxes
	Conclusion   string              `json:"conclusion"`
	Note         string              `json:"note"`
	Own          mdstore.Owns        `json:"fields,omitempty" only:"rarely"`   // see mdstore.Node.Own
	Sections     []mdstore.OwnText   `json:"sections,omitempty" only:"rarely"` // see mdstore.Node.OwnTexts
	Docs         []mdstore.Ref       `json:"docs"`
	References   []Reference         `json:"references"`
	Problem      *mdstore.Problem    `json:"problem"`
	Log          []mdstore.LogEntry  `json:"log"`
	LogHidden    int                 `json:"logHidden,omitempty"`           // older entries that a bounded result leaves out
	BlockedBy    []string            `json:"blockedBy,omitempty" is:"node"` // open dependencies, its own and its ancestors'
	// open questions, which wait for a person
	Questions []mdstore.Question `json:"questions,omitempty" only:"rarely"`
	Children  []string           `json:"children" is:"node"`
	MoreKids  int                `json:"childrenHidden,omitempty"` // children that a bounded result leaves out
	Allowed   []string           `json:"allowed"`                  // what it allows now, see plan.Allowed
	CreatedAt int64              `json:"createdAt"`
	UpdatedAt int64              `json:"updatedAt"`
	Path      string             `json:"path" only:"verbose"`
	Version   string             `json:"version"`
	Claim
	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty" only:"rarely"`

	Held bool `json:"-"` // only open criteria keep it from being completed
}

var nodeGet = op("node_get", reads|repeats, NodeGet, Help{
	Summary: "show a node and its allowed actions",
	Use:     "show NODE",
	Text: `Prints all sections of the node, the newest log entries, and the actions that
its status allows. The version in the last line is for --if-match. To work on
the node, read arbor context, which has more.`,
	Example: `arbor show node-mj2hz4gy
arbor show "Sign-in endpoint"
arbor show . --json`,
})

// NodeGet returns a node.
var NodeGet = reading(func(ctx context.Context, env *Env, in NodeGetIn) (*NodeGetOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	n, err := s.Known(id)
	if err != nil {
		return nil, fail(err)
	}
	out := &NodeGetOut{Node: NodeInfo{
		ID: string(n.ID), Head: s.HeadOn(n, env.day()), ParentID: string(n.Parent),
		Requirement: n.Requirement(), Conclusion: n.Conclusion(), Note: n.Note(), Own: n.Own(), Sections: n.OwnTexts(),
		Docs: nonNil(n.Docs()), References: references(s, view.References(s, n)), Problem: problem(n.Problem()),
		Log: nonNil(n.Log()), Questions: n.OpenQuestions(), Children: []string{},
		CreatedAt: n.CreatedAt, UpdatedAt: n.UpdatedAt, Path: env.path(n.Path),
		Version: n.Version().String(), Claim: env.claimOf(ctx, s.Workspace().ID, n),
		Diagnostics: check.Node(s, n, env.Engine.Off()...),
	}}
	out.Node.Allowed, out.Node.Criteria = env.allowed(s, n), n.Criteria()
	open := func(c mdstore.Criterion) bool { return !c.Done }
	out.Node.Held = slices.ContainsFunc(out.Node.Criteria, open) &&
		!slices.Contains(out.Node.Allowed, string(statemachine.Complete)) &&
		plan.Allows(s, n, statemachine.Complete, false, plan.AskNothing)
	if !n.PlainCriteria() {
		out.Node.CriteriaText = n.CriteriaText()
	}
	out.Node.BlockedBy = waitsFor(s.BlockedBy()[id])
	out.Sends(s.Workspace().ID, id)
	out.Node.Log, out.Node.LogHidden = newest(env, out.Node.Log, boundedItems)
	kids, hidden := first(env, s.Children(id), boundedIDs)
	out.Node.MoreKids = hidden
	for _, k := range kids {
		out.Node.Children = append(out.Node.Children, string(k))
	}
	switch {
	case n.Editable() != nil:
		out.Hint = damaged(out.Node.Diagnostics)
	case len(out.Node.Diagnostics) > 0:
		out.Hint = found(out.Node.Diagnostics)
	case out.Node.MoreKids > 0:
		out.Hint = shownOf(len(kids), len(kids)+out.Node.MoreKids, "children", "{node_list rootId} brings all")
	case mdstore.Archived(s.Workspace().Dir):
		out.Hint = archivedHint
	case out.Node.BlockedBy != nil:
		out.Hint = "it waits for " + view.WaitsText(s.BlockedBy()[id])
	case len(out.Node.Allowed) > 0:
		out.Hint = "it can: " + strings.Join(out.Node.Allowed, ", ")
	case slices.ContainsFunc(s.Below(id), func(k *mdstore.Node) bool { return !statemachine.Terminal(k.Status) }):
		out.Hint = "its open children come first: {node_next} lists ready nodes"
	default:
		out.Hint = cmp.Or(plan.Waiting(s, n), "no action is left")
		if a := plan.FrozenBy(s, n); a != nil {
			above := string(a.ID) + " (" + a.Title + ") above it is " + string(a.Status)
			out.Hint = above + ", which freezes it: reopen that first"
		}
	}
	return out, nil
})

type NodeUpdateIn struct {
	In
	NodeID      string        `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Title       *string       `json:"title,omitempty" help:"the new TITLE"`
	Requirement *string       `json:"requirement,omitempty" empty:"ok" help:"the new requirement, as TEXT"`
	Note        *string       `json:"note,omitempty" empty:"ok" help:"the new note, as TEXT"`
	Conclusion  *string       `json:"conclusion,omitempty" empty:"ok" help:"the new conclusion, as TEXT"`
	Docs        []mdstore.Ref `json:"docs,omitempty" listed:"never" flag:"doc" help:"replace all documents with PATH:DESC; may be repeated"`

	Criteria  []string `json:"criteria,omitempty" flag:"criterion" help:"replace all CRITERIA; equal texts keep their ticks"`
	Checked   []string `json:"checked,omitempty" arg:"CRITERION" flag:"tick" help:"criteria to tick, by NUMBERS or beginning"`
	Unchecked []string `json:"unchecked,omitempty" flag:"untick" help:"criteria to untick, by NUMBERS or beginning"`
	Evidence  string   `json:"evidence,omitempty" help:"what proves it, as TEXT"`
	mdstore.Fields
	Own     map[string]any `json:"fields,omitempty" flag:"-" help:"other keys; null removes a key"`
	NewKeys bool           `json:"newKeys,omitempty" listed:"never" flag:"new" help:"allow a new key that looks like a known one"`
	Match
	Write
	Several
	Pairs
}

var nodeUpdate = op("node_update", writes|repeats, NodeUpdate, Help{
	Summary: "change a node's title, texts or fields",
	Use:     "set NODE... [-] [KEY=VALUE...]",
	Text: `Everything you do not name stays. Short texts have a flag each; for a long one,
use --section with -F FILE, - (stdin) or -e (your editor, with the present
text). An empty text removes the section's text. With --session, if a text
changed since the session last read it, the first try fails and shows the new
text; the second one goes through. A replaced text that the session did not
write itself is kept in .local/replaced for 30 days.

KEY=VALUE sets a key of the front matter, or title, requirement, note or
conclusion. KEY+=ITEM adds to a list, KEY-=ITEM removes from it, and KEY=
removes the key or text. Commas separate the items of dependencies, tags and
assignee; an item of verify may contain them. Known keys are checked as their
flags are; any other key is your own. A new key that looks like a known one
needs --new. Several nodes are changed in one commit.`,
	Example: `arbor set node-mj2hz4gy title="Sign-in endpoint" note=
arbor set . priority=high due=fri sprint=7 tags+=late estimate=
arbor set . --section note -e
arbor set . --section requirement - < requirement.md`,
})

// NodeUpdate changes a node's title, texts, documents and fields. Parts that are not given stay.
func NodeUpdate(ctx context.Context, env *Env, in NodeUpdateIn) (*Wrote, error) {
	t := env.target(ctx, in.WorkspaceID, in.NodeID)
	if t.err != nil {
		return nil, t.err
	}
	ids, err := env.others(t.view, t.node, in.Several.Nodes, in.Match)
	if err != nil {
		return nil, err
	}
	keys, err := env.keyEdits(t.view, &in)
	if err != nil {
		return nil, err
	}
	ticks := plan.Ticks{On: in.Checked, Off: in.Unchecked, Evidence: in.Evidence}
	texts := in.Title == nil && in.Requirement == nil && in.Note == nil && in.Conclusion == nil
	if texts && in.Docs == nil && in.Empty() && len(keys) == 0 && in.Criteria == nil && ticks.Empty() {
		const how = "nothing to change is given; give title, requirement, criteria, checked, note, conclusion, docs " +
			"or a field"
		return nil, errs.New(errs.InvalidParams, how)
	}
	if len(ids) > 1 && (in.Criteria != nil || !ticks.Empty()) {
		return nil, badParam("nodeId", "criteria are those of one node; name no other")
	}
	if err := env.fields(t.view, &in.Fields, nil); err != nil {
		return nil, err
	}
	var all plan.Each[plan.NodeTexts, plan.None]
	for _, id := range ids {
		all = append(all, plan.NodeTexts{Node: id, Title: in.Title, Requirement: in.Requirement, Note: in.Note,
			Conclusion: in.Conclusion, Docs: in.Docs, Fields: in.Fields, Keys: keys, NewKeys: in.NewKeys,
			Criteria: in.Criteria, Ticks: ticks})
	}
	_, w, err := apply(ctx, env, t, env.act(in.Write, in.Match), all, "{node_get} shows it as it is now")
	if err != nil {
		return nil, err
	}
	w.about = ids
	return &w, nil
}

type NodeMoveIn struct {
	In
	NodeID      string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	NewParentID string `json:"newParentId,omitempty" arg:"PARENT" is:"node" help:"default: that of the sibling"`
	Before      string `json:"before,omitempty" is:"node" help:"place it before this SIBLING"`
	After       string `json:"after,omitempty" is:"node" help:"place it after this SIBLING"`
	Cascade     bool   `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Match
	Write
	Several
}

type NodeMoveOut struct {
	PreviousParentID string         `json:"previousParentId"`
	CascadeUpdates   []plan.Cascade `json:"cascadeUpdates"`
	Blocked          []Titled       `json:"blocked,omitempty"` // nodes that wait for dependencies now, and did not before
	Unblocked        []Titled       `json:"unblocked,omitempty"`
	Wrote
}

var nodeMove = op("node_move", writes|repeats, NodeMove, Help{
	Summary: "move a node to another parent or position",
	Use:     "mv NODE... PARENT",
	Text: `The subtree moves along. --before or --after set the position among siblings, so
that PARENT may be left out; no sibling's file changes. Folders stay where they
are: the parent is a field in the file. Several nodes are moved in one commit.`,
	Example: `arbor mv node-mj2hz4gy root
arbor mv node-mj2hz4gy --before node-mj2hzz01
arbor mv "Sign-in endpoint" Limits --parent Backend`,
})

// NodeMove gives a node another parent, or another place among its siblings. All nodes below it come along.
func NodeMove(ctx context.Context, env *Env, in NodeMoveIn) (*NodeMoveOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	m := plan.Move{Node: id, Cascade: in.Cascade}
	if in.Before != "" {
		if m.Before, err = env.resolve(s, in.Before, "before"); err != nil {
			return nil, err
		}
	}
	if in.After != "" {
		if m.After, err = env.resolve(s, in.After, "after"); err != nil {
			return nil, err
		}
	}
	if sibling, ok := s.Node(cmp.Or(m.Before, m.After)); ok && in.NewParentID == "" {
		in.NewParentID = string(sibling.Parent)
	}
	if in.NewParentID == "" {
		return nil, badParam("newParentId", "name the new parent, or a sibling to move next to ({.before} or {.after})")
	}
	if m.Parent, err = env.resolve(s, in.NewParentID, "newParentId"); err != nil {
		return nil, recoded(err, errs.NodeNotFound, errs.ParentNotFound)
	}
	ids, err := env.others(s, id, in.Nodes, in.Match)
	if err != nil {
		return nil, err
	}
	var moves plan.Each[plan.Move, *plan.Moved]
	for i, id := range ids {
		m.Node = id
		if in.After != "" && i > 0 {
			m.After = ids[i-1]
		}
		moves = append(moves, m)
	}
	all, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, in.Match), moves)
	if err != nil {
		return nil, fail(err)
	}
	cascades := []plan.Cascade{}
	for _, r := range all {
		cascades = append(cascades, r.Cascades...)
	}
	out := &NodeMoveOut{PreviousParentID: string(all[0].Previous), CascadeUpdates: cascades}
	if !in.DryRun {
		out.Blocked, out.Unblocked = env.blockedSince(ctx, s), env.unblocked(ctx, s)
	}
	out.Wrote = env.wrote(ctx, s.Workspace().ID, o, "{node_list} shows the tree as it is now")
	out.about = ids
	return out, nil
}

type NodeDeleteIn struct {
	In
	NodeID string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Match
	Write
	Several
}

type NodeDeleteOut struct {
	DeletedCount int      `json:"deletedCount"`
	Trash        string   `json:"trash"`
	Dependents   []string `json:"dependents,omitempty"` // nodes whose dependencies no longer name what went
	Wrote
}

var nodeDelete = op("node_delete", writes|destroys, NodeDelete, Help{
	Summary: "move a node and its subtree to the trash",
	Use:     "rm NODE...",
	Text: `References to it from other nodes expire. Several nodes go in one commit; arbor
restore restores each.
` + confirmText,
	Example: `arbor rm node-mj2hz4gy --dry-run
arbor rm node-mj2hz4gy --yes`,
})

// NodeDelete moves a node and all below it to the trash.
func NodeDelete(ctx context.Context, env *Env, in NodeDeleteIn) (*NodeDeleteOut, error) {
	t := env.target(ctx, in.WorkspaceID, in.NodeID)
	was, ids := engine.Focus{}, []mdstore.ID{t.node}
	if t.err == nil {
		was = env.Engine.FocusOf(ctx, t.view, env.Session, env.host)
		ids, t.err = env.others(t.view, t.node, in.Nodes, in.Match)
	}
	if t.err != nil {
		return nil, t.err
	}
	d, w, err := apply(ctx, env, t, env.act(in.Write, in.Match), plan.Delete{Node: ids[0], Also: ids[1:]},
		"the folders lie in the trash, whole: arbor restore restores them")
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(ids, func(id mdstore.ID) bool { return below(t.view, was.Node, id) }); i >= 0 && !was.Shared {
		n, _ := t.view.Node(ids[i])
		w.Hint = env.refocus(ctx, t.ws, n.Parent, in.Write, w.Hint)
	}
	w.about = ids
	out := &NodeDeleteOut{DeletedCount: d.Count, Trash: env.path(d.Trash), Wrote: w}
	for _, id := range d.From {
		out.Dependents = append(out.Dependents, string(id))
	}
	return out, nil
}

// below reports whether a node is top, or hangs below it.
func below(s *view.View, id, top mdstore.ID) bool {
	up, _ := s.Ancestors(id)
	return id == top || slices.ContainsFunc(up, func(a *mdstore.Node) bool { return a.ID == top })
}

type NodeIsolateIn struct {
	In
	NodeID  string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Isolate bool   `json:"isolate" req:"true" flag:"-"`
	Match
	Write
}

type NodeIsolateOut struct {
	Isolated bool `json:"isolated"`
	Wrote
}

var nodeIsolate = op("node_isolate", writes|repeats, NodeIsolate, Help{
	Summary: "isolate a node's context from its ancestors, or undo that",
	Use:     "isolate NODE",
	Text: `The context of the node and of its subtree then begins at this node; the
workspace's goal, rules and documents stay in it. --off undoes the isolation.`,
	Example: `arbor isolate node-mj2hz4gy
arbor isolate node-mj2hz4gy --off`,
})

// NodeIsolate cuts a node's context off from its ancestors, or joins it again.
func NodeIsolate(ctx context.Context, env *Env, in NodeIsolateIn) (*NodeIsolateOut, error) {
	hint := "its context begins with itself now"
	if !in.Isolate {
		hint = "its context begins with its ancestors again"
	}
	t := env.target(ctx, in.WorkspaceID, in.NodeID)
	p := plan.NodeTexts{Node: t.node, Fields: mdstore.Fields{Isolated: &in.Isolate}}
	_, w, err := apply(ctx, env, t, env.act(in.Write, in.Match), p, hint)
	if err != nil {
		return nil, err
	}
	return &NodeIsolateOut{Isolated: in.Isolate, Wrote: w}, nil
}
