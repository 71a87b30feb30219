package web

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"strings"

	"arbor/engine/internal/people"
	"arbor/engine/serve/internal/httpguard"
)

// An invitation gets to the page in the part of the address that browsers do not send (#token=…). The script posts it
// here and takes it out of the address. From then on the browser has two secrets: a cookie, which opens the page for
// reading and ends with the process, and a secret of the tab, which the script keeps in the storage of this origin and
// sends with each POST. The tab's secret also gets a new cookie when the server is started again: see Tabs. Browsers
// send the cookies of a host to the servers of all its ports, so a cookie alone changes and decides nothing.

// tabHeader is the header with the tab's secret.
const tabHeader = "Arbor-Tab"

// Invite returns a token that logs one browser in, once. It is worthless to anyone who finds it later in a history or a
// list of processes. Only the last invitation is valid.
func (s *Site) Invite() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invited = rand.Text()
	return s.invited
}

// accept reports whether a token is a valid invitation of this process, or of another one of the same person. The token
// is then used up.
func (s *Site) accept(token string) bool {
	s.mu.Lock()
	own := s.invited != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.invited)) == 1
	if own {
		s.invited = ""
	}
	s.mu.Unlock()
	return own || s.opt.Accept != nil && s.opt.Accept(token)
}

// KeepTabs keeps the secrets of all tabs: before the vault exists, they have no place in the person's state.
func (s *Site) KeepTabs() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for tab := range s.tabs {
		s.opt.Tabs.Keep(tab)
	}
}

// cookieName has the port in it, because browsers give the cookies of a host to all its ports.
func cookieName(r *http.Request) string {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return "arbor-" + strings.TrimPrefix(a.String()[strings.LastIndex(a.String(), ":"):], ":")
	}
	return "arbor"
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	var in struct{ Token, Tab string }
	if !readJSON(w, r, &in) {
		return
	}
	id, tab, token := rand.Text(), rand.Text(), ""
	known := in.Tab != "" && s.opt.Tabs != nil && s.opt.Tabs.Knows(in.Tab)
	switch {
	case known:
		tab = in.Tab // of an earlier process of the server
	case s.accept(in.Token):
	case s.door != nil:
		var no *httpguard.Refusal
		if token, no = s.door.Enter(r, cmp.Or(in.Token, in.Tab)); no != nil {
			no.Write(w, r)
			return
		}
		tab = token
	default:
		refuse(w, http.StatusUnauthorized, "TOKEN_WRONG",
			"that address was used before, or is of another server; run arbor serve --open")
		return
	}
	if s.opt.Tabs != nil && token == "" {
		s.opt.Tabs.Keep(tab)
	}
	s.mu.Lock()
	if s.forget(token); token == "" {
		s.tabs[tab] = true
	}
	s.guests[id] = token
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: id, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.opt.TLS})
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"tab": tab, "keep": token != ""}) // who is gone misses nothing
}

// maxCookies is how many cookies a token has at most: it is that of one browser, which keeps the last.
const maxCookies = 20

// forget drops the cookies of a person's token that has too many. s.mu must be held.
func (s *Site) forget(token string) {
	n := 0
	for _, of := range s.guests {
		if token != "" && of == token {
			n++
		}
	}
	if n >= maxCookies {
		maps.DeleteFunc(s.guests, func(_, of string) bool { return of == token })
	}
}

// enter returns a request of a browser that is logged in, with its person in the context. It refuses others.
func (s *Site) enter(r *http.Request) (*http.Request, *httpguard.Refusal) {
	c, err := r.Cookie(cookieName(r))
	if err == nil {
		s.mu.Lock()
		token, known := s.guests[c.Value]
		s.mu.Unlock()
		switch {
		case known && token == "":
			return r, nil
		case known:
			who, no := s.door.Who(r, token)
			if no != nil {
				return r, no
			}
			return r.WithContext(s.door.While(people.With(r.Context(), who), token)), nil
		}
	}
	return r, &httpguard.Refusal{Status: http.StatusUnauthorized, Code: "NOT_LOGGED_IN",
		Message: "this browser is not logged in, or the server was started again; " + s.entrance()}
}

// entrance returns the instruction for a browser that is not logged in.
func (s *Site) entrance() string {
	if s.door != nil {
		return "ask for an invitation (arbor admin people add NAME, on the server)"
	}
	return "run arbor serve --open"
}

// known refuses requests of browsers that are not logged in.
func (s *Site) known(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r, no := s.enter(r)
		if no != nil {
			refuse(w, no.Status, no.Code, no.Message)
			return
		}
		next(w, r)
	}
}

// mayChange refuses requests of browsers that are not logged in, and requests without a tab's secret. The secret of a
// person is their own token.
func (s *Site) mayChange(next http.HandlerFunc) http.HandlerFunc {
	return s.known(func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Get(tabHeader)
		s.mu.Lock()
		tab := s.tabs[given]
		if c, err := r.Cookie(cookieName(r)); err == nil && people.From(r.Context()) != nil {
			token := s.guests[c.Value]
			tab = subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
		}
		s.mu.Unlock()
		if !tab {
			refuse(w, http.StatusForbidden, "TAB_UNKNOWN",
				"this tab can read and not change anything; for one that can, "+s.entrance())
			return
		}
		next(w, r)
	})
}

// maxBody is the largest request, in bytes.
const maxBody = 4 << 20

// readJSON decodes the body of a request. If it cannot, it answers the request and returns false. It reads nothing but
// JSON, which the forms of other sites cannot send.
func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "INVALID_PARAMS", "the body is not application/json")
		return false
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "INVALID_PARAMS", "the body is no JSON of at most 4 MiB: "+err.Error())
		return false
	}
	return true
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	said := map[string]any{"error": map[string]string{"code": code, "message": message}}
	_ = json.NewEncoder(w).Encode(said) // who is gone misses nothing
}
