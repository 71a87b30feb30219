package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// showContext shows the context of the node in a file, as an assistant gets it, in a document of its own.
func (s *server) showContext(uri string) error {
	d := s.docs[uri]
	if d == nil {
		return errs.New(errs.InvalidParams, "%s: the file is not open, or lies outside of all vaults", uri)
	}
	ws, err := d.vault.workspaceIn(s.ctx, mdstore.WorkspaceDir(d.path))
	if err != nil {
		return err
	}
	w, err := d.vault.engine.View(s.ctx, ws)
	if err != nil {
		return err
	}
	n, ok := w.File(d.path)
	if !ok {
		return errs.New(errs.InvalidParams, "%s: only nodes have a context", d.path)
	}
	if !s.can.Window.ShowDocument.Support {
		return errs.New(errs.InvalidParams,
			"this editor shows no documents that a server names; arbor context %s prints it", n.ID)
	}
	out, err := ops.ContextGet(s.ctx, s.env(d.vault), ops.ContextGetIn{
		In: ops.In{WorkspaceID: string(ws)}, NodeID: string(n.ID), Format: "markdown"})
	if err != nil {
		return err
	}
	if s.scratch == "" {
		if s.scratch, err = os.MkdirTemp("", "arbor-lsp-"); err != nil {
			return err
		}
	}
	file := filepath.Join(s.scratch, "context of "+string(n.ID)+".md")
	if err := os.WriteFile(file, []byte(out.Markdown), 0o600); err != nil {
		return err
	}
	show := map[string]any{"uri": uriOf(file), "takeFocus": true}
	s.ask("window/showDocument", show, func(json.RawMessage, *rpcError) {})
	return nil
}

// showPage opens the page of the vault of a file or folder in the browser. It returns before
// the page is open, because the server of the page may have to be started first.
func (s *server) showPage(uri string) error {
	path, _ := pathOf(uri)
	v := s.vaultOf(path)
	switch {
	case v == nil:
		return errs.New(errs.VaultNotFound, "%s: no vault has this file or folder; arbor init makes one", uri)
	case s.opt.Page == nil || !s.can.Window.ShowDocument.Support:
		return errs.New(errs.InvalidParams, "this editor opens no pages that a server names; arbor serve --open does")
	}
	s.tasks.Go(func() {
		page, err := s.opt.Page(s.ctx, v.engine)
		s.post(func() {
			if err != nil {
				_ = s.notify(nil, "window/showMessage", map[string]any{"type": 1, "message": "arbor: " + said(err)})
				return
			}
			s.ask("window/showDocument", map[string]any{"uri": page, "external": true}, func(json.RawMessage, *rpcError) {})
		})
	})
	return nil
}
