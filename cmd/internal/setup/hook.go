package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"arbor/engine"
	"arbor/mdstore"
)

// The hooks.
const (
	SessionStart = "session-start" // a session begins, goes on, or was compacted: it gets what it works on
	Prompt       = "prompt"        // a person has asked something: the session gets the number of files that others changed
)

// hookEvents are the events of Claude Code that run the hooks.
var hookEvents = map[string]string{SessionStart: "SessionStart", Prompt: "UserPromptSubmit"}

// Hooks returns the names of the hooks.
func Hooks() []string { return []string{SessionStart, Prompt} }

// A HookCall is the input of a hook besides its vault.
type HookCall struct {
	Name    string    // one of Hooks
	Stdin   io.Reader // what the client sends, one JSON object; nothing behind it is read. nil for nothing
	Stdout  io.Writer
	Session string // if Stdin names none; "" for none
	Broken  error  // why there is no engine although there is a vault; nil otherwise
}

const (
	startBytes     = 2400    // the longest text at the start of a session: 600 tokens, counted as bytes/4
	largestInput   = 8 << 20 // bytes of Stdin, which holds a prompt
	longestSession = 256     // bytes of a session's name
)

// Hook writes what a session of Claude Code must know, as JSON that Claude Code takes as additional context. It writes
// nothing if there is nothing to say, or if e is nil because there is no vault. The workspace is the one that the session
// is bound to, or the only active one.
//
// An error is written as one line of the context, and returned for stderr: the exit code of a hook is 0 all the same.
// Texts of the vault's files are quoted and free of control characters, so that none can pass for Arbor's own words.
func Hook(ctx context.Context, e *engine.Engine, call HookCall) error {
	event, known := hookEvents[call.Name]
	if !known {
		return engine.Fail(engine.InvalidParams, "hook %q: there are %s and %s", call.Name, SessionStart, Prompt)
	}
	if session := sessionIn(call.Stdin); session != "" {
		call.Session = session
	}
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
		message := strings.Join(strings.Fields(printable(engine.AsError(err).Message)), " ")
		text = `Arbor cannot read its vault: "` + clip(strings.ReplaceAll(message, `"`, "'"), 300) + `"`
	}
	if text == "" {
		return nil
	}
	enc := json.NewEncoder(call.Stdout)
	enc.SetEscapeHTML(false)
	output := map[string]string{"hookEventName": event, "additionalContext": text}
	return errors.Join(err, enc.Encode(map[string]any{"hookSpecificOutput": output}))
}

// sessionIn returns the session that a client names, "" if the input is damaged. It reads one object and nothing behind it.
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
	all, err := e.Workspaces(ctx)
	if err != nil {
		return "", err
	}
	var active []*mdstore.Workspace
	var bound engine.Binding
	var unbound error // why it is not known what the session is bound to
	if call.Session != "" {
		bound, _, unbound = e.Binding(ctx, call.Session)
	}
	isActive := false
	for _, w := range all {
		if w.Status == mdstore.StatusActive {
			active = append(active, w)
			isActive = isActive || w.ID == bound.WorkspaceID
		}
	}
	switch {
	case isActive:
	case len(active) == 1:
		bound = engine.Binding{WorkspaceID: active[0].ID}
	case unbound != nil:
		return "", unbound
	case call.Name == SessionStart && len(active) > 1:
		return listText(active), nil
	default:
		return "", nil
	}
	if call.Name == SessionStart {
		snap, err := e.Snapshot(ctx, bound.WorkspaceID)
		if err != nil {
			return "", err
		}
		return startText(snap, bound), nil
	}
	if call.Session == "" {
		return "", nil // it is not known what it has seen
	}
	seen, err := e.Changes(ctx, bound.WorkspaceID, call.Session, nil)
	if err != nil || len(seen.Differences) == 0 {
		return "", err
	}
	return fmt.Sprintf("Arbor: files that others changed since this session last looked: %d (changes_get).", len(seen.Differences)), nil
}
