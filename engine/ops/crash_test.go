package ops_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/mdstore/memstore"
)

// The power fails at every step of the commit of every operation that writes, and each call to the disk fails once;
// with no other program at the files, and with all of them open in an editor. After recovery the commit is made or not,
// never half.
func TestCrashes(t *testing.T) {
	states, bad, asked, ran := 0, 0, 0, 0
	opt, open := crashtest.Options{Limit: 16}, crashtest.Options{Limit: 6}
	least := 2500
	if enginetest.Raced() { // the states are the same without the race detector
		opt.Limit, open.Limit, least = 6, 2, 1000
	}
	if heavy {
		least = 20_000
		opt.Limit, open.Limit = 2000, 500
	}
	for _, o := range ops.WithoutGit() {
		calls := samples[o.Name]
		if o.Writes && len(calls) == 0 {
			t.Errorf("%s writes, and has no sample here", o.Name)
		}
		for i, args := range calls {
			asked++
			t.Run(fmt.Sprintf("%s/%d", o.Name, i), func(t *testing.T) {
				ran++
				var r *recorder
				w := enginetest.Over(t, memstore.New(plan()), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
					r = &recorder{Store: st}
					return r
				})
				must(t, &ops.Env{Engine: w.Engine}, o.Name, args)
				if commits := !forThisMachine[o.Name]; commits != (len(r.commits) > 0) {
					t.Fatalf("%s(%v) makes %d commits", o.Name, args, len(r.commits))
				}
				if len(r.commits) > 1 {
					t.Errorf("%s(%v) makes %d commits; a crash between them leaves half of it", o.Name, args, len(r.commits))
				}
				for _, c := range r.commits {
					// Once more with every file that is written or removed open in an editor, which may save it after
					// the commit.
					open.Open = nil
					for _, ch := range c.changes {
						if _, there := c.before[ch.Path]; there && !ch.Keep {
							open.Open = append(open.Open, ch.Path)
						}
					}
					results := []crashtest.Result{
						crashtest.Explore(t, c.before, c.changes, opt),
						crashtest.Explore(t, c.before, c.changes, open),
						crashtest.Faults(t, c.before, c.changes, crashtest.Options{}),
					}
					if heavy {
						results = append(results, crashtest.Explore(t, c.before, c.changes, crashtest.Options{Limit: 60, Deep: true}))
					}
					for _, res := range results {
						states, bad = states+res.States, bad+res.Bad
						if res.Bad > 0 {
							t.Errorf("%d of %d states are bad; the first: %s", res.Bad, res.States, res.First)
						}
					}
				}
			})
		}
	}
	t.Logf("states %d bad %d", states, bad)
	if ran == asked && states < least {
		t.Errorf("%d states are too few to trust in", states)
	}
}

// A dry run of every sample writes nothing, and plans what the operation then does.
func TestDryRunWritesNothing(t *testing.T) {
	for _, o := range ops.WithoutGit() {
		if !slices.ContainsFunc(o.Params(), func(p ops.Param) bool { return p.Name == "dryRun" }) {
			if o.Writes && !forThisMachine[o.Name] {
				t.Errorf("%s changes the plan, and cannot be planned", o.Name)
			}
			continue
		}
		for _, args := range samples[o.Name] {
			w := enginetest.New(t, plan())
			env := &ops.Env{Engine: w.Engine}
			before := w.Store.Files()
			dry := maps.Clone(args)
			dry["dryRun"] = true
			planned := must(t, env, o.Name, dry)
			if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 || planned["diff"] == "" {
				t.Errorf("%s(%v): a dry run changes %v; its diff is %q", o.Name, dry, d, planned["diff"])
			}
			w2 := enginetest.New(t, plan())
			done := must(t, &ops.Env{Engine: w2.Engine}, o.Name, args)
			if fmt.Sprint(planned["files"]) != fmt.Sprint(done["files"]) {
				t.Errorf("%s(%v): planned\n%v\ndone\n%v", o.Name, args, planned["files"], done["files"])
			}
		}
	}
}

// Operations that the catalogue calls idempotent change nothing the second time.
func TestTwiceIsOnce(t *testing.T) {
	for _, o := range ops.WithoutGit() {
		if !o.Idempotent || !o.Writes || o.Name == "workspace_check" {
			continue
		}
		for _, args := range samples[o.Name] {
			w := enginetest.New(t, plan())
			env := &ops.Env{Engine: w.Engine}
			must(t, env, o.Name, args)
			once := w.Store.Files()
			w.Tick(1e9)
			if out := must(t, env, o.Name, args); out["changed"] != false {
				t.Errorf("%s(%v) a second time: changed is %v", o.Name, args, out["changed"])
			}
			if d := enginetest.Diff(once, w.Store.Files()); len(d) > 0 {
				t.Errorf("%s(%v) a second time changes %v", o.Name, args, d)
			}
		}
	}
}
