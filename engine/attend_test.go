package engine_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// Whatever happens to files, a session that is attended, which looks at those alone that may have changed, is told the same as one whose note is kept in the store, for which all of them are compared.
func TestAttendedSessionsAreToldTheSame(t *testing.T) {
	const ws = "ws-a"
	rounds, short, changes := 400, 0, 0
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		w, tell := told(t)
		leave := w.Attend("attended")
		defer leave()
		anyone := func() mdstore.ID { return []mdstore.ID{"root", "node-a", "node-b", "node-c"}[rnd.IntN(4)] }
		var did []string
		for round := range rounds {
			p := mdstore.NodePath(ws, anyone())
			switch op := rnd.IntN(14); op {
			case 0, 1, 2: // somebody saves a file, or makes one
				id := anyone()
				if rnd.IntN(3) > 0 {
					id = mdstore.ID(p.Dir().Base())
				}
				did = append(did, fmt.Sprint("save ", p, " as ", id))
				save(t, w, p, enginetest.Node(string(id), "title: T\ntype: planning\nstatus: pending\nparentId: root", fmt.Sprint("## Note\n\n", rnd.IntN(3), "\n")))
				tell.Settled([]mdstore.Path{p}, false)
			case 3: // and makes nonsense of it
				did = append(did, fmt.Sprint("damage ", p))
				save(t, w, p, []byte([]string{"", "---\nid: [\n---\n", "text"}[rnd.IntN(3)]))
				tell.Settled([]mdstore.Path{p}, false)
			case 4:
				if _, there := w.Store.Files()[p]; there && p.Dir().Base() != "root" {
					did = append(did, fmt.Sprint("remove ", p))
					save(t, w, p, nil)
					tell.Settled([]mdstore.Path{p, p.Dir()}, false)
				}
			case 5:
				did = append(did, "workspace")
				save(t, w, ws+"/Workspace.md", fmt.Appendf(nil, "---\nid: ws-a\nname: A\ngoal: g%d\nstatus: active\n---\n", rnd.IntN(3)))
				tell.Settled([]mdstore.Path{ws + "/Workspace.md"}, false)
			case 6:
				did = append(did, "all")
				tell.Settled(nil, true)
			case 7, 8, 9: // an operation, of the sessions themselves or of somebody else
				own := rnd.IntN(2) > 0
				did = append(did, fmt.Sprint("log ", p, " own ", own))
				_, out, err := w.AppendLog(t.Context(), ws, mdstore.ID(p.Dir().Base()), "something", engine.Act{})
				if err != nil || !own {
					break
				}
				for _, s := range []string{"attended", "noted"} {
					if err := w.NoteOwn(t.Context(), ws, s, out); err != nil {
						t.Fatal(err)
					}
				}
			}
			var take func([]engine.Difference) int
			if rnd.IntN(4) == 0 {
				few := rnd.IntN(3)
				take = func(all []engine.Difference) int { return max(0, len(all)-few) }
			}
			if snap, err := w.Snapshot(t.Context(), ws); err == nil && take == nil && w.Nearby("attended", snap) {
				short++
			}
			got, err := w.Changes(t.Context(), ws, "attended", take)
			want, err2 := w.Changes(t.Context(), ws, "noted", take)
			if fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("seed %d, round %d: %v; for the other session %v; it did %v", seed, round, err, err2, did)
			}
			if err != nil {
				continue
			}
			if changes += len(got.Differences); !reflect.DeepEqual(got.Differences, want.Differences) {
				t.Fatalf("seed %d, round %d: told of %+v; want %+v; it did %v", seed, round, got.Differences, want.Differences, did[max(0, len(did)-12):])
			}
		}
	}
	if short < rounds/4 || changes < rounds {
		t.Errorf("%d times not all of the files were looked at, and %d changes told: too few for this to say anything", short, changes)
	}
}
