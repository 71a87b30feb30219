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

// How long a server waits for what.
const (
	headerTime = 10 * time.Second // for a request's header
	bodyTime   = 30 * time.Second // for all of a request
	writeTime  = 30 * time.Second // for the client to take a piece of the response
	idleTime   = 2 * time.Minute  // for the next request on a connection
	finishTime = time.Second      // for requests to finish by themselves once the server ends
	cutTime    = 3 * time.Second  // for all to finish once the server ends, those included that were told to
)

const maxHeader = 64 << 10 // bytes

// Serve answers requests on l with h until ctx ends or l fails, and closes l. When ctx ends it takes no new requests, gives those that are
// being answered a moment, then ends the contexts of all that are left, which is how streams end that have no end of their own, and returns
// nil when they have ended. What does not end then either is cut off, which is an error.
//
// Clients have time limits for what they do, not for how long they are answered: a header has to arrive within seconds, a body and each
// piece of a response within half a minute; a stream may be silent for as long as it likes. log gets what goes wrong with connections.
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
		_ = srv.Close() // its errors are those of connections that nobody answers any more
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
	_ = c.SetWriteDeadline(time.Now().Add(writeTime)) // fails where writing fails, too
	return c.Conn.Write(p)
}
