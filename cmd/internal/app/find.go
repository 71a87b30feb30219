package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"arbor/cmd/internal/cli"
	"arbor/engine/config"
	"arbor/engine/errs"
	"arbor/mdstore"
)

const (
	configFile = "arbor.toml"
	vaultVar   = "ARBOR_VAULT"
	gitVar     = "ARBOR_GIT"
)

// vaults finds and opens vaults in folders.
type vaults struct {
	getenv func(string) string
}

var _ cli.Vaults = vaults{}

// Find says which vault is meant: this person's with --user, else --vault, else ARBOR_VAULT, else the first that is found
// in the folder or above it: an arbor.toml that names one, or a folder .tanmi-workspace. Where none is found, it is the
// one that the person's own file of settings names.
func (v vaults) Find(p cli.Place) (cli.Found, error) {
	if p.User {
		return v.personal()
	}
	if p.Vault != "" {
		return named(p.Dir, p.Vault, "named by --vault")
	}
	if s := v.getenv(vaultVar); s != "" {
		return named(p.Dir, s, "named by "+vaultVar)
	}
	f, err := lookUp(p.Dir)
	if f.Why != whyNone {
		return f, err
	}
	own := readLayer(config.User, v.userFile())
	name := config.Value[string](config.Merge(own), "vault")
	if name == "" {
		return f, err
	}
	looked := f.Looked
	why := "named by " + own.File + ", as there is none here or above"
	f, err = named(v.getenv("HOME"), strings.TrimPrefix(name, "~/"), why)
	f.Looked = append(looked, f.Looked...)
	return f, err
}

const whyNone = "there is none here or above"

// named returns the vault at a path that somebody named. A project's folder stands for the vault in it.
func named(dir, name, why string) (cli.Found, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	f := cli.Found{Vault: path, Why: why, Looked: []cli.Look{{Path: path, What: why}}}
	if inner := filepath.Join(path, mdstore.DefaultVault); filepath.Base(path) != mdstore.DefaultVault && isDir(inner) {
		f.Vault, f.Why = inner, why+": the folder of a project, whose vault is in it"
	}
	f.Project = filepath.Dir(f.Vault)
	return checked(f)
}

// lookUp looks for a vault in dir and all folders above it.
func lookUp(dir string) (cli.Found, error) {
	f := cli.Found{Vault: filepath.Join(dir, mdstore.DefaultVault), Project: dir}
	for at, up := filepath.Clean(dir), 0; ; up++ {
		name, refused, err := configured(at)
		if err != nil {
			f.Project = at
			return f, err
		}
		if name != "" {
			if !filepath.IsAbs(name) {
				name = filepath.Join(at, filepath.FromSlash(name))
			}
			f.Vault, f.Project, f.Why = filepath.Clean(name), at, "named by "+filepath.Join(at, configFile)
			f.Looked = append(f.Looked, cli.Look{Path: at, What: configFile + " names " + f.Vault})
			return checked(f)
		}
		path := filepath.Join(at, mdstore.DefaultVault)
		switch {
		case foreignHome(path):
			f.Looked = append(f.Looked, cli.Look{Path: at, What: mdstore.DefaultVault + " is the home folder of TanmiWorkspace 1.x, and no vault"})
		case isDir(path):
			f.Vault, f.Project, f.Why, f.Exists = path, at, "found "+above(at, up), true
			f.Looked = append(f.Looked, cli.Look{Path: at, What: "the vault is here"})
			if refused != nil {
				f.Warning = refused.Error()
			}
			return f, nil
		case refused != nil:
			f.Project = at
			return f, refused
		default:
			f.Looked = append(f.Looked, cli.Look{Path: at, What: "no " + mdstore.DefaultVault + ", and no " + configFile + " that names a vault"})
		}
		parent := filepath.Dir(at)
		if parent == at {
			break
		}
		at = parent
	}
	f.Why = whyNone
	return f, notFound("%s: no vault here, nor in any folder above", dir)
}

func above(at string, up int) string {
	switch up {
	case 0:
		return "in " + at + ", which is this folder"
	case 1:
		return "in " + at + ", one folder above"
	}
	return fmt.Sprintf("in %s, %d folders above", at, up)
}

func notFound(format string, args ...any) error {
	return errs.New(errs.VaultNotFound, format, args...)
}

// checked returns what is at a path that somebody named, which need not exist.
func checked(f cli.Found) (cli.Found, error) {
	info, err := os.Stat(f.Vault)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, notFound("%s: no such vault (%s); arbor init makes one there", f.Vault, f.Why)
	case err != nil:
		return f, notFound("%s: the vault cannot be opened (%s): %v", f.Vault, f.Why, err)
	case !info.IsDir():
		return f, notFound("%s: a file, not the folder of a vault (%s)", f.Vault, f.Why)
	}
	f.Exists = true
	return f, nil
}

// foreignHome reports whether a folder is where TanmiWorkspace 1.x keeps its index of all projects, in the home of
// each of its users: it has the same name as a vault.
func foreignHome(path string) bool {
	if !isFile(filepath.Join(path, "index.json")) || !isFile(filepath.Join(path, "config.json")) {
		return false
	}
	entries, err := os.ReadDir(path)
	return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return isFile(filepath.Join(path, string(mdstore.WorkspacePath(mdstore.Path(e.Name())))))
	})
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
