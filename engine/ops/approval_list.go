package ops

import (
	"context"

	"arbor/engine/env/trust"
)

// ApprovalListIn has no parameters.
type ApprovalListIn struct{}

// ApprovalListOut has the questions that wait for a person.
type ApprovalListOut struct {
	Requests []trust.Request `json:"requests"`
	Out
}

var approvalList = op("approval_list", reads|repeats, ApprovalList, Help{
	Summary: "list what waits for a person's approval",
	Use:     "approvals",
	Text: `Each is shown whole: the tool, the environment, its arguments, and what would
change. One that nobody answers ends after 24 hours.`,
	Example: "arbor approvals",
})

// ApprovalList returns the questions that wait for a person, the oldest first.
func ApprovalList(_ context.Context, env *Env, _ ApprovalListIn) (*ApprovalListOut, error) {
	s, err := storeOf(env)
	if err != nil {
		return nil, err
	}
	b, err := s.Read()
	if err != nil {
		return nil, fail(err)
	}
	return &ApprovalListOut{Requests: nonNil(b.Pending(env.Engine.Now()))}, nil
}
