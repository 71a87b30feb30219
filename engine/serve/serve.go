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
//	mux.Handle("/mcp", serve.Guard(tools.Endpoint(), serve.GuardOptions{Token: token}))
//	err = serve.HTTP(ctx, listener, mux, log)
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

// Tools are the operations as tools of MCP, with its prompts and resources.
type (
	Tools        = mcpserv.Server
	ToolsOptions = mcpserv.Options
	Profile      = mcpserv.Profile // what a server is for: see CheckProfile
	Replies      = mcpserv.Replies // how replies are written
)

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

// Page is the page of a vault.
type (
	Page        = web.Site
	PageOptions = web.Options
)

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
