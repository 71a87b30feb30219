package check_test

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// What is wrong with pages is found, and a missing id is mended.
func TestPagesAreChecked(t *testing.T) {
	files := enginetest.Plan("ws-a")
	page := "---\nid: %\nname: n\n---\n"
	files["ws-a/states/a.md"] = []byte(strings.ReplaceAll(page, "%", "state-1"))
	files["ws-a/states/b.md"] = []byte(strings.ReplaceAll(page, "%", "state-1"))
	files["ws-a/states/state-c.md"] = []byte("---\nname: no id\n---\n")
	files["ws-a/sessions/s/Session.md"] = []byte("---\nid: session-1\nstartedAt: noon\n---\n")
	files["ws-a/sessions/t/Session.md"] = []byte("---\nid: session-2\n")
	files["ws-a/sessions/t/Transcript.md"] = []byte("---\nmodel: m\n---\n")
	slot := "---\nid: slot-%\nname: Same\nupdatedAt: %\n---\n"
	files["ws-a/memory/a.md"] = []byte(strings.ReplaceAll(slot, "%", "1"))
	files["ws-a/memory/b/same.md"] = []byte(strings.ReplaceAll(slot, "%", "2"))
	files["ws-a/memory/c.md"] = []byte(strings.Replace(slot, "%", "3", 2) + "\n## entry-1 · manual_save · 2026-01-01T10:00:00Z\n\na\n")
	files["ws-a/memory/d.md"] = []byte(strings.Replace(strings.Replace(slot, "%", "3", 1), "%", "4", 1) + "\n## entry-1 · manual_save · 2026-01-01T10:00:00Z\n\na\n")
	files["agents/a.md"] = []byte("---\nname: A\n---\n")
	files["agents/b.md"] = []byte("---\nid: b\n---\n")
	dir := enginetest.Place(t, files)
	e := enginetest.Open(t, enginetest.OpenDir(t, dir))
	_, found, err := e.Check(t.Context(), "ws-a")
	if err != nil {
		t.Fatal(err)
	}
	want := "ws-a/memory/b/same.md NAME_TAKEN, ws-a/memory/c.md NAME_TAKEN, ws-a/memory/c.md DUPLICATE_ID, ws-a/memory/d.md NAME_TAKEN, ws-a/memory/d.md DUPLICATE_ID, ws-a/sessions/s/Session.md FIELD_INVALID, ws-a/sessions/t/Session.md FRONT_MATTER_MISSING, ws-a/states/a.md DUPLICATE_ID, " +
		"ws-a/states/b.md DUPLICATE_ID, ws-a/states/state-c.md ID_MISSING"
	if got := listed(found); got != want {
		t.Errorf("found\n %s\nwant\n %s", got, want)
	}
	vault, err := e.CheckVault(t.Context())
	if err != nil || listed(vault.Diagnostics) != "agents/a.md ID_MISSING" {
		t.Errorf("of the vault: %v, error %v", vault, err)
	}
	m, err := e.Fix(t.Context(), "ws-a", plan.Act{})
	if err != nil || listed(m.Mended) != "ws-a/memory/c.md DUPLICATE_ID, ws-a/states/state-c.md ID_MISSING" {
		t.Fatalf("mended: %+v, error %v", m, err)
	}
	v, err := e.WithPages(t.Context(), "ws-a")
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := v.Pages().Get(mdstore.StateKind, "state-c"); !ok || p.Field(mdstore.KeyID) != "state-c" {
		t.Errorf("after the repair: %+v", p)
	}
}

// Of many files with one id each finding names a few: what check says grows with the files, not with their square.
func TestWhatManyCopiesShareIsSaidInShort(t *testing.T) {
	const copies = 100
	files := enginetest.Plan("ws-a", "node-a")
	for i := range copies {
		files[mdstore.Path(fmt.Sprintf("ws-a/memory/s%d.md", i))] = fmt.Appendf(nil, "---\nid: slot-1\nname: s%d\n---\n", i)
		files[mdstore.Path(fmt.Sprintf("ws-a/nodes/copy-%d/Node.md", i))] = files[mdstore.NodePath("ws-a", "node-a")]
	}
	e := enginetest.Open(t, enginetest.OpenDir(t, enginetest.Place(t, files)))
	_, found, err := e.Check(t.Context(), "ws-a")
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, d := range found {
		if d.Code == string(errs.DuplicateID) {
			told++
			if len(d.Text) > 400 || !strings.Contains(d.Text, " more") {
				t.Errorf("%s: %s", d.File, d.Text)
			}
		}
	}
	if told != 2*copies+1 {
		t.Errorf("%d findings, not %d", told, 2*copies+1)
	}
}

func listed(ds []mdoc.Diagnostic) string {
	var out []string
	for _, d := range ds {
		out = append(out, d.File+" "+d.Code)
	}
	return strings.Join(out, ", ")
}

// Of a slot that lies in two places with the same text, the one in use stays: not the archived one, and not the
// compressed one. An archived one that has more than the other is left to a person.
func TestCopiesOfASlotAreMended(t *testing.T) {
	files := enginetest.Plan("ws-a")
	slot := func(id, more string) []byte {
		return []byte("---\nid: slot-" + id + "\nname: n" + id + "\nupdatedAt: 5\n---\n\n## entry-1 · manual_save · 2026-01-01T10:00:00Z\n\na\n" + more)
	}
	for p, text := range map[mdstore.Path][]byte{
		"ws-a/memory/a.md": slot("1", ""), "ws-a/archive/memory/a.md.gz": slot("1", ""),
		"ws-a/memory/b.md": slot("2", ""), "ws-a/memory/b.md.gz": slot("2", ""),
		"ws-a/memory/c.md": slot("3", ""), "ws-a/archive/memory/c.md.gz": slot("3", "\n## entry-2 · manual_save · 2026-01-01T10:00:00Z\n\nb\n"),
	} {
		files[p] = mdstore.Stored(p, text)
	}
	e := enginetest.Open(t, enginetest.OpenDir(t, enginetest.Place(t, files)))
	m, err := e.Fix(t.Context(), "ws-a", plan.Act{})
	if want := "ws-a/archive/memory/a.md.gz DUPLICATE_ID, ws-a/memory/b.md.gz DUPLICATE_ID"; err != nil || listed(m.Mended) != want {
		t.Fatalf("mended: %v, want %s, error %v", listed(m.Mended), want, err)
	}
	_, found, err := e.Check(t.Context(), "ws-a")
	if want := "ws-a/archive/memory/c.md.gz DUPLICATE_ID, ws-a/memory/c.md DUPLICATE_ID"; err != nil || listed(found) != want {
		t.Errorf("left: %s, want %s, error %v", listed(found), want, err)
	}
}
