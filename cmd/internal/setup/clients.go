package setup

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// The scopes of a configuration.
const (
	Project = "project" // a file in the project's folder, for everyone who works on it
	User    = "user"    // a file of one person, for every project
)

// A place is where a client keeps its configuration for one scope. A client is a program that assistants run in.
type place struct {
	client, title string
	scope         string
	file          []string // the file that names servers, see locate
	hooks         []string // the file with its hooks; nil: it has none that Arbor knows
	blank         string   // the text of that file without hooks; "" if the file is then missing
	key           string   // of the object with an entry for each server
	toml          bool     // the file is TOML, not JSON
	typed         bool     // an entry says that its server is of the type "stdio"
	listed        bool     // an entry is of the type "local", with program and arguments in one list
	allTools      bool     // an entry is of the type "local", and has a list of tools: all
	folder        string   // the placeholder for the project's folder in an entry; "" if the client starts servers there
	needsProject  bool     // it neither starts servers in the project's folder nor has a variable for that
	hint          string   // the step that a person takes after set-up
	whole         *whole   // the file is set-up's own, and the client starts no MCP server
}

const (
	workspaceFolder = "${workspaceFolder}" // Cursor and VS Code put the path of the open folder in its place
	cursorHint      = "turn the server on in Cursor's settings, under MCP"
	geminiHint      = "Gemini CLI reads the files of a folder that you trust; /mcp shows the server in a new session"
	openHint        = "opencode mcp list shows the server"
	codeHint        = "VS Code asks whether to trust the server when it first starts; MCP: List Servers shows it; " +
		"docs/vscode.md has the extension for the editor"
)

// places are those of all clients, in the order in which they are listed; the first of a client is its default.
var places = []place{
	{client: "claude-code", title: "Claude Code", scope: Project, key: "mcpServers", typed: true,
		file: []string{"$PROJECT/.mcp.json"}, hooks: []string{"$PROJECT/.claude/settings.json"},
		hint: "Claude Code asks once whether to trust the project's servers; a running session needs a restart"},
	{client: "claude-code", title: "Claude Code", scope: User, key: "mcpServers", typed: true,
		file:  []string{"$CLAUDE_CONFIG_DIR/.claude.json", "$HOME/.claude.json"},
		hooks: []string{"$CLAUDE_CONFIG_DIR/settings.json", "$HOME/.claude/settings.json"},
		hint:  "a running session of Claude Code needs a restart; /mcp shows the server"},
	{client: "cursor", title: "Cursor", scope: Project, key: "mcpServers", typed: true,
		file: []string{"$PROJECT/.cursor/mcp.json"}, folder: workspaceFolder, hint: cursorHint,
		hooks: []string{"$PROJECT/.cursor/hooks.json"}, blank: versioned},
	{client: "cursor", title: "Cursor", scope: User, key: "mcpServers", typed: true,
		file: []string{"$HOME/.cursor/mcp.json"}, folder: workspaceFolder, hint: cursorHint,
		hooks: []string{"$HOME/.cursor/hooks.json"}, blank: versioned},
	{client: "vscode", title: "VS Code", scope: Project, key: "servers", typed: true,
		file: []string{"$PROJECT/.vscode/mcp.json"}, folder: workspaceFolder, hint: codeHint},
	{client: "vscode", title: "VS Code", scope: User, key: "servers", typed: true,
		file: []string{ // of the default profile
			"$VSCODE_PORTABLE/user-data/User/mcp.json",
			"windows:$APPDATA/Code/User/mcp.json", "windows:$HOME/AppData/Roaming/Code/User/mcp.json",
			"darwin:$HOME/Library/Application Support/Code/User/mcp.json",
			"$XDG_CONFIG_HOME/Code/User/mcp.json", "$HOME/.config/Code/User/mcp.json",
		}, folder: workspaceFolder, hint: codeHint},
	{client: "windsurf", title: "Windsurf", scope: User, key: "mcpServers",
		file: []string{"$HOME/.codeium/windsurf/mcp_config.json"}, needsProject: true,
		hint: "press refresh in Windsurf's list of MCP servers, or restart it"},
	{client: "codex", title: "Codex", scope: Project, key: "mcp_servers", toml: true,
		file: []string{"$PROJECT/.codex/config.toml"}, hooks: []string{"$PROJECT/.codex/hooks.json"},
		hint: "Codex reads the file of a project that you trust; /mcp shows the server in a new session"},
	{client: "codex", title: "Codex", scope: User, key: "mcp_servers", toml: true,
		file:  []string{"$CODEX_HOME/config.toml", "$HOME/.codex/config.toml"},
		hooks: []string{"$CODEX_HOME/hooks.json", "$HOME/.codex/hooks.json"},
		hint:  "/mcp shows the server in a new session of Codex"},
	{client: "gemini", title: "Gemini CLI", scope: Project, key: "mcpServers",
		file: []string{"$PROJECT/.gemini/settings.json"}, hooks: []string{"$PROJECT/.gemini/settings.json"},
		hint: geminiHint},
	{client: "gemini", title: "Gemini CLI", scope: User, key: "mcpServers",
		file: []string{"$HOME/.gemini/settings.json"}, hooks: []string{"$HOME/.gemini/settings.json"}, hint: geminiHint},
	{client: "opencode", title: "opencode", scope: Project, key: "mcp", listed: true,
		file: []string{"$PROJECT/opencode.json"}, hint: openHint},
	{client: "opencode", title: "opencode", scope: User, key: "mcp", listed: true,
		file: []string{"$XDG_CONFIG_HOME/opencode/opencode.json", "$HOME/.config/opencode/opencode.json"}, hint: openHint},
	{client: "copilot", title: "Copilot CLI", scope: Project, key: "mcpServers", allTools: true,
		file:  []string{"$PROJECT/.github/mcp.json"},
		hooks: []string{"$PROJECT/.github/hooks/arbor.json"}, blank: versioned,
		hint: "Copilot CLI reads the files of a folder that you trust; /mcp shows the server in a new session"},
	{client: "copilot", title: "Copilot CLI", scope: User, key: "mcpServers", allTools: true,
		file:  []string{"$COPILOT_HOME/mcp-config.json", "$HOME/.copilot/mcp-config.json"},
		hooks: []string{"$COPILOT_HOME/hooks/arbor.json", "$HOME/.copilot/hooks/arbor.json"}, blank: versioned,
		hint: "/mcp shows the server in a new session of Copilot CLI"},
	{client: "claude-desktop", title: "Claude Desktop", scope: User, key: "mcpServers", needsProject: true,
		file: []string{
			"windows:$APPDATA/Claude/claude_desktop_config.json",
			"windows:$HOME/AppData/Roaming/Claude/claude_desktop_config.json",
			"darwin:$HOME/Library/Application Support/Claude/claude_desktop_config.json",
			"$XDG_CONFIG_HOME/Claude/claude_desktop_config.json", "$HOME/.config/Claude/claude_desktop_config.json",
		}, hint: "restart Claude Desktop"},
	{client: "neovim", title: "Neovim", scope: User, whole: &whole{"--", neovimFile},
		file: []string{
			"windows:$LOCALAPPDATA/nvim/after/plugin/arbor.lua", "$XDG_CONFIG_HOME/nvim/after/plugin/arbor.lua",
			"$HOME/.config/nvim/after/plugin/arbor.lua",
		}, hint: "Neovim starts arbor lsp with the next Markdown file of a vault; :checkhealth vim.lsp shows it"},
	{client: "obsidian", title: "Obsidian", scope: Project, whole: &whole{"#", obsidianFile},
		file: []string{"$PROJECT/Plan.base"},
		hint: "open Plan.base in Obsidian 1.9 or newer; its vault must have the plan in a folder without a dot, " +
			"such as plan (docs/obsidian.md)"},
	{client: Agents, title: "The set-up of agents", scope: Project,
		hint: "assistants read it at the start of a session; arbor prime prints the same, and where the plan stands"},
}

