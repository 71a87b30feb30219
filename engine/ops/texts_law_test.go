package ops_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// Whatever sessions read and write and people save: a session replaces no text that differs from what it knows,
// everything that others wrote is kept, and no session is refused twice for one change.
func TestNoTextIsReplacedUnread(t *testing.T) {
	type key struct{ session, place int }
	type known struct {
		text string
		own  bool
	}
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 16))
		w := enginetest.New(t, textVault())
		all, now, knows := textPlaces(), map[int]string{}, map[key]known{}
		for i, p := range all {
			now[i] = "the " + p.name
		}
		envs := []*ops.Env{{Engine: w.Engine}, {Engine: w.Engine, Session: "1"}, {Engine: w.Engine, Session: "2"}}
		hows := []string{"get", "context", "context as Markdown"}
		refusals := 0
		for round := range 150 {
			s, i := rnd.IntN(len(envs)), rnd.IntN(len(all))
			p, text := all[i], fmt.Sprintf("text %d by %d", round, s)
			switch rnd.IntN(5) {
			case 0: // a person
				text = fmt.Sprintf("text %d by hand", round)
				byHand(t, w, p.file, now[i], text)
				now[i] = text
			case 1:
				readers[hows[rnd.IntN(len(hows))]](t, envs[s])
				for j := range all {
					if k := knows[key{s, j}]; k.text != now[j] {
						knows[key{s, j}] = known{text: now[j]}
					}
				}
			default:
				k, kept := knows[key{s, i}], len(keptFiles(w))
				read := s > 0 && k.text != ""
				out, err := call(t, envs[s], p.op, p.write(text))
				if read && k.text != now[i] {
					if err == nil || err.Code != errs.Conflicting || !strings.Contains(err.Details.Text, now[i]) {
						t.Fatalf("seed %d, round %d: session %d replaces the %s %q, and knows %q", seed, round, s, p.name, now[i], k.text)
					}
					knows[key{s, i}], refusals = known{text: now[i]}, refusals+1
					continue
				}
				if err != nil {
					t.Fatalf("seed %d, round %d: session %d knows the %s %q, and is refused: %v", seed, round, s, p.name, k.text, err)
				}
				if told := out["replaced"] != nil; told == read {
					t.Fatalf("seed %d, round %d: session %d is told of the %s: %v", seed, round, s, p.name, told)
				}
				if keeps := len(keptFiles(w)) > kept; keeps == (read && k.own) {
					t.Fatalf("seed %d, round %d: session %d, the %s kept: %v", seed, round, s, p.name, keeps)
				}
				now[i], knows[key{s, i}] = text, known{text, true}
			}
		}
		if refusals < 3 {
			t.Errorf("seed %d: only %d refusals", seed, refusals)
		}
	}
}
