package ops

import (
	"context"
	"slices"

	"arbor/engine/view"
	"arbor/mdstore"
)

// ChangesGetIn asks what others changed.
type ChangesGetIn struct {
	In
	SessionID string `json:"sessionId,omitempty" flag:"-" listed:"never" help:"since this session last looked"`
	Since     string `json:"since,omitempty" help:"since this TIME: UTC, RFC 3339, Unix milliseconds, or how long ago, as 2h30m"`
}

// ChangesGetOut lists the changes file by file.
type ChangesGetOut struct {
	Changes []FileChange `json:"changes"`
	Hidden  int          `json:"hidden,omitempty"` // further changes, where results are bounded
	First   bool         `json:"first,omitempty"`  // the session looks for the first time: there is nothing to compare with

	Met []mdstore.Collision `json:"conflicts,omitempty" only:"rarely"` // saves that met commits, and what became of both, or is to become
	Out
}

// FileChange says what changed in one file.
type FileChange struct {
	Path     string   `json:"path"`
	NodeID   string   `json:"nodeId,omitempty"`
	Title    string   `json:"title,omitempty"`
	Kind     string   `json:"kind" enum:"created,changed,removed,moved"`
	From     string   `json:"from,omitempty"`     // where a moved file was
	Fields   []string `json:"fields,omitempty"`   // front matter keys concerned
	Sections []string `json:"sections,omitempty"` // sections concerned
}

var changesGet = op("changes_get", writes|looks, ChangesGet, Help{
	Summary: "list what others changed since a session last looked",
	Use:     "changes",
	Text: `File by file, with the fields and sections concerned: since the session last
looked, or since a time of your choice. What a session has seen is kept for 14
days after it last looked, for the 64 sessions that looked last. All of it is
printed, as what is printed counts as seen.`,
	Example: `arbor changes --session alice
arbor changes --since 2h30m
arbor changes --since "2026-01-01 10:00:00"`,
})

// ChangesGet lists what others changed.
func ChangesGet(ctx context.Context, env *Env, in ChangesGetIn) (*ChangesGetOut, error) {
	env = env.As(in.SessionID)
	ws, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	hint, rest := "they count as seen now", "those shown count as seen, the next call names the others"
	if in.Since != "" {
		hint, rest = "by updatedAt; hand edits that leave it alone show only to a session", "a later time narrows it"
	}
	out := &ChangesGetOut{Changes: []FileChange{}, Out: Out{Hint: hint}}
	out.Met = append(env.Engine.Live().Told(), env.Engine.Live().Late(ctx, false)...)
	show := func(diffs []view.Difference) (shown int) {
		all := make([]FileChange, len(diffs))
		for i, d := range diffs {
			all[i] = env.change(d)
		}
		return env.fit(out, len(all), func(n int) {
			out.Changes, out.Hidden, out.Hint = all[:n], len(all)-n, hint
			if len(all) == 0 && in.Since == "" {
				out.Hint = "nothing has changed since the session last looked"
			}
			if out.Hidden > 0 {
				out.Hint = shownOf(n, len(all), "changes", rest)
			}
		})
	}
	lost := env.Engine.Live().TakenOut(ctx)
	if in.Since != "" {
		t, err := since("since", in.Since, env.Engine.Now())
		if err != nil {
			return nil, err
		}
		for _, c := range lost {
			if c.Time >= t.UnixNano() {
				out.Met = append(out.Met, c)
			}
		}
		s, err := env.Engine.View(ctx, ws)
		if err != nil {
			return nil, fail(err)
		}
		show(s.Since(t))
		return out, nil
	}
	if env.Session == "" {
		return nil, badParam("sessionId", "sessionId is missing; name a session (--session, ARBOR_SESSION), whose last look is remembered, or a time (since)")
	}
	take := show
	if env.ReadOnly {
		hint, take = "they do not count as seen: nothing is noted here", nil
	}
	for _, c := range env.Engine.Untold(ctx, env.Session, lost, !env.ReadOnly) {
		if !slices.ContainsFunc(out.Met, func(m mdstore.Collision) bool { return m.Path == c.Path && m.Text == c.Text }) {
			out.Met = append(out.Met, c)
		}
	}
	seen, err := env.Engine.Changes(ctx, ws, env.Session, take)
	if err != nil {
		return nil, fail(err)
	}
	if take == nil {
		show(seen.Differences)
	}
	if out.First = seen.First; out.First {
		out.Hint = "the session looks for the first time; changes from now on are named at the next call"
	}
	if seen.Unnoted != nil {
		out.Hint = "that they were seen could not be noted, so they are named again next time: " + seen.Unnoted.Error()
	}
	return out, nil
}

func (env *Env) change(d view.Difference) FileChange {
	return FileChange{Path: env.path(d.Path), From: env.path(d.From), NodeID: string(d.Node), Title: d.Title, Kind: d.Kind, Fields: d.Fields, Sections: d.Sections}
}
