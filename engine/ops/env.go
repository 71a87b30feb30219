// Package ops is the catalogue of operations: the name, help, typed input and typed output of everything that Arbor
// does. The command line, MCP and HTTP are thin front ends over it. Every operation fails with an *errs.Error.
//
// A program finds an operation by its name in docs/mcp.md and calls it with JSON, on behalf of the caller that an Env
// describes:
//
//	create, _ := ops.Find("node_create")
//	out, err := create.Call(ctx, &ops.Env{Engine: e}, json.RawMessage(`{"title": "Sign-in endpoint"}`))
//
// out is a *NodeCreateOut, which encodes as the JSON that the tool replies. Most operations are functions with a typed
// input, too, such as NodeDelete(ctx, env, NodeDeleteIn{}). Of the names below, a program needs Find, All, Operation
// and Env, and the types In and Out of the operations that it calls.
//
// For those who change Arbor: a file holds the operations of one noun: the input, output, catalogue entry and function
// of each; catalogue.go lists them. A new operation needs these four, a line there, and a plan in the engine. The tags
// of its input (see Param) give its tool the schema and its command the words and flags, and docs/cli.md and
// docs/mcp.md are generated.
package ops

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"arbor/engine"
	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/engine/internal/say"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A Caller says who calls.
type Caller int

const (
	// a model, or a program: settings of a person do not redirect it, and a likely mistake only warns
	ByAssistant Caller = iota
	// a person at a command line: this machine's default workspace counts, and a likely mistake is refused
	ByPerson
	ByDecider // a person, in a way open only to people: may also decide what is left to people
)

// Names says how a call may name nodes and workspaces.
type Names int

const (
	NamesExact Names = iota // by their ids
	NamesLoose              // also by a unique prefix of the id, or a unique title
	NamesParts              // nodes also by a part of the title; for calls that only read
)

// A Detail says how much of a result a reply has.
type Detail int

const (
	DetailAll    Detail = iota
	DetailSparse        // without empty members, as the schemas of replies allow
	DetailBrief         // for a model: also without members that only verbose replies have
)

// May says what a call may do.
type May int

const (
	MayWrite   May = iota
	MayPreview     // a dry run: not even the workspace of a call is made
	MayLook        // nothing may be written or noted: an operation that Looks only reads
)

// An Env is the caller of operations, and the engine that they run on.
type Env struct {
	Engine *engine.Engine

	Caller   Caller
	By       string          // how a ByDecider decides, in words for a log, as "on the page"; "" is at a terminal
	Operator string          // mdstore.OperatorAI or OperatorHuman, for log lines; "" is AI
	Who      *people.Who     // who calls through a server of several people; nil: its own user, who has every right
	Home     string          // the person's own folder; "" if unknown
	Clients  act.Clients     // the machines that serve folders; nil: none is connected
	CallLog  *places.CallLog // the server's log of tool calls, by session; nil: none is kept

	Session string // of the caller; "" for none
	Client  string // the program of the caller, as it calls itself; "" if unknown
	// Connection is the name of the calling connection. session_bind holds its bindings under this name, which is also
	// the connection's session until it binds one. "" if the caller is no connection.
	Connection string
	// Follows says that the caller continues as the session that it starts or loads. It is true for a connection that
	// was given no session.
	Follows bool
	// Begun gets the session that a call starts because it needs one; the caller continues as that session, also if the
	// call fails. nil: no call starts one.
	Begun *Bound
	// Lease is the lease of claims that name none. It is claims.ConnectionLease for a caller whose claims are renewed
	// while it lives. 0 means claims.DefaultLease.
	Lease time.Duration

	Names Names
	Where Where

	Voice say.Voice // the words in which hints, warnings and errors name operations; zero: those of MCP

	May    May
	Detail Detail
	// Guards says that the call gave ifMatch: a brief reply then has the new version.
	Guards bool
	// bound of a reply, see Reply.Size; lists that are cut say how to get the rest. 0: no bound
	MaxBytes int
	// Patience bounds how long a call waits for work that goes on after the call; nil: it waits for the end
	Patience func(context.Context) (context.Context, context.CancelFunc)
	Progress func(done, total int, what string) // called during long operations; may be nil
	Ignored  []string                           // parameters that have no effect in this call; the reply lists them

	ids   shortIDs
	host  string // the session whose binding counts if Session has none
	trace string // a short description of the call for the session's trace
}

// act returns the options of a write.
func (env *Env) act(w Write, m Match) plan.Act {
	return plan.Act{Operator: env.Operator, Person: decides(env), DryRun: w.DryRun, IfMatch: m.IfMatch,
		Session: env.Session, Trace: env.trace, Who: env.Who.String()}
}

