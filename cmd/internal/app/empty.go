package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"

	"arbor/mdstore"
)

// An emptyStore stands in for a vault that does not exist: nothing is in it, and nothing can be written to it.
type emptyStore struct {
	why error // why the vault cannot be opened: every call fails with it
	may error // why no vault may be made at the place; nil if one may
}

var (
	_ mdstore.Store   = emptyStore{}
	_ mdstore.History = emptyStore{}
	_ mdstore.Scanner = emptyStore{}

	_ mdstore.Writable = emptyStore{}
)

func (s emptyStore) missing(p mdstore.Path) error {
	return cmp.Or(s.why, error(&fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}))
}

func (s emptyStore) Read(_ context.Context, p mdstore.Path) (mdstore.File, error) {
	return mdstore.File{}, s.missing(p)
}

func (s emptyStore) Stat(_ context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	return mdstore.Stamp{}, s.missing(p)
}

// List yields what every listing of a workspace yields: its Workspace.md, which is missing.
func (s emptyStore) List(_ context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return func(yield func(mdstore.Entry, error) bool) {
		if own := mdstore.WorkspacePath(under); s.why != nil {
			yield(mdstore.Entry{}, s.why)
		} else if under != "" {
			yield(mdstore.Entry{Path: own}, s.missing(own))
		}
	}
}

func (s emptyStore) Scan(ctx context.Context, workspace mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	own := mdstore.WorkspacePath(workspace)
	return &mdstore.Scan{Broken: []mdstore.Broken{{Path: own, Err: s.missing(own)}}}, ctx.Err()
}

func (s emptyStore) Commit(context.Context, []mdstore.Change) (mdstore.Result, error) {
	return mdstore.Result{}, cmp.Or(s.why, errors.New("there is no vault to write to"))
}

func (s emptyStore) Update(_ context.Context, f func(mdstore.Tx) error) error {
	if s.why != nil {
		return s.why
	}
	return f(s)
}

// Writable and Movable return why no vault can be made.
func (s emptyStore) Writable(context.Context, mdstore.Path) error { return cmp.Or(s.why, s.may) }

func (s emptyStore) Movable(context.Context, mdstore.Path, mdstore.Path) error {
	return cmp.Or(s.why, s.may)
}

func (s emptyStore) Generation(context.Context) (uint64, error) { return 0, s.why }

func (emptyStore) Close() error { return nil }

func (emptyStore) ChangedSince(_ context.Context, before, now uint64) ([]mdstore.Path, bool) {
	return nil, before == now
}
