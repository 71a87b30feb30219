package live

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A reloader reads what may have changed since a view. While a program is still saving a file, that file may be
// missing, empty or half-written: editors truncate and write, git removes and creates. Until the save has settled, the
// view keeps its old content of such a file, which stays dirty.
type reloader struct {
	vault *Vault
	was   *view.View // nil for none
	dirty map[mdstore.Path]mark

	pageless bool // the next view has no pages, like the one before
	own      *mdstore.Workspace
	nodes    []*mdstore.Node
	pages    []*mdstore.Page
	gone     []mdstore.Path
	left     map[mdstore.Path]bool // dirty paths that stay as they were
	saving   map[mdstore.Path]bool // dirty paths that the next view has as they are, though a program may be saving them
	unsure   bool                  // a file could not be read for a reason that says nothing about the file: the next call tries again
}

// reload returns the next view of a workspace: by reading the dirty paths or, if these are not enough or with whole, by
// a scan.
func (r *reloader) reload(ctx context.Context, id mdstore.ID, whole bool) (*view.View, error) {
	if !whole {
		next, err := r.paths(ctx)
		if next != nil && err == nil && !r.pageless && !next.HasPages() {
			next, err = r.lookForPages(ctx, next)
		}
		if next != nil || err != nil {
			return next, err
		}
		r.nodes, r.pages, r.gone = nil, nil, nil
		clear(r.left)
		clear(r.saving)
	}
	w, err := r.vault.workspace(ctx, id)
	if err != nil {
		if p := r.ownPath(); p != "" && r.unsettled(p) {
			r.left[p] = true
			return r.was, ctx.Err() // the workspace's own file is being saved
		}
		return nil, err
	}
	return r.scan(ctx, w)
}

func (r *reloader) ownPath() mdstore.Path {
	if r.was == nil {
		return ""
	}
	return r.was.Workspace().Path
}

// unsettled reports whether a program may be in the middle of saving the file at p, or of changing a folder above it.
func (r *reloader) unsettled(p mdstore.Path) bool {
	r.vault.mu.Lock()
	defer r.vault.mu.Unlock()
	for q := p; q != ""; q = q.Dir() {
		if m, marked := r.vault.dirty[q]; marked && !m.settled {
			return true
		}
	}
	return false
}

// lookForPages returns a view with the pages of the workspace added.
func (r *reloader) lookForPages(ctx context.Context, v *view.View) (*view.View, error) {
	nodes := func(k *mdstore.Kind) bool { return k == mdstore.WorkspaceKind || k == mdstore.NodeKind }
	found, err := r.find(ctx, v.Workspace(), slices.DeleteFunc(slices.Clone(mdstore.AllKinds()), nodes)...)
	if err != nil {
		return nil, err
	}
	return v.WithPages(found.broken, found.pages...), nil
}

// A sighting is the result of a scan.
type sighting struct {
	nodes  []*mdstore.Node
	pages  []*mdstore.Page
	broken map[mdstore.Path]mdoc.Diagnostic
}

// find scans a workspace for files of these kinds; of all kinds if none is given.
func (r *reloader) find(ctx context.Context, w *mdstore.Workspace, kinds ...*mdstore.Kind) (*sighting, error) {
	scanner, ok := mdstore.AsStore[mdstore.Scanner](r.vault.st)
	if !ok {
		return nil, errors.New("the store cannot scan a workspace")
	}
	found, err := scanner.Scan(ctx, w.Dir, kinds...)
	if err != nil {
		return nil, err
	}
	out := &sighting{broken: map[mdstore.Path]mdoc.Diagnostic{}}
	for _, rec := range found.Records {
		switch k := mdstore.AllKinds().Of(rec.Path); k {
		case mdstore.NodeKind:
			out.nodes = append(out.nodes, rec.Node())
		case mdstore.WorkspaceKind:
		default:
			out.pages = append(out.pages, rec.Page(k))
		}
	}
	for _, f := range found.Others {
		switch k := mdstore.AllKinds().Of(f.Path); k {
		case mdstore.NodeKind:
			out.nodes = append(out.nodes, r.other(mdstore.ParseNode(f).Lean()))
		case mdstore.WorkspaceKind:
		default:
			out.pages = append(out.pages, r.otherPage(mdstore.ParsePage(k, f)))
		}
	}
	for _, x := range found.Broken {
		r.unsure = r.unsure || Passing(x.Err)
		if x.Path != w.Path {
			out.broken[x.Path] = ProblemOf(x.Path, x.Err)
		}
	}
	return out, nil
}

