package setup

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"arbor/engine"
)

// ServerName is the name of Arbor's entry among a client's servers.
const ServerName = "arbor"

const (
	hooksKey    = "hooks"
	folderFlag  = "-C"
	profileFlag = "--profile"
	hookSeconds = 10 // after which Claude Code goes on without a hook; it answers within a fraction of one
)

// server returns the entry for Arbor's MCP server.
func (s *Setup) server(c client, p place) (item, error) {
	folder := p.folder
	if p.scope == User {
		switch {
		case strings.Contains(s.Project, "${"):
			return item{}, engine.Fail(engine.InvalidPath, "project %s: a path with ${ in it cannot stand in the configuration of %s, which would put something else in its place", s.Project, c.title)
		case s.Project != "":
			folder = s.Project
		case p.adrift:
			return item{}, engine.Fail(engine.InvalidPath, "%s starts servers in no project's folder; name the project (-C)", c.title)
		}
	}
	args := []string{"mcp"}
	if folder != "" {
		args = append(args, folderFlag, folder)
	}
	var f fields
	if c.typed {
		f = append(f, field{"type", quoted("stdio")})
	}
	f = append(f, field{"command", quoted(s.Command)}, field{"args", quotedAll(append(args, s.Args...))})
	return item{
		what: "the server " + ServerName, path: []string{p.key}, key: ServerName, fields: f,
		judge: func(have fields) verdict { return s.judgeServer(have, f, folder) },
	}, nil
}

// judgeServer compares an entry with the one that set-up writes. What says the same in other words is equal: no type, or an empty environment, as Claude Code
// adds one.
func (s *Setup) judgeServer(have, want fields, folder string) verdict {
	var seen []string
	for _, f := range have {
		known := f.key == "command" || f.key == "args"
		switch v := f.value.(type) {
		case literal:
			known = known || f.key == "type" && v == quoted("stdio")
		case fields:
			known = f.key == "env" && len(v) == 0
		}
		if !known || slices.Contains(seen, f.key) {
			return edited
		}
		seen = append(seen, f.key)
	}
	command, _ := word(have.get("command"))
	args, ok := words(have.get("args"))
	wanted, _ := words(want.get("args"))
	switch {
	case !ok || command != s.Command && !isArbor(command):
		return edited
	case command == s.Command && slices.Equal(args, wanted):
		return equal
	case s.wrote(args, folder):
		return ours
	}
	return edited
}

// wrote reports whether set-up writes such arguments, for this project and with any profile.
func (s *Setup) wrote(args []string, folder string) bool {
	if len(args) == 0 || args[0] != "mcp" {
		return false
	}
	args = args[1:]
	if len(args) >= 2 && args[0] == folderFlag {
		if args[1] != folder && args[1] != workspaceFolder {
			return false
		}
		args = args[2:]
	}
	return len(args) == 0 || slices.Equal(args, s.Args) || len(args) == 2 && args[0] == profileFlag
}

var arborPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(.*[/\\])?arbor(\.exe)?$`) })

// isArbor reports whether a command is this program, wherever it lies.
func isArbor(command string) bool { return arborPath().MatchString(command) }

// hookEvents are Arbor's hooks and the events of Claude Code that run them.
var hookEvents = []struct{ name, event string }{
	{SessionStart, "SessionStart"},
	{Prompt, "UserPromptSubmit"},
}

// hookItems returns the hooks of Claude Code.
func (s *Setup) hookItems() []item {
	var items []item
	for _, h := range hookEvents {
		f := fields{{"type", quoted("command")}}
		if plainCommand().MatchString(s.Command) {
			f = append(f, field{"command", quoted(s.Command + " hook " + h.name)})
		} else { // no shell is to read it: each of them quotes in another way
			f = append(f, field{"command", quoted(s.Command)}, field{"args", quotedAll([]string{"hook", h.name})})
		}
		f = append(f, field{"timeout", literal(strconv.Itoa(hookSeconds))})
		items = append(items, item{
			what: "the hook " + h.event, path: []string{hooksKey, h.event}, fields: f,
			judge: func(have fields) verdict { return judgeHook(have, f, h.name) },
		})
	}
	return items
}

// plainCommand is what every shell reads as it stands.
var plainCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./-]+$`) })

// hookCommand finds Arbor's hooks among others, with anything that a person may have added to them.
var hookCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^["']?(.*[/\\])?arbor(\.exe)?["']? +hook +([a-z-]+)( .*)?$`)
})

func judgeHook(have, want fields, name string) verdict {
	command, _ := word(have.get("command"))
	wanted, _ := word(want.get("command"))
	args, exec := words(have.get("args"))
	m := hookCommand().FindStringSubmatch(command)
	extras := false
	switch {
	case !exec && m != nil && m[3] == name:
		extras = m[4] != ""
	case !exec && command == wanted && want.get("args") == nil:
	case exec && len(args) >= 2 && (isArbor(command) || command == wanted) && args[0] == "hook" && args[1] == name:
		extras = len(args) > 2
	default:
		return foreign
	}
	switch unlike := unlike(have, want); {
	case len(unlike) == 0 && len(have) == len(want):
		return equal
	case extras || slices.Contains(unlike, "type") || slices.Contains(unlike, "timeout"):
		return edited
	}
	known := 3 // type, command, timeout
	if exec {
		known++
	}
	if len(have) != known {
		return edited
	}
	return ours
}
