package ops

import (
	"cmp"
	"context"

	"arbor/context/assemble"
	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

type NodeCreateIn struct {
	In
	ParentID    string `json:"parentId,omitempty" flag:"parent,p" default:"root" is:"planning" help:"the planning NODE that becomes its parent"`
	Type        string `json:"type,omitempty" flag:"type,t" default:"execution" enum:"planning,execution" judge:"engine"`
	Title       string `json:"title" req:"true" unless:"like" arg:"TITLE" help:"1 to 200 characters in one line"`
	Requirement string `json:"requirement,omitempty" text:"the requirement" help:"what is to be done, in Markdown"`
	RulesHash   string `json:"rulesHash,omitempty" help:"the rules' HASH, as arbor ws rules prints it; required from assistants if there are rules"`
	mdstore.Fields
	Docs       []mdstore.Ref `json:"docs,omitempty" flag:"doc" help:"a document as PATH:DESC; may be repeated"`
	References []Reference   `json:"references,omitempty" listed:"never" flag:"-"`
	Before     string        `json:"before,omitempty" is:"node" help:"the sibling NODE to place it before"`
	After      string        `json:"after,omitempty" is:"node" help:"the sibling NODE to place it after"`
	Children   []NewChild    `json:"children,omitempty" flag:"-" help:"child nodes to create, in order; they may have children"`
	Like       string        `json:"like,omitempty" is:"node" help:"copy this NODE and its subtree, as pending"`
	Cascade    bool          `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`

	Criteria []string `json:"criteria,omitempty" flag:"criterion" help:"an acceptance CRITERION"`
	Write

	RulesRead bool `json:"-"` // the caller has been shown the rules, so RulesHash is not needed
}

// NewChild is a node that is made along with its parent. Without a Type it is a planning node if it has children, else
// an execution node.
type NewChild struct {
	Title       string   `json:"title" req:"true" judge:"engine"`
	Type        string   `json:"type,omitempty"`
	Requirement string   `json:"requirement,omitempty"`
	Criteria    []string `json:"criteria,omitempty"`
	mdstore.Fields
	Docs       []mdstore.Ref `json:"docs,omitempty" listed:"never"`
	References []Reference   `json:"references,omitempty" listed:"never"`
	Children   []NewChild    `json:"children,omitempty"`
}

// Made has the ids of a new node and of the new nodes below it, in their order.
type Made struct {
	NodeID   string `json:"nodeId"`
	Children []Made `json:"children,omitempty"`
}

type NodeCreateOut struct {
	NodeID         string         `json:"nodeId"`
	Path           string         `json:"path" only:"verbose"`
	Children       []Made         `json:"children,omitempty"`
	CascadeUpdates []plan.Cascade `json:"cascadeUpdates"`
	Wrote
}

var nodeCreate = op("node_create", writes, NodeCreate, Help{
	Summary: "add a node under a planning node",
	Advice:  "A task, todo or subtask; children makes a subtree. Needs rulesHash where there are rules.",
	Use:     "add [TITLE] [-]",
	Aliases: "new",
	Text: `A planning node divides work among its children; an execution node does it. The
requirement is optional and says what to do: from -m, -F, - (stdin) or -e (your
editor). If the workspace has rules, they are shown whenever they changed; with
--as AI, --rules-hash proves that they were read (see arbor ws rules). -q prints
only the id of the new node.

With - instead of TITLE, stdin is an outline: indented lines, or Markdown, which
is read as by arbor import: headings with items below them and items become nodes,
other text is their requirement, ticked boxes are completed. All nodes are created
in one commit.

--like copies a node with its subtree: fields, texts and open criteria, and
dependencies among the copies; but no logs, conclusions or problems. So any node
can be a template. TITLE and flags override the copy.`,
	Example: `arbor add "Sign-in endpoint" -m "POST /sign-in, rate limited"
arbor add "Backend" --type planning -m "All that runs on the server"
arbor add "Limits" --parent Backend -F limits.md
arbor add - < plan.md
arbor add "Release 1.5" --like "Release template" --due +2w`,
})

// NodeCreate makes a node, and all nodes of its Children below it, in one commit.
func NodeCreate(ctx context.Context, env *Env, in NodeCreateIn) (*NodeCreateOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	parent := mdstore.ID(cmp.Or(in.ParentID, string(mdstore.Root)))
	if env.Names != NamesExact && in.ParentID != "" {
		if parent, err = env.resolve(s, in.ParentID, "parentId"); err != nil {
			return nil, recoded(err, errs.NodeNotFound, errs.ParentNotFound)
		}
	}
	top := NewChild{Title: in.Title, Type: in.Type, Requirement: in.Requirement, Fields: in.Fields, Docs: in.Docs, References: in.References, Children: in.Children}
	top.Criteria = in.Criteria
	if in.Like == "" { // else that of the copied node
		top.Type = top.typed()
	}
	titles := map[string]bool{}
	top.titles(titles)
	n, err := env.grown(s, top, titles)
	if err != nil {
		return nil, err
	}
	n.Parent, n.RulesHash, n.RulesRead, n.Cascade = parent, in.RulesHash, in.RulesRead, in.Cascade
	if in.Like != "" {
		if n.Like, err = env.resolve(s, in.Like, "like"); err != nil {
			return nil, err
		}
	}
	for name, sibling := range map[string]*mdstore.ID{"before": &n.Before, "after": &n.After} {
		ref := map[string]string{"before": in.Before, "after": in.After}[name]
		if ref == "" {
			continue
		}
		if *sibling, err = env.resolve(s, ref, name); err != nil {
			return nil, err
		}
	}
	c, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, Match{}), n)
	if err != nil {
		return nil, fail(err)
	}
	hint := "start it with {node_transition " + string(c.Node) + " start}"
	if len(c.Children) > 0 {
		hint = "{node_next} lists nodes that are ready to start"
	} else if now, err := env.In(ctx, string(s.Workspace().ID)); err == nil {
		if made, ok := now.Node(c.Node); ok && len(now.Open(made)) > 0 {
			hint = "it waits for " + view.WaitsText(now.Open(made))
		}
	}
	return &NodeCreateOut{NodeID: string(c.Node), Path: env.path(c.Path), Children: madeOf(c.Children),
		CascadeUpdates: nonNil(c.Cascades), Wrote: env.wrote(ctx, s.Workspace().ID, o, hint)}, nil
}

