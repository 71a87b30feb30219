package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
)

type OutlineIn struct {
	NodeCreateIn // its texts are not used
	Nodes        []NewChild
}

type OutlineOut struct {
	Nodes []Made `json:"nodes"`
	Wrote
}

// Outline makes all nodes of an outline in one commit. Only the command line has it.
func Outline(ctx context.Context, env *Env, in OutlineIn) (*OutlineOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	parent, err := env.resolve(s, in.ParentID, "parentId")
	if err != nil {
		return nil, recoded(err, errs.NodeNotFound, errs.ParentNotFound)
	}
	all, err := env.grown(s, NewChild{Children: in.Nodes}, nil)
	if err != nil {
		return nil, err
	}
	for i := range all.Children {
		n := &all.Children[i]
		n.Parent, n.RulesHash, n.RulesRead, n.Cascade = parent, in.RulesHash, in.RulesRead, in.Cascade
	}
	c, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, Match{}), plan.NewNodes(all.Children))
	if err != nil {
		return nil, fail(err)
	}
	return &OutlineOut{madeOf(c), env.wrote(ctx, s.Workspace().ID, o,
		"{node_next} lists nodes that are ready to start")}, nil
}

// RulesOnce returns the rules of a workspace once per change: nil if it has returned the same rules on this machine
// before.
func RulesOnce(ctx context.Context, env *Env, in In) ([]string, error) {
	out, err := WorkspaceOwn(ctx, env, WorkspaceGetIn{In: in})
	if err != nil || out.Workspace.RulesHash == "" {
		return nil, err
	}
	w, hash, noted := out.ws, out.Workspace.RulesHash, false
	m, err := env.Engine.MachineOf(ctx)
	if noted = err == nil && m.Rules[w] == hash; noted {
		return nil, nil
	}
	return out.Workspace.Rules, env.Engine.EditMachine(ctx, func(m *engine.Machine) { m.Rules[w] = hash })
}
