package engine

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"

	"arbor/engine/config"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Config returns the effective settings of a workspace, or of the vault if ws is empty. Files of the vault are named
// relative to it. Problems in a file are warnings.
func (e *Engine) Config(ctx context.Context, ws mdstore.ID) (*config.Settings, error) {
	layers := append(e.opt.Config(), e.configIn(ctx, config.Vault, mdstore.ConfigFile))
	if ws != "" {
		file, err := e.configFile(ctx, ws)
		if err != nil {
			return nil, err
		}
		layers = append(layers, e.configIn(ctx, config.Workspace, file))
	}
	return config.Merge(layers...), ctx.Err()
}

// configFile returns the place of the settings of a workspace, or of the vault if the id is empty.
func (e *Engine) configFile(ctx context.Context, ws mdstore.ID) (mdstore.Path, error) {
	if ws == "" {
		return mdstore.ConfigFile, nil
	}
	v, err := e.View(ctx, ws)
	if err != nil {
		return "", err
	}
	return v.Workspace().Dir.Join(mdstore.ConfigFile), nil
}

// configIn reads a settings file of the vault.
func (e *Engine) configIn(ctx context.Context, l config.Level, p mdstore.Path) config.Layer {
	f, err := e.st.Read(ctx, p)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return config.Layer{Level: l, File: string(p), Data: f.Data, Err: err}
}

// checkConfig returns the problems of the settings in a workspace's folder, or, if dir is empty, of those of the vault
// and the project. It names the project's file as the engine's options do.
func (e *Engine) checkConfig(ctx context.Context, dir mdstore.Path) []mdoc.Diagnostic {
	if dir != "" {
		return config.Merge(e.configIn(ctx, config.Workspace, dir.Join(mdstore.ConfigFile))).Warnings
	}
	layers := slices.DeleteFunc(e.opt.Config(), func(l config.Layer) bool { return l.Level != config.Project })
	return config.Merge(append(layers, e.configIn(ctx, config.Vault, mdstore.ConfigFile))...).Warnings
}

// EditConfig changes the settings file of a workspace, or of the vault if the id is empty. The outcome holds the whole
// file before and after, which may contain secrets.
func (e *Engine) EditConfig(
	ctx context.Context, ws mdstore.ID, act plan.Act, edit func(file string, src []byte) ([]byte, error),
) (*plan.Outcome, error) {
	p, err := e.configFile(ctx, ws)
	if err != nil {
		return nil, err
	}
	return e.EditFile(ctx, p, act, func(src []byte) ([]byte, error) { return edit(string(p), src) })
}

// EditFile replaces a file of the vault. edit gets its present bytes, nil if it is missing, and returns the new ones,
// nil to remove it.
func (e *Engine) EditFile(
	ctx context.Context, p mdstore.Path, act plan.Act, edit func([]byte) ([]byte, error),
) (*plan.Outcome, error) {
	out := &plan.Outcome{DryRun: act.DryRun}
	defer e.live.Stale()
	return e.write(ctx, out, func() ([]mdstore.Change, error) {
		old, err := e.st.Read(ctx, p)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		c := mdstore.Change{Path: p, Base: old.Version}
		if c.New, err = edit(old.Data); err != nil || bytes.Equal(c.New, old.Data) {
			return nil, err
		}
		out.Files = []plan.FileChange{{Path: p, Old: old.Data, New: c.New}}
		if c.New != nil {
			out.Files[0].Version = mdstore.VersionOf(c.New)
		}
		return []mdstore.Change{c}, writable(ctx, e.st, []mdstore.Change{c})
	})
}

// RawFile returns the bytes of a file of the vault as they are, nil if there is none.
func (e *Engine) RawFile(ctx context.Context, p mdstore.Path) ([]byte, error) {
	f, err := e.st.Read(ctx, p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f.Data, err
}
