package app

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"arbor/cmd/internal/cli"
	"arbor/engine/errs"
)

// personal returns the vault of this person, which lies outside of any project: paths of documents are relative to it.
func (v vaults) personal() (cli.Found, error) {
	dir := v.dataHome(runtime.GOOS)
	if !filepath.IsAbs(dir) {
		return cli.Found{User: true}, errs.New(errs.VaultNotFound, "the folder of your own vault is not known: HOME names no folder; set it, or XDG_DATA_HOME")
	}
	name := "arbor"
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		name = "Arbor"
	}
	path := filepath.Join(dir, name)
	f, err := checked(cli.Found{Vault: path, Project: path, Why: "your own vault", User: true, Looked: []cli.Look{{Path: path, What: "your own vault"}}})
	if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) {
		err = notFound("%s: your own vault is not there yet; the first command with --user that writes makes it", path)
	}
	return f, err
}

// dataHome returns the folder in which programs keep the data of a person on a system; "" where the environment does not tell.
func (v vaults) dataHome(system string) string {
	home := cmp.Or(v.getenv("HOME"), v.getenv("USERPROFILE"))
	switch {
	case system == "windows":
		return v.getenv("LOCALAPPDATA")
	case system == "darwin":
		return filepath.Join(home, "Library", "Application Support")
	}
	if set := v.getenv("XDG_DATA_HOME"); filepath.IsAbs(set) { // the standard says that others are to be ignored
		return set
	}
	return filepath.Join(home, ".local", "share")
}
