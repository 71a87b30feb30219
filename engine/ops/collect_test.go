package ops_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	planning "arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/mdstore/memstore"
)

const day = 24 * time.Hour

// collected returns the names of the workspaces that a collection takes, and why each other one stays.
func collected(t *testing.T, env *ops.Env, args map[string]any) (names []string, kept map[string]string) {
	t.Helper()
	out := must(t, env, "workspace_gc", args)
	kept = map[string]string{}
	each := func(key string, f func(map[string]any)) {
		all, _ := out[key].([]any)
		for _, x := range all {
			f(x.(map[string]any))
		}
	}
	each("collected", func(x map[string]any) { names = append(names, x["name"].(string)) })
	each("kept", func(x map[string]any) { kept[x["name"].(string)] = x["reason"].(string) })
	slices.Sort(names)
	return names, kept
}

// setAccess makes the last access to a workspace another one, by some time from now.
func setAccess(t *testing.T, w *enginetest.World, id mdstore.ID, by time.Duration) {
	t.Helper()
	var all map[mdstore.ID]map[string]any
	if err := json.Unmarshal(w.Store.Files()[".local/access"], &all); err != nil || all[id] == nil {
		t.Fatal(err, all)
	}
	all[id]["at"] = w.Now().Add(by).UnixMilli()
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	w.Store.Put(".local/access", data)
}

// undated returns a world in memory, whose files have no times of their own.
func undated(t *testing.T, files map[mdstore.Path][]byte) *enginetest.World {
	t.Helper()
	return enginetest.Over(t, memstore.New(files), func(_ *enginetest.World, st *memstore.Store) mdstore.Store { return st })
}

func TestWhatIsCollected(t *testing.T) {
	files := enginetest.Plan("ws-own", "n1")
	w := undated(t, files)
	env := &ops.Env{Engine: w.Engine, Where: ops.Where{Default: true}}
	ids := map[string]mdstore.ID{}
	for _, name := range []string{"old", "claimed", "open", "bound", "unreadable", "used", "archived"} {
		ids[name] = mdstore.ID(resolve(t, env, name)["workspaceId"].(string))
	}
	if _, err := w.Engine.UserDefault(t.Context(), planning.Act{}); err != nil {
		t.Fatal(err)
	}
	w.Tick(100 * day)
	in := func(name string) map[string]any { return map[string]any{"workspaceId": string(ids[name])} }
	must(t, env, "node_next", map[string]any{"workspaceId": string(ids["claimed"]), "claim": true, "sessionId": "s"})
	dir := mdstore.Path(ids["open"])
	w.Store.Put(mdstore.SessionKind.File(mdstore.SessionKind.Folder(dir).Join("session-1")), fmt.Appendf(nil,
		"---\nid: session-1\nname: S\nstartedAt: %d\nendedAt: null\n---\n", w.Now().UnixMilli()))
	w.Store.Put(mdstore.WorkspacePath(mdstore.Path(ids["unreadable"])), []byte("---\nid: "+string(ids["unreadable"])+"\nname: unreadable\n<<<<<<< a\n"))
	must(t, env, "session_bind", map[string]any{"workspaceId": string(ids["bound"]), "sessionId": "s"})
	setAccess(t, w, ids["bound"], -100*day)
	must(t, env, "log_append", map[string]any{"workspaceId": string(ids["used"]), "operator": "AI", "event": "x"})
	must(t, env, "workspace_archive", in("archived"))
	setAccess(t, w, ids["archived"], -100*day)
	w.Refresh()
	before := w.Store.Files()
	dry, _ := collected(t, env, map[string]any{"dryRun": true})
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Errorf("a dry run changes %v", d)
	}
	names, kept := collected(t, env, nil)
	if want := []string{"archived", "old"}; !slices.Equal(names, want) || !slices.Equal(dry, want) {
		t.Errorf("collected are %v, and in the dry run %v; want %v", names, dry, want)
	}
	for name, why := range map[string]string{"A": "not created by session for", "Default": "default workspace", "claimed": "is claimed by s", "open": "session session-1 is open",
		"bound": "s was bound to it on ", string(ids["unreadable"]): "cannot be read", "used": "it was used on "} {
		if !strings.Contains(kept[name], why) {
			t.Errorf("%s is kept because %q; want %q (all: %v)", name, kept[name], why, kept)
		}
	}
	if bindings := string(w.Store.Files()[mdstore.SessionsFile]); strings.Contains(bindings, string(ids["old"])) || !strings.Contains(bindings, string(ids["used"])) {
		t.Errorf("bindings after a collection: %s", bindings)
	}
	if _, there := w.Engine.Accessed(t.Context())[ids["old"]]; there {
		t.Error("the access of a workspace that is collected is still noted")
	}
}

// A session without a line for a day is over, and keeps no workspace, be its end written or not.
func TestASessionThatIsOverKeepsNothing(t *testing.T) {
	w := undated(t, enginetest.Plan("ws-own", "n1"))
	env := &ops.Env{Engine: w.Engine}
	id := resolve(t, env, "phone")["workspaceId"]
	must(t, env, "session_start", map[string]any{"workspaceId": id, "name": "S", "sessionId": "s"})
	must(t, env, "session_unbind", map[string]any{"sessionId": "s"})
	w.Tick(100 * day)
	if names, kept := collected(t, env, nil); !slices.Equal(names, []string{"phone"}) {
		t.Errorf("collected are %v, kept %v", names, kept)
	}
}

