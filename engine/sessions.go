package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"arbor/mdstore"
)

// A Binding makes a workspace, and a node of it, the default of a session.
type Binding struct {
	SessionID     string     `json:"sessionId"`
	WorkspaceID   mdstore.ID `json:"workspaceId"`
	FocusedNodeID mdstore.ID `json:"focusedNodeId,omitempty"` // the session's own focus; "" where the workspace's counts
	BoundAt       int64      `json:"boundAt"`                 // Unix milliseconds
}

// sessionsFile is the content of sessions.json. What this program does not know of it is kept.
type sessionsFile struct {
	rest     map[string]json.RawMessage
	bindings map[string]json.RawMessage
	version  mdstore.Version
	raw      []byte
	corrupt  error
}

func readSessions(ctx context.Context, st mdstore.Store) (*sessionsFile, error) {
	f, err := st.Read(ctx, mdstore.SessionsFile)
	s := &sessionsFile{version: f.Version, raw: f.Data}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, err
	}
	if s.corrupt = json.Unmarshal(f.Data, &s.rest); s.corrupt == nil {
		if b, ok := s.rest["bindings"]; ok {
			s.corrupt = json.Unmarshal(b, &s.bindings)
		}
	}
	return s, nil
}

func (s *sessionsFile) get(id string) (Binding, bool) {
	raw, ok := s.bindings[id]
	var b Binding
	if !ok || json.Unmarshal(raw, &b) != nil {
		return Binding{}, false
	}
	return b, true
}

