package mcpserv

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func idOf(t *testing.T, word string) jsonrpc.ID {
	t.Helper()
	id, err := jsonrpc.MakeID(word)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestCallsKeepTheirOrder sends and answers calls, and checks which ones start. A step is "events -> starts". Events:
// r1, w2 and p3 are a reading call, a writing call and a ping that arrive; -1 is an answer; x2 cancels; n is a
// notification; ?q is a question to the client, !q its answer; end is the end of the client's stream.
func TestCallsKeepTheirOrder(t *testing.T) {
	many := func(from, to int) string {
		var words []string
		for i := from; i <= to; i++ {
			words = append(words, fmt.Sprintf("r%d", i))
		}
		return strings.Join(words, " ")
	}
	for name, steps := range map[string][]string{
		"reads run side by side":                   {"r1 r2 r3 -> r1 r2 r3", "r4 -> r4"},
		"a read waits for the write before it":     {"w1 r2 r3 -> w1", "-1 -> r2 r3"},
		"a write waits for the reads before it":    {"r1 r2 w3 -> r1 r2", "-1 ->", "-2 -> w3"},
		"a read does not overtake a waiting write": {"r1 w2 r3 -> r1", "-1 -> w2", "-2 -> r3"},
		"writes run one after another":             {"w1 w2 w3 -> w1", "-1 -> w2", "-2 -> w3"},
		"pings and notifications do not wait":      {"w1 w2 p3 n -> w1 p3 n", "-3 ->", "-1 -> w2"},
		"a cancelled call does not start":          {"w1 w2 r3 -> w1", "x2 -> x2", "-1 -> r3"},
		"a running call that is cancelled ends":    {"w1 r2 -> w1", "x1 -> x1", "-1 -> r2"},
		"64 calls run at once":                     {many(1, 70) + " -> " + many(1, 64), "-7 -> r65", "-1 -2 -> r66 r67"},
		"calls are answered before the end":        {"w1 r2 end -> w1", "-1 -> r2", "-2 -> end"},
		"a ping is answered before the end":        {"p1 end -> p1", "-1 -> end"},
		"no call waits for a client that is gone":  {"w1 r2 -> w1", "?q end -> end"},
		"a call goes on with the client's answer":  {"w1 r2 -> w1", "?q !q end -> !q", "-1 -> r2", "-2 -> end"},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { testOrder(t, steps) }) })
	}
}

func testOrder(t *testing.T, steps []string) {
	in, client := io.Pipe()
	c := newOrderedConn(in, io.Discard)
	arrives := func(m jsonrpc.Message) {
		line, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			t.Fatal(err)
		}
		client.Write(append(line, '\n'))
	}
	var started []string
	go func() {
		for {
			m, err := c.Read(t.Context())
			switch m := m.(type) {
			case nil:
				started = append(started, "end")
				if err != io.EOF {
					t.Errorf("the connection ends with %v", err)
				}
				return
			case *jsonrpc.Response:
				started = append(started, "!"+m.ID.Raw().(string))
			case *jsonrpc.Request:
				switch id, _ := m.ID.Raw().(string); {
				case !m.IsCall() && m.Method == "tools/call":
					started = append(started, "n")
				case m.Method == "tools/call":
					started = append(started, map[bool]string{true: "w", false: "r"}[accessOf(m) == writes]+id)
				case m.Method == "ping":
					started = append(started, "p"+id)
				default:
					id, _ = strings.CutPrefix(string(m.Params), `{"requestId":"`)
					started = append(started, "x"+strings.TrimSuffix(id, `"}`))
				}
			}
		}
	}()
	ended := false
	for _, step := range steps {
		events, want, _ := strings.Cut(step, "->")
		started = nil
		for _, e := range strings.Fields(events) {
			tool := func(name string) *jsonrpc.Request {
				return &jsonrpc.Request{ID: idOf(t, e[1:]), Method: "tools/call", Params: []byte(`{"name":"` + name + `"}`)}
			}
			switch {
			case e == "end":
				client.Close()
				ended = true
			case e == "n": // a notification with the method of a call
				arrives(&jsonrpc.Request{Method: "tools/call", Params: []byte(`{"name":"node_update"}`)})
			case e[0] == 'r':
				arrives(tool("node_get"))
			case e[0] == 'w':
				arrives(tool("node_update"))
			case e[0] == 'p':
				arrives(&jsonrpc.Request{ID: idOf(t, e[1:]), Method: "ping"})
			case e[0] == 'x':
				arrives(&jsonrpc.Request{Method: "notifications/cancelled", Params: []byte(`{"requestId":"` + e[1:] + `"}`)})
			case e[0] == '!':
				arrives(&jsonrpc.Response{ID: idOf(t, e[1:])})
			case e[0] == '?':
				c.Write(t.Context(), &jsonrpc.Request{ID: idOf(t, e[1:]), Method: "elicitation/create"})
			case e[0] == '-':
				c.Write(t.Context(), &jsonrpc.Response{ID: idOf(t, e[1:])})
			}
		}
		synctest.Wait()
		if got := strings.Join(started, " "); got != strings.TrimSpace(want) {
			t.Errorf("after %q started %q, want %q", events, got, strings.TrimSpace(want))
		}
	}
	if c.Close(); !ended {
		client.Close()
	}
	synctest.Wait()
}

// If a client sends calls and reads no answers, the server stops reading from it, as each waiting call takes memory.
func TestCallsWithoutAnswersAreNotReadForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		c := newOrderedConn(in, io.Discard)
		var sent atomic.Int64
		go func() {
			for i := 1; i <= 3*maxPending; i++ {
				method := []string{"ping", "tools/call"}[i%2]
				if _, err := fmt.Fprintf(client, `{"jsonrpc":"2.0","id":"%d","method":%q}`+"\n", i, method); err != nil {
					return
				}
				sent.Store(int64(i))
			}
		}()
		synctest.Wait()
		if n := sent.Load(); n != maxPending {
			t.Errorf("%d calls are read, want %d", n, maxPending)
		}
		for range 10 {
			m, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Write(t.Context(), &jsonrpc.Response{ID: m.(*jsonrpc.Request).ID, Result: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := sent.Load(); n != maxPending+10 {
			t.Errorf("%d calls are read after 10 answers, want %d", n, maxPending+10)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		in.Close()
		synctest.Wait()
	})
}
