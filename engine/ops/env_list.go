package ops

import (
	"context"
	"slices"

	places "arbor/engine/env"
	"arbor/engine/env/command"
)

// EnvListIn names a session.
type EnvListIn struct{ SessionRef }

// EnvListOut lists environments.
type EnvListOut struct {
	Environments []ListedEnvironment `json:"environments"`
	Confinement  string              `json:"confinement,omitempty"` // what keeps programs in their environment; "" for nothing
	Out
}

// A ListedEnvironment is an environment as it is now.
type ListedEnvironment struct {
	places.Environment
	Status   places.Status `json:"status"`
	Trusted  places.Level  `json:"trusted,omitempty"` // by a person of this machine
	Attached bool          `json:"attached,omitempty"`
	Primary  bool          `json:"primary,omitempty"`
	Text     string        `json:"text,omitempty"` // of one that is attached
}

var envList = op("env_list", reads|repeats, EnvList, Help{
	Summary: "list environments: those of the session, and others",
	Use:     "env list",
	Text: `Those of the session come first, in the order in which calls look at them. A
status is active, missing (the folder is gone) or untrusted (no person of this
machine lets tools run in it as it is now: arbor env trust).`,
	Example: "arbor env list",
})

// EnvList returns the environments of a session, in the order in which calls look at them, and then all others.
func EnvList(ctx context.Context, env *Env, in EnvListIn) (*EnvListOut, error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	out := &EnvListOut{Environments: []ListedEnvironment{}, Confinement: command.Confinement()}
	add := func(p *places.Place, attached bool) {
		l := ListedEnvironment{Environment: p.Environment, Status: p.Status, Trusted: p.Level, Attached: attached, Primary: p.Primary}
		if attached {
			l.Text = p.Text
		}
		out.Environments = append(out.Environments, l)
	}
	for _, p := range h.Places {
		add(p, h.Session != nil)
	}
	if h.Session == nil {
		return out, nil
	}
	all, err := h.Environments(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if !slices.ContainsFunc(h.Places, func(p *places.Place) bool { return p.ID == e.ID }) {
			h.Add(ctx, e, nil)
			add(h.Places[len(h.Places)-1], false)
		}
	}
	return out, nil
}
