package remote_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"arbor/engine/env"
	"arbor/engine/env/remote"
	"arbor/engine/errs"
)

// A world is a hub behind a server that knows two tokens, with the clients that connect to it.
type world struct {
	*testing.T
	hub    *remote.Hub
	server *httptest.Server
	came   chan string
}

var quick = remote.Times{Ping: 20 * time.Millisecond, Miss: 2 * time.Second, Life: 300 * time.Millisecond}

func newWorld(t *testing.T, secure bool, known func(string) bool) *world {
	w := &world{T: t, came: make(chan string, 100)}
	w.hub = remote.NewHub(quick, known, func(client string, h remote.Hello) { w.came <- client + "/" + h.Root })
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		client, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer token-of-")
		if !ok {
			http.Error(rw, "no", http.StatusUnauthorized)
			return
		}
		w.hub.Serve(rw, r, client)
	})
	if secure {
		w.server = httptest.NewTLSServer(handler)
	} else {
		w.server = httptest.NewServer(handler)
	}
	t.Cleanup(w.server.Close)
	return w
}

// times gives the hub other times.
func (w *world) times(t remote.Times) {
	w.hub = remote.NewHub(t, nil, func(client string, h remote.Hello) { w.came <- client + "/" + h.Root })
}

// client returns a client that answers with its arguments, or as handle says.
func (w *world) client(name string, handle func(context.Context, remote.Call) (any, error)) *remote.Client {
	if handle == nil {
		handle = func(_ context.Context, c remote.Call) (any, error) {
			return map[string]any{"tool": c.Tool, "session": c.Session, "arguments": c.Arguments}, nil
		}
	}
	return &remote.Client{
		URL: "ws" + strings.TrimPrefix(w.server.URL, "http"), Token: "token-of-" + name, HTTP: w.server.Client(), Root: "app", Trust: env.Restricted,
		Tools: func() []env.Tool { return env.BuiltIn() }, Handle: handle, Life: 50 * time.Millisecond,
	}
}

// connect serves in the background, and returns when the hub has seen it; cut ends the connection, and waits for that.
func (w *world) connect(c *remote.Client) (cut func()) {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx, nil) }()
	select {
	case <-w.came:
	case err := <-ended:
		w.Fatalf("the client did not connect: %v", err)
	}
	return func() {
		cancel()
		<-ended
	}
}

func (w *world) call(session string, args any) (string, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		w.Fatal(err)
	}
	out, err := w.hub.Call(w.Context(), "laptop", remote.Call{Tool: "file_read", Root: "app", Session: session, Arguments: raw})
	return string(out), err
}

func (w *world) refused(code errs.Code) {
	w.Helper()
	if _, err := w.call("s", nil); errs.As(err) == nil || errs.As(err).Code != code {
		w.Errorf("the call ends with %v, want %s", err, code)
	}
}

// gone waits until the hub knows that a client went.
func (w *world) gone() {
	w.Helper()
	for range 5000 {
		if _, ok := w.hub.Tools("laptop", "app"); !ok {
			return
		}
		<-time.After(time.Millisecond)
	}
	w.Fatal("the client is still there")
}

// Calls are answered, by the client that they name, with TLS and without; what fails there fails here in the same
// words.
func TestCallsAreAnswered(t *testing.T) {
	for _, secure := range []bool{false, true} {
		w := newWorld(t, secure, nil)
		w.refused(errs.EnvironmentMissing)
		cut := w.connect(w.client("laptop", func(_ context.Context, c remote.Call) (any, error) {
			if string(c.Arguments) == "null" {
				return nil, errs.New(errs.PathOutside, "no way out").With(errs.Details{Param: "path"})
			}
			return c, nil
		}))
		got, err := w.call("s1", map[string]string{"path": "a b\n\"c\""})
		if err != nil || !strings.Contains(got, `a b\n\"c\"`) || !strings.Contains(got, `"session":"s1"`) {
			t.Errorf("the answer is %s, %v", got, err)
		}
		w.refused(errs.PathOutside)
		cut()
		w.gone()
		w.refused(errs.EnvironmentMissing)
		defer w.connect(w.client("laptop", nil))()
		if _, err := w.call("s1", 1); err != nil {
			t.Errorf("back again: %v", err)
		}
	}
}

// A certificate that nobody vouches for is none.
func TestCertificatesAreChecked(t *testing.T) {
	w := newWorld(t, true, nil)
	c := w.client("laptop", nil)
	c.HTTP = nil
	var unknown *tls.CertificateVerificationError
	if err := c.Serve(t.Context(), nil); !errors.As(err, &unknown) {
		t.Errorf("the client connects: %v", err)
	}
}

// 1,000 calls of 8 sessions at once get their own answers.
func TestAnswersGoToTheirCalls(t *testing.T) {
	w := newWorld(t, false, nil)
	defer w.connect(w.client("laptop", nil))()
	var all sync.WaitGroup
	for session := range 8 {
		all.Go(func() {
			for n := range 125 {
				id := fmt.Sprintf("s%d", session)
				if got, err := w.call(id, n); err != nil || !strings.Contains(got, fmt.Sprintf(`"arguments":%d,"session":"%s"`, n, id)) {
					t.Errorf("%s %d: %s, %v", id, n, got, err)
				}
			}
		})
	}
	all.Wait()
}

