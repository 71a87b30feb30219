package setup

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"arbor/engine"
	"arbor/mdstore"
)

// The hooks.
const (
	SessionStart = "session-start" // a session begins, goes on, or was compacted: it is told what it works on
	Prompt       = "prompt"        // a person has asked something: the session is told that others changed something, where they did
)

// Hooks returns the names of the hooks.
func Hooks() []string {
	var names []string
	for _, h := range hookEvents {
		names = append(names, h.name)
	}
	return names
}

// A HookCall is what a hook is called with besides its vault.
type HookCall struct {
	Name    string    // one of Hooks
	Stdin   io.Reader // what the client tells, as JSON; nil for nothing. It is read up to the end of one object and not beyond
	Stdout  io.Writer
	Session string // where Stdin names none; "" for none
	Broken  error  // why there is no engine although there is a vault; nil where there is none
}

const (
	startTokens = 600 // the most that a session is told at its start, counted as bytes/4
	bytesToken  = 4
	largestAsk  = 8 << 20 // bytes of what a client tells; a prompt is among it

	longestSession = 256 // bytes of a session's name
)

// Hook writes what a session of Claude Code is to know, as JSON that it takes as additional context; nothing where there is nothing to say, and nothing without a
// vault, which a nil engine is. A binding of the session says which workspace is meant, else it is the only active one.
//
// What goes wrong is told in one line of the context and returned, for stderr: a hook is to end with exit code 0 all the same. Texts of the vault's files are
// quoted and free of control characters, so that nothing in them can be taken for Arbor's own words.
func Hook(ctx context.Context, e *engine.Engine, call HookCall) error {
	event := ""
	for _, h := range hookEvents {
		if h.name == call.Name {
			event = h.event
		}
	}
	if event == "" {
		return engine.Fail(engine.InvalidParams, "hook %q: there are %s and %s", call.Name, SessionStart, Prompt)
	}
	if s := sessionOf(call.Stdin); s != "" {
		call.Session = s
	}
	if len(call.Session) > longestSession || strings.ContainsFunc(call.Session, unicode.IsControl) {
		call.Session = "" // the engine knows none of that name
	}
	told, err := "", call.Broken
	if e != nil && err == nil {
		told, err = tell(ctx, e, call)
	}
	if ctx.Err() != nil {
		return ctx.Err() // whoever ends the hook does not want to be told anything
	}
	if err != nil {
		told = trouble(err)
	}
	if told == "" {
		return err
	}
	return errors.Join(err, say(call.Stdout, event, told))
}

// say writes text as the additional context of an event.
func say(w io.Writer, event, text string) error {
	type specific struct {
		HookEventName     string `json:"hookEventName"`
		AdditionalContext string `json:"additionalContext"`
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		HookSpecificOutput specific `json:"hookSpecificOutput"`
	}{specific{event, text}})
}

// sessionOf returns the session that a client names, "" for none. Whatever else it tells does not matter, damaged or not.
func sessionOf(r io.Reader) string {
	if r == nil {
		return ""
	}
	dec := json.NewDecoder(io.LimitReader(r, largestAsk))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	session := ""
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		var v any
		if dec.Decode(&v) != nil {
			break
		}
		if s, ok := v.(string); ok && key == "session_id" {
			session = s
		}
	}
	return session
}

// tell returns what the session is told.
func tell(ctx context.Context, e *engine.Engine, call HookCall) (string, error) {
	all, err := e.Workspaces(ctx)
	if err != nil {
		return "", err
	}
	active := map[mdstore.ID]*mdstore.Workspace{}
	var order []*mdstore.Workspace
	for _, w := range all {
		if w.Status == mdstore.StatusActive && active[w.ID] == nil {
			active[w.ID] = w
			order = append(order, w)
		}
	}
	var bound engine.Binding
	var unbound error
	if call.Session != "" {
		b, ok, err := e.Binding(ctx, call.Session)
		if ok && active[b.WorkspaceID] != nil {
			bound = b
		}
		unbound = err
	}
	switch {
	case bound.WorkspaceID != "":
	case len(order) == 1: // it is meant without doubt, whatever is wrong with the bindings
		bound.WorkspaceID = order[0].ID
	case unbound != nil:
		return "", unbound
	case call.Name == SessionStart && len(order) > 1:
		return several(order), nil
	default:
		return "", nil
	}
	if call.Name == Prompt {
		return remind(ctx, e, bound, call.Session)
	}
	snap, err := e.Snapshot(ctx, bound.WorkspaceID)
	if err != nil {
		return "", err
	}
	return begin(snap, focusOf(snap, bound), bound.SessionID != ""), nil
}

// focusOf returns the node that a session works on, nil for none.
func focusOf(snap *engine.Snapshot, b engine.Binding) *mdstore.Node {
	for _, id := range []mdstore.ID{b.FocusedNodeID, snap.Workspace().Focus} {
		if n, ok := snap.Node(id); ok && id != "" {
			return n
		}
	}
	return nil
}

// remind returns what is to be said at a prompt: that others changed something. What the session works on it was told when it began.
func remind(ctx context.Context, e *engine.Engine, b engine.Binding, session string) (string, error) {
	if session == "" {
		return "", nil // nobody knows what it has seen
	}
	seen, err := e.Changes(ctx, b.WorkspaceID, session, nil)
	if err != nil {
		return "", err
	}
	return reminder(len(seen.Differences)), nil
}
