package mcpserv

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// Over HTTP, a token proves that a client may call, not that a person answers. So its answers approve nothing.
func TestAnAnswerOverHTTPDecidesNothing(t *testing.T) {
	for _, version := range []string{legacy, modern} {
		w, person := newPlace(t, "restricted", -1)
		e := w.server.Endpoint()
		s := httptest.NewServer(e)
		defer s.Close()
		defer e.Shutdown(context.Background())
		var questions []string
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, chooses(&questions, always))
		c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		p := &peer{T: t, ClientSession: c, server: w.server}
		p.do("session_start", map[string]any{"sessionId": "s1"})
		p.do("env_attach", map[string]any{"id": "app", "sessionId": "s1"})
		p.refused(errs.ApprovalPending, "file_write", map[string]any{"sessionId": "s1", "environment": "app", "path": "b.txt", "content": "x"})
		p.refused(errs.ApprovalPending, "tool_call", map[string]any{"sessionId": "s1", "environment": "app", "tool": "test"})
		all, err := ops.ApprovalList(t.Context(), person, ops.ApprovalListIn{})
		if err != nil || len(all.Requests) != 2 || len(questions) != 0 {
			t.Errorf("%s: %d requests wait, %v, after the questions %q", version, len(all.Requests), err, questions)
		}
	}
}