// titles adds the titles of a new node, and of all nodes below it, to a set.
func (c NewChild) titles(all map[string]bool) {
	all[c.Title] = true
	for _, k := range c.Children {
		k.titles(all)
	}
}

// grown returns a new node, and all nodes below it, in the form that a plan takes. titles has the titles of all new
// nodes: a reference to one of these stays as it is, for the plan to resolve.
func (env *Env) grown(s *view.View, c NewChild, titles map[string]bool) (n plan.NewNode, err error) {
	if err := env.fields(s, &c.Fields, titles); err != nil {
		return n, err
	}
	n = plan.NewNode{Head: mdstore.Head{Type: statemachine.Type(c.Type), Title: c.Title, Fields: c.Fields}, Requirement: c.Requirement, Docs: c.Docs}
	n.Criteria = c.Criteria
	for _, r := range c.References {
		target := r.TargetID
		switch {
		case r.Type != "" && r.Type != assemble.RefNode && r.Type != assemble.RefDoc:
			return n, badParam("references", "references: type is %q; %s or %s is expected", r.Type, assemble.RefNode, assemble.RefDoc)
		case titles[target] || r.Type == assemble.RefDoc:
		case r.Type == assemble.RefNode:
			id, err := env.resolve(s, target, "references")
			if err != nil {
				return n, err
			}
			target = string(id)
		default:
			if target, err = env.refTarget(s, target); err != nil {
				return n, err
			}
		}
		n.References = append(n.References, mdstore.Ref{Target: target, Description: r.Description, Expired: r.Expired})
	}
	for _, k := range c.Children {
		k.Type = k.typed()
		kid, err := env.grown(s, k, titles)
		if err != nil {
			return n, err
		}
		n.Children = append(n.Children, kid)
	}
	return n, nil
}

// typed returns the type of a new node: execution unless it is given or the node has children.
func (c NewChild) typed() string {
	if c.Type == "" && len(c.Children) > 0 {
		return string(statemachine.Planning)
	}
	return cmp.Or(c.Type, string(statemachine.Execution))
}

func madeOf(all []plan.Created) (out []Made) {
	for _, c := range all {
		out = append(out, Made{string(c.Node), madeOf(c.Children)})
	}
	return out
}

func recoded(err error, from, to errs.Code) error {
	if e := errs.As(err); e.Code == from {
		c := *e
		c.Code = to
		return &c
	}
	return err
}
