package ops

import (
	"cmp"
	"context"
	"fmt"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
)

// decide notes a person's answer, and writes a line into the trace of the session that asked.
func decide(ctx context.Context, env *Env, id string, d trust.Decision) (*DecideOut, error) {
	if !decides(env) {
		return nil, errs.New(errs.ToolRefused, "only a person decides, at a terminal: arbor approve %s or arbor deny %[1]s", id)
	}
	d.By = cmp.Or(env.By, "at a terminal")
	return Decide(ctx, env, id, d)
}

// Decide notes the answer that a person gave a front end, and writes a line into the trace of the session that asked.
// It is no operation: front ends call it that know that a person answered.
func Decide(ctx context.Context, env *Env, id string, d trust.Decision) (*DecideOut, error) {
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, err
	}
	out := &DecideOut{}
	err = s.Update(ctx, func(b *trust.Book) (err error) {
		out.Request, err = b.Decide(env.Engine.Now(), id, d, trust.NewID())
		if e := out.Request.Subject; err == nil && d.Allow && e != nil {
			err = MayTrust(env, *e, out.Request.Root)
		}
		if err == nil && len(b.Grants) > 0 && trust.GrantOf(out.Request, d) != nil {
			out.Granted = &b.Grants[len(b.Grants)-1]
		}
		return err
	})
	if err != nil {
		return nil, fail(err)
	}
	said := map[bool]string{true: "approved", false: "denied"}[d.Allow]
	what := map[string]string{
		trust.KindCall: "a call of " + out.Request.Tool, trust.KindTool: "the tool " + out.Request.Tool,
		trust.KindRegister: "trust", trust.KindAccess: "access",
	}[out.Request.Kind]
	text := fmt.Sprintf("%s by a person %s: %s in %s (request %s)%s", said, d.By, what, out.Request.Environment, id, act.InLog(out.Request))
	if out.Request.Session == "" {
		return out, nil
	}
	h, err := hereOf(ctx, env, SessionRef{SessionID: out.Request.Session})
	if err == nil && h.Session != nil {
		if out.Request.Kind == trust.KindAccess && d.Allow {
			if _, err := EnvAttach(ctx, env, EnvAttachIn{SessionRef: SessionRef{SessionID: out.Request.Session}, ID: out.Request.Environment}); err != nil {
				return nil, err
			}
		}
		if err := h.Log(ctx, "approval", text); err != nil {
			out.Hint = "the session's log has no line of it: " + err.Error()
		}
	}
	return out, nil
}
