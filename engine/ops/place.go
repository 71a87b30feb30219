package ops

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine"
	places "arbor/engine/env"
	"arbor/engine/env/jail"
	"arbor/engine/env/remote"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A here is where the tools of a call can act: the environments of a session, and what this person has decided.
type here struct {
	env     *Env
	store   *trust.Store
	book    *trust.Book
	view    *view.View    // nil without a session
	session *mdstore.Page // nil where the caller has none with a file
	places  []*places.Place
	from    map[string]string // by environment: the folder that relative paths begin at, as it was attached
}

// storeOf returns where this person's decisions about the vault are kept.
func storeOf(env *Env) (*trust.Store, error) {
	if engine.State(env.Engine) == "" || env.Engine.Vault() == "" {
		return nil, errs.New(errs.EnvironmentUntrusted, "there is no folder for what a person decides; set HOME or XDG_STATE_HOME, and use a vault in a folder")
	}
	if env.Engine.Vault() != "" {
		if _, err := jail.Resolve(env.Engine.Vault()); err != nil {
			return nil, errs.New(errs.VaultNotFound, "there is no vault yet, and so nothing that tools could act in; workspace_init makes one (arbor init)")
		}
	}
	s, err := trust.At(filepath.Join(engine.State(env.Engine), "trust"), env.Engine.Vault())
	return s, fail(err)
}

// hereOf returns the environments of the session that is named, or else of the caller's. A caller without one has every
// environment, none of them attached: a call then names one.
func hereOf(ctx context.Context, env *Env, ref SessionRef) (*here, error) {
	h := &here{env: env, from: map[string]string{}}
	var err error
	if h.store, err = storeOf(env); err != nil {
		return nil, err
	}
	if h.book, err = h.store.Read(); err != nil {
		return nil, fail(err)
	}
	h.view, h.session, err = sessionOf(ctx, env, ref)
	if e := errs.As(err); e != nil && (e.Code != errs.SessionNotFound && e.Code != errs.WorkspaceNotFound && e.Code != errs.AmbiguousID || ref.SessionID != "") {
		return nil, err
	}
	all, err := h.environments(ctx)
	if err != nil || h.session == nil {
		for _, e := range all {
			h.add(ctx, e, nil)
		}
		return h, err
	}
	if err := h.own(ctx); err != nil {
		return nil, err
	}
	for _, item := range h.session.List(mdstore.KeyAttached) {
		a := parseAttached(item)
		i := slices.IndexFunc(all, func(e places.Environment) bool { return e.ID == a.id })
		if i < 0 {
			h.places = append(h.places, &places.Place{Environment: places.Environment{ID: a.id}, Status: places.Missing})
			continue
		}
		h.from[a.id] = a.folder
		h.add(ctx, all[i], a.tools)
	}
	return h, nil
}

// An attached is an item of a session's list: "id", "id folder=sub tools=a,b".
type attached struct {
	id     string
	folder string
	tools  []string
}

func parseAttached(item string) (a attached) {
	words := strings.Fields(item)
	for i, w := range words {
		if v, ok := strings.CutPrefix(w, "folder="); ok {
			a.folder = v
		} else if v, ok := strings.CutPrefix(w, "tools="); ok {
			a.tools = strings.Split(v, ",")
		} else if i == 0 {
			a.id = w
		}
	}
	return a
}

func (a attached) String() string {
	s := a.id
	if a.folder != "" {
		s += " folder=" + a.folder
	}
	if a.tools != nil {
		s += " tools=" + strings.Join(a.tools, ",")
	}
	return s
}

