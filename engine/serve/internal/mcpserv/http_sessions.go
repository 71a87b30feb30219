package mcpserv

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// idleSession is how long a session lasts without a request that is being answered.
const idleSession = 30 * time.Minute

// httpSessions are the sessions of an endpoint's older clients. The SDK either never ends a session, or treats a client
// that only listens as gone; and at the end of a session it waits for calls that may be waiting for the client. So
// httpSessions decides when a session ends, and cancels its calls then.
type httpSessions struct {
	mu      sync.Mutex
	open    map[string]*httpSession // guarded by mu: by id
	closing sync.WaitGroup          // the SDK closing ended sessions
}

// An httpSession is one that a client has begun. Its fields are guarded by httpSessions.mu.
type httpSession struct {
	protocol *mcp.ServerSession
	ctx      context.Context // ends with the session
	end      context.CancelFunc
	requests int         // that are being answered, streams included
	owner    string      // the id of the token that began it; "" for none
	timer    *time.Timer // ends the session when it has been idle for too long
}

// receive is the middleware that notes when sessions begin, and cancels calls when their session ends.
func (s *httpSessions) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		protocol, ok := req.GetSession().(*mcp.ServerSession)
		if !ok || protocol.ID() == "" { // stateless, or not over HTTP
			return next(ctx, method, req)
		}
		s.mu.Lock()
		in := s.open[protocol.ID()]
		s.mu.Unlock()
		if in != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(in.ctx, cancel)()
		}
		res, err := next(ctx, method, req)
		if method == "initialize" && err == nil {
			s.add(protocol, owner(req.GetExtra()))
		}
		return res, err
	}
}

// add begins a session, before its client knows its id.
func (s *httpSessions) add(protocol *mcp.ServerSession, owner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := protocol.ID()
	in := &httpSession{protocol: protocol, owner: owner}
	in.ctx, in.end = context.WithCancel(context.Background())
	in.timer = time.AfterFunc(idleSession, func() { s.expire(id, in) })
	s.open[id] = in
}

// expire ends a session that has been idle for too long, unless a request is being answered.
func (s *httpSessions) expire(id string, in *httpSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id] == in && in.requests == 0 {
		s.close(id)
	}
}

// enter begins a request in a session, and returns the function that ends it. The SDK refuses an id that no session
// has.
func (s *httpSessions) enter(id string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.open[id]
	if in == nil {
		return func() {}
	}
	in.requests++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		in.requests--
		in.timer.Reset(idleSession)
	}
}

// of reports whether a session may be used with a token: the one that began it. The SDK refuses an id that no session
// has.
func (s *httpSessions) of(id, owner string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.open[id]
	return in == nil || in.owner == owner
}

// maxSessions is how many sessions a token of a person's assistant may have open.
const maxSessions = 100

// count returns how many sessions are open that began with a token.
func (s *httpSessions) count(owner string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range s.open {
		if in.owner == owner {
			n++
		}
	}
	return n
}

// busy reports whether a request in a session is being answered, or its client listens.
func (s *httpSessions) busy(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.open[id]
	return in != nil && in.requests > 0
}

// leave ends a session and its calls. The caller tells the SDK.
func (s *httpSessions) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(id)
}

// forget removes a session and cancels its calls. s.mu must be held.
func (s *httpSessions) forget(id string) *httpSession {
	in := s.open[id]
	if in != nil {
		in.timer.Stop()
		in.end()
		delete(s.open, id)
	}
	return in
}

// close ends a session, and tells the SDK, which waits for its calls. s.mu must be held.
func (s *httpSessions) close(id string) {
	in := s.forget(id)
	s.closing.Go(func() { _ = in.protocol.Close() }) // the connection is gone, so its errors do not matter
}

func (s *httpSessions) shutdown(ctx context.Context) error {
	s.mu.Lock()
	for id := range s.open {
		s.close(id)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.closing.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