// changes returns the commit that writes the file with that binding set, or removed where b is nil. A corrupt file is kept under another name.
func (s *sessionsFile) changes(id string, b *Binding, now time.Time) ([]mdstore.Change, error) {
	var out []mdstore.Change
	rest, bindings := maps.Clone(s.rest), maps.Clone(s.bindings)
	if s.corrupt != nil {
		rest, bindings = nil, nil
		out = append(out, mdstore.Change{Path: mdstore.Path(mdstore.SessionsFile + ".corrupt-" + now.UTC().Format("20060102T150405.000")), New: s.raw})
	}
	if rest == nil {
		rest = map[string]json.RawMessage{}
	}
	if bindings == nil {
		bindings = map[string]json.RawMessage{}
	}
	if b == nil {
		delete(bindings, id)
	} else {
		raw, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		bindings[id] = raw
	}
	raw, err := json.Marshal(bindings)
	if err != nil {
		return nil, err
	}
	rest["bindings"] = raw
	data, err := json.MarshalIndent(rest, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(out, mdstore.Change{Path: mdstore.SessionsFile, Base: s.version, New: append(data, '\n')}), nil
}

// Binding returns what a session is bound to. A corrupt sessions.json is an error that says so.
func (e *Engine) Binding(ctx context.Context, session string) (Binding, bool, error) {
	if err := validSession(session); err != nil {
		return Binding{}, false, err
	}
	s, err := readSessions(ctx, e.st)
	if err != nil {
		return Binding{}, false, err
	}
	if s.corrupt != nil {
		return Binding{}, false, s.unreadable()
	}
	b, ok := s.get(session)
	return b, ok, nil
}

// Bind makes a workspace the default of a session, with the node as its focus where one is given.
func (e *Engine) Bind(ctx context.Context, b Binding, act Act) (*Outcome, error) {
	if err := validSession(b.SessionID); err != nil {
		return nil, err
	}
	snap, err := e.Snapshot(ctx, b.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if b.FocusedNodeID != "" {
		if _, err := snap.Known(b.FocusedNodeID); err != nil {
			return nil, err
		}
	}
	b.BoundAt = e.opt.Now().UnixMilli()
	return e.editSessions(ctx, act, "session "+b.SessionID+" bound to "+string(b.WorkspaceID), func(s *sessionsFile) ([]mdstore.Change, error) {
		old, ok := s.get(b.SessionID)
		old.BoundAt = b.BoundAt
		if ok && old == b && s.corrupt == nil {
			return nil, nil
		}
		return s.changes(b.SessionID, &b, e.opt.Now())
	}, nil)
}

// Refocus gives a bound session a focus of its own, which others do not move: the node that it has begun or focused. A session that is not bound, or bound elsewhere,
// has none.
func (e *Engine) Refocus(ctx context.Context, session string, ws, id mdstore.ID) error {
	b, ok, err := e.Binding(ctx, session)
	if err != nil || !ok || b.WorkspaceID != ws || b.FocusedNodeID == id {
		return err
	}
	b.FocusedNodeID = id
	_, err = e.Bind(ctx, b, Act{})
	return err
}

// Unbind ends a session's binding, gives back what it has claimed, and forgets what it has seen. The error is SESSION_NOT_FOUND where there is none.
func (e *Engine) Unbind(ctx context.Context, session string, act Act) (*Outcome, error) {
	if err := validSession(session); err != nil {
		return nil, err
	}
	return e.editSessions(ctx, act, "session "+session+" unbound", func(s *sessionsFile) ([]mdstore.Change, error) {
		if s.corrupt != nil {
			return nil, s.unreadable()
		}
		if _, ok := s.bindings[session]; !ok {
			return nil, Fail(SessionNotFound, "%s: no such session is bound; bound are: %s", session, orNone(slices.Sorted(maps.Keys(s.bindings))))
		}
		return s.changes(session, nil, e.opt.Now())
	}, func(st mdstore.Store) ([]mdstore.Change, error) {
		if err := e.forgetLooks(ctx, st, session); err != nil {
			return nil, err
		}
		return e.unclaimed(ctx, st, session)
	})
}

func (s *sessionsFile) unreadable() *Error {
	return Fail(FileUnreadable, "%s: no valid JSON (%v); the next session_bind keeps it under another name and starts a new one", mdstore.SessionsFile, s.corrupt).
		with(Details{Paths: []string{mdstore.SessionsFile}})
}

// editSessions commits what edit makes of sessions.json, and what comes along with it: notes that no outcome names. along may be nil.
func (e *Engine) editSessions(ctx context.Context, act Act, what string, edit func(*sessionsFile) ([]mdstore.Change, error),
	along func(mdstore.Store) ([]mdstore.Change, error)) (*Outcome, error) {
	out := &Outcome{DryRun: act.DryRun}
	plan := func(st mdstore.Store) ([]mdstore.Change, error) {
		s, err := readSessions(ctx, st)
		if err != nil {
			return nil, err
		}
		changes, err := edit(s)
		for _, c := range changes {
			f := FileChange{Path: c.Path, Version: mdstore.VersionOf(c.New), new: c.New, What: []string{what}}
			if c.Path == mdstore.SessionsFile && !s.version.IsZero() {
				f.old = s.raw
			}
			out.Files = append(out.Files, f)
		}
		return changes, err
	}
	if act.DryRun {
		_, err := plan(e.st)
		return out, err
	}
	err := e.exclusively(ctx, func(st mdstore.Store) error {
		changes, err := plan(st)
		if err != nil || len(changes) == 0 {
			return err
		}
		if along != nil {
			more, err := along(st)
			if err != nil {
				return err
			}
			changes = append(changes, more...)
		}
		return e.aside(ctx, st, changes)
	})
	return out, err
}

func validSession(id string) error {
	if id == "" || len(id) > 256 || strings.ContainsFunc(id, unicode.IsControl) {
		return Fail(InvalidParams, "sessionId %q: 1 to 256 bytes without control characters are a session's id", id).with(Details{Param: "sessionId"})
	}
	return nil
}

func orNone(s []string) string {
	if len(s) == 0 {
		return "none"
	}
	if len(s) > candidatesShown {
		s = append(slices.Clone(s[:candidatesShown]), fmt.Sprintf("… (%d in all)", len(s)))
	}
	return strings.Join(s, ", ")
}
