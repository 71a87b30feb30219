package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

type ApprovalListIn struct {
	ID string `json:"id,omitempty" arg:"ID" flag:"-" help:"only this one, in full; default: all"`
}

type ApprovalListOut struct {
	Requests []trust.Request `json:"requests"`
	whole    bool            // a request that was named is shown in full
	Out
}

// Text returns the requests in the form in which a person decides about them.
func (o *ApprovalListOut) Text() string {
	var b strings.Builder
	for _, r := range o.Requests {
		b.WriteString(act.Asked(r, o.whole) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var approvalList = op("approval_list", reads|repeats, ApprovalList, Help{
	Summary: "list requests that wait for a person's approval",
	Use:     "env approve",
	Example: "arbor env approve",
})

// ApprovalList returns the questions that wait for a person, the oldest first. Those of sessions that have ended no
// longer wait.
func ApprovalList(ctx context.Context, env *Env, in ApprovalListIn) (*ApprovalListOut, error) {
	b, err := env.book()
	if err != nil {
		return nil, err
	}
	all := b.Pending(env.Engine.Now())
	if in.ID == "" {
		all = slices.DeleteFunc(all, func(r trust.Request) bool { return waitsStill(ctx, env, r) != nil })
		return &ApprovalListOut{Requests: nonNil(all)}, nil
	}
	i := slices.IndexFunc(all, func(r trust.Request) bool { return r.ID == in.ID })
	if i < 0 {
		return nil, errs.New(errs.RequestNotFound, "%s: no request waits under this id; {approval_list} lists what "+
			"waits", in.ID)
	}
	if err := waitsStill(ctx, env, all[i]); err != nil {
		return nil, err
	}
	return &ApprovalListOut{Requests: all[i : i+1], whole: true}, nil
}

type ApproveIn struct {
	ID      string `json:"id" req:"true" arg:"ID"`
	Session bool   `json:"session,omitempty" flag:"for-session" help:"allow the same for the rest of the session"`
	Always  bool   `json:"always,omitempty" help:"always allow the same, in every session"`
	Paths   string `json:"paths,omitempty" help:"files that --for-session and --always cover, as GLOB; default: this file"`
	DryRun  bool   `json:"dryRun,omitempty" help:"show the request and the grant; decide nothing"`
}

type DecideOut struct {
	Request trust.Request `json:"request"`
	Granted *trust.Grant  `json:"granted,omitempty"`
	Out
}

var approve = op("approve", writes, Approve, Help{
	Summary: "list, approve or deny requests that wait for you",
	Use:     "env approve [ID]",
	Text: `Without an ID it lists the waiting requests: tool, environment, arguments, and
what would change. Long texts are shown without their middle, with their size.
With an ID it asks, then approves; --dry-run shows the whole request and decides
nothing. An approval covers one call with exactly these arguments and the file
as it is now, and expires after ten minutes. A request without an answer expires
after 24 hours. Only a person at a terminal can approve or deny.`,
	Example: "arbor env approve\narbor env approve x3k9qa --dry-run\narbor env approve x3k9qa --for-session " +
		"--paths 'src/**/*.go'",
})

// Approve approves a request.
func Approve(ctx context.Context, env *Env, in ApproveIn) (*DecideOut, error) {
	d := trust.Decision{Allow: true, Scope: trust.Once, Glob: in.Paths}
	switch {
	case in.Session && in.Always:
		return nil, badParam("always", "--for-session and --always exclude each other")
	case in.Session:
		d.Scope = trust.ForSession
	case in.Always:
		d.Scope = trust.Always
	case in.Paths != "":
		return nil, badParam("paths", "--paths needs --for-session or --always")
	}
	if !in.DryRun {
		return decide(ctx, env, in.ID, d)
	}
	out := &DecideOut{}
	b, err := env.book()
	if err != nil {
		return nil, err
	}
	if out.Request, err = b.Decide(env.Engine.Now(), in.ID, d, ""); err != nil {
		return nil, fail(err)
	}
	if err := waitsStill(ctx, env, out.Request); err != nil {
		return nil, err
	}
	out.Request.State, out.Granted = trust.Open, trust.GrantOf(out.Request, d)
	return out, nil
}

type DenyIn struct {
	ID string `json:"id" req:"true" arg:"ID"`
}

var deny = op("deny", writes, Deny, Help{
	Summary: "deny a request", Use: "env approve ID --deny", Example: "arbor env approve x3k9qa --deny",
})

// Deny refuses a request.
func Deny(ctx context.Context, env *Env, in DenyIn) (*DecideOut, error) {
	return decide(ctx, env, in.ID, trust.Decision{})
}

type AccessRequestIn struct {
	SessionRef
	Environment string `json:"environment" req:"true"`
	Reason      string `json:"reason" req:"true" help:"shown to the person who decides"`
}

type AccessRequestOut struct {
	Request string `json:"request"`
	Out
}

var accessRequest = op("access_request", writes|repeats, AccessRequest, Help{
	Summary: "ask a person to trust an environment",
})

// AccessRequest asks a person to let the session use an environment, with the trust that its file asks for. When the
// person approves, Decide attaches the environment to the session.
func AccessRequest(ctx context.Context, env *Env, in AccessRequestIn) (*AccessRequestOut, error) {
	h, e, err := hereIn(ctx, env, in.SessionRef, in.Environment)
	if err != nil {
		return nil, err
	}
	root, err := h.Root(e)
	if err != nil {
		return nil, err
	}
	if h.Session == nil {
		return nil, errs.New(errs.SessionNotFound, "the caller has no session that could have %s; {session_start} "+
			"makes one", e.ID)
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
	hint := "a person is asked (arbor env approve " + r.ID + "); once they agree, the session has it"
	return &AccessRequestOut{Request: r.ID, Out: Out{Hint: hint}}, nil
}

// decide notes a person's answer, and writes a line into the trace of the session that asked.
func decide(ctx context.Context, env *Env, id string, d trust.Decision) (*DecideOut, error) {
	if !decidesPrograms(env) {
		return nil, errs.New(errs.ToolRefused, "only a person decides, at a terminal: arbor env approve %s or "+
			"arbor env approve %[1]s --deny", id)
	}
	d.By = cmp.Or(env.By, "at a terminal")
	return Decide(ctx, env, id, d)
}

// Decide notes the answer that a person gave a front end, and writes a line into the trace of the session that asked.
// It is no operation: only front ends call it, after they made sure that a person answered.
func Decide(ctx context.Context, env *Env, id string, d trust.Decision) (*DecideOut, error) {
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, err
	}
	out := &DecideOut{}
	if b, err := s.Read(); err == nil && d.Allow {
		for _, r := range b.Pending(env.Engine.Now()) {
			if r.ID == id {
				err = waitsStill(ctx, env, r)
			}
		}
		if err != nil {
			return nil, err
		}
	}
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
	text := fmt.Sprintf("%s by a person %s: %s in %s (request %s)%s",
		said, d.By, what, out.Request.Environment, id, act.InLog(out.Request))
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
		if err := h.Log(ctx, plan.TraceApproval, text, ""); err != nil {
			out.Hint = "the session's log has no line of it: " + err.Error()
		}
	}
	return out, nil
}

// waitsStill returns an error if the session that asked has ended. An approval would then have no effect.
func waitsStill(ctx context.Context, env *Env, r trust.Request) error {
	if r.Session == "" {
		return nil
	}
	var ended *mdstore.Page
	err := env.Engine.Read(ctx, func(ctx context.Context) error {
		_, p, err := sessionOf(ctx, env, SessionRef{SessionID: r.Session})
		if ended = nil; err == nil && view.SessionEnded(p, env.Engine.Now()) != 0 {
			ended = p
		}
		return nil // a session that is not found may have asked from elsewhere
	})
	if err != nil || ended == nil {
		return nil
	}
	return errs.New(errs.RequestNotFound, "%s: the session that asked, %s (%s), has ended, so the answer would reach "+
		"nobody", r.ID, ended.Name(), r.Session)
}
