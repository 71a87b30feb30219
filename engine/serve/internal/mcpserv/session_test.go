package mcpserv

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/mdstore"
)

const signIn = "node-mj2hz4gy-signin"

var signInFile = mdstore.NodePath(planID, signIn)

// Each connection has its own session. Changes of people and other clients since its last look are counted, its own are
// not.
func TestConnectionsSeeWhatOthersChanged(t *testing.T) {
	w := newWorld(t, Options{})
	p, other := w.connect(nil), w.connect(nil)
	if n := p.do("context_get", map[string]any{"nodeId": signIn})["changes"]; n != nil {
		t.Errorf("the first look counts %v changes", n)
	}
	p.do("log_append", map[string]any{"nodeId": signIn, "operator": "AI", "event": "its own"})
	if n := p.do("context_get", map[string]any{"nodeId": signIn})["changes"]; n != nil {
		t.Errorf("its own write counts as %v changes of others", n)
	}
	other.do("log_append", map[string]any{"nodeId": "root", "operator": "AI", "event": "by another client"})
	w.edit(signInFile, "POST /login answers", "POST /login politely answers")
	eventually(t, "a person's save and another client's write are counted", func() bool {
		return p.do("context_get", map[string]any{"nodeId": signIn})["changes"] == 2.0
	})
	all := items(p.do("changes_get", nil)["changes"])
	if len(all) != 2 {
		t.Fatalf("changes_get names %v", all)
	}
	hand := all[0].(map[string]any)
	if hand["nodeId"] != "signin" || hand["kind"] != nil || w.dir != "" && hand["by"] != "editor" ||
		!strings.HasPrefix(fmt.Sprint(items(hand["text"])[0]), "Requirement + POST /login politely answers") {
		t.Errorf("the save is named as %v", hand)
	}
	if left := items(p.do("changes_get", nil)["changes"]); len(left) != 0 {
		t.Errorf("a change is named twice: %v", left)
	}
}

