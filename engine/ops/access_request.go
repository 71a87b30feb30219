package ops

import (
	"context"

	"arbor/engine/env/trust"
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

// AccessRequest asks a person to trust an environment as it asks for in its file. Once approved, env_attach attaches it.
func AccessRequest(ctx context.Context, env *Env, in AccessRequestIn) (*AccessRequestOut, error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	e, err := h.find(ctx, in.Environment)
	if err != nil {
		return nil, err
	}
	root, err := h.root(e)
	if err != nil {
		return nil, err
	}
	r := trust.Request{Kind: trust.KindRegister, Call: trust.Call{Environment: e.ID}, Reason: in.Reason, Subject: &e, Root: root}
	if h.session != nil {
		r.Session = string(h.session.ID)
	}
	err = h.store.Update(ctx, func(b *trust.Book) error {
		r = b.Ask(env.Engine.Now(), r, trust.NewID())
		return nil
	})
	if err != nil {
		return nil, fail(err)
	}
	return &AccessRequestOut{Request: r.ID, Out: Out{Hint: "once a person agrees (arbor approve " + r.ID + "), env_attach attaches it"}}, nil
}
