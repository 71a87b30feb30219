package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
)

func takeAll(all []engine.Difference) int { return len(all) }

// looked has a session look, and reports whether it was for the first time.
func looked(t *testing.T, e *engine.Engine, ws mdstore.ID, session string, take func([]engine.Difference) int) bool {
	t.Helper()
	seen, err := e.Changes(t.Context(), ws, session, take)
	if err != nil || seen.Unnoted != nil {
		t.Fatal(err, seen)
	}
	return seen.First
}

// looks returns the folders of what sessions have seen, and the files in them.
func looks(w *enginetest.World) (folders map[mdstore.Path]bool, files int) {
	folders = map[mdstore.Path]bool{}
	for p := range w.Store.Files() {
		if p.Under(".local/seen") {
			folders[p.Dir()] = true
			files++
		}
	}
	return folders, files
}

func twoNodes() map[mdstore.Path][]byte {
	return map[mdstore.Path][]byte{
		"ws-a/Workspace.md":         []byte("---\nid: ws-a\nname: A\nstatus: active\n---\n"),
		"ws-a/nodes/root/Node.md":   enginetest.Node("root", "title: R\ntype: planning\nstatus: monitoring", ""),
		"ws-a/nodes/node-a/Node.md": enginetest.Node("node-a", "title: A\ntype: execution\nstatus: pending\nparentId: root", "## Note\n\nn\n"),
	}
}

// Whatever the number of sessions that come and never come back, what is kept is of the latest.
func TestLooksDoNotPileUp(t *testing.T) {
	w := enginetest.New(t, twoNodes())
	for i := range 40 {
		w.Tick(time.Minute)
		if !looked(t, w.Engine, "ws-a", fmt.Sprint("s", i), nil) {
			t.Errorf("session %d has looked before", i)
		}
	}
	if folders, _ := looks(w); len(folders) != 16 {
		t.Errorf("after 40 sessions, 16 looks are to be kept, and there are %d", len(folders))
	}
	if looked(t, w.Engine, "ws-a", "s39", nil) || looked(t, w.Engine, "ws-a", "s24", nil) {
		t.Error("one of the 16 latest sessions has not looked before")
	}
	if !looked(t, w.Engine, "ws-a", "s0", nil) {
		t.Error("the first of 40 sessions has looked before")
	}
}

// A session that goes on looking is known however long it does, though nothing changes; one that has not looked for two weeks is forgotten.
func TestLooksOfTheAbsentGo(t *testing.T) {
	w := enginetest.New(t, twoNodes())
	looked(t, w.Engine, "ws-a", "gone", takeAll)
	looked(t, w.Engine, "ws-a", "here", takeAll)
	for range 30 {
		w.Tick(12 * time.Hour)
		if looked(t, w.Engine, "ws-a", "here", nil) {
			t.Fatal("a session that looks twice a day is forgotten")
		}
	}
	if folders, _ := looks(w); len(folders) != 1 {
		t.Errorf("what two sessions have seen, of which one has not looked for two weeks: %v", folders)
	}
	if looked(t, w.Engine, "ws-a", "here", nil) || !looked(t, w.Engine, "ws-a", "gone", nil) {
		t.Error("the wrong one is kept")
	}
}

// What a former version has kept is not read, and goes; what is none of Arbor's stays.
func TestLooksClearNothingElseAway(t *testing.T) {
	former := `{"workspace":"ws-a","parts":1,"files":{"ws-a/Workspace.md":{"v":"0123"}}}`
	files := twoNodes()
	for p, text := range map[mdstore.Path]string{
		".local/seen/0123456789abcdef/0.json":      former,
		".local/seen/0123456789abcdef/1.json":      former,
		".local/seen/fedcba9876543210/notes.json":  "a person's",
		".local/seen/fedcba9876543210/0":           "damaged",
		".local/seen/FEDCBA9876543210/0":           "of another program",
		".local/seen/mine/0.json":                  "a person's",
		".local/seen/0.json":                       "a person's",
		".local/seen/0123456789abcdef/deeper/0":    "a person's",
		".local/seen/00000000000000000000/12.json": "a person's",
	} {
		files[p] = []byte(text)
	}
	w := enginetest.New(t, files)
	before := w.Store.Files()
	if !looked(t, w.Engine, "ws-a", "s", takeAll) {
		t.Error("the session has looked before")
	}
	after := w.Store.Files()
	gone := map[mdstore.Path]bool{".local/seen/0123456789abcdef/0.json": true, ".local/seen/0123456789abcdef/1.json": true, ".local/seen/fedcba9876543210/0": true}
	for p := range before {
		if _, is := after[p]; is == gone[p] {
			t.Errorf("%s: there is %v", p, is)
		}
	}
}