// scan reads the whole workspace, or all of it except pages.
func (r *reloader) scan(ctx context.Context, w *mdstore.Workspace) (*view.View, error) {
	var kinds []*mdstore.Kind
	if r.pageless {
		kinds = []*mdstore.Kind{mdstore.WorkspaceKind, mdstore.NodeKind}
	}
	found, err := r.find(ctx, w, kinds...)
	if err != nil {
		return nil, err
	}
	f, err := r.vault.st.Read(ctx, w.Path)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	r.unsure = r.unsure || Passing(err)
	own := workspaceOf(w.Path, f, err)
	if r.was != nil && own.Doc.Editable() != nil && own.Path == r.was.Workspace().Path {
		if last := r.was.Workspace(); r.unsettled(own.Path) && last.Doc.Editable() == nil {
			own = last
			r.left[own.Path] = true
		} else if own.Lost() && !last.Lost() {
			own = own.Held(last)
		}
	}
	v := view.WithoutPages(own, found.nodes, found.broken)
	if !r.pageless {
		v = v.WithPages(found.broken, found.pages...)
	}
	if away, pages := r.missing(v); len(away)+len(pages) > 0 {
		v = v.Next(own, away, nil, pages...)
	}
	return v, nil
}

// other returns a node for the next view. While a damaged file is being saved, its node stays as it was. If not even
// the front matter can be read, the node keeps its earlier one.
func (r *reloader) other(n *mdstore.Node) *mdstore.Node {
	if r.was == nil || n.Editable() == nil {
		return n
	}
	last, ok := r.was.File(n.Path)
	switch {
	case !ok:
	case last.Editable() == nil && r.unsettled(n.Path):
		r.leave(n.Path)
		return last
	case n.Lost() && !last.Lost():
		return n.Held(last)
	}
	return n
}

// leave keeps a path dirty.
func (r *reloader) leave(p mdstore.Path) {
	for q := p; q != ""; q = q.Dir() {
		if _, marked := r.dirty[q]; marked {
			r.left[q] = true
		}
	}
}

// missing returns the nodes and pages of the previous view that a scan did not find and that may be back in a moment. A
// node that is elsewhere has moved and is not missing.
func (r *reloader) missing(v *view.View) (out []*mdstore.Node, pages []*mdstore.Page) {
	if r.was == nil {
		return nil, nil
	}
	for _, p := range r.was.KnownPages().All() {
		_, there := v.KnownPages().At(p.Path)
		if _, elsewhere := v.KnownPages().Get(p.Kind, p.ID); !there && !elsewhere && r.unsettled(p.Path) {
			r.leave(p.Path)
			pages = append(pages, p)
		}
	}
	for n := range r.was.All() {
		_, there := v.File(n.Path)
		if _, elsewhere := v.Node(n.ID); !there && !elsewhere && r.unsettled(n.Path) {
			r.leave(n.Path)
			out = append(out, n)
		}
	}
	return out, pages
}

// Passing reports whether an error says nothing about the file itself, such as a disk that fails for a moment.
func Passing(err error) bool {
	_, unreadable := errors.AsType[*mdoc.UnreadableError](err)
	return err != nil && !unreadable && !errors.Is(err, fs.ErrNotExist)
}

// paths reads the dirty paths. It returns nil if a scan is needed.
func (r *reloader) paths(ctx context.Context) (*view.View, error) {
	r.own = r.was.Workspace()
	for p, m := range r.dirty {
		if ok, err := r.path(ctx, p, m.settled); err != nil || !ok {
			return nil, err
		}
	}
	r.moved()
	if len(r.nodes)+len(r.pages)+len(r.gone) == 0 && r.own == r.was.Workspace() {
		return r.was, nil
	}
	next := r.was.Next(r.own, r.nodes, r.gone, r.pages...)
	for _, p := range r.gone { // a folder that stays without any node misses its file, which a scan reports
		if top, ok := mdstore.NodeKind.Top(r.own.Dir, p); ok && !next.Holds(top) {
			if there, err := r.exists(ctx, top); err != nil || there {
				return nil, err
			}
		}
	}
	return next, nil
}

