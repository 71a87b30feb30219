package setup

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"arbor/engine"
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
func (opt *Options) server(c client, p place) (setting, error) {
	folder := p.folder
	if p.scope == User {
		switch {
		case strings.Contains(opt.Project, "${"):
			return setting{}, engine.Fail(engine.InvalidPath, "project %s: a path with ${ in it cannot stand in the "+
				"configuration of %s, which would replace it by something else", opt.Project, c.title)
		case opt.Project != "":
			folder = opt.Project
		case p.needsProject:
			return setting{}, engine.Fail(engine.InvalidPath, "%s starts servers in no project's folder; name the project (-C)", c.title)
		}
	}
	value := server{Command: opt.Command, Args: []string{"mcp"}}
	if c.typed {
		value.Type = "stdio"
	}
	if folder != "" {
		value.Args = append(value.Args, "-C", folder)
	}
	value.Args = append(value.Args, opt.Args...)
	return setting{
		what: "the server " + ServerName, path: []string{p.key, ServerName}, value: value,
		judge: func(have map[string]any) verdict { return opt.judgeServer(have, value, folder) },
	}, nil
}

var arborCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(.*[/\\])?arbor(\.exe)?$`) })

// judgeServer compares an entry with the one that set-up writes.
func (opt *Options) judgeServer(have map[string]any, want server, folder string) verdict {
	differ := unlike(have, fieldsOf(want))
	command, _ := have["command"].(string)
	args, listed := stringsOf(have["args"])
	switch {
	case have != nil && len(differ) == 0:
		return equal
	case onlyCommand(differ) && (command == want.Command || arborCommand().MatchString(command)) && listed && opt.writes(args, folder):
		return ours
	}
	return edited
}

// writes reports whether set-up writes such arguments, for this folder and with any profile.
func (opt *Options) writes(args []string, folder string) bool {
	if len(args) == 0 || args[0] != "mcp" {
		return false
	}
	args = args[1:]
	if len(args) >= 2 && args[0] == "-C" && (args[1] == folder || args[1] == workspaceFolder) {
		args = args[2:]
	}
	return len(args) == 0 || slices.Equal(args, opt.Args) || len(args) == 2 && args[0] == "--profile"
}

// onlyCommand reports whether entries differ in nothing but how arbor is started.
func onlyCommand(keys []string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return key != "command" && key != "args" })
}

// stringsOf returns the strings of a list; ok is false for any other value.
func stringsOf(v any) (all []string, ok bool) {
	list, ok := v.([]any)
	for _, e := range list {
		s, is := e.(string)
		all, ok = append(all, s), ok && is
	}
	return all, ok
}

// hookEvents are Arbor's hooks and the events of Claude Code that run them.
var hookEvents = []struct{ name, event string }{
	{SessionStart, "SessionStart"},
	{Prompt, "UserPromptSubmit"},
}

// plainCommand is a command that every shell reads as it stands.
var plainCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./-]+$`) })

// hooks returns the hooks of Claude Code.
func (opt *Options) hooks() []setting {
	var all []setting
	for _, h := range hookEvents {
		value := hook{Type: "command", Command: opt.Command + " hook " + h.name, Timeout: hookSeconds}
		if !plainCommand().MatchString(opt.Command) { // Claude Code starts a command with args without a shell
			value.Command, value.Args = opt.Command, []string{"hook", h.name}
		}
		all = append(all, setting{
			what: "the hook " + h.event, path: []string{hooksKey, h.event}, hook: true, value: value,
			judge: func(have map[string]any) verdict { return judgeHook(have, value, h.name) },
		})
	}
	return all
}

// arborHook matches the command line of one of Arbor's hooks, with anything that a person may have added to it.
var arborHook = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^["']?(.*[/\\])?arbor(\.exe)?["']? +hook +([a-z-]+)( .*)?$`)
})

// judgeHook compares an entry with the one that set-up writes for the hook of that name.
func judgeHook(have map[string]any, want hook, name string) verdict {
	differ := unlike(have, fieldsOf(want))
	line, _ := have["command"].(string)
	if args, listed := stringsOf(have["args"]); listed {
		line = strings.Join(append([]string{line}, args...), " ")
	}
	m := arborHook().FindStringSubmatch(line)
	switch {
	case have != nil && len(differ) == 0:
		return equal
	case m == nil || m[3] != name:
		return foreign
	case m[4] != "" || !onlyCommand(differ):
		return edited
	}
	return ours
}
