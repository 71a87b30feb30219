package ops

import (
	"arbor/engine"
	"arbor/mdstore"
	"arbor/statemachine"
)

func refs(ds []Doc) []mdstore.Ref {
	out := make([]mdstore.Ref, len(ds))
	for i, d := range ds {
		out[i] = mdstore.Ref{Target: d.Path, Description: d.Description}
	}
	return out
}

func docs(rs []mdstore.Ref) []Doc {
	out := make([]Doc, len(rs))
	for i, r := range rs {
		out[i] = Doc{Path: r.Target, Description: r.Description, Expired: r.Expired}
	}
	return out
}

func references(rs []mdstore.Ref) []Reference {
	out := make([]Reference, len(rs))
	for i, r := range rs {
		out[i] = Reference{Target: r.Target, Description: r.Description, Expired: r.Expired}
	}
	return out
}

func logs(es []mdstore.LogEntry) []LogEntry {
	out := make([]LogEntry, len(es))
	for i, e := range es {
		out[i] = LogEntry{Timestamp: e.Time, Operator: e.Operator, Event: e.Event}
	}
	return out
}

func problem(p mdstore.Problem) *Problem {
	if p.IsZero() {
		return nil
	}
	return &Problem{p.Text, p.NextStep}
}

func cascades(cs []engine.Cascade) []Cascade {
	out := make([]Cascade, len(cs))
	for i, c := range cs {
		out[i] = Cascade{string(c.NodeID), string(c.From), string(c.To)}
	}
	return out
}

func archived(a *engine.Archived) *Archived {
	if a == nil {
		return nil
	}
	return &Archived{a.Rules, docs(a.Docs)}
}

// archivedHint is the hint of what could be done if the workspace were not archived.
const archivedHint = "the workspace is archived, and nothing in it can be begun or changed: workspace_restore makes it active again"

// allowed returns the actions that can be taken with a node: none where its workspace takes no writes.
func allowed(s *engine.Snapshot, n *mdstore.Node) []string {
	if mdstore.Archived(s.Workspace().Dir) {
		return []string{}
	}
	return actions(n.Type, n.Status)
}

func actions(t statemachine.Type, s statemachine.Status) []string {
	out := []string{}
	for _, a := range statemachine.Allowed(t, s) {
		out = append(out, string(a))
	}
	return out
}

// counts returns the numbers of a workspace's nodes.
func counts(s *engine.Snapshot, diagnostics int) Counts {
	c := Counts{ByStatus: map[string]int{}}
	for _, n := range s.Walk(mdstore.Root) {
		c.add(n, s.HasProblem(n))
	}
	c.finish(s, diagnostics)
	return c
}

// add counts a node of the tree.
func (c *Counts) add(n *mdstore.Node, problem bool) {
	c.Total++
	c.ByStatus[string(n.Status)]++
	if !statemachine.TakesChildren(n.Type) {
		c.Work++
		if statemachine.Terminal(n.Status) {
			c.Done++
		}
	}
	if problem {
		c.Problems++
	}
}

// finish counts what a walk through the tree does not meet.
func (c *Counts) finish(s *engine.Snapshot, diagnostics int) {
	c.Unreached, c.Total, c.Damaged = s.Len()-c.Total, s.Len(), diagnostics
}
