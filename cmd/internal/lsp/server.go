package lsp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// Options are what a server takes from outside.
type Options struct {
	Version string
	Home    string       // the person's own folder; "" if unknown
	Log     *slog.Logger // nil: nothing is logged

	// Open opens the vault that a folder belongs to, or returns one that it has opened before. The error is
	// VAULT_NOT_FOUND for a folder outside of all vaults.
	Open func(ctx context.Context, dir string) (*engine.Engine, error)

	// Page returns an address that opens the page of a vault and logs the browser in; nil: there is no page. It may be
	// called from several goroutines.
	Page func(ctx context.Context, e *engine.Engine) (string, error)
}

// ErrNoShutdown says that the client ended the server without the request that must come before.
var ErrNoShutdown = errors.New("the editor has ended the connection without shutdown")

// A server is one connection of an editor.
type server struct {
	wire
	opt     Options
	ctx     context.Context
	events  chan func() // what others have found out
	handles map[string]handler

	begun, ended bool // initialize has been answered; shutdown has
	can          capabilities
	client       string
	wide         bool // positions count UTF-16 units
	set          settings
	waiting      map[string]func(json.RawMessage, *rpcError) // answers of the client, by id

	vaults []*vault
	docs   map[string]*document // open ones, by URI
	agreed *agreed              // nil if no rename waits

	scratch string         // a folder for texts that are shown; "" until there is one
	tasks   sync.WaitGroup // what goes on beside the loop
}

// A handler answers a request or hears a notification.
type handler func(s *server, params json.RawMessage) (any, error)

// Serve serves an editor until the stream or ctx ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &server{wire: wire{in: bufio.NewReader(in), out: out}, opt: opt, ctx: ctx, events: make(chan func()),
		handles: handlers(), waiting: map[string]func(json.RawMessage, *rpcError){}, docs: map[string]*document{}}
	over := make(chan error, 1)
	go func() { over <- s.receive() }()
	err := s.loop(over)
	stop()
	for _, v := range s.vaults {
		<-v.done
	}
	s.tasks.Wait()
	if s.scratch != "" {
		_ = os.RemoveAll(s.scratch)
	}
	return err
}

// receive posts each packet of the stream. It returns nil after the notification exit.
func (s *server) receive() error {
	for {
		p, err := s.read()
		var bad *rpcError
		switch {
		case errors.As(err, &bad):
			if err := s.write(packet{ID: json.RawMessage("null"), Error: bad}); err != nil {
				return err
			}
			continue
		case errors.Is(err, io.EOF):
			return ErrNoShutdown
		case err != nil:
			return err
		case p.Method == "exit":
			return nil
		}
		if !s.post(func() { s.hear(p) }) {
			return s.ctx.Err()
		}
	}
}

// post gives the owner of the state something to do. It returns false if the server has ended.
func (s *server) post(f func()) bool {
	select {
	case s.events <- f:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// loop does what is posted, and in between what is left to do about files: so diagnostics wait while an editor sends
// keystrokes, and never for a clock.
func (s *server) loop(over <-chan error) error {
	for {
		select {
		case f := <-s.events:
			s.guarded("", f)
			continue
		case err := <-over:
			return s.outcome(err)
		case <-s.ctx.Done():
			return nil
		default:
		}
		busy := false
		s.guarded("", func() { busy = s.work() })
		if busy {
			continue
		}
		select {
		case f := <-s.events:
			s.guarded("", f)
		case err := <-over:
			return s.outcome(err)
		case <-s.ctx.Done():
			return nil
		}
	}
}

// outcome returns the error of a connection that ended with err.
func (s *server) outcome(err error) error {
	if (s.ended || !s.begun) && (err == nil || errors.Is(err, ErrNoShutdown)) {
		return nil
	}
	return cmp.Or(err, ErrNoShutdown)
}

// guarded calls f. A panic fails this call only.
func (s *server) guarded(what string, f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.opt.Log.Error("a bug in arbor", "request", what, "panic", p, "stack", string(debug.Stack()))
			err = errs.New(errs.InternalError, "%s: this is a bug in arbor: %v; the vault is whole", what, fmt.Sprint(p))
		}
	}()
	f()
	return nil
}

