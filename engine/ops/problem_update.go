package ops

import (
	"context"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// ProblemUpdateIn sets the open problem of a node, or of the workspace.
type ProblemUpdateIn struct {
	In
	NodeID   string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"the workspace itself unless given"`
	Problem  string `json:"problem" req:"true" text:"the problem"`
	NextStep string `json:"nextStep,omitempty" flag:"next" empty:"ok" help:"what to do about it: the next STEP"`
	Match
	Write
}

var problemUpdate = op("problem_update", writes|repeats, ProblemUpdate, Help{
	Summary: "set the open problem of a node or of the workspace",
	Use:     "problem [NODE] [TEXT | -]",
	Text: `A problem is what is wrong now and what to do about it; it is part of every
context below. With a TEXT, or with -m, -F, - or -e, it replaces the open
problem. Without a text it prints the problem. Without NODE it is the problem of
the workspace.`,
	Example: `arbor problem node-mj2hz4gy "No test server" --next "Ask ops on Monday"
arbor problem -m "The release date is at risk"
arbor problem node-mj2hz4gy --clear`,
})

// ProblemUpdate sets the open problem.
func ProblemUpdate(ctx context.Context, env *Env, in ProblemUpdateIn) (*Wrote, error) {
	if strings.TrimSpace(in.Problem) == "" {
		return nil, badParam("problem", "problem is empty; say what is wrong, or clear it with problem_clear")
	}
	t := env.owner(ctx, in.WorkspaceID, in.NodeID)
	p := mdstore.Problem{Text: strings.Trim(in.Problem, "\r\n"), NextStep: strings.Trim(in.NextStep, "\r\n")}
	return done(ctx, env, t, env.act(in.Write, in.Match), plan.SetProblem{Node: t.node, Problem: p},
		"problem_clear says that it is solved")
}
