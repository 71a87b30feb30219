package ops

import (
	"context"

	"arbor/mdstore"
)

// ProblemClearIn says that nothing is wrong any more.
type ProblemClearIn struct {
	In
	NodeID string `json:"nodeId,omitempty" help:"the workspace itself unless said otherwise"`
	Match
	Write
}

// ProblemClearOut is the result of problem_clear.
type ProblemClearOut struct{ Wrote }

var problemClear = op("problem_clear", "say that nothing is wrong any more", writes|repeats, ProblemClear)

// ProblemClear says that nothing is wrong any more.
func ProblemClear(ctx context.Context, env *Env, in ProblemClearIn) (*ProblemClearOut, error) {
	s, id, err := env.owner(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	o, err := env.Engine.SetProblem(ctx, s.Workspace().ID, id, mdstore.Problem{}, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &ProblemClearOut{env.wrote(ctx, s.Workspace().ID, o, "no problem is open here any more")}, nil
}
