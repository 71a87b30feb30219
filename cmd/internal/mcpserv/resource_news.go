package mcpserv

import (
	"arbor/engine"
	"arbor/mdstore"
)

// concernedBy reports whether a change of a workspace may show in the resource: of these nodes, "" being the workspace's own file. structure says that nodes came,
// went or moved. snap is the workspace before or after the change, nil where there is none any more; a caller that has both may leave structure out and ask
// about each. It errs on the side of news.
func (r ref) concernedBy(ws mdstore.ID, nodes map[mdstore.ID]bool, structure bool, snap *engine.Snapshot) bool {
	if ws != r.workspace {
		return false
	}
	switch r.view {
	case viewWorkspace:
		return nodes[""]
	case viewTree:
		return structure || len(nodes) > 0
	case viewNode:
		return nodes[r.node]
	}
	return structure || nodes[""] || snap == nil || drawnFrom(snap, r.node, nodes)
}

// drawnFrom reports whether the context of a node shows one of the others: the node itself, those above it up to the nearest isolated one, its children, and what it refers to.
func drawnFrom(snap *engine.Snapshot, id mdstore.ID, nodes map[mdstore.ID]bool) bool {
	met := map[mdstore.ID]bool{}
	for at := id; at != "" && !met[at]; {
		if nodes[at] {
			return true
		}
		met[at] = true
		n, ok := snap.Node(at)
		if !ok || n.Isolated || at == mdstore.Root {
			break
		}
		at = n.Parent
	}
	for other := range nodes {
		if n, ok := snap.Node(other); ok && n.Parent == id {
			return true
		}
	}
	n, ok := snap.Node(id)
	if !ok {
		return false
	}
	for _, to := range n.References() {
		if !to.Expired && nodes[mdstore.ID(to.Target)] {
			return true
		}
	}
	return false
}
