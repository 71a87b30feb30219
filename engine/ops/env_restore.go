package ops

import (
	"context"

	places "arbor/engine/env"
	"arbor/engine/errs"
)

// EnvRestoreIn names an environment whose place was gone.
type EnvRestoreIn struct {
	ID  string `json:"id" req:"true" arg:"ENV"`
	URI string `json:"uri,omitempty" help:"where it is now, as URI: a person's to say"`
}

var envRestore = op("env_restore", writes|repeats, EnvRestore, Help{
	Summary: "look again at an environment whose folder was gone",
	Use:     "env restore ENV",
	Text: `With --uri it is registered at another folder, and trusted there: only a person
at a terminal does that.`,
	Example: "arbor env restore site\narbor env restore site --uri file:///srv/new",
})

// EnvRestore says how an environment is now. With another URI, which only a person gives, it is registered there.
func EnvRestore(ctx context.Context, env *Env, in EnvRestoreIn) (*EnvRegisterOut, error) {
	h, err := hereOf(ctx, env, SessionRef{})
	if err != nil {
		return nil, err
	}
	e, err := h.Find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if in.URI != "" {
		if !decides(env) {
			return nil, errs.New(errs.ToolRefused, "%s: only a person moves an environment, at a terminal: arbor env restore %[1]s --uri %s", in.ID, in.URI)
		}
		if _, err := EnvRemove(ctx, env, EnvRemoveIn{ID: in.ID}); err != nil {
			return nil, err
		}
		return EnvRegister(ctx, env, EnvRegisterIn{URI: in.URI, ID: in.ID, Trust: string(e.Trust), Tools: e.Tools})
	}
	root, err := h.Root(e)
	if err != nil {
		return nil, err
	}
	out := &EnvRegisterOut{ID: e.ID, URI: e.URI, Status: places.Untrusted, Wrote: Wrote{Success: true}}
	if _, ok := h.Book.Level(e, root); ok {
		out.Status = places.Active
	} else {
		out.Hint = "no person trusts it as it is now: arbor env trust " + e.ID
	}
	return out, nil
}
