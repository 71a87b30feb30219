package ops

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/env/command"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/plan"
)

type EnvListIn struct{ SessionRef }

type EnvListOut struct {
	Environments []ListedEnvironment `json:"environments"`
	// what confines programs to their environment; "" for nothing
	Confinement string `json:"confinement,omitempty"`
	Out
}

// A ListedEnvironment is an environment as it is now.
type ListedEnvironment struct {
	places.Environment
	Status   places.Status `json:"status"`
	Trusted  places.Level  `json:"trusted,omitempty"` // by a person of this machine
	Attached bool          `json:"attached,omitempty"`
	Primary  bool          `json:"primary,omitempty"`
	Text     string        `json:"text,omitempty"` // its description, if it is attached
}

var envList = op("env_list", reads|repeats, EnvList, Help{
	Summary: "list environments, the session's first",
	Use:     "env list",
	Text: `The session's environments come first, in the order in which calls search them.
The status is active, missing (the folder is gone) or untrusted (nobody on this
machine has trusted it as it is now; see arbor env trust).`,
	Example: "arbor env list",
})

// EnvList returns the environments of a session, in the order in which calls look at them, and then all others.
func EnvList(ctx context.Context, env *Env, in EnvListIn) (*EnvListOut, error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	out := &EnvListOut{Environments: []ListedEnvironment{}, Confinement: command.Confinement()}
	add := func(p *places.Place, attached bool) {
		l := ListedEnvironment{Environment: p.Environment, Status: p.Status, Trusted: p.Level, Attached: attached, Primary: p.Primary}
		if attached {
			l.Text = p.Text
		}
		out.Environments = append(out.Environments, l)
	}
	for _, p := range h.Places {
		add(p, h.Session != nil)
	}
	all, err := h.Environments(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if !slices.ContainsFunc(h.Places, func(p *places.Place) bool { return p.ID == e.ID }) {
			h.Add(ctx, e, nil)
			add(h.Places[len(h.Places)-1], false)
		}
	}
	out.Hint = nextStep(out.Environments)
	return out, nil
}

// nextStep returns the hint to a caller who has nothing attached.
func nextStep(all []ListedEnvironment) string {
	others := slices.DeleteFunc(slices.Clone(all), func(l ListedEnvironment) bool { return l.Primary })
	switch {
	case len(others) == 0:
		return "there is no folder yet that tools may use: {env_register} asks a person for one, such as file:."
	case !slices.ContainsFunc(others, func(l ListedEnvironment) bool { return l.Attached }):
		return "no folder of the project is attached: {env_attach} lets calls use one"
	}
	return ""
}

type EnvAttachIn struct {
	SessionRef
	ID     string   `json:"id" req:"true" arg:"ENV"`
	Tools  []string `json:"tools,omitempty" help:"only these TOOLS"`
	Folder string   `json:"folder,omitempty" help:"the FOLDER that relative paths begin in"`
	Write
}

type EnvAttachOut struct {
	Status  places.Status `json:"status,omitempty"`  // if no tool can run in it now
	Request string        `json:"request,omitempty"` // the request for trust that a person answers
	Wrote
}

// Requested returns the id of the request for trust that the call made, "" for none.
func (o *EnvAttachOut) Requested() string { return o.Request }

var envAttach = op("env_attach", writes|repeats, EnvAttach, Help{
	Summary: "attach an environment to the session",
	Use:     "env attach ENV",
	Text: `File tools without an environment use the attached one; of several, the one that
has the path. Notes/ is the session's own folder. Other tools run in the first
environment that has them. Attaching it again updates its tools and folder.`,
	Example: "arbor env attach app --session s1",
})

