package mcpserv

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"arbor/mdstore"
)

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// talk sends lines to a server, waits for its end, and returns its answers by id.
func (w *world) talk(lines ...string) map[string]json.RawMessage {
	w.Helper()
	var out bytes.Buffer
	in := hello + strings.Join(lines, "\n") + "\n"
	if err := w.server.Stdio(w.Context(), strings.NewReader(in), &out); err != nil {
		w.Fatal(err)
	}
	return w.answers(out.String())
}

// answers reads the output of a server, which must be one message per line.
func (w *world) answers(out string) map[string]json.RawMessage {
	w.Helper()
	all := map[string]json.RawMessage{}
	for line := range strings.Lines(out) {
		var m struct {
			JSONRPC string
			ID      json.RawMessage
			Result  json.RawMessage
			Error   json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" || !strings.HasSuffix(line, "\n") {
			w.Fatalf("the server writes %q", line)
		}
		if all[string(m.ID)] != nil && string(m.ID) != "null" {
			w.Errorf("%s is answered twice", m.ID)
		}
		all[string(m.ID)] = append(m.Result, m.Error...)
	}
	return all
}

func appendCall(id int, event string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"log_append","arguments":{"nodeId":%q,"operator":"AI","event":%q}}}`, id, signIn, event)
}

// Calls that still run when the input ends are all answered. Their log entries are in the file in the order of the
// calls.
func TestPipelinedCallsAreAnsweredAndKeepTheirOrder(t *testing.T) {
	w := newWorld(t, Options{})
	var lines []string
	for i := range 100 {
		lines = append(lines, appendCall(i, fmt.Sprintf("entry %d.", i)))
	}
	got := w.talk(lines...)
	data := w.read(signInFile)
	last := -1
	for i := range 100 {
		if answer := string(got[fmt.Sprint(i)]); !strings.Contains(answer, `"success":true`) {
			t.Errorf("call %d is answered with %q", i, answer)
		}
		entry := fmt.Sprintf("entry %d.\n", i)
		if n := strings.Count(string(data), entry); n != 1 {
			t.Errorf("entry %d is there %d times", i, n)
		}
		if at := strings.Index(string(data), entry); at < last {
			t.Errorf("entry %d is before the one that was sent before it", i)
		} else {
			last = at
		}
	}
}

// For a line that is no message, the answer is one error; the calls before and after it succeed.
func TestBadLinesDoNotEndTheConnection(t *testing.T) {
	for name, tt := range map[string]struct{ line, id, want string }{
		"not JSON":          {`{"jsonrpc":"2.0","id":7,`, "null", "-32700"},
		"a word":            {`hello`, "null", "-32700"},
		"not UTF-8":         {"\xff\xfe", "null", "-32700"},
		"a number":          {`7`, "null", "-32600"},
		"an object":         {`{"id":7}`, "7", "-32600"},
		"no version":        {`{"id":7,"method":"ping"}`, "7", "-32600"},
		"an id of no type":  {`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, "null", "-32600"},
		"deep":              {strings.Repeat("[", 20000), "null", "-32700"},
		"deep and closed":   {`{"jsonrpc":"2.0","id":7,"method":"ping","params":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", "null", "-32700"},
		"an empty batch":    {`[]`, "null", "-32600"},
		"half a batch":      {`[{"jsonrpc":"2.0","id":7,"method":"ping"},7]`, "null", "-32600"},
		"an unknown method": {`{"jsonrpc":"2.0","id":7,"method":"vault/burn"}`, "7", "-32601"},
		"an unknown tool":   {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"vault_burn"}}`, "7", "-32602"},
		"a slip in a tool":  {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nodes_list"}}`, "7", "-32602,\"message\":\"unknown tool \\\"nodes_list\\\"; call node_list"},
		"params of no type": {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":7}`, "7", "-32602"},
		"too large":         {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"` + strings.Repeat("x", maxLine) + `"}}`, "null", "-32600"},
	} {
		t.Run(name, func(t *testing.T) {
			got := newWorld(t, Options{}).talk(appendCall(1, "before"), tt.line, "", "  ", appendCall(2, "after"))
			for _, id := range []string{"1", "2"} {
				if !strings.Contains(string(got[id]), `"success":true`) {
					t.Errorf("call %s is answered with %q", id, got[id])
				}
			}
			if answer := string(got[tt.id]); !strings.Contains(answer, `"code":`+tt.want) || len(answer) > 1000 {
				t.Errorf("the line is answered with %q, want %s", answer, tt.want)
			}
		})
	}
}

// Clients of protocol version 2025-03-26 may send batches. Each call of a batch is answered on a line of its own.
func TestEachCallOfABatchIsAnswered(t *testing.T) {
	got := newWorld(t, Options{}).talk(`[{"jsonrpc":"2.0","id":1,"method":"ping"},` + appendCall(2, "in a batch") + `]`)
	if string(got["1"]) != "{}" || !strings.Contains(string(got["2"]), `"success":true`) {
		t.Errorf("the batch is answered with %s", got)
	}
}

// If a client disappears without reading its answers, the server ends, and the vault is intact.
func TestServerEndsWhenItsClientDisappears(t *testing.T) {
	w := newWorld(t, Options{})
	in, client := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- w.server.Stdio(t.Context(), in, out) }()
	go func() {
		io.WriteString(client, hello)
		for i := range 50 {
			io.WriteString(client, appendCall(i, "x")+"\n")
		}
	}()
	if _, err := bufio.NewReader(answers).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	answers.Close()
	client.Close()
	await(t, done, "the end of the server")
	if _, ds, err := w.engine.Check(t.Context(), planID); err != nil || len(ds) > 3 { // of the damaged file
		t.Errorf("afterwards: %v, %v", ds, err)
	}
	for _, p := range []mdstore.Path{signInFile.Dir(), planID} {
		for _, name := range w.names(string(p)) {
			if strings.HasPrefix(name, ".") {
				t.Errorf("%s/%s is left", p, name)
			}
		}
	}
}

// If a client disappears while it is asked a question, the server ends.
func TestServerEndsWhenItsClientDisappearsWhileAsked(t *testing.T) {
	w := newWorld(t, Options{})
	in, client := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- w.server.Stdio(t.Context(), in, out) }()
	go func() {
		io.WriteString(client, strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
		fmt.Fprintf(client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"node_delete","arguments":{"nodeId":%q}}}`+"\n", signIn)
	}()
	lines := bufio.NewReader(answers)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "elicitation/create") {
			break
		}
	}
	client.Close()
	go io.Copy(io.Discard, lines)
	await(t, done, "the end of the server")
	if _, err := w.engine.View(t.Context(), planID); err != nil {
		t.Fatal(err)
	}
	if len(w.names(string(signInFile.Dir()))) == 0 {
		t.Error("the node is gone, though no one agreed")
	}
}

// The server ends with its context, also if the client keeps its end open.
func TestStdioEndsWithItsContext(t *testing.T) {
	w := newWorld(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	in, client := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- w.server.Stdio(ctx, in, io.Discard) }()
	io.WriteString(client, hello)
	cancel() // the client still has its end open
	if err := await(t, done, "the end of the server"); err != nil {
		t.Errorf("it ends with %v", err)
	}
	w.server.Close()
	client.Close()
}