// path reads one path. ok is false if a scan is needed.
func (r *reloader) path(ctx context.Context, p mdstore.Path, settled bool) (ok bool, err error) {
	switch k := mdstore.AllKinds().Of(p); k {
	case mdstore.WorkspaceKind:
		return r.workspace(ctx, p, settled)
	case mdstore.NodeKind:
		return r.node(ctx, p, p, settled)
	case nil: // a file of no kind, or a folder
	default:
		if r.was.HasPages() {
			return r.page(ctx, k, p, settled)
		}
		r.saving[p] = !settled
		return true, nil
	}
	f, err := r.vault.st.Read(ctx, p)
	switch {
	case err == nil:
		return f.Path != "", nil // a file of no kind
	case errors.Is(err, fs.ErrNotExist):
		return r.folderGone(p, settled), nil
	case !Passing(err) && r.dirty[p].commit: // a folder that came from elsewhere, with all its nodes
		return false, nil
	case !Passing(err): // a folder
		if p.Under(mdstore.NodeKind.Folder(r.own.Dir)) {
			return r.node(ctx, p, mdstore.NodeKind.File(p), settled)
		}
		return !r.newFolder(p), nil
	}
	return false, err
}

func (r *reloader) workspace(ctx context.Context, p mdstore.Path, settled bool) (ok bool, err error) {
	f, err := r.vault.st.Read(ctx, p)
	if err != nil {
		if !settled {
			r.left[p] = true
		}
		return !settled, ctx.Err()
	}
	if f.Version == r.own.Version {
		return true, nil
	}
	w := mdstore.ParseWorkspace(f)
	if w.Doc.Editable() != nil && !settled && r.own.Doc.Editable() == nil {
		r.left[p] = true
		return true, nil
	}
	if w.ID != r.own.ID {
		return false, nil
	}
	if w.Lost() && !r.own.Lost() {
		w = w.Held(r.own)
	}
	r.own = w
	return true, nil
}

// node reads the file of a node at p; marked is the path that was marked for it.
func (r *reloader) node(ctx context.Context, marked, p mdstore.Path, settled bool) (ok bool, err error) {
	last, had := r.was.File(p)
	f, err := r.vault.st.Read(ctx, p)
	switch {
	case err == nil && had && last.Version() == f.Version:
		if r.dirty[marked].shown { // otherwise it is the echo of a commit
			r.saving[marked] = true
		}
	case err == nil:
		n := mdstore.ParseNode(f)
		if n.Editable() != nil && !settled && (!had || last.Editable() == nil) {
			r.left[marked] = true
			return true, nil
		}
		if !settled {
			r.saving[marked] = true
		}
		r.nodes = append(r.nodes, n.Lean())
	case ctx.Err() != nil:
		return false, ctx.Err()
	case !settled:
		r.left[marked] = true
	case errors.Is(err, fs.ErrNotExist):
		if there, err := r.exists(ctx, p.Dir()); err != nil || there {
			return false, err
		}
		return r.folderGone(p.Dir(), settled), nil
	default:
		return false, nil
	}
	return true, nil
}

// folderGone removes the files at or below a path that does not exist any more.
func (r *reloader) folderGone(p mdstore.Path, settled bool) (ok bool) {
	if r.own.Path.Under(p) {
		return false
	}
	for _, broken := range []map[mdstore.Path]mdoc.Diagnostic{r.was.Broken(), r.was.KnownPages().Broken()} {
		for b := range broken {
			if b.Under(p) {
				return false
			}
		}
	}
	for n := range r.was.Under(p) {
		if !settled {
			r.left[p] = true
			break
		}
		r.gone = append(r.gone, n.Path)
	}
	for _, q := range r.was.KnownPages().All() {
		if !q.Path.Under(p) {
			continue
		}
		if !settled {
			r.left[p] = true
			break
		}
		r.gone = append(r.gone, q.Path)
	}
	return true
}

// moved removes missing nodes whose folder is being changed if they are now elsewhere: then the folder was renamed, and
// no save is in progress.
func (r *reloader) moved() {
	came := map[mdstore.ID]bool{}
	for _, n := range r.nodes {
		came[n.ID] = true
	}
	for p := range r.left {
		var gone []mdstore.Path
		all := true
		for n := range r.was.Under(p) {
			all = all && came[n.ID]
			gone = append(gone, n.Path)
		}
		if n, ok := r.was.File(p); ok {
			all, gone = came[n.ID], []mdstore.Path{p}
		}
		if all && len(gone) > 0 {
			r.gone = append(r.gone, gone...)
			delete(r.left, p)
		}
	}
}

func (r *reloader) exists(ctx context.Context, p mdstore.Path) (bool, error) {
	_, err := r.vault.st.Stat(ctx, p)
	if Passing(err) {
		return false, err
	}
	return !errors.Is(err, fs.ErrNotExist), nil
}
