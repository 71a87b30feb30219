package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"arbor/engine/env"
	"arbor/engine/errs"
)

// Times are those of a Hub's connections. 0 is the default.
type Times struct {
	Ping time.Duration // between two pings: 10 s
	Miss time.Duration // to wait for the answer to a ping: 5 s
	Life time.Duration // to wait for a sign of life of a call: 30 s
}

func (t *Times) defaults() {
	for d, usual := range map[*time.Duration]time.Duration{&t.Ping: 10 * time.Second, &t.Miss: 5 * time.Second, &t.Life: 30 * time.Second} {
		if *d == 0 {
			*d = usual
		}
	}
}

// A Hub is the server's end of the connections to clients: at most one a client. Its methods may be called by several
// goroutines at once.
type Hub struct {
	times Times
	known func(client string) bool // reports whether the client may still be connected
	came  func(client string, h Hello)

	mu    sync.Mutex
	conns map[string]*conn
}

// NewHub returns a hub without connections. known reports, at each ping, whether a client may stay connected. came is
// called with what a client serves when it connects. Either may be nil.
func NewHub(t Times, known func(string) bool, came func(string, Hello)) *Hub {
	t.defaults()
	return &Hub{times: t, known: known, came: came, conns: map[string]*conn{}}
}

// A conn is the connection to one client.
type conn struct {
	ws     *websocket.Conn
	hello  Hello
	client string
	gone   chan struct{} // closed when it ends

	mu    sync.Mutex
	next  uint64
	calls map[uint64]*pending
}

type pending struct {
	answer chan message
	life   chan struct{}
}

// Serve handles the connection of one client, whose token was checked, until it ends.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, client string) {
	if old := h.conn(client); old != nil {
		ctx, cancel := context.WithTimeout(r.Context(), h.times.Miss)
		err := old.ws.Ping(ctx)
		cancel()
		if err == nil {
			http.Error(w, "this client is connected already", http.StatusConflict)
			return
		}
		_ = old.ws.CloseNow()
		<-old.gone
	}
	// Host and Origin were looked at by the guard in front.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{Protocol}, InsecureSkipVerify: true})
	if err != nil {
		return // it has answered
	}
	defer ws.CloseNow()
	ws.SetReadLimit(maxFrame)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &conn{ws: ws, client: client, gone: make(chan struct{}), calls: map[uint64]*pending{}}
	first, err := receive(ctx, ws)
	if err != nil || first.Method != hello || json.Unmarshal(first.Params, &c.hello) != nil || !env.ValidID(c.hello.Root) {
		_ = ws.Close(websocket.StatusPolicyViolation, "the first message is hello, with the name of a root")
		return
	}
	if !h.enter(c) {
		_ = ws.Close(websocket.StatusPolicyViolation, "this client is connected already")
		return
	}
	defer h.leave(c)
	if h.came != nil {
		h.came(client, c.hello)
	}
	go h.ping(ctx, c)
	for {
		m, err := receive(ctx, ws)
		if err != nil {
			return
		}
		c.got(m)
	}
}

func (h *Hub) conn(client string) *conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.conns[client]
}

// enter makes c the connection of its client, unless there is one.
func (h *Hub) enter(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conns[c.client] != nil {
		return false
	}
	h.conns[c.client] = c
	return true
}

func (h *Hub) leave(c *conn) {
	h.mu.Lock()
	delete(h.conns, c.client)
	h.mu.Unlock()
	close(c.gone)
}

// ping ends the connection of a client that does not answer, or that may no longer be connected.
func (h *Hub) ping(ctx context.Context, c *conn) {
	tick := time.NewTicker(h.times.Ping)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if h.known != nil && !h.known(c.client) {
			_ = c.ws.Close(websocket.StatusPolicyViolation, "this client was removed")
			return
		}
		limited, cancel := context.WithTimeout(ctx, h.times.Miss)
		err := c.ws.Ping(limited)
		cancel()
		if err != nil {
			_ = c.ws.CloseNow()
			return
		}
	}
}

// got passes a message to its call. If no call waits for it, the message is dropped.
func (c *conn) got(m message) {
	id := m.ID
	if m.Method == life {
		var w which
		_ = json.Unmarshal(m.Params, &w)
		id = w.ID
	}
	c.mu.Lock()
	p := c.calls[id]
	c.mu.Unlock()
	switch {
	case p == nil:
	case m.Method == life:
		select {
		case p.life <- struct{}{}:
		default: // one waits already
		}
	case m.Method == "":
		select {
		case p.answer <- m:
		default: // a second answer
		}
	}
}

// Tools returns the tools that a client serves at a root; ok is false if it is not connected.
func (h *Hub) Tools(client, root string) ([]env.Tool, bool) {
	c := h.conn(client)
	if c == nil || c.hello.Root != root {
		return nil, false
	}
	return c.hello.Tools, true
}

// Call calls a tool of a client. It ends when the client answers, or when there is no sign of life. ENVIRONMENT_MISSING
// says that the call was not sent, OUTCOME_UNKNOWN that it may have run. Call never repeats a call.
func (h *Hub) Call(ctx context.Context, client string, call Call) (json.RawMessage, error) {
	c := h.conn(client)
	if c == nil || c.hello.Root != call.Root {
		return nil, errs.New(errs.EnvironmentMissing, "%s is not connected; arbor env connect on its machine connects it", client)
	}
	id, p := c.begin()
	defer c.end(id)
	sending, sent := context.WithTimeout(context.WithoutCancel(ctx), h.times.Miss) // cut off, it would end the connection
	defer sent()
	if err := send(sending, c.ws, message{ID: id, Method: Method(call.Tool), Params: params(call)}); err != nil {
		return nil, errs.New(errs.EnvironmentMissing, "%s: the call could not be sent: %v", client, err)
	}
	unknown := func(why string) error {
		cancel, done := context.WithTimeout(context.WithoutCancel(ctx), h.times.Miss)
		defer done()
		_ = send(cancel, c.ws, message{Method: toolCancel, Params: params(which{id})})
		return errs.New(errs.OutcomeUnknown, "%s: %s during call %d of %s; it may have run, and is not repeated: look before you call again", client, why, id, call.Tool).
			With(errs.Details{Param: fmt.Sprint(id)})
	}
	silent := time.NewTimer(h.times.Life)
	defer silent.Stop()
	for {
		select {
		case m := <-p.answer:
			if m.Error != nil {
				return nil, m.Error.err()
			}
			return m.Result, nil
		case <-p.life:
			silent.Reset(h.times.Life)
		case <-silent.C:
			return nil, unknown("it fell silent")
		case <-ctx.Done():
			return nil, unknown("the caller went")
		case <-c.gone:
			return nil, unknown("the connection was cut")
		}
	}
}

func (c *conn) begin() (uint64, *pending) {
	p := &pending{make(chan message, 1), make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	c.calls[c.next] = p
	return c.next, p
}

func (c *conn) end(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}