// hear handles a packet.
func (s *server) hear(p *packet) {
	switch {
	case p.Method == "" && p.ID != nil:
		if answer := s.waiting[string(p.ID)]; answer != nil {
			delete(s.waiting, string(p.ID))
			answer(p.Result, p.Error)
		}
		return
	case p.Method == "":
		s.respond(json.RawMessage("null"), nil, &rpcError{Code: codeInvalidRequest, Message: "a message has no method"})
		return
	}
	out, failed := s.handle(p)
	if p.ID != nil {
		if err := s.respond(p.ID, out, failed); err != nil {
			s.opt.Log.Warn("an answer was not sent", "method", p.Method, "error", err)
		}
	} else if failed != nil && failed.Code != codeUnknownMethod {
		s.opt.Log.Warn("a notification failed", "method", p.Method, "error", failed.Message)
	}
}

func (s *server) handle(p *packet) (out any, failed *rpcError) {
	h := s.handles[p.Method]
	switch {
	case h == nil:
		return nil, &rpcError{Code: codeUnknownMethod, Message: p.Method + " is not supported"}
	case !s.begun && p.Method != "initialize":
		return nil, &rpcError{Code: codeNotInitialized, Message: p.Method + " must come after initialize"}
	case s.ended, s.begun && p.Method == "initialize":
		return nil, &rpcError{Code: codeInvalidRequest, Message: p.Method + " cannot come now"}
	}
	var err error
	if bug := s.guarded(p.Method, func() { out, err = h(s, p.Params) }); bug != nil {
		err = bug
	}
	if err == nil {
		return out, nil
	}
	if errors.As(err, &failed) {
		return nil, failed
	}
	return nil, &rpcError{Code: codeRequestFailed, Message: said(err)}
}

// said returns an error in the words of the command line.
func said(err error) string { return errs.As(err).In(ops.Shell).Message }

// ask sends a request to the client; answer gets its response.
func (s *server) ask(method string, params any, answer func(json.RawMessage, *rpcError)) {
	s.last++
	id := json.RawMessage(strconv.FormatInt(s.last, 10))
	s.waiting[string(id)] = answer
	if err := s.notify(id, method, params); err != nil {
		delete(s.waiting, string(id))
	}
}

// decoded makes a handler of a function over decoded parameters.
func decoded[P any](f func(*server, P) (any, error)) handler {
	return func(s *server, raw json.RawMessage) (any, error) {
		var p P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, &rpcError{Code: codeInvalidParams, Message: err.Error()}
			}
		}
		return f(s, p)
	}
}

func ignored(*server, json.RawMessage) (any, error) { return nil, nil }

// env returns the caller of operations: the person at the editor.
func (s *server) env(v *vault) *ops.Env {
	return &ops.Env{Engine: v.engine, Operator: mdstore.OperatorHuman, Caller: ops.ByDecider, Voice: ops.Shell,
		By: "in the editor", Client: s.client, Names: ops.NamesLoose, Home: s.opt.Home}
}

// initialize agrees on positions and begins with the vaults of the client's folders.
func initialize(s *server, p initializeParams) (any, error) {
	s.begun, s.can, s.client = true, p.Can, p.Client.Name
	s.wide = !slices.Contains(p.Can.General.Encodings, "utf-8")
	s.set.read(p.Options)
	for _, f := range append(p.Folders, folder{p.RootURI}) {
		if dir, ok := pathOf(f.URI); ok {
			s.vaultOf(dir)
		}
	}
	encoding := "utf-8"
	if s.wide {
		encoding = "utf-16"
	}
	can := map[string]any{
		"positionEncoding": encoding,
		"textDocumentSync": map[string]any{"openClose": true, "change": 2, "save": map[string]any{}},
		"workspace": map[string]any{
			"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true},
			"fileOperations": map[string]any{"willRename": map[string]any{"filters": []any{
				map[string]any{"scheme": "file", "pattern": map[string]any{"glob": "**/*"}}}}}},
	}
	for name, options := range provided() {
		can[name] = options
	}
	return map[string]any{
		"capabilities": can,
		"serverInfo":   map[string]any{"name": "arbor", "version": s.opt.Version},
	}, nil
}
