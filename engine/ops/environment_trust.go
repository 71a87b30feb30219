package ops

import (
	"context"

	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/env/jail"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/mdstore"
)

type EnvTrustIn struct {
	ID string `json:"id" req:"true" arg:"ENV"`
	Write
}

var envTrust = op("env_trust", writes|repeats, EnvTrust, Help{
	Summary: "trust an environment: let its tools run",
	Use:     "env trust ENV",
	Text: `The trust applies to this machine and to the environment as it is now. If its
id, URI, trust level, tools or folder change, it is untrusted again.`,
	Example: "arbor env trust app",
})

// EnvTrust notes that a person lets tools run in an environment.
func EnvTrust(ctx context.Context, env *Env, in EnvTrustIn) (*EnvRegisterOut, error) {
	if !decidesPrograms(env) {
		return nil, errs.New(errs.ToolRefused, "only a person trusts an environment, at a terminal: arbor env trust %s", in.ID)
	}
	h, e, err := hereIn(ctx, env, SessionRef{}, in.ID)
	if err != nil {
		return nil, err
	}
	root, err := h.Root(e)
	if err != nil {
		return nil, err
	}
	if err := MayTrust(env, e, root); err != nil {
		return nil, err
	}
	out := &EnvRegisterOut{ID: e.ID, URI: e.URI, Wrote: Wrote{Success: true, DryRun: h.dry()}}
	return out, h.trusted(ctx, e, root, out)
}

// MayTrust returns an error if e asks for a trust that no environment, or not this one, may have. root is its folder.
func MayTrust(env *Env, e places.Environment, root string) error {
	switch {
	case e.Trust != places.Full && e.Trust != places.Restricted && e.Trust != places.ReadOnly:
		return errs.New(errs.ToolRefused, "%s asks for the trust %q, which is none; full, restricted or read_only is", e.ID, e.Trust)
	case e.Trust == places.Full && holdsPerson(env, root):
		return errs.New(errs.ToolRefused, "%s holds your own folder, the vault or that of Arbor; it can be restricted or read_only", root)
	case act.Hiding(env.Engine, env.Home).Hides(root):
		return errs.New(errs.ToolRefused, "%s is in Arbor's own folder, or in that of a vault: no tool sees what is there", root)
	}
	return nil
}

type EnvGrantsIn struct {
	Revoke string `json:"revoke,omitempty" writes:"true" help:"revoke the grant with this ID"`
	Write
}

type EnvGrantsOut struct {
	Grants []trust.Grant `json:"grants"`
	Out
}

var envGrants = op("env_grants", writes|looks, EnvGrants, Help{
	Summary: "list your grants, or revoke one", Use: "env grants",
	Text: `A grant lets calls of one tool run without asking, either for files that match a
path pattern or for exactly the same arguments.`,
	Example: "arbor env grants\narbor env grants --revoke x3k9qa",
})

// EnvGrants lists the grants that are left, after revoking one if the input names it.
func EnvGrants(ctx context.Context, env *Env, in EnvGrantsIn) (*EnvGrantsOut, error) {
	b, err := env.noted(ctx, in.Revoke != "", func(b *trust.Book) error { return b.Revoke(in.Revoke) })
	if err != nil {
		return nil, err
	}
	return &EnvGrantsOut{Grants: nonNil(b.Grants)}, nil
}

type EnvClientsIn struct {
	Remove string `json:"remove,omitempty" writes:"true" help:"remove the CLIENT; its token stops working"`
	Write
}

type EnvClientsOut struct {
	Clients []ListedClient `json:"clients"`
	Out
}

// A ListedClient is a machine that may connect and serve a folder.
type ListedClient struct {
	ID    string       `json:"id"`
	Added trust.Moment `json:"added"`
	Root  string       `json:"root,omitempty"` // the folder that it served last
	Trust places.Level `json:"trust,omitempty"`
}

var envClients = op("env_clients", writes|looks, EnvClients, Help{
	Summary: "list machines that may serve folders, or remove one", Use: "env clients",
	Text: `To add a machine, run arbor serve --pair here and arbor env connect there. A
removed machine is disconnected within seconds.`,
	Example: "arbor env clients\narbor env clients --remove laptop",
})

// EnvClients lists the clients that are left, after removing one if the input names it.
func EnvClients(ctx context.Context, env *Env, in EnvClientsIn) (*EnvClientsOut, error) {
	b, err := env.noted(ctx, in.Remove != "", func(b *trust.Book) error { return b.RemoveClient(in.Remove) })
	if err != nil {
		return nil, err
	}
	out := &EnvClientsOut{Clients: []ListedClient{}}
	for _, c := range b.Clients {
		out.Clients = append(out.Clients, ListedClient{c.ID, c.Added, c.Root, c.Trust})
	}
	return out, nil
}

type EnvUndoIn struct {
	ID string `json:"id" req:"true" arg:"ID"`
	Write
}

var envUndo = op("env_undo", writes, EnvUndo, Help{
	Summary: "undo what a tool did to a file", Use: "env undo ID",
	Text:    "The id is that which file_write, file_edit and file_delete return as undo.",
	Example: "arbor env undo k2v8m4qe",
})

// EnvUndo restores a file that a tool replaced or deleted. Only a person may call it.
func EnvUndo(ctx context.Context, env *Env, in EnvUndoIn) (*FileChanged, error) {
	if env.Caller == ByAssistant || env.Operator == mdstore.OperatorAI {
		return nil, errs.New(errs.ToolRefused, "only a person takes a change back: arbor env undo %s", in.ID)
	}
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, err
	}
	r, c, err := jail.PlanUndo(s.Trash(), in.ID, func(root string) (*jail.Root, error) {
		return jail.Open(root, jail.Options{Trash: s.Trash()})
	})
	if err != nil {
		return nil, act.Jailed(err)
	}
	defer r.Close()
	undo := ""
	if env.May != MayPreview {
		if undo, err = r.Apply(ctx, c); err != nil {
			return nil, act.Jailed(err)
		}
	}
	return &FileChanged{Path: c.Path, Version: string(c.Now()), Undo: undo}, nil
}
