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
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A HookCall is the input of a hook besides its vault.
type HookCall struct {
	Name    string    // one of Hooks
	Client  string    // one of HookClients; "" is the first one
	Stdin   io.Reader // one JSON object from the client; the rest is not read. nil for none
	Stdout  io.Writer
	Session string // if Stdin names none; "" for none
	Broken  error  // why there is no engine although there is a vault; nil otherwise
}

const (
	largestInput   = 8 << 20 // bytes of Stdin, which holds a prompt
	longestSession = 256     // bytes of a session's name
)

// Hook writes what a session of a client must know, as the JSON that the client takes; nothing if there is nothing to
// say, or if e is nil because there is no vault. The workspace is the one that the session is bound to, or the only
// active one.
//
// An error is written as one line of the context, or not at all at the end of a turn, and returned for stderr: the exit
// code of a hook is 0 all the same. Texts of the vault's files are quoted and free of control characters, so that none
// can pass for Arbor's own words.
func Hook(ctx context.Context, e *engine.Engine, call HookCall) error {
	d, ok := dialectOf(call.Client)
	if !ok || d.events[call.Name] == "" {
		return errs.New(errs.InvalidParams, "%s has no hook %s; %s have hooks", call.Client, call.Name,
			strings.Join(HookClients(), ", "))
	}
	input := inputOf(call.Stdin)
	call.Session = cmp.Or(input.Session, input.SessionID, input.Conversation, call.Session)
	if len(call.Session) > longestSession || strings.ContainsFunc(call.Session, unicode.IsControl) {
		call.Session = "" // the engine refuses such a name
	}
	ends := call.Name == Stop || call.Name == Compact
	text, err := "", call.Broken
	if e != nil && err == nil && !(ends && (input.Again || input.Loop > 0)) {
		text, err = hookText(ctx, e, call)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !ends {
		message := strings.Join(strings.Fields(printable(errs.As(err).Message)), " ")
		text = `Arbor cannot read its vault: "` + clip(strings.ReplaceAll(message, `"`, "'"), 300) + `"`
	}
	if text == "" {
		return err
	}
	enc := json.NewEncoder(call.Stdout)
	enc.SetEscapeHTML(false)
	return errors.Join(err, enc.Encode(d.says(call.Name, d.events[call.Name], text)))
}

// A hookInput is the input of a hook from its client. Clients name the session in different ways, and say whether a
// hook has already prolonged this turn.
type hookInput struct {
	Session      string `json:"session_id"`
	SessionID    string `json:"sessionId"`
	Conversation string `json:"conversation_id"`
	Again        bool   `json:"stop_hook_active"`
	Loop         int    `json:"loop_count"`
}

// inputOf reads one object from a client; the result is empty if it is damaged.
func inputOf(stdin io.Reader) (input hookInput) {
	if stdin == nil || json.NewDecoder(io.LimitReader(stdin, largestInput)).Decode(&input) != nil {
		return hookInput{}
	}
	return input
}

// hookText returns the text for a session, "" for none.
func hookText(ctx context.Context, e *engine.Engine, call HookCall) (string, error) {
	bound, active, err := meant(ctx, e, call.Session)
	switch {
	case err != nil:
		return "", err
	case bound.WorkspaceID == "" && call.Name == SessionStart && len(active) > 1:
		return listText(active, e.BindingsDamaged(ctx), byTool), nil
	case bound.WorkspaceID == "":
		return "", nil
	case call.Name == SessionStart:
		return standing(ctx, e, bound, call.Session, byTool)
	case call.Name == Stop || call.Name == Compact:
		return unlogged(ctx, e, bound.WorkspaceID, call)
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

// meant returns the workspace that a session is about: the one that it is bound to, or the only active one. The result
// has no workspace if there are several or none.
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

// unlogged returns a reminder about a node that an assistant started and that has no log entry since; "" if there is
// none. It leaves out nodes that another session has claimed.
func unlogged(ctx context.Context, e *engine.Engine, ws mdstore.ID, call HookCall) (string, error) {
	text := ""
	held, err := e.Claims(ctx)
	if err != nil {
		return "", err
	}
	err = e.Read(ctx, func(ctx context.Context) error {
		text = ""
		v, err := e.View(ctx, ws)
		if err != nil {
			return err
		}
		for n := range v.Ready(func(*mdstore.Node) bool { return true }) {
			c, claimed := held.Get(ws, n.ID)
			others := claimed && c.Session != call.Session
			if others || !view.Begun(n) || statemachine.TakesChildren(n.Type) || !justStarted(n) {
				continue
			}
			text = unloggedText(n, word(view.ShortIDs(v)(string(n.ID))), call.Name)
			break
		}
		return nil
	})
	return text, err
}

func unloggedText(n *mdstore.Node, id, hook string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Arbor: %s is running and nothing was logged since it was started", id)
	if hook == Compact {
		return b.String() + "; what was found there may be lost now."
	}
	b.WriteString(". log_append what you found or decided; if it is done, node_transition; if something is in the way, " +
		"problem_update. If there is nothing to say yet, end your turn again. " + quotes + "\n")
	quote(&b, "title: ", n.Title, 120)
	return strings.TrimSpace(b.String())
}

// justStarted reports whether the last line in the log of a node is the one that an assistant's start of it wrote.
func justStarted(n *mdstore.Node) bool {
	log := n.Log()
	if len(log) == 0 {
		return false
	}
	last := log[len(log)-1]
	action, _, _ := strings.Cut(last.Event, ":")
	return last.Operator == mdstore.OperatorAI && statemachine.Known(statemachine.Action(action)) &&
		strings.Contains(last.Event, " → ")
}
