package memory_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/internal/memory"
	"arbor/mdstore"
)

// packed returns a text as memcord compresses it, n times.
func packed(text string, n int) string {
	for range n {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		text = base64.StdEncoding.EncodeToString(b.Bytes())
	}
	return text
}

func import1(t *rapid.T, file, data, as string) memory.Incoming {
	in, err := memory.Import(file, []byte(data), as)
	if err != nil || len(in) != 1 {
		t.Fatalf("import of %s: %d slots, %v", data, len(in), err)
	}
	return in[0]
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestTextsComeBackThroughExportAndImport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := everything()
		s.Entries = nil
		for i, text := range rapid.SliceOfN(texts(), 1, 5).Draw(t, "texts") {
			s.Entries = append(s.Entries, mdstore.SlotEntry{ID: mdstore.ID(fmt.Sprintf("entry_%d", i)), Type: "manual_save",
				Time: at("2024-01-01T12:00:00Z"), Text: text, Meta: map[string]any{}})
		}
		got := import1(t, "x.json", string(memory.Export(s, nil, "json")), "auto")
		fields := map[string]any{"contributors": s.Contributors, "projectPhase": s.ProjectPhase, "format": s.Format, "ticket": "ALPHA-7",
			"reviewers": []any{"carol", "dan"}}
		if !reflect.DeepEqual(got.Fields, fields) {
			t.Fatalf("fields are %v", got.Fields)
		}
		s.ID, s.Contributors, s.ProjectPhase, s.Format, s.Custom = "", nil, "", "", nil
		s.Updated -= s.Updated % 1000 // exports have whole seconds
		if !reflect.DeepEqual(got.Slot, s) {
			t.Fatalf("exported %#v\nimported %#v", s, got.Slot)
		}
	})
}

func TestCommonMarkExamplesComeBack(t *testing.T) {
	s := mdstore.Slot{Name: "spec"}
	for _, text := range commonMark(t) {
		s.Entries = append(s.Entries, mdstore.SlotEntry{Text: text})
	}
	in, err := memory.Import("x.json", memory.Export(s, nil, "json"), "memcord")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range in[0].Entries {
		if e.Text != s.Entries[i].Text {
			t.Errorf("example %d: got %q, want %q", i, e.Text, s.Entries[i].Text)
		}
	}
}

// However often a content was compressed, and whatever the file says of it, the text comes back.
func TestCompressedContentsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Filter(func(s string) bool { return !strings.HasPrefix(s, "H4sI") }).Draw(t, "text")
		n, marked := rapid.IntRange(0, 3).Draw(t, "times"), rapid.Bool().Draw(t, "marked")
		got := import1(t, "x.json", fmt.Sprintf(`{"slot_name": "x", "entries": [{"type": "manual_save", "content": %s,
			"timestamp": "2024-01-01T12:00:00.123456", "compression_info": {"is_compressed": %v, "algorithm": "gzip"}}]}`,
			quoted(packed(text, n)), marked), "auto")
		if e := got.Entries[0]; e.Text != text || e.Time != at("2024-01-01T12:00:00Z") {
			t.Fatalf("%d times, marked %v: got %q at %v, want %q", n, marked, e.Text, e.Time, text)
		}
	})
}

func TestTextFilesAreOneEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		if strings.Trim(text, "\ufeff \t\r\n") == "" {
			return // which is refused
		}
		got := import1(t, "notes/2024 plan.md", text, "text")
		e := got.Entries[0]
		if got.Name != "2024 plan" || e.Text != text || e.Type != mdstore.EntryImport || e.Meta["source"] != "2024 plan.md" {
			t.Fatalf("got %#v of %q", got, text)
		}
	})
}

// Importing once more adds nothing, and nothing that was there is replaced, whatever ids the entries have.
func TestASecondImportAdds(t *testing.T) {
	entry := rapid.Custom(func(t *rapid.T) mdstore.SlotEntry {
		return mdstore.SlotEntry{ID: mdstore.ID(rapid.SampledFrom([]string{"a", "b", "c", ""}).Draw(t, "id")),
			Text: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "text")}
	})
	rapid.Check(t, func(t *rapid.T) {
		have := memory.Add(nil, rapid.SliceOf(entry).Draw(t, "have"))
		more := rapid.SliceOf(entry).Draw(t, "more")
		both := append(slices.Clone(have), memory.Add(have, more)...)
		ids := map[mdstore.ID]bool{}
		for _, e := range both {
			if ids[e.ID] || !e.ID.Valid() {
				t.Fatalf("id %q twice or not valid in %v", e.ID, both)
			}
			ids[e.ID] = true
		}
		for _, e := range more {
			if !slices.ContainsFunc(both, func(o mdstore.SlotEntry) bool { return o.Text == e.Text && (e.ID == o.ID || ids[e.ID] || e.ID == "") }) {
				t.Fatalf("%v is not in %v", e, both)
			}
		}
		if again := memory.Add(both, more); len(again) > 0 {
			t.Fatalf("the second import of %v into %v adds %v", more, both, again)
		}
	})
}

