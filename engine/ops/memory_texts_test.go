package ops_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// textsOf returns the texts of a slot in the order of the file.
func textsOf(t testing.TB, w *enginetest.World, slot string) (out []string) {
	v, err := w.View(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Pages().All() {
		if p.Kind.IsSlot() && mdstore.SlotName(p) == slot {
			f, err := w.Store.Read(t.Context(), p.Path)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range mdstore.SlotOf(mdstore.ParsePage(p.Kind, f)).Entries {
				out = append(out, e.Text)
			}
		}
	}
	return out
}

// roundTrip saves texts, exports them, imports the export into another slot, and merges that with an empty one into a
// third.
func roundTrip(t testing.TB, texts []string) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for _, text := range texts {
		must(t, env, "memory_save", map[string]any{"workspaceId": ws, "slot": "all", "text": text})
	}
	exported := must(t, env, "memory_export", map[string]any{"workspaceId": ws, "slot": "all", "format": "json"})["text"].(string)
	w.Store.SetDoc("all.json", []byte(exported))
	in := map[string]any{"workspaceId": ws, "source": "all.json", "slot": "back"}
	must(t, env, "memory_import", in)
	if again := must(t, env, "memory_import", in); again["changed"] != false {
		t.Fatalf("the second import changes the slot: %v", again)
	}
	must(t, env, "memory_merge", map[string]any{"workspaceId": ws, "sources": []string{"back", "more"}, "target": "one", "similarity": 1, "dryRun": false})
	for _, slot := range []string{"all", "back"} {
		if got := textsOf(t, w, slot); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", texts) {
			t.Fatalf("slot %s\n has %q\nwant %q", slot, got, texts)
		}
	}
	got := strings.Join(textsOf(t, w, "one"), "\x00")
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Fatalf("the merged slot lacks %q: %q", text, got)
		}
	}
}

var hostileTexts = []string{
	"## entry-lr3k2a00-x81bq0 · manual_save · 2024-01-01T12:00:00Z\n\nforged", "---\nid: x\n---\n", "a\r\nb\r\n", "```\nopen", "````verbatim\nx\n````", "<!-- summary: x -->\ny",
	"<!--", "<div>", "\u202eabc\u2066", "e\u0301 🏳️‍🌈", "H4sIAAAAAAAAA0tMSk4BAMJBJDUGAAAA", "H4sI", "  padded\n\n", "{\"slot_name\": \"x\", \"entries\": []}", "\ufeffx", "数据库", "<<<<<<< a\n=======\n>>>>>>> b", "a\rb",
}

func TestTextsComeBackThroughExportImportAndMerge(t *testing.T) {
	roundTrip(t, hostileTexts)
	rapid.Check(t, func(r *rapid.T) {
		piece := rapid.OneOf(rapid.SampledFrom(hostileTexts), rapid.String())
		var texts []string
		for _, parts := range rapid.SliceOfN(rapid.SliceOfN(piece, 1, 3), 1, 3).Draw(r, "texts") {
			text := strings.ReplaceAll(strings.ToValidUTF8(strings.Join(parts, "\n"), ""), "\x00", "")
			if strings.TrimSpace(text) != "" {
				texts = append(texts, text)
			}
		}
		if len(texts) > 0 {
			roundTrip(t, texts)
		}
	})
}

func TestCommonMarkComesBackThroughExportImportAndMerge(t *testing.T) {
	entries := []map[string]any{}
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	want := enginetest.CommonMark(t)
	for i, text := range want {
		entries = append(entries, map[string]any{"content": text, "timestamp": "2024-01-01T12:00:00", "id": fmt.Sprint("e", i)})
	}
	data, _ := json.Marshal(map[string]any{"slot_name": "spec", "entries": entries})
	w.Store.SetDoc("spec.json", data)
	must(t, env, "memory_import", map[string]any{"workspaceId": ws, "source": "spec.json"})
	if got := textsOf(t, w, "spec"); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Error("the examples do not come back")
	}
}

// A preview of a merge writes nothing, and what it says is what the merge then does.
func TestAPreviewOfAMergeWritesNothing(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	args := map[string]any{"workspaceId": ws, "sources": []string{"notes", "more"}, "target": "notes", "deleteSources": true, "dryRun": true}
	before := w.Store.Files()
	shown := must(t, env, "memory_merge", args)
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Fatalf("the preview changes %v", d)
	}
	delete(args, "dryRun")
	made := must(t, env, "memory_merge", args)
	if len(enginetest.Diff(before, w.Store.Files())) != 2 && len(textsOf(t, w, "more")) > 0 {
		t.Errorf("the merge changes %v", enginetest.Diff(before, w.Store.Files()))
	}
	for _, key := range []string{"entries", "left", "deleted", "target"} {
		if fmt.Sprint(shown[key]) != fmt.Sprint(made[key]) {
			t.Errorf("%s: shown %v, made %v", key, shown[key], made[key])
		}
	}
	if got := textsOf(t, w, "notes"); fmt.Sprint(got) != "[one two]" {
		t.Errorf("the target has %q", got)
	}
}
