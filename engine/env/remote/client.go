package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"arbor/engine/env"
)

// Method returns the method of a tool: file/read of file_read, and tool/call of those that an environment defines.
func Method(tool string) string {
	if verb, ok := strings.CutPrefix(tool, "file_"); ok {
		return "file/" + verb
	}
	return "tool/call"
}

// A Client serves one root to a server.
type Client struct {
	URL    string // ws:// or wss://
	Token  string
	HTTP   *http.Client // nil: the usual one, which checks certificates
	Root   string
	Trust  env.Level
	Tools  func() []env.Tool
	Handle func(context.Context, Call) (any, error) // runs a call; its context ends when the server cancels the call
	Life   time.Duration                            // between two signs of life of a call; 0 is 10 s
}

// ErrRefused says that the server refused this client: its token is wrong, or another client with the token is
// connected.
var ErrRefused = errors.New("the server refused the connection")

// Serve connects and serves until the connection ends, which also ends all running calls. It calls ready once it is
// connected.
func (c *Client) Serve(ctx context.Context, ready func()) error {
	header := http.Header{"Authorization": {"Bearer " + c.Token}}
	ws, res, err := websocket.Dial(ctx, c.URL, &websocket.DialOptions{HTTPClient: c.HTTP, HTTPHeader: header, Subprotocols: []string{Protocol}})
	if err != nil {
		if res != nil && res.StatusCode >= 400 && res.StatusCode < 500 {
			return errors.Join(ErrRefused, err)
		}
		return err
	}
	defer ws.CloseNow()
	ws.SetReadLimit(maxFrame)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var tools []env.Tool
	if c.Tools != nil {
		tools = c.Tools()
	}
	if err := send(ctx, ws, message{Method: hello, Params: params(Hello{c.Root, c.Trust, tools})}); err != nil {
		return err
	}
	if ready != nil {
		ready()
	}
	s := &serving{Client: c, ws: ws, running: map[uint64]context.CancelFunc{}}
	defer s.all.Wait()
	defer cancel()
	for {
		m, err := receive(ctx, ws)
		if err != nil {
			if status := websocket.CloseStatus(err); status == websocket.StatusPolicyViolation {
				return errors.Join(ErrRefused, err)
			}
			return err
		}
		s.got(ctx, m)
	}
}

// A serving is one connection of a client.
type serving struct {
	*Client
	ws  *websocket.Conn
	all sync.WaitGroup

	mu      sync.Mutex
	running map[uint64]context.CancelFunc
}

func (s *serving) got(ctx context.Context, m message) {
	switch {
	case m.Method == toolCancel:
		var w which
		if json.Unmarshal(m.Params, &w) == nil {
			s.mu.Lock()
			if cancel := s.running[w.ID]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		}
	case m.ID == 0:
	case m.Method == toolList:
		_ = send(ctx, s.ws, message{ID: m.ID, Result: params(s.Tools())})
	case m.Method == "tool/call" || strings.HasPrefix(m.Method, "file/"):
		var call Call
		if json.Unmarshal(m.Params, &call) != nil || Method(call.Tool) != m.Method || call.Root != s.Root {
			_ = send(ctx, s.ws, message{ID: m.ID, Error: &failure{Code: badParams, Message: "no call of a tool of this root"}})
			return
		}
		running, cancel := context.WithCancel(ctx)
		s.mu.Lock()
		s.running[m.ID] = cancel
		s.mu.Unlock()
		s.all.Go(func() { s.run(running, ctx, m.ID, call) })
	default:
		_ = send(ctx, s.ws, message{ID: m.ID, Error: &failure{Code: unknownMethod, Message: "no method " + m.Method}})
	}
}

// run makes a call, sends signs of life, and answers, unless the call was cancelled.
func (s *serving) run(ctx, connection context.Context, id uint64, call Call) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running[id]()
		delete(s.running, id)
	}()
	every := s.Life
	if every == 0 {
		every = 10 * time.Second
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				_ = send(connection, s.ws, message{Method: life, Params: params(which{id})})
			}
		}
	}()
	out, err := s.Handle(ctx, call)
	if ctx.Err() != nil {
		return
	}
	answer := message{ID: id}
	if err != nil {
		answer.Error = failed(err)
	} else if answer.Result, err = json.Marshal(out); err != nil {
		answer.Error = failed(err)
	}
	if err := send(connection, s.ws, answer); err != nil && len(answer.Result) > maxFrame/2 {
		answer.Result, answer.Error = nil, failed(err)
		_ = send(connection, s.ws, answer)
	}
}
