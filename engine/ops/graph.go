package ops

import (
	"context"

	"arbor/context/render"
	"arbor/engine/view"
	"arbor/mdstore"
)

type PlanGraphIn struct {
	In
	NodeID string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"only what lies below NODE"`
}

// PlanGraphOut has the nodes that depend on others or are depended on, and all open work in the order in which it can
// be done.
type PlanGraphOut struct {
	Nodes []GraphNode  `json:"nodes"`
	Edges []GraphEdge  `json:"edges"`
	Waves [][]string   `json:"waves"`           // what can be done at once, wave by wave
	Chain []string     `json:"chain"`           // the longest chain of nodes that are done one after the other
	Stuck []string     `json:"stuck,omitempty"` // what no wave reaches: it waits for itself, for what failed, or for no node
	Graph render.Graph `json:"-"`
	Out
}

// A GraphNode is a node of a graph.
type GraphNode struct {
	NodeID string `json:"nodeId"`
	mdstore.Head
}

// A GraphEdge leads from a dependency to the node that waits for it.
type GraphEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

var planGraph = op("plan_graph", reads|repeats, PlanGraph, Help{
	Summary: "show what waits for what, and what can be done at once",
	Use:     "graph [NODE]",
	Text: `Each node that depends on others, with these below it. --waves lists the open
work wave by wave instead: all of a wave can be done at once, and needs the
waves before it; then the longest chain, and what can never be started. With
--format mermaid or dot it is a drawing for a Markdown page or for Graphviz.`,
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
	out := &PlanGraphOut{Nodes: []GraphNode{}, Edges: []GraphEdge{}, Waves: [][]string{}, Chain: []string{}}
	at := map[mdstore.ID]int{}
	add := func(n *mdstore.Node) int {
		if i, ok := at[n.ID]; ok {
			return i
		}
		at[n.ID] = len(out.Nodes)
		out.Nodes = append(out.Nodes, GraphNode{string(n.ID), n.Head})
		out.Graph.Nodes = append(out.Graph.Nodes, render.GraphNode{ID: string(n.ID), Head: n.Head})
		return at[n.ID]
	}
	for _, n := range s.Walk(top) {
		for _, x := range s.Dependencies(n) {
			if x.Node != nil {
				out.Edges = append(out.Edges, GraphEdge{string(x.Node.ID), string(n.ID)})
				out.Graph.Edges = append(out.Graph.Edges, [2]int{add(x.Node), add(n)})
			}
		}
	}
	drawn := len(out.Nodes)
	order := s.Order(top)
	place := func(nodes []*mdstore.Node, ids *[]string, at *[]int) {
		for _, n := range nodes {
			*ids, *at = append(*ids, string(n.ID)), append(*at, add(n))
		}
	}
	for _, wave := range order.Waves {
		var ids []string
		var at []int
		place(wave, &ids, &at)
		out.Waves, out.Graph.Waves = append(out.Waves, ids), append(out.Graph.Waves, at)
	}
	place(order.Chain, &out.Chain, &out.Graph.Chain)
	place(order.Stuck, &out.Stuck, &out.Graph.Stuck)
	out.Graph.Drawn = drawn
	out.Sends(s.Workspace().ID)
	return out, nil
})

// waves returns the titles of the open work below a node, wave by wave, for a reply.
func waves(s *view.View, top mdstore.ID) (all [][]Titled) {
	for _, wave := range s.Order(top).Waves {
		var titles []Titled
		for _, n := range wave {
			titles = append(titles, Titled{string(n.ID), n.Title})
		}
		all = append(all, titles)
	}
	return all
}
