package mcpserv

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// report gathers what a report on a workspace is written from.
func report(ctx context.Context, s *Server, env *ops.Env, args map[string]string) (*letter, error) {
	snap, err := workspaceOf(ctx, env, args)
	if err != nil {
		return nil, err
	}
	w := snap.Workspace()
	l := &letter{}
	l.say("Write a report on Arbor workspace %s for people who have not followed the work. What it is written from stands below. %s", w.ID, quoting)
	l.say("Write:")
	l.steps(
		"the goal, and how near it is, in one paragraph;",
		"what was reached, grouped by what it means for the reader and not node by node;",
		"what is being worked on and what is open;",
		"what stands in the way, and who has to do what about it;",
		"what should be done next.",
	)
	l.say("Say only what the material says, and name the node's id beside each claim. What a conclusion leaves open, leave open. The reader's language is that of the goal.")
	l.say("Name and goal:")
	l.item(string(w.ID), w.Name)
	l.quote(w.Goal, 2000)
	l.counts(snap)
	l.running(snap)
	l.problems(snap)
	l.conclusions(snap, s.replyRoom()-1000)
	return l, nil
}

// counts says how many nodes are in which status.
func (l *letter) counts(snap *engine.Snapshot) {
	by := map[statemachine.Status]int{}
	total, odd := 0, 0
	for _, n := range snap.Walk(mdstore.Root) {
		if total++; statemachine.Valid(n.Type, n.Status) {
			by[n.Status]++
		} else {
			odd++
		}
	}
	var parts []string
	for _, t := range statemachine.Types() {
		for _, st := range statemachine.Statuses(t) {
			if by[st] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", by[st], st))
				delete(by, st) // types share statuses
			}
		}
	}
	if odd > 0 {
		parts = append(parts, fmt.Sprintf("%d without a valid status", odd))
	}
	l.say("%s: %s.", plural(total, "node"), strings.Join(parts, ", "))
}

// running names the work that is under way.
func (l *letter) running(snap *engine.Snapshot) {
	var open []*mdstore.Node
	for _, n := range snap.Walk(mdstore.Root) {
		if n.Type == statemachine.Execution && statemachine.Valid(n.Type, n.Status) && !statemachine.Terminal(n.Status) && n.Status != statemachine.Initial(n.Type) {
			open = append(open, n)
		}
	}
	if len(open) == 0 {
		l.say("No execution node is being worked on.")
		return
	}
	l.say("Being worked on:")
	for _, n := range open[:min(shownItems, len(open))] {
		l.node(n)
	}
	l.rest(len(open)-shownItems, "node_list with status implementing and validating")
}

// conclusions quotes what came of the nodes that are over, in tree order, as far as they fit into room bytes of JSON with all before them: those near the root first,
// whose conclusions draw together those below.
func (l *letter) conclusions(snap *engine.Snapshot, room int) {
	const most = 2000 // bytes of one
	type result struct {
		depth int
		node  *mdstore.Node
		text  string
	}
	var all []result
	for depth, n := range snap.Walk(mdstore.Root) {
		if c := n.Conclusion(); c != "" && statemachine.Terminal(n.Status) {
			var one letter
			one.node(n)
			one.quote("  "+strings.ReplaceAll(c, "\n", "\n  "), most)
			all = append(all, result{depth, n, one.String()})
		}
	}
	if len(all) == 0 {
		l.say("No node is over and has a conclusion.")
		return
	}
	const around = 200 // bytes of the lines around them
	left := room - jsonSize(l.String()) - around
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b result) int { return cmp.Compare(a.depth, b.depth) })
	kept := map[*mdstore.Node]bool{}
	for _, r := range order {
		if left -= jsonSize(r.text); left < 0 {
			break
		}
		kept[r.node] = true
	}
	l.say("What came of the nodes that are over, %d of %d:", len(kept), len(all))
	for _, r := range all {
		if kept[r.node] {
			l.WriteString(r.text)
		}
	}
	l.rest(len(all)-len(kept), "node_get, with the ids that node_list with status completed, failed and cancelled has")
}
