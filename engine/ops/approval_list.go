package ops

import (
	"context"
	"slices"
	"strings"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
)

// ApprovalListIn names a request.
type ApprovalListIn struct {
	ID string `json:"id,omitempty" arg:"ID" flag:"-" help:"this one alone, whole; all unless given"`
}

// ApprovalListOut has the questions that wait for a person.
type ApprovalListOut struct {
	Requests []trust.Request `json:"requests"`
	whole    bool            // of the one that was named all is wanted
	Out
}

// Text shows the requests as a person decides about them.
func (o *ApprovalListOut) Text() string {
	var b strings.Builder
	for _, r := range o.Requests {
		b.WriteString(act.Asked(r, o.whole) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var approvalList = op("approval_list", reads|repeats, ApprovalList, Help{
	Summary: "list what waits for a person's approval",
	Use:     "approvals [ID]",
	Text: `Each shows the tool, the environment, its arguments, and what would change, with
an escape for each character that does not show. Of long texts the middle is left
out, and its size said; with an ID all is shown. One that nobody answers ends
after 24 hours.`,
	Example: "arbor approvals\narbor approvals x3k9qa",
})

// ApprovalList returns the questions that wait for a person, the oldest first.
func ApprovalList(_ context.Context, env *Env, in ApprovalListIn) (*ApprovalListOut, error) {
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, err
	}
	b, err := s.Read()
	if err != nil {
		return nil, fail(err)
	}
	all := b.Pending(env.Engine.Now())
	if in.ID == "" {
		return &ApprovalListOut{Requests: nonNil(all)}, nil
	}
	i := slices.IndexFunc(all, func(r trust.Request) bool { return r.ID == in.ID })
	if i < 0 {
		return nil, errs.New(errs.RequestNotFound, "%s: no request waits under this id; approval_list (arbor approvals) lists what waits", in.ID)
	}
	return &ApprovalListOut{Requests: all[i : i+1], whole: true}, nil
}
