package app

import (
	"path/filepath"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/setup"
	"arbor/engine/config"
	"arbor/engine/errs"
)

// keep writes to the arbor.toml of a project the vault that --vault named, so that later commands find it, and how
// folders of new nodes are named. It does not write a vault outside of the project, or one that is found anyway.
// Existing settings in the file stay.
func (v vaults) keep(at cli.Lookup, found cli.Found, folders string) (file string, err error) {
	dir, add := found.Project, [][2]string{}
	if rel, err := filepath.Rel(at.Dir, found.Vault); at.Vault != "" && err == nil && filepath.IsLocal(rel) {
		now, err := lookUp(at.Dir, v.home())
		if dir = now.Project; err != nil || now.Vault != found.Vault {
			dir, add = at.Dir, append(add, [2]string{"vault", filepath.ToSlash(rel)})
		}
	}
	if folders != "" {
		add = append(add, [2]string{"folders", folders})
	}
	file = filepath.Join(dir, configFile)
	done, err := setup.EditFile(file, 0o644, false, func(file string, text []byte) ([]byte, error) {
		for _, a := range add {
			has, _, err := config.Find(text, a[0])
			if err == nil && has == nil {
				text, err = config.Set(text, a[0], a[1])
			} else if err == nil && has != a[1] {
				err = errs.New(errs.InvalidContent, "the workspace is made, but %s has %s = %q, which stays; write %q there",
					file, a[0], has, a[1]).With(errs.Details{Committed: true})
			}
			if err != nil {
				return nil, err
			}
		}
		return text, nil
	})
	if err != nil || !done.Changed() {
		return "", err
	}
	return file, nil
}