func TestFilesWithSlots(t *testing.T) {
	const slot = `{"slot_name": %q, "entries": [{"content": "one"}]}`
	a, b := fmt.Sprintf(slot, "a"), fmt.Sprintf(slot, "b")
	for data, want := range map[string]string{
		a:                        "a",
		"\ufeff" + a + "\n" + b:  "a b",
		"[" + a + "," + b + "]":  "a b",
		`{"slots": [` + a + `]}`: "a",
		`{"memory_slots": {"k": {"entries": [{"content": "x"}]}, "z": ` + b + `}}`:              "k b",
		"---\nid: slot-1\nname: own\n---\n\n## a · manual_save · 2024-01-01T12:00:00Z\n\none\n": "own",
		"---\ntitle: no slot\n---\n\n## a\n\none\n":                                             "file",
		`{"name": "old", "entries": []}`:                                                        "old",
		`{"entries": []}`:                                                                       "file",
		`{"slot_name": "no entries", "entries": null}`:                                          "",
	} {
		in, err := memory.Import("dir/file.json", []byte(data), "auto")
		var names []string
		for _, s := range in {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want || (err != nil) != (want == "") {
			t.Errorf("%s has the slots %q, %v; want %q", data, got, err, want)
		}
	}
}

func TestWhatMemcordSaysOfASlot(t *testing.T) {
	in, err := memory.Import("x.json", []byte(`{"slot_name": "a b", "created_at": "2023-01-01T10:00:00.5+02:00",
		"updated_at": "2023-02-01 10:00:00", "tags": ["Big Idea", "x", "X"], "group_path": "/projects//Alpha Beta/../",
		"description": "two\nlines", "priority": 9, "is_archived": true, "archived_at": "2024-01-01", "archive_reason": "done",
		"current_slot": false, "future": {"a": [1, "b"]}, "nothing": null,
		"metadata": {"search_keywords": ["api"], "custom_fields": {"n": 12}, "later": 1.5},
		"entries": [{"id": "entry_002", "type": "auto_summary", "content": "s", "timestamp": "2024-01-01 12:30:00", "original_length": 5000,
		"summary_length": 750, "metadata": {"key_points": 5, "a b": "c"}, "mood": "good", "compression_info": {"is_compressed": false}}]}`), "auto")
	if err != nil {
		t.Fatal(err)
	}
	want := memory.Incoming{
		Slot: mdstore.Slot{Name: "a b", Description: "two\nlines", Group: "/projects//Alpha Beta/../", Tags: []string{"Big Idea", "x", "X"},
			Created: at("2023-01-01T08:00:00Z").UnixMilli(), Updated: at("2023-02-01T10:00:00Z").UnixMilli(),
			Entries: []mdstore.SlotEntry{{ID: "entry_002", Type: "auto_summary", Time: at("2024-01-01T12:30:00Z"), Text: "s",
				Meta: map[string]any{"key_points": 5.0, "a_b": "c", "summary": "5000 → 750 characters", "mood": "good"}}}},
		Fields: map[string]any{"future": map[string]any{"a": []any{1.0, "b"}}, "n": 12.0, "later": 1.5,
			"keywords": []string{"api"}},
		Archived: &memory.Archived{At: at("2024-01-01T00:00:00Z"), Reason: "done"}, Adapted: []string{"priority 9 → none"},
	}
	if !reflect.DeepEqual(in[0], want) {
		t.Errorf("got  %#v\nwant %#v", in[0], want)
	}
}

func TestBadFilesSayWhatIsWrong(t *testing.T) {
	broken := packed("text", 1)
	broken = broken[:len(broken)-8] + "AAAAAA=="
	content := func(s string, marked bool) string {
		return fmt.Sprintf(`{"slot_name": "x", "entries": [{"content": "fine"}, {"content": %s, "compression_info": {"is_compressed": %v}}]}`, quoted(s), marked)
	}
	big := strings.Repeat("a", 10<<20+1)
	for data, want := range map[string]string{
		`{"slot_name": "x", "entries": [`:                             "unexpected EOF",
		`{"slot_name": "x", "entries": [{"content": 7}]}`:             "entries.content is a number; a text is expected",
		`{"slot_name": "x", "entries": [{"timestamp": "yesterday"}]}`: `entry 1: "yesterday" is not a time`,
		content(broken, true):                                         "entry 2: its content is compressed and damaged",
		content("a\x00b", false):                                      "entry 2: it is not text",
		content(packed("\xff", 1), false):                             "entry 2: it is not text",
		content(big, false):                                           "entry 2: its text has more than 10 MiB",
		content(packed(big, 2), true):                                 "entry 2: its text has more than 10 MiB",
		content(packed(strings.Repeat(big, 2), 1), true):              "entry 2: its text has more than 10 MiB",
		"a\x00b":    "it is not text",
		"\xff\xfea": "it is not text",
		big:         "its text has more than 10 MiB",
	} {
		in, err := memory.Import("x.json", []byte(data), "auto")
		if err == nil || !strings.HasPrefix(err.Error(), "x.json: ") || !strings.Contains(err.Error(), want) || in != nil {
			t.Errorf("import of %.60q: %d slots, %v; want an error with %q", data, len(in), err, want)
		}
	}
	if in, err := memory.Import("x.json", []byte(content(broken, false)), "auto"); err != nil || in[0].Entries[1].Text != broken {
		t.Errorf("a text that only begins as gzip does: %v", err)
	}
}
