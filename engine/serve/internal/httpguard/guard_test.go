package httpguard

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

const secret = "a-token-of-32-characters-or-more"

// start serves next behind a guard on a port of its own, until the test ends. NAME:PORT in options stands for that
// port.
func start(t *testing.T, opt Options, next http.HandlerFunc) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- Serve(ctx, l, Handler(next, opt), slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr()
}

// exchange sends a request as it is, with PORT for the server's port, and returns the answer and its body.
func exchange(t *testing.T, to net.Addr, method, request string) (*http.Response, string) {
	t.Helper()
	_, port, err := net.SplitHostPort(to.String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", to.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, strings.ReplaceAll(strings.ReplaceAll(request, "\n", "\r\n"), "PORT", port)); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%q got no answer: %v", request, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("the answer to %q breaks off: %v", request, err)
	}
	return res, string(body)
}

// code is that of an error's JSON, whose message has to say what would work.
func code(t *testing.T, body string) string {
	t.Helper()
	var v struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil || v.Error.Code == "" {
		t.Fatalf("%q is no error: %v", body, err)
	}
	if says := v.Error.Message; !strings.Contains(says, "; ") || strings.Contains(body, secret) {
		t.Errorf("%s: %q does not say what would work, or says the token", v.Error.Code, says)
	}
	return v.Error.Code
}

const bearer = "Authorization: Bearer " + secret + "\n"

// Who passes, whatever the method and path.
var passing = []struct{ name, header string }{
	{"localhost with the port", "Host: localhost:PORT\n" + bearer},
	{"localhost without", "Host: localhost\n" + bearer},
	{"in capitals", "Host: LocalHost:PORT\n" + bearer},
	{"127.0.0.1", "Host: 127.0.0.1:PORT\n" + bearer},
	{"IPv6", "Host: [::1]:PORT\n" + bearer},
	{"IPv6 without the port", "Host: [::1]\n" + bearer},
	{"a configured host", "Host: arbor.example\n" + bearer},
	{"a configured host with the server's port", "Host: arbor.example:PORT\n" + bearer},
	{"a configured host and port", "Host: proxy.example:8443\n" + bearer},
	{"an own origin", "Host: localhost:PORT\nOrigin: http://localhost:PORT\nSec-Fetch-Site: same-origin\n" + bearer},
	{"an own origin by another name", "Host: localhost:PORT\nOrigin: http://127.0.0.1:PORT\nSec-Fetch-Site: cross-site\n" + bearer},
	{"an own origin in IPv6", "Host: [::1]:PORT\nOrigin: http://[::1]:PORT\n" + bearer},
	{"a configured origin", "Host: localhost:PORT\nOrigin: https://app.example\nSec-Fetch-Site: cross-site\n" + bearer},
	{"typed into the browser", "Host: localhost:PORT\nSec-Fetch-Site: none\n" + bearer},
	{"the scheme in lower case", "Host: localhost\nAuthorization: bearer " + secret + "\n"},
	{"a token with blanks around it", "Host: localhost\nAuthorization:  Bearer   " + secret + "  \n"},
}

