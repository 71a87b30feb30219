package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A graph shows which nodes wait for which, in columns: first nodes without open work, then each wave, then nodes that
// are never ready.
type graph struct {
	Filter, Wrong string // as in an outline
	Below         string // the id of the node that it is about; "" for the whole plan
	Top           string // its title
	Columns       []wave
	Cycles        []ring // nodes that wait for each other
	Chain         []step // the longest chain
	MoreCycles    int    // further cycles
	MoreChain     int    // further nodes of the chain
	MoreEdges     int    // further lines
	More          int    // further nodes, of columns that are not shown
	Width, Height int    // of the drawing, in pixels
	Edges         []edge
	Unmatched     bool // a filter is given, and no node matches it
}

// A wave is a column of a graph.
type wave struct {
	Key   string // the number of the wave: "0", "1", …; "-1" for nodes that are never ready
	Title string
	Steps []step
	More  int // further ones
}

// A step is a node of a graph.
type step struct {
	ops.GraphNode
	Waits []target // the first of what it waits for
	More  int      // further ones
	Loops bool     // it waits for itself
}

// A ring is a cycle.
type ring struct {
	Steps []step
	More  int // further ones
}

// An edge is a line of a drawing, from a dependency to the node that waits for it.
type edge struct {
	Path  string // what the attribute d of an SVG path has
	Class string
}

// How much of a graph is shown, and where; the style sheet has the same pixels.
const (
	graphNodes = 200 // in all
	waveNodes  = 25  // of a column
	graphWaits = 4   // of what one node waits for
	graphLists = 12  // cycles, and nodes of a cycle or chain
	graphEdges = 600

	columnWide, columnGap        = 224, 56
	columnHead, stepHigh, stepUp = 44, 88, 8 // a step has stepUp above it
)

// graph shows which nodes wait for which: in the whole plan, below a node (below=ID), or among those that match a
// filter.
func (s *Site) graph(r *http.Request, v *screen) error {
	v.Title = "Graph"
	if len(v.All) == 0 {
		return nil
	}
	g := &graph{Filter: strings.TrimSpace(r.FormValue("filter")), Below: r.FormValue("below")}
	in := ops.PlanGraphIn{In: ops.In{WorkspaceID: v.Workspace}, NodeID: g.Below, Where: g.Filter}
	out, err := ops.PlanGraph(r.Context(), s.env(), in)
	if g.Wrong = wrongFilter(err); g.Wrong != "" {
		out, err = &ops.PlanGraphOut{}, nil
	}
	if err != nil {
		return err
	}
	snap, err := s.engine.View(r.Context(), mdstore.ID(v.Workspace))
	if err != nil {
		return err
	}
	if top, ok := snap.Node(mdstore.ID(g.Below)); ok {
		g.Top = top.Title
	}
	g.Unmatched = out.Unmatched
	g.list(out, snap)
	g.draw(out)
	v.Body = g
	return nil
}

// list puts the nodes into columns.
func (g *graph) list(out *ops.PlanGraphOut, snap *view.View) {
	of, loops, last := map[string]step{}, map[string]bool{}, 0
	for _, n := range slices.Concat(out.Cycles...) {
		loops[n] = true
	}
	columns := map[int][]step{}
	for _, n := range out.Nodes {
		x := step{GraphNode: n, Loops: loops[n.ID]}
		for _, id := range n.BlockedBy[:min(graphWaits, len(n.BlockedBy))] {
			node, _ := snap.Node(mdstore.ID(id))
			x.Waits = append(x.Waits, target{ops.Reference{TargetID: id}, node})
		}
		x.More = len(n.BlockedBy) - len(x.Waits)
		of[n.ID] = x
		columns[n.Wave], last = append(columns[n.Wave], x), max(last, n.Wave)
	}
	named := func(ids []string) (all []step) {
		for _, id := range ids[:min(graphLists, len(ids))] {
			all = append(all, of[id])
		}
		return all
	}
	for _, ids := range out.Cycles[:min(graphLists, len(out.Cycles))] {
		steps := named(ids)
		g.Cycles = append(g.Cycles, ring{steps, len(ids) - len(steps)})
	}
	g.MoreCycles = len(out.Cycles) - len(g.Cycles)
	if len(out.Chain) > 1 {
		g.Chain = named(out.Chain)
		g.MoreChain = len(out.Chain) - len(g.Chain)
	}
	left := graphNodes - min(waveNodes, len(columns[-1])) // what is never ready is always shown
	for i := range last + 1 {
		steps := columns[i]
		if len(steps) == 0 {
			continue
		}
		if left == 0 {
			g.More += len(steps)
			continue
		}
		n := min(waveNodes, left, len(steps))
		left -= n
		g.Columns = append(g.Columns, wave{fmt.Sprint(i), "Wave", steps[:n], len(steps) - n})
	}
	if steps := columns[-1]; len(steps) > 0 {
		n := min(waveNodes, len(steps))
		g.Columns = append(g.Columns, wave{"-1", "Never ready", steps[:n], len(steps) - n})
	}
	if len(g.Columns) > 0 && g.Columns[0].Key == "0" {
		g.Columns[0].Title = "No open work"
	}
}

// draw makes the lines between the nodes that are shown: the dependencies that their files name, and those of nodes
// above them that they wait for.
func (g *graph) draw(out *ops.PlanGraphOut) {
	at, loops, most := map[string][2]int{}, map[string]bool{}, 0
	for column, w := range g.Columns {
		for row, x := range w.Steps {
			at[x.ID], loops[x.ID] = [2]int{column, row}, x.Loops
		}
		most = max(most, len(w.Steps))
	}
	g.Width = len(g.Columns)*(columnWide+columnGap) - columnGap
	g.Height = columnHead + most*(stepHigh+stepUp)
	all := slices.Clone(out.Edges)
	for _, n := range out.Nodes {
		for _, from := range n.BlockedBy {
			all = append(all, ops.GraphEdge{From: from, To: n.ID})
		}
	}
	met := map[ops.GraphEdge]bool{}
	for _, e := range all {
		from, shown := at[e.From]
		to, too := at[e.To]
		if !shown || !too || met[e] {
			continue
		}
		if met[e] = true; len(g.Edges) == graphEdges {
			g.MoreEdges++
			continue
		}
		class := ""
		if loops[e.From] && loops[e.To] {
			class = "loop"
		}
		g.Edges = append(g.Edges, edge{line(from, to), class})
	}
}

// line returns the path of an SVG from the right of one step to the left of another, or to its right if that is in no
// later column. Over the columns between, it runs above the row of its end, where no steps are. A step is given by
// column and row.
func line(from, to [2]int) string {
	middle := func(at [2]int) (x, y int) {
		return at[0] * (columnWide + columnGap), columnHead + at[1]*(stepHigh+stepUp) + stepUp + stepHigh/2
	}
	x1, y1 := middle(from)
	x2, y2 := middle(to)
	x1 += columnWide
	if from[0]+1 < to[0] {
		const turn = columnGap / 2
		over := y2 - stepHigh/2 - stepUp/2
		return fmt.Sprintf("M%d %dC%d %d %d %d %d %dH%dC%d %d %d %d %d %d", x1, y1, x1+turn, y1, x1+turn-16, over,
			x1+columnGap-4, over, x2-columnGap+4, x2-turn+8, over, x2-turn, y2, x2-4, y2)
	}
	if from[0] < to[0] {
		return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+columnGap, y1, x2-columnGap, y2, x2-4, y2)
	}
	x2 += columnWide
	bend := max(x1, x2) + columnGap - 8
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1+8, bend, y1+8, bend, y2-8, x2+4, y2-8)
}