// A call that is cut off may have run: it is not repeated, and its outcome is unknown.
func TestACutCallIsNotRepeated(t *testing.T) {
	w := newWorld(t, false, nil)
	var ran atomic.Int32
	started, ended := make(chan bool, 10), make(chan bool, 10)
	slow := func(ctx context.Context, _ remote.Call) (any, error) {
		ran.Add(1)
		started <- true
		<-ctx.Done()
		ended <- true
		return "late", nil
	}
	cut := w.connect(w.client("laptop", slow))
	go func() {
		<-started
		cut()
	}()
	w.refused(errs.OutcomeUnknown)
	<-ended
	w.gone()
	defer w.connect(w.client("laptop", nil))()
	if _, err := w.call("s", 1); err != nil || ran.Load() != 1 {
		t.Errorf("%v; it ran %d times", err, ran.Load())
	}
}

// A call lives as long as its client says so, and no longer; then the client ends it.
func TestASilentCallEnds(t *testing.T) {
	w := newWorld(t, false, nil)
	cancelled := make(chan bool, 1)
	c := w.client("laptop", func(ctx context.Context, _ remote.Call) (any, error) {
		<-ctx.Done()
		cancelled <- true
		return nil, ctx.Err()
	})
	c.Life = time.Hour
	defer w.connect(c)()
	w.refused(errs.OutcomeUnknown)
	<-cancelled
	if _, ok := w.hub.Tools("laptop", "app"); !ok {
		t.Error("the connection ended with the call")
	}
}

// A caller that goes ends its call on the client.
func TestACallerThatGoesEndsTheCall(t *testing.T) {
	w := newWorld(t, false, nil)
	started, cancelled := make(chan bool, 1), make(chan bool, 1)
	defer w.connect(w.client("laptop", func(ctx context.Context, _ remote.Call) (any, error) {
		started <- true
		<-ctx.Done()
		cancelled <- true
		return nil, ctx.Err()
	}))()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	_, err := w.hub.Call(ctx, "laptop", remote.Call{Tool: "test", Root: "app"})
	if errs.As(err).Code != errs.OutcomeUnknown {
		t.Errorf("the call ends with %v", err)
	}
	<-cancelled
}

// A machine without the token cannot connect. Of two machines with the same token, the second is refused while the first
// answers; if the first does not answer, the second replaces it.
func TestImpostorsAndTwins(t *testing.T) {
	w := newWorld(t, false, nil)
	impostor := w.client("laptop", nil)
	impostor.Token = "guess"
	if err := impostor.Serve(t.Context(), nil); !errors.Is(err, remote.ErrRefused) {
		t.Errorf("an impostor: %v", err)
	}
	cut := w.connect(w.client("laptop", nil))
	if err := w.client("laptop", nil).Serve(t.Context(), nil); !errors.Is(err, remote.ErrRefused) {
		t.Errorf("a twin: %v", err)
	}
	defer w.connect(w.client("desktop", nil))()
	cut()
	w.gone()
	defer w.connect(w.client("laptop", nil))()
}

// deaf is a connection that says hello and then answers nothing, as one whose machine sleeps.
func (w *world) deaf(name string) {
	w.Helper()
	header := http.Header{"Authorization": {"Bearer token-of-" + name}}
	url := "ws" + strings.TrimPrefix(w.server.URL, "http")
	ws, _, err := websocket.Dial(w.Context(), url, &websocket.DialOptions{HTTPHeader: header, Subprotocols: []string{remote.Protocol}})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = ws.CloseNow() })
	if err := ws.Write(w.Context(), websocket.MessageText, []byte(`{"jsonrpc":"2.0","method":"hello","params":{"root":"app"}}`)); err != nil {
		w.Fatal(err)
	}
	<-w.came
}

// A connection that answers no ping gives way to a new one with the token.
func TestADeafConnectionGivesWay(t *testing.T) {
	w := newWorld(t, false, nil)
	w.times(remote.Times{Ping: time.Hour, Miss: 100 * time.Millisecond})
	w.deaf("laptop")
	defer w.connect(w.client("laptop", nil))()
	if _, err := w.call("s", 1); err != nil {
		t.Error(err)
	}
}

// A client that is removed is cut off.
func TestARemovedClientIsCutOff(t *testing.T) {
	var known atomic.Bool
	known.Store(true)
	w := newWorld(t, false, func(string) bool { return known.Load() })
	c := w.client("laptop", nil)
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(t.Context(), nil) }()
	<-w.came
	known.Store(false)
	if err := <-ended; !errors.Is(err, remote.ErrRefused) {
		t.Errorf("it ends with %v", err)
	}
	w.refused(errs.EnvironmentMissing)
}

// A code works once, for ten minutes, and is not to be guessed.
func TestPairing(t *testing.T) {
	var p remote.Pairing
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	if p.Take(now, "") == nil {
		t.Error("no code is one")
	}
	code := p.Open(now)
	if p.Take(now.Add(11*time.Minute), code) == nil {
		t.Error("an old code is taken")
	}
	if code = p.Open(now); p.Take(now, code) != nil || p.Take(now, code) == nil {
		t.Error("a code is taken twice, or not at all")
	}
	code = p.Open(now)
	for range 5 {
		if p.Take(now, "wrong") == nil {
			t.Error("a guess is taken")
		}
	}
	if p.Take(now, code) == nil {
		t.Error("a sixth try is taken")
	}
}
