package app

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"arbor/cmd/internal/cli"
	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/live"
	"arbor/engine/serve"
)

// frontEnds are the commands of the front ends besides the command line.
func frontEnds(version string) []cli.Command {
	return []cli.Command{
		mcpCommand(version), serveCommand(version), lspCommand(version), setupCommand(), primeCommand(), hookCommand(),
		driverCommand(), connectCommand(), exportCommand(), uiCommand(), vaultCommand(), redeemCommand(),
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
	tabs      tabs              // of arbor serve
	tls       bool              // of arbor serve
	site      *serve.Page       // of arbor serve: the page
	begins    bool              // of arbor serve: there may be no vault yet
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

func (o *offer) log(w io.Writer) *slog.Logger { return o.logFrom(w, slog.LevelError) }

// logFrom is log for something that is logged from another level on without --verbose.
func (o *offer) logFrom(w io.Writer, level slog.Level) *slog.Logger {
	if o.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// server opens the vault and returns a server over it.
func (o *offer) server(ctx context.Context, call cli.Call, mode cli.Mode, version string) (*serve.Tools, *engine.Engine, error) {
	atHome(call)
	found, err := call.Find()
	pages := mode == cli.Lasting
	switch {
	case err == nil:
	case found.Above != "" && mode == cli.Later:
		fmt.Fprintf(call.Stderr, "arbor: %v\n", err)
	case found.Above == "" && o.begins && errs.As(err).Code == errs.VaultNotFound:
		mode = cli.Later // the page's form makes the vault
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
	if pages {
		o.site = serve.NewPage(e, serve.PageOptions{Home: home, TLS: o.tls, Clients: o.clients, Accept: o.accept,
			Tabs: o.tabs, Log: o.log(call.Stderr)})
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
