package mcpserv

import (
	"strings"
	"testing"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// A connection continues as the session that it starts or loads. A connection with a given session keeps that one, and
// the id of a new session means the given one. Its work is logged there, and its own writes are not reported to it.
func TestAConnectionTakesTheSessionThatItStarts(t *testing.T) {
	for _, given := range []string{"", "s-9"} {
		w := newWorld(t, Options{Session: given, Toolsets: []string{"all"}})
		w.save("ws-2/Workspace.md", "---\nid: ws-2\nname: Other\ngoal: g\nstatus: active\n---\n")
		p := w.connect(nil)
		p.refused(errs.AmbiguousID, "session_note", map[string]any{"text": "x"})
		p.do("session_start", map[string]any{"workspaceId": planID, "name": "dry", "dryRun": true})
		p.refused(errs.AmbiguousID, "session_note", map[string]any{"text": "x"})
		id, _ := p.do("session_start", map[string]any{"workspaceId": planID, "name": "Morning"})["sessionId"].(string)
		if (id == given) != (given != "") {
			t.Errorf("given %q, the session is %q", given, id)
		}
		p.do("changes_get", nil)
		p.do("log_append", map[string]any{"nodeId": signIn, "event": "e"})
		if all := items(p.do("changes_get", map[string]any{"sessionId": id})["changes"]); len(all) != 0 {
			t.Errorf("given %q: its own change is reported: %v", given, all)
		}
		second, _ := p.do("session_start", map[string]any{"name": "Noon"})["sessionId"].(string)
		p.do("session_note", map[string]any{"text": "at noon"})
		p.do("session_load", map[string]any{"name": "Morning"})
		p.do("session_note", map[string]any{"text": "back"})
		for name, want := range map[string]string{id: "back", second: "at noon"} {
			log := sessionText(w, name)
			if !strings.Contains(log, "note: "+want) {
				t.Errorf("given %q: %s has no %q: %s", given, name, want, log)
			}
		}
		p.do("session_end", map[string]any{"summary": "done"})
		if log := sessionText(w, id); !strings.Contains(log, "tool_call: log_append "+signIn) || !strings.Contains(log, "note: done") {
			t.Errorf("given %q: %s", given, log)
		}
	}
}

func sessionText(w *world, id string) string {
	w.Helper()
	return w.read(mdstore.Path(planID + "/sessions/" + id + "/Session.md"))
}

// A read-only server shows a session with session_load, and binds nothing.
func TestAReadOnlyServerLoadsSessions(t *testing.T) {
	w := newWorld(t, Options{ReadOnly: true, Toolsets: []string{"all"}})
	w.save(planID+"/sessions/session-1/Session.md", "---\nid: session-1\nname: Monday\nendedAt: 1\n---\n\n## Goal\n\ng\n")
	p := w.connect(nil)
	if out := p.do("session_load", map[string]any{"name": "Monday"}); out["goal"] != "g" || out["started"] != nil {
		t.Errorf("%v", out)
	}
	if _, err := w.store.Stat(t.Context(), mdstore.SessionsFile); err == nil {
		t.Error("it has bound something")
	}
}

// Later calls of a connection use the workspace that it loaded, until it binds a session to another one. A read-only
// server remembers nothing.
func TestALoadedWorkspaceIsMeant(t *testing.T) {
	for _, reads := range []bool{false, true} {
		w := newWorld(t, Options{ReadOnly: reads, Toolsets: []string{"all"}})
		w.save("ws-2/Workspace.md", "---\nid: ws-2\nname: Other\ngoal: g\nstatus: active\n---\n")
		w.save("ws-2/nodes/root/Node.md", "---\nid: root\ntype: planning\ntitle: Other root\nstatus: pending\n---\n")
		p := w.connect(nil)
		p.refused(errs.AmbiguousID, "node_get", map[string]any{"nodeId": "root"})
		p.do("workspace_load", map[string]any{"workspaceId": "ws-2"})
		if reads {
			p.refused(errs.AmbiguousID, "node_get", map[string]any{"nodeId": "root"})
			continue
		}
		title := func() any {
			return p.do("node_get", map[string]any{"nodeId": "root"})["node"].(map[string]any)["title"]
		}
		if got := title(); got != "Other root" {
			t.Errorf("the workspace that was loaded is not meant: %v", got)
		}
		p.do("session_bind", map[string]any{"workspaceId": planID})
		if got := title(); got == "Other root" {
			t.Errorf("the binding is not meant: %v", got)
		}
	}
}
