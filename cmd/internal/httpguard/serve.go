package httpguard

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Serve answers requests on l with h until ctx ends or l fails, and closes l. When ctx ends it takes no new requests, gives those that are
// being answered a moment, then ends the contexts of all that are left, which is how streams end that have no end of their own, and returns
// nil when they have ended. What does not end then either is cut off, which is an error.
//
// Clients have time limits for what they do, not for how long they are answered: a header has to arrive within seconds, a body and each
// piece of a response within half a minute; a stream may be silent for as long as it likes. log gets what goes wrong with connections; nil
// discards it.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	return serve(ctx, l, h, log, patience)
}

// times are how long a server waits for what.
type times struct {
	header time.Duration // for a request's header
	body   time.Duration // for all of a request's body
	write  time.Duration // for the client to take a piece of the response
	next   time.Duration // for the next request on a connection
	finish time.Duration // for requests to finish by themselves once the server ends
	cut    time.Duration // for all to finish once the server ends, those included that were told to
}

var patience = times{
	header: 10 * time.Second,
	body:   30 * time.Second,
	write:  30 * time.Second,
	next:   2 * time.Minute,
	finish: time.Second,
	cut:    3 * time.Second,
}

const maxHeader = 64 << 10 // bytes

func serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, wait times) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var running atomic.Int64
	timed := limitTimes(h, wait)
	silent := &connections{}
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			running.Add(1)
			defer running.Add(-1)
			timed.ServeHTTP(w, r)
		}),
		BaseContext:                  func(net.Listener) context.Context { return base },
		ConnState:                    silent.watch,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout:            wait.header,
		IdleTimeout:                  wait.next,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is for h as well
	}
	srv.RegisterOnShutdown(silent.close)

	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		_ = srv.Close() // its errors are those of connections that nobody answers any more
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	defer time.AfterFunc(wait.finish, end).Stop()
	until, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait.cut)
	defer cancel()
	err := srv.Shutdown(until)
	<-served
	if err == nil {
		return nil
	}
	_ = srv.Close()
	if n := running.Load(); n > 0 {
		return fmt.Errorf("serving on %s: %d requests did not end within %s and were cut off", l.Addr(), n, wait.cut)
	}
	return nil
}

// connections are those that have sent nothing yet, as browsers open them in advance. The server would wait for their first request when it
// ends.
type connections struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (c *connections) watch(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != http.StateNew {
		delete(c.open, conn)
		return
	}
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	c.open[conn] = true
}

func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.Close()
	}
}
