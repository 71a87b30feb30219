package ops

import (
	"arbor/engine/env/act"
	"context"
	"slices"
)

// EnvDetachIn names an environment.
type EnvDetachIn struct {
	SessionRef
	ID string `json:"id" req:"true" arg:"ENV"`
}

// EnvDetachOut is the result of env_detach.
type EnvDetachOut struct{ Wrote }

var envDetach = op("env_detach", writes|repeats, EnvDetach, Help{
	Summary: "detach an environment from the session", Use: "env detach ENV",
	Text:    "The environment stays registered, and trusted as it is.",
	Example: "arbor env detach app --session s1",
})

// EnvDetach takes an environment from a session's list.
func EnvDetach(ctx context.Context, env *Env, in EnvDetachIn) (*EnvDetachOut, error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	w, err := h.attach(ctx, func(all []string) ([]string, string) {
		rest := slices.DeleteFunc(slices.Clone(all), func(item string) bool { return act.ParseAttached(item).ID == in.ID })
		if len(rest) == len(all) {
			return all, ""
		}
		return rest, "detached the environment " + in.ID
	})
	if err != nil {
		return nil, err
	}
	return &EnvDetachOut{*w}, nil
}