// The session of a connection leaves no files in the vault, and ends with the connection.
func TestConnectionsLeaveNothingBehind(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.connect(nil)
	p.do("context_get", map[string]any{"nodeId": signIn})
	p.do("changes_get", nil)
	if _, err := w.engine.View(t.Context(), planID); err != nil {
		t.Fatal(err)
	}
	if list := append(w.names(".local/seen"), w.names(".local/texts")...); len(list) > 0 {
		t.Errorf("it leaves %v", list)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	w.server.Close()
	if n := len(w.server.connections.all); n != 0 {
		t.Errorf("%d connections are left", n)
	}
}

// After session_bind, a connection has that session, with its workspace and what it has seen.
func TestSessionBindBindsTheConnection(t *testing.T) {
	w := newWorld(t, Options{})
	w.save("ws-2/Workspace.md", "---\nid: ws-2\nname: Other\ngoal: g\nstatus: active\n---\n")
	w.save("ws-2/nodes/root/Node.md", "---\nid: root\ntitle: Other\ntype: planning\nstatus: pending\n---\n")
	p := w.connect(nil)
	text := p.refused(errs.AmbiguousID, "context_get", nil)
	if text == "" {
		t.Error("the refusal says nothing")
	}
	p.do("session_bind", map[string]any{"sessionId": "s-1", "workspaceId": planID, "dryRun": true})
	p.refused(errs.AmbiguousID, "context_get", nil)
	p.do("session_bind", map[string]any{"sessionId": "s-1", "workspaceId": planID})
	if ws := p.do("context_get", map[string]any{"verbose": true})["workspace"].(map[string]any); ws["id"] != planID {
		t.Errorf("the bound workspace is %v", ws["id"])
	}
	w.edit("ws-mj2hy912-plan01/nodes/root/Node.md", "title: Login", "title: Log in")
	if all := items(p.do("changes_get", nil)["changes"]); len(all) != 1 {
		t.Errorf("since the session was bound, %v changed", all)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	next := w.connect(nil) // a later connection
	eventually(t, "the session is free", func() bool {
		return !next.try("session_bind", map[string]any{"sessionId": "s-1", "workspaceId": planID}).IsError
	})
	w.edit(signInFile, "title: Sign-in endpoint", "title: Sign in")
	if all := items(next.do("changes_get", nil)["changes"]); len(all) != 1 {
		t.Errorf("since the session last looked, %v changed", all)
	}
	next.do("session_unbind", map[string]any{"sessionId": "s-1"})
	next.refused(errs.AmbiguousID, "context_get", nil)
	next.do("session_bind", map[string]any{"sessionId": "s-2", "workspaceId": "ws-2"})
	if s := next.do("session_status", map[string]any{"sessionId": "s-2"}); s["bound"] != true || s["workspaceId"] != "ws-2" {
		t.Errorf("session_status: %v", s)
	}
}

// The workspace and the session of the command line are used until a call binds others.
func TestTheCommandLineGivesDefaults(t *testing.T) {
	w := newWorld(t, Options{Workspace: "Oth", Session: "s-9"})
	w.save("ws-2/Workspace.md", "---\nid: ws-2\nname: Oth\ngoal: g\nstatus: active\n---\n")
	w.save("ws-2/nodes/root/Node.md", "---\nid: root\ntitle: Other\ntype: planning\nstatus: pending\n---\n")
	p := w.connect(nil)
	if ws := p.do("workspace_get", nil)["workspace"].(map[string]any); ws["id"] != "ws-2" {
		t.Errorf("the workspace is %v", ws["id"])
	}
	p.do("changes_get", nil)
	if len(w.names(".local/seen")) == 0 {
		t.Error("what the session of the command line has seen is not kept")
	}
	p.do("session_bind", map[string]any{"sessionId": "s-1", "workspaceId": planID})
	if ws := p.do("workspace_get", nil)["workspace"].(map[string]any); ws["id"] != planID {
		t.Errorf("after session_bind the workspace is %v", ws["id"])
	}
	// The model's id s-1 means the given session s-9, under which other programs know it.
	if _, ok, err := w.engine.Binding(t.Context(), "s-9"); !ok || err != nil {
		t.Errorf("the given session is not bound: %v", err)
	}
	if s := p.do("session_status", map[string]any{"sessionId": "s-1"}); s["bound"] != true || s["workspaceId"] != planID {
		t.Errorf("session_status: %v", s)
	}
	p.do("log_append", map[string]any{"nodeId": signIn, "operator": "AI", "event": "its own"})
	if seen, err := w.engine.Changes(t.Context(), planID, "s-9", nil); err != nil || len(seen.Differences) > 0 {
		t.Errorf("to its hooks, its own writes are those of others: %v, %v", seen, err)
	}
	p.do("session_unbind", map[string]any{"sessionId": "s-1"})
	if ws := p.do("workspace_get", nil)["workspace"].(map[string]any); ws["id"] != "ws-2" {
		t.Errorf("after session_unbind the workspace is %v", ws["id"])
	}
}

// Headers give the session and the workspace of a stateless request.
func TestHeadersNameSessionAndWorkspace(t *testing.T) {
	w := newWorld(t, Options{Session: "of the server"})
	env := w.server.env(nil, http.Header{HeaderSession: {"s-7"}, HeaderWorkspace: {planID}})
	if env.Session != "s-7" || env.Where.Workspace != planID || env.Operator != mdstore.OperatorAI {
		t.Errorf("the headers make %+v", env)
	}
	if env := w.server.env(nil, http.Header{}); env.Session != "of the server" || env.Where.Workspace != "" {
		t.Errorf("without headers: %+v", env)
	}
}

// Many connections, some of them closed during a call, leave no goroutine and no entry behind.
func TestNothingIsLeftOfManyConnections(t *testing.T) {
	w := newWorld(t, Options{})
	w.connect(nil).do("node_get", map[string]any{"nodeId": signIn}) // the first call starts watching the vault
	eventually(t, "the vault is followed", func() bool {
		w.server.subscriptions.mu.Lock()
		defer w.server.subscriptions.mu.Unlock()
		return w.server.subscriptions.workspaces != ""
	})
	before := runtime.NumGoroutine()
	rounds := 60
	if os.Getenv("ARBOR_HEAVY") != "" {
		rounds = 1000
	}
	for i := range rounds {
		here, there := mcp.NewInMemoryTransports()
		served, err := w.server.mcp.Connect(t.Context(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		version := []string{"", legacy}[i%2]
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "arbor://" + planID + "/tree"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go c.CallTool(ctx, &mcp.CallToolParams{Name: "context_get", Arguments: map[string]any{"nodeId": signIn}})
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "changes_get"}); err != nil {
			t.Fatal(err)
		}
		cancel()
		c.Close()
		served.Wait()
	}
	eventually(t, "the goroutines of connections have ended", func() bool { return runtime.NumGoroutine() <= before })
	eventually(t, "the connections are forgotten", func() bool {
		w.server.connections.mu.Lock()
		defer w.server.connections.mu.Unlock()
		return len(w.server.connections.all) == 1
	})
	eventually(t, "their subscriptions are forgotten", func() bool {
		w.server.subscriptions.mu.Lock()
		defer w.server.subscriptions.mu.Unlock()
		return len(w.server.subscriptions.wanted) == 0
	})
}
