// Package stores is for programs that keep their workspaces, and what is bound to them, with Arbor as a library: small interfaces, each
// of which may be replaced, over an engine. Package storestest states their promises.
package stores

import (
	"context"
	"time"

	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
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
	// Resolve returns the workspace of an identifier, and makes one that is bound to it where there is none.
	Resolve(ctx context.Context, identifier string) (mdstore.ID, error)

	// Bind makes an identifier mean a workspace, whatever it meant before.
	Bind(ctx context.Context, identifier string, id mdstore.ID) error

	// Unbind ends what an identifier means. The error is a SESSION_NOT_FOUND where it means nothing.
	Unbind(ctx context.Context, identifier string) error

	// UnbindWorkspace ends what all identifiers mean that mean this workspace.
	UnbindWorkspace(ctx context.Context, id mdstore.ID) error
}

// Stores are the stores of a program.
type Stores struct {
	Workspaces WorkspaceStore
	Bindings   BindingStore
}

// An Option puts another store in the place of the engine's.
type Option func(*Stores)

// WithWorkspaces chooses the store of workspaces.
func WithWorkspaces(s WorkspaceStore) Option { return func(all *Stores) { all.Workspaces = s } }

// WithBindings chooses the store of bindings.
func WithBindings(s BindingStore) Option { return func(all *Stores) { all.Bindings = s } }

// New returns the stores over an engine, or in place of each the one that an option chooses.
func New(e *engine.Engine, options ...Option) Stores {
	own := vault{e}
	all := Stores{Workspaces: own, Bindings: own}
	for _, choose := range options {
		choose(&all)
	}
	return all
}

// A vault is all of the stores over one engine.
type vault struct{ e *engine.Engine }

var (
	_ WorkspaceStore = vault{}
	_ BindingStore   = vault{}
)

func (v vault) Create(ctx context.Context, w plan.NewWorkspace) (mdstore.ID, error) {
	w.Aimless = true
	made, err := v.e.Init(ctx, w, plan.Act{})
	if err != nil {
		return "", err
	}
	return made.ID, nil
}

func (v vault) Load(ctx context.Context, id mdstore.ID) (*mdstore.Workspace, error) {
	view, err := v.e.View(ctx, id)
	if err != nil {
		return nil, err
	}
	engine.Touched(ctx, v.e, id)
	return view.Workspace(), nil
}

func (v vault) List(ctx context.Context) ([]*mdstore.Workspace, error) { return v.e.Workspaces(ctx) }

func (v vault) Delete(ctx context.Context, id mdstore.ID) error {
	_, _, err := engine.DeleteWorkspace(ctx, v.e, id, plan.Act{}, true, nil)
	return err
}

func (v vault) UpdateAccessed(ctx context.Context, id mdstore.ID) error {
	_, err := v.Load(ctx, id)
	return err
}

func (v vault) GC(ctx context.Context, maxAge time.Duration) (gone []mdstore.ID, err error) {
	all, _, err := engine.CollectWorkspaces(ctx, v.e, engine.Collect{MaxAge: max(maxAge, engine.LeastAge)}, plan.Act{})
	for _, c := range all {
		if c.Kept == "" {
			gone = append(gone, c.ID)
		}
	}
	return gone, err
}

func (v vault) LoadConfig(ctx context.Context, id mdstore.ID) (*config.Settings, error) {
	if id == "" { // which would be the vault's
		return nil, errs.New(errs.WorkspaceNotFound, "no workspace is named")
	}
	return engine.Config(ctx, v.e, id)
}

func (v vault) Resolve(ctx context.Context, identifier string) (mdstore.ID, error) {
	r, err := engine.ResolveWorkspace(ctx, v.e, engine.Resolve{Identifier: identifier}, plan.Act{})
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
	return engine.UnbindWorkspace(ctx, v.e, id)
}
