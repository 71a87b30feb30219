package ops_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// value draws a value as JSON has it.
func value(depth int) *rapid.Generator[any] {
	plain := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.IntRange(-5, 5000), func(n int) any { return n }),
		rapid.Map(rapid.Float64Range(-2, 2), func(f float64) any { return f }),
		rapid.Map(rapid.SampledFrom([]string{"", "12", "true", "null", "2024-01-01", "a: b", "# c", "é\n\"'", "[x]", "<!-- -->", "~"}),
			func(s string) any { return s }))
	if depth == 0 {
		return plain
	}
	inner := value(depth - 1)
	return rapid.OneOf(plain, rapid.Map(rapid.SliceOfN(inner, 0, 3), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"k", "a b", "1", "n", "x.y"}), inner, 0, 3),
			func(m map[string]any) any { return m }))
}

// Whatever a slot says comes back through its export: the export of the import is the same file, byte for byte, in use
// or in the archive.
func TestAnImportedExportIsExportedAsItWas(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		fields := rapid.MapOfN(rapid.SampledFrom([]string{"n", "ticket", "own key", "yes", "format", "projectPhase"}), value(2), 0, 4).Draw(r, "fields")
		for _, key := range []string{"format", "projectPhase"} { // which are texts
			if _, is := fields[key].(string); !is {
				delete(fields, key)
			}
		}
		meta := map[string]any{"contributors": []string{"alice", "Bob B"}, "custom_fields": fields, "search_keywords": []string{"api", "two words"}}
		slot := map[string]any{"slot_name": "alpha", "group_path": "projects/a", "created_at": "2024-01-01T12:00:00Z",
			"updated_at": "2024-01-02T12:00:00Z", "description": "what: it is", "tags": []string{"x", "y"}, "priority": rapid.IntRange(1, 5).Draw(r, "priority"),
			"metadata": meta, "later": value(2).Draw(r, "later"), "is_archived": rapid.Bool().Draw(r, "archived"),
			"archived_at": "2024-03-01T10:00:00Z", "archive_reason": "done"}
		var entries []any
		for i := range rapid.IntRange(0, 3).Draw(r, "entries") {
			entries = append(entries, map[string]any{"type": "manual_save", "content": rapid.SampledFrom(hostileTexts).Draw(r, "text"),
				"timestamp": fmt.Sprintf("2024-01-01T12:00:0%dZ", i), "metadata": map[string]any{"v": value(2).Draw(r, "meta")}, "mood": value(1).Draw(r, "mood")})
		}
		slot["entries"] = append([]any{}, entries...)
		data, err := json.Marshal(slot)
		if err != nil {
			r.Fatal(err)
		}
		first := reexport(t, string(data))
		if again := reexport(t, first); again != first {
			r.Fatalf("exported\n%s\nafter its import\n%s", first, again)
		}
		for _, format := range []string{"created_at\": \"2024-01-01", "updated_at\": \"2024-01-02", "two words", `"alice"`} {
			if !strings.Contains(first, format) {
				r.Fatalf("the export lacks %s:\n%s", format, first)
			}
		}
	})
}

// reexport imports a slot named alpha into a new vault, once more, and returns its export.
func reexport(t *testing.T, data string) string {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	w.Store.SetDoc("alpha.json", []byte(data))
	in := map[string]any{"workspaceId": ws, "source": "alpha.json"}
	must(t, env, "memory_import", in)
	if again := must(t, env, "memory_import", in); again["changed"] != false {
		t.Fatalf("the second import changes something: %v", again)
	}
	return must(t, env, "memory_export", map[string]any{"workspaceId": ws, "slot": "alpha", "format": "json"})["text"].(string)
}

// Whoever looks for something and finds nothing gets an empty list, in every detail of replies.
func TestNothingFoundIsAnEmptyList(t *testing.T) {
	for _, detail := range []ops.Detail{ops.DetailAll, ops.DetailSparse, ops.DetailBrief} {
		w := enginetest.New(t, plan())
		env := &ops.Env{Engine: w.Engine, Detail: detail}
		for name, args := range map[string]map[string]any{
			"search": {"query": "nowhereatall"}, "ask": {"question": "nowhereatall?"}, "memory_list": {"query": "nowhereatall"},
			"memory_read": {"slot": "notes", "type": "nowhereatall"},
		} {
			op, _ := ops.Find(name)
			data, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			in, err := op.Read(data)
			if err != nil {
				t.Fatal(err)
			}
			out, err := op.Run(t.Context(), env, in)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := env.ReplyOf(out)
			if err != nil || !strings.Contains(string(reply.Data), ":[]") {
				t.Errorf("%s at detail %d replies %s, %v", name, detail, reply.Data, err)
			}
		}
	}
}

// An import takes folders, patterns and several files of the project, all of them or none.
func TestImportOfSeveralFiles(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for name, text := range map[string]string{
		"old/a.json": `{"slot_name": "a", "entries": [{"id": "e", "content": "one"}]}`, "old/b.txt": "two", "old/c.csv": "1,2",
		"old/.d.md": "hidden", "old/config.json": `{"x": 1}`, "old/deep/e.md": "three", "bad/f.json": `{"slot_name": "f", "entries": [`,
		"bad/g.md": "four", ".git/h.md": "secret",
	} {
		w.Store.SetDoc(name, []byte(text))
	}
	for source, want := range map[string]string{
		`["old"]`: "a b e", `["old/*.json", "old/deep/e.md"]`: "a e", `"old/*"`: "a b", `["old/a.json", "old/a.json"]`: "a",
	} {
		var names []string
		out := must(t, env, "memory_import", map[string]any{"workspaceId": ws, "source": json.RawMessage(source), "dryRun": true})
		for _, s := range out["slots"].([]any) {
			names = append(names, s.(map[string]any)["slot"].(string))
		}
		if slices.Sort(names); strings.Join(names, " ") != want {
			t.Errorf("%s imports %v, want %s", source, names, want)
		}
	}
	for source, want := range map[string]errs.Code{
		`"bad"`: errs.InvalidContent, `"old/*.csv"`: errs.InvalidParams, `"nowhere"`: errs.InvalidPath, `"nowhere/*"`: errs.InvalidPath,
		`".git"`: errs.InvalidPath, `"old/["`: errs.InvalidPath, `"../x"`: errs.InvalidPath, `["old", "nowhere.txt"]`: errs.InvalidPath,
	} {
		refused(t, w, env, want, "memory_import", map[string]any{"workspaceId": ws, "source": json.RawMessage(source)})
	}
}

// Names that no file system takes are refused as names; a type that looks misspelt is kept, with a warning.
func TestNamesOfSlotsFitIntoFiles(t *testing.T) {
	w := enginetest.New(t, plan())
	env := &ops.Env{Engine: w.Engine}
	for _, args := range []map[string]any{{"slot": strings.Repeat("数", 100)}, {"slot": "a", "group": "x/" + strings.Repeat("g", 101)}} {
		args["workspaceId"], args["text"] = ws, "x"
		refused(t, w, env, errs.InvalidName, "memory_save", args)
	}
	must(t, env, "memory_save", map[string]any{"workspaceId": ws, "text": "x", "slot": strings.Repeat("数", 73)})
	for kind, warned := range map[string]bool{"manual_sav": true, "manual_save": false, "meeting_note": false} {
		out := must(t, env, "memory_save", map[string]any{"workspaceId": ws, "text": "x", "slot": "a", "entryType": kind})
		if (out["warnings"] != nil) != warned {
			t.Errorf("type %s: warnings are %v", kind, out["warnings"])
		}
	}
}
