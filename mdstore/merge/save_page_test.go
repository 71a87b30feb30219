package merge_test

import (
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/merge"
)

// A save of a session's file that was made from an older version, and the line of the trace that it lacks, are joined;
// and so is a transcript that a person edits while messages come.
func TestSavesOfSessionsAreMerged(t *testing.T) {
	const session = "---\nid: session-1\nname: Monday\nendedAt: null\n---\n\n## Goal\n\nto sign in\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] note: a\n"
	ended := edited(session, "endedAt: null", "endedAt: 1", "note: a\n", "note: a\n- [2026-01-01 10:00:01] [AI] tool_call: b\n  nodes: c\n")
	person := edited(session, "to sign in", "to sign in and out", "note: a\n", "note: a\n- mine\n")
	joined, missing := merge.Save("ws/sessions/session-1/Session.md", []byte(session), []byte(ended), []byte(person))
	for _, want := range []string{"endedAt: 1\n", "tool_call: b\n  nodes: c\n", "in and out", "- mine\n"} {
		if missing != nil || !strings.Contains(string(joined), want) {
			t.Errorf("%q is not in\n%s\nmissing %q", want, joined, missing)
		}
	}
	d, _ := mdoc.Parse("t", []byte("---\nprovider: null\n---\n"), nil)
	append1 := func(d *mdoc.Doc, role, text string) *mdoc.Doc {
		data, err := mdstore.AppendMessages(d, mdstore.Message{Role: role, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		d, _ = mdoc.Parse("t", data, nil)
		return d
	}
	base := append1(append1(append1(d, mdstore.RoleUser, "one"), mdstore.RoleAssistant, "two"), mdstore.RoleUser, "three")
	ours := append1(append1(base, mdstore.RoleAssistant, "# four\n"), mdstore.RoleUser, "five")
	theirs := edited(string(base.Bytes()), "two\n", "two\n\nby a person\n")
	joined, missing = merge.Save("ws/sessions/session-1/Transcript.md", base.Bytes(), ours.Bytes(), []byte(theirs))
	j, wrong := mdoc.Parse("t", joined, nil)
	want := []mdstore.Message{{Role: mdstore.RoleUser, Text: "one"}, {Role: mdstore.RoleAssistant, Text: "two\n\nby a person"}, {Role: mdstore.RoleUser, Text: "three"}, {Role: mdstore.RoleAssistant, Text: "# four\n"}, {Role: mdstore.RoleUser, Text: "five"}}
	if got := mdstore.Messages(j); len(missing)+len(wrong) > 0 || len(got) != len(want) {
		t.Fatalf("%v, missing %q: %q", wrong, missing, got)
	} else {
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("message %d is %q, want %q", i, got[i], want[i])
			}
		}
	}
}
