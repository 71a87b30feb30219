package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/errs"
)

// A here is where the tools of a caller can act.
type here struct {
	*act.Here
	env *Env
}

// hereOf returns the environments of the session that is named, or else of the caller's. A caller without one has every
// environment, none of them attached.
func hereOf(ctx context.Context, env *Env, ref SessionRef) (*here, error) {
	store, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, fail(err)
	}
	v, session, err := sessionOf(ctx, env, ref)
	if e := errs.As(err); e != nil && (e.Code != errs.SessionNotFound && e.Code != errs.WorkspaceNotFound && e.Code != errs.AmbiguousID || ref.SessionID != "") {
		return nil, err
	}
	h, err := act.Of(ctx, act.Caller{
		Engine: env.Engine, Act: env.act(Write{}, Match{}), Session: env.Session, Person: env.Person, Looks: env.ReadOnly || env.Dry,
		Home: env.Home, Clients: env.Clients, Memory: env.Memory, BuiltIn: builtIn,
	}, store, v, session)
	return &here{h, env}, fail(err)
}

// builtIn reports whether a name is one of Arbor's own tools. It is set by init: the catalogue refers to what asks it.
var builtIn func(name string) bool

func init() {
	builtIn = func(name string) bool {
		_, ok := Find(name)
		return ok
	}
}

// Act names a session and an environment for a call of a tool.
type Act struct {
	SessionRef
	Environment string `json:"environment,omitempty" help:"the ID of the environment; else the first that has the tool"`
}

// use runs a tool in the environment that its call goes to: see act.Here.Use.
func use(ctx context.Context, env *Env, in Act, tool string, args, out any, run func(*act.Call) error) (where string, err error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return "", err
	}
	where, err = h.Use(ctx, in.Environment, tool, args, out, run)
	return where, fail(err)
}
