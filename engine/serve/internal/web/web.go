// Package web is the page in which people look at a vault and work on it. It draws what operations of the catalogue
// return, and changes the vault only through them. Access is checked in two places: httpguard in front of it refuses
// other hosts and origins, and the page itself refuses browsers that are not logged in.
package web

import (
	"bytes"
	"context"
	"embed"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"arbor/engine"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/feed"
	"arbor/engine/internal/people"
	"arbor/engine/live"
	"arbor/engine/ops"
	"arbor/engine/serve/internal/httpguard"
	"arbor/mdstore"
)

// Options configure a Site. The zero Options work.
type Options struct {
	TLS     bool              // the server speaks TLS
	Home    string            // the person's own folder, as ops.Env has it
	Clients act.Clients       // the machines that serve folders; nil for none
	Accept  func(string) bool // reports whether a token is an invitation of another process of this person; nil: none is
	Tabs    Tabs              // nil: secrets of tabs end with the process
	Log     *slog.Logger      // nil: nothing is logged
}

// Tabs are the secrets of tabs that outlive the process, so that a tab goes on when the server is started again.
type Tabs interface {
	Keep(secret string)       // until it expires
	Knows(secret string) bool // whether it was kept, and has not expired
}

// A Door lets persons in.
type Door interface {
	// Enter returns the token of a browser for an invitation, which is used up, or the token itself.
	Enter(r *http.Request, secret string) (token string, no *httpguard.Refusal)
	Who(r *http.Request, token string) (*people.Who, *httpguard.Refusal) // whose browser has the token
	While(ctx context.Context, token string) context.Context             // ends soon after the token is revoked
}

// A Site is the page of one vault. Its cookies end with the process.
type Site struct {
	engine  *engine.Engine
	opt     Options
	door    Door // lets persons in besides the server's own user; nil: nobody else gets in
	started time.Time
	feed    feed.Feed
	begun   chan struct{} // closed when the vault is followed
	once    sync.Once

	mu      sync.Mutex
	invited string            // the token of the valid invitation; "" for none
	past    []save            // newest first
	saves   int               // how many there were
	guests  map[string]string // the token of a logged-in browser's person, by its cookie; "" is the server's own user
	tabs    map[string]bool   // the secrets of tabs of the server's own user, which may change something
	streams map[chan event]bool

	waits atomic.Int64 // see noteWaits
}

//go:embed pages static words
var files embed.FS

// New returns the page of the vault of e.
func New(e *engine.Engine, opt Options) *Site {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Site{engine: e, opt: opt, started: time.Now(), begun: make(chan struct{}),
		guests: map[string]string{}, tabs: map[string]bool{}, streams: map[chan event]bool{}}
}

// Admit lets persons use the page as well. It is called before the first request.
func (s *Site) Admit(d Door) { s.door = d }

// Hear must be called once the vault is followed, and then for each change.
func (s *Site) Hear(n live.News) {
	s.once.Do(func() { close(s.begun) })
	s.feed.Hear(n)
}

