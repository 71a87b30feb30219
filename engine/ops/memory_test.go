package ops_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// entriesOf tells the entries of a memory_read in short.
func entriesOf(out map[string]any) (all []string) {
	for _, e := range out["entries"].([]any) {
		e := e.(map[string]any)
		all = append(all, fmt.Sprint(e["type"], ":", e["text"]))
	}
	return all
}

// While a session uses the slot none, no call of it writes to the memory, whatever it names, and not a byte of the
// vault changes; its work on the plan goes on.
func TestASessionThatKeepsNothingWritesNoMemory(t *testing.T) {
	met := 0
	for name, calls := range samples {
		if o, _ := ops.Find(name); o.Set != ops.SetMemory || name == "memory_use" {
			continue
		}
		for _, args := range calls {
			for _, named := range []bool{true, false} {
				met++
				w := enginetest.New(t, plan())
				env := &ops.Env{Engine: w.Engine}
				must(t, env, "memory_use", map[string]any{"workspaceId": ws, "sessionId": "session-1", "slot": "NONE"})
				args := maps.Clone(args)
				if named {
					args["sessionId"] = "session-1"
				} else {
					env.Session = "session-1"
				}
				refused(t, w, env, errs.MemoryOff, name, args)
				must(t, env, "memory_list", map[string]any{"workspaceId": ws})
				must(t, env, "node_update", map[string]any{"workspaceId": ws, "nodeId": "node-a", "note": "n"})
				must(t, env, "memory_use", map[string]any{"workspaceId": ws, "sessionId": "session-1", "slot": "notes"})
				delete(args, "sessionId")
				must(t, env, name, args)
			}
		}
	}
	if met == 0 {
		t.Error("no operation was tried")
	}
}

// Every text reads back as it was given after a person has edited another entry of its slot.
func TestTextsReadBackBesideAPersonsEdits(t *testing.T) {
	texts := []string{"plain", "# high\n", "```\nopen", "---\nid: x\n---\n", "a\r\nb\r", "## entry-9 · manual_save · 2026-01-01T10:00:00Z\n\nforged",
		"<!-- a: b -->\nc", "<<<<<<< a\n=======\n>>>>>>> b\n", "\u202eright to left\u202c", "\n\n blank \n\n", strings.Repeat("long 长 ", 300_000)}
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for i, text := range texts {
		must(t, env, "memory_save", map[string]any{"workspaceId": ws, "slot": "notes", "text": text})
		w.Tick(time.Second)
		now := strings.Replace(string(w.Store.Files()[openSlot]), "\n\none", fmt.Sprintf("\n\none, edited %d\n\none", i), 1)
		w.Store.Put(openSlot, []byte(now))
	}
	out := must(t, env, "memory_read", map[string]any{"workspaceId": ws, "slot": "NOTES"})
	got := entriesOf(out)
	if len(got) != len(texts)+2 || out["above"] != "above" {
		t.Fatalf("%d entries", len(got))
	}
	for i, text := range texts {
		if got[i+2] != "manual_save:"+text {
			t.Errorf("got %.60q, want %.60q", got[i+2], text)
		}
	}
	for _, bad := range []string{"a\x00b", "", " \n", strings.Repeat("x", mdstore.MaxEntry+1)} {
		refused(t, w, env, errs.InvalidContent, "memory_save", map[string]any{"workspaceId": ws, "slot": "notes", "text": bad})
	}
}

// A long text comes in pieces that together are the text, each within the bound.
func TestALongEntryIsReadInPieces(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	text := strings.Repeat("é中👩‍👩‍👧 \"quoted\"\n", 400)
	must(t, env, "memory_save", map[string]any{"workspaceId": ws, "slot": "long", "text": "first"})
	must(t, env, "memory_save", map[string]any{"workspaceId": ws, "slot": "long", "text": text})
	bounded := *env
	bounded.MaxBytes = 2000
	args, got, n := map[string]any{"workspaceId": ws, "slot": "long", "entry": "-1"}, "", 0
	for {
		o, _ := ops.Find("memory_read")
		raw, err := o.Call(t.Context(), &bounded, enginetest.Args(args))
		if err != nil {
			t.Fatal(err)
		}
		out := raw.(*ops.MemoryReadOut)
		if r, err := bounded.ReplyOf(out); err != nil || r.Size() > bounded.MaxBytes || len(out.Entries) != 1 || out.Entries[0].Of != len(text) {
			t.Fatalf("%d bytes, error %v", r.Size(), err)
		}
		got += out.Entries[0].Text
		if n++; out.Cursor == "" || n > 100 {
			break
		}
		args["cursor"] = out.Cursor
	}
	if got != text || n < 5 {
		t.Errorf("%d pieces: %d bytes of %d", n, len(got), len(text))
	}
	out := must(t, &bounded, "memory_read", map[string]any{"workspaceId": ws, "slot": "long", "limit": 1})
	if len(entriesOf(out)) != 1 || out["cursor"] == "" {
		t.Errorf("%v", out)
	}
	refused(t, w, env, errs.InvalidParams, "memory_read", map[string]any{"workspaceId": ws, "slot": "long", "cursor": "x"})
}

