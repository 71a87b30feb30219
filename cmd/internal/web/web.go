// Package web is the page that people look at a vault in and work on it with: it draws what operations of the catalogue
// return, and changes by them alone. Who may call is checked in two places: httpguard in front of it refuses other hosts
// and origins, and the page itself those who have not logged in.
package web

import (
	"bytes"
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/feed"
	"arbor/engine/live"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// Options say what a site is made of.
type Options struct {
	TLS     bool         // the server speaks TLS
	Home    string       // the person's own folder, as ops.Env has it
	Clients ops.Clients  // the machines that serve folders; nil for none
	Log     *slog.Logger // nil: nothing is logged
}

// A Site is the page of one vault. It lives as long as the process, and so do those who are logged in.
type Site struct {
	engine *engine.Engine
	opt    Options
	feed   feed.Feed
	begun  chan struct{} // closed when the vault is followed
	once   sync.Once

	mu      sync.Mutex
	invited string          // the token of the invitation that holds; "" for none
	guests  map[string]bool // the cookies of those who are logged in
	streams map[chan event]bool
}

//go:embed pages static
var files embed.FS

// New returns the page of the vault of e.
func New(e *engine.Engine, opt Options) *Site {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Site{engine: e, opt: opt, begun: make(chan struct{}), guests: map[string]bool{}, streams: map[chan event]bool{}}
	s.feed.Tell = s.tell
	return s
}

// Hear is told by who follows the vault that it is followed now, and then of each change.
func (s *Site) Hear(n live.News) {
	s.once.Do(func() { close(s.begun) })
	s.feed.Hear(n)
}

// Handler answers the requests of the page. It checks neither Host nor Origin.
func (s *Site) Handler() http.Handler {
	static, err := fs.Sub(files, "static")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	mux := http.NewServeMux()
	mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static)))
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /events", s.known(s.events))
	mux.HandleFunc("POST /do/{operation}", s.known(s.do))
	mux.HandleFunc("GET /{$}", s.page("overview", s.overview))
	mux.HandleFunc("GET /plan", s.page("plan", s.plan))
	mux.HandleFunc("GET /node/{id}", s.page("node", s.node))
	mux.HandleFunc("GET /approvals", s.page("approvals", s.approvals))
	mux.HandleFunc("GET /check", s.page("check", s.check))
	return protected(mux)
}

// policy lets the page run its own script and style sheet and talk to its own server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

func protected(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// env is who calls: a person, who decides what only a person may.
func (s *Site) env() *ops.Env {
	return &ops.Env{Engine: s.engine, Operator: mdstore.OperatorHuman, Person: true, Decider: true,
		Home: s.opt.Home, Clients: s.opt.Clients}
}

// A view is what a template gets.
type view struct {
	Page, Title string
	Workspace   string // its id; "" where none is chosen
	All         []ops.WorkspaceHead
	Body        any
}

// page returns the handler of a page: the whole of it, or what stands in its main part for the header Arbor-Part.
func (s *Site) page(name string, body func(*http.Request, *view) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if !s.isKnown(r) {
			w.WriteHeader(http.StatusUnauthorized)
			s.write(w, "shell.html", nil)
			return
		}
		v := &view{Page: name}
		if err := s.choose(r, v); err == nil {
			err = body(r, v)
			if err != nil {
				v.Page, v.Body = "failure", errs.As(err)
				w.WriteHeader(status(err))
			}
		} else {
			v.Page, v.Body = "failure", errs.As(err)
			w.WriteHeader(status(err))
		}
		part := r.Header.Get("Arbor-Part")
		if part == "" {
			part = "page.html"
		} else if part != "tree" || name != "plan" {
			part = "main"
		}
		s.write(w, part, v)
	}
}

// write draws a template whole before anything is sent.
func (s *Site) write(w http.ResponseWriter, name string, v any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, v); err != nil {
		s.opt.Log.Error("a bug in arbor", "template", name, "error", err)
		http.Error(w, "this is a bug in arbor: "+err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(b.Bytes()) // a reader that is gone misses nothing
}

// status is the code of HTTP that an error has.
func status(err error) int {
	switch errs.As(err).Class() {
	case errs.NotFound:
		return http.StatusNotFound
	case errs.Conflict:
		return http.StatusConflict
	case errs.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusUnprocessableEntity
}
