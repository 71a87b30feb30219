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
	has, _, err := said(project)
	switch has["folders"] {
	case nil, "id", "title":
		return has["folders"] == "title", err
	}
	return false, errs.New(errs.InvalidContent, "%s: folders is %v; \"id\" and \"title\" can name folders of new nodes",
		filepath.Join(project, configFile), has["folders"])
}

// said returns the keys of the arbor.toml in a folder, and its text; none where there is no file.
func said(dir string) (has map[string]any, text []byte, err error) {
	if _, err = configured(dir); err != nil {
		return nil, nil, err
	}
	if text, err = guard.ReadFile(dir, configFile, configMost); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	return has, text, errors.Join(err, toml.Unmarshal(text, &has))
}

// keep writes into the arbor.toml of a project what commands need, so that they find a vault which --vault named, and how
// folders of new nodes are named. A vault that lies elsewhere, or that is found as it is, is not written. What the file
// says already stays as it is.
func keep(at cli.Place, found cli.Found, folders string) (file string, err error) {
	dir, add := found.Project, map[string]string{}
	if rel, err := filepath.Rel(at.Dir, found.Vault); at.Vault != "" && err == nil && filepath.IsLocal(rel) {
		now, err := lookUp(at.Dir)
		if dir = now.Project; err != nil || now.Vault != found.Vault {
			dir, add["vault"] = at.Dir, filepath.ToSlash(rel)
		}
	}
	if folders != "" {
		add["folders"] = folders
	}
	file = filepath.Join(dir, configFile)
	has, old, err := said(dir)
	for key, value := range add {
		switch has[key] {
		case nil:
		case value:
			delete(add, key)
		default:
			err = errs.New(errs.InvalidContent, "the workspace is made, but %s has %s = %q, which stays; write %q there",
				file, key, has[key], value).With(errs.Details{Committed: true})
		}
	}
	if err != nil || len(add) == 0 {
		return "", err
	}
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(add); err != nil {
		return "", err
	}
	return file, replace(file, append(text.Bytes(), old...)) // keys of no table stand before the tables
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