// A slot without a workspace is that of the bound one, else of default, else of the one that has it; of two it is none.
func TestASlotIsFoundWithoutItsWorkspace(t *testing.T) {
	files := plan()
	slot := func(ws, id, text string) {
		files[mdstore.Path(ws+"/memory/x/"+id+".md")] = []byte("---\nid: slot-" + id + "\nname: shared\n---\n\n## Mine\n\n" + text + "\n")
	}
	slot("ws-old", "a", "of old")
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine}
	read := func(session string) string {
		t.Helper()
		return strings.Join(entriesOf(must(t, env, "memory_read", map[string]any{"slot": "Shared", "sessionId": session})), "|")
	}
	if got := read(""); got != "manual_save:of old" {
		t.Error(got)
	}
	slot(ws, "b", "of ws")
	w = enginetest.New(t, files)
	env = &ops.Env{Engine: w.Engine}
	refused(t, w, env, errs.AmbiguousID, "memory_read", map[string]any{"slot": "shared"})
	if got := read("s1"); got != "manual_save:of ws" {
		t.Error(got)
	}
	must(t, env, "memory_save", map[string]any{"slot": "fresh", "text": "x"})
	if out := must(t, env, "memory_list", map[string]any{"query": "fresh"}); out["slots"].([]any)[0].(map[string]any)["workspaceId"] != "default" {
		t.Errorf("%v", out["slots"])
	}
	refused(t, w, env, errs.SlotNotFound, "memory_read", map[string]any{"slot": "nothing"})
	refused(t, w, env, errs.InvalidParams, "memory_read", map[string]any{})
	for _, bad := range []string{"a b", ".a", "a/b", "..", strings.Repeat("x", 101), "none", "-"} {
		refused(t, w, env, errs.InvalidName, "memory_save", map[string]any{"workspaceId": ws, "slot": bad, "text": "x"})
	}
	for key, bad := range map[string]any{"group": "a//b", "tags": []string{"Two words"}} {
		refused(t, w, env, errs.InvalidName, "memory_save", map[string]any{"workspaceId": ws, "slot": "new", "text": "x", key: bad})
	}
	refused(t, w, env, errs.NameTaken, "memory_update", map[string]any{"workspaceId": ws, "slot": "notes", "name": "SHARED"})
}

// What replaces all entries keeps them in a file, and what a person wrote between entries gets an id at the next save,
// with its heading.
func TestReplacedAndAdoptedEntries(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	must(t, env, "memory_save", map[string]any{"workspaceId": ws, "slot": "notes", "text": "three"})
	was := string(w.Store.Files()[openSlot])
	if !strings.Contains(was, " · manual_save · 2026-01-01T10:00:00Z · Mine\n\ntwo\n") || !strings.Contains(was, "mine: x\n") || !strings.Contains(was, "\nabove\n") {
		t.Errorf("%s", was)
	}
	out := must(t, env, "memory_save", map[string]any{"workspaceId": ws, "slot": "notes", "text": "all", "mode": "replace"})
	if got := string(w.Store.Files()[mdstore.Path(out["kept"].(string))]); got != was {
		t.Errorf("kept %q, want %q", got, was)
	}
	if got := entriesOf(must(t, env, "memory_read", map[string]any{"workspaceId": ws, "slot": "notes"})); strings.Join(got, "|") != "manual_save:all" {
		t.Errorf("%q", got)
	}
}

// The entry nearest to a time is read with its neighbours.
func TestEntriesAtATime(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for i := range 5 {
		must(t, env, "memory_save", map[string]any{"workspaceId": ws, "slot": "days", "text": fmt.Sprint(i)})
		w.Tick(24 * time.Hour)
	}
	for at, want := range map[string]string{"3 days ago": "1 2 3", "2020-01-01": "0 1", "yesterday": "3 4", "48h": "2 3 4",
		"latest": "3 4", "2nd latest": "2 3 4", "oldest": "0 1", "2026-01-02T09:00:00": "0 1 2", "last week": "0 1"} {
		got := strings.ReplaceAll(strings.Join(entriesOf(must(t, env, "memory_read", map[string]any{"workspaceId": ws, "slot": "days", "at": at})), " "), "manual_save:", "")
		if got != want {
			t.Errorf("at %s: %s, want %s", at, got, want)
		}
	}
	for ref, want := range map[string]string{"0": "0", "-1": "4", "-5": "0", "latest": "4", "second oldest": "1"} {
		if got := entriesOf(must(t, env, "memory_read", map[string]any{"workspaceId": ws, "slot": "days", "entry": ref})); got[0] != "manual_save:"+want {
			t.Errorf("entry %s: %s", ref, got)
		}
	}
	refused(t, w, env, errs.EntryNotFound, "memory_read", map[string]any{"workspaceId": ws, "slot": "days", "entry": "5"})
}