// Who does not, and why. With the right token or none: a page of another origin learns no more than that it is one.
var refused = []struct{ name, header, code string }{
	{"another host", "Host: evil.example\n", "HOST_REFUSED"},
	{"rebinding", "Host: evil.example:PORT\nOrigin: http://evil.example:PORT\nSec-Fetch-Site: same-origin\n", "HOST_REFUSED"},
	{"a host that begins well", "Host: localhost.evil.example:PORT\n", "HOST_REFUSED"},
	{"a host that ends well", "Host: evil-localhost:PORT\n", "HOST_REFUSED"},
	{"another port", "Host: localhost:1\n", "HOST_REFUSED"},
	{"a port twice", "Host: localhost:PORT:PORT\n", "HOST_REFUSED"},
	{"localhost as a domain", "Host: localhost.:PORT\n", "HOST_REFUSED"},
	{"a configured host on another port", "Host: proxy.example:8444\n", "HOST_REFUSED"},
	{"a configured host and port, without it", "Host: proxy.example\n", "HOST_REFUSED"},
	{"all addresses", "Host: 0.0.0.0:PORT\n", "HOST_REFUSED"},
	{"an address in another notation", "Host: 127.1:PORT\n", "HOST_REFUSED"},
	{"no host", "Host:\n", "HOST_REFUSED"},
	{"another origin", "Host: localhost:PORT\nOrigin: https://evil.example\n", "ORIGIN_REFUSED"},
	{"an origin that begins well", "Host: localhost:PORT\nOrigin: http://localhost:PORT.evil.example\n", "ORIGIN_REFUSED"},
	{"an origin on another port", "Host: localhost:PORT\nOrigin: http://localhost:1\n", "ORIGIN_REFUSED"},
	{"an origin without the port", "Host: localhost:PORT\nOrigin: http://localhost\n", "ORIGIN_REFUSED"},
	{"an origin of another scheme", "Host: localhost:PORT\nOrigin: https://localhost:PORT\n", "ORIGIN_REFUSED"},
	{"a configured host as origin", "Host: localhost:PORT\nOrigin: http://arbor.example\n", "ORIGIN_REFUSED"},
	{"a configured host and port as origin", "Host: localhost:PORT\nOrigin: http://arbor.example:PORT\n", "ORIGIN_REFUSED"},
	{"the origin null", "Host: localhost:PORT\nOrigin: null\n", "ORIGIN_REFUSED"},
	{"an empty origin", "Host: localhost:PORT\nOrigin:\n", "ORIGIN_REFUSED"},
	{"two origins", "Host: localhost:PORT\nOrigin: http://localhost:PORT\nOrigin: https://evil.example\n", "ORIGIN_REFUSED"},
	{"another site", "Host: localhost:PORT\nSec-Fetch-Site: cross-site\n", "ORIGIN_REFUSED"},
	{"another port of this machine", "Host: localhost:PORT\nSec-Fetch-Site: same-site\n", "ORIGIN_REFUSED"},
	{"another site at second sight", "Host: localhost:PORT\nSec-Fetch-Site: none\nSec-Fetch-Site: cross-site\n", "ORIGIN_REFUSED"},
}

// Who comes without the token.
var strangers = []struct{ name, header, code string }{
	{"no token", "Host: localhost:PORT\n", "TOKEN_MISSING"},
	{"no token, own origin", "Host: localhost:PORT\nOrigin: http://localhost:PORT\n", "TOKEN_MISSING"},
	{"an empty header", "Host: localhost\nAuthorization:\n", "TOKEN_WRONG"},
	{"an empty token", "Host: localhost\nAuthorization: Bearer \n", "TOKEN_WRONG"},
	{"another token", "Host: localhost\nAuthorization: Bearer x" + secret + "\n", "TOKEN_WRONG"},
	{"half the token", "Host: localhost\nAuthorization: Bearer " + secret[:20] + "\n", "TOKEN_WRONG"},
	{"the token in capitals", "Host: localhost\nAuthorization: Bearer " + strings.ToUpper(secret) + "\n", "TOKEN_WRONG"},
	{"another scheme", "Host: localhost\nAuthorization: Basic " + secret + "\n", "TOKEN_WRONG"},
	{"no scheme", "Host: localhost\nAuthorization: " + secret + "\n", "TOKEN_WRONG"},
	{"two tokens", "Host: localhost\n" + bearer + "Authorization: Bearer other\n", "TOKEN_WRONG"},
	{"the token elsewhere", "Host: localhost\nX-Authorization: Bearer " + secret + "\nCookie: token=" + secret + "\n", "TOKEN_MISSING"},
}

var (
	methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"}
	options = Options{Token: secret, Hosts: []string{"arbor.example", "Proxy.example:8443"}, Origins: []string{"https://App.example"}, Where: "in a file"}
)

