package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
)

// StateListIn filters states.
type StateListIn struct {
	In
	SessionID string   `json:"sessionId,omitempty" flag:"-" is:"session"`
	Tags      []string `json:"tags,omitempty" flag:"tag" help:"only states with this TAG, or another one that is given"`
	Query     string   `json:"query,omitempty" help:"only states with these WORDS in name, description and tags"`
	Limit     int      `json:"limit,omitempty" min:"-1" flag:"limit,n" help:"at most N states; 20 unless given"`
	Cursor    string   `json:"cursor,omitempty" help:"continue at the CURSOR of an earlier page"`
}

// StateListOut lists states, newest first.
type StateListOut struct {
	States []StateHead `json:"states"`
	Total  int         `json:"total"`            // states that match
	Cursor string      `json:"cursor,omitempty"` // brings what follows; "" at the end
	Out
}

// StateHead is a state in a list.
type StateHead struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	SessionID   string   `json:"sessionId,omitempty"`
	Created     int64    `json:"created"` // Unix milliseconds
	Tags        []string `json:"tags,omitempty"`
}

const statesShown = 20 // that a list shows unless told otherwise

var stateList = op("state_list", reads|repeats, StateList, Help{
	Summary: "list states, newest first",
	Use:     "state list",
	Aliases: "ls",
	Text:    "Those of all sessions; --session lists those of one.",
	Example: "arbor state list --tag ui\narbor state list --query review -q",
})

// StateList lists states, newest first. It loads no document.
func StateList(ctx context.Context, env *Env, in StateListIn) (*StateListOut, error) {
	s, err := env.As(in.SessionID).WithPages(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if p, ok := s.Pages().Session(in.SessionID); ok {
		in.SessionID = string(p.ID)
	} else if p, ok := engine.SessionFile(ctx, env.Engine, s, in.SessionID); ok {
		in.SessionID = string(p.ID)
	}
	words := strings.Fields(strings.ToLower(in.Query))
	all := slices.DeleteFunc(s.Pages().Newest(mdstore.StateKind), func(p *mdstore.Page) bool {
		tags := p.List(mdstore.KeyTags)
		text := strings.ToLower(p.Name() + "\n" + p.Field(mdstore.KeyDescription) + "\n" + strings.Join(tags, "\n"))
		tagged := func(tag string) bool { return slices.Contains(tags, tag) }
		return in.SessionID != "" && p.Field(mdstore.KeySession) != in.SessionID ||
			len(in.Tags) > 0 && !slices.ContainsFunc(in.Tags, tagged) ||
			slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
	out := &StateListOut{Total: len(all)}
	if in.Cursor != "" { // the place of the last state of a page, which stays where the state goes
		var made int64
		var id string
		if _, err := fmt.Sscanf(in.Cursor, "%d@%s", &made, &id); err != nil {
			return nil, badCursor(in.Cursor, "is none of an earlier answer")
		}
		all = slices.DeleteFunc(all, func(p *mdstore.Page) bool {
			return p.Made() > made || p.Made() == made && string(p.ID) >= id
		})
	}
	limit := min(len(all), cmp.Or(in.Limit, statesShown))
	if in.Limit < 0 {
		limit = len(all)
	}
	heads := []StateHead{}
	for _, p := range all[:limit] {
		heads = append(heads, stateHead(p))
	}
	env.fit(out, limit, func(n int) {
		out.States, out.Cursor, out.Hint = heads[:n], "", "state_load (arbor state load) takes one up"
		if n < len(all) {
			out.Cursor = fmt.Sprintf("%d@%s", all[n-1].Made(), all[n-1].ID)
			out.Hint = shownOf(n, out.Total, "states", "cursor "+out.Cursor+" brings the next, tags or query narrow it")
		}
	})
	return out, nil
}

func stateHead(p *mdstore.Page) StateHead {
	return StateHead{ID: string(p.ID), Name: p.Name(), Description: p.Field(mdstore.KeyDescription),
		SessionID: p.Field(mdstore.KeySession), Created: p.Made(), Tags: p.List(mdstore.KeyTags)}
}
