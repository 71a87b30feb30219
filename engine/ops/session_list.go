package ops

import (
	"context"

	"arbor/mdstore"
)

// SessionListIn filters the sessions of a workspace.
type SessionListIn struct {
	In
	Active bool `json:"active,omitempty" help:"only those that have not ended"`
	Limit  int  `json:"limit,omitempty" min:"0" flag:"limit,n" help:"at most N"`
}

// SessionListOut lists sessions, newest first.
type SessionListOut struct {
	Sessions []SessionHead `json:"sessions"`
	Hidden   int           `json:"hidden,omitempty"` // further sessions
	Out
}

// SessionHead is a session in a list.
type SessionHead struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	StartedAt   int64    `json:"startedAt"`
	EndedAt     int64    `json:"endedAt,omitempty"`
	Previous    string   `json:"previous,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Damaged     bool     `json:"damaged,omitempty"`
}

var sessionList = op("session_list", reads|repeats, SessionList, Help{
	Summary: "list the sessions of a workspace, newest first",
	Use:     "session list",
	Aliases: "ls",
	Text:    "Those that have a file, from this machine and others.",
	Example: "arbor session list --active",
})

// SessionList lists the sessions of a workspace that have files, newest first.
func SessionList(ctx context.Context, env *Env, in SessionListIn) (*SessionListOut, error) {
	v, err := env.WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	all := []SessionHead{}
	for _, p := range v.Pages().Newest(mdstore.SessionKind) {
		if !in.Active || p.Field(mdstore.KeyEnded) == "" {
			all = append(all, SessionHead{ID: string(p.ID), Name: p.Name(), Description: p.Field(mdstore.KeyDescription),
				StartedAt: p.Time(mdstore.KeyStarted), EndedAt: p.Time(mdstore.KeyEnded), Previous: p.Field(mdstore.KeyPrevious),
				Tags: p.List(mdstore.KeyTags), Damaged: p.Editable() != nil})
		}
	}
	most := len(all)
	if in.Limit > 0 {
		most = min(most, in.Limit)
	}
	out := &SessionListOut{}
	env.fit(out, most, func(n int) {
		out.Sessions, out.Hidden, out.Hint = all[:n], len(all)-n, "session_load takes one up"
		switch {
		case len(all) == 0:
			out.Hint = "there is none; session_start makes one"
		case out.Hidden > 0:
			out.Hint = shownOf(n, len(all), "sessions", "a higher limit brings more")
		}
	})
	return out, nil
}
