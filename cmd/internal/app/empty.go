package app

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"arbor/mdstore"
)

// An emptyStore stands in for a vault that does not exist: nothing is in it, and nothing can be written to it.
type emptyStore struct{}

var (
	_ mdstore.Store   = emptyStore{}
	_ mdstore.History = emptyStore{}
	_ mdstore.Scanner = emptyStore{}
)

func missing(p mdstore.Path) error {
	return &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}
}

func (emptyStore) Read(_ context.Context, p mdstore.Path) (mdstore.File, error) {
	return mdstore.File{}, missing(p)
}

func (emptyStore) Stat(_ context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	return mdstore.Stamp{}, missing(p)
}

// List yields what every listing of a workspace yields: its Workspace.md, which is missing.
func (emptyStore) List(_ context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return func(yield func(mdstore.Entry, error) bool) {
		if own := mdstore.WorkspacePath(under); under != "" {
			yield(mdstore.Entry{Path: own}, missing(own))
		}
	}
}

func (emptyStore) Scan(ctx context.Context, workspace mdstore.Path) (*mdstore.Scan, error) {
	own := mdstore.WorkspacePath(workspace)
	return &mdstore.Scan{Broken: []mdstore.Broken{{Path: own, Err: missing(own)}}}, ctx.Err()
}

func (emptyStore) Commit(context.Context, []mdstore.Change) (mdstore.Result, error) {
	return mdstore.Result{}, errors.New("there is no vault to write to")
}

func (s emptyStore) Update(_ context.Context, f func(mdstore.Tx) error) error { return f(s) }

func (emptyStore) Generation(context.Context) (uint64, error) { return 0, nil }

func (emptyStore) ChangedSince(_ context.Context, before, now uint64) ([]mdstore.Path, bool) {
	return nil, before == now
}
