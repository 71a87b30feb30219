package ops_test

import (
	"bytes"
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

func genTexts() *rapid.Generator[[]string] {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(hostileTexts), 1, 4).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "between"))
	})
	return rapid.SliceOfN(text, 1, 4)
}

// about returns the arguments of a call about a slot of the workspace.
func about(slot string, more ...any) map[string]any {
	args := map[string]any{"workspaceId": ws, "slot": slot}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return args
}

// A slot with any texts is read from its compressed file as from the plain one, and takes more; open again, and
// archived and restored from both, its file has the bytes that it had. The same text gives the same bytes in the
// archive, each time.
func TestStoredSlotsReadBack(t *testing.T) {
	enginetest.Check(t, 40, func(rt *rapid.T) {
		w := enginetest.New(t, plan())
		env := &ops.Env{Engine: w.Engine}
		texts := genTexts().Draw(rt, "texts")
		for _, text := range texts {
			must(t, env, "memory_save", about("s", "text", text, "group", "a/b"))
		}
		plain, zipped, packed := mdstore.Path(ws+"/memory/a/b/s.md"), mdstore.Path(ws+"/memory/a/b/s.md.gz"), mdstore.Path(ws+"/archive/memory/a/b/s.md.gz")
		was := w.Store.Files()[plain]
		holds := func(where mdstore.Path, want []byte) {
			files := w.Store.Files()
			if got := files[where]; !bytes.Equal(got, want) {
				rt.Fatalf("%s has %q, want %q", where, got, want)
			}
			for _, p := range []mdstore.Path{plain, zipped, packed, mdstore.NotePath(packed)} {
				if _, there := files[p]; there != (p == where) && !(where == packed && p == mdstore.NotePath(packed)) {
					rt.Fatalf("%s: %v, beside %s", p, there, where)
				}
			}
		}
		archived := mdstore.Stored(packed, was)
		for range 2 {
			must(t, env, "memory_archive", about("s"))
			holds(packed, archived)
			must(t, env, "memory_restore", about("s"))
			holds(plain, was)
			w.Tick(time.Hour)
		}
		must(t, env, "memory_compress", about("s", "action", "compress", "force", true))
		holds(zipped, archived)
		if out := must(t, env, "memory_compress", about("s", "action", "compress", "force", true)); out["changed"] == true {
			rt.Fatalf("compressed twice: %v", out)
		}
		must(t, env, "memory_archive", about("s"))
		holds(packed, archived)
		must(t, env, "memory_restore", about("s"))
		holds(zipped, archived)
		must(t, env, "memory_save", about("s", "text", "more"))
		want := slices.Concat(texts, []string{"more"})
		for i, got := range entriesOf(must(t, env, "memory_read", about("s"))) {
			if got != "manual_save:"+want[i] {
				rt.Fatalf("got %q, want %q", got, want[i])
			}
		}
		text, err := mdstore.TextOf(zipped, w.Store.Files()[zipped])
		if err != nil {
			rt.Fatal(err)
		}
		for _, changed := range []bool{true, false} {
			if out := must(t, env, "memory_compress", about("s", "action", "decompress")); (out["changed"] == true) != changed {
				rt.Fatalf("decompressed: %v", out)
			}
			holds(plain, text)
		}
	})
}

// Only what is large enough and gets smaller is compressed, unless it is forced; analysis says so before, and changes
// nothing.
func TestSmallSlotsStayPlain(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	must(t, env, "memory_save", about("large", "text", strings.Repeat("words ", 1000)))
	before := w.Store.Files()
	for slot, compresses := range map[string]bool{"large": true, "notes": false, "packed": false} {
		out := must(t, env, "memory_compress", about(slot, "action", "analyze"))["slots"].([]any)[0].(map[string]any)
		if _, kept := out["kept"]; kept == compresses {
			t.Errorf("%s: %v", slot, out)
		}
	}
	if out := must(t, env, "memory_compress", map[string]any{"workspaceId": ws}); len(out["slots"].([]any)) != 4 {
		t.Errorf("of all: %v", out)
	}
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Errorf("analysis changes %v", d)
	}
	for slot, changed := range map[string]bool{"large": true, "notes": false, "packed": false} {
		if out := must(t, env, "memory_compress", about(slot, "action", "compress")); (out["changed"] == true) != changed {
			t.Errorf("%s: %v", slot, out)
		}
	}
	refused(t, w, env, errs.InvalidParams, "memory_compress", map[string]any{"workspaceId": ws, "action": "compress"})
	refused(t, w, env, errs.InvalidParams, "memory_compress", about("large", "action", "shrink"))
}

