// Package serve offers an engine to programs and people: the tools of MCP over stdio and HTTP, and the page of the
// workspace.
//
// A program that embeds Arbor opens an engine over its store, and serves it:
//
//	tools, err := serve.NewTools(e, serve.ToolsOptions{Version: "1"})
//	err = tools.Stdio(ctx, os.Stdin, os.Stdout)
//
// or over HTTP, where Guard lets in only those who have the token, and pages of the server's own origin:
//
//	page := serve.NewPage(e, serve.PageOptions{})
//	mux.Handle("/mcp", serve.Guard(tools.Endpoint(), serve.GuardOptions{Token: token}))
//	mux.Handle("/", serve.Guard(page.Handler(), serve.GuardOptions{Open: true}))
//	err = serve.HTTP(ctx, listener, mux, log)
//
// docs/library.md has a whole program. The types below are other names of types in engine/serve/internal, where go doc
// shows all of their fields and methods.
package serve

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"arbor/engine"
	"arbor/engine/serve/internal/httpguard"
	"arbor/engine/serve/internal/mcpserv"
	"arbor/engine/serve/internal/web"
)

// Tools are the operations as tools of MCP, with its prompts and resources, for any number of connections.
// Stdio(ctx, in, out) serves one connection until in ends. Endpoint() is an http.Handler, whose Shutdown(ctx) ends its
// sessions. Close() ends what still runs.
type Tools = mcpserv.Server

// ToolsOptions say which tools are offered, by Profile, Toolsets, Tools, Exclude and ReadOnly; for which Workspace and
// Session; and how large a reply may be, by MaxTokens. The zero value works; Version should name the program.
type ToolsOptions = mcpserv.Options

// A Profile is what a server is for, such as "worker": see CheckProfile.
type Profile = mcpserv.Profile

// Replies is the form of replies; "" is structured content with a text beside it.
type Replies = mcpserv.Replies

// DefaultMaxTokens is the default of the largest reply, in tokens of 4 bytes.
const DefaultMaxTokens = mcpserv.DefaultMaxTokens

// DefaultToolset is the tool set that is on unless the options name others.
const DefaultToolset = mcpserv.DefaultSet

// NewTools returns a server of the tools over an engine. The error names the invalid option.
func NewTools(e *engine.Engine, opt ToolsOptions) (*Tools, error) { return mcpserv.New(e, opt) }

// CheckProfile returns an error that lists the profiles if p is none of them.
func CheckProfile(p Profile) error { return mcpserv.CheckProfile(p) }

// CheckToolsets returns an error that lists the tool sets if a name is none of them.
func CheckToolsets(names []string) error { return mcpserv.CheckToolsets(names) }

// A Page is the page of a vault. Handler() answers its requests. Invite() returns a token that logs in one browser,
// which opens the address /#token=TOKEN. For pages that show changes at once, give Hear to ToolsOptions.Hear, and call
// Run(ctx). Export writes the pages of a workspace as files.
type Page = web.Site

// PageOptions say whether the server speaks TLS, and where errors are logged. The zero value works.
type PageOptions = web.Options

// NewPage returns the page of an engine.
func NewPage(e *engine.Engine, opt PageOptions) *Page { return web.New(e, opt) }

// Languages returns the languages that pages are written in, such as "en".
func Languages() []string { return web.Languages() }

// GuardOptions lists the accepted token, hosts and origins. The zero value rejects every request.
type GuardOptions = httpguard.Options

// Guard passes the requests that the options allow to next, and rejects all others.
func Guard(next http.Handler, opt GuardOptions) http.Handler { return httpguard.Handler(next, opt) }

// Token reads the token from a file that only this user can read. It creates the file if it is missing.
func Token(path string) (string, error) { return httpguard.Token(path) }

// HTTP serves until ctx ends, with limits of time and size for every connection. It closes l.
func HTTP(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	return httpguard.Serve(ctx, l, h, log)
}
