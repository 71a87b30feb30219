package ops

import (
	"context"

	"arbor/engine/env/trust"
	"arbor/engine/errs"
)

// AccessRequestIn asks a person for an environment.
type AccessRequestIn struct {
	SessionRef
	Environment string `json:"environment" req:"true"`
	Reason      string `json:"reason" req:"true" help:"for the person who is asked"`
}

// AccessRequestOut names the request.
type AccessRequestOut struct {
	Request string `json:"request"`
	Out
}

var accessRequest = op("access_request", writes|repeats, AccessRequest, Help{
	Summary: "ask a person for trust in an environment",
})

// AccessRequest asks a person to let the session use an environment, with the trust that its file asks for. Once
// approved it is attached.
func AccessRequest(ctx context.Context, env *Env, in AccessRequestIn) (*AccessRequestOut, error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	e, err := h.Find(ctx, in.Environment)
	if err != nil {
		return nil, err
	}
	root, err := h.Root(e)
	if err != nil {
		return nil, err
	}
	if h.Session == nil {
		return nil, errs.New(errs.SessionNotFound, "the caller has no session that could have %s; session_start makes one", e.ID)
	}
	r := trust.Request{Kind: trust.KindAccess, Call: trust.Call{Environment: e.ID}, Reason: in.Reason, Subject: &e, Root: root}
	r.Session = string(h.Session.ID)
	err = h.Store.Update(ctx, func(b *trust.Book) error {
		r = b.Ask(env.Engine.Now(), r, trust.NewID())
		return nil
	})
	if err != nil {
		return nil, fail(err)
	}
	return &AccessRequestOut{Request: r.ID, Out: Out{Hint: "a person is asked (arbor approve " + r.ID + "); once they agree, the session has it"}}, nil
}