func TestWhoPasses(t *testing.T) {
	var reached atomic.Int64
	addr := start(t, options, func(w http.ResponseWriter, r *http.Request) { reached.Add(1); io.WriteString(w, "here") })
	for _, method := range methods {
		for _, path := range []string{"/mcp", "/", "//x/../?token=" + secret, "*"} {
			if path == "*" && method != "OPTIONS" {
				continue
			}
			send := func(name, header string) (*http.Response, string, bool) {
				before := reached.Load()
				res, body := exchange(t, addr, method, method+" "+path+" HTTP/1.1\n"+header+"\n")
				for _, h := range []string{"X-Content-Type-Options", "Content-Security-Policy", "Cache-Control", "Referrer-Policy"} {
					if res.Header.Get(h) == "" {
						t.Errorf("%s %s, %s: the answer lacks %s", method, path, name, h)
					}
				}
				return res, body, reached.Load() > before
			}
			for _, c := range passing {
				if res, body, through := send(c.name, c.header); res.StatusCode != 200 || !through || method != "HEAD" && body != "here" {
					t.Errorf("%s %s, %s: %s, reached next: %v, %s", method, path, c.name, res.Status, through, body)
				}
			}
			deny := func(name, header string, status int, want string) *http.Response {
				res, body, through := send(name, header)
				if res.StatusCode != status || through || method != "HEAD" && code(t, body) != want {
					t.Errorf("%s %s, %s: %s, reached next: %v, %s; want %d %s", method, path, name, res.Status, through, body, status, want)
				}
				return res
			}
			for _, c := range refused {
				with := deny(c.name+", with the token", c.header+bearer, http.StatusForbidden, c.code)
				without := deny(c.name, c.header, http.StatusForbidden, c.code)
				for _, h := range []http.Header{with.Header, without.Header} {
					if h.Del("Date"); h.Get("Access-Control-Allow-Origin") != "" || h.Get("WWW-Authenticate") != "" {
						t.Errorf("%s %s, %s: the answer says too much: %v", method, path, c.name, h)
					}
				}
				if got, want := fmt.Sprint(with.Header), fmt.Sprint(without.Header); got != want {
					t.Errorf("%s %s, %s: the answers with and without the token differ:\n%s\n%s", method, path, c.name, got, want)
				}
			}
			for _, c := range strangers {
				if res := deny(c.name, c.header, http.StatusUnauthorized, c.code); !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer ") {
					t.Errorf("%s %s, %s: no challenge in %v", method, path, c.name, res.Header)
				}
			}
		}
	}
}

func TestZeroOptionsLetNobodyPass(t *testing.T) {
	addr := start(t, Options{}, func(http.ResponseWriter, *http.Request) { t.Error("reached next") })
	for _, header := range []string{"", "Authorization: Bearer\n", "Authorization: Bearer \n", "Authorization:\n", bearer} {
		if res, _ := exchange(t, addr, "GET", "GET / HTTP/1.1\nHost: localhost\n"+header+"\n"); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: %s", header, res.Status)
		}
	}
}

// Where there is no port, as on a Unix socket, names are given without one. On http's own, browsers leave it out.
func TestPortsThatAreNotSaid(t *testing.T) {
	for _, c := range []struct {
		local        net.Addr
		host, origin string
		want         int
	}{
		{nil, "localhost", "", 200},
		{nil, "localhost:", "", 403},
		{nil, "localhost:80", "", 403},
		{nil, "localhost", "http://localhost", 403},
		{nil, "localhost", "http://localhost:", 403},
		{&net.UnixAddr{Name: "socket", Net: "unix"}, "localhost", "", 200},
		{&net.TCPAddr{Port: 80}, "localhost", "http://localhost", 200},
		{&net.TCPAddr{Port: 80}, "localhost:80", "http://127.0.0.1", 200},
		{&net.TCPAddr{Port: 81}, "localhost:81", "http://localhost", 403},
	} {
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, c.local), "GET", "/", nil)
		r.Host = c.host
		r.Header.Set("Authorization", "Bearer "+secret)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		if Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), options).ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("on %v: host %q, origin %q: %d, want %d", c.local, c.host, c.origin, w.Code, c.want)
		}
	}
}

// Nothing reaches next that does not carry the token to an allowed host from an allowed origin, however requests are
// put together.
func TestNoRequestReachesNextWithoutTheToken(t *testing.T) {
	pick := func(words ...string) *rapid.Generator[string] {
		return rapid.OneOf(rapid.SampledFrom(words), rapid.StringMatching(`[ -~]{0,40}`))
	}
	host := pick("localhost", "127.0.0.1:4444", "[::1]:4444", "evil.example", "localhost:4445", "arbor.example", "")
	origin := pick("http://localhost:4444", "https://app.example", "null", "https://evil.example", "")
	auth := pick("Bearer "+secret, "bearer "+secret, secret, "Bearer", "Bearer "+secret+"x", "Basic "+secret, "Bearer "+secret+" "+secret)
	site := pick("same-origin", "none", "cross-site", "same-site")
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4444}
	rapid.Check(t, func(t *rapid.T) {
		r := httptest.NewRequestWithContext(context.WithValue(context.Background(), http.LocalAddrContextKey, net.Addr(local)),
			rapid.SampledFrom(methods).Draw(t, "method"), rapid.SampledFrom([]string{"/", "/mcp", "*"}).Draw(t, "target"), nil)
		r.Host = host.Draw(t, "host")
		r.Header = http.Header{}
		for name, values := range map[string]*rapid.Generator[string]{"Origin": origin, "Authorization": auth, "Sec-Fetch-Site": site} {
			if all := rapid.SliceOfN(values, 0, 2).Draw(t, name); len(all) > 0 {
				r.Header[name] = all
			}
		}
		if rapid.Bool().Draw(t, "preflight") {
			r.Header.Set("Access-Control-Request-Method", "POST")
		}
		reached := false
		w := httptest.NewRecorder()
		Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }), options).ServeHTTP(w, r)

		words := strings.Fields(r.Header.Get("Authorization"))
		token := len(r.Header["Authorization"]) == 1 && len(words) == 2 && strings.EqualFold(words[0], "bearer") && words[1] == secret
		own := map[string]bool{"localhost": true, "127.0.0.1:4444": true, "[::1]:4444": true, "arbor.example": true}[strings.ToLower(r.Host)]
		from := map[string]bool{"http://localhost:4444": true, "https://app.example": true}
		origins := r.Header["Origin"]
		if reached && !(token && own && (len(origins) == 0 || len(origins) == 1 && from[strings.ToLower(origins[0])])) {
			t.Fatalf("%s %s of %q reached next with %v", r.Method, r.URL, r.Host, r.Header)
		}
		if !reached && w.Code == http.StatusOK {
			t.Fatalf("%s %s of %q with %v: 200 without next", r.Method, r.URL, r.Host, r.Header)
		}
	})
}

