package app

import (
	"context"
	crypto "crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/serve"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// tokenFile is the path of the token in a vault. It belongs to this machine; git does not track it.
var tokenFile = filepath.Join(mdstore.LocalDir, "token")

func serveCommand(version string) cli.Command {
	s := &httpServer{}
	return cli.Command{
		Use: "serve", Short: "Serve the page for people and AI assistants over HTTP (MCP)",
		Long: `Serves the plan as a web page to browsers on this machine, and to AI assistants
at /mcp, in the Model Context Protocol. --open opens the page in your browser;
run it again to log in with another browser. Where there is no plan yet, the page
asks for its name, and makes one. Each vault has a port of its own. The address is
printed once the server is ready. Assistants send the token from a file that only
you can read, as Authorization: Bearer TOKEN. The token gives access to /mcp but
not to the page, where you decide. Requests from pages of other origins are
refused. The headers Arbor-Session and Arbor-Workspace set the session and
workspace of calls that name none; Arbor-Identifier names a device that has its
own workspace.`,
		Example: `arbor serve --open
arbor serve --listen 127.0.0.1:7433 --profile worker
curl --json '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' \
  -H "Accept: application/json, text/event-stream" \
  -H "Authorization: Bearer $(cat .tanmi-workspace/.local/token)" \
  http://127.0.0.1:7433/mcp`,
		Flags: s.flags,
		Run: func(ctx context.Context, call cli.Call) error {
			return s.run(ctx, call, version)
		},
	}
}

// An httpServer is one arbor serve.
type httpServer struct {
	offer
	token          string // the file that --token-file names
	open           bool
	proxy          string      // the address of --behind-proxy; "" for none
	door           *serve.Door // lets persons in; nil: the server is for one person
	hosts, origins []string
	machines       clients
}

func (s *httpServer) flags(fs *flag.FlagSet) {
	fs.StringVar(&s.listen, "listen", "", "the `ADDRESS` on this machine; 127.0.0.1 and a port of the vault's own "+
		"unless said otherwise; port 0 takes any that is free")
	fs.BoolVar(&s.open, "open", false, "open the page in your browser, also that of a server which runs already")
	fs.StringVar(&s.token, "token-file", "",
		"the `FILE` with the token, made where it is missing; .local/token in the vault unless said otherwise")
	fs.Func("allow-host",
		"a further `NAME` that clients may call the server by; may be repeated", appendTo(&s.hosts))
	fs.Func("allow-origin",
		"a further `ORIGIN` whose pages may call, as https://arbor.example; may be repeated", appendTo(&s.origins))
	fs.StringVar(&s.proxy, "behind-proxy", "", "a proxy that speaks TLS passes requests on from this `ADDRESS`, as "+
		"https://plans.example; people log in there")
	s.machines.flags(fs)
	s.offer.flags(fs)
}

func (s *httpServer) run(ctx context.Context, call cli.Call, version string) error {
	s.clients, s.accept, s.tabs = s.machines.hub(), s.machines.accepts, tabs{&s.machines}
	tls, err := s.machines.tls()
	if err != nil {
		return err
	}
	named := s.listen != ""
	s.tls, s.begins = tls != nil || s.proxy != "", s.open
	tools, e, err := s.server(ctx, call, cli.Lasting, version)
	if err != nil {
		return err
	}
	defer tools.Close()
	s.machines.engine = e
	if err := s.several(call, e, tls != nil); err != nil {
		return err
	}
	secret := ""
	if exists(e.Place()) && s.door == nil {
		if secret, err = s.secret(call, e); err != nil {
			return err
		}
	}
	if s.open && !named {
		if page := s.machines.running(ctx); page != "" {
			show(call, page)
			return nil
		}
	}
	l, err := s.machines.listen(ctx, s.listen, tls != nil || s.proxy != "")
	if err != nil {
		if page := s.machines.running(ctx); s.open && page != "" {
			show(call, page)
			return nil
		}
		return err
	}
	scheme := "http"
	if tls != nil {
		scheme, l = "https", crypto.NewListener(l, tls)
	}
	base := scheme + "://" + l.Addr().String()
	if s.door != nil {
		base = s.public(base)
		s.door.Serve(base + "/mcp")
	}
	told, stop := context.WithCancel(ctx)
	defer stop()
	go s.page(told, call)
	all := http.NewServeMux()
	all.Handle("/", serve.Guard(s.site.Handler(),
		serve.GuardOptions{Open: true, Hosts: s.hosts, Origins: s.origins, TLS: s.tls}))
	machines := serve.GuardOptions{Open: true, Hosts: s.hosts}
	all.Handle("/env", serve.Guard(http.HandlerFunc(s.machines.connect), machines))
	all.Handle("POST /env/pair", serve.Guard(http.HandlerFunc(s.machines.pair), machines))
	endpoint := tools.Endpoint()
	begin := func(secret string) {
		all.Handle("/mcp", serve.Guard(endpoint, serve.GuardOptions{Token: secret, Hosts: s.hosts, Origins: s.origins,
			Where: "in " + s.where(), TLS: s.tls}))
		s.machines.serving(base)
	}
	defer s.machines.left(base)
	switch {
	case s.door != nil:
		opt := serve.GuardOptions{Hosts: s.hosts, Origins: s.origins, TLS: s.tls}
		all.Handle("/mcp", s.door.MCP(endpoint, opt))
		opt.Open = true
		all.Handle("POST /people/redeem", serve.Guard(http.HandlerFunc(s.door.Redeem), opt))
		s.machines.serving(base)
	case secret != "":
		begin(secret)
	default:
		go s.await(told, call, e, begin)
	}
	if err := s.say(ctx, call, e, base, secret != ""); err != nil {
		return errors.Join(err, l.Close())
	}
	err = serve.HTTP(ctx, l, all, s.log(call.Stderr))
	rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), sessionsEnd)
	defer cancel()
	return errors.Join(err, endpoint.Shutdown(rest))
}

