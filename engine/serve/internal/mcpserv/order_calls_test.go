package mcpserv

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// While a writing call waits for a person's answer, only the calls after it wait: a ping is answered, a list of tools
// is sent, and the person's answer arrives. A waiting call that is cancelled is never carried out.
func TestOnlyCallsWaitForAWritingCall(t *testing.T) {
	w := newWorld(t, Options{})
	in, client := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- w.server.Stdio(t.Context(), in, out) }()
	lines := bufio.NewReader(fromServer)
	var order []string
	next := func() (id string) {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m.Method == "elicitation/create" {
			return "question " + string(m.ID)
		}
		order = append(order, string(m.ID))
		return string(m.ID)
	}
	send := func(format string, a ...any) {
		if _, err := fmt.Fprintf(client, format+"\n", a...); err != nil {
			t.Fatal(err)
		}
	}
	send("%s", strings.TrimSpace(strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)))
	next()
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"node_delete","arguments":{"nodeId":%q}}}`, signIn)
	question, _ := strings.CutPrefix(next(), "question ")
	send("%s", appendCall(2, "cancelled while it waits"))
	send("%s", appendCall(3, "after the answer"))
	send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"node_get","arguments":{"nodeId":%q}}}`, signIn)
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	next()
	send(`{"jsonrpc":"2.0","id":6,"method":"tools/list"}`)
	next()
	send(`{"jsonrpc":"2.0","id":%s,"result":{"action":"decline"}}`, question)
	next()
	next()
	next()
	if want := []string{`"hello"`, "5", "6", "1", "3", "4"}; !slices.Equal(order, want) {
		t.Errorf("answered are %v, want %v", order, want)
	}
	client.Close()
	if err := await(t, ended, "the end of the server, which has no more to say"); err != nil {
		t.Error(err)
	}
	if data := w.read(signInFile); strings.Contains(data, "cancelled while") || !strings.Contains(data, "after the answer") {
		t.Errorf("the file says\n%s", data)
	}
}

// Two reading calls run at the same time: each of them waits until the other one has started.
func TestReadingCallsRunSideBySide(t *testing.T) {
	w := newWorld(t, Options{})
	both := make(chan struct{}, 2)
	met := make(chan struct{})
	w.server.mcp.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/call" {
				both <- struct{}{}
				<-met
			}
			return next(ctx, method, req)
		}
	})
	go func() {
		<-both
		<-both
		close(met)
	}()
	read := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"node_get","arguments":{"nodeId":"` + signIn + `"}}}`
	got := w.talk(fmt.Sprintf(read, 1), fmt.Sprintf(read, 2))
	for _, id := range []string{"1", "2"} {
		if strings.Contains(string(got[id]), `"isError"`) || !strings.Contains(string(got[id]), `"title"`) {
			t.Errorf("call %s is answered with %s", id, got[id])
		}
	}
}

// Over HTTP, calls do not wait for each other, also in the session of an older client.
func TestRequestsOverHTTPStandAlone(t *testing.T) {
	w := newWorld(t, Options{})
	e := w.server.Endpoint()
	s := httptest.NewServer(e)
	defer s.Close()
	defer e.Shutdown(context.Background())
	asked, answer := make(chan struct{}), make(chan struct{})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			close(asked)
			<-answer
			return &mcp.ElicitResult{Action: "decline"}, nil
		}})
	c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL},
		&mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p := &peer{T: t, ClientSession: c, server: w.server}
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "node_delete", Arguments: map[string]any{"nodeId": signIn}})
		done <- err
	}()
	await(t, asked, "the question")
	p.do("log_append", map[string]any{"nodeId": signIn, "event": "while a person is asked"})
	p.do("node_get", map[string]any{"nodeId": signIn})
	close(answer)
	if err := await(t, done, "the answer"); err != nil {
		t.Error(err)
	}
}
