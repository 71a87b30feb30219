package act

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/errs"
	"arbor/mdstore"
)

// Hiding returns what no tool of an environment can see: the folder .local of every vault, with the clients' token,
// former texts and notes of this machine, and Arbor's own folders, with this person's decisions and identity. home is
// the person's own folder, "" if unknown.
func Hiding(e *engine.Engine, home string) jail.Hiding {
	h := jail.Hiding{Name: mdstore.LocalDir}
	if home != "" {
		h.But = filepath.Join(home, mdstore.LocalDir) // programs keep their own files there
	}
	for _, dir := range e.Own() {
		h.Folders = append(h.Folders, dir)
		if real, err := jail.Resolve(dir); err == nil {
			h.Folders = append(h.Folders, real)
		} else if above, err := jail.Resolve(filepath.Dir(dir)); err == nil {
			h.Folders = append(h.Folders, filepath.Join(above, filepath.Base(dir)))
		}
	}
	return h
}

// Open opens the root of a place. If it lies below the vault nothing but the session's own notes can be written.
func (h *Here) Open(p *env.Place) (*jail.Root, error) {
	vault, hidden := h.Store.Vault(), Hiding(h.Engine, h.Home)
	if !p.Primary && hidden.Hides(p.Root) {
		return nil, errs.New(errs.PathProtected, "%s: %s is in Arbor's own folder, or in that of a vault: no tool sees what is there", p.ID, p.Root)
	}
	only := ""
	if p.Primary {
		only = notesDir
	}
	opt := jail.Options{Trash: h.Store.Trash(), Hidden: hidden, Only: only}
	opt.Protected = func(rel string) string {
		parts := strings.Split(strings.ToLower(rel), "/")
		at := filepath.Join(p.Root, filepath.FromSlash(rel))
		in, err := filepath.Rel(vault, at)
		switch {
		case slices.Contains(parts, ".git"):
			return "it is git's"
		case parts[0] == path.Dir(env.ToolsFile):
			return "it defines tools; a person edits it"
		case parts[len(parts)-1] == "arbor.toml":
			return "it has settings; arbor admin config sets them"
		case !p.Primary && slices.Contains(parts, mdstore.DefaultVault):
			return "it is a vault's; its own operations change it"
		case !p.Primary && (err != nil || filepath.IsLocal(in)):
			return "it is the vault's; its own operations change it"
		case !p.Primary && strings.HasPrefix(strings.ToLower(at)+"/", strings.ToLower(vault)+"/"):
			return "it is the vault's"
		}
		return ""
	}
	r, err := jail.Open(p.Root, opt)
	if err != nil {
		return nil, errs.New(errs.EnvironmentMissing, "%s: %v; {env_restore} looks again", p.ID, err)
	}
	if r.Path() != p.Root {
		r.Close()
		return nil, errs.New(errs.EnvironmentUntrusted, "%s: its folder leads elsewhere by now; arbor env trust %s, if that is meant", p.ID, p.ID)
	}
	return r, nil
}

// Jailed returns an error of the jail as an *errs.Error, and any other as it is.
func Jailed(err error) error {
	e, ok := errors.AsType[*jail.Error](err)
	if !ok {
		return err
	}
	code := map[string]errs.Code{
		jail.PathOutside: errs.PathOutside, jail.PathProtected: errs.PathProtected, jail.FileNotFound: errs.FileNotFound,
		jail.Conflict: errs.Conflicting, jail.InvalidParams: errs.InvalidParams, jail.TooLarge: errs.InvalidContent,
	}[e.Code]
	return errs.New(cmp.Or(code, errs.InternalError), "%s", e.Text)
}
