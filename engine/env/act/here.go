package act

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/env/remote"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/mdstore/mdoc"
)

// A Caller is who calls tools, and the engine whose vault they are called beside.
type Caller struct {
	Engine  *engine.Engine
	Act     plan.Act // of the lines in the logs of sessions
	Session string   // the session for which tools are called; "" for none
	Person  bool     // a person calls, who need not read a file before they change it
	Looks   bool     // nothing may be written, not even the folder of a session's notes
	Home    string   // the person's own folder; "" if unknown
	Clients Clients  // the connections to machines that serve folders; nil for none
	CallLog *env.CallLog
	Commit  func(ctx context.Context, dir string) string // returns git's commit in a folder, see Verified
	BuiltIn func(name string) bool                       // reports whether a name is one of Arbor's own tools
}

// Here is where the tools of a call can act: the environments of a session, and what this person has decided.
type Here struct {
	Caller
	Store   *trust.Store
	Book    *trust.Book       // as read when the call began
	View    *view.View        // nil without a session
	Session *mdstore.Page     // nil if the caller has none with a file
	Places  []*env.Place      // in the order in which calls look at them
	from    map[string]string // by environment: the attached folder, at which relative paths begin
}

// StoreOf returns the store of this person's decisions about the vault.
func StoreOf(e *engine.Engine) (*trust.Store, error) {
	if e.StateDir() == "" || e.Place() == "" {
		return nil, errs.New(errs.EnvironmentUntrusted, "there is no folder for what a person decides; set HOME or XDG_STATE_HOME, and use a vault in a folder")
	}
	if _, err := jail.Resolve(e.Place()); err != nil {
		return nil, errs.New(errs.VaultNotFound, "there is no vault yet, and so nothing that tools could act in; "+
			"{workspace_init} makes one")
	}
	return trust.At(filepath.Join(e.StateDir(), "trust"), e.Place())
}

// Of returns the environments of a session. Without one it has every environment, none of them attached: a call then
// names one.
func Of(ctx context.Context, c Caller, s *trust.Store, v *view.View, session *mdstore.Page) (*Here, error) {
	h := &Here{Caller: c, Store: s, View: v, Session: session, from: map[string]string{}}
	var err error
	if h.Book, err = s.Read(); err != nil {
		return nil, err
	}
	all, err := h.Environments(ctx)
	if err != nil || h.Session == nil {
		for _, e := range all {
			h.Add(ctx, e, nil)
		}
		return h, err
	}
	if err := h.own(ctx); err != nil {
		return nil, err
	}
	for _, item := range h.Session.List(mdstore.KeyAttached) {
		a := ParseAttached(item)
		i := slices.IndexFunc(all, func(e env.Environment) bool { return e.ID == a.ID })
		if i < 0 {
			h.Places = append(h.Places, &env.Place{Environment: env.Environment{ID: a.ID}, Status: env.Missing})
			continue
		}
		h.from[a.ID] = a.Folder
		h.Add(ctx, all[i], a.Tools)
	}
	return h, nil
}

// An Attached is an item of a session's list: "id", "id folder=sub tools=a,b".
type Attached struct {
	ID     string
	Folder string   // where relative paths begin; "" is the environment's own folder
	Tools  []string // nil for all that the environment has
}

// ParseAttached reads an item.
func ParseAttached(item string) (a Attached) {
	words := strings.Fields(item)
	for i, w := range words {
		if v, ok := strings.CutPrefix(w, "folder="); ok {
			a.Folder = v
		} else if v, ok := strings.CutPrefix(w, "tools="); ok {
			a.Tools = strings.Split(v, ",")
		} else if i == 0 {
			a.ID = w
		}
	}
	return a
}

// String returns the item in the form of the session's front matter.
func (a Attached) String() string {
	s := a.ID
	if a.Folder != "" {
		s += " folder=" + a.Folder
	}
	if a.Tools != nil {
		s += " tools=" + strings.Join(a.Tools, ",")
	}
	return s
}

