package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

// NodeCreateIn makes a node.
type NodeCreateIn struct {
	In
	ParentID    string        `json:"parentId" req:"true" flag:"parent,p" default:"root" is:"planning" help:"the planning NODE that it goes below"`
	Type        string        `json:"type" req:"true" flag:"type,t" default:"execution" enum:"planning,execution" judge:"engine"`
	Title       string        `json:"title" req:"true" arg:"TITLE" help:"1 to 200 characters in one line"`
	Requirement string        `json:"requirement" req:"true" text:"the requirement" help:"what is to be done, in Markdown"`
	RulesHash   string        `json:"rulesHash,omitempty" help:"the HASH that arbor rules shows, where there are rules"`
	Role        string        `json:"role,omitempty" enum:"info_collection,validation,summary"`
	Docs        []mdstore.Ref `json:"docs,omitempty" flag:"doc" help:"a document as PATH:DESC; may be repeated"`
	Cascade     bool          `json:"cascade,omitempty" help:"reopen completed or cancelled ancestors"`
	Write
}

// NodeCreateOut names the new node.
type NodeCreateOut struct {
	NodeID         string         `json:"nodeId"`
	Path           string         `json:"path" only:"verbose"`
	CascadeUpdates []plan.Cascade `json:"cascadeUpdates"`
	Wrote
}

var nodeCreate = op("node_create", writes, NodeCreate, Help{
	Summary: "add a node under a planning node",
	Advice:  "A task, todo or subtask. Needs rulesHash where there are rules.",
	Use:     "add TITLE [-]",
	Also:    "node create",
	Aliases: "new",
	Text: `A planning node divides work among its children, an execution node does it.
The requirement says what is to be done: from -m, -F, - (stdin) or -e (your
editor). Where the workspace has rules, --rules-hash proves that they were
read: arbor rules shows it. The id of the new node is printed first, and alone
with -q.`,
	Example: `arbor add "Sign-in endpoint" -m "POST /sign-in, rate limited"
arbor add "Backend" --type planning --parent root -m "All that runs on the server"
arbor add "Limits" --parent Backend --rules-hash ff280711 -F limits.md`,
})

// NodeCreate makes a node.
func NodeCreate(ctx context.Context, env *Env, in NodeCreateIn) (*NodeCreateOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	parent := mdstore.ID(in.ParentID)
	if env.Loose || in.ParentID == "" {
		if parent, err = env.resolve(s, in.ParentID, "parentId"); err != nil {
			return nil, recoded(err, errs.NodeNotFound, errs.ParentNotFound)
		}
	}
	c, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, Match{}), plan.NewNode{Parent: parent, Type: statemachine.Type(in.Type), Title: in.Title, Requirement: in.Requirement,
		RulesHash: in.RulesHash, Role: mdstore.Role(in.Role), Docs: in.Docs, Cascade: in.Cascade})
	if err != nil {
		return nil, fail(err)
	}
	hint := "start it with node_transition (arbor start " + string(c.Node) + ")"
	return &NodeCreateOut{NodeID: string(c.Node), Path: env.path(c.Path), CascadeUpdates: nonNil(c.Cascades), Wrote: env.wrote(ctx, s.Workspace().ID, o, hint)}, nil
}

func recoded(err error, from, to errs.Code) error {
	if e := errs.As(err); e.Code == from {
		c := *e
		c.Code = to
		return &c
	}
	return err
}
