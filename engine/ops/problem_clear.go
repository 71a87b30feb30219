package ops

import (
	"context"

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
	Use:     "problem --clear",
})

// ProblemClear clears the open problem.
func ProblemClear(ctx context.Context, env *Env, in ProblemClearIn) (*Wrote, error) {
	t := env.owner(ctx, in.WorkspaceID, in.NodeID)
	return done(ctx, env, t, env.act(in.Write, in.Match), plan.SetProblem{Node: t.node}, "no problem is open here any more")
}
