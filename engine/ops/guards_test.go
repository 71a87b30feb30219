package ops_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// A dry run of a change of a file that has a second name, or is marked read-only, is refused as the change is; check
// names the file.
func TestDryRunsRefuseWhatTheDiskWould(t *testing.T) {
	dir := enginetest.Place(t, plan())
	place := func(p mdstore.Path) string { return filepath.Join(dir, filepath.FromSlash(string(p))) }
	if err := os.Chmod(place(mdstore.NodePath(ws, "node-b")), 0o444); err != nil {
		t.Fatal(err)
	}
	closed := map[string]string{"node-b": dirstore.CodePermission}
	if err := os.Link(place(mdstore.NodePath(ws, "node-a")), filepath.Join(t.TempDir(), "another")); err == nil && os.PathSeparator == '/' {
		closed["node-a"] = dirstore.CodeHardLink
	} else {
		t.Logf("hard links are left out: %v", err)
	}
	e := enginetest.Open(t, enginetest.OpenDir(t, dir))
	env := &ops.Env{Engine: e}
	page, err := os.ReadFile("../../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	found, err := ops.WorkspaceCheck(t.Context(), env, ops.WorkspaceCheckIn{WorkspaceID: ws})
	if err != nil {
		t.Fatal(err)
	}
	for id, code := range closed {
		for _, dry := range []bool{true, false} {
			args := map[string]any{"workspaceId": ws, "nodeId": id, "operator": "AI", "event": "x", "dryRun": dry}
			if _, err := call(t, env, "log_append", args); err == nil || err.Code != errs.FileUnreadable || !strings.Contains(err.Message, code) {
				t.Errorf("log_append(%v): %v, want %s", args, err, code)
			}
		}
		named := false
		for _, d := range found.Diagnostics {
			named = named || d.Code == code && strings.Contains(d.File, id)
		}
		if !named {
			t.Errorf("check does not name %s as %s: %v", id, code, found.Diagnostics)
		}
		if ds := must(t, env, "node_get", map[string]any{"workspaceId": ws, "nodeId": id})["node"].(map[string]any)["diagnostics"]; ds != nil {
			t.Errorf("%s is found without check, which docs/check.md says it is not: %v", code, ds)
		}
		if only := strings.SplitAfter(string(page), "What only the disk can tell")[1]; !strings.Contains(strings.SplitN(only, "With", 2)[0], "`"+code+"`") {
			t.Errorf("docs/check.md does not say that %s is found by check alone", code)
		}
	}
}

func TestRestoreWithoutANameTakesTheOneArchivedWorkspace(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	if out := must(t, env, "workspace_restore", nil); out["path"] != "ws-arch" || out["changed"] != true {
		t.Errorf("restored: %v", out)
	}
	refused(t, w, env, errs.WorkspaceNotFound, "workspace_restore", nil)
	must(t, env, "workspace_archive", map[string]any{"workspaceId": "ws-arch"})
	must(t, env, "workspace_archive", map[string]any{"workspaceId": "ws-old"})
	if e := refused(t, w, env, errs.AmbiguousID, "workspace_restore", nil); len(e.Details.Candidates) != 2 {
		t.Errorf("two are archived, and the refusal names %v", e.Details.Candidates)
	}
}

// In an archived workspace no node is ready and no action allowed; the hint names what would change that.
func TestNothingCanBeDoneInAnArchive(t *testing.T) {
	w := enginetest.New(t, plan())
	for _, env := range []*ops.Env{{Engine: w.Engine}, {Engine: w.Engine, MaxBytes: 8000}} {
		must(t, env, "workspace_archive", map[string]any{"workspaceId": ws})
		next := must(t, env, "node_next", map[string]any{"workspaceId": ws})
		if n := len(next["nodes"].([]any)); n > 0 || next["ready"] != 0.0 || !strings.Contains(next["hint"].(string), "workspace_restore") {
			t.Errorf("%d nodes are ready: %v", n, next)
		}
		refused(t, w, env, errs.WorkspaceArchived, "node_next", map[string]any{"workspaceId": ws, "claim": true})
		refused(t, w, env, errs.WorkspaceArchived, "node_transition", map[string]any{"workspaceId": ws, "nodeId": "node-a", "action": "start"})
		got := must(t, env, "node_get", map[string]any{"workspaceId": ws, "nodeId": "node-a"})
		if can := got["node"].(map[string]any)["allowed"].([]any); len(can) > 0 || !strings.Contains(got["hint"].(string), "workspace_restore") {
			t.Errorf("it can %v: %v", can, got["hint"])
		}
		must(t, env, "workspace_restore", map[string]any{"workspaceId": ws})
		if next := must(t, env, "node_next", map[string]any{"workspaceId": ws}); len(next["nodes"].([]any)) == 0 {
			t.Errorf("restored, nothing is ready: %v", next)
		}
	}
}

// Where the bindings cannot be read, a call that needs one is like that of a session that is bound to nothing.
func TestCorruptSessionsStopNothingElse(t *testing.T) {
	files := lone("", "")
	files["sessions.json"] = []byte("{half")
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine, Session: "s"}
	must(t, env, "node_list", nil)
	must(t, env, "log_append", map[string]any{"nodeId": "a", "operator": "AI", "event": "x"})
	must(t, env, "context_focus", map[string]any{"nodeId": "a"})
	files["ws-2/Workspace.md"] = []byte("---\nid: ws-2\nname: Two\ngoal: g\nstatus: active\n---\n")
	w = enginetest.New(t, files)
	env.Engine = w.Engine
	refused(t, w, env, errs.AmbiguousID, "node_list", nil)
}

