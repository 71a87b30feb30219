package mcpserv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestHTTPSessionsEndWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newToy()
		e := y.endpoint()
		defer e.Shutdown(t.Context())
		idle, used, listening := begin(t, e), begin(t, e), begin(t, e)

		ctx, hangUp := context.WithCancel(t.Context())
		var stream sync.WaitGroup
		stream.Go(func() { do(e, request(ctx, "GET", "", sessionHeader, listening)) })
		for range 4 {
			time.Sleep(idleSession - time.Second)
			if !alive(t, e, used) {
				t.Fatal("a session that is used ended")
			}
		}
		if alive(t, e, idle) {
			t.Error("an idle session goes on")
		}
		time.Sleep(time.Hour)
		hangUp()
		stream.Wait()
		time.Sleep(idleSession - time.Second)
		if !alive(t, e, listening) {
			t.Error("a session ended whose client listened until just now")
		}
		time.Sleep(idleSession)
		synctest.Wait()
		if n := y.sessions(); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
	})
}

// A session does not expire while a request of it runs, even if the request came at the last moment.
func TestHTTPSessionsWithARequestDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newToy()
		e := y.endpoint()
		defer e.Shutdown(t.Context())
		id := begin(t, e)
		in := e.sessions.open[id]
		time.Sleep(idleSession - time.Nanosecond)
		in.timer.Stop() // the test expires it itself
		leave := e.sessions.enter(id)
		time.Sleep(time.Hour)
		e.sessions.expire(id, in)
		synctest.Wait()
		if !alive(t, e, id) {
			t.Error("a session ended in the middle of a request")
		}
		leave()
	})
}

// A call ends when its client is gone, also if it waits for an answer of that client.
func TestHTTPCallsEndWithTheirClient(t *testing.T) {
	call := func(tool string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":%q,"_meta":%s}}`, tool, meta)
	}
	old := func(tool string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":%q}}`, tool)
	}
	for _, c := range []struct {
		name, tool string
		after      time.Duration // since the client is gone
		end        func(t *testing.T, e *Endpoint, session string)
	}{
		{"modern", "wait", 0, nil},
		{"old, idle", "wait", idleSession, func(*testing.T, *Endpoint, string) { time.Sleep(idleSession) }},
		{"old, idle, asked", "ask", idleSession, func(*testing.T, *Endpoint, string) { time.Sleep(idleSession) }},
		{"old, leaves", "wait", 0, func(t *testing.T, e *Endpoint, session string) {
			if w := do(e, request(t.Context(), "DELETE", "", sessionHeader, session)); w.Code != http.StatusNoContent {
				t.Errorf("DELETE: %d %s", w.Code, w.Body)
			}
		}},
		{"shutdown", "wait", 0, func(t *testing.T, e *Endpoint, _ string) {
			if err := e.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y := newToy()
				e := y.endpoint()
				defer e.Shutdown(t.Context())
				ctx, vanish := context.WithCancel(t.Context())
				session, r := "", request(ctx, "POST", call(c.tool), versionHeader, modern, "Mcp-Method", "tools/call", "Mcp-Name", c.tool)
				if c.end != nil {
					session = begin(t, e)
					r = request(ctx, "POST", old(c.tool), sessionHeader, session)
				}
				var running sync.WaitGroup
				running.Go(func() { do(e, r) })
				if c.tool == "wait" {
					if got := <-y.entered; got != session {
						t.Errorf("the call is in session %q, want %q", got, session)
					}
				}
				synctest.Wait()
				vanish()
				running.Wait()
				from := time.Now()
				if c.end != nil {
					c.end(t, e, session)
				}
				if err := <-y.left; !errors.Is(err, context.Canceled) || time.Since(from) != c.after {
					t.Errorf("the call ended after %v with %v, want %v", time.Since(from), err, c.after)
				}
				synctest.Wait()
				if n := y.sessions(); n != 0 {
					t.Errorf("%d sessions are left", n)
				}
			})
		})
	}
}

func TestHTTPSessionsEndWithShutdown(t *testing.T) {
	y := newToy()
	e := y.endpoint()
	session := begin(t, e)
	for range 2 {
		if err := e.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if alive(t, e, session) || y.sessions() != 0 {
			t.Error("the session goes on")
		}
	}
}

// Shutdown waits only for a limited time for a call that ignores its context.
func TestHTTPShutdownGivesUp(t *testing.T) {
	y := newToy()
	release := make(chan struct{})
	y.AddTool(&mcp.Tool{Name: "deaf", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		y.entered <- "deaf"
		<-release
		return &mcp.CallToolResult{}, nil
	})
	e := y.endpoint()
	session := begin(t, e)
	var running sync.WaitGroup
	running.Go(func() {
		do(e, request(t.Context(), "POST", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"deaf"}}`, sessionHeader, session))
	})
	<-y.entered
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Shutdown(over); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown returned %v", err)
	}
	close(release)
	running.Wait()
	if err := e.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
