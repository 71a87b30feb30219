package sessions_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

const ws = mdstore.ID("ws-a")

func takeAll(all []view.Difference) int { return len(all) }

// looked has a session look, and reports whether it was for the first time.
func looked(t *testing.T, e *engine.Engine, session string, take func([]view.Difference) int) bool {
	t.Helper()
	seen, err := e.Changes(t.Context(), ws, session, take)
	if err != nil || seen.Unnoted != nil {
		t.Fatal(err, seen)
	}
	return seen.First
}

// seenFiles returns where the files lie of what sessions have seen.
func seenFiles(st enginetest.Vault) (out []mdstore.Path) {
	for p := range st.Files() {
		if p.Under(".local/seen") {
			out = append(out, p)
		}
	}
	return out
}

// Whatever people, sessions and other writers do to files, a session that is kept in memory is told the same as one
// whose file is in the store, also when that one is asked by a process that knows nothing but the store.
func TestSeenStatesTellTheSameInMemoryAndFromTheStore(t *testing.T) {
	rounds, changes := 200, 0
	if enginetest.Heavy {
		rounds = 4000
	}
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		w, tell := enginetest.Followed(t, enginetest.Plan(ws, "node-a", "node-b"))
		defer w.Attend("attended")()
		any := func() mdstore.ID { return []mdstore.ID{"root", "node-a", "node-b", "node-c"}[rnd.IntN(4)] }
		var did []string
		for round := range rounds {
			p := mdstore.NodePath("ws-a", any())
			switch op := rnd.IntN(14); op {
			case 0, 1, 2: // a person saves a file, or makes one
				id := any()
				if rnd.IntN(3) > 0 {
					id = mdstore.ID(p.Dir().Base())
				}
				did = append(did, fmt.Sprint("save ", p, " as ", id))
				w.Store.Put(p, enginetest.Node(string(id), "title: T\ntype: planning\nstatus: pending\nparentId: root",
					fmt.Sprint("## Note\n\n", rnd.IntN(3), "\n")))
				tell.Settled([]mdstore.Path{p}, false)
			case 3: // and damages it
				did = append(did, fmt.Sprint("damage ", p))
				w.Store.Put(p, []byte([]string{"", "---\nid: [\n---\n", "text"}[rnd.IntN(3)]))
				tell.Settled([]mdstore.Path{p}, false)
			case 4:
				if p.Dir().Base() != "root" {
					did = append(did, fmt.Sprint("remove ", p))
					w.Store.Put(p, nil)
					tell.Settled([]mdstore.Path{p, p.Dir()}, false)
				}
			case 5:
				did = append(did, "workspace")
				w.Store.Put(mdstore.WorkspacePath("ws-a"), fmt.Appendf(nil, "---\nid: ws-a\nname: A\ngoal: g%d\nstatus: active\n---\n", rnd.IntN(3)))
				tell.Settled([]mdstore.Path{mdstore.WorkspacePath("ws-a")}, false)
			case 6:
				did = append(did, "all")
				tell.Settled(nil, true)
			case 7, 8, 9: // an operation, of the sessions themselves or of another one
				own := rnd.IntN(2) > 0
				did = append(did, fmt.Sprint("log ", p, " own ", own))
				op := plan.AppendLog{Node: mdstore.ID(p.Dir().Base()), Event: "something"}
				_, out, err := engine.Apply(t.Context(), w.Engine, ws, plan.Act{}, op)
				if err != nil || !own {
					break
				}
				for _, s := range []string{"attended", "kept"} {
					if err := w.NoteOwn(t.Context(), ws, s, out); err != nil {
						t.Fatal(err)
					}
				}
			}
			var take func([]view.Difference) int
			if rnd.IntN(4) == 0 {
				few := rnd.IntN(3)
				take = func(all []view.Difference) int { return max(0, len(all)-few) }
			}
			got, err := w.Changes(t.Context(), ws, "attended", take)
			want, err2 := askAnew(t, w, "kept", take)
			if fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("seed %d, round %d: %v; from the store %v; it did %v", seed, round, err, err2, did)
			}
			if err != nil {
				continue
			}
			if changes += len(got.Differences); !reflect.DeepEqual(got.Differences, want) {
				t.Fatalf("seed %d, round %d: told of %+v; want %+v; it did %v", seed, round, got.Differences, want, did[max(0, len(did)-12):])
			}
		}
	}
	if changes < rounds {
		t.Errorf("%d changes told: too few for this to say anything", changes)
	}
}