// A folder that a person moves, and a workspace that is archived, are changes of the kind "moved", one for each file.
func TestMovedFilesAreOneChange(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine, Session: "s1"}
	must(t, env, "changes_get", nil)
	from, to := mdstore.NodePath(ws, "node-a").Dir(), mdstore.Path(ws+"/nodes/A by hand")
	if _, err := w.Store.Commit(t.Context(), []mdstore.Change{{Path: from, To: to}}); err != nil {
		t.Fatal(err)
	}
	got := must(t, env, "changes_get", nil)["changes"].([]any)
	if len(got) != 1 {
		t.Fatalf("one folder moved, and %d changes: %v", len(got), got)
	}
	if m := got[0].(map[string]any); m["kind"] != "moved" || m["nodeId"] != "node-a" || m["from"] != string(from)+"/Node.md" || m["path"] != string(to)+"/Node.md" {
		t.Errorf("the change is %v", m)
	}
	env.Session = "s2"
	must(t, env, "changes_get", map[string]any{"workspaceId": ws})
	must(t, &ops.Env{Engine: w.Engine}, "workspace_archive", map[string]any{"workspaceId": ws})
	for _, c := range must(t, env, "changes_get", map[string]any{"workspaceId": ws})["changes"].([]any) {
		if m := c.(map[string]any); m["kind"] != "moved" {
			t.Errorf("of an archived workspace: %v", m)
		}
	}
}

// A workspace that was copied with its folder has the id and the name of the copy: the refusal of either name tells
// both folders.
func TestTheRefusalOfACopiedWorkspaceNamesBothFolders(t *testing.T) {
	files := plan()
	files["copy/Workspace.md"] = files[ws+"/Workspace.md"]
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine, Names: ops.NamesLoose}
	for _, ref := range []string{"Login", ws, ws[:10]} {
		e := refused(t, w, env, errs.DuplicateID, "workspace_status", map[string]any{"workspaceId": ref})
		if !strings.Contains(e.Message, "copy/Workspace.md") || !strings.Contains(e.Message, ws+"/Workspace.md") || !strings.Contains(e.Message, "give one of them another id, or move the copy") {
			t.Errorf("%s: %s", ref, e.Message)
		}
	}
	refused(t, w, env, errs.AmbiguousID, "workspace_status", map[string]any{"workspaceId": "ws-"})
}
