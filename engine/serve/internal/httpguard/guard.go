// Package httpguard restricts an HTTP server on this machine to programs that have its token and to pages of its own
// origin. It knows nothing of the handler that it guards.
//
// Any web page that the user has open can send requests to 127.0.0.1, and can read the answers after giving its own
// name that address (DNS rebinding); any other user of the machine can connect. The names in Host and Origin identify
// pages, the token identifies all other programs.
package httpguard

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options say which requests may pass. The zero Options refuse all.
type Options struct {
	Token   string   // what a request carries as "Authorization: Bearer TOKEN"; "" refuses every request
	Hosts   []string // names besides localhost, 127.0.0.1 and [::1] that Host may give: "arbor.example" with the server's port or none, "arbor.example:8443" as it is
	Origins []string // origins besides the server's own, as browsers send them: "https://arbor.example"
	TLS     bool     // the server's own origins are of https
	Open    bool     // next looks at tokens by itself
	// Accept decides about the token of a request instead of Token. It returns the request to pass on, or why not.
	Accept func(r *http.Request, token string) (*http.Request, *Refusal)
	Where  string // completes "the token is …" in refusals: "in .local/token of the vault"; "" for nothing
}

// Handler lets those requests through to next that Options allow, whatever their method and path, and answers the
// others itself: 403 for another host or origin, 401 without the token. A page of a foreign origin is refused before
// the token is looked at, so it cannot even learn whether it guessed one. Preflights of allowed origins are answered
// without a token, which browsers do not send with them, and do not reach next.
//
// Every response forbids storing it, guessing its type, framing it and running anything in it; next may set other
// values.
func Handler(next http.Handler, opt Options) http.Handler {
	g := &guard{opt: opt, token: sha256.Sum256([]byte(opt.Token))}
	g.hosts = lower(append([]string{"localhost", "127.0.0.1", "[::1]"}, opt.Hosts...))
	g.origins = lower(opt.Origins)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		no := g.foreign(r)
		if no == nil {
			allowOrigin(w.Header(), r)
			if isPreflight(r) {
				answerPreflight(w, r)
				return
			}
			if !opt.Open {
				r, no = g.known(r)
			}
		}
		if no != nil {
			no.Write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

type guard struct {
	opt            Options
	token          [sha256.Size]byte
	hosts, origins []string // in lower case
}

// foreign refuses what a page of another origin sent, or may have sent.
func (g *guard) foreign(r *http.Request) *Refusal {
	port := localPort(r)
	host := strings.ToLower(r.Host)
	if !slices.ContainsFunc(g.hosts, func(name string) bool { return host == name || port != "" && host == name+":"+port }) {
		return refusal(http.StatusForbidden, "HOST_REFUSED",
			fmt.Sprintf("host %s is not served here; use localhost, 127.0.0.1 or [::1] with the server's own port, or start "+
				"the server with this host allowed", quote(r.Host)))
	}
	origins := r.Header["Origin"]
	switch {
	case len(origins) == 0:
		// The browser sets Sec-Fetch-Site, and no page can change it; programs do not send it.
		for _, site := range r.Header["Sec-Fetch-Site"] {
			if site != "same-origin" && site != "none" {
				return refusal(http.StatusForbidden, "ORIGIN_REFUSED",
					fmt.Sprintf("a page of another site (Sec-Fetch-Site: %s) may not call this server; call from a page of its "+
						"own, or from a program", quote(site)))
			}
		}
	case len(origins) > 1 || !g.allowed(strings.ToLower(origins[0]), port):
		return refusal(http.StatusForbidden, "ORIGIN_REFUSED",
			fmt.Sprintf("origin %s may not call this server; call from a page of its own or from a program, or start the server with this origin allowed",
				quote(strings.Join(origins, ", "))))
	}
	return nil
}

// allowed reports whether pages of an origin may call. The server's own origins name its port unless it is that of
// their scheme.
func (g *guard) allowed(origin, port string) bool {
	for _, name := range g.hosts[:3] {
		own, usual := "http://"+name, "80"
		if g.opt.TLS {
			own, usual = "https://"+name, "443"
		}
		if port != "" && origin == own+":"+port || port == usual && origin == own {
			return true
		}
	}
	return slices.Contains(g.origins, origin)
}

// known refuses a request without the token, and returns any other. Its time does not depend on how much of a wrong
// token is right.
func (g *guard) known(r *http.Request) (*http.Request, *Refusal) {
	where := ""
	if g.opt.Where != "" {
		where = "; the token is " + g.opt.Where
	}
	given := r.Header["Authorization"]
	if len(given) == 0 {
		return r, refusal(http.StatusUnauthorized, "TOKEN_MISSING",
			"the request has no token; send it as Authorization: Bearer TOKEN"+where)
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	token = strings.Trim(token, " ")
	bearer := len(given) == 1 && strings.EqualFold(scheme, "Bearer")
	if g.opt.Accept != nil && bearer {
		return g.opt.Accept(r, token)
	}
	sum := sha256.Sum256([]byte(token))
	same := subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
	if !bearer || !same || g.opt.Token == "" {
		return r, refusal(http.StatusUnauthorized, "TOKEN_WRONG",
			"the request's token is not this server's; send it as Authorization: Bearer TOKEN"+where)
	}
	return r, nil
}

// localPort returns the port at which the request arrived; "" if there is none, as on a Unix socket.
func localPort(r *http.Request) string {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return strconv.Itoa(a.Port)
	}
	return ""
}

// A Refusal is the answer to a refused request.
type Refusal struct {
	Status        int // of HTTP
	Code, Message string
	Wait          time.Duration // after which the same request may succeed; 0 for never
}

func refusal(status int, code, message string) *Refusal {
	return &Refusal{Status: status, Code: code, Message: message}
}

// Write answers with the refusal. If the body has not been read, it closes the connection, so that neither side waits
// for it.
func (f *Refusal) Write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if f.Status == http.StatusUnauthorized {
		challenge := `Bearer realm="arbor"`
		if f.Code == "TOKEN_WRONG" {
			challenge += `, error="invalid_token"`
		}
		h.Set("WWW-Authenticate", challenge)
	}
	if f.Wait > 0 {
		h.Set("Retry-After", strconv.Itoa(int(f.Wait.Seconds())+1))
	}
	if r.ContentLength != 0 {
		h.Set("Connection", "close")
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	said := map[string]string{"code": f.Code, "message": f.Message}
	_ = json.NewEncoder(w).Encode(map[string]any{"error": said}) // a client that is gone misses nothing
}

// quote shows what a stranger sent, in bounds.
func quote(s string) string {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return strconv.QuoteToASCII(s)
}

func lower(names []string) []string {
	low := make([]string, len(names))
	for i, name := range names {
		low[i] = strings.ToLower(name)
	}
	return low
}