// A session that is unbound leaves nothing behind, and starts from then on when it comes back.
func TestUnbindForgetsWhatWasSeen(t *testing.T) {
	w := enginetest.New(t, twoNodes())
	for _, s := range []string{"s1", "s2"} {
		if _, err := w.Bind(t.Context(), engine.Binding{SessionID: s, WorkspaceID: "ws-a"}, engine.Act{}); err != nil {
			t.Fatal(err)
		}
		looked(t, w.Engine, "ws-a", s, takeAll)
	}
	if _, err := w.Unbind(t.Context(), "s1", engine.Act{DryRun: true}); err != nil || looked(t, w.Engine, "ws-a", "s1", nil) {
		t.Errorf("a dry run forgets what was seen, or fails: %v", err)
	}
	if _, err := w.Unbind(t.Context(), "s1", engine.Act{}); err != nil {
		t.Fatal(err)
	}
	if folders, _ := looks(w); len(folders) != 1 || looked(t, w.Engine, "ws-a", "s2", nil) {
		t.Errorf("after one of two is unbound: %v", folders)
	}
	if !looked(t, w.Engine, "ws-a", "s1", nil) {
		t.Error("unbound, the session has looked before")
	}
}

// A session that writes to a file which others have made or moved since it last looked is still told of that.
func TestOwnChangesDoNotHideWhatOthersMade(t *testing.T) {
	w := enginetest.New(t, twoNodes())
	defer w.Attend("attended")()
	sessions := []string{"attended", "kept"}
	for _, s := range sessions {
		looked(t, w.Engine, "ws-a", s, nil)
	}
	save(t, w, "ws-a/nodes/node-b/Node.md", enginetest.Node("node-b", "title: B\ntype: execution\nstatus: pending\nparentId: root", ""))
	save(t, w, "ws-a/nodes/node-a/Node.md", nil)
	save(t, w, "ws-a/nodes/moved/Node.md", twoNodes()["ws-a/nodes/node-a/Node.md"])
	for _, id := range []mdstore.ID{"node-a", "node-b"} {
		_, out, err := w.AppendLog(t.Context(), "ws-a", id, "mine", engine.Act{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sessions {
			if err := w.NoteOwn(t.Context(), "ws-a", s, out); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range sessions {
		seen, err := w.Changes(t.Context(), "ws-a", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range seen.Differences {
			got = append(got, fmt.Sprint(d.Kind, " ", d.Node))
		}
		if want := "moved node-a, created node-b"; strings.Join(got, ", ") != want {
			t.Errorf("%s: told of %q, want %q", s, got, want)
		}
	}
}

// Which of several files with one id has moved where is told the same each time, and the one that is the same as before is the one that moved.
func TestMovedTwinsAreToldApart(t *testing.T) {
	files := twoNodes()
	twin := func(note string) []byte {
		return enginetest.Node("dup", "title: D\ntype: execution\nstatus: pending\nparentId: root", "## Note\n\n"+note+"\n")
	}
	files["ws-a/nodes/a/Node.md"], files["ws-a/nodes/b/Node.md"] = twin("one"), twin("two")
	w := enginetest.New(t, files)
	for i := range 20 {
		looked(t, w.Engine, "ws-a", fmt.Sprint("s", i%15), nil)
	}
	for from, to := range map[string]string{"a": "d", "b": "c"} {
		save(t, w, mdstore.NodePath("ws-a", mdstore.ID(to)), files[mdstore.NodePath("ws-a", mdstore.ID(from))])
		save(t, w, mdstore.NodePath("ws-a", mdstore.ID(from)), nil)
	}
	for i := range 15 {
		seen, err := w.Changes(t.Context(), "ws-a", fmt.Sprint("s", i), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range seen.Differences {
			got = append(got, fmt.Sprint(d.Kind, " ", d.From.Dir().Base(), " to ", d.Path.Dir().Base()))
		}
		if want := "[moved b to c moved a to d]"; fmt.Sprint(got) != want {
			t.Errorf("told of %v, want %s", got, want)
		}
	}
}
