package mcpserv

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// Over HTTP, the last sign of life of a client is its last call, or the end of its stream. Its session is held for a
// minute from then, and is released at once if the client ends it.
func TestAnHTTPClientHoldsItsSessionForAMinute(t *testing.T) {
	w, c := newClocked(t, Options{})
	e := w.server.Endpoint()
	t.Cleanup(func() { _ = e.Shutdown(t.Context()) })
	call := func(id, tool, args string) string {
		t.Helper()
		r := do(e, request(t.Context(), "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args), sessionHeader, id))
		return r.Body.String()
	}
	binds := func(id string) bool {
		t.Helper()
		return !strings.Contains(call(id, "session_bind", `{"sessionId":"claude"}`), "CONFLICT")
	}
	one, two := begin(t, e), begin(t, e)
	if !binds(one) || binds(two) {
		t.Fatal("the first is refused, or the second is not")
	}
	stream := request(t.Context(), "GET", "", sessionHeader, one)
	ctx, hangUp := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() { do(e, stream.WithContext(ctx)) })
	eventually(t, "the first listens", func() bool { return e.sessions.busy(one) })
	c.tick(10 * time.Minute)
	w.server.renewNow(false)
	if binds(two) {
		t.Error("the session of a client that listens is taken")
	}
	hangUp()
	listening.Wait()
	c.tick(59 * time.Second)
	w.server.renewNow(false)
	if binds(two) {
		t.Error("a minute is not over since the first listened")
	}
	call(one, "session_status", `{}`)
	w.server.renewNow(false)
	c.tick(59 * time.Second)
	if binds(two) {
		t.Error("a minute is not over since the first called")
	}
	c.tick(2 * time.Second)
	w.server.renewNow(false)
	if !binds(two) {
		t.Error("the session of a client that is gone is held")
	}
	if text := call(one, "node_list", `{}`); !strings.Contains(text, "CONFLICT") {
		t.Errorf("the first goes on: %s", text)
	}
	do(e, request(t.Context(), "DELETE", "", sessionHeader, two))
	eventually(t, "a session is free whose client has left", func() bool { return binds(one) })
}
