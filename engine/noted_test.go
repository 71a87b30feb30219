package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// A diskTeller has a watcher that tells what the test says.
type diskTeller struct {
	*dirstore.Store
	to chan mdstore.Watching
}

func (f *diskTeller) Watch(ctx context.Context, w mdstore.Watching) error {
	return (&teller{to: f.to}).Watch(ctx, w)
}

// Whatever happens to files and to what the store keeps of a session, a process that has its look in memory tells it the same as one that knows nothing but the store.
func TestLooksInMemoryTellTheSame(t *testing.T) {
	rounds, short, told := 120, 0, 0
	if !heavy {
		rounds = 40
	}
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		st := &diskTeller{onDisk(t, sized(20)), make(chan mdstore.Watching)}
		serving := opened(t, st)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); _ = serving.Follow(ctx, nil, nil) }()
		tell := <-st.to
		another := func(use func(*engine.Engine)) { // process
			st, err := dirstore.Open(st.Dir(), dirstore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			use(opened(t, st))
		}
		sessions := []string{"kept", "reference"}
		var did []string
		for range rounds {
			node := leaf(20 - rnd.IntN(5))
			name := filepath.Join(st.Dir(), filepath.FromSlash(string(mdstore.NodePath(benchWorkspace, node))))
			switch op := rnd.IntN(9); op {
			case 0, 1: // somebody saves a file
				did = append(did, fmt.Sprint("save ", node))
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				head, _, _ := bytes.Cut(data, []byte("\n## Note"))
				if err := os.WriteFile(name, fmt.Appendf(head, "\n## Note\n\n%d\n", rnd.IntN(3)), 0o644); err != nil {
					t.Fatal(err)
				}
				tell.Settled([]mdstore.Path{mdstore.NodePath(benchWorkspace, node)}, false)
			case 2, 3, 4, 5: // an operation, of the sessions themselves or of somebody else, in this process or in another one
				mine, own := rnd.IntN(2) > 0, rnd.IntN(3) > 0
				did = append(did, fmt.Sprintf("log %s, here %t, own %t", node, mine, own))
				act := func(e *engine.Engine) {
					_, out, err := e.AppendLog(t.Context(), benchWorkspace, node, "something", engine.Act{})
					if err != nil {
						t.Fatal(err)
					}
					for _, s := range sessions {
						if !own {
							break
						}
						if err := e.NoteOwn(t.Context(), benchWorkspace, s, out); err != nil {
							t.Fatal(err)
						}
					}
				}
				if mine {
					act(serving)
				} else {
					another(act)
				}
			case 6: // another process of the same sessions tells them what changed
				did = append(did, "told elsewhere")
				another(func(e *engine.Engine) {
					for _, s := range sessions {
						if _, err := e.Changes(t.Context(), benchWorkspace, s, func(all []engine.Difference) int { return len(all) / 2 }); err != nil {
							t.Fatal(err)
						}
					}
				})
			case 7:
				if rnd.IntN(4) == 0 {
					did = append(did, "forgotten elsewhere")
					another(func(e *engine.Engine) {
						for _, s := range sessions {
							if _, err := e.Bind(t.Context(), engine.Binding{SessionID: s, WorkspaceID: benchWorkspace}, engine.Act{}); err != nil {
								t.Fatal(err)
							}
							if _, err := e.Unbind(t.Context(), s, engine.Act{}); err != nil {
								t.Fatal(err)
							}
						}
					})
				}
			}
			var take func([]engine.Difference) int
			if rnd.IntN(6) == 0 {
				few := rnd.IntN(3)
				take = func(all []engine.Difference) int { return max(0, len(all)-few) }
			}
			if snap, err := serving.Current(t.Context(), benchWorkspace); err == nil && take == nil && serving.Nearby("kept", snap) {
				short++
			}
			got, err := serving.Changes(t.Context(), benchWorkspace, "kept", take)
			if err != nil {
				t.Fatal(err)
			}
			another(func(e *engine.Engine) {
				want, err := e.Changes(t.Context(), benchWorkspace, "reference", take)
				if err != nil {
					t.Fatal(err)
				}
				if told += len(got.Differences); !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: told of %+v; want %+v; it did %q", seed, got, want, did[max(0, len(did)-12):])
				}
			})
		}
		stop()
		<-done
	}
	if short < rounds/2 || told < rounds {
		t.Errorf("%d times not all of the files were looked at, and %d changes told: too few for this to say anything", short, told)
	}
}
