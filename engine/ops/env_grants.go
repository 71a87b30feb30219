package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
)

// EnvGrantsIn names a grant to revoke.
type EnvGrantsIn struct {
	Revoke string `json:"revoke,omitempty" writes:"true" help:"take back the grant with this ID"`
}

// EnvGrantsOut lists what runs without a question.
type EnvGrantsOut struct {
	Grants []trust.Grant `json:"grants"`
	Out
}

var envGrants = op("env_grants", writes|looks, EnvGrants, Help{
	Summary: "list what you have granted, or revoke it", Use: "env grants",
	Text: `A grant lets calls of one tool run without a question: for files that one pattern
of paths matches, or with exactly the same arguments.`,
	Example: "arbor env grants\narbor env grants --revoke x3k9qa",
})

// EnvGrants lists grants, or takes one back.
func EnvGrants(ctx context.Context, env *Env, in EnvGrantsIn) (*EnvGrantsOut, error) {
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, err
	}
	if in.Revoke != "" {
		if err := s.Update(ctx, func(b *trust.Book) error { return b.Revoke(in.Revoke) }); err != nil {
			return nil, fail(err)
		}
	}
	b, err := s.Read()
	if err != nil {
		return nil, fail(err)
	}
	return &EnvGrantsOut{Grants: nonNil(b.Grants)}, nil
}
