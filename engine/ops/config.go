package ops

import (
	"context"
	"path/filepath"

	"arbor/engine/config"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

type ConfigGetIn struct {
	In
	Key string `json:"key,omitempty" arg:"KEY" flag:"-" help:"a key or a table; default: all settings"`
}

// ConfigGetOut lists settings with their origins. It shows no secret.
type ConfigGetOut struct {
	Settings []config.Setting  `json:"settings"`
	Hidden   int               `json:"hidden,omitempty"` // settings that a bounded result leaves out
	Warnings []mdoc.Diagnostic `json:"warnings,omitempty"`
	Out
}

var configGet = op("config_get", reads|repeats, ConfigGet, Help{
	Summary: "show settings and where each is set",
	Use:     "admin config show KEY",
	Text: `Prints the effective value of a key, or the values of a table. -w includes the
workspace's own settings.`,
	Example: "arbor admin config show provider\narbor admin config show providers --json",
})

// ConfigGet returns the settings in effect: all, or those of a key or table.
func ConfigGet(ctx context.Context, env *Env, in ConfigGetIn) (*ConfigGetOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil && (in.WorkspaceID != "" || env.Where.Workspace != "") {
		return nil, err
	}
	s, err := env.Engine.Config(ctx, id) // without a workspace: the settings of the vault
	if err != nil {
		return nil, fail(err)
	}
	all, err := s.Below(in.Key)
	if err != nil {
		return nil, err
	}
	out := &ConfigGetOut{Settings: []config.Setting{}}
	for _, n := range all {
		if n.Layer == config.Vault || n.Layer == config.Workspace {
			n.File = env.path(mdstore.Path(n.File))
		}
		out.Settings = append(out.Settings, n)
	}
	for _, w := range s.Warnings {
		if !filepath.IsAbs(w.File) {
			w.File = env.path(mdstore.Path(w.File))
		}
		out.Warnings = append(out.Warnings, w)
	}
	if out.Hint = "a person changes settings (arbor admin config set)"; len(all) == 0 {
		out.Hint = in.Key + " is not set"
	}
	all = out.Settings
	env.fit(out, len(all), func(n int) { out.Settings, out.Hidden = all[:n], len(all)-n })
	return out, nil
}
