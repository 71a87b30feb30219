package engine

import (
	"context"

	"arbor/context/assemble"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Context assembles what somebody who works on a node must know. An empty id is the focused node, or the root where none is focused.
func (e *Engine) Context(ctx context.Context, ws, id mdstore.ID, opt assemble.Options) (*assemble.Bundle, error) {
	snap, err := e.Snapshot(ctx, ws)
	if err != nil {
		return nil, err
	}
	if id == "" {
		if id = snap.ws.Focus; id == "" {
			id = mdstore.Root
		}
	}
	if _, err := snap.Known(id); err != nil {
		return nil, err
	}
	var src assemble.Source = snap
	if r, ok := e.st.(mdstore.DocReader); ok {
		src = documented{snap, ctx, r}
	}
	return assemble.Context(src, id, opt)
}

// documented adds the titles of the project's documents to a snapshot.
type documented struct {
	*Snapshot
	ctx context.Context // of the one call that the value lives for
	r   mdstore.DocReader
}

var _ assemble.DocSource = documented{}

// Doc returns what the front matter of a document says of it.
func (s documented) Doc(target string) (mdoc.Foreign, bool) {
	data, err := s.r.ReadDoc(s.ctx, target)
	if err != nil {
		return mdoc.Foreign{}, false
	}
	return mdoc.ReadForeign(data), true
}
