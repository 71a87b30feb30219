package mcpserv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A toy is a server with a few tools that records their calls.
type toy struct {
	*mcp.Server
	entered chan string // a call of wait has begun
	left    chan error  // a call of wait or ask has ended, with its context's error
}

func newToy() *toy {
	y := &toy{entered: make(chan string, 8), left: make(chan error, 8)}
	y.Server = mcp.NewServer(&mcp.Implementation{Name: "toy", Version: "1"}, &mcp.ServerOptions{
		Capabilities:       &mcp.ServerCapabilities{},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	add := func(name string, do func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		y.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, do)
	}
	say := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	add("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return say(string(r.Params.Arguments)), nil
	})
	add("wait", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		y.entered <- r.Session.ID()
		<-ctx.Done()
		y.left <- ctx.Err()
		return nil, ctx.Err()
	})
	add("ask", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if answer, ok := r.Params.InputResponses["really"].(*mcp.ElicitResult); ok {
			return say(answer.Action), nil
		}
		context.AfterFunc(ctx, func() { y.left <- ctx.Err() })
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"really": &mcp.ElicitParams{Message: "Really?", RequestedSchema: map[string]any{"type": "object"}}}}, nil
	})
	y.AddResource(&mcp.Resource{URI: "toy://a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "toy://a", Text: "a"}}}, nil
	})
	return y
}

func (y *toy) sessions() int {
	n := 0
	for s := range y.Sessions() {
		if s.ID() != "" {
			n++
		}
	}
	return n
}

func (y *toy) endpoint() *Endpoint {
	return HTTP(y.Server, slog.New(slog.DiscardHandler))
}

// listen serves the toy until the test ends.
func (y *toy) listen(t *testing.T) string {
	e := y.endpoint()
	s := httptest.NewServer(e)
	t.Cleanup(func() {
		if err := e.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// A client of every version can use the endpoint: old ones with a session, new ones without.
func TestHTTPServesEveryVersion(t *testing.T) {
	versions := mcp.SupportedProtocolVersions()
	if !slices.Contains(versions, modern) || len(versions) < 3 {
		t.Fatalf("the SDK speaks %v", versions)
	}
	y := newToy()
	url := y.listen(t)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			updated := make(chan string, 1)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept"}, nil
				},
				ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
					select {
					case updated <- r.Params.URI:
					default: // the channel has one already
					}
				},
			})
			c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.InitializeResult().ProtocolVersion; got != version || (c.ID() == "") != (version >= modern) {
				t.Errorf("version %q with session %q", got, c.ID())
			}
			for tool, want := range map[string]string{"echo": `{"a":1}`, "ask": "accept"} {
				res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"a": 1}})
				if err != nil {
					t.Fatal(err)
				}
				if got := res.Content[0].(*mcp.TextContent).Text; got != want {
					t.Errorf("%s says %q, want %q", tool, got, want)
				}
			}
			if version < modern {
				if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "toy://a"}); err != nil {
					t.Fatal(err)
				}
				// Notifications before the client listens are lost, so they are repeated until one arrives.
				again := time.NewTicker(5 * time.Millisecond)
				for heard := false; !heard; {
					if err := y.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "toy://a"}); err != nil {
						t.Fatal(err)
					}
					select {
					case uri := <-updated:
						if heard = true; uri != "toy://a" {
							t.Errorf("%q was updated", uri)
						}
					case <-again.C:
					}
				}
				again.Stop()
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if n := y.sessions(); n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	}
}

const (
	meta       = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	listTools  = `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`
)