// askAnew returns what a session is told by a process that knows nothing but the store, over the view that w has.
func askAnew(t *testing.T, w *enginetest.World, session string, take func([]view.Difference) int) ([]view.Difference, error) {
	t.Helper()
	v, err := w.View(t.Context(), ws)
	if err != nil {
		return nil, err
	}
	ds, _, err := sessions.NewSeen(w.Store, w.Now).Changes(t.Context(), session, v, take)
	if err != nil {
		t.Fatal(err)
	}
	return ds, nil
}

// However many sessions come and never come back, the files of the last ones are kept.
func TestSeenFilesDoNotPileUp(t *testing.T) {
	w := enginetest.New(t, enginetest.Plan(ws, "node-a"))
	st := &dated{Vault: w.Store, at: map[mdstore.Path]time.Time{}, now: w.Now}
	e, err := engine.Open(t.Context(), st, engine.Options{Now: w.Now})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		w.Tick(time.Minute)
		if !looked(t, e, fmt.Sprint("s", i), nil) {
			t.Errorf("session %d has looked before", i)
		}
	}
	if n := len(seenFiles(w.Store)); n != 64 {
		t.Errorf("after 100 sessions the files of 64 are to be kept, and there are %d", n)
	}
	if looked(t, e, "s99", nil) || looked(t, e, "s37", nil) {
		t.Error("one of the latest sessions has not looked before")
	}
	if !looked(t, e, "s0", nil) {
		t.Error("the first of 100 sessions has looked before")
	}
}

// What a session has seen that has not written its file for two weeks goes when the next one looks for the first time.
func TestSeenFilesOfTheAbsentGo(t *testing.T) {
	w := enginetest.New(t, enginetest.Plan(ws, "node-a"))
	st := &dated{Vault: w.Store, at: map[mdstore.Path]time.Time{}, now: w.Now}
	e, err := engine.Open(t.Context(), st, engine.Options{Now: w.Now})
	if err != nil {
		t.Fatal(err)
	}
	looked(t, e, "gone", takeAll)
	w.Tick(10 * 24 * time.Hour)
	looked(t, e, "here", takeAll)
	w.Tick(10 * 24 * time.Hour)
	looked(t, e, "new", takeAll)
	if n := len(seenFiles(w.Store)); n != 2 || looked(t, e, "here", nil) || !looked(t, e, "gone", nil) {
		t.Errorf("what three sessions have seen, of which one has not looked for 20 days: %d files", n)
	}
}

// dated is a store whose files of .local have the time at which they were written.
type dated struct {
	enginetest.Vault
	at  map[mdstore.Path]time.Time
	now func() time.Time
}

func (d *dated) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	d.at[name] = d.now()
	return d.Vault.WriteLocal(ctx, name, data)
}

func (d *dated) ListLocal(ctx context.Context, dir mdstore.Path) ([]mdstore.LocalFile, error) {
	out, err := d.Vault.ListLocal(ctx, dir)
	for i := range out {
		out[i].Stamp.Mtime = d.at[dir.Join(out[i].Name)].UnixNano()
	}
	return out, err
}

// A file of which a byte is not as it was written, or is missing, is none: the session looks for the first time.
func TestDamagedSeenFilesAreNone(t *testing.T) {
	w := enginetest.New(t, enginetest.Plan(ws, "node-a"))
	looked(t, w.Engine, "s", takeAll)
	files := seenFiles(w.Store)
	if len(files) != 1 || looked(t, w.Engine, "s", nil) {
		t.Fatalf("what the session has seen: %v", files)
	}
	whole := w.Store.Files()[files[0]]
	for i := range whole {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 1 << (i % 8)
		for _, data := range [][]byte{flipped, whole[:i]} {
			w.Store.Put(files[0], data)
			if !looked(t, w.Engine, "s", nil) {
				t.Fatalf("byte %d of %d is another one or missing, and the file is read: %d bytes", i, len(whole), len(data))
			}
		}
	}
	w.Store.Put(files[0], []byte(`{"workspace":"ws-a","parts":1,"files":{}}`))
	if !looked(t, w.Engine, "s", nil) {
		t.Error("a file of another form is read")
	}
}

