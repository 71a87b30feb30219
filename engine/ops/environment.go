package ops

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	places "arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

type EnvRegisterIn struct {
	URI   string   `json:"uri" req:"true" arg:"URI" help:"file:FOLDER in the project, or file:///FOLDER"`
	ID    string   `json:"id,omitempty" help:"its ID; default: from the folder's name"`
	Trust string   `json:"trust,omitempty" enum:"full,restricted,read_only" help:"which tools run without asking; default restricted"`
	Tools []string `json:"tools,omitempty" help:"only these TOOLS and the vault's own"`
	Write
}

type EnvRegisterOut struct {
	ID      string        `json:"id"`
	URI     string        `json:"uri"`
	Status  places.Status `json:"status"`
	Request string        `json:"request,omitempty"` // the request for trust that a person answers
	Wrote
}

// Requested returns the id of the request for trust that the call made, "" for none.
func (o *EnvRegisterOut) Requested() string { return o.Request }

var envRegister = op("env_register", writes|repeats, EnvRegister, Help{
	Summary: "register a folder as an environment; a person must trust it",
	Use:     "env add URI",
	Text: `An environment that a person registers at a terminal is trusted. full runs
everything, restricted asks before anything that does not only read, read_only
runs only what reads. An environment in the project is saved in the vault;
others are saved on this machine only.`,
	Example: "arbor env add file:. --trust restricted\narbor env add file:///srv/site --id site --trust read_only",
})

// EnvRegister registers an environment. Registering the same URI again returns the same environment. A person of this
// machine must trust it: a person who registers it trusts it by that; otherwise EnvRegister asks for trust.
func EnvRegister(ctx context.Context, env *Env, in EnvRegisterIn) (*EnvRegisterOut, error) {
	h, err := hereOf(ctx, env, SessionRef{})
	if err != nil {
		return nil, err
	}
	e := places.Environment{ID: in.ID, Host: places.Server, Trust: places.Level(in.Trust), Tools: in.Tools}
	if e.Trust == "" {
		e.Trust = places.Restricted
	}
	if !decidesPrograms(env) && e.Trust == places.Full {
		return nil, errs.New(errs.ToolRefused, "only a person can give full trust, at a terminal: arbor env add; "+
			"you can ask for restricted")
	}
	if !strings.Contains(in.URI, ":") { // a path in the project
		in.URI = "file:" + in.URI
	}
	a, err := places.ParseURI(in.URI)
	if err != nil {
		return nil, err
	}
	if a.Host != places.Server {
		return nil, badParam("uri", "%s: folders of this machine are registered; a session's own environment needs no registration", in.URI)
	}
	e.URI = a.String()
	root, err := h.Folder(a)
	if err != nil {
		return nil, errs.New(errs.InvalidPath, "%s is no folder that can be registered: %v", in.URI, err)
	}
	if e.URI, e.Machine, err = h.canonical(root); err != nil {
		return nil, err
	}
	if err := MayTrust(env, e, root); err != nil {
		return nil, err
	}
	all, err := h.Environments(ctx)
	if err != nil {
		return nil, err
	}
	out := &EnvRegisterOut{URI: e.URI, Wrote: Wrote{Success: true, DryRun: h.dry()}}
	if i := slices.IndexFunc(all, func(o places.Environment) bool { return o.URI == e.URI }); i >= 0 {
		same := all[i]
		if in.ID != "" && in.ID != same.ID || in.Trust != "" && e.Trust != same.Trust || in.Tools != nil && !slices.Equal(in.Tools, same.Tools) {
			return nil, errs.New(errs.NameTaken, "%s is the environment %s, with trust %s; arbor env rm %[2]s "+
				"takes it away first", e.URI, same.ID, same.Trust)
		}
		e = same
	} else {
		if e.ID == "" {
			e.ID = freshID(root, all)
		}
		if !places.ValidID(e.ID) {
			return nil, badParam("id", "%q is not an id; use small letters, digits, '.', '_' and '-'", e.ID)
		}
		if slices.ContainsFunc(all, func(o places.Environment) bool { return o.ID == e.ID }) {
			return nil, errs.New(errs.NameTaken, "%s: another environment has this id", e.ID)
		}
		if out.Wrote, err = h.save(ctx, e); err != nil {
			return nil, err
		}
	}
	out.ID, out.Status = e.ID, places.Untrusted
	if err := h.trusted(ctx, e, root, out); err != nil {
		return out, err
	}
	if !decidesPrograms(env) && !h.dry() {
		out.Hint = strings.TrimPrefix(out.Hint+"; {env_attach} lets calls use it", "; ")
	}
	return out, nil
}