// request returns an HTTP request of a client. headers are pairs of name and value.
func request(ctx context.Context, method, body string, headers ...string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func do(e *Endpoint, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

// begin starts a session and returns its id.
func begin(t *testing.T, e *Endpoint) string {
	t.Helper()
	w := do(e, request(t.Context(), "POST", initialize))
	id := w.Header().Get(sessionHeader)
	if w.Code != 200 || id == "" {
		t.Fatalf("initialize: %d, session %q, %s", w.Code, id, w.Body)
	}
	if w := do(e, request(t.Context(), "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, sessionHeader, id)); w.Code != http.StatusAccepted {
		t.Fatalf("notifications/initialized: %d %s", w.Code, w.Body)
	}
	return id
}

// alive reports whether a request in the session succeeds.
func alive(t *testing.T, e *Endpoint, id string) bool {
	t.Helper()
	switch w := do(e, request(t.Context(), "POST", listTools, sessionHeader, id)); {
	case w.Code == 200 && strings.Contains(w.Body.String(), `"echo"`):
		return true
	case w.Code == 404:
		return false
	default:
		t.Fatalf("tools/list: %d %s", w.Code, w.Body)
		return false
	}
}

func TestHTTPRequestsAreServedByTheirVersion(t *testing.T) {
	y := newToy()
	e := y.endpoint()
	defer e.Shutdown(t.Context())
	session := begin(t, e)
	call := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s"_meta":%s}}`, method, params, meta)
	}
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		says               string // a part of the body
	}{
		{"modern", "POST", call("tools/list", ""), []string{versionHeader, modern, "Mcp-Method", "tools/list"}, 200, `"echo"`},
		{"modern, with a session it does not need", "POST", call("tools/list", ""), []string{versionHeader, modern, "Mcp-Method", "tools/list", sessionHeader, "x"}, 200, `"echo"`},
		{"modern, removed", "POST", call("initialize", ""), []string{versionHeader, modern, "Mcp-Method", "initialize"}, 404, `-32601`},
		{"modern, GET", "GET", "", []string{versionHeader, modern}, 405, ""},
		{"modern, DELETE", "DELETE", "", []string{versionHeader, modern, sessionHeader, session}, 405, ""},
		{"modern, headers that do not match", "POST", call("tools/list", ""), []string{versionHeader, modern, "Mcp-Method", "prompts/list"}, 400, `-32020`},
		{"modern, no header for the version", "POST", call("tools/list", ""), nil, 400, `-32020`},
		{"modern, an old version in the header", "POST", call("tools/list", ""), []string{versionHeader, "2025-11-25"}, 400, `-32020`},
		{"a version to come", "POST", `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			[]string{versionHeader, "2999-01-01", "Mcp-Method", "server/discover"}, 400, modern},
		{"a version to come, not in the header", "POST", strings.ReplaceAll(call("tools/list", ""), modern, "2999-01-01"), nil, 400, `-32020`},
		{"modern, no version at all", "POST", `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{}}`, nil, 200, `-32601`},
		{"no version", "POST", listTools, []string{versionHeader, "1999-01-01", sessionHeader, session}, 400, "nsupported protocol version"},
		{"old", "POST", listTools, []string{versionHeader, "2025-11-25", sessionHeader, session}, 200, `"echo"`},
		{"old, without a version", "POST", listTools, []string{sessionHeader, session}, 200, `"echo"`},
		{"old, another's session", "POST", listTools, []string{sessionHeader, "another"}, 404, "session not found"},
		{"old, no session", "POST", listTools, nil, 400, `"id":7`},
		{"old, no session, in words", "POST", listTools, nil, 400, "send initialize first"},
		{"old, no session, a batch", "POST", "[" + listTools + "]", nil, 400, "send initialize first"},
		{"old, a batch in its session", "POST", "[" + listTools + "]", []string{sessionHeader, session}, 200, `"echo"`},
		{"old, a notification without a session", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 400, `"id":null`},
		{"old, GET without a session", "GET", "", nil, 400, sessionHeader},
		{"old, DELETE without a session", "DELETE", "", nil, 400, sessionHeader},
		{"PUT", "PUT", "", nil, 405, ""},
		{"no JSON", "POST", "nonsense", nil, 400, ""},
		{"nothing", "POST", "", nil, 400, ""},
		{"an empty batch", "POST", "[]", nil, 400, ""},
		{"no object", "POST", "7", nil, 400, ""},
		{"deep JSON", "POST", strings.Repeat("[", maxBody), nil, 400, ""},
		{"deep parameters", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + strings.Repeat(`{"a":`, 600_000) + "1" + strings.Repeat("}", 600_000) + "}", nil, 400, ""},
		{"deep parameters in a session", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + strings.Repeat(`{"a":`, 600_000) + "1" + strings.Repeat("}", 600_000) + "}",
			[]string{sessionHeader, session}, 400, ""},
		{"too large", "POST", listTools + strings.Repeat(" ", maxBody), nil, 413, "4194304"},
		{"too large, modern", "POST", listTools + strings.Repeat(" ", maxBody), []string{versionHeader, modern}, 413, "4194304"},
		{"too large, in a session", "POST", listTools + strings.Repeat(" ", maxBody), []string{sessionHeader, session}, 413, "4194304"},
		{"a handshake that is none", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":7}`, nil, 200, `"error"`},
		{"a handshake without an id", "POST", `{"jsonrpc":"2.0","method":"initialize","params":{}}`, nil, 400, ""},
		{"another type of body", "POST", initialize, []string{"Content-Type", "text/plain"}, 415, ""},
	} {
		w := do(e, request(t.Context(), c.method, c.body, c.headers...))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s: %d %.300s; want %d %s", c.name, w.Code, w.Body, c.status, c.says)
		}
		if w.Header().Get(sessionHeader) != "" && w.Code != 200 {
			t.Errorf("%s: began a session", c.name)
		}
	}
	r := request(t.Context(), "POST", "")
	r.Body = io.NopCloser(iotest.ErrReader(errors.New("gone")))
	if w := do(e, r); w.Code != 400 || !strings.Contains(w.Body.String(), "breaks off") {
		t.Errorf("a body that breaks off: %d %s", w.Code, w.Body)
	}
	if n := y.sessions(); n != 1 {
		t.Errorf("%d sessions are there after all this, want the one", n)
	}
}