// EnvAttach attaches an environment to a session, behind those that it has. If it is attached already, EnvAttach
// replaces its tools and folder. If nobody trusts it yet, a person is asked to.
func EnvAttach(ctx context.Context, env *Env, in EnvAttachIn) (*EnvAttachOut, error) {
	_, e, err := hereIn(ctx, env, in.SessionRef, in.ID)
	if err != nil {
		return nil, err
	}
	in.ID = e.ID
	folder := in.Folder
	if folder != "" {
		if folder = path.Clean(folder); path.IsAbs(folder) || folder == ".." || strings.HasPrefix(folder, "../") ||
			strings.ContainsAny(folder, " \t\r\n") {
			return nil, badParam("folder", "%q: a folder below the environment, without blanks, is expected", in.Folder)
		}
	}
	h, err := hereBegun(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	now := act.Attached{ID: in.ID, Folder: folder, Tools: in.Tools}.String()
	w, err := h.attach(ctx, func(all []string) ([]string, string) {
		i := slices.IndexFunc(all, func(item string) bool { return act.ParseAttached(item).ID == in.ID })
		switch {
		case i < 0:
			return append(slices.Clone(all), now), "attached the environment " + in.ID
		case all[i] == now:
			return all, ""
		}
		all = slices.Clone(all)
		all[i] = now
		return all, "attached the environment " + in.ID + " otherwise"
	})
	if err != nil {
		return nil, err
	}
	out := &EnvAttachOut{Wrote: *w}
	return out, h.unusable(ctx, e, out)
}

// unusable adds to the result why no tool can run in the attached environment, and what a person or the caller can do.
func (h *here) unusable(ctx context.Context, e places.Environment, out *EnvAttachOut) error {
	if e.Host == places.Client {
		return nil // a client may connect and disconnect at any time
	}
	root, err := h.Root(e)
	if err != nil {
		out.Status, out.Hint = places.Missing, err.Error()
		return nil
	}
	if _, ok := h.Book.Level(e, root); ok {
		return nil
	}
	out.Status = places.Untrusted
	if decidesPrograms(h.env) || e.Trust == places.Full {
		out.Hint = "no tool runs in it until a person trusts it: arbor env trust " + e.ID
		return nil
	}
	asked := &EnvRegisterOut{}
	err = h.trusted(ctx, e, root, asked)
	out.Request, out.Hint = asked.Request, asked.Hint
	return err
}

// EnvAttachHere registers a folder as an environment and attaches it to a session. If it cannot attach the environment,
// it removes the registration again, and the trust, unless the environment was registered before.
func EnvAttachHere(ctx context.Context, env *Env, in EnvRegisterIn, ref SessionRef) (*EnvRegisterOut, error) {
	h, err := hereOf(ctx, env, ref)
	if err == nil && h.Session == nil {
		err = noSessionFile()
	}
	if err != nil {
		return nil, err
	}
	before, err := h.Environments(ctx)
	if err != nil {
		return nil, err
	}
	out, err := EnvRegister(ctx, env, in)
	if err != nil {
		return nil, err
	}
	if h.dry() {
		return out, nil // what is not registered cannot be attached
	}
	attached, err := EnvAttach(ctx, env, EnvAttachIn{SessionRef: ref, ID: out.ID})
	if err == nil {
		out.Hint = cmp.Or(out.Hint, attached.Hint)
		return out, nil
	}
	if !slices.ContainsFunc(before, func(e places.Environment) bool { return e.ID == out.ID }) {
		if _, gone := EnvRemove(ctx, env, EnvRemoveIn{ID: out.ID}); gone != nil {
			err = errs.New(errs.As(err).Code, "%v; %s stays registered: %v", err, out.ID, gone)
		}
	}
	return nil, err
}

// noSessionFile returns the error for a caller whose session has no file.
func noSessionFile() error {
	return errs.New(errs.SessionNotFound, "environments are attached to a session with a file; {session_start} makes one")
}

// attach changes the list of a session's environments. edit returns the new list, and the event for the session's log.
func (h *here) attach(ctx context.Context, edit func([]string) ([]string, string)) (*Wrote, error) {
	if h.Session == nil {
		return nil, noSessionFile()
	}
	t := target{ws: h.View.Workspace().ID}
	attach := plan.AttachSession{ID: h.Session.ID, Edit: edit}
	return done(ctx, h.env, t, h.env.act(Write{h.dry()}, Match{}), attach, "{tool_list} shows what it can do")
}

type EnvDetachIn struct {
	SessionRef
	ID string `json:"id" req:"true" arg:"ENV"`
	Write
}

type EnvDetachOut struct{ Wrote }

var envDetach = op("env_detach", writes|repeats, EnvDetach, Help{
	Summary: "detach an environment from the session", Use: "env detach ENV",
	Text:    "The environment stays registered, and trusted as it is.",
	Example: "arbor env detach app --session s1",
})

// EnvDetach removes an environment from a session's list. It does nothing if the environment is not in it.
func EnvDetach(ctx context.Context, env *Env, in EnvDetachIn) (*EnvDetachOut, error) {
	h, err := hereOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	w, err := h.attach(ctx, func(all []string) ([]string, string) {
		rest := without(all, in.ID)
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

// without returns the items of a session's list that are not of this environment.
func without(attached []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(attached), func(item string) bool { return act.ParseAttached(item).ID == id })
}

// A here has the environments in which the tools of a caller can act.
type here struct {
	*act.Here
	env *Env
}

// dry reports whether the call is a dry run.
func (h *here) dry() bool { return h.env.May == MayPreview }

// wroteHere is the result of a write to what this machine notes, which no diff shows.
func (h *here) wroteHere() Wrote { return Wrote{Success: true, Changed: true, DryRun: h.dry()} }

// update changes what this machine notes of trust; a dry run changes only the copy that edit gets.
func (h *here) update(ctx context.Context, edit func(*trust.Book) error) error {
	_, err := h.env.noted(ctx, true, edit)
	return err
}

// noted is update for callers without environments. It returns what is noted then. Without change it only reads.
func (env *Env) noted(ctx context.Context, change bool, edit func(*trust.Book) error) (b *trust.Book, err error) {
	if !change || env.May == MayPreview {
		if b, err = env.book(); err == nil && change {
			err = edit(b)
		}
		return b, fail(err)
	}
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, fail(err)
	}
	err = s.Update(ctx, func(now *trust.Book) error {
		b = now
		return edit(now)
	})
	return b, fail(err)
}

// book returns what this machine notes of trust.
func (env *Env) book() (*trust.Book, error) {
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, fail(err)
	}
	b, err := s.Read()
	return b, fail(err)
}

// hereOf returns the environments of the session that ref names, or else of the caller's session. A caller without a
// session has every environment, none of them attached.
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
		Engine: env.Engine, Act: env.act(Write{}, Match{}), Session: env.Session,
		Person: env.Caller != ByAssistant, Looks: env.May != MayWrite,
		Home: env.Home, Clients: env.Clients, CallLog: env.CallLog, BuiltIn: builtIn, Commit: commitAt,
	}, store, v, session)
	return &here{h, env}, fail(err)
}

