package mcpserv

import (
	"context"
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/mdstore"
)

// A world is a server of a vault, which the test's clients connect to.
type world struct {
	*testing.T
	store  enginetest.Vault
	dir    string // the vault's folder; "" if it has none
	engine *engine.Engine
	server *Server
}

// patience is how long a test waits for an event before it fails; most events come much sooner.
const patience = 30 * time.Second

// newWorld returns a world with the plan of these tests in it.
func newWorld(t *testing.T, opt Options) *world {
	t.Helper()
	st, at := enginetest.NewVault(t, "folder", planFiles())
	w := &world{T: t, store: st, dir: at.Vault}
	var err error
	if w.engine, err = engine.Open(t.Context(), st, at); err != nil {
		t.Fatal(err)
	}
	if w.server, err = New(w.engine, opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.server.Close)
	return w
}

// save writes a file as a simple editor does.
func (w *world) save(p mdstore.Path, text string) {
	w.Helper()
	if w.dir == "" {
		w.store.Put(p, []byte(text))
		return
	}
	enginetest.Put(w.T, w.dir, p, []byte(text))
}

// read returns the text of a file.
func (w *world) read(p mdstore.Path) string {
	w.Helper()
	f, err := w.store.Read(w.Context(), p)
	if err != nil {
		w.Fatal(err)
	}
	return string(f.Data)
}

// folder returns the path of a file for a test of what other programs do to files. It skips the test over a vault that
// has no folder.
func (w *world) folder(p mdstore.Path) string {
	w.Helper()
	if w.dir == "" {
		w.Skip("this vault has no folder")
	}
	return filepath.Join(w.dir, filepath.FromSlash(string(p)))
}

// edit replaces a text in a file, as a person would, and returns when the engine has seen it.
func (w *world) edit(p mdstore.Path, old, new string) {
	w.Helper()
	text := w.read(p)
	if !strings.Contains(text, old) {
		w.Fatalf("%s has no %q:\n%s", p, old, text)
	}
	text = strings.Replace(text, old, new, 1)
	w.save(p, text)
	eventually(w.T, "the engine shows what was saved", func() bool {
		w.engine.Refresh()
		v, err := w.engine.View(w.Context(), planID)
		if err != nil {
			return false
		}
		n, ok := v.File(p)
		return !ok || n.Version() == mdstore.VersionOf([]byte(text))
	})
}

// A peer is a client of the server.
type peer struct {
	*testing.T
	*mcp.ClientSession
	server  *Server
	updated chan string // URIs of changed resources, from notifications
	listed  chan struct{}
}

// legacy is the newest protocol version with a handshake.
const legacy = "2025-11-25"

// connect connects a client that speaks the newest version. The options may be nil.
func (w *world) connect(opt *mcp.ClientOptions) *peer { return w.connectAs("", opt) }

func (w *world) connectAs(version string, opt *mcp.ClientOptions) *peer {
	w.Helper()
	p := &peer{T: w.T, server: w.server, updated: make(chan string, 64), listed: make(chan struct{}, 64)}
	if opt == nil {
		opt = &mcp.ClientOptions{}
	}
	opt.ResourceUpdatedHandler = func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { p.updated <- req.Params.URI }
	opt.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) { p.listed <- struct{}{} }
	here, there := mcp.NewInMemoryTransports()
	served, err := w.server.mcp.Connect(w.Context(), there, nil)
	if err != nil {
		w.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opt).Connect(w.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.Fatal(err)
	}
	p.ClientSession = c
	w.Cleanup(func() { c.Close(); served.Wait() })
	return p
}

// try calls a tool and returns its result. Only a protocol error fails the test.
func (p *peer) try(tool string, args map[string]any) *mcp.CallToolResult {
	p.Helper()
	r, err := p.CallTool(p.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		p.Fatalf("%s %v: %v", tool, args, err)
	}
	return r
}

// do calls a tool that must succeed, and returns its result.
func (p *peer) do(tool string, args map[string]any) map[string]any {
	p.Helper()
	r := p.try(tool, args)
	if r.IsError {
		p.Fatalf("%s %v: %s", tool, args, textOf(r))
	}
	return dataOf(p.T, r)
}

// refused calls a tool that must fail with the code, and returns the text that a model reads.
func (p *peer) refused(code errs.Code, tool string, args map[string]any) string {
	p.Helper()
	r := p.try(tool, args)
	if !r.IsError {
		p.Fatalf("%s %v works: %s", tool, args, textOf(r))
	}
	if r.StructuredContent != nil || !strings.HasPrefix(textOf(r), string(code)+": ") {
		p.Fatalf("%s %v: %s (%v), want %s and no data", tool, args, textOf(r), r.StructuredContent, code)
	}
	return textOf(r)
}

func textOf(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

func dataOf(t testing.TB, r *mcp.CallToolResult) map[string]any {
	t.Helper()
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// items returns a list of a result; results leave empty lists out.
func items(v any) []any {
	list, _ := v.([]any)
	return list
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("the condition never holds: %s\n%s", what, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// await returns the next value of a channel.
func await[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}
