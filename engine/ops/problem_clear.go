package ops

import (
	"context"

	"arbor/engine"
	"arbor/engine/plan"
)

// ProblemClearIn clears the open problem of a node, or of the workspace.
type ProblemClearIn struct {
	In
	NodeID string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"the workspace itself unless given"`
	Match
	Write
}

var problemClear = op("problem_clear", writes|repeats, ProblemClear, Help{
	Summary: "clear the open problem of a node or of the workspace",
	Advice:  "Without nodeId the workspace's.",
	Use:     "problem --clear",
})

// ProblemClear clears the open problem.
func ProblemClear(ctx context.Context, env *Env, in ProblemClearIn) (*Wrote, error) {
	s, id, err := env.owner(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	_, o, err := engine.Apply(ctx, env.Engine, s.Workspace().ID, env.act(in.Write, in.Match), plan.SetProblem{Node: id})
	if err != nil {
		return nil, fail(err)
	}
	return new(env.wrote(ctx, s.Workspace().ID, o, "no problem is open here any more")), nil
}