// trusted notes that the caller trusts an environment. If the caller may not decide that, it asks a person.
func (h *here) trusted(ctx context.Context, e places.Environment, root string, out *EnvRegisterOut) error {
	now := h.env.Engine.Now()
	if _, ok := h.Book.Level(e, root); ok {
		out.Status = places.Active
		return nil
	}
	if !decidesPrograms(h.env) && e.Trust == places.Full {
		return errs.New(errs.ToolRefused, "%s asks for full trust, which is a person's to give, at a terminal: arbor env trust %[1]s", e.ID)
	}
	err := h.update(ctx, func(b *trust.Book) error {
		if decidesPrograms(h.env) {
			b.Trust(e, root, now)
			out.Status = places.Active
			return nil
		}
		if h.dry() {
			out.Hint = "a person would be asked to trust it"
			return nil
		}
		ask := trust.Request{Kind: trust.KindRegister, Call: trust.Call{Environment: e.ID}, Subject: &e, Root: root}
		if b.Declined(now, ask) {
			out.Hint = "a person did not agree to trust it; they can still: arbor env trust " + e.ID
			return nil
		}
		r := b.Ask(now, ask, trust.NewID())
		out.Request, out.Hint = r.ID, "a person is asked to trust it: arbor env approve "+r.ID
		return nil
	})
	return fail(err)
}

// canonical returns the canonical URI of a folder, and whether the folder lies outside of the project.
func (h *here) canonical(root string) (uri string, outside bool, err error) {
	project, err := jail.Resolve(h.env.Engine.Project())
	if err == nil {
		if rel, err := filepath.Rel(project, root); err == nil && filepath.IsLocal(rel) {
			return places.Address{Host: places.Server, Path: filepath.ToSlash(rel), Local: true}.String(), false, nil
		}
	}
	return places.Address{Host: places.Server, Path: filepath.ToSlash(root)}.String(), true, nil
}

// holdsPerson reports whether a folder is or contains the person's own folder, a folder of Arbor (state, settings, own
// vault), or the folder above the project (without a project, above the vault).
func holdsPerson(env *Env, root string) bool {
	above := filepath.Dir(cmp.Or(env.Engine.Project(), env.Engine.Vault()))
	for _, dir := range append(env.Engine.Own(), env.Home, above) {
		real, err := jail.Resolve(dir)
		if dir == "" {
			continue
		}
		if err != nil {
			real = dir
		}
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// IDOf returns an id made from a folder's name, or "folder" if the name allows none.
func IDOf(root string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, filepath.Base(root)), "-._")
	if !places.ValidID(name) {
		return "folder"
	}
	return name
}

// freshID returns IDOf of the folder, with a number appended if that id is taken.
func freshID(root string, all []places.Environment) string {
	name := IDOf(root)
	id := name
	for n := 2; slices.ContainsFunc(all, func(o places.Environment) bool { return o.ID == id }); n++ {
		id = fmt.Sprint(name, "-", n)
	}
	return id
}

// save writes an environment: into a file of the vault, or, if it belongs to this machine, beside the trust.
func (h *here) save(ctx context.Context, e places.Environment) (Wrote, error) {
	if e.Machine {
		err := h.update(ctx, func(b *trust.Book) error {
			b.Machine = append(b.Machine, e)
			return nil
		})
		return h.wroteHere(), err
	}
	fields := []mdoc.FieldValue{
		{Key: mdstore.KeyID, Value: mdoc.Text(e.ID)}, {Key: mdstore.KeyURI, Value: mdoc.Text(e.URI)},
		{Key: mdstore.KeyHost, Value: mdoc.Text(string(e.Host))},
		{Key: mdstore.KeyTrust, Value: mdoc.Text(string(e.Trust))},
	}
	if len(e.Tools) > 0 {
		fields = append(fields, mdoc.FieldValue{Key: mdstore.KeyTools, Value: mdoc.List(e.Tools...)})
	}
	fields = append(fields, mdoc.FieldValue{Key: mdstore.KeyCreated, Value: mdoc.Integer(h.env.Engine.Now().UnixMilli())})
	return h.file(ctx, e.ID, func([]byte) ([]byte, error) {
		doc, _, err := mdoc.Compose(e.ID, mdstore.EnvironmentKind.Form, fields, nil)
		if err != nil {
			return nil, err
		}
		return append(bytes.TrimRight(doc.Bytes(), "\n"), '\n'), nil
	})
}

// file edits the vault's file of the environment with this id.
func (h *here) file(ctx context.Context, id string, edit func([]byte) ([]byte, error)) (Wrote, error) {
	p := mdstore.EnvironmentKind.FileFor(mdstore.Path(mdstore.EnvironmentKind.Place.Dir), id)
	o, err := h.env.Engine.EditFile(ctx, p, h.env.act(Write{h.dry()}, Match{}), edit)
	if err != nil {
		return Wrote{}, fail(err)
	}
	return h.env.wrote(ctx, "", o, ""), nil
}

