package mcpserv

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// A wired client speaks to a server over pipes, one message after the other.
type wired struct {
	*testing.T
	to    io.WriteCloser
	from  *bufio.Reader
	ended chan error
}

type message struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
}

// wired returns a client with these capabilities that has said hello.
func (w *world) wired(capabilities string) *wired {
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &wired{w.T, to, bufio.NewReader(from), make(chan error, 1)}
	go func() { c.ended <- w.server.Stdio(w.Context(), in, out) }()
	c.send("%s", strings.TrimSpace(strings.Replace(hello, `"capabilities":{}`, `"capabilities":`+capabilities, 1)))
	c.next(`"hello"`)
	return c
}

func (c *wired) send(format string, a ...any) {
	c.Helper()
	if _, err := fmt.Fprintf(c.to, format+"\n", a...); err != nil {
		c.Fatal(err)
	}
}

func (c *wired) call(id int, tool string, args map[string]any) {
	c.Helper()
	given, err := json.Marshal(args)
	if err != nil {
		c.Fatal(err)
	}
	c.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, given)
}

// next returns the next message of the server, which has to be a request of that method, or the answer to that id.
func (c *wired) next(want string) (m message) {
	c.Helper()
	line, err := c.from.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), &m)
	}
	if err != nil {
		c.Fatal(err)
	}
	if m.Method != want && string(m.ID) != want {
		c.Fatalf("instead of %s comes %s", want, line)
	}
	return m
}

func (c *wired) close() {
	c.Helper()
	c.to.Close()
	if err := await(c.T, c.ended, "the end of the server"); err != nil {
		c.Error(err)
	}
}

var bWritten = map[string]any{"environment": "app", "path": "b.txt", "content": "x"}

