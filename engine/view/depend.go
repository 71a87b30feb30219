package view

import (
	"iter"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/statemachine"
)

// A Dependency is one node that another waits for, by its own dependencies or those of an ancestor.
type Dependency struct {
	Of     mdstore.ID    // the node whose file names it
	Target string        // as the file names it
	Node   *mdstore.Node // nil if there is no such node
}

// ID returns the id of the node, or the text in the file if there is none.
func (x Dependency) ID() string {
	if x.Node == nil {
		return x.Target
	}
	return string(x.Node.ID)
}

// Done reports whether it is completed. Failed and cancelled nodes do not count as done.
func (x Dependency) Done() bool { return x.Node != nil && x.Node.Status == statemachine.Completed }

// Dependencies returns what the file of a node names, in its order.
func (v *View) Dependencies(n *mdstore.Node) (all []Dependency) {
	for _, target := range n.Dependencies {
		x := Dependency{Of: n.ID, Target: target}
		x.Node, _ = v.Referred(n, target)
		all = append(all, x)
	}
	return all
}

// HeadOn returns the head of a node on a day, with its dependencies as ids: the file may have links instead.
func (v *View) HeadOn(n *mdstore.Node, day string) mdstore.Head {
	h := n.HeadOn(day)
	if len(n.Dependencies) > 0 {
		h.Dependencies = nil
		for _, x := range v.Dependencies(n) {
			h.Dependencies = append(h.Dependencies, x.ID())
		}
	}
	return h
}

// linked reports whether some node has dependencies.
func (v *View) linked() bool {
	return slices.ContainsFunc(v.nodes, func(n *mdstore.Node) bool { return len(n.Dependencies) > 0 })
}

// Inherited is Dependencies with those of its ancestors behind them, nearest first, none twice.
func (v *View) Inherited(n *mdstore.Node) []Dependency {
	if !v.links() {
		return nil
	}
	all := v.Dependencies(n)
	up, _ := v.Ancestors(n.ID)
	for _, a := range up {
		all = append(all, v.Dependencies(a)...)
	}
	return once(all)
}

// Open returns those of Inherited that are not done.
func (v *View) Open(n *mdstore.Node) []Dependency {
	return slices.DeleteFunc(v.Inherited(n), Dependency.Done)
}

// openOf returns the dependencies of the node itself that are not done.
func (v *View) openOf(n *mdstore.Node) []Dependency {
	if len(n.Dependencies) == 0 {
		return nil
	}
	return slices.DeleteFunc(v.Dependencies(n), Dependency.Done)
}

// once removes duplicates from a list of dependencies.
func once(all []Dependency) []Dependency {
	if len(all) < 2 {
		return all
	}
	met := make(map[string]bool, len(all))
	return slices.DeleteFunc(slices.Clone(all), func(x Dependency) bool {
		was := met[x.ID()]
		met[x.ID()] = true
		return was
	})
}

// Blocked yields the nodes that have not begun and wait for open dependencies, with these, and those that wait for the
// answer to a question, in tree order. Below a completed or cancelled node nothing is blocked.
func (v *View) Blocked() iter.Seq2[*mdstore.Node, []Dependency] {
	return func(yield func(*mdstore.Node, []Dependency) bool) {
		for _, s := range v.tree() {
			if (len(s.blocked) > 0 || s.asks) && !yield(v.docs.of(s.node), s.blocked) {
				return
			}
		}
	}
}

// BlockedBy returns the open dependencies in Blocked by node.
func (v *View) BlockedBy() map[mdstore.ID][]Dependency {
	all := map[mdstore.ID][]Dependency{}
	for _, s := range v.tree() {
		if len(s.blocked) > 0 {
			all[s.node.ID] = s.blocked
		}
	}
	return all
}

// WaitsText describes what a node waits for: "node-… (Title), which is pending; …".
func WaitsText(open []Dependency) string {
	var all []string
	for _, x := range open[:min(len(open), CandidatesShown)] {
		if x.Node == nil {
			all = append(all, x.Target+", which is no node")
			continue
		}
		all = append(all, Named(x.Node)+", which is "+string(x.Node.Status))
	}
	if len(open) > CandidatesShown {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

// Named returns a node as messages name it: "node-… (Title)".
func Named(n *mdstore.Node) string { return string(n.ID) + " (" + n.Title + ")" }
