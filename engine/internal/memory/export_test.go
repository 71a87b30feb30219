package memory_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"arbor/engine/internal/memory"
	"arbor/mdstore"
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

// everything is a slot with a value in every field, and texts that look like parts of an export.
func everything() mdstore.Slot {
	return mdstore.Slot{
		ID: "slot-lr3k2a00-abc123", Name: "project_alpha", Description: "Development discussions for Project Alpha",
		Group: "projects/alpha/development", Tags: []string{"project", "urgent", "backend"}, Priority: 3,
		Created: at("2024-01-01T12:00:00Z").UnixMilli(), Updated: at("2024-01-01T15:30:00Z").UnixMilli() + 999,
		Contributors: []string{"alice", "bob"}, ProjectPhase: "development", Format: "chat",
		Custom: []mdstore.CustomField{{Key: "ticket", Value: "ALPHA-7"}, {Key: "reviewers", Value: []any{"carol", "dan"}}},
		Entries: []mdstore.SlotEntry{
			{ID: "entry-lr3k2a00-x81bq0", Type: mdstore.EntryManual, Time: at("2024-01-01T13:00:00+01:00"),
				Text: "We chose JWT tokens for authentication.\nThe API signs tokens & checks <b>roles</b>.",
				Meta: map[string]any{"word_count": 850.0, "topics": []any{"api_design", "authentication"}}},
			{ID: "entry_002", Type: mdstore.EntryImport, Time: at("2024-01-01T12:10:00Z"),
				Text: "# Heading\r\n\r\n## entry-lr3k2a-x81bq0 · manual_save\r\n\r\n```go\r\nfunc main() {}\r\n```\r\n"},
			{ID: "entry-lr3l4f00-0qv7me", Type: mdstore.EntrySummary, Time: at("2024-01-01T12:30:00Z"),
				Text: "JWT tokens; the API checks roles.", Meta: map[string]any{mdstore.MetaSummary: "5000 → 750 characters"}},
			{Type: mdstore.EntryManual, Title: "Decisions", Text: "数据库用主从复制。数据库每天备份。"},
			{ID: "entry-lr3rkq00-9f3k2p", Type: "meeting_note", Time: at("2024-01-01T15:30:00Z"),
				Text: "---\nid: x\n---\n\n  kept blanks  \n\n"},
		},
	}
}

func TestExportsAreTheTemplatesToTheByte(t *testing.T) {
	archived := &memory.Archived{At: at("2024-02-01T08:00:00Z"), Reason: "project completed"}
	for _, format := range []string{"md", "txt", "json"} {
		want, err := os.ReadFile("../../../testdata/export." + format)
		if err != nil {
			t.Fatal(err)
		}
		if got := memory.Export(everything(), archived, format); string(got) != string(want) {
			t.Errorf("export as %s:\n got %s\nwant %s", format, got, want)
		}
	}
}

func TestExportsLeaveOutWhatHasNoValue(t *testing.T) {
	s := mdstore.Slot{Name: "empty"}
	for format, want := range map[string]string{
		"md":  "# Memory Slot: empty\n\n## Entries\n",
		"txt": "MEMORY SLOT: empty\n================================\n\nENTRIES\n-------\n",
	} {
		if got := string(memory.Export(s, nil, format)); got != want {
			t.Errorf("export as %s is %q, want %q", format, got, want)
		}
	}
	var out map[string]any
	if err := json.Unmarshal(memory.Export(s, nil, "json"), &out); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"created_at", "updated_at", "group_path", "description", "priority", "archived_at", "archive_reason"} {
		if v, there := out[key]; !there || v != nil {
			t.Errorf("%s is %v, there %v; want null", key, v, there)
		}
	}
}