// While a person is asked in the client whether a call may run, other calls of the connection are carried out.
func TestAnApprovalInTheClientHoldsUpNoOtherCall(t *testing.T) {
	w, _ := newPlace(t, "restricted", patience)
	c := w.wired(`{"elicitation":{}}`)
	c.call(1, "env_attach", map[string]any{"id": "app"})
	c.next("1")
	c.call(2, "file_write", bWritten)
	question := c.next("elicitation/create")
	c.send("%s", appendCall(3, "while a person thinks"))
	c.next("3")
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"answer":%q}}}`, question.ID, once)
	if m := c.next("2"); !strings.Contains(string(m.Result), "b.txt") {
		t.Errorf("the approved call is answered with %s", m.Result)
	}
	c.close()
}

// While a call waits for a person at a terminal, other calls of the connection are carried out.
func TestAnApprovalElsewhereHoldsUpNoOtherCall(t *testing.T) {
	w, person := newPlace(t, "restricted", patience)
	c := w.wired(`{}`)
	c.call(1, "env_attach", map[string]any{"id": "app"})
	c.next("1")
	c.call(2, "file_write", bWritten)
	c.send("%s", appendCall(3, "while a person is away"))
	c.next("3")
	all, err := ops.ApprovalList(t.Context(), person, ops.ApprovalListIn{})
	if err != nil || len(all.Requests) != 1 {
		t.Fatalf("%d requests, %v", len(all.Requests), err)
	}
	if _, err := ops.Approve(t.Context(), person, ops.ApproveIn{ID: all.Requests[0].ID}); err != nil {
		t.Fatal(err)
	}
	if m := c.next("2"); !strings.Contains(string(m.Result), "b.txt") {
		t.Errorf("the approved call is answered with %s", m.Result)
	}
	c.close()
}

// A connection without a session with a file gets one when it first needs it, and continues as it, also where the call
// fails.
func TestAConnectionGetsASessionWhenItNeedsOne(t *testing.T) {
	for first, args := range map[string]map[string]any{
		"env_attach": {"id": "app"},
		"file_write": {"path": "Notes/mine.md", "content": "own"},
		"file_read":  {"path": "Notes/none.md"},
	} {
		t.Run(first, func(t *testing.T) {
			w, _ := newPlace(t, "full", -1)
			p := w.connect(nil)
			p.try(first, args)
			p.do("env_attach", map[string]any{"id": "app"})
			if out := p.do("file_write", map[string]any{"path": "b.txt", "content": "x"}); out["environment"] != "app" {
				t.Errorf("the file is written in %v", out)
			}
			if out := p.do("file_write", map[string]any{"path": "Notes/b.md", "content": "x"}); out["environment"] == "app" {
				t.Errorf("a note is written in %v", out)
			}
			p.do("session_note", map[string]any{"text": "one session"})
			if all := items(p.do("session_list", nil)["sessions"]); len(all) != 1 {
				t.Errorf("the sessions are %v", all)
			}
			looker := w.connect(nil)
			looker.do("env_list", nil)
			looker.do("tool_list", nil)
			if all := items(looker.do("session_list", nil)["sessions"]); len(all) != 1 {
				t.Errorf("a client that only looks made a session: %v", all)
			}
		})
	}
}

// An assistant that attaches an environment which nobody trusts asks for that: in the client, if it can ask, and else
// the reply says what a person types. Whatever the person says, it is attached, and the person is not asked again.
func TestAttachingAsksForTrust(t *testing.T) {
	for _, version := range []string{"", legacy} {
		for chosen, status := range map[string]any{once: nil, no: "untrusted", "cancel": "untrusted", "": "untrusted"} {
			t.Run(version+" "+chosen, func(t *testing.T) {
				w, person := newPlace(t, "restricted", -1)
				if _, err := ops.EnvRemove(t.Context(), person, ops.EnvRemoveIn{ID: "app"}); err != nil {
					t.Fatal(err)
				}
				var questions []string
				opt := chooses(&questions, chosen)
				if chosen == "" {
					opt = nil
				}
				p := w.connectAs(version, opt)
				p.do("env_register", map[string]any{"uri": "file:.", "id": "app"})
				out := p.do("env_attach", map[string]any{"id": "app"})
				if hint, _ := out["hint"].(string); out["status"] != status || status != nil && !strings.Contains(hint, "arbor env ") {
					t.Errorf("the reply is %v", out)
				}
				if want := map[string]int{once: 1, no: 1, "cancel": 2, "": 0}[chosen]; len(questions) != want {
					t.Errorf("the questions are %q", questions)
				}
				read := p.try("file_read", map[string]any{"path": "src/a.go"})
				if read.IsError != (status != nil) {
					t.Errorf("file_read: %v", read.Content)
				}
			})
		}
	}
}

// A connection that has bound a session keeps its id and its focus when the session gets a file, and finds both the next
// day, with what is attached. A call that is refused makes no session.
func TestABoundSessionGetsItsFile(t *testing.T) {
	w, _ := newPlace(t, "full", -1)
	p := w.connect(nil)
	p.do("session_bind", map[string]any{"sessionId": "mine"})
	p.do("context_focus", map[string]any{"nodeId": signIn})
	p.refused(errs.EnvironmentNotFound, "env_attach", map[string]any{"id": "none"})
	if all := items(p.do("session_list", nil)["sessions"]); len(all) != 0 {
		t.Errorf("a refused call made the sessions %v", all)
	}
	p.do("env_attach", map[string]any{"id": "app"})
	if out := p.do("log_append", map[string]any{"event": "attached"}); !strings.Contains(fmt.Sprint(out["hint"]), "the focus") {
		t.Errorf("the focus is lost: %v", out)
	}
	p.do("workspace_init", map[string]any{"name": "Another", "goal": "g"})
	p.Close()
	again := w.connect(nil)
	eventually(t, "the session is free", func() bool { return !again.try("session_bind", map[string]any{"sessionId": "mine"}).IsError })
	if out := again.do("file_read", map[string]any{"path": "src/a.go"}); out["environment"] != "app" {
		t.Errorf("the next day a file is read in %v", out["environment"])
	}
	if out := again.do("session_status", nil); !strings.HasSuffix(fmt.Sprint(out["focusedNodeId"]), signIn) && !strings.HasSuffix(signIn, fmt.Sprint(out["focusedNodeId"])) {
		t.Errorf("the next day the session is %v", out)
	}
}
