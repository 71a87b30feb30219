package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"arbor/cmd/internal/cli"
	"arbor/engine/config"
	"arbor/engine/errs"
)

// titleFolders reports whether the settings say that folders of new nodes are named by titles.
func titleFolders(set *config.Settings) (bool, error) {
	switch how := config.Value[string](set, "folders"); how {
	case "id", "title":
		return how == "title", nil
	default:
		all, _ := set.Below("folders")
		return false, errs.New(errs.InvalidContent, "%s: folders is %s; \"id\" and \"title\" can name folders of new nodes",
			all[0].From(), how)
	}
}

// keep writes into the arbor.toml of a project what commands need, so that they find a vault which --vault named, and how
// folders of new nodes are named. A vault that lies elsewhere, or that is found as it is, is not written. What the file
// says already stays as it is.
func keep(at cli.Place, found cli.Found, folders string) (file string, err error) {
	dir, add := found.Project, [][2]string{}
	if rel, err := filepath.Rel(at.Dir, found.Vault); at.Vault != "" && err == nil && filepath.IsLocal(rel) {
		now, err := lookUp(at.Dir)
		if dir = now.Project; err != nil || now.Vault != found.Vault {
			dir, add = at.Dir, append(add, [2]string{"vault", filepath.ToSlash(rel)})
		}
	}
	if folders != "" {
		add = append(add, [2]string{"folders", folders})
	}
	file = filepath.Join(dir, configFile)
	l := readLayer(config.Project, file)
	set, text := config.Merge(l), l.Data
	for _, a := range add {
		has, _ := set.Below(a[0])
		switch {
		case err != nil:
		case len(has) == 0 || has[0].Layer != config.Project:
			text, err = config.Set(text, a[0], a[1])
		case has[0].Value != a[1]:
			err = errs.New(errs.InvalidContent, "the workspace is made, but %s has %s = %q, which stays; write %q there",
				file, a[0], has[0].Value, a[1]).With(errs.Details{Committed: true})
		}
	}
	if err = errors.Join(l.Err, err); err != nil || string(text) == string(l.Data) {
		return "", err
	}
	return file, replace(file, text, 0o644)
}

// replace makes a file of settings, or another one of it in one step. mode is that of a new one.
func replace(file string, data []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
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
