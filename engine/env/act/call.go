package act

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"arbor/engine"
	"arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// Use runs a tool in the environment that its call goes to, once it is allowed, and returns the environment's id. where
// names one; with "" it is as env.Route says. args are the exact arguments to which an approval refers. run
// does the work in the open root; the answer of a client is decoded into out.
func (h *Here) Use(
	ctx context.Context, where, tool string, args, out any, run func(*Call) error,
) (id string, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	if h.Session == nil && where == "" {
		return "", errs.New(errs.EnvironmentNotFound, "%s: the caller has no session with environments; name one "+
			"({env_list} shows them), or {session_start} makes a session", tool)
	}
	var about struct{ Path string }
	if err := json.Unmarshal(raw, &about); err != nil {
		return "", err
	}
	p, t, err := env.Route(h.Places, env.Target{Tool: tool, Environment: where, Path: about.Path,
		Exists: func(p *env.Place) bool { return h.exists(p, about.Path) }})
	if err != nil {
		return "", err
	}
	session := h.Caller.Session
	if h.Session != nil {
		session = string(h.Session.ID)
	}
	if h.CallLog.Stuck(session, p.ID, tool, raw) {
		return "", errs.New(errs.LoopDetected, "%s: the same call had the same result %d times in a row; try something else",
			tool, env.MaxSame)
	}
	if p.Host == env.Client {
		if err := h.abroad(ctx, p, session, tool, raw, out); err != nil {
			return "", err
		}
		h.ran(session, p.ID, tool, raw, out)
		return p.ID, nil
	}
	if env.Decide(p.Level, t) == env.Refuse {
		return "", errs.New(errs.ToolRefused, "%s: the environment %s is for reading; nothing else runs there", tool, p.ID)
	}
	r, err := h.Open(p)
	if err != nil {
		return "", err
	}
	defer r.Close()
	a := &Call{Place: p, Tool: t, Root: r, Session: session, h: h, args: raw}
	if err := run(a); err != nil {
		err = Jailed(err)
		if e := errs.As(err); p.Primary && (e.Code == errs.FileNotFound || e.Code == errs.PathProtected) {
			return "", errs.New(e.Code, "%s%s", e.Message, h.elsewhere(a.path))
		}
		return "", err
	}
	if a.Result != nil {
		h.ran(session, p.ID, tool, raw, a.Result)
	}
	return p.ID, nil
}

// ran notes a call with its result, to detect loops.
func (h *Here) ran(session, place, tool string, args json.RawMessage, result any) {
	if text, err := json.Marshal(result); err == nil {
		h.CallLog.Ran(session, place, tool, args, text)
	}
}

// A Call is a call of a tool in a place.
type Call struct {
	Place   *env.Place
	Tool    env.Tool
	Root    *jail.Root // the root of the place, open until the call ends
	Session string
	Result  any // set by the tool, for the count of loops; nil: the call does not count

	Unlogged string // why the session's log has no line about the call; "" if it has one

	h        *Here
	args     json.RawMessage
	verifies bool   // it is for the verification of a node: an approved definition runs unasked
	path     string // the file that the call is about
}

// At returns a path as the root has it: a session may begin in a folder of the environment.
func (a *Call) At(p string) string {
	a.path = p
	if from := a.h.from[a.Place.ID]; from != "" && p != "" && !path.IsAbs(p) {
		return path.Join(from, p)
	}
	return p
}

// elsewhere names the attached environments that have a file which the primary one does not have, or says that none is
// attached.
func (h *Here) elsewhere(p string) string {
	if len(h.Places) == 1 {
		return "; no folder of the project is attached to this session: {env_list} shows those there are, {env_attach} " +
			"attaches one"
	}
	var all []string
	for _, o := range h.Places {
		if !o.Primary && h.exists(o, p) {
			all = append(all, o.ID)
		}
	}
	if all == nil {
		return ""
	}
	return "; environments that have it: " + strings.Join(all, ", ") + " (environment names one)"
}

// exists reports whether a place of this machine has a file or folder at a path of a call, and reads nothing of it.
func (h *Here) exists(o *env.Place, p string) bool {
	if o.Status != env.Active || o.Host == env.Client {
		return false
	}
	r, err := h.Open(o)
	if err != nil {
		return false
	}
	defer r.Close()
	return r.Exists(path.Join(h.from[o.ID], p))
}

