package engine

import (
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// TestLoggedReadsBack writes every change of a status that there is as an entry of a log, in a document, and reads it back.
func TestLoggedReadsBack(t *testing.T) {
	var all []logged
	kind := map[logged][]statemachine.Type{}
	for _, r := range statemachine.Rules() {
		l := logged{By: string(r.Do), From: r.From, To: r.To}
		all, kind[l] = append(all, l), append(kind[l], r.Type)
	}
	for _, ty := range statemachine.Types() {
		l := logged{By: byCreation, To: statemachine.Initial(ty)}
		all, kind[l] = append(all, l), append(kind[l], ty)
		for _, from := range statemachine.Statuses(ty) {
			for _, to := range statemachine.Statuses(ty) {
				l := logged{By: byHand, From: from, To: to}
				all, kind[l] = append(all, l), append(kind[l], ty)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		l := rapid.SampledFrom(all).Draw(rt, "change")
		ty := rapid.SampledFrom(kind[l]).Draw(rt, "type")
		l.Why = rapid.SampledFrom([]string{"", "tests pass", "a; b: c → d", "child node-1 created", "→", "all of it; again", "第一步"}).Draw(rt, "why")
		n := logOf(rt, ty, l.To, mdstore.FormatLog("2026-01-01 10:00:00", "AI", l.String()))
		if got := lastLogged(n); len(got) != 1 || got[0] != l {
			rt.Errorf("%q of a %s node reads back as %+v, want %+v", l.String(), ty, got, l)
		}
	})
}

// TestLoggedIsNothingElse reads entries that are none of Arbor's about a status.
func TestLoggedIsNothingElse(t *testing.T) {
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

func logOf(t rapid.TB, ty statemachine.Type, status statemachine.Status, items ...string) *mdstore.Node {
	doc, _, err := mdoc.Compose("ws/nodes/a/Node.md", mdstore.NodeForm, []mdoc.FieldValue{
		{Key: mdstore.KeyID, Value: mdoc.Text("a")}, {Key: mdstore.KeyType, Value: mdoc.Text(string(ty))}, {Key: mdstore.KeyStatus, Value: mdoc.Text(string(status))},
	}, []mdoc.SectionText{{Name: mdstore.SecLog, Items: items}})
	if err != nil {
		t.Fatal(err)
	}
	return mdstore.ParseNode(mdstore.File{Path: "ws/nodes/a/Node.md", Data: doc.Bytes()})
}

// TestCreatedOnce puts "created", as somebody's own entry, behind the life of a node, whatever the clocks say.
func TestCreatedOnce(t *testing.T) {
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
	if got := lastLogged(n); len(got) != 1 || got[0].By != byCreation {
		t.Errorf("a node that was only created: %+v", got)
	}
}