// hereIn is hereOf for one environment, which it returns too.
func hereIn(ctx context.Context, env *Env, ref SessionRef, id string) (h *here, e places.Environment, err error) {
	if h, err = hereOf(ctx, env, ref); err == nil {
		e, err = h.Find(ctx, id)
	}
	return h, e, err
}

// hereBegun is hereOf for what needs a session with a file: it starts one if the caller has none, and takes one (see
// Env.Begun).
func hereBegun(ctx context.Context, env *Env, ref SessionRef) (*here, error) {
	begun := env.Begun
	if begun != nil && begun.Caller != "" { // the call is made again, after a person's decision
		return hereOf(ctx, env.As(begun.Caller), ref)
	}
	h, err := hereOf(ctx, env, ref)
	if err != nil || h.Session != nil || begun == nil || env.May != MayWrite || ref.SessionID != "" {
		return h, err
	}
	if env.Session != env.Connection {
		ref.SessionID = env.Session // the session that the caller has bound gets the file
	}
	s, err := SessionStart(ctx, env, SessionStartIn{SessionRef: ref})
	if err != nil {
		return nil, err
	}
	*begun = s.Bound
	return hereOf(ctx, env.As(begun.Caller), SessionRef{In: ref.In})
}

// builtIn reports whether a name is one of Arbor's own tools. init sets it, because the catalogue itself refers to
// functions that call builtIn.
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
	Environment string `json:"environment,omitempty" help:"the ID of the environment; default: the attached one"`
}

// use runs a tool in the environment that its call goes to, and returns the environment's id: see act.Here.Use.
func use(
	ctx context.Context, env *Env, in Act, tool string, args, out any, run func(*act.Call) error,
) (where string, err error) {
	here := hereBegun
	if in.Environment != "" {
		here = hereOf
	}
	h, err := here(ctx, env, in.SessionRef)
	if err != nil {
		return "", err
	}
	where, err = h.Use(ctx, in.Environment, tool, args, out, run)
	return where, fail(err)
}