// whose returns the owner of the caller's sessions: its identifier, or else its program; "" if unknown. A program says
// itself what it is called, so the name is cut.
func (env *Env) whose() string {
	const most = 200 // bytes
	switch {
	case env.Where.Own != "":
		return "identifier:" + env.Where.Own
	case env.Client != "":
		return "client:" + strings.ToValidUTF8(env.Client[:min(len(env.Client), most)], "")
	}
	return ""
}

// As returns env with another session: one of several helpers behind a connection names it in its call. For "" it
// returns env itself.
func (env *Env) As(session string) *Env {
	if session == "" || session == env.Session {
		return env
	}
	other := *env
	other.Session, other.host = session, env.Session
	other.Lease = 0 // nobody renews its claims meanwhile
	return &other
}

// In returns the current view of the workspace that ref names; "" is the one that the caller means: see Meanings. The
// error is an *errs.Error with candidates.
func (env *Env) In(ctx context.Context, ref string) (*view.View, error) {
	id, err := env.workspace(ctx, ref)
	if err != nil {
		return nil, err
	}
	s, err := env.Engine.View(ctx, id)
	return s, fail(err)
}

// WithPages is In for a view with its pages; it needs no Read around it.
func (env *Env) WithPages(ctx context.Context, ref string) (*view.View, error) {
	id, err := env.workspace(ctx, ref)
	if err != nil {
		return nil, err
	}
	s, err := env.Engine.WithPages(ctx, id)
	return s, fail(err)
}

// At returns the workspace that ws names, as In does, and the id of the node in it that ref names. The error is an
// *errs.Error with candidates.
func (env *Env) At(ctx context.Context, ws, ref string) (*view.View, mdstore.ID, error) {
	s, err := env.In(ctx, ws)
	if err != nil {
		return nil, "", err
	}
	id, err := env.resolve(s, ref, "nodeId")
	return s, id, err
}

// reading makes an operation of a function that uses documents of nodes. It may run the function several times: each
// time with the documents loaded that the run before lacked.
func reading[I, O any](read func(context.Context, *Env, I) (*O, error)) func(context.Context, *Env, I) (*O, error) {
	return func(ctx context.Context, env *Env, in I) (out *O, err error) {
		err = env.Engine.Read(ctx, func(ctx context.Context) error {
			out, err = read(ctx, env, in)
			return err
		})
		return out, err
	}
}

// resolve returns the id of the node that ref names.
func (env *Env) resolve(s *view.View, ref, param string) (mdstore.ID, error) {
	if ref == "" {
		return "", badParam(param, "%s is missing; name a node", param)
	}
	switch {
	case env.Names == NamesParts:
		id, err := s.Find(ref)
		return id, fail(err)
	case env.Names != NamesExact:
		id, err := s.Resolve(ref)
		return id, fail(err)
	}
	n, err := s.Known(mdstore.ID(ref))
	if err != nil {
		return "", fail(err)
	}
	return n.ID, nil
}

// fields brings the fields of a call to the form in which they are kept, and replaces each name of a node by its id. A
// title in made is that of a node which the same call makes, and stays.
func (env *Env) fields(s *view.View, x *mdstore.Fields, made map[string]bool) error {
	if err := x.Adopt(env.today()); err != nil {
		return errs.New(errs.InvalidParams, "%v", err)
	}
	return x.Resolve(func(f *mdstore.Field, name string) (mdstore.ID, error) {
		if made[name] {
			return mdstore.ID(name), nil
		}
		return env.resolve(s, name, f.Key)
	})
}

// progress reports how far the operation is.
func (env *Env) progress(done, total int, what string) {
	if env.Progress != nil {
		env.Progress(done, total, what)
	}
}

// path returns the path of a file of the vault as replies have it: relative to the project, or absolute where the vault
// is outside of it. If the vault's folder is unknown, or persons on a server would be told of it, the path is relative
// to the vault. It returns "" for "".
func (env *Env) path(p mdstore.Path) string {
	file := env.place(p)
	if project := env.Engine.Project(); project != "" && file != string(p) {
		if rel, err := filepath.Rel(project, file); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	if env.Who != nil {
		return string(p)
	}
	return file
}

// place returns where a file of the vault is on this machine, as far as that is known.
func (env *Env) place(p mdstore.Path) string {
	if v := env.Engine.Vault(); v != "" && p != "" {
		return filepath.Join(v, filepath.FromSlash(string(p)))
	}
	return string(p)
}

// fail returns err as an *errs.Error. A nil error stays nil: a nil *errs.Error in an error interface would not be nil.
func fail(err error) error {
	if err == nil {
		return nil
	}
	return errs.As(err)
}
