package engine

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"arbor/context/assemble"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Context assembles what work on a node needs. An empty id means the node with the workspace's focus, or the root if no
// node has the focus or that node is gone.
func (e *Engine) Context(ctx context.Context, ws, id mdstore.ID, opt assemble.Options) (b *assemble.Bundle, err error) {
	if r, ok := e.docs(); ok {
		opt.Doc = func(target string) (mdoc.Foreign, bool) {
			data, err := readDoc(ctx, r, target)
			return mdoc.ReadForeign(data), err == nil
		}
	}
	err = e.Read(ctx, func(ctx context.Context) error {
		v, err := e.View(ctx, ws)
		if err != nil {
			return err
		}
		focus := id
		if focus == "" {
			focus = mdstore.Root
			if n, ok := v.Node(v.Workspace().Focus); ok {
				focus = n.ID
			}
		}
		if _, err = v.Known(focus); err == nil {
			b, err = assemble.Context(v, focus, opt)
		}
		return err
	})
	return b, err
}

// readDoc reads the document that a reference leads to. It accepts the forms that people write: a path, a path with %20
// for blanks as in links, a path with a #heading, and a path without .md as in wikilinks.
func readDoc(ctx context.Context, r mdstore.Docs, target string) ([]byte, error) {
	data, err := r.ReadDoc(ctx, target, mdstore.MaxFileSize)
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
			if data, terr := r.ReadDoc(ctx, p, mdstore.MaxFileSize); terr == nil {
				return data, nil
			}
		}
	}
	return nil, err
}