// Clients returns the names of the clients that Run knows.
func Clients() []string {
	var names []string
	for _, p := range places {
		names = append(names, p.client)
	}
	return slices.Compact(names)
}

// Serves reports whether set-up gives a client the MCP server.
func Serves(client string) bool {
	p, err := placeOf(client, "")
	return err == nil && p.client != Agents && p.whole == nil
}

// Scopes returns the scopes that a client has, its default first; none for an unknown client.
func Scopes(client string) []string {
	var scopes []string
	for _, p := range places {
		if p.client == client {
			scopes = append(scopes, p.scope)
		}
	}
	return scopes
}

// placeOf returns the place of a client for a scope; "" is its default.
func placeOf(client, scope string) (place, error) {
	param, value, known, title := "client", client, Clients(), "set-up"
	for _, p := range places {
		if p.client == client {
			if scope == "" || p.scope == scope {
				return p, nil
			}
			param, value, known, title = "scope", scope, Scopes(client), p.title
		}
	}
	e := errs.New(errs.InvalidParams, "%s %q: %s knows %s", param, value, title, strings.Join(known, ", "))
	e.Details = &errs.Details{Param: param, Nearest: ops.Nearest(value, known)}
	return place{}, e
}

// locate returns the first path that applies. It begins with $PROJECT, $HOME or an environment variable, and does not
// apply if that variable is not set. A path behind the name of a system and a colon is for that system only.
func (opt *Options) locate(paths []string) (string, error) {
	for _, path := range paths {
		system, rest, only := strings.Cut(path, ":")
		variable, name, _ := strings.Cut(strings.TrimPrefix(cmp.Or(rest, path), "$"), "/")
		folder, needed := map[string]string{"PROJECT": opt.Project, "HOME": opt.Home}[variable]
		folder = cmp.Or(folder, opt.Getenv(variable))
		if only && system != opt.GOOS || folder == "" && !needed {
			continue
		}
		if !filepath.IsAbs(folder) {
			return "", errs.New(errs.InvalidPath, "%s is %q: the absolute path of a folder is expected", variable, folder)
		}
		return filepath.Join(folder, filepath.FromSlash(name)), nil
	}
	panic("a client has no path for " + opt.GOOS)
}

// ServerName is the name of Arbor's entry among a client's servers.
const ServerName = "arbor"

// serverSetting returns the entry for Arbor's MCP server.
func (opt *Options) serverSetting(p place) setting {
	folder := p.folder
	if p.scope == User && opt.Project != "" {
		folder = opt.Project
	}
	args := []string{"mcp"}
	if folder != "" {
		args = append(args, "-C", folder)
	}
	args = append(args, opt.Args...)
	var value any = command{Command: opt.Command, Args: args}
	switch {
	case p.typed:
		value = command{Type: "stdio", Command: opt.Command, Args: args}
	case p.listed:
		value = listedCommand{Type: "local", Command: append([]string{opt.Command}, args...), Enabled: true}
	case p.allTools:
		value = command{Type: "local", Command: opt.Command, Args: args, Tools: []string{"*"}}
	}
	return setting{what: "the server " + ServerName, path: []string{p.key, ServerName}, value: value, toml: p.toml}
}
