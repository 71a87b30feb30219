// Package engine is one open vault: views of its workspaces that are kept current, operations planned over them, and
// commits.
//
// A program opens an engine over a store, and gives it to package ops, which has the operations, or to package serve,
// which offers them to assistants and people:
//
//	store, err := dirstore.Open("plan", dirstore.Options{})
//	e, err := engine.Open(ctx, store, engine.Options{})
//
// Any number of engines, in any number of processes, may have one vault open. An engine is safe for concurrent use and
// needs no Close.
//
// Below the operations: an operation is a value of package plan, which Apply plans over a view and commits through the
// store, all or nothing. A dry run stops after the plan. Reading functions run under Read, which loads the documents
// they use. These functions change with the operations; programs call package ops.
package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"arbor/engine/config"
	"arbor/engine/live"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Options are what an Engine takes from outside. The zero Options work.
type Options struct {
	Now     func() time.Time                        // nil: time.Now
	After   func(time.Duration) <-chan time.Time    // nil: time.After; for pauses between attempts
	NewID   func(prefix string) (mdstore.ID, error) // nil: by time and crypto/rand; prefix is "ws" or "node"
	Log     *slog.Logger                            // nil: nothing is logged
	Vault   string                                  // the vault's folder, for messages and results; "" if it has none
	Place   string                                  // see Engine.Place; "" is Vault
	Project string                                  // the project's place, for results; may be empty
	State   string                                  // the folder of this person's own state on this machine; "" for none
	Own     []string                                // other folders of this person's Arbor; see Own
	Config  func() []config.Layer                   // the current settings from outside of the vault; nil: none

	TitleFolders bool // folders of new nodes are named by their titles, not by their ids
}

// An Engine is an open vault. It is safe for concurrent use. It holds only memory and need not be closed; the caller
// closes the store.
type Engine struct {
	st   mdstore.Store
	opt  Options
	live *live.Vault
	seen *sessions.Seen

	dotless bool     // see HideDots
	touched sync.Map // when the uses of workspaces were noted last: int64, Unix milliseconds
}

// Open returns an engine over the store. It reads nothing yet: a workspace is read when it is first asked for.
func Open(ctx context.Context, st mdstore.Store, opt Options) (*Engine, error) {
	if opt.Config == nil {
		opt.Config = func() []config.Layer { return nil }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.After == nil {
		opt.After = time.After
	}
	if opt.NewID == nil {
		now := opt.Now
		opt.NewID = func(prefix string) (mdstore.ID, error) {
			return mdstore.NewID(prefix, now().UnixMilli(), rand.Reader)
		}
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	vault, err := live.Open(st, live.Options{After: opt.After})
	if err != nil {
		return nil, err
	}
	return &Engine{st: st, opt: opt, live: vault, seen: sessions.NewSeen(st, opt.Now)}, ctx.Err()
}

// Now returns the time by the engine's clock.
func (e *Engine) Now() time.Time { return e.opt.Now() }

// Vault returns the vault's folder, as the options have it.
func (e *Engine) Vault() string { return e.opt.Vault }

// Place returns the folder of this machine that stands for the vault: its own, or for a vault on a server a folder in
// this person's state. What a person decides about tools is kept for it; "" if there is none.
func (e *Engine) Place() string { return cmp.Or(e.opt.Place, e.opt.Vault) }

// StateDir returns the folder of this person's own state on this machine, "" if none was given.
func (e *Engine) StateDir() string { return e.opt.State }

// Own returns this person's folders of Arbor on this machine: state, settings, their own vault. No tool of an
// environment sees into them.
func (e *Engine) Own() []string {
	if e.opt.State == "" {
		return e.opt.Own
	}
	return append([]string{e.opt.State}, e.opt.Own...)
}

// Project returns the place of the project, as the options have it.
func (e *Engine) Project() string { return e.opt.Project }

// Workspaces returns every workspace of the vault, active or archived, in the order of creation. The workspace with the
// id default comes last. A Workspace.md that cannot be read is returned as a workspace with a problem.
func (e *Engine) Workspaces(ctx context.Context) ([]*mdstore.Workspace, error) {
	return e.live.Workspaces(ctx)
}

// View returns the present workspace. If another process has committed, it is read again. People's saves show while
// the engine follows the store, and otherwise after Refresh. Documents of nodes, and pages, can be used only under
// Read.
func (e *Engine) View(ctx context.Context, id mdstore.ID) (*view.View, error) {
	return e.live.View(ctx, id)
}

// WithPages is View with pages, also outside of Read.
func (e *Engine) WithPages(ctx context.Context, id mdstore.ID) (*view.View, error) {
	return e.live.WithPages(ctx, id)
}

// Read calls f, which may only read. Under the context of f, the views from View note which documents f uses and lacks.
// Read loads those and calls f again, until none is missing. f must not keep a view or pass it on.
func (e *Engine) Read(ctx context.Context, f func(context.Context) error) error {
	return e.live.Read(ctx, f)
}

// Refresh makes the next View look at every file again, unless the engine follows the store.
func (e *Engine) Refresh() {
	if !e.live.Following() {
		e.live.Stale()
	}
}

// Follow keeps views current with what people and other programs save, for as long as ctx lasts: see live.Vault.Follow.
func (e *Engine) Follow(ctx context.Context, ready func(), news func(live.News)) error {
	return e.live.Follow(ctx, ready, news)
}

// Exclusively calls f while no process commits to the vault. Afterwards the engine reads the files again.
func (e *Engine) Exclusively(ctx context.Context, f func() error) error {
	defer e.live.Stale()
	return e.st.Update(ctx, func(mdstore.Tx) error { return f() })
}

// Live returns what keeps the engine's views current, for a feed.
func (e *Engine) Live() *live.Vault { return e.live }
