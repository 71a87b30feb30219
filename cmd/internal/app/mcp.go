package app

import (
	"cmp"
	"context"
	crypto "crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/live"
	"arbor/engine/serve"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// frontEnds are the commands of the front ends besides the command line.
func frontEnds(version string) []cli.Command {
	return []cli.Command{
		mcpCommand(version), serveCommand(version), setupCommand(), primeCommand(), hookCommand(),
		driverCommand(), connectCommand(), exportCommand(),
	}
}

// offer are the flags of servers.
type offer struct {
	toolsets  []string
	offer     []string // of the settings
	profile   string
	replies   string
	readOnly  bool
	tools     []string
	exclude   []string
	maxTokens int
	listen    string            // of arbor serve
	clients   act.Clients       // of arbor serve: the machines that are connected
	accept    func(string) bool // of arbor serve: see serve.PageOptions
	tls       bool              // of arbor serve
	site      *serve.Page       // of arbor serve: the page
	verbose   bool

	allIdentifiers bool // a connection with an identifier sees the workspaces of others
}

func (o *offer) flags(fs *flag.FlagSet) {
	fs.Func("toolsets",
		"the `SETS` of tools to offer, separated by commas: default, plan, briefing, memory, history, "+
			"environments, or all", commas(&o.toolsets))
	fs.StringVar(&o.profile, "profile", "", "the `TOOLS` to offer of the set plan: all (the default), or worker, the dozen for work on nodes")
	fs.BoolVar(&o.readOnly, "read-only", false, "offer only tools that write nothing")
	fs.Func("tools", "offer only these `TOOLS`, separated by commas", commas(&o.tools))
	fs.Func("exclude-tools", "do not offer these `TOOLS`, separated by commas", commas(&o.exclude))
	fs.StringVar(&o.replies, "replies", "", "the `FORM` of replies: both (the default), or text, without structured content and output schemas")
	fs.IntVar(&o.maxTokens, "max-tokens", 0, "the largest reply, in `TOKENS` of 4 bytes; 8000 unless said otherwise")
	fs.BoolVar(&o.allIdentifiers, "all-identifiers", false,
		"a connection with an identifier sees the workspaces of other identifiers")
	fs.BoolVar(&o.verbose, "verbose", false, "log to stderr what goes on")
}

func (o *offer) log(w io.Writer) *slog.Logger {
	level := slog.LevelError
	if o.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// server opens the vault and returns a server over it.
func (o *offer) server(ctx context.Context, call cli.Call, mode cli.Mode, version string) (*serve.Tools, *engine.Engine, error) {
	atHome(call)
	found, err := call.Find()
	if err != nil && found.Above != "" && mode == cli.Later {
		fmt.Fprintf(call.Stderr, "arbor: %v\n", err)
	}
	e, set, err := call.Open(ctx, mode)
	if err != nil {
		return nil, nil, err
	}
	if set.Session == "" {
		set.Session = call.Getenv(claudeSession) // the server sees what the hooks of the same session noted
	}
	if err := o.configured(ctx, e, call.Stderr); err != nil {
		return nil, nil, err
	}
	home := cmp.Or(call.Getenv("HOME"), call.Getenv("USERPROFILE"))
	var hear func(live.News)
	if mode == cli.Lasting {
		o.site = serve.NewPage(e, serve.PageOptions{Home: home, TLS: o.tls, Clients: o.clients, Accept: o.accept, Log: o.log(call.Stderr)})
		hear = o.site.Hear
	}
	s, err := serve.NewTools(e, serve.ToolsOptions{Version: version, Offer: o.offer,
		Toolsets: o.toolsets, Profile: serve.Profile(o.profile), Workspace: set.Workspace, Session: set.Session,
		Operator: set.Operator,
		ReadOnly: o.readOnly, Tools: o.tools, Exclude: o.exclude,
		AllIdentifiers: o.allIdentifiers,
		Personal:       found.User,
		Clients:        o.clients,
		Home:           home,
		Hear:           hear,
		Replies:        serve.Replies(o.replies), MaxTokens: o.maxTokens, Log: o.log(call.Stderr)})
	return s, e, err
}

// configured gives the options that no flag has given the values of the settings.
func (o *offer) configured(ctx context.Context, e *engine.Engine, stderr io.Writer) error {
	set, err := e.Config(ctx, "")
	if err != nil {
		return err
	}
	for _, w := range set.Warnings {
		o.log(stderr).Warn("a setting does not count", "why", w.String())
	}
	if len(o.toolsets) == 0 {
		for _, name := range config.Value[[]any](set, "toolsets") {
			o.toolsets = append(o.toolsets, name.(string))
		}
	}
	o.offer = []string{}
	for _, name := range config.Value[[]any](set, "toolsets-offer") {
		o.offer = append(o.offer, name.(string))
	}
	o.profile = cmp.Or(o.profile, config.Value[string](set, "profile"))
	o.replies = cmp.Or(o.replies, config.Value[string](set, "replies"))
	o.maxTokens = cmp.Or(o.maxTokens, int(config.Value[int64](set, "max-tokens")))
	o.listen = cmp.Or(o.listen, config.Value[string](set, "listen"))
	return nil
}

// atHome makes a call look for the vault in the project that Claude Code has open, if there is none in the folder in
// which it started the program.
func atHome(call cli.Call) {
	project := call.Getenv("CLAUDE_PROJECT_DIR")
	if _, err := call.Find(); err != nil && filepath.IsAbs(project) {
		call.Move(project)
	}
}

func mcpCommand(version string) cli.Command {
	var o offer
	return cli.Command{
		Use: "mcp", Short: "Serve an AI assistant over stdin and stdout (MCP)", Protocol: true, Flags: o.flags,
		Long: `Serves one AI assistant over stdin and stdout, in the Model Context Protocol.
The assistant's program starts it; arbor setup configures that. If there is no
vault, the first workspace that the assistant creates also creates one, at the
top of the git repository, but never in your home folder or in /. If Claude Code
starts it, CLAUDE_CODE_SESSION_ID is the default session, and CLAUDE_PROJECT_DIR
is searched if the working directory has no vault.`,
		Example: `arbor setup claude-code
arbor mcp --profile worker
arbor mcp -C /path/to/project -w Login`,
		Run: func(ctx context.Context, call cli.Call) error {
			s, _, err := o.server(ctx, call, cli.Later, version)
			if err != nil {
				return err
			}
			defer s.Close()
			return s.Stdio(ctx, call.Stdin, call.Stdout)
		},
	}
}

// tokenFile is the path of the token in a vault. It belongs to this machine; git does not track it.
var tokenFile = filepath.Join(mdstore.LocalDir, "token")

func serveCommand(version string) cli.Command {
	var (
		o              offer
		token          string
		open           bool
		hosts, origins []string
		machines       clients
	)
	return cli.Command{
		Use: "serve", Short: "Serve the page for people and AI assistants over HTTP (MCP)",
		Long: `Serves the plan as a web page to browsers on this machine, and to AI assistants
at /mcp, in the Model Context Protocol. --open opens the page in your browser;
run it again to log in with another browser. The address is printed once the
server is ready. Assistants send the token from a file that only you can read,
as Authorization: Bearer TOKEN. The token gives access to /mcp but not to the
page, where you decide. Requests from pages of other origins are refused. The
headers Arbor-Session and Arbor-Workspace set the session and workspace of calls
that name none; Arbor-Identifier names a device that has its own workspace.`,
		Example: `arbor serve --open
arbor serve --listen 127.0.0.1:0 --profile worker
curl --json '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' \
  -H "Accept: application/json, text/event-stream" \
  -H "Authorization: Bearer $(cat .tanmi-workspace/.local/token)" \
  http://127.0.0.1:7433/mcp`,
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&o.listen, "listen", "", "the `ADDRESS` on this machine, 127.0.0.1:7433 unless said otherwise; port 0 takes any that is free")
			fs.BoolVar(&open, "open", false, "open the page in your browser, also that of a server which runs already")
			fs.StringVar(&token, "token-file", "", "the `FILE` with the token, made where it is missing; .local/token in the vault unless said otherwise")
			fs.Func("allow-host", "a further `NAME` that clients may call the server by; may be repeated", appendTo(&hosts))
			fs.Func("allow-origin", "a further `ORIGIN` whose pages may call, as https://arbor.example; may be repeated", appendTo(&origins))
			machines.flags(fs)
			o.flags(fs)
		},
		Run: func(ctx context.Context, call cli.Call) error {
			o.clients, o.accept = machines.hub(), machines.accepts
			tls, err := machines.tls()
			if err != nil {
				return err
			}
			o.tls = tls != nil
			s, e, err := o.server(ctx, call, cli.Lasting, version)
			if err != nil {
				return err
			}
			defer s.Close()
			machines.engine = e
			if err := local(o.listen); err != nil && tls == nil {
				return err
			}
			where := token // the name that the person gave: strangers must not learn the vault's path
			if token == "" {
				token, where = filepath.Join(e.Vault(), tokenFile), filepath.ToSlash(tokenFile)+" of the vault"
				if local := filepath.Dir(token); dirstore.Tracked(local) {
					return errs.New(errs.InvalidPath, "%s is tracked by git: whoever has a clone knows a token in it; "+
						"take it out (git rm -r --cached %s), delete the token, or name another file (--token-file)", local, local)
				}
			} else if !filepath.IsAbs(token) {
				token = filepath.Join(call.Dir, token)
			}
			secret, err := serve.Token(token)
			if err != nil {
				return errs.New(errs.InvalidPath, "%v", err)
			}
			l, err := listenAt(o.listen)
			if err != nil {
				if open {
					if page := machines.running(ctx); page != "" {
						show(call, page)
						return nil
					}
				}
				return err
			}
			scheme := "http"
			if tls != nil {
				scheme, l = "https", crypto.NewListener(l, tls)
			}
			endpoint := s.Endpoint()
			if !call.Quiet {
				fmt.Fprintf(call.Stderr, "the token is in %s\n", token)
			}
			if err := machines.show(call); err != nil {
				return errors.Join(err, l.Close())
			}
			base := scheme + "://" + l.Addr().String()
			defer machines.serving(base)()
			url := base + "/mcp"
			if err := call.Print(map[string]string{"url": url, "page": base + "/", "tokenFile": token}, url+"\n"); err != nil {
				return errors.Join(err, l.Close())
			}
			if open {
				show(call, pageOf(o.site, base))
			} else if !call.Quiet {
				fmt.Fprintf(call.Stderr, "the page is at %s/; arbor serve --open opens it in your browser\n", base)
			}
			all := http.NewServeMux()
			all.Handle("/mcp", serve.Guard(endpoint, serve.GuardOptions{Token: secret, Hosts: hosts, Origins: origins, Where: "in " + where, TLS: tls != nil}))
			all.Handle("/", serve.Guard(o.site.Handler(), serve.GuardOptions{Open: true, Hosts: hosts, Origins: origins, TLS: tls != nil}))
			told, stop := context.WithCancel(ctx)
			defer stop()
			go o.page(told, call)
			all.Handle("/env", serve.Guard(http.HandlerFunc(machines.connect), serve.GuardOptions{Open: true, Hosts: hosts}))
			all.Handle("POST /env/pair", serve.Guard(http.HandlerFunc(machines.pair), serve.GuardOptions{Open: true, Hosts: hosts}))
			err = serve.HTTP(ctx, l, all, o.log(call.Stderr))
			rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), sessionsEnd)
			defer cancel()
			return errors.Join(err, endpoint.Shutdown(rest))
		},
	}
}

// sessionsEnd is how long the calls that still run in sessions have when the server ends.
const sessionsEnd = 3 * time.Second

// local refuses an address that other machines can reach: the server is for this machine only.
func local(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return errs.New(errs.InvalidParams, "--listen %s: %v; an address as 127.0.0.1:7433 is expected", listen, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errs.New(errs.InvalidParams, "--listen %s: others could reach that; without --tls-cert arbor serves this machine only, on 127.0.0.1, ::1 or localhost", listen)
	}
	return nil
}

// commas returns the function that reads a flag's list of words.
func commas(list *[]string) func(string) error {
	return func(value string) error {
		*list = append(*list, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
		return nil
	}
}

// appendTo returns the function that reads each value of a repeatable flag.
func appendTo(list *[]string) func(string) error {
	return func(value string) error {
		*list = append(*list, value)
		return nil
	}
}
