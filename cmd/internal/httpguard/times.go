package httpguard

import (
	"net/http"
	"time"
)

// limitTimes answers with h, and ends the connection of a client that takes too long to send a request's body or to take a piece of the
// response. A limit for whole responses would cut streams.
func limitTimes(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			// The server takes the deadline away when the body has been read. A connection that knows none has no client that could be slow.
			_ = conn.SetReadDeadline(time.Now().Add(bodyTime))
		}
		timed := &timedWriter{w, conn}
		defer timed.extend() // for what the server still has in its buffers
		h.ServeHTTP(timed, r)
	})
}

// timedWriter gives each piece of the response its own time.
type timedWriter struct {
	http.ResponseWriter
	conn *http.ResponseController
}

func (w *timedWriter) extend() { _ = w.conn.SetWriteDeadline(time.Now().Add(writeTime)) }

func (w *timedWriter) Write(p []byte) (int, error) {
	w.extend()
	return w.ResponseWriter.Write(p)
}

// FlushError sends what is in the buffers, for http.ResponseController.
func (w *timedWriter) FlushError() error {
	w.extend()
	return w.conn.Flush()
}

// Unwrap gives http.ResponseController the rest of what the server's writer can do.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