// say prints the address, and opens the page if that is asked for. ready says that assistants can connect.
func (s *httpServer) say(ctx context.Context, call cli.Call, e *engine.Engine, base string, ready bool) error {
	file := s.file(call, e)
	if s.door != nil {
		if err := s.sayWho(ctx, call, e); err != nil {
			return err
		}
		file = ""
	}
	if !call.Quiet && ready {
		fmt.Fprintf(call.Stderr, "the token is in %s\n", file)
	}
	if err := s.machines.show(call); err != nil {
		return err
	}
	url := base + "/mcp"
	doc := map[string]string{"url": url, "page": base + "/", "tokenFile": file}
	if s.door != nil {
		delete(doc, "tokenFile")
	}
	if err := call.Print(doc, url+"\n"); err != nil {
		return err
	}
	switch {
	case s.open:
		show(call, pageOf(s.site, base))
	case !call.Quiet:
		fmt.Fprintf(call.Stderr, "the page is at %s/; arbor serve --open opens it in your browser\n", base)
	}
	return nil
}

// file returns the path of the token's file.
func (s *httpServer) file(call cli.Call, e *engine.Engine) string {
	switch {
	case s.token == "":
		return filepath.Join(e.Place(), tokenFile)
	case !filepath.IsAbs(s.token):
		return filepath.Join(call.Dir, s.token)
	}
	return s.token
}

// where tells strangers where the token is. They must not learn the vault's path.
func (s *httpServer) where() string {
	if s.token == "" {
		return filepath.ToSlash(tokenFile) + " of the vault"
	}
	return s.token
}

// secret returns the token, and makes its file if it is missing.
func (s *httpServer) secret(call cli.Call, e *engine.Engine) (string, error) {
	file := s.file(call, e)
	if local := filepath.Dir(file); s.token == "" && dirstore.Tracked(local) {
		return "", errs.New(errs.InvalidPath, "%s is tracked by git: whoever has a clone knows a token in it; "+
			"take it out (git rm -r --cached %s), delete the token, or name another file (--token-file)", local, local)
	}
	secret, err := serve.Token(file)
	if err != nil {
		return "", errs.New(errs.InvalidPath, "%v", err)
	}
	return secret, nil
}

// await waits until the vault exists, and then calls begin with the token.
func (s *httpServer) await(ctx context.Context, call cli.Call, e *engine.Engine, begin func(secret string)) {
	for !exists(e.Place()) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
	secret, err := s.secret(call, e)
	if err != nil {
		fmt.Fprintf(call.Stderr, "arbor: assistants cannot connect: %v\n", err)
		return
	}
	begin(secret)
	s.site.KeepTabs()
	if !call.Quiet {
		fmt.Fprintf(call.Stderr, "the plan is in %s; assistants can connect with the token in %s\n",
			e.Place(), s.file(call, e))
	}
}

func exists(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && info.IsDir()
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
		return errs.New(errs.InvalidParams, "--listen %s: others could reach that, and read what is sent; --tls-cert and "+
			"--tls-key name the files of a certificate, or --behind-proxy says where a proxy speaks TLS; without --tls-cert "+
			"arbor serves this machine only, on 127.0.0.1, ::1 or localhost", listen)
	}
	return nil
}