// A slot comes back without its note, or with one that is damaged or lies, and never over what is there now.
func TestRestoreWithoutTheNote(t *testing.T) {
	packed := oldSlot
	for _, note := range []string{"", "not toml [", "path = \"../../escape.md\"\n", "path = \"Workspace.md\"\n", "path = 3\n", "path = \"nodes/root/Node.md\"\n"} {
		w := enginetest.New(t, plan())
		env := &ops.Env{Engine: w.Engine}
		w.Store.Put(mdstore.NotePath(packed), []byte(note))
		want, _ := mdstore.TextOf(packed, w.Store.Files()[packed])
		out := must(t, env, "memory_restore", about("OLD"))
		if got := w.Store.Files()[ws+"/memory/g/old.md"]; !bytes.Equal(got, want) {
			t.Errorf("note %q: %v, and the file is %q", note, out, got)
		}
	}
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	must(t, env, "memory_save", about("Old", "text", "another"))
	refused(t, w, env, errs.NameTaken, "memory_restore", about("old"))
	must(t, env, "memory_update", about("Old", "name", "other"))
	w.Store.Put(ws+"/memory/g/old.md", []byte("---\nid: slot-x\nname: elsewhere\n---\n"))
	w.Engine.Refresh()
	refused(t, w, env, errs.NameTaken, "memory_restore", about("old"))
	must(t, env, "memory_delete", about("elsewhere"))
	w.Store.Put(ws+"/memory/g/x.md", []byte("---\nid: slot-9\nname: elsewhere\n---\n"))
	w.Engine.Refresh()
	refused(t, w, env, errs.DuplicateID, "memory_restore", about("old"))
	refused(t, w, env, errs.DuplicateID, "memory_archive", about("elsewhere"))
	refused(t, w, env, errs.SlotNotFound, "memory_restore", about("nowhere"))
	if again := must(t, env, "memory_restore", about("notes")); again["changed"] != false { // it is in use
		t.Errorf("a slot in use is restored: %v", again)
	}
	refused(t, w, env, errs.InvalidParams, "memory_archive", map[string]any{"workspaceId": ws})
}

// Lists tell what is archived and why, and which slots nobody has changed or read for some days.
func TestListsOfArchivedAndRestingSlots(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	must(t, env, "memory_save", about("a", "text", strings.Repeat("words ", 1000)))
	must(t, env, "memory_save", about("b", "text", "x"))
	named := func(args map[string]any) (names []string) {
		for _, s := range must(t, env, "memory_list", args)["slots"].([]any) {
			names = append(names, s.(map[string]any)["name"].(string))
		}
		return names
	}
	resting := func(days int) string {
		names := named(map[string]any{"workspaceId": ws, "candidates": days})
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	if got := resting(30); got != "more notes packed" {
		t.Errorf("at once: %s", got)
	}
	w.Tick(40 * 24 * time.Hour)
	must(t, env, "memory_read", about("b"))
	if got := resting(30); got != "a more notes packed" {
		t.Errorf("after 40 days: %s", got)
	}
	must(t, env, "memory_archive", about("a", "reason", "done \"with\" it\nall"))
	out := must(t, env, "memory_list", map[string]any{"workspaceId": ws, "archived": true, "sortBy": "name"})
	s := out["slots"].([]any)[0].(map[string]any)
	if s["reason"] != "done \"with\" it\nall" || s["entries"] != 1.0 || s["archivedAt"] != float64(w.Now().UnixMilli()) ||
		s["lastAccessed"] != float64(enginetest.Start.UnixMilli()) || s["originalSize"].(float64) < 6000 || s["ratio"].(float64) > 0.1 {
		t.Errorf("%v", s)
	}
	if out["total"] != 2.0 || out["originalSize"].(float64) != s["originalSize"].(float64)+90 {
		t.Errorf("%v", out)
	}
	if got := named(map[string]any{"workspaceId": ws}); slices.Contains(got, "a") {
		t.Errorf("an archived slot is listed among %v", got)
	}
	refused(t, w, env, errs.SlotNotFound, "memory_read", about("a"))
}
