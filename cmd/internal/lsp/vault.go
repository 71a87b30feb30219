package lsp

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/live"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A vault is one that a folder or document of the client lies in. It is followed until the server ends.
type vault struct {
	engine *engine.Engine
	dir    string        // without symbolic links
	done   chan struct{} // closed when it is no longer followed

	loaded  bool                  // the views were read: before, nothing is checked, so that the loop waits for no file
	told    map[mdstore.Path]bool // files for which diagnostics were published
	suspect map[mdstore.Path]bool // files to check
	all     bool                  // every file is to be checked
	looking bool                  // a check of every file is under way

	linked  map[mdstore.Path]linked // see refsOf
	linking bool                    // readLinks has begun
}

// vaultOf returns the vault that a file or folder belongs to, or nil outside of all vaults.
func (s *server) vaultOf(path string) *vault {
	dir := real(path)
	for _, v := range s.vaults {
		if _, in := below(v.dir, dir); in {
			return v
		}
	}
	e, err := s.opt.Open(s.ctx, dir)
	if err != nil {
		if errs.As(err).Code != errs.VaultNotFound {
			s.opt.Log.Warn("a vault cannot be opened", "folder", dir, "error", err)
			_ = s.notify(nil, "window/logMessage", map[string]any{"type": 2, "message": "arbor: " + said(err)})
		}
		return nil
	}
	for _, v := range s.vaults {
		if v.engine == e {
			return v
		}
	}
	v := &vault{engine: e, dir: real(e.Vault()), done: make(chan struct{}), told: map[mdstore.Path]bool{},
		suspect: map[mdstore.Path]bool{}, linked: map[mdstore.Path]linked{}}
	s.vaults = append(s.vaults, v)
	go s.follow(v)
	s.tasks.Go(func() {
		all, _ := v.engine.Workspaces(s.ctx) // an error comes again with the first check
		for _, w := range all {
			if w.Status != mdstore.StatusArchived {
				_, _ = v.engine.View(s.ctx, w.ID)
			}
		}
		s.post(func() { v.loaded = true })
	})
	return v
}

// follow posts what changes in a vault.
func (s *server) follow(v *vault) {
	defer close(v.done)
	err := v.engine.Follow(s.ctx, func() {
		s.post(func() { s.changed(v, live.News{All: true}) })
	}, func(n live.News) {
		v.engine.Live().Late(s.ctx, true)
		s.post(func() { s.changed(v, n) })
	})
	if err != nil && s.ctx.Err() == nil {
		s.opt.Log.Warn("a vault is not followed: changes by others show with the next change here", "error", err)
		s.post(func() { s.changed(v, live.News{All: true}) })
	}
}

// changed notes that files of a vault may have changed.
func (s *server) changed(v *vault, n live.News) {
	v.all = v.all || n.All
	for _, p := range n.Paths {
		v.suspect[p] = true
	}
	for p := range v.told {
		v.suspect[p] = true // what one file says may have mended another one
	}
	for _, d := range s.docs {
		if d.vault == v {
			d.checked, d.synced = false, false
		}
	}
	s.refreshHints()
	_ = s.notify(nil, changedMethod, map[string]any{})
}

// changedMethod tells the extension for VS Code that the plan has changed. Clients ignore notifications with $/ that
// they do not know.
const changedMethod = "$/arbor/changed"

// refreshHints asks the client to request hints and lenses again.
func (s *server) refreshHints() {
	if s.can.Workspace.InlayHint.Refresh {
		s.ask("workspace/inlayHint/refresh", nil, func(json.RawMessage, *rpcError) {})
	}
	if s.can.Workspace.CodeLens.Refresh {
		s.ask("workspace/codeLens/refresh", nil, func(json.RawMessage, *rpcError) {})
	}
}

// over calls f with the view of the workspace in a folder, with the texts of open documents instead of the files. It
// may call f several times: only the last call counts.
func (s *server) over(v *vault, dir mdstore.Path, f func(ctx context.Context, v *view.View) error) error {
	ws, err := v.workspaceIn(s.ctx, dir)
	if err != nil {
		return err
	}
	var open []mdstore.File
	for _, d := range s.docs {
		if d.vault == v && d.kind != nil && !d.kind.Place.Vault && mdstore.WorkspaceDir(d.path) == dir && d.dirty() {
			open = append(open, d.file())
		}
	}
	return v.engine.Read(s.ctx, func(ctx context.Context) error {
		w, err := v.engine.View(ctx, ws)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			w = w.With(open...)
		}
		return f(ctx, w)
	})
}

// workspaceIn returns the id of the workspace in a folder of the vault.
func (v *vault) workspaceIn(ctx context.Context, dir mdstore.Path) (mdstore.ID, error) {
	all, err := v.engine.Workspaces(ctx)
	if err != nil {
		return "", err
	}
	for _, w := range all {
		if w.Dir == dir {
			return w.ID, nil
		}
	}
	return "", errs.New(errs.WorkspaceNotFound, "%s: no workspace has its files there", dir)
}

// file returns the path of a file of the vault on this machine.
func (v *vault) file(p mdstore.Path) string {
	return filepath.Join(v.dir, filepath.FromSlash(string(p)))
}

// uri returns the address of a file of the vault.
func (v *vault) uri(p mdstore.Path) string { return uriOf(v.file(p)) }

// pathOf returns the path of a file: URI; ok is false for any other.
func pathOf(uri string) (path string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	path = u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), true
}

func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// real returns a path without symbolic links, as far as it leads to something.
func real(path string) string {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(real(dir), filepath.Base(path))
	}
	return path
}

// below returns the path of a file or folder relative to a folder in which it lies.
func below(dir, path string) (rel string, in bool) {
	rel, err := filepath.Rel(dir, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
