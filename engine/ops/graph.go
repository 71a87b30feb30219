package ops

import (
	"cmp"
	"context"
	"slices"

	"arbor/context/render"
	"arbor/engine/view"
	"arbor/mdstore"
)

type PlanGraphIn struct {
	In
	NodeID string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"only nodes below NODE"`
	Where  string `json:"where,omitempty" help:"only nodes that match QUERY, and what they depend on"`
	Waves  bool   `json:"waves,omitempty" help:"what can be done at once, wave by wave, and no edges"`
}

// PlanGraphOut has the nodes that depend on others or are depended on, and all open work in the order in which it can
// be done.
type PlanGraphOut struct {
	Nodes []GraphNode `json:"nodes"` // those of the edges first
	Edges []GraphEdge `json:"edges"`
	Waves [][]string  `json:"waves"`           // nodes that can be worked on at the same time, wave by wave
	Chain []string    `json:"chain"`           // the longest chain of nodes that are done one after the other
	Stuck []string    `json:"stuck,omitempty"` // nodes that wait for themselves, for a failed node, or for a missing one
	// nodes that wait for each other, cycle by cycle
	Cycles [][]string `json:"cycles,omitempty"`

	Unmatched bool `json:"-"` // a filter is given, and no node matches it
	Out
}

// A GraphNode is a node of a graph.
type GraphNode struct {
	ID string `json:"id"`
	mdstore.Head
	Wave      int      `json:"wave,omitempty"`      // with which it is over; -1 for never, 0 if no work of it is open
	BlockedBy []string `json:"blockedBy,omitempty"` // what a node that has not begun waits for
	// open questions, for whose answers it waits
	Questions []mdstore.Question `json:"questions,omitempty"`
}

// A GraphEdge leads from a dependency to the node that waits for it.
type GraphEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

var planGraph = op("plan_graph", reads|repeats, PlanGraph, Help{
	Summary: "show dependencies, and which nodes can be done in parallel",
	Use:     "graph [NODE]",
	Text: `Prints each node that has dependencies, with the nodes it depends on indented
below. --waves lists the open work in waves instead: nodes of one wave can be
done in parallel, after the waves before it. Then come the longest chain, and
nodes that can never start. --format mermaid or dot prints a diagram for
Markdown or Graphviz.`,
	Example: `arbor graph
arbor graph --waves
arbor graph Backend --format mermaid
arbor graph --format dot | dot -Tsvg > plan.svg`,
})

// PlanGraph returns the graph of dependencies, of the whole plan or of what lies below a node.
var PlanGraph = reading(func(ctx context.Context, env *Env, in PlanGraphIn) (*PlanGraphOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	top := mdstore.Root
	if in.NodeID != "" {
		if top, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	}
	matches, doubt, err := env.where(ctx, s, in.Where)
	if err != nil {
		return nil, err
	}
	out := &PlanGraphOut{Edges: []GraphEdge{}, Waves: [][]string{}}
	order, shown := s.Order(top, matches), map[mdstore.ID]bool{}
	waits, asks := map[mdstore.ID][]view.Dependency{}, map[mdstore.ID][]mdstore.Question{}
	if !in.Waves {
		for n, open := range s.Blocked() {
			waits[n.ID], asks[n.ID] = open, n.OpenQuestions()
		}
	}
	most := len(order.Stuck)
	for _, wave := range order.Waves {
		most += len(wave)
	}
	out.Nodes = make([]GraphNode, 0, most)
	met, today := make(map[mdstore.ID]bool, most), env.day()
	add := func(n *mdstore.Node) string {
		if !met[n.ID] {
			met[n.ID] = true
			node := GraphNode{string(n.ID), s.HeadOn(n, today), order.Over[n.ID], waitsFor(waits[n.ID]), asks[n.ID]}
			out.Nodes = append(out.Nodes, node)
		}
		return string(n.ID)
	}
	out.Unmatched = in.Where != ""
	for _, n := range s.Walk(top) {
		if !matches(n) {
			continue
		}
		if out.Unmatched = false; in.Waves {
			break
		}
		shown[n.ID] = true
		for _, x := range s.Dependencies(n) {
			if x.Node != nil {
				out.Edges = append(out.Edges, GraphEdge{add(x.Node), add(n)})
			}
		}
	}
	ids := func(nodes []*mdstore.Node) (all []string) {
		for _, n := range nodes {
			all = append(all, add(n))
		}
		return all
	}
	for _, wave := range order.Waves {
		out.Waves = append(out.Waves, nonNil(ids(wave)))
	}
	out.Chain, out.Stuck = nonNil(ids(order.Chain)), ids(order.Stuck)
	if out.Sends(s.Workspace().ID); out.Unmatched {
		out.Hint = cmp.Or(doubt, "no node matches "+in.Where)
	}
	if in.Waves {
		return out, nil // Stuck has the nodes of cycles
	}
	for _, cycle := range s.DependencyCycles() {
		if slices.ContainsFunc(cycle, func(n *mdstore.Node) bool { return shown[n.ID] }) {
			out.Cycles = append(out.Cycles, ids(cycle))
		}
	}
	return out, nil
})

// Graph returns the graph as it is drawn, with ids as short makes them.
func (out *PlanGraphOut) Graph(short func(string) string) *render.Graph {
	g, at := &render.Graph{Nodes: make([]render.GraphNode, 0, len(out.Nodes))}, make(map[string]int, len(out.Nodes))
	for i, n := range out.Nodes {
		at[n.ID] = i
		g.Nodes = append(g.Nodes, render.GraphNode{ID: short(n.ID), Head: n.Head})
	}
	places := func(ids []string) (all []int) {
		for _, id := range ids {
			all = append(all, at[id])
		}
		return all
	}
	for _, e := range out.Edges {
		g.Edges = append(g.Edges, [2]int{at[e.From], at[e.To]})
		g.Drawn = max(g.Drawn, at[e.From]+1, at[e.To]+1)
	}
	for _, wave := range out.Waves {
		g.Waves = append(g.Waves, places(wave))
	}
	g.Chain, g.Stuck = places(out.Chain), places(out.Stuck)
	return g
}

// waves returns the titles of the open work below a node that matches, wave by wave, for a reply.
func waves(s *view.View, top mdstore.ID, matches func(*mdstore.Node) bool) (all [][]Titled) {
	for _, wave := range s.Order(top, matches).Waves {
		titles := []Titled{}
		for _, n := range wave {
			titles = append(titles, Titled{string(n.ID), n.Title})
		}
		all = append(all, titles)
	}
	return all
}