// Environments returns those of the vault and those of this machine, in the order of their ids.
func (h *Here) Environments(ctx context.Context) ([]env.Environment, error) {
	pages, err := h.Engine.Live().VaultPages(ctx, mdstore.EnvironmentKind)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(h.Book.Machine)
	for i := range all {
		all[i].Machine = true
	}
	for _, p := range pages {
		e := env.Environment{
			ID: string(p.ID), URI: p.Field(mdstore.KeyURI),
			Host: env.Host(p.Field(mdstore.KeyHost)), Trust: env.Level(p.Field(mdstore.KeyTrust)),
			Owner: p.Field(mdstore.KeyOwner), Tools: p.List(mdstore.KeyTools), Text: body(p),
		}
		same := func(o env.Environment) bool { return o.ID == e.ID }
		if p.Editable() == nil && env.ValidID(e.ID) && !slices.ContainsFunc(all, same) {
			all = append(all, e)
		}
	}
	for _, c := range h.Book.Clients {
		if c.Root != "" {
			uri := env.Address{Host: env.Client, Client: c.ID, Path: c.Root}.String()
			e := env.Environment{ID: c.ID + "." + c.Root, URI: uri, Host: env.Client, Trust: c.Trust, Machine: true}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b env.Environment) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// Find returns an environment by its id.
func (h *Here) Find(ctx context.Context, id string) (env.Environment, error) {
	all, err := h.Environments(ctx)
	if err != nil {
		return env.Environment{}, err
	}
	i := slices.IndexFunc(all, func(e env.Environment) bool { return e.ID == id })
	if i < 0 {
		i = slices.IndexFunc(all, func(e env.Environment) bool { return fold.Name(e.ID) == fold.Name(id) })
	}
	if i < 0 {
		var names []string
		for _, e := range all {
			names = append(names, e.ID)
		}
		return env.Environment{}, errs.New(errs.EnvironmentNotFound,
			"%s: no environment has this id; there are: %s ({env_register} makes one)", id,
			cmp.Or(strings.Join(names, ", "), "none"))
	}
	return all[i], nil
}

// body returns the text of a page without its front matter.
func body(p *mdstore.Page) string {
	doc := p.Doc()
	return strings.TrimSpace(doc.Slice(mdoc.Span{Start: len(doc.Front()), End: len(doc.Bytes())}))
}

// Root returns the folder of an environment of this machine, without links, if it is there.
func (h *Here) Root(e env.Environment) (string, error) {
	a, err := env.ParseURI(e.URI)
	if err != nil {
		return "", err
	}
	if a.Host != env.Server || e.Host != env.Server {
		return "", errs.New(errs.EnvironmentMissing, "%s: %s is of a client that is not connected", e.ID, e.URI)
	}
	dir, err := h.Folder(a)
	if err != nil {
		return "", errs.New(errs.EnvironmentMissing, "%s: %v; {env_restore} gives another folder", e.ID, err)
	}
	return dir, nil
}

// Folder returns the folder at an address of this machine, without links.
func (h *Here) Folder(a env.Address) (string, error) {
	dir := filepath.FromSlash(a.Path)
	if a.Local {
		dir = filepath.Join(h.Engine.Project(), dir)
	}
	r, err := jail.Open(dir, jail.Options{})
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // without the path, which is long and known to the caller
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	return r.Path(), nil
}

// Clients are the machines that serve folders: a *remote.Hub. Trust and approvals are theirs.
type Clients interface {
	Tools(client, root string) ([]env.Tool, bool)
	Call(ctx context.Context, client string, call remote.Call) (json.RawMessage, error)
}

// client adds an environment of a client to those of the call. The client itself decides what runs there.
func (h *Here) client(p *env.Place, only []string) {
	p.Status, p.Level = env.Missing, p.Trust
	a, err := env.ParseURI(p.URI)
	if err != nil || h.Clients == nil {
		return
	}
	if tools, ok := h.Clients.Tools(a.Client, a.Path); ok {
		p.Status = env.Active
		p.Has = slices.DeleteFunc(slices.Clone(tools), func(t env.Tool) bool {
			return only != nil && !slices.Contains(only, t.Name)
		})
	}
}

// abroad makes a call in an environment of a client.
func (h *Here) abroad(ctx context.Context, p *env.Place, session, tool string, args json.RawMessage, out any) error {
	a, err := env.ParseURI(p.URI)
	if err != nil {
		return err
	}
	if from := h.from[p.ID]; from != "" {
		args = beginAt(from, args)
	}
	result, err := h.Clients.Call(ctx, a.Client, remote.Call{Tool: tool, Root: a.Path, Session: session, Arguments: args})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(result, out); err != nil {
		return errs.New(errs.InternalError, "%s: the client's answer cannot be read: %v", p.ID, err)
	}
	return nil
}

// beginAt returns arguments with a path that begins at a folder.
func beginAt(folder string, args json.RawMessage) json.RawMessage {
	var all map[string]any
	if json.Unmarshal(args, &all) != nil {
		return args
	}
	if p, ok := all["path"].(string); ok && p != "" && !path.IsAbs(p) {
		all["path"] = path.Join(folder, p)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return args
	}
	return data
}

// Add adds an environment with its present tools and trust to those of the call.
func (h *Here) Add(ctx context.Context, e env.Environment, only []string) {
	p := &env.Place{Environment: e, Status: env.Active}
	h.Places = append(h.Places, p)
	if e.Host == env.Client {
		h.client(p, only)
		return
	}
	root, err := h.Root(e)
	if err != nil {
		p.Status = env.Missing
	}
	p.Root = root
	if level, ok := h.Book.Level(e, root); !ok && p.Status == env.Active {
		p.Status = env.Untrusted
	} else if ok {
		p.Level = level
	}
	h.tools(ctx, p, only)
}

// own adds the session's own environment: its folder, in which calls see only Notes, a folder that is made at its first
// use. A vault without a folder has none.
func (h *Here) own(ctx context.Context) error {
	if h.Engine.Vault() == "" {
		return nil
	}
	dir := filepath.Join(h.Engine.Vault(), filepath.FromSlash(string(h.Session.Path.Dir())))
	r, err := jail.Open(dir, jail.Options{Trash: h.Store.Trash()})
	if err != nil {
		return err
	}
	defer r.Close()
	status := env.Active
	if _, gone := r.List(ctx, notesDir, 1); gone != nil && h.Looks {
		status = env.Missing
	} else if gone != nil {
		c, err := r.PlanWrite(notesDir+"/Welcome.md", "# Notes\n\nThis folder is the session's own: what is written here stays, and nobody is asked.\n")
		if err == nil {
			_, err = r.Apply(ctx, c)
		}
		if err != nil {
			return Jailed(err)
		}
	}
	h.Places = append(h.Places, &env.Place{
		Environment: env.Environment{ID: string(h.Session.ID), URI: "vault://session/" + string(h.Session.ID),
			Host: env.Session, Trust: env.Full},
		Level: env.Full, Status: status, Root: r.Path(), Primary: true, Has: env.BuiltIn(),
	})
	return nil
}

const notesDir = env.NotesDir