// Handler answers the requests of the page. It checks neither Host nor Origin.
func (s *Site) Handler() http.Handler {
	mux, streams := http.NewServeMux(), http.NewServeMux()
	mux.HandleFunc("GET /static/{hash}/{name...}", staticFile)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /do/{operation}", s.mayChange(s.do))
	mux.HandleFunc("POST /tick", s.mayChange(s.tick))
	mux.HandleFunc("POST /entry", s.mayChange(s.entry))
	mux.HandleFunc("POST /seen", s.mayChange(seen))
	mux.HandleFunc("POST /preview", s.mayChange(s.preview))
	mux.HandleFunc("POST /join", s.mayChange(s.join))
	mux.HandleFunc("POST /outline", s.mayChange(s.outline))
	mux.HandleFunc("GET /picture/{path...}", s.known(s.picture))
	for _, v := range s.views() {
		mux.HandleFunc("GET "+v.path, s.page(v))
	}
	streams.Handle("/", compressed(mux))
	streams.HandleFunc("GET /events", s.known(s.events))
	return protected(streams)
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

// env returns the caller of all operations: a person, who may decide what only a person may.
func (s *Site) env() *ops.Env {
	return &ops.Env{Engine: s.engine, Operator: mdstore.OperatorHuman, Caller: ops.ByDecider,
		Voice: ops.Shell, By: "on the page",
		Home: s.opt.Home, Clients: s.opt.Clients}
}

// A viewOf is a view: the path at which it is shown, its template, and its content.
type viewOf struct {
	path, name string // name is that of its template
	body       func(*http.Request, *screen) error
}

func (s *Site) views() []viewOf {
	return []viewOf{
		{"/{$}", "overview", s.overview},
		{"/plan", "plan", s.plan}, {"/board", "board", s.board}, {"/graph", "graph", s.graph},
		{"/node/{id}", "node", s.node}, {"/node/{id}/history", "history", s.history},
		{"/activity", "activity", s.activity}, {"/activity/{id}", "operation", s.operation},
		{"/since/{id}", "operation", s.sinceDiff}, {"/search", "search", s.search},
		{"/doc", "doc", s.doc}, {"/doc/{id}", "doc", s.doc},
		{"/memory", "memory", s.memory}, {"/slot/{id}", "slot", s.slot},
		{"/sessions", "sessions", s.sessions}, {"/session/{id}", "session", s.session}, {"/state/{id}", "state", s.state},
		{"/approvals", "approvals", s.approvals}, {"/check", "check", s.check},
	}
}

// A screen is the data of a template.
type screen struct {
	look
	View, Title string
	Workspace   string // its id; "" if none is chosen
	All         []ops.WorkspaceHead
	Waits       int // what waits for the person: requests, and see alsoWaits
	Here        string
	Theme       string // see theme
	Several     bool   // the server is for several people
	Vaults      []otherVault
	Body        any

	Sought    string // the node that the address names, if there is none of that id
	elsewhere string // the address that shows what was asked for; "": this one

	lastVisit int64 // see visit
	links     linker
	texts     int // how many texts are drawn
}

// page returns the handler of a view: the whole page, or only what the header Arbor-Part names.
func (s *Site) page(shown viewOf) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		v := &screen{look: look{Language: language(w, r)}, View: shown.name, Here: r.URL.Path, Theme: theme(r)}
		v.Several = s.door != nil
		r, no := s.enter(r)
		if no != nil && no.Status != http.StatusUnauthorized {
			no.Write(w, r)
			return
		}
		if no != nil {
			w.WriteHeader(http.StatusUnauthorized)
			s.write(w, "shell.html", v)
			return
		}
		if v.Right = rightOf(people.From(r.Context())); people.From(r.Context()) == nil {
			v.Project = s.engine.Project() // others learn of no folder of the machine
		}
		part := r.Header.Get("Arbor-Part")
		v.lastVisit = visit(w, r, time.Now(), part == "")
		err := s.choose(r, v)
		if who := people.From(r.Context()); err == nil && shown.name == "approvals" && !who.May(people.Work) {
			err = errs.New(errs.NotAllowed, "%s has the right %s; requests of tools are for those who may work", who, who.Right)
		}
		begun := false
		if err == nil {
			if whole := part == "" || shown.name == "overview"; whole && people.From(r.Context()) == nil {
				v.Vaults = s.otherVaults() // they are the server's own user's
			}
			if begun = shown.name == "check" && part == ""; begun { // it looks at every file
				v.Title = "Check"
				s.write(w, "begin", v)
				s.write(w, "looking", v)
				_ = http.NewResponseController(w).Flush() // if this fails, the client is gone
			}
			s.linked(r.Context(), v, r.PathValue("id"))
			err = shown.body(r, v)
		}
		if v.elsewhere != "" {
			http.Redirect(w, r, v.elsewhere, http.StatusSeeOther)
			return
		}
		if err != nil {
			v.View, v.Title, v.Body = "failure", "That did not work", errs.As(err).In(ops.Shell)
			if !begun {
				w.WriteHeader(status(err))
			}
		}
		switch {
		case begun:
			s.write(w, "rest", v)
		case part == "":
			s.write(w, "page.html", v)
		case part == "tree" && v.View == "plan":
			s.write(w, "tree", v)
		default:
			s.write(w, "main", v)
		}
	}
}

// write draws a whole template before it sends anything.
func (s *Site) write(w http.ResponseWriter, name string, v *screen) {
	var b bytes.Buffer
	if err := v.templates().ExecuteTemplate(&b, name, v); err != nil {
		s.opt.Log.Error("a bug in arbor", "template", name, "error", err)
		http.Error(w, "this is a bug in arbor: "+err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(b.Bytes()) // if this fails, the client is gone
}

// status returns the HTTP status code for an error.
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