// A look that takes nothing as seen writes nothing.
func TestALookThatTakesNothingWritesNothing(t *testing.T) {
	w := enginetest.New(t, enginetest.Plan(ws, "node-a"))
	looked(t, w.Engine, "s", takeAll)
	w.Store.Put(mdstore.NodePath("ws-a", "node-a"), enginetest.Step("node-a", "failed", ""))
	w.Refresh()
	before := w.Store.Files()
	for range 3 {
		seen, err := w.Changes(t.Context(), ws, "s", nil)
		if err != nil || len(seen.Differences) != 1 {
			t.Errorf("told of %+v, error %v", seen, err)
		}
	}
	if after := w.Store.Files(); !reflect.DeepEqual(before, after) {
		t.Error("a look that takes nothing has written")
	}
}

// A session that is unbound leaves nothing behind, and looks for the first time when it comes back.
func TestUnbindForgetsWhatWasSeen(t *testing.T) {
	w := enginetest.New(t, enginetest.Plan(ws, "node-a"))
	for _, s := range []string{"s1", "s2"} {
		if _, err := w.Bind(t.Context(), sessions.Binding{SessionID: s, WorkspaceID: ws}, plan.Act{}); err != nil {
			t.Fatal(err)
		}
		looked(t, w.Engine, s, takeAll)
	}
	if _, err := w.Unbind(t.Context(), "s1", plan.Act{DryRun: true}); err != nil || looked(t, w.Engine, "s1", nil) {
		t.Errorf("a dry run forgets what was seen, or fails: %v", err)
	}
	if _, err := w.Unbind(t.Context(), "s1", plan.Act{}); err != nil {
		t.Fatal(err)
	}
	if n := len(seenFiles(w.Store)); n != 1 || looked(t, w.Engine, "s2", nil) {
		t.Errorf("after one of two is unbound there are %d files", n)
	}
	if !looked(t, w.Engine, "s1", nil) {
		t.Error("unbound, the session has looked before")
	}
}

// A session that writes to a file which others have changed, made or moved since it last looked is still told of that,
// and not of what it wrote itself.
func TestOwnChangesDoNotHideWhatOthersMade(t *testing.T) {
	w := enginetest.New(t, enginetest.Plan(ws, "node-a", "node-c", "node-d"))
	defer w.Attend("attended")()
	all := []string{"attended", "kept"}
	for _, s := range all {
		looked(t, w.Engine, s, nil)
	}
	was := w.Store.Files()[mdstore.NodePath("ws-a", "node-a")]
	w.Store.Put("ws-a/nodes/node-b/Node.md", enginetest.Step("node-b", "pending", ""))
	w.Store.Put("ws-a/nodes/node-a/Node.md", nil)
	w.Store.Put("ws-a/nodes/moved/Node.md", was)
	w.Store.Put("ws-a/nodes/node-c/Node.md", enginetest.Step("node-c", "pending", "## Note\n\nof another\n"))
	w.Refresh()
	for _, id := range []mdstore.ID{"node-a", "node-b", "node-c", "node-d"} {
		_, out, err := engine.Apply(t.Context(), w.Engine, ws, plan.Act{}, plan.AppendLog{Node: id, Event: "mine"})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if err := w.NoteOwn(t.Context(), ws, s, out); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range all {
		seen, err := w.Changes(t.Context(), ws, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range seen.Differences {
			got = append(got, strings.TrimSpace(fmt.Sprint(d.Kind, " ", d.Node, " ", strings.Join(d.Sections, " "))))
		}
		if want := "moved node-a Log, created node-b, changed node-c Note"; strings.Join(got, ", ") != want {
			t.Errorf("%s: told of %q, want %q", s, got, want)
		}
	}
}
