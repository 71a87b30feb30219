package mcpserv

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
)

const appendNote = `{"name":"log_append","arguments":{"operator":"AI","event":"noted"}}`

// A connection with an identifier has its own workspace: calls that name no workspace use it.
func TestAConnectionHasTheWorkspaceOfItsIdentifier(t *testing.T) {
	w := newWorld(t, Options{})
	all := func() int {
		list, err := w.engine.Workspaces(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	before := all()
	first := openLineAs(t, w.engine, Options{Workspace: planID}, `{"sessionId":"laptop"}`)
	if all() != before {
		t.Error("a workspace is made before a call needs it")
	}
	first.ask("tools/call", appendNote)
	b, ok, err := w.engine.Binding(t.Context(), "laptop")
	if err != nil || !ok || b.WorkspaceID == planID || all() != before+1 {
		t.Fatalf("laptop is bound to %v (%v, %v); %d workspaces were made", b, ok, err, all()-before)
	}
	openLineAs(t, w.engine, Options{}, `{"sessionId":"laptop"}`).ask("tools/call", appendNote)
	openLineAs(t, w.engine, Options{Workspace: planID}, `{"sessionId":7}`).ask("tools/call", appendNote)
	openLineAs(t, w.engine, Options{Workspace: planID}, `{}`).ask("tools/call", appendNote)
	first.ask("tools/call", `{"name":"log_append","arguments":{"workspaceId":"`+planID+`","operator":"AI","event":"noted"}}`)
	v, err := w.engine.View(t.Context(), b.WorkspaceID)
	if err != nil || all() != before+1 {
		t.Fatalf("%v; %d workspaces were made", err, all()-before)
	}
	if text := string(v.Workspace().Doc.Bytes()); strings.Count(text, "noted") != 2 {
		t.Errorf("two calls in the workspace of the identifier leave %s", text)
	}
	first.ask("tools/call", `{"name":"session_bind","arguments":{"sessionId":"s","workspaceId":"`+planID+`"}}`)
	first.ask("tools/call", appendNote)
	if again, err := w.engine.View(t.Context(), b.WorkspaceID); err != nil || again.Workspace().Version != v.Workspace().Version {
		t.Errorf("session_bind does not come before the identifier: %v", err)
	}
}

func TestTheIdentifierOfAHeader(t *testing.T) {
	w := newWorld(t, Options{Workspace: "of the server"})
	env := w.server.env(nil, http.Header{HeaderIdentifier: {"laptop"}})
	if env.Where.Identifier != "laptop" || env.Where.Workspace != "" || env.Where.MayMake == nil {
		t.Errorf("the header makes %+v", env)
	}
	v, err := env.In(t.Context(), "")
	if err != nil || v.Workspace().Name != "laptop" {
		t.Fatalf("the workspace is %v, %v", v, err)
	}
	env = w.server.env(nil, http.Header{HeaderIdentifier: {"phone"}, HeaderWorkspace: {planID}})
	if v, err := env.In(t.Context(), ""); err != nil || v.Workspace().ID != planID {
		t.Errorf("a workspace that is named comes before the identifier: %v", err)
	}
	env = w.server.env(nil, http.Header{HeaderIdentifier: {strings.Repeat("x", 10<<10)}})
	if _, err := env.In(t.Context(), ""); errs.As(err) == nil || errs.As(err).Code != errs.InvalidParams {
		t.Errorf("an identifier of 10 kB: %v", err)
	}
}

// A read-only server makes no workspace for an identifier, and its calls do not count as accesses.
func TestAReadOnlyServerMakesNoWorkspace(t *testing.T) {
	w := newWorld(t, Options{ReadOnly: true})
	env := w.server.env(nil, http.Header{HeaderIdentifier: {"laptop"}})
	if _, err := env.In(t.Context(), ""); errs.As(err) == nil || errs.As(err).Code != errs.WorkspaceNotFound {
		t.Errorf("an identifier that is bound to none: %v", err)
	}
	if _, err := w.engine.Bind(t.Context(), sessions.Binding{SessionID: "laptop", WorkspaceID: planID}, plan.Act{}); err != nil {
		t.Fatal(err)
	}
	w.save(".local/access", "{}")
	if _, err := env.In(t.Context(), ""); err != nil {
		t.Error(err)
	}
	if got := w.engine.Accessed(t.Context()); len(got) > 0 {
		t.Errorf("accesses are %v", got)
	}
}

func TestAnHourHasAHundredWorkspacesAtMost(t *testing.T) {
	var m made
	now := time.Unix(0, 0)
	for i := range mostMade {
		if err := m.another(now.Add(time.Duration(i) * time.Second)); err != nil {
			t.Fatalf("the %dth is refused: %v", i+1, err)
		}
	}
	if m.another(now.Add(time.Hour-time.Second)) == nil {
		t.Error("one more within the hour is made")
	}
	if err := m.another(now.Add(time.Hour)); err != nil {
		t.Error(err)
	}
	if m.another(now.Add(time.Hour)) == nil {
		t.Error("the second of the hour is given twice")
	}
}
