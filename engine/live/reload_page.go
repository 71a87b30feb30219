package live

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// otherPage returns a page for the next view. A damaged page keeps its former content while a program is saving the
// file.
func (r *reloader) otherPage(p *mdstore.Page) *mdstore.Page {
	if r.was == nil || p.Editable() == nil || !r.unsettled(p.Path) {
		return p
	}
	if last, ok := r.was.KnownPages().At(p.Path); ok && last.Editable() == nil {
		r.leave(p.Path)
		return last
	}
	return p
}

// newFolder reports whether a folder may hold pages that the view does not have yet.
func (r *reloader) newFolder(p mdstore.Path) bool {
	for _, k := range mdstore.AllKinds() {
		if !r.was.HasPages() {
			break
		}
		if dir := k.Folder(r.own.Dir); dir != r.own.Dir && p.Under(dir) && k != mdstore.NodeKind && !r.holdsPage(p) {
			return true
		}
	}
	return false
}

func (r *reloader) holdsPage(dir mdstore.Path) bool {
	return slices.ContainsFunc(r.was.KnownPages().All(), func(p *mdstore.Page) bool { return p.Path.Under(dir) })
}

// page reads the file of a page.
func (r *reloader) page(ctx context.Context, k *mdstore.Kind, path mdstore.Path, settled bool) (ok bool, err error) {
	last, had := r.was.KnownPages().At(path)
	f, err := r.vault.st.Read(ctx, path)
	switch {
	case err == nil && had && last.Version() == f.Version:
		if r.dirty[path].shown {
			r.saving[path] = true
		}
	case err == nil:
		p := mdstore.ParsePage(k, f)
		if p.Editable() != nil && !settled && (!had || last.Editable() == nil) {
			r.left[path] = true
			return true, nil
		}
		if !settled {
			r.saving[path] = true
		}
		r.pages = append(r.pages, p.Lean())
	case ctx.Err() != nil:
		return false, ctx.Err()
	case !settled:
		r.left[path] = true
	case errors.Is(err, fs.ErrNotExist):
		if _, broken := r.was.KnownPages().Broken()[path]; broken {
			return false, nil
		}
		r.gone = append(r.gone, path)
	default:
		return false, nil
	}
	return true, nil
}

// VaultPages returns the files of a kind that lie in the vault itself, in the order of paths. They are read each time.
func (l *Vault) VaultPages(ctx context.Context, k *mdstore.Kind) ([]*mdstore.Page, error) {
	var out []*mdstore.Page
	for e, err := range l.st.List(ctx, mdstore.Path(k.Place.Dir)) {
		if err != nil && e.Path == "" {
			return nil, err
		}
		f := mdstore.File{Path: e.Path}
		if err == nil {
			f, err = l.st.Read(ctx, e.Path)
		}
		switch {
		case err == nil:
			out = append(out, mdstore.ParsePage(k, f))
		case errors.Is(err, fs.ErrNotExist):
		default:
			doc, _ := mdoc.Parse(string(e.Path), nil, k.Form)
			out = append(out, mdstore.PageOf(k, e.Path, mdstore.Version{}, doc, []mdoc.Diagnostic{ProblemOf(e.Path, err)}))
		}
	}
	return out, ctx.Err()
}
