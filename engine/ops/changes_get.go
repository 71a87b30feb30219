package ops

import (
	"context"
	"strconv"
	"time"

	"arbor/engine"
	"arbor/mdstore"
)

// ChangesGetIn asks what others changed.
type ChangesGetIn struct {
	In
	SessionID string `json:"sessionId,omitempty" flag:"-" help:"since this session last looked"`
	Since     string `json:"since,omitempty" help:"since this TIME: UTC, RFC 3339, Unix milliseconds, or how long ago, as 2h30m"`
}

// ChangesGetOut lists the changes file by file.
type ChangesGetOut struct {
	Changes []FileChange `json:"changes"`
	Hidden  int          `json:"hidden,omitempty"` // further changes, where results are bounded
	First   bool         `json:"first,omitempty"`  // the session looks for the first time: there is nothing to compare with
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

var changesGet = op("changes_get", writes, ChangesGet, Help{
	Summary: "list what others changed since a session last looked",
	Use:     "changes",
	Text: `File by file, with the fields and sections concerned: since the session last
looked, or since a time of your choice. What a session has seen is kept for 14
days after it last looked, for the 16 sessions that looked last. All of it is
printed, as what is printed counts as seen.`,
	Example: `arbor changes --session alice
arbor changes --since 2h30m
arbor changes --since "2026-01-01 10:00:00"`,
})

// ChangesGet lists what others changed.
func ChangesGet(ctx context.Context, env *Env, in ChangesGetIn) (*ChangesGetOut, error) {
	env = env.as(in.SessionID)
	ws, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	out := &ChangesGetOut{Changes: []FileChange{}}
	var diffs []engine.Difference
	if in.Since != "" {
		t, err := since(in.Since, env.Engine.Now())
		if err != nil {
			return nil, err
		}
		s, err := env.Engine.Snapshot(ctx, ws)
		if err != nil {
			return nil, fail(err)
		}
		diffs = s.Since(t)
		out.Hint = "by updatedAt; hand edits that leave it alone show only to a session"
	} else {
		if env.Session == "" {
			return nil, badParam("sessionId", "sessionId is missing; name a session (--session, ARBOR_SESSION), whose last look is remembered, or a time (since)")
		}
		seen, err := env.Engine.Changes(ctx, ws, env.Session, func(all []engine.Difference) int { return env.shown(all) })
		if err != nil {
			return nil, fail(err)
		}
		diffs, out.First, out.Hint = seen.Differences, seen.First, "they count as seen now"
		if seen.Unnoted != nil {
			out.Hint = "that they were seen could not be noted, so they are named again next time: " + seen.Unnoted.Error()
		} else if out.First {
			out.Hint = "the session looks for the first time; changes from now on are named at the next call"
		}
	}
	shown := env.shown(diffs)
	for _, d := range diffs[:shown] {
		out.Changes = append(out.Changes, env.change(d))
	}
	if out.Hidden = len(diffs) - shown; out.Hidden > 0 && in.Since == "" {
		out.Hint = shownOf(shown, len(diffs), "changes", "those shown count as seen, the next call names the others")
	} else if out.Hidden > 0 {
		out.Hint = shownOf(shown, len(diffs), "changes", "a later time narrows it")
	}
	return out, nil
}

func (env *Env) change(d engine.Difference) FileChange {
	return FileChange{Path: env.path(d.Path), From: env.pathOrNone(d.From), NodeID: string(d.Node), Title: d.Title, Kind: d.Kind, Fields: d.Fields, Sections: d.Sections}
}

// shown returns how many of the changes have room in a result.
func (env *Env) shown(ds []engine.Difference) int {
	if !env.bounded() {
		return len(ds)
	}
	all := make([]FileChange, len(ds))
	for i, d := range ds {
		all[i] = env.change(d)
	}
	return fitting(env, all, besideList)
}

// since reads a point in time in any of the forms that people and programs write.
func since(s string, now time.Time) (time.Time, error) {
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil {
		return time.UnixMilli(ms), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, mdstore.TimeLayout, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, badParam("since", "since %q: 2026-01-01 10:00:00 (UTC), RFC 3339, Unix milliseconds, or a duration such as 2h30m are expected", s)
}
