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

// The time limits of a server.
const (
	headerTime = 10 * time.Second // for a request's header
	bodyTime   = 30 * time.Second // for a whole request
	writeTime  = 30 * time.Second // for the client to take a piece of the response
	idleTime   = 2 * time.Minute  // for the next request on a connection
	finishTime = time.Second      // for requests to finish by themselves once the server ends
	cutTime    = 3 * time.Second  // for all requests to end once the server ends, cancelled ones included
)

const maxHeader = 64 << 10 // bytes

// How many connections there are at once. Further ones are closed.
const (
	maxConns     = 2048
	maxConnsFrom = 512 // of one address beyond this machine, where a proxy may pass on those of all clients
)

// Serve answers requests on l with h until ctx ends or l fails, and closes l. When ctx ends it takes no new requests
// and gives the running ones a moment. Then it cancels the contexts of those that are left, which ends streams, and
// returns nil when all have ended. Requests that do not end then are cut off, which is an error.
//
// Clients have time limits: a header must arrive within seconds, a body and each piece of a response within half a
// minute. A response may take any time, and a stream may be silent. Connections are at most maxConns in all, and
// maxConnsFrom of one address. log gets errors of connections.
func Serve(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var running atomic.Int64
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			running.Add(1)
			defer running.Add(-1)
			h.ServeHTTP(w, r)
		}),
		BaseContext:                  func(net.Listener) context.Context { return base },
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout:            headerTime,
		ReadTimeout:                  bodyTime,
		IdleTimeout:                  idleTime,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true, // "OPTIONS *" is for h as well
	}

	served := make(chan error, 1)
	go func() { served <- srv.Serve(&listener{Listener: l, log: log}) }()
	select {
	case err := <-served:
		_ = srv.Close() // its errors are about abandoned connections
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	defer time.AfterFunc(finishTime, end).Stop()
	until, cancel := context.WithTimeout(context.WithoutCancel(ctx), cutTime)
	defer cancel()
	err := srv.Shutdown(until)
	<-served
	if err == nil {
		return nil
	}
	_ = srv.Close()
	if n := running.Load(); n > 0 {
		return fmt.Errorf("serving on %s: %d requests did not end within %s and were cut off", l.Addr(), n, cutTime)
	}
	return nil
}

// A listener bounds the connections at once, and gives clients a time for each piece of a response that they are sent.
// A limit for whole responses would cut streams.
type listener struct {
	net.Listener
	log *slog.Logger

	mu      sync.Mutex
	open    int
	from    map[string]int // open ones, by address
	refused int
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if address := far(conn); l.take(address) {
			return &timedConn{Conn: conn, left: sync.OnceFunc(func() { l.leave(address) })}, nil
		}
		conn.Close()
	}
}

// far returns the address that connections are counted for, "" for this machine.
func far(conn net.Conn) string {
	host, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
	if ip := net.ParseIP(host); ip == nil || ip.IsLoopback() {
		return ""
	}
	return host
}

func (l *listener) take(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= maxConns || address != "" && l.from[address] >= maxConnsFrom {
		if l.refused++; l.refused&(l.refused-1) == 0 { // 1, 2, 4, 8, …
			l.log.Warn("too many connections; further ones are closed", "open", l.open, "address", address,
				"closed", l.refused)
		}
		return false
	}
	if l.from == nil {
		l.from = map[string]int{}
	}
	l.open++
	l.from[address]++
	return true
}

func (l *listener) leave(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.from[address]--; l.from[address] == 0 {
		delete(l.from, address)
	}
}

type timedConn struct {
	net.Conn
	left func()
}

func (c *timedConn) Write(p []byte) (int, error) {
	_ = c.SetWriteDeadline(time.Now().Add(writeTime)) // if it fails, writing fails too
	return c.Conn.Write(p)
}

func (c *timedConn) Close() error {
	c.left()
	return c.Conn.Close()
}
