package ops

import (
	"context"
	"time"

	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/env/trust"
)

// EnvClientsIn names a client to remove.
type EnvClientsIn struct {
	Remove string `json:"remove,omitempty" writes:"true" help:"forget the CLIENT; its token is none any more"`
}

// EnvClientsOut lists machines that may serve folders.
type EnvClientsOut struct {
	Clients []ListedClient `json:"clients"`
	Out
}

// A ListedClient is a machine that may connect.
type ListedClient struct {
	ID    string       `json:"id"`
	Added time.Time    `json:"added"`
	Root  string       `json:"root,omitempty"` // what it served last
	Trust places.Level `json:"trust,omitempty"`
}

var envClients = op("env_clients", writes|looks, EnvClients, Help{
	Summary: "list the machines that may serve folders, or remove one", Use: "env clients",
	Text: `A machine is added by a code that arbor serve --pair shows, and arbor env connect
takes. One that is removed is cut off within seconds.`,
	Example: "arbor env clients\narbor env clients --remove laptop",
})

// EnvClients lists clients, or removes one.
func EnvClients(ctx context.Context, env *Env, in EnvClientsIn) (*EnvClientsOut, error) {
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, err
	}
	if in.Remove != "" {
		if err := s.Update(ctx, func(b *trust.Book) error { return b.RemoveClient(in.Remove) }); err != nil {
			return nil, fail(err)
		}
	}
	b, err := s.Read()
	if err != nil {
		return nil, fail(err)
	}
	out := &EnvClientsOut{Clients: []ListedClient{}}
	for _, c := range b.Clients {
		out.Clients = append(out.Clients, ListedClient{c.ID, c.Added, c.Root, c.Trust})
	}
	return out, nil
}
