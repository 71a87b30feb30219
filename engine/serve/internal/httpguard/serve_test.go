package httpguard

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory, so that time can be a test's own.
type pipes struct {
	conns chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), end: make(chan struct{})} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.end) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// A world is a server with a clock of its own.
type world struct {
	*pipes
	handler http.HandlerFunc // to be set before the first request
	cancel  context.CancelFunc
	done    chan error
}

// inWorld runs a test in a world of its own. Everything that the test waits for has to be made in it.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{pipes: newPipes(), done: make(chan error)}
		ctx, cancel := context.WithCancel(t.Context())
		w.cancel = cancel
		h := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.handler(rw, r) })
		go func() { w.done <- Serve(ctx, w.pipes, h, slog.New(slog.DiscardHandler)); close(w.done) }()
		test(t, w)
		cancel()
		if err := <-w.done; err != nil {
			t.Error(err)
		}
	})
}

// endOf reads a connection to its end and returns how long that takes.
func endOf(t *testing.T, c net.Conn) time.Duration {
	t.Helper()
	from := time.Now()
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Fatal(err)
	}
	return time.Since(from)
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func answer(t *testing.T, c net.Conn) (*http.Response, *bufio.Reader) {
	t.Helper()
	in := bufio.NewReader(c)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return res, in
}

func TestHeadersThatTakeForEver(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.handler = func(http.ResponseWriter, *http.Request) { t.Error("there was no request") }
		c := w.dial()
		send(t, c, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
		if got := endOf(t, c); got != headerTime {
			t.Errorf("the connection was kept for %v, want %v", got, headerTime)
		}
	})
}

// A body that comes byte by byte is given up as a whole after its time, whether it is announced, in pieces, or not even
// read.
func TestBodiesThatTakeForEver(t *testing.T) {
	for name, begin := range map[string]string{
		"announced": "POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
		"in pieces": "POST /read HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n",
		"unread":    "POST /leave HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				failed := make(chan error, 1)
				w.handler = func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/leave" {
						return
					}
					_, err := io.ReadAll(r.Body)
					failed <- err
				}
				c := w.dial()
				send(t, c, begin)
				from := time.Now()
				var slow sync.WaitGroup
				slow.Go(func() {
					for {
						time.Sleep(bodyTime / 8)
						if _, err := io.WriteString(c, "x"); err != nil {
							return
						}
					}
				})
				endOf(t, c)
				if got := time.Since(from).Truncate(time.Second); got != bodyTime {
					t.Errorf("the connection was kept for %v, want %v", got, bodyTime)
				}
				slow.Wait()
				if name != "unread" {
					var timeout net.Error
					if err := <-failed; !errors.As(err, &timeout) || !timeout.Timeout() {
						t.Errorf("the handler read %v, want a timeout", err)
					}
				}
			})
		})
	}
}

// A stream outlasts every limit there is, silent or not, and its context ends when its client goes.
func TestStreamsLast(t *testing.T) {
	for name, request := range map[string]string{
		"of a POST": "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody",
		"of a GET":  "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				gone := make(chan time.Time, 1)
				w.handler = func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err != nil {
						t.Error(err)
					}
					for _, silence := range []time.Duration{0, time.Second, time.Minute, time.Hour, 24 * time.Hour} {
						time.Sleep(silence)
						if r.Context().Err() != nil {
							t.Errorf("the request ended within %v of silence", silence)
						}
						_, _ = io.WriteString(w, "data: "+silence.String()+"\n")
						if err := http.NewResponseController(w).Flush(); err != nil {
							t.Errorf("after %v: %v", silence, err)
						}
					}
					<-r.Context().Done()
					gone <- time.Now()
				}
				c := w.dial()
				send(t, c, request)
				res, _ := answer(t, c)
				lines := bufio.NewScanner(res.Body)
				for i := range 5 {
					if !lines.Scan() || !strings.HasPrefix(lines.Text(), "data: ") {
						t.Fatalf("event %d is %q, %v", i, lines.Text(), lines.Err())
					}
				}
				left := time.Now()
				c.Close()
				if after := (<-gone).Sub(left); after != 0 {
					t.Errorf("the request ended %v after its client", after)
				}
			})
		})
	}
}

