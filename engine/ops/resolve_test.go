package ops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func resolve(t testing.TB, env *ops.Env, identifier string) map[string]any {
	t.Helper()
	return must(t, env, "workspace_resolve", map[string]any{"identifier": identifier})
}

func TestResolveKnownUnknownAndVanished(t *testing.T) {
	w := enginetest.New(t, nil)
	env := &ops.Env{Engine: w.Engine}
	first := resolve(t, env, "laptop")
	id := first["workspaceId"].(string)
	if first["changed"] != true || first["workspaceName"] != "laptop" || !mdstore.ID(id).Generated("ws") {
		t.Fatalf("an unknown identifier: %v", first)
	}
	before := w.Store.Files()
	again := resolve(t, env, "laptop")
	if again["workspaceId"] != id || again["changed"] != false {
		t.Errorf("a known identifier: %v", again)
	}
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Errorf("a known identifier changes %v", d)
	}
	must(t, env, "session_bind", map[string]any{"sessionId": "phone", "workspaceId": id})
	if got := resolve(t, env, "phone"); got["workspaceId"] != id {
		t.Errorf("two identifiers on one workspace: %v", got)
	}
	if found := must(t, env, "workspace_check", map[string]any{"workspaceId": id}); fmt.Sprint(found["diagnostics"]) != "[]" {
		t.Errorf("a workspace without a goal has findings: %v", found["diagnostics"])
	}
	for p := range w.Store.Files() { // a person removes the folder
		if p.Under(mdstore.Path(id)) {
			w.Store.Put(p, nil)
		}
	}
	w.Refresh()
	vanished := resolve(t, env, "laptop")
	if vanished["workspaceId"] == id || vanished["changed"] != true || !strings.Contains(fmt.Sprint(vanished["warnings"]), id) {
		t.Errorf("a vanished workspace: %v", vanished)
	}
	if b, ok, err := w.Binding(t.Context(), "laptop"); err != nil || !ok || string(b.WorkspaceID) != vanished["workspaceId"] {
		t.Errorf("it is bound to %v, %v, %v", b, ok, err)
	}
}

// An identifier is a key: whatever it is, it names no path, and the folder of its workspace has the workspace's id.
func TestIdentifiersAreKeys(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		identifier := rapid.OneOf(
			rapid.SampledFrom([]string{"", ".", "..", "/etc", "a/b", `a\b`, "CON", "default", "archive", ".local", "  ", "path:/", "\u202e", "{}", `","x":{`,
				strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("x", 10<<10), "a\nb", "a\x00", "\x7f", "a\u0085"}),
			rapid.String(),
		).Draw(t, "identifier")
		w := enginetest.New(outer, nil)
		env := &ops.Env{Engine: w.Engine}
		o, _ := ops.Find("workspace_resolve")
		out, err := o.Call(tctx, env, enginetest.Args(map[string]any{"identifier": identifier}))
		valid := identifier != "" && len(identifier) <= 256 && !strings.ContainsFunc(identifier, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 })
		if !valid {
			if e := errs.As(err); e == nil || e.Class() != errs.Invalid || len(w.Store.Files()) > 0 {
				t.Fatalf("%q: %v, %v; files %v", identifier, out, err, w.Store.Files())
			}
			return
		}
		if err != nil {
			t.Fatalf("%q is refused: %v", identifier, err)
		}
		id := out.(*ops.WorkspaceResolveOut).WorkspaceID
		for p := range w.Store.Files() {
			if first, _, _ := strings.Cut(string(p), "/"); !slices.Contains([]string{id, "sessions.json", ".gitignore", ".local"}, first) {
				t.Fatalf("%q makes %s", identifier, p)
			}
		}
		again, err := o.Call(tctx, env, enginetest.Args(map[string]any{"identifier": identifier}))
		if err != nil || again.(*ops.WorkspaceResolveOut).WorkspaceID != id {
			t.Fatalf("%q a second time: %v, %v; want %s", identifier, again, err, id)
		}
	})
}

// Wherever bindings are torn, each identifier finds its workspace: what can be read counts, and otherwise what the
// workspace says about itself. A new identifier gets a new one, and the torn file is kept byte for byte.
func TestTornBindingsLoseNobody(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	laptop, phone := resolve(t, env, "laptop")["workspaceId"], resolve(t, env, "phone")["workspaceId"]
	must(t, env, "session_bind", map[string]any{"sessionId": "s9", "workspaceId": ws})
	before := w.Store.Files()
	whole := before[mdstore.SessionsFile]
	for cut := 0; cut < len(whole)-2; cut += 7 {
		w.Store.Put(mdstore.SessionsFile, whole[:cut])
		w.Tick(time.Second)
		got := resolve(t, env, "laptop")
		kept := false
		for p, data := range w.Store.Files() {
			kept = kept || strings.HasPrefix(string(p), mdstore.CorruptPrefix) && string(data) == string(whole[:cut])
		}
		if got["workspaceId"] != laptop || !kept {
			t.Fatalf("torn after %d bytes: laptop is %v, want %v; the torn file is kept: %v", cut, got, laptop, kept)
		}
		if got := resolve(t, env, "phone"); got["workspaceId"] != phone {
			t.Fatalf("torn after %d bytes: phone is %v, want %v", cut, got, phone)
		}
	}
	w.Store.Put(mdstore.SessionsFile, []byte(`{"bindings": {"laptop": {"workspace": 1}}}`))
	if got := resolve(t, env, "laptop"); got["workspaceId"] != laptop {
		t.Errorf("with an entry that is no binding laptop is %v, want %v", got, laptop)
	}
	w.Store.Put(mdstore.SessionsFile, whole[:20])
	w.Tick(time.Second)
	fresh := resolve(t, env, "watch")
	if text := fmt.Sprint(fresh["warnings"]); !strings.Contains(text, mdstore.CorruptPrefix) {
		t.Errorf("nothing says that watch may have been bound: %s", text)
	}
	if got := resolve(t, env, "laptop"); got["workspaceId"] != laptop || fresh["workspaceId"] == laptop {
		t.Errorf("after a new identifier laptop is %v, want %v", got, laptop)
	}
}