// environments returns those of the vault and those of this machine, in the order of their ids.
func (h *here) environments(ctx context.Context) ([]places.Environment, error) {
	pages, err := h.env.Engine.Live().VaultPages(ctx, mdstore.EnvironmentKind)
	if err != nil {
		return nil, fail(err)
	}
	all := slices.Clone(h.book.Machine)
	for i := range all {
		all[i].Machine = true
	}
	for _, p := range pages {
		e := places.Environment{
			ID: string(p.ID), URI: p.Field(keyURI), Host: places.Host(p.Field(keyHost)), Trust: places.Level(p.Field(keyTrust)),
			Owner: p.Field(keyOwner), Tools: p.List(keyTools), Text: body(p),
		}
		same := func(o places.Environment) bool { return o.ID == e.ID }
		if len(p.Problems) == 0 && places.ValidID(e.ID) && !slices.ContainsFunc(all, same) {
			all = append(all, e)
		}
	}
	for _, c := range h.book.Clients {
		if c.Root != "" {
			uri := places.Address{Host: places.Client, Client: c.ID, Path: c.Root}.String()
			all = append(all, places.Environment{ID: c.ID + "." + c.Root, URI: uri, Host: places.Client, Trust: c.Trust, Machine: true})
		}
	}
	slices.SortFunc(all, func(a, b places.Environment) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// The keys of an environment's file.
const (
	keyURI   = "uri"
	keyHost  = "host"
	keyTrust = "trust"
	keyOwner = "owner"
	keyTools = "tools"
)

// body returns what a page has behind its front matter.
func body(p *mdstore.Page) string {
	doc := p.Doc()
	return strings.TrimSpace(doc.Slice(mdoc.Span{Start: len(doc.Front()), End: len(doc.Bytes())}))
}

// root returns the folder of an environment of this machine, without links, if it is there.
func (h *here) root(e places.Environment) (string, error) {
	a, err := places.ParseURI(e.URI)
	if err != nil {
		return "", err
	}
	if a.Host != places.Server || e.Host != places.Server {
		return "", errs.New(errs.EnvironmentMissing, "%s: %s is of a client that is not connected", e.ID, e.URI)
	}
	dir := filepath.FromSlash(a.Path)
	if a.Local {
		dir = filepath.Join(h.env.Engine.Project(), dir)
	}
	r, err := jail.Open(dir, jail.Options{})
	if err != nil {
		return "", errs.New(errs.EnvironmentMissing, "%s: %v; env_restore gives another folder", e.ID, err)
	}
	defer r.Close()
	return r.Path(), nil
}

// Clients are the machines that serve folders: a *remote.Hub. Trust and approvals are theirs.
type Clients interface {
	Tools(client, root string) ([]places.Tool, bool)
	Call(ctx context.Context, client string, call remote.Call) (json.RawMessage, error)
}

// client adds an environment of a client to those of the call. What runs there is the client's to say.
func (h *here) client(p *places.Place, only []string) {
	p.Status, p.Level = places.Missing, p.Trust
	a, err := places.ParseURI(p.URI)
	if err != nil || h.env.Clients == nil {
		return
	}
	if tools, ok := h.env.Clients.Tools(a.Client, a.Path); ok {
		p.Status, p.Has = places.Active, slices.DeleteFunc(slices.Clone(tools), func(t places.Tool) bool { return only != nil && !slices.Contains(only, t.Name) })
	}
}

// abroad makes a call in an environment of a client.
func (h *here) abroad(ctx context.Context, p *places.Place, session, tool string, args json.RawMessage, out any) error {
	a, err := places.ParseURI(p.URI)
	if err != nil {
		return err
	}
	if from := h.from[p.ID]; from != "" {
		args = beginAt(from, args)
	}
	result, err := h.env.Clients.Call(ctx, a.Client, remote.Call{Tool: tool, Root: a.Path, Session: session, Arguments: args})
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

// add adds an environment to those of the call, with what it can do now.
func (h *here) add(ctx context.Context, e places.Environment, only []string) {
	p := &places.Place{Environment: e, Status: places.Active}
	h.places = append(h.places, p)
	if e.Host == places.Client {
		h.client(p, only)
		return
	}
	root, err := h.root(e)
	if err != nil {
		p.Status = places.Missing
	}
	p.Root = root
	if level, ok := h.book.Level(e, root); !ok && p.Status == places.Active {
		p.Status = places.Untrusted
	} else if ok {
		p.Level = level
	}
	p.Has = h.tools(ctx, p, only)
}

// own adds the session's own environment: the folder Notes of its folder, which is made when it is first used.
func (h *here) own(ctx context.Context) error {
	dir := filepath.Join(h.env.Engine.Vault(), filepath.FromSlash(string(h.session.Path.Dir())))
	r, err := jail.Open(dir, jail.Options{Trash: h.store.Trash()})
	if err != nil {
		return fail(err)
	}
	defer r.Close()
	status := places.Active
	if _, gone := r.List(ctx, notesDir, 1); gone != nil && (h.env.ReadOnly || h.env.Dry) {
		status = places.Missing
	} else if gone != nil {
		c, err := r.PlanWrite(notesDir+"/Welcome.md", "# Notes\n\nThis folder is the session's own: what is written here stays, and nobody is asked.\n")
		if err == nil {
			_, err = r.Apply(ctx, c)
		}
		if err != nil {
			return jailed(err)
		}
	}
	h.places = append(h.places, &places.Place{
		Environment: places.Environment{ID: string(h.session.ID), URI: "vault://session/" + string(h.session.ID), Host: places.Session, Trust: places.Full},
		Level:       places.Full, Status: status, Root: filepath.Join(r.Path(), notesDir), Primary: true, Has: places.BuiltIn(),
	})
	return nil
}

const notesDir = "Notes" // of a session's folder

// tools returns what an environment offers: the tools that are built in, those that the vault defines and it lists, and
// those of its own file; of these only the ones that it names, and that the session wants.
func (h *here) tools(ctx context.Context, p *places.Place, only []string) []places.Tool {
	all := places.BuiltIn()
	listed := func(name string) bool { return slices.Contains(p.Tools, name) }
	if pages, err := h.env.Engine.Live().VaultPages(ctx, mdstore.ToolKind); err == nil {
		for _, page := range pages {
			if t, err := toolOf(page); err == nil && listed(t.Name) {
				all = append(all, t)
			}
		}
	}
	if p.Root != "" {
		if r, err := jail.Open(p.Root, jail.Options{}); err == nil {
			defer r.Close()
			if data, err := r.Content(places.ToolsFile, places.MaxToolsFile); err == nil {
				own, _ := places.ParseTools(data, builtIn)
				all = append(all, own...)
			}
		}
	}
	return slices.DeleteFunc(all, func(t places.Tool) bool {
		return len(p.Tools) > 0 && !listed(t.Name) || only != nil && !slices.Contains(only, t.Name)
	})
}

// builtIn reports whether a name is one of Arbor's own tools. It is set by init: the catalogue refers to what asks it.
var builtIn func(name string) bool

func init() {
	builtIn = func(name string) bool {
		_, ok := Find(name)
		return ok
	}
}

// toolOf reads the definition of a tool from its file: the keys of the front matter, and a block of JSON for the schema
// of its parameters.
func toolOf(p *mdstore.Page) (places.Tool, error) {
	d := map[string]any{"id": string(p.ID)}
	for _, key := range []string{"name", "description"} {
		if v := p.Field(key); v != "" {
			d[key] = v
		}
	}
	for _, key := range []string{"command", "env", "read"} {
		if v := p.List(key); v != nil {
			d[key] = v
		}
	}
	for _, key := range []string{"requiresPermission", "readOnly", "network", "timeout"} {
		if v := p.Field(key); v != "" {
			d[key] = json.RawMessage(v)
		}
	}
	if _, rest, ok := strings.Cut(body(p), "```json\n"); ok {
		schema, _, _ := strings.Cut(rest, "```")
		d["parametersSchema"] = json.RawMessage(schema)
	}
	data, err := json.Marshal(d)
	if err != nil {
		return places.Tool{}, err
	}
	t, err := places.ParseTool(data, builtIn)
	t.Source = string(p.Path)
	return t, err
}