type EnvRemoveIn struct {
	ID string `json:"id" req:"true" arg:"ENV"`
	Write
}

type EnvRemoveOut struct{ Wrote }

var envRemove = op("env_remove", writes, EnvRemove, Help{
	Summary: "remove an environment; its files stay", Use: "env rm ENV",
	Text:    "The trust in it is forgotten too, and sessions no longer have it. No file of its\nfolder is touched.",
	Example: "arbor env rm site",
})

// EnvRemove removes an environment from the vault or from this machine, with the trust in it. It touches no file of the
// environment's root.
func EnvRemove(ctx context.Context, env *Env, in EnvRemoveIn) (*EnvRemoveOut, error) {
	h, e, err := hereIn(ctx, env, SessionRef{}, in.ID)
	if err != nil {
		return nil, err
	}
	out, err := h.remove(ctx, e)
	if err == nil {
		err = env.detachAll(ctx, e.ID, in.Write, &out.Wrote)
	}
	return out, err
}

// detachAll takes an environment out of the lists of all sessions that have not ended.
func (env *Env) detachAll(ctx context.Context, id string, w Write, out *Wrote) error {
	all, err := env.Workspaces(ctx)
	if err != nil {
		return fail(err)
	}
	for _, ws := range all {
		v, err := env.WithPages(ctx, string(ws.ID))
		if err != nil {
			out.Warned = append(out.Warned, string(ws.ID)+": sessions may still have it: "+err.Error())
			continue
		}
		for _, p := range v.Pages().Newest(mdstore.SessionKind) {
			if attached := p.List(mdstore.KeyAttached); view.SessionEnded(p, env.Engine.Now()) != 0 ||
				len(without(attached, id)) == len(attached) {
				continue
			}
			of := plan.AttachSession{ID: p.ID, Edit: func(all []string) ([]string, string) {
				return without(all, id), "detached the environment " + id + ", which was removed"
			}}
			if _, err := done(ctx, env, target{ws: ws.ID}, env.act(w, Match{}), of, ""); err != nil {
				out.Warned = append(out.Warned, string(p.ID)+": it still has the environment: "+err.Error())
			}
		}
	}
	return nil
}

// remove removes an environment and the trust in it; sessions keep it in their lists.
func (h *here) remove(ctx context.Context, e places.Environment) (out *EnvRemoveOut, err error) {
	out = &EnvRemoveOut{h.wroteHere()}
	if !e.Machine {
		if out.Wrote, err = h.file(ctx, e.ID, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
			return nil, err
		}
	}
	return out, h.update(ctx, func(b *trust.Book) error {
		b.Distrust(e.ID)
		b.Machine = slices.DeleteFunc(b.Machine, func(o places.Environment) bool { return o.ID == e.ID })
		return nil
	})
}

type EnvRestoreIn struct {
	ID  string `json:"id" req:"true" arg:"ENV"`
	URI string `json:"uri,omitempty" help:"its new location, a URI; only a person may give it"`
	Write
}

var envRestore = op("env_restore", writes|repeats, EnvRestore, Help{
	Summary: "check again for an environment's missing folder",
	Use:     "env restore ENV",
	Text: `With --uri its folder changes, and the new one is trusted; only a person at a
terminal can do that.`,
	Example: "arbor env restore site\narbor env restore site --uri file:///srv/new",
})

// EnvRestore returns the current status of an environment. With a URI, which only a person may give, it registers the
// environment there instead.
func EnvRestore(ctx context.Context, env *Env, in EnvRestoreIn) (*EnvRegisterOut, error) {
	h, e, err := hereIn(ctx, env, SessionRef{}, in.ID)
	if err != nil {
		return nil, err
	}
	if in.URI != "" {
		if !decidesPrograms(env) {
			return nil, errs.New(errs.ToolRefused, "%s: only a person moves an environment, at a terminal: arbor env restore %[1]s --uri %s", in.ID, in.URI)
		}
		if h.dry() {
			return &EnvRegisterOut{ID: e.ID, URI: in.URI, Status: places.Active, Wrote: h.wroteHere()}, nil
		}
		if _, err := h.remove(ctx, e); err != nil {
			return nil, err
		}
		return EnvRegister(ctx, env, EnvRegisterIn{URI: in.URI, ID: in.ID, Trust: string(e.Trust), Tools: e.Tools})
	}
	root, err := h.Root(e)
	if err != nil {
		return nil, err
	}
	out := &EnvRegisterOut{ID: e.ID, URI: e.URI, Status: places.Untrusted, Wrote: Wrote{Success: true}}
	if _, ok := h.Book.Level(e, root); ok {
		out.Status = places.Active
	} else {
		out.Hint = "no person trusts it as it is now: arbor env trust " + e.ID
	}
	return out, nil
}
