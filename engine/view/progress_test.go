package view_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// planOf makes a view of nodes that are given as "id parent type status".
func planOf(nodes []string) *view.View {
	files := plan("w")
	for i, n := range nodes {
		var id, parent, typ, status string
		fmt.Sscan(n, &id, &parent, &typ, &status)
		front := fmt.Sprintf("title: %s\ntype: %s\nstatus: %s\nparentId: %s\norder: %d", id, typ, status, parent, i)
		files[mdstore.NodePath("w", mdstore.ID(id))] = node(id, front, "")
	}
	v := viewOf(files)
	return v
}

// The cases in which progress was wrong: failed work counted as done, and what lies below a cancelled node as open
// for ever.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []string
		want  string
	}{
		{"an empty plan", nil, "0 of 0 done"},
		{"dropped work is not done", []string{"a root execution failed", "b root execution failed",
			"c root planning planning", "d c execution pending"},
			"0 of 1 done · 2 given up"},
		{"nothing below a cancelled node is needed", []string{"a root execution completed", "c root planning cancelled",
			"d c execution pending", "e c execution completed"},
			"2 of 2 done · 1 not needed"},
		{"groups are no work of their own", []string{"p root planning monitoring", "a p execution completed",
			"b p execution pending"}, "1 of 2 done"},
		{"a group without children is work", []string{"p root planning pending", "q root planning cancelled",
			"r root planning completed"}, "1 of 2 done · 1 given up"},
		{"a completed node freezes as well", []string{"p root planning completed", "q p planning cancelled",
			"a q execution implementing", "z root execution pending"},
			"0 of 1 done · 1 not needed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := planOf(c.nodes).Progress().String(); got != c.want {
				t.Errorf("%q: progress is %q, want %q", c.nodes, got, c.want)
			}
		})
	}
}

// Each leaf counts once, by what a look at it and at each node above it says.
func TestEveryLeafCountsOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		nodes, parents := []string{}, []string{"root"}
		for i := range rapid.IntRange(0, 12).Draw(rt, "nodes") {
			typ := rapid.SampledFrom(statemachine.Types()).Draw(rt, "type")
			status := rapid.SampledFrom(statemachine.Statuses(typ)).Draw(rt, "status")
			nodes = append(nodes, fmt.Sprintf("n%d %s %s %s", i, rapid.SampledFrom(parents).Draw(rt, "parent"), typ, status))
			if typ == statemachine.Planning {
				parents = append(parents, fmt.Sprint("n", i))
			}
		}
		v := planOf(nodes)
		var want statemachine.Outcomes
		for n := range v.All() {
			if n.ID == mdstore.Root || len(v.Children(n.ID)) > 0 {
				continue
			}
			frozen := false
			above, _ := v.Ancestors(n.ID)
			for _, a := range above {
				frozen = frozen || a.Status == "completed" || a.Status == "cancelled"
			}
			switch {
			case n.Status == "completed":
				want.Done++
			case n.Status == "failed" || n.Status == "cancelled":
				want.GivenUp++
			case frozen:
				want.NotNeeded++
			default:
				want.Open++
			}
		}
		if got := v.Progress(); got != want {
			rt.Errorf("%q: progress is %+v, want %+v", nodes, got, want)
		}
	})
}