// Change makes a planned change of a file once it is allowed: the session must have read the present version, and a
// person must agree if the environment asks for that. It returns the id for undoing the change.
func (a *Call) Change(ctx context.Context, c *jail.Change, ifMatch string) (undo string, err error) {
	h := a.h
	switch {
	case ifMatch != "" && ifMatch != string(c.Was):
		return "", errs.New(errs.Conflicting, "%s has version %s, not %s; read it again", c.Path, c.Was, ifMatch)
	case ifMatch == "" && c.Before != nil && !h.Person && !h.CallLog.Saw(a.Session, a.Place.ID, c.Path, string(c.Was)):
		h.CallLog.Show(a.Session, a.Place.ID, c.Path, string(c.Was))
		return "", errs.New(errs.Conflicting, "%s: this session has not read the file as it is (version %s); "+
			"read it with {file_read}, or repeat this call to go on without reading", c.Path, c.Was)
	}
	call := trust.Call{Session: a.Session, Environment: a.Place.ID, Tool: a.Tool.Name, Arguments: a.args, Path: c.Path,
		Version: string(c.Was)}
	diff := fmt.Sprintf("a binary file: %s before, %s after", counted(len(c.Before), "byte"), counted(len(c.After), "byte"))
	if jail.IsText(c.Before) && jail.IsText(c.After) {
		diff = plan.UnifiedDiff(c.Path, c.Before, c.After)
	}
	by, err := a.allowed(ctx, call, diff)
	if err != nil {
		return "", err
	}
	if undo, err = a.Root.Apply(ctx, c); err != nil {
		return undo, err
	}
	h.CallLog.Show(a.Session, a.Place.ID, c.Path, string(c.Now()))
	did := fmt.Sprintf("wrote %s (%s)", oneLine(c.Path), counted(len(c.After), "byte"))
	if c.After == nil {
		did = "deleted " + oneLine(c.Path)
	}
	a.logged(ctx, fmt.Sprintf("%s %s in %s, %s; undo %s", a.Tool.Name, did, a.Place.ID, by, undo), "")
	return undo, nil
}

// logged adds a line about the call to the session's log, with what came of it ("": the text says it). If that fails,
// the call's work still stands.
func (a *Call) logged(ctx context.Context, text, result string) {
	if err := a.h.Log(context.WithoutCancel(ctx), plan.TraceTool, text, result); err != nil {
		a.Unlogged = "the session's log has no line of it: " + err.Error()
	}
}

// allowed asks for a person's approval if the environment requires one, or uses up an existing one. by says what
// allowed the call.
func (a *Call) allowed(ctx context.Context, call trust.Call, diff string) (by string, err error) {
	if a.verifies && !a.Tool.Asks {
		return "to verify a node", nil
	}
	if env.Decide(a.Place.Level, a.Tool) == env.Run {
		return "under trust " + string(a.Place.Level), nil
	}
	err = await(ctx, a.h, trust.Request{Kind: trust.KindCall, Call: call, Diff: diff}, func(b *trust.Book) (state string) {
		state, by = b.Spend(a.h.Engine.Now(), call)
		return state
	})
	return by, err
}

// await records a request, unless an earlier decision answers it. The error says that a person is asked, or did not
// agree.
func await(ctx context.Context, h *Here, r trust.Request, decided func(*trust.Book) string) error {
	state := ""
	err := h.Store.Update(ctx, func(b *trust.Book) error {
		if state = decided(b); state == "" {
			r = b.Ask(h.Engine.Now(), r, trust.NewID())
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case state == trust.Approved:
		return nil
	case state == trust.Denied:
		return errs.New(errs.ApprovalDenied, "%s in %s: a person did not agree; try something else", r.Tool, r.Environment)
	}
	return errs.New(errs.ApprovalPending, "%s in %s waits for a person, who is to type: arbor env approve %s; "+
		"the same call runs once they agree",
		r.Tool, r.Environment, r.ID).With(errs.Details{Param: r.ID})
}

// Log adds a line to the log of the session, if it has one. result may be "".
func (h *Here) Log(ctx context.Context, kind, text, result string) error {
	if h.Session == nil {
		return nil
	}
	note := plan.NoteSession{ID: h.Session.ID, Type: kind, Text: text, Result: result}
	ctx = mdstore.WithOperation(ctx, nil) // undoing the line would not undo what it is about
	_, _, err := engine.Apply(ctx, h.Engine, h.View.Workspace().ID, h.Act, note)
	return err
}
