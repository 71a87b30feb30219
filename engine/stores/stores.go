// Package stores is for programs that use Arbor as a library to keep workspaces, bindings and sessions. It has small
// interfaces over an engine; a program may replace each. Package storestest states their promises.
package stores

import (
	"context"
	"time"

	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A WorkspaceStore keeps workspaces. One that is not there is a WORKSPACE_NOT_FOUND.
type WorkspaceStore interface {
	// Create makes a workspace with its root node. It may be without a goal.
	Create(ctx context.Context, w plan.NewWorkspace) (mdstore.ID, error)

	// Load returns a workspace, and counts as an access to it.
	Load(ctx context.Context, id mdstore.ID) (*mdstore.Workspace, error)

	// List returns all workspaces, the one with the id default last.
	List(ctx context.Context) ([]*mdstore.Workspace, error)

	// Delete moves a workspace to the trash. What is bound to it is bound to nothing then.
	Delete(ctx context.Context, id mdstore.ID) error

	// UpdateAccessed notes that a workspace is used now.
	UpdateAccessed(ctx context.Context, id mdstore.ID) error

	// GC deletes the workspaces that Resolve has made and nobody has used for that long, a day at least, and returns them.
	GC(ctx context.Context, maxAge time.Duration) ([]mdstore.ID, error)

	// LoadConfig returns the settings that count in a workspace.
	LoadConfig(ctx context.Context, id mdstore.ID) (*config.Settings, error)
}

// A BindingStore keeps which workspace an identifier means: 1 to 256 bytes without control characters.
type BindingStore interface {
	// Resolve returns the workspace of an identifier. If there is none, it makes one and binds it.
	Resolve(ctx context.Context, identifier string) (mdstore.ID, error)

	// Bind binds an identifier to a workspace and replaces an earlier binding.
	Bind(ctx context.Context, identifier string, id mdstore.ID) error

	// Unbind ends what an identifier means. The error is a SESSION_NOT_FOUND if it means nothing.
	Unbind(ctx context.Context, identifier string) error

	// UnbindWorkspace ends what all identifiers mean that mean this workspace.
	UnbindWorkspace(ctx context.Context, id mdstore.ID) error
}

// A SessionStore keeps the messages of sessions, in a file each. A session is named by a key, as an identifier is.
// One that is not there is a SESSION_NOT_FOUND, also where it has no messages, except the calls that say that
// they make it.
type SessionStore interface {
	// Read returns the messages of a session, oldest first, byte for byte.
	Read(ctx context.Context, workspace mdstore.ID, session string) ([]mdstore.Message, error)

	// Append adds all messages or none. It makes the session if it does not exist.
	Append(ctx context.Context, workspace mdstore.ID, session string, more ...mdstore.Message) error

	// Write replaces all messages in one change. It makes the session if it does not exist. The messages must fit into one
	// file.
	Write(ctx context.Context, workspace mdstore.ID, session string, all []mdstore.Message) error

	// Clear leaves a session without messages. What they were is kept in a file of another name, as with Write.
	Clear(ctx context.Context, workspace mdstore.ID, session string) error
}

// Stores are the stores of a program.
type Stores struct {
	Workspaces WorkspaceStore
	Sessions   SessionStore
	Bindings   BindingStore
}

// An Option puts another store in the place of the engine's.
type Option func(*Stores)

// WithWorkspaces chooses the store of workspaces.
func WithWorkspaces(s WorkspaceStore) Option { return func(all *Stores) { all.Workspaces = s } }

// WithSessions chooses the store of sessions.
func WithSessions(s SessionStore) Option { return func(all *Stores) { all.Sessions = s } }

// WithBindings chooses the store of bindings.
func WithBindings(s BindingStore) Option { return func(all *Stores) { all.Bindings = s } }

// New returns the stores over an engine, or instead of each the one that an option chooses.
func New(e *engine.Engine, options ...Option) Stores {
	own := vault{e}
	all := Stores{Workspaces: own, Sessions: own, Bindings: own}
	for _, choose := range options {
		choose(&all)
	}
	return all
}

// A vault is all of the stores over one engine.
type vault struct{ e *engine.Engine }

var (
	_ WorkspaceStore = vault{}
	_ SessionStore   = vault{}
	_ BindingStore   = vault{}
)

func (v vault) Create(ctx context.Context, w plan.NewWorkspace) (mdstore.ID, error) {
	made, err := v.e.Init(ctx, w, plan.Act{})
	if err != nil {
		return "", err
	}
	return made.ID, nil
}

func (v vault) Load(ctx context.Context, id mdstore.ID) (*mdstore.Workspace, error) {
	view, err := v.e.WithPages(ctx, id)
	if err != nil {
		return nil, err
	}
	v.e.Touched(ctx, id)
	return view.Workspace(), nil
}

func (v vault) List(ctx context.Context) ([]*mdstore.Workspace, error) { return v.e.Workspaces(ctx) }

func (v vault) Delete(ctx context.Context, id mdstore.ID) error {
	_, _, err := v.e.DeleteWorkspace(ctx, id, plan.Act{}, true, nil)
	return err
}

func (v vault) UpdateAccessed(ctx context.Context, id mdstore.ID) error {
	_, err := v.Load(ctx, id)
	return err
}

func (v vault) GC(ctx context.Context, maxAge time.Duration) (gone []mdstore.ID, err error) {
	all, _, err := v.e.CollectWorkspaces(ctx, engine.Collect{MaxAge: max(maxAge, engine.LeastAge)}, plan.Act{})
	for _, c := range all {
		if c.Kept == "" {
			gone = append(gone, c.ID)
		}
	}
	return gone, err
}

func (v vault) LoadConfig(ctx context.Context, id mdstore.ID) (*config.Settings, error) {
	if id == "" { // an empty id would mean the vault's settings
		return nil, errs.New(errs.WorkspaceNotFound, "no workspace is named")
	}
	return v.e.Config(ctx, id)
}

func (v vault) Resolve(ctx context.Context, identifier string) (mdstore.ID, error) {
	r, err := v.e.ResolveWorkspace(ctx, engine.Resolve{Identifier: identifier}, plan.Act{})
	if err != nil {
		return "", err
	}
	return r.ID, nil
}

func (v vault) Bind(ctx context.Context, identifier string, id mdstore.ID) error {
	_, err := v.e.Bind(ctx, sessions.Binding{SessionID: identifier, WorkspaceID: id}, plan.Act{})
	return err
}

func (v vault) Unbind(ctx context.Context, identifier string) error {
	_, err := v.e.Unbind(ctx, identifier, plan.Act{})
	return err
}

func (v vault) UnbindWorkspace(ctx context.Context, id mdstore.ID) error {
	return v.e.UnbindWorkspace(ctx, id)
}

func (v vault) Read(ctx context.Context, workspace mdstore.ID, session string) (all []mdstore.Message, err error) {
	err = v.e.Read(ctx, func(ctx context.Context) error {
		w, p, err := v.session(ctx, workspace, session)
		if err == nil {
			all, err = view.Transcript(w, p, 0)
		}
		return err
	})
	return all, err
}

func (v vault) Append(ctx context.Context, workspace mdstore.ID, session string, more ...mdstore.Message) error {
	return v.put(ctx, workspace, session, plan.AppendTranscript{Messages: more})
}

func (v vault) Write(ctx context.Context, workspace mdstore.ID, session string, all []mdstore.Message) error {
	return v.put(ctx, workspace, session, plan.AppendTranscript{Messages: all, Anew: true})
}

func (v vault) Clear(ctx context.Context, workspace mdstore.ID, session string) error {
	_, p, err := v.session(ctx, workspace, session)
	if err == nil {
		_, _, err = engine.Apply(ctx, v.e, workspace, plan.Act{}, plan.ClearTranscript{Session: p.ID})
	}
	return err
}

func (v vault) session(ctx context.Context, workspace mdstore.ID, key string) (*view.View, *mdstore.Page, error) {
	w, err := v.e.WithPages(ctx, workspace)
	if err != nil {
		return nil, nil, err
	}
	p, ok := w.Pages().Session(key)
	if !ok {
		err = errs.New(errs.SessionNotFound, "%s: there is no session of this name in workspace %s", key, workspace)
	}
	return w, p, err
}

func (v vault) put(ctx context.Context, workspace mdstore.ID, session string, x plan.AppendTranscript) error {
	if err := sessions.ValidID(session); err != nil {
		return err
	}
	s, _, err := engine.Apply(ctx, v.e, workspace, plan.Act{}, opened(session))
	if err != nil {
		return err
	}
	x.Session = s.ID
	_, _, err = engine.Apply(ctx, v.e, workspace, plan.Act{}, x)
	return err
}

// opened is the plan that makes a session, unless there is one of this name.
type opened string

func (key opened) Plan(d *plan.Draft) (*plan.StartedSession, error) {
	if p, ok := d.View.Pages().Session(string(key)); ok {
		return &plan.StartedSession{ID: p.ID}, nil
	}
	return plan.StartSession{ID: string(key)}.Plan(d)
}
