package ops

import (
	"context"
	"fmt"
	"time"

	places "arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// ApproveIn is the answer to a question.
type ApproveIn struct {
	ID      string `json:"id" req:"true" arg:"ID"`
	Session bool   `json:"session,omitempty" flag:"for-session" help:"the same for the rest of the session"`
	Always  bool   `json:"always,omitempty" help:"the same from now on, in every session"`
	Paths   string `json:"paths,omitempty" help:"of --for-session and --always: the files, as GLOB; that file unless given"`
	DryRun  bool   `json:"dryRun,omitempty" help:"show what would be approved and granted, and decide nothing"`
}

// DecideOut says what was decided.
type DecideOut struct {
	Request trust.Request `json:"request"`
	Granted *trust.Grant  `json:"granted,omitempty"`
	Out
}

var approve = op("approve", writes, Approve, Help{
	Summary: "let a call run that waits for you",
	Use:     "approve ID",
	Text: `An approval is of one call with exactly these arguments, and the file as it is
now; it lasts ten minutes. Only a person at a terminal approves.`,
	Example: "arbor approve x3k9qa\narbor approve x3k9qa --for-session --paths 'src/**/*.go'",
})

// Approve lets what a request asks for run.
func Approve(ctx context.Context, env *Env, in ApproveIn) (*DecideOut, error) {
	d := trust.Decision{Allow: true, Scope: trust.Once, Glob: in.Paths}
	switch {
	case in.Session && in.Always:
		return nil, badParam("always", "--for-session and --always are both given; one says how far it reaches")
	case in.Session:
		d.Scope = trust.ForSession
	case in.Always:
		d.Scope = trust.Always
	case in.Paths != "":
		return nil, badParam("paths", "--paths says what --for-session or --always reaches; give one of them")
	}
	if !in.DryRun {
		return decide(ctx, env, in.ID, d)
	}
	out := &DecideOut{}
	s, err := storeOf(env)
	if err != nil {
		return nil, err
	}
	b, err := s.Read()
	if err != nil {
		return nil, fail(err)
	}
	if out.Request, err = b.Decide(env.Engine.Now(), in.ID, d, ""); err != nil {
		return nil, fail(err)
	}
	out.Request.State, out.Granted = trust.Open, trust.GrantOf(out.Request, d)
	return out, nil
}

// DenyIn names a question.
type DenyIn struct {
	ID string `json:"id" req:"true" arg:"ID"`
}

var deny = op("deny", writes, Deny, Help{
	Summary: "refuse a call that waits for you", Use: "deny ID", Example: "arbor deny x3k9qa",
	Text: "The assistant is told that a person did not agree. Only a person at a terminal\ndenies.",
})

// Deny refuses what a request asks for.
func Deny(ctx context.Context, env *Env, in DenyIn) (*DecideOut, error) {
	return decide(ctx, env, in.ID, trust.Decision{})
}

// decide notes a person's answer, and writes a line into the trace of the session that asked.
func decide(ctx context.Context, env *Env, id string, d trust.Decision) (*DecideOut, error) {
	if !decides(env) {
		return nil, errs.New(errs.ToolRefused, "only a person decides, at a terminal: arbor approve %s or arbor deny %[1]s", id)
	}
	d.By = "at the command line"
	return Decide(ctx, env, id, d)
}

// Decide notes the answer that a person gave a front end, and writes a line into the trace of the session that asked.
// It is no operation: front ends call it that know that a person answered.
func Decide(ctx context.Context, env *Env, id string, d trust.Decision) (*DecideOut, error) {
	s, err := storeOf(env)
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
	text := fmt.Sprintf("%s by a person %s: %s in %s (request %s)", said, d.By, what, out.Request.Environment, id)
	if out.Request.Session == "" {
		return out, nil
	}
	h, err := hereOf(ctx, env, SessionRef{SessionID: out.Request.Session})
	if err == nil && h.session != nil {
		if out.Request.Kind == trust.KindAccess && d.Allow {
			if _, err := EnvAttach(ctx, env, EnvAttachIn{SessionRef: SessionRef{SessionID: out.Request.Session}, ID: out.Request.Environment}); err != nil {
				return nil, err
			}
		}
		note := plan.NoteSession{ID: mdstore.ID(out.Request.Session), Type: "approval", Text: text}
		if _, err := done(ctx, env, target{ws: h.view.Workspace().ID}, env.act(Write{}, Match{}), note, ""); err != nil {
			out.Hint = "the session's log has no line of it: " + err.Error()
		}
	}
	return out, nil
}

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
	e, err := h.find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	root, err := h.root(e)
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
	}
	return nil
}

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
	s, err := storeOf(env)
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

// EnvClientsIn names a client to remove.
type EnvClientsIn struct {
	Remove string `json:"remove,omitempty" writes:"true" help:"forget the CLIENT; its token is none any more"`
}

// EnvClientsOut lists machines that may serve folders.
type EnvClientsOut struct {
	Clients []ListedClient `json:"clients"`
	Out
}

// A ListedClient is a machine that may connect.
type ListedClient struct {
	ID    string       `json:"id"`
	Added time.Time    `json:"added"`
	Root  string       `json:"root,omitempty"` // what it served last
	Trust places.Level `json:"trust,omitempty"`
}

var envClients = op("env_clients", writes|looks, EnvClients, Help{
	Summary: "list the machines that may serve folders, or remove one", Use: "env clients",
	Text: `A machine is added by a code that arbor serve --pair shows, and arbor env connect
takes. One that is removed is cut off within seconds.`,
	Example: "arbor env clients\narbor env clients --remove laptop",
})

// EnvClients lists clients, or removes one.
func EnvClients(ctx context.Context, env *Env, in EnvClientsIn) (*EnvClientsOut, error) {
	s, err := storeOf(env)
	if err != nil {
		return nil, err
	}
	if in.Remove != "" {
		if err := s.Update(ctx, func(b *trust.Book) error { return b.RemoveClient(in.Remove) }); err != nil {
			return nil, fail(err)
		}
	}
	b, err := s.Read()
	if err != nil {
		return nil, fail(err)
	}
	out := &EnvClientsOut{Clients: []ListedClient{}}
	for _, c := range b.Clients {
		out.Clients = append(out.Clients, ListedClient{c.ID, c.Added, c.Root, c.Trust})
	}
	return out, nil
}

// EnvUndoIn names a change of a file.
type EnvUndoIn struct {
	ID string `json:"id" req:"true" arg:"ID"`
}

var envUndo = op("env_undo", writes, EnvUndo, Help{
	Summary: "take back what a tool did to a file", Use: "env undo ID",
	Text:    "The id is that which file_write, file_edit and file_delete return as undo.",
	Example: "arbor env undo k2v8m4qe",
})

// EnvUndo brings a file back that a tool replaced or deleted.
func EnvUndo(ctx context.Context, env *Env, in EnvUndoIn) (*FileChanged, error) {
	if !env.Person || env.Operator == mdstore.OperatorAI {
		return nil, errs.New(errs.ToolRefused, "only a person takes a change back: arbor env undo %s", in.ID)
	}
	s, err := storeOf(env)
	if err != nil {
		return nil, err
	}
	c, undo, err := jail.Undo(ctx, s.Trash(), in.ID, func(root string) (*jail.Root, error) {
		return jail.Open(root, jail.Options{Trash: s.Trash()})
	})
	if err != nil {
		return nil, jailed(err)
	}
	return &FileChanged{Path: c.Path, Version: string(c.Now()), Undo: undo}, nil
}
