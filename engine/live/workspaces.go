package live

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Workspaces returns every workspace of the vault in the order of their creation, the one with the id default last,
// active ones and archived ones. A Workspace.md that cannot be read is a workspace with a problem.
func (l *Vault) Workspaces(ctx context.Context) ([]*mdstore.Workspace, error) {
	if _, ok := mdstore.AsStore[mdstore.Committed](l.st); ok {
		if known, err := l.listed(ctx); known != nil || err != nil {
			return slices.Clone(known), err
		}
	}
	for round := 1; ; round++ {
		before, err := l.Generation(ctx)
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		epoch := l.epoch
		l.mu.Unlock()
		out, err := l.list(ctx)
		if err != nil {
			return nil, err
		}
		after, err := l.Generation(ctx)
		if err != nil {
			return nil, err
		}
		if after != before && round < 3 {
			continue // a workspace may have moved to a folder that the listing had passed already
		}
		if w, ok := mdstore.AsStore[mdstore.Watcher](l.st); ok && len(out) == 0 {
			if err := w.InPlace(); err != nil {
				return nil, err
			}
		}
		l.mu.Lock()
		if l.all = nil; l.epoch == epoch && after == before {
			l.all, l.allGen = slices.Clone(out), after
		}
		l.mu.Unlock()
		return out, nil
	}
}

func (l *Vault) list(ctx context.Context) ([]*mdstore.Workspace, error) {
	var out []*mdstore.Workspace
	heads := map[mdstore.Path]*mdstore.Workspace{}
	for e, err := range l.st.List(ctx, "") {
		if err != nil && e.Path == "" {
			return nil, err
		}
		w := l.head(ctx, e, err)
		heads[e.Path] = w
		if !l.foreign(ctx, w) {
			out = append(out, w)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.heads = heads
	l.mu.Unlock()
	slices.SortStableFunc(out, func(a, b *mdstore.Workspace) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
	if i := slices.IndexFunc(out, func(w *mdstore.Workspace) bool { return w.ID == mdstore.DefaultWorkspace }); i >= 0 {
		out = append(slices.Delete(slices.Clone(out), i, i+1), out[i])
	}
	return out, nil
}

// head returns the workspace of a listed file. It does not read the file again if the stamp proves it unchanged.
func (l *Vault) head(ctx context.Context, e mdstore.Entry, err error) *mdstore.Workspace {
	l.mu.Lock()
	known := l.heads[e.Path]
	l.mu.Unlock()
	if err == nil && known != nil && known.Stamp.Same(e.Stamp) {
		return known
	}
	f := mdstore.File{Path: e.Path}
	if err == nil {
		f, err = l.st.Read(ctx, e.Path)
	}
	return workspaceOf(e.Path, f, err)
}

// foreign reports whether a folder is a workspace of TanmiWorkspace 1.x, which has a Workspace.md too, but without an
// id and with its graph beside it. It can be imported; no node of it can be worked on.
func (l *Vault) foreign(ctx context.Context, w *mdstore.Workspace) bool {
	if _, ok := w.Doc.Field(mdstore.KeyID); ok {
		return false
	}
	_, err := l.st.Stat(ctx, w.Dir.Join("graph.json"))
	return !errors.Is(err, fs.ErrNotExist)
}

// workspaceOf returns the workspace of a file; if it could not be read, the error is its problem.
func workspaceOf(p mdstore.Path, f mdstore.File, err error) *mdstore.Workspace {
	if err == nil {
		return mdstore.ParseWorkspace(f)
	}
	doc, _ := mdoc.Parse(string(p), nil, mdstore.WorkspaceForm)
	return mdstore.WorkspaceOf(p, mdstore.Version{}, doc, []mdoc.Diagnostic{ProblemOf(p, err)})
}

// ProblemOf returns the diagnostic of a file that could not be read.
func ProblemOf(p mdstore.Path, err error) mdoc.Diagnostic {
	var u *mdoc.UnreadableError
	switch {
	case errors.As(err, &u):
		return u.Problem
	case errors.Is(err, fs.ErrNotExist):
		return mdoc.Diagnostic{File: string(p), Code: view.CodeFileMissing, Text: "the file is missing; restore it (git, the trash) or remove its folder"}
	}
	text := err.Error() + "; try again, and look at the disk if it stays so"
	return mdoc.Diagnostic{File: string(p), Code: string(errs.FileUnreadable), Text: text}
}

// workspace returns the one workspace with that id. It lists the workspaces again only if they may have changed since
// the last time.
func (l *Vault) workspace(ctx context.Context, id mdstore.ID) (*mdstore.Workspace, error) {
	known, err := l.listed(ctx)
	if err != nil {
		return nil, err
	}
	if w, err := view.Workspace(known, id); err == nil {
		return w, nil
	}
	all, err := l.Workspaces(ctx)
	if err != nil {
		return nil, err
	}
	return view.Workspace(all, id)
}

// listed returns the workspaces as they were listed last, nil where a commit may have changed the list since.
func (l *Vault) listed(ctx context.Context) ([]*mdstore.Workspace, error) {
	gen, err := l.asked(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	all, last, epoch := l.all, l.allGen, l.epoch
	l.mu.Unlock()
	if all == nil || last == gen {
		return all, nil
	}
	if !l.within(ctx, all, last, gen) {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch == epoch && l.allGen == last {
		l.allGen = gen
	}
	return all, nil
}

// within reports whether the commits between two generations changed only files in folders of these workspaces, and
// none that lists or names one of them.
func (l *Vault) within(ctx context.Context, all []*mdstore.Workspace, before, now uint64) bool {
	h, ok := mdstore.AsStore[mdstore.History](l.st)
	if !ok || now < before {
		return false
	}
	paths, ok := h.ChangedSince(ctx, before, now)
	outside := func(p mdstore.Path) bool {
		return !p.Under(mdstore.LocalDir) && !slices.ContainsFunc(all, func(w *mdstore.Workspace) bool {
			return p.Under(w.Dir) && p != w.Dir && p != w.Path
		})
	}
	return ok && !slices.ContainsFunc(paths, outside)
}

// Known is Workspaces for what only Arbor writes: it lists them again only where a commit may have changed the list.
func (l *Vault) Known(ctx context.Context) ([]*mdstore.Workspace, error) {
	if known, err := l.listed(ctx); known != nil || err != nil {
		return known, err
	}
	return l.Workspaces(ctx)
}
