package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	places "arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/plan"
)

// Act names a session and an environment for a call of a tool.
type Act struct {
	SessionRef
	Environment string `json:"environment,omitempty" help:"the ID of the environment; else the first that has the tool"`
}

// use runs a tool in the environment that its call goes to, once it is allowed: run gets the open root. args are those
// of the call as JSON: an approval is of exactly these.
func use(
	ctx context.Context, env *Env, in Act, tool string, args, out any, run func(*acting) error,
) (where string, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return "", fail(err)
	}
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return "", err
	}
	if h.session == nil && in.Environment == "" {
		return "", errs.New(errs.EnvironmentNotFound, "%s: the caller has no session with environments; name one (env_list shows them), or session_start makes a session", tool)
	}
	p, t, err := places.Route(h.places, tool, in.Environment)
	if err != nil {
		return "", fail(err)
	}
	session := env.Session
	if h.session != nil {
		session = string(h.session.ID)
	}
	if env.Memory.Stuck(session, p.ID, tool, raw) {
		return "", errs.New(errs.LoopDetected, "%s: the same call had the same result %d times in a row; do something else", tool, places.MaxSame)
	}
	if p.Host != places.Client && places.Decide(p.Level, t) == places.Refuse {
		return "", errs.New(errs.ToolRefused, "%s: the environment %s is for reading; nothing else runs there", tool, p.ID)
	}
	if p.Host == places.Client {
		if err := h.abroad(ctx, p, session, tool, raw, out); err != nil {
			return "", err
		}
		if result, err := json.Marshal(out); err == nil {
			env.Memory.Ran(session, p.ID, tool, raw, result)
		}
		return p.ID, nil
	}
	r, err := h.open(p)
	if err != nil {
		return "", err
	}
	defer r.Close()
	a := &acting{h: h, place: p, tool: t, root: r, args: raw, session: session}
	if err := run(a); err != nil {
		if e := errs.As(jailed(err)); e.Code == errs.FileNotFound && p.Primary {
			return "", errs.New(errs.FileNotFound, "%s%s", e.Message, h.elsewhere(a.path))
		}
		return "", jailed(err)
	}
	if a.result != nil {
		if result, err := json.Marshal(a.result); err == nil {
			env.Memory.Ran(session, p.ID, tool, raw, result)
		}
	}
	return p.ID, nil
}

// An acting is a call of a tool in a place.
type acting struct {
	h       *here
	place   *places.Place
	tool    places.Tool
	root    *jail.Root
	args    json.RawMessage
	session string
	path    string // that the call is about
	result  any    // for the count of loops

	unlogged string // why the session's log has no line of the call
}

// at returns a path as the root has it: a session may begin in a folder of the environment.
func (a *acting) at(p string) string {
	a.path = p
	if from := a.h.from[a.place.ID]; from != "" && p != "" && !path.IsAbs(p) {
		return path.Join(from, p)
	}
	return p
}

// elsewhere names the attached environments that have a file which the primary one does not have, and reads none of
// them.
func (h *here) elsewhere(p string) string {
	var all []string
	for _, o := range h.places {
		if o.Primary || o.Status != places.Active || p == "" {
			continue
		}
		if r, err := h.open(o); err == nil {
			if _, err := r.Content(path.Join(h.from[o.ID], p), jail.MaxFile); err == nil {
				all = append(all, o.ID)
			}
			r.Close()
		}
	}
	if all == nil {
		return ""
	}
	return "; environments that have it: " + strings.Join(all, ", ") + " (environment names one)"
}

// change makes a planned change of a file, once it may be made: the session has read the file as it is, and a person is
// asked where the environment wants that. It returns the id by which the change is taken back.
func (a *acting) change(ctx context.Context, c *jail.Change, ifMatch string) (undo string, err error) {
	env := a.h.env
	switch {
	case ifMatch != "" && ifMatch != string(c.Was):
		return "", errs.New(errs.Conflicting, "%s has version %s, not %s; read it again", c.Path, c.Was, ifMatch)
	case ifMatch == "" && c.Before != nil && !env.Person && !env.Memory.Saw(a.session, a.place.ID, c.Path, string(c.Was)):
		env.Memory.Show(a.session, a.place.ID, c.Path, string(c.Was))
		return "", errs.New(errs.Conflicting, "%s: this session has not read the file as it is (version %s); file_read shows it, the same call again goes on without", c.Path, c.Was)
	}
	call := trust.Call{Session: a.session, Environment: a.place.ID, Tool: a.tool.Name, Arguments: a.args, Path: c.Path, Version: string(c.Was)}
	diff := fmt.Sprintf("a binary file: %s before, %s after", counted(len(c.Before), "byte"), counted(len(c.After), "byte"))
	if jail.IsText(c.Before) && jail.IsText(c.After) {
		diff = plan.UnifiedDiff(c.Path, c.Before, c.After)
	}
	by, err := a.allowed(ctx, call, diff)
	if err != nil {
		return "", err
	}
	if undo, err = a.root.Apply(ctx, c); err != nil {
		return undo, err
	}
	env.Memory.Show(a.session, a.place.ID, c.Path, string(c.Now()))
	did := fmt.Sprintf("wrote %s (%s)", oneLine(c.Path), counted(len(c.After), "byte"))
	if c.After == nil {
		did = "deleted " + oneLine(c.Path)
	}
	a.logged(ctx, fmt.Sprintf("%s %s in %s, %s; undo %s", a.tool.Name, did, a.place.ID, by, undo))
	return undo, nil
}

// logged adds a line about what the call did to the session's log. What was done stands without it.
func (a *acting) logged(ctx context.Context, text string) {
	if err := a.h.log(context.WithoutCancel(ctx), "tool", text); err != nil {
		a.unlogged = "the session's log has no line of it: " + err.Error()
	}
}

// allowed asks for a person's approval where the environment wants one, and uses one up that is there. by says what lets
// the call run.
func (a *acting) allowed(ctx context.Context, call trust.Call, diff string) (by string, err error) {
	if places.Decide(a.place.Level, a.tool) == places.Run {
		return "under trust " + string(a.place.Level), nil
	}
	err = await(ctx, a.h, trust.Request{Kind: trust.KindCall, Call: call, Diff: diff}, func(b *trust.Book) (state string) {
		state, by = b.Spend(a.h.env.Engine.Now(), call)
		return state
	})
	return by, err
}

// await notes a request, unless what is already decided answers it. The error says that a person is asked, or did not
// agree.
func await(ctx context.Context, h *here, r trust.Request, decided func(*trust.Book) string) error {
	state := ""
	err := h.store.Update(ctx, func(b *trust.Book) error {
		if state = decided(b); state == "" {
			r = b.Ask(h.env.Engine.Now(), r, trust.NewID())
		}
		return nil
	})
	switch {
	case err != nil:
		return fail(err)
	case state == trust.Approved:
		return nil
	case state == trust.Denied:
		return errs.New(errs.ApprovalDenied, "%s in %s: a person was asked and did not agree; do something else", r.Tool, r.Environment)
	}
	return errs.New(errs.ApprovalPending, "%s in %s waits for a person, who is to type: arbor approve %s; the same call runs once they agree",
		r.Tool, r.Environment, r.ID).With(errs.Details{Param: r.ID})
}
