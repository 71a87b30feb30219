package ops

import (
	"context"

	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/errs"
)

// EnvTrustIn names an environment that a person trusts.
type EnvTrustIn struct {
	ID string `json:"id" req:"true" arg:"ENV"`
}

var envTrust = op("env_trust", writes|repeats, EnvTrust, Help{
	Summary: "let tools run in an environment, as far as it asks for",
	Use:     "env trust ENV",
	Text: `The trust is of this machine and of the environment as it is now: its id, URI,
trust, tools and folder. Where one of them is another one, it is untrusted again.`,
	Example: "arbor env trust app",
})

// EnvTrust notes that a person lets tools run in an environment.
func EnvTrust(ctx context.Context, env *Env, in EnvTrustIn) (*EnvRegisterOut, error) {
	if !decides(env) {
		return nil, errs.New(errs.ToolRefused, "only a person trusts an environment, at a terminal: arbor env trust %s", in.ID)
	}
	h, err := hereOf(ctx, env, SessionRef{})
	if err != nil {
		return nil, err
	}
	e, err := h.Find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	root, err := h.Root(e)
	if err != nil {
		return nil, err
	}
	if err := MayTrust(env, e, root); err != nil {
		return nil, err
	}
	out := &EnvRegisterOut{ID: e.ID, URI: e.URI, Wrote: Wrote{Success: true}}
	return out, h.trusted(ctx, e, root, out)
}

// MayTrust refuses trust that no environment can have, or not this one.
func MayTrust(env *Env, e places.Environment, root string) error {
	switch {
	case e.Trust != places.Full && e.Trust != places.Restricted && e.Trust != places.ReadOnly:
		return errs.New(errs.ToolRefused, "%s asks for the trust %q, which is none; full, restricted or read_only is", e.ID, e.Trust)
	case e.Trust == places.Full && holdsPerson(env, root):
		return errs.New(errs.ToolRefused, "%s holds your own folder, the vault or that of Arbor; it can be restricted or read_only", root)
	case act.Hiding(env.Engine, env.Home).Hides(root):
		return errs.New(errs.ToolRefused, "%s is in Arbor's own folder, or in that of a vault: no tool sees what is there", root)
	}
	return nil
}
