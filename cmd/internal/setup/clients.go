package setup

import (
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/ops"
)

// The scopes of a configuration.
const (
	Project = "project" // a file in the project's folder, for everybody who works on it
	User    = "user"    // a file of one person, for every project
)

// A client is a program that assistants run in.
type client struct {
	name   string
	title  string
	typed  bool    // its entries say that the server is of the type "stdio"
	places []place // the default first
}

// A place is a configuration file in which a client names servers, or two where it keeps hooks apart.
type place struct {
	scope  string
	format format
	file   []string // where the file is, see locate
	hooks  []string // where the file with its hooks is; nil: it has no hooks that Arbor knows
	key    string   // of the object that holds an entry for each server
	folder string   // what an entry says for the folder of the open project; "" where the client starts servers in it
	// needsProject: the client neither starts servers in a project's folder nor has a variable for it.
	needsProject bool
	hint         string // what a person does after set-up
}

const (
	workspaceFolder = "${workspaceFolder}" // Cursor and VS Code put the path of the open folder in its place

	claudeHint   = "Claude Code asks once whether to trust the project's servers; a running session needs a restart"
	claudeMine   = "a running session of Claude Code needs a restart; /mcp shows the server"
	cursorHint   = "switch the server on in Cursor's settings under MCP"
	codeHint     = "VS Code asks whether to trust the server when it first starts; MCP: List Servers shows it"
	windsurfHint = "press refresh in Windsurf's list of MCP servers, or restart it"
)

// clients are all clients, in the order in which they are listed.
var clients = []client{
	{name: "claude-code", title: "Claude Code", typed: true, places: []place{
		{scope: Project, format: jsonc{}, key: "mcpServers", hint: claudeHint,
			file: []string{"$PROJECT/.mcp.json"}, hooks: []string{"$PROJECT/.claude/settings.json"}},
		{scope: User, format: jsonc{}, key: "mcpServers", hint: claudeMine,
			file:  []string{"$CLAUDE_CONFIG_DIR/.claude.json", "$HOME/.claude.json"},
			hooks: []string{"$CLAUDE_CONFIG_DIR/settings.json", "$HOME/.claude/settings.json"}},
	}},
	{name: "cursor", title: "Cursor", typed: true, places: []place{
		{scope: Project, format: jsonc{}, key: "mcpServers", folder: workspaceFolder, hint: cursorHint,
			file: []string{"$PROJECT/.cursor/mcp.json"}},
		{scope: User, format: jsonc{}, key: "mcpServers", folder: workspaceFolder, hint: cursorHint,
			file: []string{"$HOME/.cursor/mcp.json"}},
	}},
	{name: "vscode", title: "VS Code", typed: true, places: []place{
		{scope: Project, format: jsonc{}, key: "servers", folder: workspaceFolder, hint: codeHint,
			file: []string{"$PROJECT/.vscode/mcp.json"}},
		{scope: User, format: jsonc{}, key: "servers", folder: workspaceFolder, hint: codeHint,
			file: []string{ // of the default profile
				"$VSCODE_PORTABLE/user-data/User/mcp.json",
				"windows:$APPDATA/Code/User/mcp.json", "windows:$HOME/AppData/Roaming/Code/User/mcp.json",
				"darwin:$HOME/Library/Application Support/Code/User/mcp.json",
				"$XDG_CONFIG_HOME/Code/User/mcp.json", "$HOME/.config/Code/User/mcp.json",
			}},
	}},
	{name: "windsurf", title: "Windsurf", places: []place{
		{scope: User, format: jsonc{}, key: "mcpServers", needsProject: true, hint: windsurfHint,
			file: []string{"$HOME/.codeium/windsurf/mcp_config.json"}},
	}},
}

// Clients returns the names of the clients that Run knows.
func Clients() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
	}
	return names
}

// Scopes returns the scopes that a client has, its default first; none for an unknown client.
func Scopes(name string) []string {
	var scopes []string
	for _, c := range clients {
		for _, p := range c.places {
			if c.name == name {
				scopes = append(scopes, p.scope)
			}
		}
	}
	return scopes
}

// find returns a client and one of its places; the scope "" is its default.
func find(name, scope string) (client, place, error) {
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
	if i < 0 {
		e := engine.Fail(engine.InvalidParams, "client %q: set-up knows %s", name, strings.Join(Clients(), ", "))
		e.Details = &engine.Details{Param: "client", Nearest: ops.Nearest(name, Clients())}
		return client{}, place{}, e
	}
	c := clients[i]
	for _, p := range c.places {
		if scope == "" || p.scope == scope {
			return c, p, nil
		}
	}
	e := engine.Fail(engine.InvalidParams, "scope %q: %s has %s", scope, c.title, strings.Join(Scopes(name), " and "))
	e.Details = &engine.Details{Param: "scope", Nearest: ops.Nearest(scope, Scopes(name))}
	return client{}, place{}, e
}

// locate returns the first path that applies, made absolute. A path begins with $PROJECT, $HOME or an environment
// variable, and applies if that variable is set. A path behind the name of a system and a colon is for that system only.
func (opt *Options) locate(paths []string) (string, error) {
	for _, path := range paths {
		if system, rest, only := strings.Cut(path, ":"); only {
			if system != opt.GOOS {
				continue
			}
			path = rest
		}
		variable, name, _ := strings.Cut(strings.TrimPrefix(path, "$"), "/")
		var folder, what, help string
		switch variable {
		case "PROJECT":
			folder, what, help = opt.Project, "project", ", as its configuration lies in it"
		case "HOME":
			folder, what, help = opt.Home, "home", "; set HOME"
		default:
			if folder, what = opt.Getenv(variable), variable; folder == "" {
				continue
			}
		}
		if !filepath.IsAbs(folder) {
			return "", engine.Fail(engine.InvalidPath, "%s %q: the absolute path of a folder is expected%s", what, folder, help)
		}
		return filepath.Join(folder, filepath.FromSlash(name)), nil
	}
	panic("a place of the table of clients has no path for " + opt.GOOS)
}
