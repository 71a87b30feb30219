package render

import (
	"fmt"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/statemachine"
)

// A Graph shows which nodes of a plan wait for which.
type Graph struct {
	Nodes []GraphNode
	Edges [][2]int // from a dependency to the node that waits for it, by index
	Waves [][]int  // nodes that can be worked on at the same time, wave by wave
	Chain []int    // the longest chain
	Stuck []int    // nodes that are never ready
	Drawn int      // nodes that a drawing shows: those of the edges, which come first
}

// A GraphNode is a node of a graph.
type GraphNode struct {
	ID string
	mdstore.Head
}

// Mermaid returns a flowchart in the language of Mermaid, as Markdown pages show it.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, n := range g.Nodes[:g.Drawn] {
		title := strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;").Replace(Visible(n.Title))
		fmt.Fprintf(&b, "  n%d[\"%s %s\"]\n", i+1, SignOf(n.Status, false), title)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  n%d --> n%d\n", e[0]+1, e[1]+1)
	}
	return b.String()
}

// Dot returns a graph in the language of Graphviz.
func (g *Graph) Dot() string {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=LR;\n  node [shape=box];\n")
	for i, n := range g.Nodes[:g.Drawn] {
		title := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(Visible(n.Title))
		style := ""
		if statemachine.Terminal(n.Status) {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  n%d [label=\"%s\\n%s\"%s];\n", i+1, title, n.Status, style)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  n%d -> n%d;\n", e[0]+1, e[1]+1)
	}
	return b.String() + "}\n"
}

// Text returns the waiting nodes, each with the nodes that it waits for below it.
func (g *Graph) Text(style Style) string {
	var b strings.Builder
	p := style.pieces()
	waits := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		waits[e[1]] = append(waits[e[1]], e[0])
	}
	for i, before := range waits {
		if before == nil {
			continue
		}
		b.WriteString(g.line(i, style) + "\n")
		for k, from := range before {
			branch := p.branch
			if k == len(before)-1 {
				branch = p.end
			}
			b.WriteString(branch + g.line(from, style) + "\n")
		}
	}
	return b.String()
}

// WavesText returns the waves, the longest chain, and the nodes that are never ready.
func (g *Graph) WavesText(style Style) string {
	var b strings.Builder
	list := func(head string, at []int) {
		if len(at) == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(style.Paint(bold, head) + "\n")
		for _, i := range at {
			b.WriteString("  " + g.line(i, style) + "\n")
		}
	}
	for i, wave := range g.Waves {
		list("Wave "+strconv.Itoa(i+1), wave)
	}
	if len(g.Chain) > 1 {
		list(fmt.Sprintf("Longest chain, %d in a row", len(g.Chain)), g.Chain)
	}
	list("Never ready", g.Stuck)
	return b.String()
}

func (g *Graph) line(i int, style Style) string {
	n := g.Nodes[i]
	s := SignOf(n.Status, style.ASCII) + " " + Visible(n.Title)
	for _, m := range n.Marks() {
		s += "  " + style.Paint(dim, Visible(m))
	}
	return s + "  " + style.Paint(dim, n.ID)
}
