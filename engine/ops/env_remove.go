package ops

import (
	"context"
	"slices"

	places "arbor/engine/env"
	"arbor/engine/env/trust"
)

// EnvRemoveIn names an environment.
type EnvRemoveIn struct {
	ID string `json:"id" req:"true" arg:"ENV"`
}

// EnvRemoveOut is the result of env_remove.
type EnvRemoveOut struct{ Wrote }

var envRemove = op("env_remove", writes, EnvRemove, Help{
	Summary: "forget an environment; its files stay", Use: "env remove ENV",
	Text:    "The trust in it is forgotten too. No file of its folder is touched.",
	Example: "arbor env remove site",
})

// EnvRemove takes an environment out of the vault or of this machine, with the trust in it. No file of its root is
// touched.
func EnvRemove(ctx context.Context, env *Env, in EnvRemoveIn) (*EnvRemoveOut, error) {
	h, err := hereOf(ctx, env, SessionRef{})
	if err != nil {
		return nil, err
	}
	e, err := h.Find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &EnvRemoveOut{Wrote{Success: true, Changed: true}}
	if !e.Machine {
		if out.Wrote, err = h.file(ctx, e.ID, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
			return nil, err
		}
	}
	return out, fail(h.Store.Update(ctx, func(b *trust.Book) error {
		b.Distrust(e.ID)
		b.Machine = slices.DeleteFunc(b.Machine, func(o places.Environment) bool { return o.ID == e.ID })
		return nil
	}))
}