func TestClientsThatDoNotRead(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ended := make(chan time.Duration, 1)
		w.handler = func(w http.ResponseWriter, r *http.Request) {
			from := time.Now()
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					break
				}
			}
			ended <- time.Since(from)
		}
		send(t, w.dial(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if got := <-ended; got != writeTime {
			t.Errorf("the handler was held for %v, want %v", got, writeTime)
		}
	})
}

// The time to take a piece begins when it is sent, however long it lay in the server's buffers.
func TestPiecesThatAreSentLate(t *testing.T) {
	late := map[string]func(w http.ResponseWriter){
		"by the end":       func(http.ResponseWriter) {},
		"by a flush":       func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush(); time.Sleep(time.Hour) },
		"by another piece": func(w http.ResponseWriter) { _, _ = w.Write(make([]byte, 1<<16)) },
	}
	for name, send2 := range late {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.handler = func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.WriteString(w, "piece")
					time.Sleep(time.Hour)
					send2(w)
				}
				c := w.dial()
				send(t, c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
				res, _ := answer(t, c)
				if body, err := io.ReadAll(res.Body); !strings.HasPrefix(string(body), "piece") || err != nil {
					t.Errorf("%q, %v", body, err)
				}
			})
		})
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.handler = func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }
		c := w.dial()
		for range 3 {
			send(t, c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody")
			res, _ := answer(t, c)
			if body, err := io.ReadAll(res.Body); string(body) != "body" || err != nil {
				t.Fatalf("%q, %v", body, err)
			}
			time.Sleep(idleTime - time.Second)
		}
		if got := endOf(t, c); got != time.Second {
			t.Errorf("an idle connection was kept for %v longer, want 1s", got)
		}
	})
}

func TestHowItEnds(t *testing.T) {
	const get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	work := func(d time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if time.Sleep(d); r.Context().Err() == nil {
				_, _ = io.WriteString(w, "done")
			}
		}
	}
	stream := func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		_, _ = io.WriteString(w, "bye")
	}
	const look = 500 * time.Millisecond // how often net/http looks at the latest whether all have ended
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		request string // "" opens a connection and sends nothing
		most    time.Duration
		body    string
		fails   string
	}{
		{"nothing to do", work(0), get, 0, "done", ""},
		{"a connection opened in advance", work(0), "", cutTime, "", ""},
		{"work that finishes", work(finishTime / 2), get, finishTime/2 + look, "done", ""},
		{"a stream", stream, get, finishTime + look, "bye", ""},
		{"work that does not listen", work(time.Hour), get, cutTime, "", "1 requests did not end within 3s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.handler = c.handler
				conn := w.dial()
				got := make(chan string, 1)
				go func() {
					defer close(got)
					if c.request == "" {
						return
					}
					if _, err := io.WriteString(conn, c.request); err != nil {
						return
					}
					if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
						body, _ := io.ReadAll(res.Body)
						got <- string(body)
					}
				}()
				synctest.Wait()
				from := time.Now()
				w.cancel()
				err := <-w.done
				if took := time.Since(from); took > c.most {
					t.Errorf("it took %v to end, want at most %v", took, c.most)
				}
				if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
					t.Errorf("Serve returned %v, want %q", err, c.fails)
				}
				if body := <-got; body != c.body {
					t.Errorf("the client got %q, want %q", body, c.body)
				}
				conn.Close()
				time.Sleep(2 * time.Hour) // until work that does not listen has ended as well
			})
		})
	}
}

func TestListenerThatFails(t *testing.T) {
	p := newPipes()
	p.Close()
	if err := Serve(t.Context(), p, http.NotFoundHandler(), slog.New(slog.DiscardHandler)); err == nil || !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve returned %v", err)
	}
}