func TestWorkspacesOfUnknownAgeStay(t *testing.T) {
	w := undated(t, enginetest.Plan("ws-own", "n1")) // neither times nor lines in a log
	env := &ops.Env{Engine: w.Engine}
	must(t, env, "workspace_resolve", map[string]any{"identifier": "lost"})
	must(t, env, "session_unbind", map[string]any{"sessionId": "lost"})
	w.Store.Put(".local/access", []byte("{torn"))
	w.Tick(1000 * day)
	names, kept := collected(t, env, nil)
	if len(names) > 0 || !strings.Contains(kept["lost"], "not created by session for") {
		t.Errorf("without accesses %v go; kept are %v", names, kept)
	}
	names, kept = collected(t, env, map[string]any{"shared": true})
	if !slices.Equal(names, []string{"lost"}) || !strings.Contains(kept["A"], "last use is unknown") {
		t.Errorf("with shared %v go; kept are %v", names, kept)
	}
}

func TestAWorkspaceGoesWhenItsAgeIsReached(t *testing.T) {
	for _, x := range []struct {
		after time.Duration
		age   any
		want  bool
	}{{89 * day, nil, false}, {90 * day, nil, true}, {90*day - time.Minute, 90, false}, {day, "1", true}, {day - time.Second, 1, false}} {
		w := undated(t, nil)
		env := &ops.Env{Engine: w.Engine}
		resolve(t, env, "x")
		w.Tick(x.after)
		names, kept := collected(t, env, map[string]any{"maxAge": x.age})
		if (len(names) == 1) != x.want {
			t.Errorf("%v after it was made, with maxAge %v: %v goes, kept %v", x.after, x.age, names, kept)
		}
	}
	w := undated(t, nil)
	for _, age := range []string{"0", "-1", "x", "1h"} {
		refused(t, w, &ops.Env{Engine: w.Engine}, errs.InvalidParams, "workspace_gc", map[string]any{"maxAge": age})
	}
}

// The newest file counts as well as the last access.
func TestANewFileKeepsAWorkspace(t *testing.T) {
	dir := enginetest.Place(t, enginetest.Plan("ws-a"))
	e := enginetest.Open(t, enginetest.OpenDir(t, dir))
	env := &ops.Env{Engine: e}
	id := resolve(t, env, "x")["workspaceId"].(string)
	long := e.Now().Add(-100 * day).UnixMilli()
	enginetest.Put(t, dir, ".local/access", fmt.Appendf(nil, `{"%s":{"at":%d,"resolved":true}}`, id, long))
	enginetest.Put(t, dir, mdstore.SessionsFile, []byte("{}"))
	if names, kept := collected(t, env, nil); len(names) > 0 || !strings.Contains(kept["x"], "it was used on ") {
		t.Errorf("%v goes, kept %v", names, kept)
	}
}

// Bindings end first, then sessions, then the folder goes. A crash after any step, also where the journal is lost,
// leaves no binding to a workspace that is gone, and the deletion can be made again.
func TestDeletionEndsBindingsThenSessionsThenTheFolder(t *testing.T) {
	files := plan()
	session := mdstore.Path(ws + "/sessions/session-1/Session.md")
	files[session] = []byte("---\nid: session-1\nname: S\nstartedAt: 1\nendedAt: null\n---\n\n## Log\n\n- x\n")
	args := map[string]any{"workspaceId": ws, "force": true}
	var r *recorder
	w := enginetest.Over(t, memstore.New(files), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		r = &recorder{Store: st}
		return r
	})
	must(t, &ops.Env{Engine: w.Engine}, "workspace_delete", args)
	if len(r.commits) != 1 {
		t.Fatalf("%d commits; want 1", len(r.commits))
	}
	var order []string
	for _, c := range r.commits[0].changes {
		order = append(order, string(c.Path))
	}
	if want := []string{mdstore.SessionsFile, string(session), ws}; !slices.Equal(order, want) {
		t.Fatalf("the steps are %v; want %v", order, want)
	}
	for _, res := range []crashtest.Result{
		crashtest.Explore(t, r.commits[0].before, r.commits[0].changes, crashtest.Options{Limit: 500}),
		crashtest.Faults(t, r.commits[0].before, r.commits[0].changes, crashtest.Options{}),
	} {
		if res.Bad > 0 || res.States == 0 {
			t.Errorf("%d of %d states are bad; the first: %s", res.Bad, res.States, res.First)
		}
	}
	for n := range r.commits[0].changes {
		st := memstore.New(r.commits[0].before)
		if n > 0 {
			if _, err := st.Commit(t.Context(), r.commits[0].changes[:n]); err != nil {
				t.Fatal(err)
			}
		}
		again := enginetest.Over(t, st, func(_ *enginetest.World, st *memstore.Store) mdstore.Store { return st })
		if _, bound, err := again.Binding(t.Context(), "s1"); err != nil || bound != (n == 0) {
			t.Errorf("after %d steps s1 is bound: %v, %v", n, bound, err)
		}
		must(t, &ops.Env{Engine: again.Engine}, "workspace_delete", args)
		for p := range again.Store.Files() {
			if p.Under(ws) {
				t.Errorf("after %d steps and the deletion there is %s", n, p)
			}
		}
	}
}

// A deletion does not replace bindings that cannot be read.
func TestDeletionLeavesTornBindings(t *testing.T) {
	files := plan()
	files[mdstore.SessionsFile] = []byte("{torn")
	w := enginetest.New(t, files)
	out := must(t, &ops.Env{Engine: w.Engine}, "workspace_delete", map[string]any{"workspaceId": ws, "force": true})
	if got := string(w.Store.Files()[mdstore.SessionsFile]); got != "{torn" || !strings.Contains(fmt.Sprint(out["warnings"]), mdstore.SessionsFile) {
		t.Errorf("sessions.json is %q; warnings %v", got, out["warnings"])
	}
}
