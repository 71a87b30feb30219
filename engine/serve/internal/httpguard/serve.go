package httpguard

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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

// Serve answers requests on l with h until ctx ends or l fails, and closes l. When ctx ends it takes no new requests
// and gives the running ones a moment. Then it cancels the contexts of those that are left, which ends streams, and
// returns nil when all have ended. Requests that do not end then are cut off, which is an error.
//
// Clients have time limits: a header must arrive within seconds, a body and each piece of a response within half a
// minute. A response may take any time, and a stream may be silent. log gets errors of connections.
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
	go func() { served <- srv.Serve(timedListener{l}) }()
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

// A timedListener gives clients a time for each piece of a response that they are sent. A limit for whole responses
// would cut streams.
type timedListener struct{ net.Listener }

func (l timedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return timedConn{conn}, err
}

type timedConn struct{ net.Conn }

func (c timedConn) Write(p []byte) (int, error) {
	_ = c.SetWriteDeadline(time.Now().Add(writeTime)) // if it fails, writing fails too
	return c.Conn.Write(p)
}