// Where sessions.json is missing, the workspaces say whose they are, whoever is bound first. What a person has unbound
// stays so.
func TestMissingBindingsLoseNobody(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	laptop, phone := resolve(t, env, "laptop")["workspaceId"], resolve(t, env, "phone")["workspaceId"]
	w.Store.Put(mdstore.SessionsFile, nil)
	must(t, env, "session_bind", map[string]any{"sessionId": "s9", "workspaceId": ws})
	for identifier, want := range map[string]any{"laptop": laptop, "phone": phone} {
		if got := resolve(t, env, identifier); got["workspaceId"] != want {
			t.Errorf("%s is %v, want %v", identifier, got, want)
		}
	}
	must(t, env, "session_unbind", map[string]any{"sessionId": "phone"})
	if got := resolve(t, env, "phone"); got["workspaceId"] == phone {
		t.Errorf("unbound, it is %v again", got)
	}
}

// While bindings lie there that could not be read, an identifier that nothing is known of gets a workspace, and a
// warning that names them. What a kept file says is not asked any more: what could be read of it was taken over.
func TestKeptCorruptBindingsAreNamed(t *testing.T) {
	files := plan()
	files[mdstore.CorruptPrefix+"20250101T000000.000"] = []byte(`{"bindings":{"lost":{"sess`)
	e := enginetest.Open(t, enginetest.OpenDir(t, enginetest.Place(t, files)))
	env := &ops.Env{Engine: e}
	if got := fmt.Sprint(resolve(t, env, "lost")["warnings"]); !strings.Contains(got, mdstore.CorruptPrefix) {
		t.Errorf("an identifier that may have been bound: %s", got)
	}
	found := must(t, env, "workspace_check", nil)
	if !strings.Contains(fmt.Sprint(found["diagnostics"]), mdstore.CorruptPrefix) {
		t.Errorf("check does not name the kept file: %v", found["diagnostics"])
	}
}

func TestFoldersAreBoundByTheirLongestPrefix(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	must(t, env, "session_bind", map[string]any{"sessionId": "path:/home/a", "workspaceId": ws})
	must(t, env, "session_bind", map[string]any{"sessionId": "path:/home/a/b/", "workspaceId": "ws-old"})
	for dir, want := range map[string]string{"/home/a": ws, "/home/a/x": ws, "/home/a/b": "ws-old", "/home/a/b/c": "ws-old", "/home/a/bc": ws, "/home": "", "/home/ab": ""} {
		in := &ops.Env{Engine: w.Engine, Where: ops.Where{Dir: dir}}
		s, err := in.In(t.Context(), "")
		if want == "" {
			if e := errs.As(err); e == nil || e.Code != errs.AmbiguousID {
				t.Errorf("%s: %v", dir, err)
			}
		} else if err != nil || string(s.Workspace().ID) != want {
			t.Errorf("%s: %v; want %s", dir, err, want)
		}
	}
	bound := &ops.Env{Engine: w.Engine, Session: "path:/home/a/b/", Where: ops.Where{Dir: "/home/a"}}
	if s, err := bound.In(t.Context(), ""); err != nil || s.Workspace().ID != "ws-old" {
		t.Errorf("a session that is bound comes first: %v", err)
	}
}

func TestTheDefaultWorkspaceIsMadeWhenNeededAndIsNoOnlyOne(t *testing.T) {
	w := enginetest.New(t, enginetest.Plan("ws-a"))
	if s, err := (&ops.Env{Engine: w.Engine}).In(t.Context(), ""); err != nil || s.Workspace().ID != "ws-a" {
		t.Errorf("the only active workspace is meant: %v", err)
	}
	env := &ops.Env{Engine: w.Engine, Where: ops.Where{Default: true}}
	before := w.Store.Files()
	if _, err := call(t, env, "log_append", map[string]any{"operator": "AI", "event": "x", "dryRun": true}); err == nil {
		t.Error("a dry run finds a workspace that is not there")
	}
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Errorf("a dry run makes %v", d)
	}
	must(t, env, "log_append", map[string]any{"operator": "AI", "event": "x"})
	all, err := w.Workspaces(t.Context())
	if err != nil || all[len(all)-1].ID != mdstore.DefaultWorkspace {
		t.Errorf("the default workspace is not the last of %v, %v", all, err)
	}
	must(t, env, "workspace_archive", map[string]any{"workspaceId": "ws-a"})
	refused(t, w, &ops.Env{Engine: w.Engine}, errs.WorkspaceNotFound, "log_append", map[string]any{"operator": "AI", "event": "x"})
	made := must(t, env, "workspace_init", map[string]any{"name": "B", "goal": "g"})
	if s, err := (&ops.Env{Engine: w.Engine}).In(t.Context(), ""); err != nil || string(s.Workspace().ID) != made["workspaceId"] {
		t.Errorf("beside the default one, another is the only one: %v", err)
	}
	w.Tick(time.Hour)
	if all, _ = w.Workspaces(t.Context()); all[len(all)-1].ID != mdstore.DefaultWorkspace {
		t.Errorf("the default workspace is not the last of %v", all)
	}
	if at := w.Engine.Accessed(t.Context())[mdstore.DefaultWorkspace]; at.IsZero() {
		t.Error("a write to the default workspace is no access")
	}
}
