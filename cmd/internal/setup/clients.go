// Package clients is what Arbor knows of the programs that assistants run in: where each of them keeps its configuration, what an entry for Arbor's MCP
// server looks like there, and what a hook of it reads and prints.
//
// Configuration files belong to people. Setup changes no byte of them but those of Arbor's own entry, and takes it out again so that the bytes before it
// are back; what it cannot edit that way it leaves alone. Hook never stands in the way of somebody's work.
package setup

import (
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/ops"
)

// The scopes of a configuration.
const (
	Project = "project" // a file in the project's folder, for everybody who works on it
	User    = "user"    // a file of the person, for every project
)

// A client is a program that assistants run in.
type client struct {
	name   string
	title  string
	typed  bool    // its entries say that the server is of the type "stdio"
	places []place // the default first
}

// A place is a file of a client's configuration in which servers are named.
type place struct {
	scope  string
	file   func(surroundings) (string, error) // the absolute path
	hooks  func(surroundings) (string, error) // the same for its hooks; nil where it has none
	key    string                             // of the object with one entry for each server
	folder string                             // what stands for the project's folder in an entry that names none; "" where the server starts in it
	adrift bool                               // the server starts in no project's folder and nothing stands for it, so that an entry has to name it
	hint   string                             // what a person does next
}

// workspaceFolder is what Cursor and VS Code put the open folder's path in for.
const workspaceFolder = "${workspaceFolder}"

// clients are all of them, in the order in which they are listed.
var clients = []client{
	{name: "claude-code", title: "Claude Code", typed: true, places: []place{
		{scope: Project, file: inProject(".mcp.json"), hooks: inProject(".claude/settings.json"), key: "mcpServers",
			hint: "Claude Code asks once whether to trust the project's servers; a running session needs a restart"},
		{scope: User, file: claudeFile, hooks: claudeSettings, key: "mcpServers", hint: "a running session of Claude Code needs a restart; /mcp shows the server"},
	}},
	{name: "cursor", title: "Cursor", typed: true, places: []place{
		{scope: Project, file: inProject(".cursor/mcp.json"), key: "mcpServers", folder: workspaceFolder, hint: "switch the server on in Cursor's settings under MCP"},
		{scope: User, file: inHome(".cursor/mcp.json"), key: "mcpServers", folder: workspaceFolder, hint: "switch the server on in Cursor's settings under MCP"},
	}},
	{name: "vscode", title: "VS Code", typed: true, places: []place{
		{scope: Project, file: inProject(".vscode/mcp.json"), key: "servers", folder: workspaceFolder, hint: "VS Code asks whether to trust the server when it first starts; MCP: List Servers shows it"},
		{scope: User, file: codeFile, key: "servers", folder: workspaceFolder, hint: "VS Code asks whether to trust the server when it first starts; MCP: List Servers shows it"},
	}},
	{name: "windsurf", title: "Windsurf", places: []place{
		{scope: User, file: inHome(".codeium/windsurf/mcp_config.json"), key: "mcpServers", adrift: true, hint: "press refresh in Windsurf's list of MCP servers, or restart it"},
	}},
}

// Clients returns the names of the clients that Setup knows.
func Clients() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
	}
	return names
}

// Scopes returns the scopes that a client has, its default first; none for a client that Setup does not know.
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
	if scope == "" {
		return c, c.places[0], nil
	}
	for _, p := range c.places {
		if p.scope == scope {
			return c, p, nil
		}
	}
	e := engine.Fail(engine.InvalidParams, "scope %q: %s has %s", scope, c.title, strings.Join(Scopes(name), " and "))
	e.Details = &engine.Details{Param: "scope", Nearest: ops.Nearest(scope, Scopes(name))}
	return client{}, place{}, e
}
