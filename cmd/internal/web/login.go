package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"strings"
)

// An invitation gets to the page in the part of the address that browsers do not send (#token=…). The script posts it
// here and takes it out of the address; from then on the browser has a cookie with a random text that this process
// knows. It opens the page and nothing else, and ends with the process.

// Invite returns what logs one browser in, once: who reads it later, in a history or a list of processes, gets nowhere.
// The last invitation is the one that holds.
func (s *Site) Invite() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invited = rand.Text()
	return s.invited
}

// accept reports whether a token is the invitation, which is used up then.
func (s *Site) accept(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.invited == "" || subtle.ConstantTimeCompare([]byte(token), []byte(s.invited)) != 1 {
		return false
	}
	s.invited = ""
	return true
}

// cookieName has the port in it, because browsers give the cookies of a host to all its ports.
func cookieName(r *http.Request) string {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return "arbor-" + strings.TrimPrefix(a.String()[strings.LastIndex(a.String(), ":"):], ":")
	}
	return "arbor"
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	var in struct{ Token string }
	if !readJSON(w, r, &in) {
		return
	}
	if !s.accept(in.Token) {
		refuse(w, http.StatusUnauthorized, "TOKEN_WRONG",
			"that address was used before, or is of another server; run arbor serve --open")
		return
	}
	id := rand.Text()
	s.mu.Lock()
	s.guests[id] = true
	s.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: id, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.opt.TLS})
	w.WriteHeader(http.StatusNoContent)
}

// isKnown reports whether a request comes from a browser that is logged in.
func (s *Site) isKnown(r *http.Request) bool {
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.guests[c.Value]
}

// known lets only those pass who are logged in.
func (s *Site) known(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.isKnown(r) {
			refuse(w, http.StatusUnauthorized, "NOT_LOGGED_IN",
				"this browser is not logged in, or the server was started again; run arbor serve --open")
			return
		}
		next(w, r)
	}
}

// maxBody is the largest request, in bytes.
const maxBody = 4 << 20

// readJSON decodes the body of a request; where it cannot it answers itself and returns false. Forms of other sites
// cannot send JSON, which is why nothing else is read.
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
