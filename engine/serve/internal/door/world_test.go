package door

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/engine/plan"
	"arbor/engine/serve/internal/httpguard"
	"arbor/engine/serve/internal/mcpserv"
	"arbor/engine/serve/internal/web"
	"arbor/mdstore"
)

// A world is a server for several people over a vault, with one node in its plan.
type world struct {
	*testing.T
	engine *engine.Engine
	store  enginetest.Vault
	door   *Door
	server *httptest.Server
	node   string

	mu     sync.Mutex
	now    time.Time
	delays []time.Duration // of failed logins
}

func newWorld(t *testing.T) *world { t.Helper(); return newWorldOver(t, "folder") }

func newWorldOver(t *testing.T, store string) *world {
	t.Helper()
	w := &world{T: t, now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)}
	st, at := enginetest.NewVault(t, store, nil)
	w.store = st
	clock := func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }
	at.Now, at.Project = clock, t.TempDir()
	var err error
	if w.engine, err = engine.Open(t.Context(), st, at); err != nil {
		t.Fatal(err)
	}
	tools, err := mcpserv.New(w.engine, mcpserv.Options{Toolsets: []string{"all"}, Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	w.door = New(w.engine, slog.New(slog.DiscardHandler))
	w.door.limits.Now, w.door.look = clock, time.Millisecond
	w.door.limits.After = func(d time.Duration) <-chan time.Time {
		w.mu.Lock()
		w.delays = append(w.delays, d)
		w.mu.Unlock()
		done := make(chan time.Time)
		close(done)
		return done
	}
	page := web.New(w.engine, web.Options{})
	page.Admit(w.door)
	endpoint := tools.Endpoint()
	mux := http.NewServeMux()
	mux.Handle("/", httpguard.Handler(page.Handler(), httpguard.Options{Open: true}))
	mux.Handle("/mcp", w.door.MCP(endpoint, httpguard.Options{}))
	mux.Handle("POST /people/redeem", httpguard.Handler(http.HandlerFunc(w.door.Redeem), httpguard.Options{Open: true}))
	w.server = httptest.NewServer(mux)
	t.Cleanup(func() { w.server.CloseClientConnections(); w.server.Close(); _ = endpoint.Shutdown(t.Context()) })
	w.do("workspace_init", `{"name": "Team", "goal": "x"}`)
	w.node = "Task"
	w.do("node_create", `{"title": "Task"}`)
	w.do("log_append", `{"nodeId": "Task", "event": "Which port?", "question": true, "operator": "AI"}`)
	return w
}

// do runs an operation as the server's own user.
func (w *world) do(operation, args string) any {
	w.Helper()
	o, _ := ops.Find(operation)
	env := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorHuman, Caller: ops.ByDecider, Names: ops.NamesLoose}
	if operation == "log_append" {
		env.Operator, env.Caller = mdstore.OperatorAI, ops.ByAssistant
	}
	out, err := o.Call(w.Context(), env, json.RawMessage(args))
	if err != nil {
		w.Fatalf("%s: %v", operation, err)
	}
	return out
}

// invite returns the secret of an invitation.
func (w *world) invite(name, rights string) string {
	w.Helper()
	if rights != "" {
		rights = `, "rights": "` + rights + `"`
	}
	out := w.do("people_add", `{"name": "`+name+`"`+rights+`}`).(*ops.PeopleAddOut)
	_, secret, _ := strings.Cut(out.Invitation, "#token=")
	return secret
}

// A reply is what came back.
type reply struct {
	code int
	text string
	http.Header
}

func (w *world) send(c *http.Client, method, path, body string, headers ...string) reply {
	w.Helper()
	req, err := http.NewRequestWithContext(w.Context(), method, w.server.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		w.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		return reply{text: err.Error()}
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	return reply{res.StatusCode, string(data), res.Header}
}

// assistant redeems an invitation for an assistant, and returns its token.
func (w *world) assistant(invitation string) string {
	w.Helper()
	r := w.send(http.DefaultClient, "POST", "/people/redeem", `{"invitation": "`+invitation+`", "assistant": "claude"}`)
	var out Redeemed
	if json.Unmarshal([]byte(r.text), &out) != nil || out.Token == "" {
		w.Fatalf("redeem: %d %s", r.code, r.text)
	}
	return out.Token
}

// tool calls a tool with a token.
func (w *world) tool(token, name, args string, headers ...string) reply {
	w.Helper()
	const version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args +
		`,"_meta":{` + version + `,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}}}}`
	return w.send(http.DefaultClient, "POST", "/mcp", body, append([]string{"Authorization", "Bearer " + token,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name}, headers...)...)
}

// A browser is one that a person logged in with.
type browser struct {
	*world
	client *http.Client
	tab    string
}

func (w *world) browser(invitation string) *browser {
	w.Helper()
	jar, _ := cookiejar.New(nil)
	b := &browser{world: w, client: &http.Client{Jar: jar}}
	r := w.send(b.client, "POST", "/login", `{"token": "`+invitation+`"}`)
	var out struct{ Tab string }
	if json.Unmarshal([]byte(r.text), &out) != nil || out.Tab == "" {
		w.Fatalf("login: %d %s", r.code, r.text)
	}
	b.tab = out.Tab
	return b
}

func (b *browser) post(path, body string) reply {
	b.Helper()
	return b.send(b.client, "POST", path, body, "Arbor-Tab", b.tab)
}

// log returns the log of the node.
func (w *world) log() string {
	w.Helper()
	data, _ := json.Marshal(w.do("node_get", `{"nodeId": "Task"}`))
	return string(data)
}

var planAct = plan.Act{Operator: mdstore.OperatorHuman}

func setNames(file string, src []byte) ([]byte, error) {
	return config.Put(config.Vault, file, src, "log.names", "true")
}
