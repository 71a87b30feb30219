package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/sessions"
	"arbor/mdstore"
)

// The hooks.
const (
	SessionStart = "session-start" // when a session begins, goes on, or was compacted: what it works on
	Prompt       = "prompt"        // when a person has asked something: how many files others have changed
)

// hookEvents are the events of Claude Code that run the hooks.
var hookEvents = map[string]string{SessionStart: "SessionStart", Prompt: "UserPromptSubmit"}

// Hooks returns the names of the hooks.
func Hooks() []string { return []string{SessionStart, Prompt} }

// A HookCall is the input of a hook besides its vault.
type HookCall struct {
	Name    string    // one of Hooks
	Stdin   io.Reader // one JSON object from the client; the rest is not read. nil for none
	Stdout  io.Writer
	Session string // if Stdin names none; "" for none
	Broken  error  // why there is no engine although there is a vault; nil otherwise
}

const (
	largestInput   = 8 << 20 // bytes of Stdin, which holds a prompt
	longestSession = 256     // bytes of a session's name
)

// Hook writes what a session of Claude Code must know, as JSON that Claude Code takes as additional context; nothing if
// there is nothing to say, or if e is nil because there is no vault. The workspace is the one that the session is bound
// to, or the only active one.
//
// An error is written as one line of the context, and returned for stderr: the exit code of a hook is 0 all the same.
// Texts of the vault's files are quoted and free of control characters, so that none can pass for Arbor's own words.
func Hook(ctx context.Context, e *engine.Engine, call HookCall) error {
	call.Session = cmp.Or(sessionIn(call.Stdin), call.Session)
	if len(call.Session) > longestSession || strings.ContainsFunc(call.Session, unicode.IsControl) {
		call.Session = "" // the engine refuses such a name
	}
	text, err := "", call.Broken
	if e != nil && err == nil {
		text, err = hookText(ctx, e, call)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		message := strings.Join(strings.Fields(printable(errs.As(err).Message)), " ")
		text = `Arbor cannot read its vault: "` + clip(strings.ReplaceAll(message, `"`, "'"), 300) + `"`
	}
	if text == "" {
		return nil
	}
	enc := json.NewEncoder(call.Stdout)
	enc.SetEscapeHTML(false)
	output := map[string]string{"hookEventName": hookEvents[call.Name], "additionalContext": text}
	return errors.Join(err, enc.Encode(map[string]any{"hookSpecificOutput": output}))
}

// sessionIn returns the session that a client names, "" if the input is damaged. It reads nothing behind one object.
func sessionIn(stdin io.Reader) string {
	var input struct {
		Session string `json:"session_id"`
	}
	if stdin == nil || json.NewDecoder(io.LimitReader(stdin, largestInput)).Decode(&input) != nil {
		return ""
	}
	return input.Session
}

// hookText returns the text for a session, "" for none.
func hookText(ctx context.Context, e *engine.Engine, call HookCall) (string, error) {
	bound, active, err := meant(ctx, e, call.Session)
	switch {
	case err != nil:
		return "", err
	case bound.WorkspaceID == "" && call.Name == SessionStart && len(active) > 1:
		return listText(active, byTool), nil
	case bound.WorkspaceID == "":
		return "", nil
	case call.Name == SessionStart:
		return standing(ctx, e, bound, call.Session, byTool)
	case call.Session == "":
		return "", nil // we cannot tell what the session has seen
	}
	seen, err := e.Changes(ctx, bound.WorkspaceID, call.Session, nil)
	if err != nil || len(seen.Differences) == 0 {
		return "", err
	}
	return fmt.Sprintf("Arbor: files that others changed since this session last looked: %d (changes_get).",
		len(seen.Differences)), nil
}

// meant returns the workspace that a session is about: the one that it is bound to, or the only active one. The
// binding names none if there are several, or none.
func meant(ctx context.Context, e *engine.Engine, session string) (sessions.Binding, []*mdstore.Workspace, error) {
	all, err := e.Workspaces(ctx)
	if err != nil {
		return sessions.Binding{}, nil, err
	}
	active := slices.DeleteFunc(slices.Clone(all), func(w *mdstore.Workspace) bool {
		return w.Status != mdstore.StatusActive
	})
	named := slices.DeleteFunc(slices.Clone(active), func(w *mdstore.Workspace) bool {
		return w.ID == mdstore.DefaultWorkspace
	})
	var bound sessions.Binding
	var unbound error // why the session's binding cannot be read
	if session != "" {
		bound, _, unbound = e.Binding(ctx, session)
	}
	switch {
	case slices.ContainsFunc(active, func(w *mdstore.Workspace) bool { return w.ID == bound.WorkspaceID }):
		return bound, active, nil
	case len(named) == 1:
		return sessions.Binding{WorkspaceID: named[0].ID}, active, nil
	}
	return sessions.Binding{}, active, unbound
}
