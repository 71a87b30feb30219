package app

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/setup"
	"arbor/engine/config"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore/guard"
	"arbor/mdstore/pattern"
)

// configMost is more bytes than a file of settings can need.
const configMost = 64 << 10

// layers returns the settings from outside of the vault: the person's, the project's, the environment's and the flag's.
func (v vaults) layers(vault string, found cli.Found) []config.Layer {
	return []config.Layer{
		readLayer(config.User, v.userFile()), readLayer(config.Project, filepath.Join(found.Project, configFile)),
		config.Env(v.getenv), config.Given(config.Flag, "vault", "--vault", vault),
	}
}

// userFile returns the place of the person's own file of settings, "" if unknown.
func (v vaults) userFile() string {
	if dir := v.settings(); dir != "" {
		return filepath.Join(dir, "config.toml")
	}
	return ""
}

// readLayer reads a file of settings. A missing file gives an empty layer.
func readLayer(l config.Level, file string) config.Layer {
	out := config.Layer{Level: l, File: file}
	if file == "" {
		return out
	}
	out.Data, out.Err = guard.ReadFile(filepath.Dir(file), filepath.Base(file), configMost)
	if errors.Is(out.Err, fs.ErrNotExist) {
		out.Err = nil
	}
	return out
}

// namesVault matches a line of a broken arbor.toml that is about the vault.
var namesVault = pattern.Of(`(?m)^\s*["']?vault`)

// configured returns the vault that the arbor.toml in a folder names; "" for none. refused says that it names a vault
// outside of the project, which is ignored. err says that the file, or its setting vault, cannot be read.
func configured(dir string) (name string, refused, err error) {
	l := readLayer(config.Project, filepath.Join(dir, configFile))
	if l.Err != nil {
		return "", nil, errs.New(errs.InvalidPath, "%s cannot be read: %s", l.File, errs.OfFile(l.Err))
	}
	s := config.Merge(l)
	for _, w := range s.Warnings {
		bad := errs.New(errs.InvalidContent, "%s:%d: %s; %s", w.File, w.Line, w.Text, vaultLine)
		switch meant := strings.HasSuffix(w.Text, "did you mean vault?"); {
		case meant:
			bad.Details = &errs.Details{Nearest: "vault"}
			return "", nil, bad
		case w.Code == config.CodeRefused && strings.HasPrefix(w.Text, "vault "):
			refused = bad
		case strings.HasPrefix(w.Text, "vault"), strings.HasPrefix(w.Text, "is no TOML") && namesVault().Match(l.Data):
			return "", nil, bad
		}
	}
	return config.Value[string](s, "vault"), refused, nil
}

// vaultLine describes the key vault in configFile, for errors.
const vaultLine = `the name or path of a folder is expected, in quotes: vault = "plans"`

// editConfig changes the person's own file of settings, or that of the project.
func (v vaults) editConfig(
	p cli.Lookup, l config.Level, dry bool, edit func(string, []byte) ([]byte, error),
) (*plan.Outcome, error) {
	if l == config.Project {
		found, err := v.Find(p)
		if e := errs.As(err); e != nil && e.Code != errs.VaultNotFound && e.Code != errs.InvalidContent {
			return nil, err
		}
		return setup.EditFile(filepath.Join(found.Project, configFile), 0o644, dry, edit)
	}
	file := v.userFile()
	if file == "" {
		return nil, errs.New(errs.InvalidPath, "the folder of your own settings is not known; set HOME or XDG_CONFIG_HOME")
	}
	return setup.EditFile(file, 0o600, dry, edit)
}
