package app

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/context/render"
	"arbor/engine"
	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/env/jail"
	"arbor/engine/env/remote"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// reconnect is the longest pause before a client tries to connect again.
const reconnect = 30 * time.Second

// consentTime is how long a call of the server waits for the person here, so that the server's own client still hears
// of it.
const consentTime = 50 * time.Second

// connectCommand serves a folder of this machine to a server elsewhere.
func connectCommand() cli.Command {
	var code, name, level string
	return cli.Command{
		Use: "connect URL [DIR]", Under: "env", Short: "Serve a folder of this machine to an arbor serve elsewhere",
		Long: `Assistants of that server can use files and programs in DIR (default: the
working directory), as far as --trust allows. The server never learns the
folder's path. Questions are asked here, at this terminal, before anything runs
that needs your consent. The first connection needs a code from arbor serve
--pair. A lost connection is restored automatically.`,
		Example: `arbor env connect https://plans.example:7433 . --code k3f9-2mxq --name laptop
arbor env connect https://plans.example:7433 --trust read_only`,
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&code, "code", "", "the `CODE` that arbor serve --pair shows; the first time only")
			fs.StringVar(&name, "name", "", "the `NAME` of this machine there; that of the host unless given")
			fs.StringVar(&level, "trust", string(places.Restricted), "how far tools run unasked, `full|restricted|read_only`")
		},
		Run: func(ctx context.Context, call cli.Call) error {
			dir := call.Dir
			if len(call.Words) > 1 {
				if dir = call.Words[1]; !filepath.IsAbs(dir) {
					dir = filepath.Join(call.Dir, dir)
				}
			}
			s, err := newServed(ctx, call, dir, places.Level(level))
			if err != nil {
				return err
			}
			socket, pairing, err := addresses(call.Words[0])
			if err != nil {
				return err
			}
			if name == "" {
				name, _ = os.Hostname()
				name, _, _ = strings.Cut(strings.ToLower(name), ".")
			}
			token, err := s.token(ctx, socket, pairing, code, name)
			if err != nil {
				return err
			}
			return s.serve(ctx, socket, token)
		},
	}
}

// addresses returns the URLs of a server for the WebSocket and for pairing. Without TLS, only an address of this
// machine is allowed.
func addresses(given string) (socket, pairing string, err error) {
	u, err := url.Parse(given)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
		return "", "", errs.New(errs.InvalidParams, "%q is no address of a server, as https://plans.example:7433", given)
	}
	secure := u.Scheme == "https" || u.Scheme == "wss"
	if ip := net.ParseIP(u.Hostname()); !secure && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", "", errs.New(errs.InvalidParams, "%s: anybody on the way could read and change what goes there; use https://", given)
	}
	schemes := [2]string{"ws", "http"}
	if secure {
		schemes = [2]string{"wss", "https"}
	}
	return schemes[0] + "://" + u.Host + "/env", schemes[1] + "://" + u.Host + "/env/pair", nil
}

// A served is a folder that a client serves, with its person's decisions.
type served struct {
	call   cli.Call
	engine *engine.Engine
	store  *trust.Store
	env    places.Environment
	memory places.CallLog
	lines  chan string // lines that the person types

	asking   chan struct{} // holds one value while a question is put: there is one at a time
	patience time.Duration // how long a call waits for the person
}

// newServed opens a folder. If a person runs the command at a terminal, they thereby trust the folder.
func newServed(ctx context.Context, call cli.Call, dir string, level places.Level) (*served, error) {
	v := vaults{getenv: call.Getenv}
	state := v.state()
	if state == "" {
		return nil, errs.New(errs.InvalidPath, "there is no folder for what you decide; set HOME or XDG_STATE_HOME")
	}
	root, err := jail.Resolve(dir)
	if err != nil {
		return nil, errs.New(errs.InvalidPath, "%s: %v", dir, err)
	}
	sum := sha256.Sum256([]byte(root))
	book := filepath.Join(state, "served", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(book, 0o700); err != nil {
		return nil, err
	}
	s := &served{call: call, asking: make(chan struct{}, 1), patience: consentTime,
		env: places.Environment{ID: ops.IDOf(root), Host: places.Server, Trust: level, Machine: true}}
	s.env.URI = places.Address{Host: places.Server, Path: filepath.ToSlash(root)}.String()
	if s.store, err = trust.At(filepath.Join(state, "trust"), book); err != nil {
		return nil, err
	}
	if s.engine, err = engine.Open(ctx, emptyStore{}, engine.Options{Vault: book, Project: book, State: state, Own: v.folders()}); err != nil {
		return nil, err
	}
	if err := ops.MayTrust(s.ops(""), s.env, root); err != nil {
		return nil, err
	}
	err = s.store.Update(ctx, func(b *trust.Book) error {
		b.Machine = []places.Environment{s.env}
		if _, ok := b.Level(s.env, root); ok {
			return nil
		}
		if !call.Terminal {
			return errs.New(errs.ToolRefused, "%s: only a person at a terminal lets a server's assistants use a folder with trust %s", root, level)
		}
		b.Trust(s.env, root, time.Now())
		return nil
	})
	return s, err
}

// ops returns the environment of operations for a session of the server.
func (s *served) ops(session string) *ops.Env {
	home := s.call.Getenv("HOME")
	if home == "" {
		home = s.call.Getenv("USERPROFILE")
	}
	return &ops.Env{Engine: s.engine, Session: session, Operator: mdstore.OperatorAI, Home: home, CallLog: &s.memory}
}

// token returns the token for a server: a stored one, or one in exchange for a pairing code.
func (s *served) token(ctx context.Context, socket, pairing, code, name string) (string, error) {
	b, err := s.store.Read()
	if err != nil {
		return "", err
	}
	if token := b.Servers[socket]; code == "" {
		if token == "" {
			return "", errs.New(errs.InvalidParams, "this folder is not known to %s; arbor serve --pair shows a code there, and --code takes it", s.call.Words[0])
		}
		return token, nil
	}
	body, err := json.Marshal(pair{code, name})
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, reconnect)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, pairing, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", errs.New(errs.EnvironmentMissing, "the server is not there: %v", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	var out paired
	if err != nil || res.StatusCode != http.StatusOK || json.Unmarshal(data, &out) != nil || out.Token == "" {
		return "", errs.New(errs.ToolRefused, "the server refused the code: %s", render.Visible(strings.TrimSpace(string(data))))
	}
	err = s.store.Update(ctx, func(b *trust.Book) error {
		if b.Servers == nil {
			b.Servers = map[string]string{}
		}
		b.Servers[socket] = out.Token
		return nil
	})
	return out.Token, err
}

