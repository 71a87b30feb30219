package ops_test

import (
	"fmt"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore/dirstore/crashtest"
)

// together draws writes of a person, the engine that follows and another process at the same time, each to a node of
// its own: none is lost.
func (l *followed) together() (string, func()) {
	var free []string // nodes that take writes and have no children
	for _, id := range l.model.ids() {
		if _, why := l.model.try(func(r *reference) { r.sound(id) }); why == "" && len(l.model.children(id)) == 0 {
			free = append(free, l.model.dirs(id)[0])
		}
	}
	if len(free) < 3 {
		return l.operate()
	}
	slices.Sort(free)
	three := rapid.Permutation(free).Draw(l.rt, "nodes")[:3]
	h, times := l.way(), rapid.IntRange(1, 3).Draw(l.rt, "times")
	what := fmt.Sprintf("together: a save of %s %s, logs of %s and, by another, of %s", three[0], h.name, three[1], three[2])
	return what, func() {
		ids := []string{l.model.files[three[1]].id, l.model.files[three[2]].id}
		failed := make(chan error, 2)
		var all sync.WaitGroup
		all.Go(func() { failed <- l.logs(&ops.Env{Engine: l.e}, ids[0], times) })
		all.Go(func() {
			l.another(&crashtest.Life{}, func(env *ops.Env) { failed <- l.logs(env, ids[1], times) })
		})
		for range times {
			v := l.name("meanwhile")
			l.save(l.nodeFile(three[0]), h, field("title", v))
			l.model.edit(three[0], func(n *ref) { n.title = v })
		}
		all.Wait()
		for range cap(failed) {
			l.must(<-failed)
		}
		for _, dir := range three[1:] {
			for i := range times {
				l.model.logged(dir, "time %d", i)
			}
		}
	}
}

// logs adds to the log of a node.
func (l *followed) logs(env *ops.Env, id string, times int) error {
	o, _ := ops.Find("log_append")
	for i := range times {
		if _, err := o.Call(tctx, env, enginetest.Args(map[string]any{"workspaceId": ws, "nodeId": id, "operator": "AI", "event": fmt.Sprint("time ", i)})); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return nil
}