func TestBodiesOfStrangersAreNotRead(t *testing.T) {
	addr := start(t, options, func(http.ResponseWriter, *http.Request) { t.Error("a stranger reached next") })
	for name, rest := range map[string]string{
		"sent":           "Content-Length: 5\n\n01234",
		"never sent":     "Content-Length: 5\n\n",
		"without an end": "Transfer-Encoding: chunked\n\n5\nabc",
	} {
		res, body := exchange(t, addr, "POST", "POST / HTTP/1.1\nHost: localhost\n"+rest)
		if res.StatusCode != http.StatusUnauthorized || code(t, body) != "TOKEN_MISSING" {
			t.Errorf("%s: %s %s", name, res.Status, body)
		}
		if !res.Close {
			t.Errorf("%s: the connection stays open for a body that nobody reads", name)
		}
	}
}

func TestPreflights(t *testing.T) {
	addr := start(t, options, func(http.ResponseWriter, *http.Request) { t.Error("a preflight reached next") })
	head := "OPTIONS /mcp HTTP/1.1\nHost: localhost:PORT\n"
	ask := "Access-Control-Request-Method: POST\nAccess-Control-Request-Headers: authorization,mcp-param-region\nAccess-Control-Request-Private-Network: true\n\n"
	res, body := exchange(t, addr, "OPTIONS", head+"Origin: https://app.example\n"+ask)
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":          "https://app.example",
		"Access-Control-Allow-Methods":         "POST",
		"Access-Control-Allow-Headers":         "authorization,mcp-param-region",
		"Access-Control-Allow-Private-Network": "true",
		"Access-Control-Allow-Credentials":     "",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if res.StatusCode != http.StatusNoContent || body != "" || !strings.Contains(fmt.Sprint(res.Header["Vary"]), "Origin") {
		t.Errorf("%s %q, Vary: %q", res.Status, body, res.Header["Vary"])
	}
	for _, origin := range []string{"https://evil.example", "null", "http://localhost:1"} {
		res, _ := exchange(t, addr, "OPTIONS", head+"Origin: "+origin+"\n"+ask)
		if res.StatusCode != http.StatusForbidden || res.Header.Get("Access-Control-Allow-Origin") != "" || res.Header.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("%s: %s %v", origin, res.Status, res.Header)
		}
	}
	for _, c := range []string{ask, "Origin: http://localhost:PORT\n\n"} { // without an origin, or without a question, it is a request like any other
		if res, _ := exchange(t, addr, "OPTIONS", head+c); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: %s", c, res.Status)
		}
	}
}

// Behind TLS the server's own pages are those of https, and no others.
func TestOwnOriginsAreOfTheServersScheme(t *testing.T) {
	for _, tls := range []bool{false, true} {
		addr := start(t, Options{Open: true, TLS: tls}, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "here") })
		for scheme, own := range map[string]bool{"http": !tls, "https": tls} {
			res, body := exchange(t, addr, "POST", "POST / HTTP/1.1\nHost: localhost:PORT\nOrigin: "+scheme+"://localhost:PORT\n\n")
			if (res.StatusCode == 200) != own {
				t.Errorf("TLS %v, a page of %s: %s %s", tls, scheme, res.Status, body)
			}
		}
	}
}
