package app

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"arbor/cmd/internal/cli"
	"arbor/engine/errs"
	"arbor/mdstore/guard"
)

// titleFolders reports whether the arbor.toml of a project says that folders of new nodes are named by titles.
func titleFolders(project string) (bool, error) {
	said, err := said(project)
	switch said.Folders {
	case "", "id", "title":
		return said.Folders == "title", err
	}
	return false, errs.New(errs.InvalidContent, "%s: folders is %q; \"id\" and \"title\" can name the folders of new nodes",
		filepath.Join(project, configFile), said.Folders)
}

// A saying is what an arbor.toml says.
type saying struct {
	Vault   string `toml:"vault,omitempty"`
	Folders string `toml:"folders,omitempty"`

	text []byte
}

func said(dir string) (s saying, err error) {
	if _, err := configured(dir); err != nil {
		return s, err
	}
	if s.text, err = guard.ReadFile(dir, configFile, configMost); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = toml.Unmarshal(s.text, &s)
	}
	return s, err
}

// keep writes into the arbor.toml of a project what commands need, so that they find a vault which --vault named, and how
// folders of new nodes are named. A vault that lies elsewhere, or that is found as it is, is not written. What the file says
// already stays as it is.
func keep(at cli.Place, found cli.Found, folders string) (file string, err error) {
	dir, add := found.Project, saying{Folders: folders}
	rel, err := filepath.Rel(at.Dir, found.Vault)
	if at.Vault != "" && err == nil && filepath.IsLocal(rel) {
		now, err := lookUp(at.Dir)
		if dir = now.Project; err != nil || now.Vault != found.Vault {
			dir, add.Vault = at.Dir, filepath.ToSlash(rel)
		}
	}
	file = filepath.Join(dir, configFile)
	has, err := said(dir)
	if err != nil {
		return "", err
	}
	for _, k := range []struct{ key, has, add string }{{"vault", has.Vault, add.Vault}, {"folders", has.Folders, add.Folders}} {
		if k.has != "" && k.add != "" && k.has != k.add {
			e := errs.New(errs.InvalidContent, "the workspace is made, but %s has %s = %q, which stays; write %q there, or go on naming it",
				file, k.key, k.has, k.add)
			e.Details = &errs.Details{Committed: true}
			return "", e
		}
	}
	if has.Folders != "" {
		add.Folders = ""
	}
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(add); err != nil || text.Len() == 0 {
		return "", err
	}
	text.Write(has.text) // keys of no table stand before the tables
	if err := toml.Unmarshal(text.Bytes(), &saying{}); err != nil {
		return "", errs.New(errs.InvalidContent, "the workspace is made, but %s cannot be written: %v", file, err)
	}
	return file, replace(file, text.Bytes())
}

// replace makes the arbor.toml of a folder, or another one of it in one step.
func replace(file string, data []byte) error {
	mode := fs.FileMode(0o644)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "."+configFile+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails after the rename
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Chmod(mode), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}
