package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"arbor/cmd/internal/cli"
	"arbor/engine/errs"
)

// personal returns the vault of this person, which lies outside of any project: paths of documents are relative to it.
func (v vaults) personal() (cli.Found, error) {
	path := v.data()
	if path == "" {
		return cli.Found{User: true}, errs.New(errs.InvalidPath, "the folder of your own vault is not known: HOME names no folder; set it, or XDG_DATA_HOME, or name a vault (--vault DIR)")
	}
	f, err := checked(cli.Found{Vault: path, Project: path, Why: "your own vault", User: true, Looked: []cli.Look{{Path: path, What: "your own vault"}}})
	if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
		err = notFound("%s: your own vault is not there yet; the first command with --user that writes makes it", path)
	}
	return f, err
}

// The folders of Arbor that are this person's; "" for one that is not known.
func (v vaults) state() string {
	return v.own(runtime.GOOS, "XDG_STATE_HOME", "LOCALAPPDATA", ".local/state")
}
func (v vaults) settings() string {
	return v.own(runtime.GOOS, "XDG_CONFIG_HOME", "APPDATA", ".config")
}
func (v vaults) data() string {
	return v.own(runtime.GOOS, "XDG_DATA_HOME", "LOCALAPPDATA", ".local/share")
}

// folders returns the person's folders of settings and data.
func (v vaults) folders() []string {
	return slices.DeleteFunc([]string{v.settings(), v.data()}, func(dir string) bool { return dir == "" })
}

// own returns Arbor's folder for a person's data on a system: below the folder that the XDG variable names, or else the
// variable of Windows, or else below a folder in the home; "" if the environment has none of these.
func (v vaults) own(system, xdg, windows, folder string) string {
	dir, name := v.getenv(xdg), "Arbor"
	switch home := v.home(); {
	case filepath.IsAbs(dir): // the standard says to ignore relative paths
		name = "arbor"
	case system == "windows":
		dir = v.getenv(windows)
	case system == "darwin":
		dir = filepath.Join(home, "Library", "Application Support")
	default:
		dir, name = filepath.Join(home, folder), "arbor"
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, name)
}
