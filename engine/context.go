package engine

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"arbor/context/assemble"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Context assembles what work on a node needs. An empty id is the focused node, or the root where none is focused or the focused one is
// gone.
func (e *Engine) Context(ctx context.Context, ws, id mdstore.ID, opt assemble.Options) (b *assemble.Bundle, err error) {
	err = e.Read(ctx, func(ctx context.Context) error {
		v, err := e.View(ctx, ws)
		if err == nil {
			b, err = contextOf(ctx, v, id, opt, e.st)
		}
		return err
	})
	return b, err
}

func contextOf(ctx context.Context, v *view.View, id mdstore.ID, opt assemble.Options, st mdstore.Store) (*assemble.Bundle, error) {
	if id == "" {
		id = mdstore.Root
		if n, ok := v.Node(v.Workspace().Focus); ok {
			id = n.ID
		}
	}
	var src assemble.Source = v
	if r, ok := mdstore.AsStore[mdstore.Docs](st); ok {
		src = documented{v, ctx, r}
	}
	b, err := assemble.Context(src, id, opt)
	if _, unknown := errors.AsType[*assemble.UnknownNodeError](err); unknown {
		return nil, v.Unknown(string(id))
	}
	return b, err
}

// documented adds the titles of the project's documents to a view.
type documented struct {
	*view.View
	ctx context.Context // of the one call that the value lives for
	r   mdstore.Docs
}

var _ assemble.DocSource = documented{}

// Doc returns what the front matter of a document says of it.
func (s documented) Doc(target string) (mdoc.Foreign, bool) {
	data, err := readDoc(s.ctx, s.r, target)
	if err != nil {
		return mdoc.Foreign{}, false
	}
	return mdoc.ReadForeign(data), true
}

// readDoc reads the document that a reference leads to, in any of the forms that people write: its path, a path with %20 for blanks as
// links have it, one with a #heading behind it, or one without .md as wikilinks have it.
func readDoc(ctx context.Context, r mdstore.Docs, target string) ([]byte, error) {
	data, err := r.ReadDoc(ctx, target)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	base, _, _ := strings.Cut(target, "#")
	tries := []string{base}
	if plain, uerr := url.PathUnescape(base); uerr == nil {
		tries = append(tries, plain)
	}
	for _, t := range tries {
		for _, p := range []string{t, t + ".md"} {
			if p == target || p == "" || p != t && path.Ext(t) == ".md" {
				continue
			}
			if data, terr := r.ReadDoc(ctx, p); terr == nil {
				return data, nil
			}
		}
	}
	return nil, err
}