// The endpoint accepts any host: the guard checks hosts.
func TestHTTPServesAnyHost(t *testing.T) {
	e := newToy().endpoint()
	defer e.Shutdown(t.Context())
	ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}))
	r := request(ctx, "POST", initialize)
	r.Host = "arbor.example"
	if w := do(e, r); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// For no body the endpoint panics, hangs, replies with 5xx, or keeps a session whose id its client does not know.
func FuzzHTTPBodies(f *testing.F) {
	for _, body := range []string{initialize, listTools, "[" + listTools + "]", `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1},"_meta":` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","inputResponses":{"really":{"action":"accept"}},"requestState":"x","_meta":` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"toy://a","_meta":` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":` + meta + `}}`,
	} {
		for how := range uint8(4) {
			f.Add(how, body)
		}
	}
	f.Fuzz(func(t *testing.T, how uint8, body string) {
		y := newToy()
		e := y.endpoint()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // streams do not end by themselves
		defer cancel()
		var headers []string
		told := 0
		switch how % 4 {
		case 1:
			headers = []string{versionHeader, modern, "Mcp-Method", after(body, `"method":"`), "Mcp-Name", after(body, `"name":"`)}
		case 2:
			headers = []string{sessionHeader, begin(t, e)}
			told++
		case 3:
			headers = []string{versionHeader, "2025-11-25"}
		}
		w := do(e, request(ctx, "POST", body, headers...))
		if w.Code >= 500 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if w.Header().Get(sessionHeader) != "" {
			told++
		}
		if n := y.sessions(); n > told {
			t.Errorf("%d sessions, of which %d are known: %d %s", n, told, w.Code, w.Body)
		}
		if err := e.Shutdown(t.Context()); err != nil || y.sessions() != 0 {
			t.Errorf("%d sessions are left, %v", y.sessions(), err)
		}
	})
}

// after returns the text between a mark and the next quote.
func after(s, mark string) string {
	_, s, _ = strings.Cut(s, mark)
	s, _, _ = strings.Cut(s, `"`)
	return s
}
