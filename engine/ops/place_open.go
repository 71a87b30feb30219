package ops

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine"
	places "arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/errs"
	"arbor/mdstore"
)

// hiding is what no tool of an environment sees: the folder .local of every vault, which has the clients' token, former
// texts and notes of this machine, and Arbor's own folders, which have what this person decided and who they are.
func hiding(env *Env) jail.Hiding {
	h := jail.Hiding{Name: mdstore.LocalDir}
	if env.Home != "" {
		h.But = filepath.Join(env.Home, mdstore.LocalDir) // where programs keep what is theirs
	}
	for _, dir := range engine.Own(env.Engine) {
		h.Folders = append(h.Folders, dir)
		if real, err := jail.Resolve(dir); err == nil {
			h.Folders = append(h.Folders, real)
		} else if above, err := jail.Resolve(filepath.Dir(dir)); err == nil {
			h.Folders = append(h.Folders, filepath.Join(above, filepath.Base(dir)))
		}
	}
	return h
}

// open opens the root of a place. Where it lies below the vault nothing but the session's own notes can be written.
func (h *here) open(p *places.Place) (*jail.Root, error) {
	vault, hidden := h.store.Vault(), hiding(h.env)
	if !p.Primary && hidden.Hides(p.Root) {
		return nil, errs.New(errs.PathProtected, "%s: %s is in Arbor's own folder, or in that of a vault: no tool sees what is there", p.ID, p.Root)
	}
	r, err := jail.Open(p.Root, jail.Options{Trash: h.store.Trash(), Hidden: hidden, Protected: func(rel string) string {
		parts := strings.Split(strings.ToLower(rel), "/")
		at := filepath.Join(p.Root, filepath.FromSlash(rel))
		in, err := filepath.Rel(vault, at)
		switch {
		case slices.Contains(parts, ".git"):
			return "it is git's"
		case parts[0] == path.Dir(places.ToolsFile):
			return "it defines tools; a person edits it"
		case parts[len(parts)-1] == "arbor.toml":
			return "it has settings; arbor config sets them"
		case !p.Primary && slices.Contains(parts, mdstore.DefaultVault):
			return "it is a vault's; its own operations change it"
		case !p.Primary && (err != nil || filepath.IsLocal(in)):
			return "it is the vault's; its own operations change it"
		case !p.Primary && strings.HasPrefix(strings.ToLower(at)+"/", strings.ToLower(vault)+"/"):
			return "it is the vault's"
		}
		return ""
	}})
	if err != nil {
		return nil, errs.New(errs.EnvironmentMissing, "%s: %v; env_restore looks again", p.ID, err)
	}
	if r.Path() != p.Root {
		r.Close()
		return nil, errs.New(errs.EnvironmentUntrusted, "%s: its folder leads elsewhere by now; arbor env trust %s, if that is meant", p.ID, p.ID)
	}
	return r, nil
}

// jailed turns an error of the jail into one of an operation.
func jailed(err error) error {
	e, ok := errors.AsType[*jail.Error](err)
	if !ok {
		return fail(err)
	}
	code := map[string]errs.Code{
		jail.PathOutside: errs.PathOutside, jail.PathProtected: errs.PathProtected, jail.FileNotFound: errs.FileNotFound,
		jail.Conflict: errs.Conflicting, jail.InvalidParams: errs.InvalidParams, jail.TooLarge: errs.InvalidContent,
	}[e.Code]
	return errs.New(cmp.Or(code, errs.InternalError), "%s", e.Text)
}
