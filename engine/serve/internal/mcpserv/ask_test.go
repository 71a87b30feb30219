package mcpserv

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var portAsked = map[string]any{"nodeId": signIn, "event": "Which port?", "question": true}

func given(text string) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{answer: text}}
}

// open returns the open questions of the ready list, and how often the file of Sign-in has the question of these tests.
func (w *world) open() (questions []any, written int) {
	w.Helper()
	text := w.read(signInFile)
	for _, n := range items(w.connect(nil).do("node_next", map[string]any{"blocked": true, "verbose": true})["nodes"]) {
		questions = append(questions, items(n.(map[string]any)["questions"])...)
	}
	return questions, strings.Count(text, "[AI] ? Which port?")
}

// If a person answers in the client, the answer is recorded as theirs, unblocks the node, and is in the reply.
// Otherwise the question stays open, and the reply says how to answer it. The question is written once.
func TestAPersonAnswersInTheClient(t *testing.T) {
	for _, version := range []string{"", legacy} {
		for name, r := range map[string]*mcp.ElicitResult{
			"8443": given(" 8443\n"), "declined": {Action: "decline"}, "cancelled": {Action: "cancel"}, "blank": given(" "),
			"cannot": nil,
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				w := newWorld(t, Options{})
				var shown []string
				opt := asked(&shown, r)
				if r == nil {
					opt = nil
				}
				out := w.connectAs(version, opt).do("log_append", portAsked)
				questions, written := w.open()
				if written != 1 {
					t.Errorf("the question is written %d times", written)
				}
				if r != nil && (len(shown) != 1 || !strings.Contains(shown[0], "Which port?") || !strings.Contains(shown[0], signIn)) {
					t.Errorf("the person is asked %q", shown)
				}
				if name == "8443" {
					if out["answer"] != name || out["hint"] != nil || len(questions) > 0 {
						t.Errorf("the reply is %v, and open are %v", out, questions)
					}
					log := fmt.Sprint(w.connect(nil).do("context_get", map[string]any{"nodeId": signIn}))
					if !strings.Contains(log, "event:! re ") || !strings.Contains(log, " 8443 operator:Human") {
						t.Errorf("the context is %s", log)
					}
				} else if hint, _ := out["hint"].(string); out["answer"] != nil || len(questions) != 1 ||
					!strings.Contains(hint, "arbor log signin -m '! ") {
					t.Errorf("the reply is %v, and open are %v", out, questions)
				}
			})
		}
	}
}

// Nobody is asked in a dry run, or for a log entry that is no question.
func TestOnlyQuestionsAreAsked(t *testing.T) {
	w := newWorld(t, Options{})
	var shown []string
	p := w.connect(asked(&shown, given("8443")))
	p.do("log_append", map[string]any{"nodeId": signIn, "event": "Which port?", "question": true, "dryRun": true})
	p.do("log_append", map[string]any{"nodeId": signIn, "event": "? Which port?"})
	if len(shown) != 0 {
		t.Errorf("the person is asked %q", shown)
	}
}

// A repeated call with the answer to its question records it. With the answer to another question, it asks again.
func TestARepeatedCallBringsTheAnswer(t *testing.T) {
	w := newWorld(t, Options{})
	opt := asked(new([]string), given("unused"))
	opt.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	p := w.connect(opt)
	first := p.try("log_append", portAsked)
	if len(first.InputRequests) != 1 {
		t.Fatalf("no question is put: %+v", first)
	}
	repeat := func(args map[string]any, state string) *mcp.CallToolResult {
		r, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "log_append", Arguments: args, RequestState: state,
			InputResponses: mcp.InputResponseMap{asking: given("8443")}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, state := range []string{"", "{}", `{"Node":"` + signIn + `","Time":"now","Text":"Another?"}`, first.RequestState} {
		other := repeat(map[string]any{"nodeId": signIn, "event": "Another?", "question": true, "dryRun": true}, state)
		if dataOf(t, other)["answer"] != nil {
			t.Errorf("with the state %q another question has the answer", state)
		}
	}
	if out := dataOf(t, repeat(portAsked, first.RequestState)); out["answer"] != "8443" {
		t.Errorf("the reply is %v", out)
	}
	if open, written := w.open(); len(open) != 0 || written != 1 {
		t.Errorf("open are %v; the question is written %d times", open, written)
	}
}

// If a client never answers, it gets the reply at the end of Patience, and the question is withdrawn if it was put.
func TestAQuestionWaitsNotForEver(t *testing.T) {
	for limit := time.Millisecond; ; limit *= 4 { // a busy machine may not come to put the question in time
		w := newWorld(t, Options{Patience: limit})
		put, withdrawn := make(chan struct{}), make(chan struct{})
		p := w.connectAs(legacy, &mcp.ClientOptions{
			ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				close(put)
				<-ctx.Done()
				close(withdrawn)
				return nil, ctx.Err()
			}})
		if out := p.do("log_append", portAsked); out["answer"] != nil || out["hint"] == nil {
			t.Errorf("the reply is %v", out)
		}
		if open, written := w.open(); len(open) != 1 || written != 1 {
			t.Errorf("open are %v; the question is written %d times", open, written)
		}
		select {
		case <-put:
		default:
			if limit < time.Minute {
				continue
			}
		}
		await(t, withdrawn, "the end of the question")
		return
	}
}

// While a question waits for a person, other calls of the connection are carried out.
func TestAQuestionHoldsUpNoOtherCall(t *testing.T) {
	w := newWorld(t, Options{Patience: patience})
	c := w.wired(`{"elicitation":{}}`)
	c.call(1, "log_append", portAsked)
	question := c.next("elicitation/create")
	c.send("%s", appendCall(2, "while a person thinks"))
	c.next("2")
	c.send(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"answer":"8443"}}}`, question.ID)
	if m := c.next("1"); !strings.Contains(string(m.Result), `"answer":"8443"`) {
		t.Errorf("the call that asked is answered with %s", m.Result)
	}
	c.close()
}

// Over HTTP a client cannot prove that a person answers, so nobody is asked.
func TestNobodyIsAskedOverHTTP(t *testing.T) {
	for _, version := range []string{legacy, modern} {
		w := newWorld(t, Options{})
		e := w.server.Endpoint()
		s := httptest.NewServer(e)
		defer s.Close()
		defer e.Shutdown(context.Background())
		var shown []string
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, asked(&shown, given("8443")))
		c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL},
			&mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		out := (&peer{T: t, ClientSession: c, server: w.server}).do("log_append", portAsked)
		if open, _ := w.open(); len(open) != 1 || out["answer"] != nil || out["hint"] == nil || len(shown) > 0 {
			t.Errorf("%s: the reply is %v, open are %v, the person is asked %q", version, out, open, shown)
		}
	}
}

// Who completes a node with an open question is told that nobody answers it any more.
func TestCompletionTellsOfAnOpenQuestion(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.connect(nil)
	p.do("log_append", portAsked)
	out := p.do("node_transition", map[string]any{"nodeId": signIn, "action": "complete", "conclusion": "8443"})
	if !strings.Contains(fmt.Sprint(out["warnings"]), "Which port?") {
		t.Errorf("the reply is %v", out)
	}
}
