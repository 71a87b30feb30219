package mdstore

import (
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// Every change of a status that there is reads back from the log of a document as it was written.
func TestStatusChangesReadBack(t *testing.T) {
	var all []StatusChange
	kind := map[StatusChange][]statemachine.Type{}
	for _, r := range statemachine.Rules() {
		l := StatusChange{By: string(r.Do), From: r.From, To: r.To}
		all, kind[l] = append(all, l), append(kind[l], r.Type)
	}
	for _, ty := range statemachine.Types() {
		l := StatusChange{By: ByCreation, To: statemachine.Initial(ty)}
		all, kind[l] = append(all, l), append(kind[l], ty)
		for _, from := range statemachine.Statuses(ty) {
			for _, to := range statemachine.Statuses(ty) {
				l := StatusChange{By: ByHand, From: from, To: to}
				all, kind[l] = append(all, l), append(kind[l], ty)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		l := rapid.SampledFrom(all).Draw(rt, "change")
		ty := rapid.SampledFrom(kind[l]).Draw(rt, "type")
		l.Why = rapid.SampledFrom([]string{"", "tests pass", "a; b: c → d", "child node-1 created", "→", "all of it; again", "第一步"}).Draw(rt, "why")
		n := logOf(rt, ty, l.To, FormatLog("2026-01-01 10:00:00", "AI", l.String()))
		if got := lastLogged(n); len(got) != 1 || got[0] != l {
			rt.Errorf("%q of a %s node reads back as %+v, want %+v", l.String(), ty, got, l)
		}
	})
}

// Entries that are not of the form that StatusChange writes are no changes of a status.
func TestOtherEntriesAreNoStatusChange(t *testing.T) {
	for _, item := range []string{
		"[2026-01-01 10:00:00] [AI] looked at it",
		"[2026-01-01 10:00:00] [AI] pending → implementing",
		"[2026-01-01 10:00:00] [AI] begin: pending → implementing",
		"[2026-01-01 10:00:00] [AI] start: pending → done",
		"[2026-01-01 10:00:00] [AI] start: pending → monitoring",
		"[2026-01-01 10:00:00] [AI] start: pending -> implementing",
		"[2026-01-01 10:00:00] [AI] moved: root → node-1",
		"[2026-01-01 10:00:00] [AI] created the workspace",
		"start: pending → implementing",
		"[2026-01-01] [AI] start: pending → implementing",
		"[2026-01-01 10:00:00] start: pending → implementing",
	} {
		if got := lastLogged(logOf(t, statemachine.Execution, statemachine.Pending, item)); got != nil {
			t.Errorf("%q is read as %+v", item, got)
		}
	}
}

func logOf(t rapid.TB, ty statemachine.Type, status statemachine.Status, items ...string) *Node {
	doc, _, err := mdoc.Compose("ws/nodes/a/Node.md", NodeForm, []mdoc.FieldValue{
		{Key: KeyID, Value: mdoc.Text("a")}, {Key: KeyType, Value: mdoc.Text(string(ty))}, {Key: KeyStatus, Value: mdoc.Text(string(status))},
	}, []mdoc.SectionText{{Name: SecLog, Items: items}})
	if err != nil {
		t.Fatal(err)
	}
	return ParseNode(File{Path: "ws/nodes/a/Node.md", Data: doc.Bytes()})
}

// "created" behind another change is a person's own word, whatever the clocks say.
func TestANodeIsCreatedOnce(t *testing.T) {
	for _, born := range [][]string{nil, {"[2026-01-01 10:00:00] [AI] created"}, {"[2026-01-01 23:00:00] [AI] created"}} {
		for _, word := range []string{"created", "created; tables users"} {
			for _, at := range []string{"09:00:00", "12:00:00"} {
				n := logOf(t, statemachine.Execution, statemachine.Completed, append(born[:len(born):len(born)],
					"[2026-01-01 10:00:01] [AI] start: pending → implementing",
					"[2026-01-01 11:00:00] [AI] complete: implementing → completed",
					"[2026-01-01 "+at+"] [Human] "+word)...)
				if got := lastLogged(n); len(got) != 1 || got[0].To != statemachine.Completed {
					t.Errorf("created as %q, and %q at %s: the last change is %+v", born, word, at, got)
				}
			}
		}
	}
	n := logOf(t, statemachine.Execution, statemachine.Completed, "[2026-01-01 10:00:00] [AI] created")
	if got := lastLogged(n); len(got) != 1 || got[0].By != ByCreation {
		t.Errorf("a node that was only created: %+v", got)
	}
}
