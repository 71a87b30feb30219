package setup

import (
	"fmt"
	"regexp"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
)

// ServerName is the name of Arbor's entry among a client's servers.
const ServerName = "arbor"

const hookSeconds = 10 // after which Claude Code goes on without a hook; it answers within a fraction of one

// A server is an entry for a server that a client starts by a command.
type server struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// A hook is an entry for a command that Claude Code runs at an event.
type hook struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"` // seconds
}

// server returns the entry for Arbor's MCP server.
func (opt *Options) server(p place) (setting, error) {
	folder := p.folder
	if p.scope == User && opt.Project != "" {
		folder = opt.Project
		if strings.Contains(folder, "${") {
			return setting{}, engine.Fail(engine.InvalidPath, "project %s: a path with ${ in it cannot stand in the "+
				"configuration of %s, which would replace it by something else", folder, p.title)
		}
	}
	if folder == "" && p.needsProject {
		return setting{}, engine.Fail(engine.InvalidPath, "%s starts servers in no project's folder; name the project (-C)", p.title)
	}
	value := server{Command: opt.Command, Args: []string{"mcp"}}
	if p.typed {
		value.Type = "stdio"
	}
	if folder != "" {
		value.Args = append(value.Args, "-C", folder)
	}
	value.Args = append(value.Args, opt.Args...)
	return setting{what: "the server " + ServerName, path: []string{p.key, ServerName}, value: value}, nil
}

// hookSettings returns the hooks of Claude Code.
func (opt *Options) hookSettings() []setting {
	var all []setting
	for _, name := range Hooks() {
		want := opt.Command + " hook " + name
		value := hook{Type: "command", Command: want, Timeout: hookSeconds}
		if strings.ContainsFunc(opt.Command, func(r rune) bool { return r > '~' || r != '/' && !mdstore.IDByte(byte(r)) }) {
			// Shells quote in different ways; Claude Code starts a command that has args without one.
			value.Command, value.Args = opt.Command, []string{"hook", name}
		}
		line := regexp.MustCompile(`(?i)^["']?(.*[/\\])?arbor(\.exe)?["']? +hook +` + name + `( .*)?$`)
		all = append(all, setting{
			what: "the hook " + hookEvents[name], path: []string{hooksKey, hookEvents[name]}, value: value,
			isHook: func(fields map[string]any) bool {
				words := []any{fields["command"]}
				args, _ := fields["args"].([]any)
				text := strings.TrimSpace(fmt.Sprintln(append(words, args...)...))
				return text == want || line.MatchString(text)
			},
		})
	}
	return all
}
