package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
)

// ApproveIn is the answer to a question.
type ApproveIn struct {
	ID      string `json:"id" req:"true" arg:"ID"`
	Session bool   `json:"session,omitempty" flag:"for-session" help:"the same for the rest of the session"`
	Always  bool   `json:"always,omitempty" help:"the same from now on, in every session"`
	Paths   string `json:"paths,omitempty" help:"of --for-session and --always: the files, as GLOB; that file unless given"`
	DryRun  bool   `json:"dryRun,omitempty" help:"show what would be approved and granted, and decide nothing"`
}

// DecideOut says what was decided.
type DecideOut struct {
	Request trust.Request `json:"request"`
	Granted *trust.Grant  `json:"granted,omitempty"`
	Out
}

var approve = op("approve", writes, Approve, Help{
	Summary: "let a call run that waits for you",
	Use:     "approve ID",
	Text: `An approval is of one call with exactly these arguments, and the file as it is
now; it lasts ten minutes. Only a person at a terminal approves.`,
	Example: "arbor approve x3k9qa\narbor approve x3k9qa --for-session --paths 'src/**/*.go'",
})

// Approve lets what a request asks for run.
func Approve(ctx context.Context, env *Env, in ApproveIn) (*DecideOut, error) {
	d := trust.Decision{Allow: true, Scope: trust.Once, Glob: in.Paths}
	switch {
	case in.Session && in.Always:
		return nil, badParam("always", "--for-session and --always are both given; one says how far it reaches")
	case in.Session:
		d.Scope = trust.ForSession
	case in.Always:
		d.Scope = trust.Always
	case in.Paths != "":
		return nil, badParam("paths", "--paths says what --for-session or --always reaches; give one of them")
	}
	if !in.DryRun {
		return decide(ctx, env, in.ID, d)
	}
	out := &DecideOut{}
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, err
	}
	b, err := s.Read()
	if err != nil {
		return nil, fail(err)
	}
	if out.Request, err = b.Decide(env.Engine.Now(), in.ID, d, ""); err != nil {
		return nil, fail(err)
	}
	out.Request.State, out.Granted = trust.Open, trust.GrantOf(out.Request, d)
	return out, nil
}
