package mcpserv

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
)

const requirement = "POST /login answers with a token."

func signInWith(text string) map[string]any {
	return map[string]any{"nodeId": signIn, "requirement": text}
}

// If a person has changed a text since a connection read it, in whatever way, the first replacement is refused and
// shows the person's text.
func TestConnectionsReplaceNothingUnread(t *testing.T) {
	uri := "arbor://" + planID
	for how, read := range map[string]func(p *peer){
		"node_get":         func(p *peer) { p.do("node_get", map[string]any{"nodeId": signIn}) },
		"context_get":      func(p *peer) { p.do("context_get", map[string]any{"nodeId": signIn}) },
		"Markdown":         func(p *peer) { p.do("context_get", map[string]any{"nodeId": signIn, "format": "markdown"}) },
		"resource":         func(p *peer) { read(p.T, p.ClientSession, uri+"/nodes/"+signIn) },
		"context resource": func(p *peer) { read(p.T, p.ClientSession, uri+"/context/"+signIn) },
		"prompt": func(p *peer) {
			getPrompt(p.T, p.ClientSession, "work-on-node", map[string]string{"node": signIn})
		},
		"session_bind": func(p *peer) {
			p.do("node_get", map[string]any{"nodeId": signIn})
			p.do("session_bind", map[string]any{"sessionId": "s-1", "workspaceId": planID})
		},
	} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t, Options{})
			p := w.connect(nil)
			read(p)
			persons := "POST /login answers with <a token>.\nSo \"much\" is:\n\n" +
				strings.Repeat("- clear & agreed\n", 200) + "- at the end"
			w.edit(signInFile, requirement, persons)
			text := p.refused(errs.Conflicting, "node_update", signInWith("mine"))
			if !strings.Contains(text, "> "+strings.ReplaceAll(persons, "\n", "\n> ")) {
				t.Errorf("the refusal does not show the text whole:\n%s", text)
			}
			if out := p.do("node_update", signInWith("mine")); out["replaced"] != nil {
				t.Errorf("what the refusal has shown is told as unread: %v", out["replaced"])
			}
			if len(w.names(".local/replaced")) != 1 {
				t.Error("what the person wrote is not kept")
			}
		})
	}
}

// Also with small replies, a refusal has the whole text. A text of which only a part was returned does not count as
// read.
func TestSmallRepliesAndTexts(t *testing.T) {
	w := newWorld(t, Options{MaxTokens: LeastMaxTokens})
	p := w.connect(nil)
	p.do("node_get", map[string]any{"nodeId": signIn})
	persons := strings.Repeat("A person's line.\n", 300) + "The last line."
	w.edit(signInFile, requirement, persons)
	text := p.refused(errs.Conflicting, "node_update", signInWith("mine"))
	if !strings.Contains(text, "> The last line.") {
		t.Errorf("the refusal is cut: %s", text)
	}
	q := w.connect(nil)
	read(t, q.ClientSession, "arbor://"+planID+"/nodes/"+signIn)
	q.do("node_get", map[string]any{"nodeId": signIn})
	w.edit(signInFile, "The last line.", "Another line.")
	if all, _ := q.do("node_update", signInWith("mine"))["replaced"].([]any); len(all) != 1 {
		t.Errorf("a text that was cut counts as read: %v", all)
	}
}

// An HTTP request without session and connection is never refused; the reply has the text that it replaced.
func TestRequestsWithoutSessionAreTold(t *testing.T) {
	w := newWorld(t, Options{Workspace: planID})
	e := w.server.Endpoint()
	s := httptest.NewServer(e)
	defer s.Close()
	defer e.Shutdown(context.Background())
	transport := &mcp.StreamableClientTransport{Endpoint: s.URL}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p := &peer{T: t, ClientSession: c, server: w.server}
	p.do("node_get", map[string]any{"nodeId": signIn})
	w.edit(signInFile, requirement, "A person's requirement.")
	all, _ := p.do("node_update", signInWith("mine"))["replaced"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["text"] != "A person's requirement." {
		t.Errorf("replaced is %v", all)
	}
	if n := len(w.names(".local/texts")); n > 0 {
		t.Errorf("%d files tell what a request without session has read", n)
	}
}
