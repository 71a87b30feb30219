package setup

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The hooks.
const (
	SessionStart = "session-start" // a session begins, continues, or was compacted: reports the state of the plan
	Prompt       = "prompt"        // a person has asked something: how many files others have changed
	Stop         = "stop"          // a turn ends: reminds of nodes that were started and have no log entry since
	Compact      = "compact"       // a conversation is about to be compacted: likewise, for the person
)

// Hooks returns the names of the hooks.
func Hooks() []string { return []string{SessionStart, Prompt, Stop, Compact} }

// A dialect describes how a client runs hooks and reads their output.
type dialect struct {
	client string
	events map[string]string // the client's name of each hook; a missing hook is of no use there
	flat   bool              // in the file, a hook is directly in the list of its event, not in a group
	keys   command           // and has these keys besides its command
	// says returns the output of a hook for the client: a text for the model or, for Compact, for the person.
	says func(hook, event, text string) any
}

// dialects are those of all clients with hooks. Prompt needs a server that knows the session of the hooks. A client
// whose compaction hook can add no text has no Compact: its SessionStart hook runs again after a compaction.
var dialects = []dialect{
	{client: "claude-code", keys: command{Type: "command", Timeout: 10}, says: inOutput("block"),
		events: map[string]string{SessionStart: "SessionStart", Prompt: "UserPromptSubmit", Stop: "Stop"}},
	{client: "codex", keys: command{Type: "command", Timeout: 10}, says: inOutput("block"),
		events: map[string]string{SessionStart: "SessionStart", Stop: "Stop"}},
	{client: "gemini", keys: command{Type: "command", Timeout: 10000}, says: inOutput("deny"),
		events: map[string]string{SessionStart: "SessionStart", Stop: "AfterAgent", Compact: "PreCompress"}},
	{client: "cursor", flat: true, says: forCursor,
		events: map[string]string{SessionStart: "sessionStart", Stop: "stop", Compact: "preCompact"}},
	{client: "copilot", flat: true, keys: command{Type: "command", TimeoutSec: 10}, says: forCopilot,
		events: map[string]string{SessionStart: "sessionStart", Stop: "agentStop"}},
}

// inOutput is for clients that take a decision at the end of a turn.
func inOutput(hold string) func(hook, event, text string) any {
	return func(hook, event, text string) any {
		switch hook {
		case Stop:
			return map[string]string{"decision": hold, "reason": text}
		case Compact:
			return map[string]string{"systemMessage": text}
		}
		return map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": event, "additionalContext": text}}
	}
}

// forCursor is for a client that takes a text under one key for each hook.
func forCursor(hook, _, text string) any {
	key := map[string]string{Stop: "followup_message", Compact: "user_message"}[hook]
	return map[string]string{cmp.Or(key, "additional_context"): text}
}

// forCopilot is for a client that takes a decision as others do, and a text in a flat object.
func forCopilot(hook, event, text string) any {
	if hook == Stop {
		return inOutput("block")(hook, event, text)
	}
	return map[string]string{"additionalContext": text}
}

// HookClients returns the names of the clients that have hooks.
func HookClients() (names []string) {
	for _, d := range dialects {
		names = append(names, d.client)
	}
	return names
}

// dialectOf returns the dialect of a client; "" is the first one.
func dialectOf(client string) (dialect, bool) {
	i := slices.IndexFunc(dialects, func(d dialect) bool { return d.client == client || client == "" })
	if i < 0 {
		return dialect{}, false
	}
	return dialects[i], true
}

// versioned is the text of an empty file of hooks for a client that requires a version.
const versioned = "{\n  \"version\": 1\n}\n"

// A command is an entry for a program that a client starts: a server, or a hook.
type command struct {
	Type       string   `json:"type,omitempty"`
	Command    string   `json:"command,omitempty"`
	Bash       string   `json:"bash,omitempty"`
	Powershell string   `json:"powershell,omitempty"`
	Args       []string `json:"args,omitempty"`
	Timeout    int      `json:"timeout,omitempty"` // in the client's unit
	TimeoutSec int      `json:"timeoutSec,omitempty"`
	Tools      []string `json:"tools,omitempty"`
}

// A listedCommand is an entry of a client that wants program and arguments in one list.
type listedCommand struct {
	Type    string   `json:"type"`
	Command []string `json:"command"`
	Enabled bool     `json:"enabled"`
}

var plainCommand = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// hookSettings returns the hooks of a client.
func (opt *Options) hookSettings(client string) []setting {
	d, _ := dialectOf(client)
	var all []setting
	for _, name := range Hooks() {
		event := d.events[name]
		if event == "" {
			continue
		}
		words := []string{"hook", name}
		if client != dialects[0].client {
			words = append(words, "--client", client)
		}
		plain, value := plainCommand.MatchString(opt.Command), d.keys
		line := strings.Join(append([]string{opt.Command}, words...), " ")
		if !plain {
			line = `"` + opt.Command + `" ` + strings.Join(words, " ")
		}
		switch {
		case d.keys.TimeoutSec > 0:
			value.Bash, value.Powershell = line, line
			if !plain {
				value.Powershell = "& " + line
			}
		case !plain && client == dialects[0].client: // started without a shell, as shells quote in different ways
			value.Command, value.Args = opt.Command, words
		default:
			value.Command = line
		}
		match := regexp.MustCompile(`(?i)^["']?(.*[/\\])?arbor(\.exe)?["']? +hook +` + name + `( .*)?$`)
		all = append(all, setting{
			what: "the hook " + event, path: []string{hooksKey, event}, value: value, flat: d.flat,
			isHook: func(fields map[string]any) bool {
				words := []any{fields["command"]}
				if words[0] == nil {
					words[0] = fields["bash"]
				}
				args, _ := fields["args"].([]any)
				text := strings.TrimSpace(fmt.Sprintln(append(words, args...)...))
				return text == line || text == strings.ReplaceAll(line, `"`, "") || match.MatchString(text)
			},
		})
	}
	return all
}
