package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	plans "arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

// severalWorld returns a vault with a random plan: below the root two planning nodes, one of them perhaps over, with
// execution nodes in all statuses.
func severalWorld(t *testing.T, rnd *rand.Rand) (*enginetest.World, []string) {
	ids, nodes := []string{
		"root",
		"p0",
		"p1",
	}, map[string][2]string{
		"root": {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
	}
	any := func(typ statemachine.Type) statemachine.Status {
		all := statemachine.Statuses(typ)
		return all[rnd.IntN(len(all))]
	}
	put := func(id, parent string, typ statemachine.Type, status statemachine.Status) {
		body := "## Log\n\n- [2026-01-01 10:00:00] [AI] created\n"
		if statemachine.Terminal(status) {
			body = "## Conclusion\n\nbefore\n\n" + body
		}
		nodes[id] = [2]string{fmt.Sprintf("title: T%s\ntype: %s\nstatus: %s\nparentId: %s", id, typ, status, parent), body}
	}
	put("p0", "root", statemachine.Planning, statemachine.Monitoring)
	put("p1", "root", statemachine.Planning, any(statemachine.Planning))
	for i := range 6 {
		id := fmt.Sprint("e", i)
		put(id, []string{"p0", "p0", "p1", "root"}[rnd.IntN(4)], statemachine.Execution, any(statemachine.Execution))
		ids = append(ids, id)
	}
	return enginetest.New(t, vault("", nodes)), ids
}

// A verb on several nodes does what it does on one after the other, or nothing if one of them is refused, with the
// error of that one.
func TestSeveralAreDoneTogetherOrNoneIs(t *testing.T) {
	verbs := map[string]func(*ops.Env, []string) error{
		"log": func(env *ops.Env, ids []string) error {
			_, err := ops.LogAppend(
				tctx,
				env,
				ops.LogAppendIn{NodeID: ids[0], Several: ops.Several{Nodes: ids[1:]}, Event: "seen"},
			)
			return err
		},
		"rm": func(env *ops.Env, ids []string) error {
			_, err := ops.NodeDelete(tctx, env, ops.NodeDeleteIn{NodeID: ids[0], Several: ops.Several{Nodes: ids[1:]}})
			return err
		},
		"mv": func(env *ops.Env, ids []string) error {
			_, err := ops.NodeMove(
				tctx,
				env,
				ops.NodeMoveIn{NodeID: ids[0], Several: ops.Several{Nodes: ids[1:]}, NewParentID: "p0"},
			)
			return err
		},
	}
	for _, do := range statemachine.Actions() {
		verbs[string(do)] = func(env *ops.Env, ids []string) error {
			_, err := ops.NodeTransition(
				tctx,
				env,
				ops.NodeTransitionIn{
					NodeID:     ids[0],
					Several:    ops.Several{Nodes: ids[1:]},
					Action:     string(do),
					Conclusion: "c",
					Begin:      true,
				},
			)
			return err
		}
	}
	done, none := 0, 0
	for seed := range uint64(1500) {
		names := []string{"start", "complete", "drop", "rm", "log", "mv", "retry", "reopen"}
		rnd := rand.New(rand.NewPCG(seed, 1))
		verb := names[rnd.IntN(len(names))]
		one, all := severalWorldPair(t, seed)
		ids := slices.Clone(all.ids)
		rnd.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ids = ids[:2+rnd.IntN(3)]
		if verb == "rm" { // one after the other, what hangs below another one is gone
			ids = slices.DeleteFunc(ids, func(id string) bool { return id[0] != 'e' })
		}
		if len(ids) < 2 {
			continue
		}
		var want error
		for _, id := range ids {
			if want = verbs[verb](&ops.Env{Engine: one.w.Engine}, []string{id}); want != nil {
				break
			}
		}
		before := all.w.Store.Files()
		got := verbs[verb](&ops.Env{Engine: all.w.Engine}, ids)
		where := fmt.Sprintf("seed %d: %s %v", seed, verb, ids)
		if want != nil {
			none++
			if got == nil || errs.As(got).Code != errs.As(want).Code {
				t.Errorf("%s\n got %v\nwant %v", where, got, want)
			}
			if d := enginetest.Diff(before, all.w.Store.Files()); len(d) > 0 {
				t.Errorf("%s is refused, but changes %v", where, d)
			}
			continue
		}
		if done++; got != nil {
			t.Errorf("%s: %v", where, got)
			continue
		}
		if d := lasting(enginetest.Diff(one.w.Store.Files(), all.w.Store.Files())); len(d) > 0 {
			t.Errorf("%s: one by one and together differ in %v", where, d)
		}
	}
	if done < 100 || none < 100 {
		t.Errorf("%d were done and %d refused", done, none)
	}
}

type severalOf struct {
	w   *enginetest.World
	ids []string
}

func severalWorldPair(t *testing.T, seed uint64) (one, all severalOf) {
	one.w, one.ids = severalWorld(t, rand.New(rand.NewPCG(seed, 2)))
	all.w, all.ids = severalWorld(t, rand.New(rand.NewPCG(seed, 2)))
	return one, all
}

// lasting leaves out what is kept about operations.
func lasting(paths []mdstore.Path) []mdstore.Path {
	return slices.DeleteFunc(paths, func(p mdstore.Path) bool { return p.Under(mdstore.LocalDir) })
}

// A node allows an action if and only if a dry run of it with a conclusion succeeds; drop is named where nothing else
// gives the node up, and neither is where children are open.
func TestWhatIsAllowedIsAccepted(t *testing.T) {
	offered := 0
	for seed := range uint64(200) {
		w, ids := severalWorld(t, rand.New(rand.NewPCG(seed, 3)))
		env := &ops.Env{Engine: w.Engine}
		v, err := w.View(tctx, ws)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			n, _ := v.Node(mdstore.ID(id))
			allowed := plans.Allowed(v, n, plans.AskSection)
			for _, do := range statemachine.Actions() {
				in := ops.NodeTransitionIn{NodeID: id, Action: string(do), Conclusion: "c", Write: ops.Write{DryRun: true}}
				_, err := ops.NodeTransition(tctx, env, in)
				is := slices.Contains(allowed, do)
				if is {
					offered++
				}
				if do == statemachine.Drop && slices.Contains(allowed, statemachine.GivesUp(n.Type)) {
					is = true
				}
				givesUp := do == statemachine.Drop || do == statemachine.GivesUp(n.Type)
				if givesUp && slices.ContainsFunc(v.Below(n.ID), func(k *mdstore.Node) bool {
					return !statemachine.Terminal(k.Status)
				}) {
					if is {
						t.Errorf("seed %d: %s has open children and is offered %s", seed, id, do)
					}
					continue
				}
				if is != (err == nil) {
					t.Errorf("seed %d: %s (%s %s) allows %v; %s: %v", seed, id, n.Type, n.Status, allowed, do, err)
				}
			}
		}
	}
	if offered < 500 {
		t.Errorf("only %d actions were offered", offered)
	}
}