// serve keeps the folder connected until ctx ends, or the server does not want it.
func (s *served) serve(ctx context.Context, socket, token string) error {
	if s.call.Terminal {
		s.lines = make(chan string)
		go func() {
			in := bufio.NewScanner(s.call.Stdin)
			for in.Scan() {
				s.lines <- in.Text()
			}
			close(s.lines)
		}()
	}
	client := &remote.Client{URL: socket, Token: token, Root: s.env.ID, Trust: s.env.Trust, Tools: s.tools, Handle: s.handle}
	pause := time.Second
	for {
		err := client.Serve(ctx, func() {
			pause = time.Second
			fmt.Fprintf(s.call.Stderr, "%s is served to %s\n", s.env.ID, s.call.Words[0])
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, remote.ErrRefused):
			return errs.New(errs.ToolRefused, "%s refused this machine: %s; it may be connected already, or was removed: arbor serve --pair shows a new code", s.call.Words[0], render.Visible(err.Error()))
		}
		fmt.Fprintf(s.call.Stderr, "not connected: %s; trying again in %v\n", render.Visible(err.Error()), pause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, reconnect)
	}
}

// tools returns what the folder offers now.
func (s *served) tools() (all []places.Tool) {
	out, err := ops.ToolList(context.Background(), s.ops(""), ops.ToolListIn{})
	if err != nil {
		return nil
	}
	for _, t := range out.Tools {
		all = append(all, places.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	return all
}

// handle runs a call of the server, and asks the person if the folder's trust requires that.
func (s *served) handle(ctx context.Context, c remote.Call) (any, error) {
	name := c.Tool
	if remote.Method(name) == remote.Method("") {
		name = "tool_call"
	}
	o, ok := ops.Find(name)
	if !ok {
		return nil, errs.New(errs.ToolNotFound, "%s: there is no such tool", c.Tool)
	}
	var in map[string]any
	if json.Unmarshal(c.Arguments, &in) != nil || in == nil {
		return nil, errs.New(errs.InvalidParams, "%s: its arguments are an object", c.Tool)
	}
	delete(in, "sessionId")
	in["environment"] = s.env.ID
	args, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	env := s.ops(c.Session)
	waiting, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	for {
		out, err := o.Call(ctx, env, args)
		if err == nil {
			return out, nil
		}
		e := errs.As(err)
		if e.Code != errs.ApprovalPending || e.Details == nil {
			return nil, err
		}
		if err := s.ask(waiting, env, e.Details.Param); err != nil {
			return nil, err
		}
	}
}

// ask puts a request to the person at this terminal. When ctx ends, it withdraws the request and returns
// APPROVAL_PENDING; the same call then asks again.
func (s *served) ask(ctx context.Context, env *ops.Env, id string) error {
	withdrawn := func(err error) error {
		gone := s.store.Update(context.WithoutCancel(ctx), func(b *trust.Book) error { b.Withdraw(id); return nil })
		return errors.Join(gone, err)
	}
	late := errs.New(errs.ApprovalPending, "nobody answered at the terminal of this machine's arbor env connect; "+
		"the same call asks again")
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return withdrawn(late)
	}
	if s.lines == nil {
		return withdrawn(errs.New(errs.ApprovalDenied, "nobody is at the terminal of this machine's arbor env connect"))
	}
	all, err := ops.ApprovalList(ctx, env, ops.ApprovalListIn{})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all.Requests, func(r trust.Request) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	fmt.Fprintf(s.call.Stderr, "%sLet it run? [y/N] ", act.Asked(all.Requests[i], true))
	select {
	case <-ctx.Done():
		fmt.Fprintln(s.call.Stderr, "withdrawn")
		return withdrawn(late)
	case line, ok := <-s.lines:
		allow := ok && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
		_, err := ops.Decide(ctx, env, id, trust.Decision{Allow: allow, Scope: trust.Once, By: "at the client's terminal"})
		return err
	}
}
