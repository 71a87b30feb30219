package ops

import (
	"context"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
)

// ProblemUpdateIn says what is wrong now.
type ProblemUpdateIn struct {
	In
	NodeID   string `json:"nodeId,omitempty" help:"the workspace itself unless said otherwise"`
	Problem  string `json:"problem" req:"true"`
	NextStep string `json:"nextStep,omitempty"`
	Match
	Write
}

// ProblemUpdateOut is the result of problem_update.
type ProblemUpdateOut struct{ Wrote }

var problemUpdate = op("problem_update", "say what is wrong now, and what to do next", writes|repeats, ProblemUpdate)

// ProblemUpdate says what is wrong now.
func ProblemUpdate(ctx context.Context, env *Env, in ProblemUpdateIn) (*ProblemUpdateOut, error) {
	if strings.TrimSpace(in.Problem) == "" {
		e := engine.Fail(engine.InvalidParams, "problem is empty; say what is wrong, or clear it with problem_clear")
		e.Details = &engine.Details{Param: "problem"}
		return nil, e
	}
	s, id, err := env.owner(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	p := mdstore.Problem{Text: strings.Trim(in.Problem, "\r\n"), NextStep: strings.Trim(in.NextStep, "\r\n")}
	o, err := env.Engine.SetProblem(ctx, s.Workspace().ID, id, p, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &ProblemUpdateOut{env.wrote(ctx, s.Workspace().ID, o, "problem_clear says that it is solved")}, nil
}
