package app

import (
	"cmp"
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
	"arbor/mdstore/pgstore"
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

// Find returns the vault to use: this person's with --user, or else --vault, or else ARBOR_VAULT, or else the first one
// found in the folder or above it: an arbor.toml that names one, or a folder .tanmi-workspace. A vault above the git
// repository counts only if the repository's arbor.toml names it. If none is found, it is the one that the person's own
// file of settings names.
func (v vaults) Find(p cli.Lookup) (cli.Found, error) {
	if p.User {
		return v.personal()
	}
	if p.Vault != "" {
		return v.named(p.Dir, p.Vault, "named by --vault")
	}
	if s := v.getenv(vaultVar); s != "" {
		return v.named(p.Dir, s, "named by "+vaultVar)
	}
	f, err := lookUp(p.Dir, v.home())
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
	at := v.home()
	if pgstore.IsAddress(name) {
		at = p.Dir // the project is that of the command
	}
	f, err = v.named(at, strings.TrimPrefix(name, "~/"), why)
	f.Looked = append(looked, f.Looked...)
	return f, err
}

const whyNone = "there is none here or above"

// named returns the vault at a named path, or at the address of a server. A project's folder means the vault in it.
func (v vaults) named(dir, name, why string) (cli.Found, error) {
	if pgstore.IsAddress(name) {
		return onServer(dir, v.home(), name, why)
	}
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
	if err := v.mayMake(f); err != nil && filepath.Base(f.Vault) != mdstore.DefaultVault && !isDir(filepath.Join(f.Vault, mdstore.LocalDir)) {
		return f, err // the folder exists, but is not a vault
	}
	return checked(f)
}

// lookUp looks for a vault in dir and all folders above it. If there is none, it says where one would be made: at the
// top of the git repository, or in dir if there is none.
func lookUp(dir, home string) (cli.Found, error) {
	all, top := folders(dir, home)
	at := dir
	if top >= 0 {
		at = all[top]
	}
	f := cli.Found{Vault: filepath.Join(at, mdstore.DefaultVault), Project: at}
	for up, at := range all {
		name, refused, err := configured(at)
		path := filepath.Join(at, mdstore.DefaultVault)
		if top >= 0 && up > top {
			if name == "" && err == nil && isDir(path) && !foreignHome(path) {
				name = path
			}
			if name != "" {
				f.Why = whyNone
				return outside(f, at, absolute(at, name))
			}
			continue
		}
		if err != nil {
			f.Project = at
			return f, err
		}
		if name != "" {
			f.Vault, f.Project, f.Why = absolute(at, name), at, "named by "+filepath.Join(at, configFile)
			if rel, err := filepath.Rel(at, f.Vault); err != nil || !filepath.IsLocal(rel) {
				f.Project = filepath.Dir(f.Vault)
			}
			f.Looked = append(f.Looked, cli.Look{Path: at, What: configFile + " names " + f.Vault})
			return checked(f)
		}
		switch {
		case foreignHome(path):
			f.Looked = append(f.Looked, cli.Look{Path: at, What: mdstore.DefaultVault + " is the home folder of TanmiWorkspace 1.x, and no vault"})
		case isDir(path):
			f.Vault, f.Project, f.Why, f.Exists = path, at, "found "+above(dir, at, up), true
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
	}
	f.Why = whyNone
	return f, notFound("%s: no vault here, nor in any folder above", dir)
}

// outside refuses a vault in a folder above the git repository, and says how to use it.
func outside(f cli.Found, at, vault string) (cli.Found, error) {
	f.Above = vault
	f.Looked = append(f.Looked, cli.Look{Path: at, What: "a vault above the git repository, which counts only where it is named: " + vault})
	line := "arbor admin config set --user vault=" + vault
	if rel, err := filepath.Rel(f.Project, vault); err == nil && filepath.Base(vault) == mdstore.DefaultVault {
		line = fmt.Sprintf("add vault = %q to %s", filepath.ToSlash(rel), filepath.Join(f.Project, configFile))
	}
	return f, notFound("%s: no vault in this git repository; %s is above it, and counts only where it is named: %s", f.Project, vault, line)
}

func absolute(dir, name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, filepath.FromSlash(name))
	}
	return filepath.Clean(name)
}

func above(dir, at string, up int) string {
	switch {
	case up == 0:
		return "in " + at + ", which is this folder"
	case !isBelow(dir, at):
		return "in " + at + ", the main working tree of this repository"
	case up == 1:
		return "in " + at + ", one folder above"
	}
	return fmt.Sprintf("in %s, %d folders above", at, up)
}

func notFound(format string, args ...any) error {
	return errs.New(errs.VaultNotFound, format, args...)
}

// checked looks at a path that the person named. It need not exist.
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

// mayMake returns why no vault may be made at a place; nil if one may. None may be in the home folder or at the root of
// the file system, because every project below would find it.
func (v vaults) mayMake(found cli.Found) error {
	dir := found.Vault
	if filepath.Base(dir) == mdstore.DefaultVault {
		dir = filepath.Dir(dir)
	}
	what := ""
	switch {
	case found.User:
	case sameDir(dir, v.home()):
		what = "your home folder"
	case filepath.Dir(dir) == dir:
		what = "the root of the file system"
	}
	if what == "" {
		return nil
	}
	return errs.New(errs.InvalidPath, "%s: this is %s, where no vault is made: every project below would find it; "+
		"start arbor in a project's folder (-C DIR), or use your own vault (--user)", dir, what)
}

// home returns the person's home folder, "" if the environment does not tell.
func (v vaults) home() string { return cmp.Or(v.getenv("HOME"), v.getenv("USERPROFILE")) }

// foreignHome reports whether a folder is the one in which TanmiWorkspace 1.x keeps its index of all projects, in a
// user's home. It has the same name as a vault.
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
